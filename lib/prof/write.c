/*
 * The lines of a profile. See write.h.
 *
 * In:  puts in the order of the format
 * Out: bytes for writer.c
 */
#define _GNU_SOURCE
#include "prof/writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "text/escape.h"

void qn_prof_set_events(struct qn_prof_writer *w, int count)
{
    w->events = count;
}

void qn_prof_put_text(struct qn_prof_writer *w, const char *text)
{
    qn_prof_put_bytes(w, text, strlen(text));
}

void qn_prof_put_escaped(struct qn_prof_writer *w, const char *text)
{
    while (*text) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        size_t plain = qn_text_plain_bytes(text);

        qn_prof_put_bytes(w, text, plain);
        text += plain;
        if (*text)
            qn_prof_put_bytes(w, piece, qn_text_escape_byte(piece, (unsigned char)*text++));
    }
}

char *qn_prof_format_number(char *to, int64_t value)
{
    char digits[QN_PROF_NUMBER_MAX];
    size_t at = sizeof digits;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        digits[--at] = '-';
    memcpy(to, digits + at, sizeof digits - at);
    return to + (sizeof digits - at);
}

static void put_number(struct qn_prof_writer *w, char before, int64_t value, char after)
{
    char text[QN_PROF_NUMBER_MAX + 2], *end = text;
    if (before)
        *end++ = before;
    end = qn_prof_format_number(end, value);
    if (after)
        *end++ = after;
    qn_prof_put_bytes(w, text, (size_t)(end - text));
}

void qn_prof_put_number(struct qn_prof_writer *w, int64_t value)
{
    put_number(w, '\0', value, '\0');
}

void qn_prof_put_address(struct qn_prof_writer *w, uint64_t address)
{
    char text[QN_PROF_INSN_TEXT];

    qn_prof_put_bytes(w, text, (size_t)(qn_prof_format_address(text, address) - text));
}

void qn_prof_set_form(struct qn_prof_writer *w, enum qn_prof_form form)
{
    w->form = form;
}

void qn_prof_put_line(struct qn_prof_writer *w, const char *text)
{
    qn_prof_put_escaped(w, text);
    qn_prof_put_text(w, "\n");
}

static void put_field(struct qn_prof_writer *w, const char *key, const char *text)
{
    qn_prof_put_text(w, key);
    qn_prof_put_line(w, text);
}

void qn_prof_put_desc(struct qn_prof_writer *w, const char *text)
{
    put_field(w, "desc: ", text);
}

void qn_prof_put_cmd(struct qn_prof_writer *w, const char *text)
{
    put_field(w, "cmd: ", text);
}

void qn_prof_put_events(struct qn_prof_writer *w, const char *const *names, int count)
{
    w->events = count;
    qn_prof_put_text(w, "events:");
    for (int i = 0; i < count; i++) {
        qn_prof_put_text(w, " ");
        qn_prof_put_escaped(w, names[i]);
    }
    qn_prof_put_text(w, "\n");
}

static const char *known(const char *name)
{
    return name && *name ? name : "???";
}

void qn_prof_put_file(struct qn_prof_writer *w, const char *name)
{
    if (w->form == QN_PROF_COMPACT) {
        put_field(w, "fl=", known(name));
        return;
    }
    free(w->file);
    w->file = QN_NEEDED(strdup(known(name)));
}

void qn_prof_put_fn(struct qn_prof_writer *w, const char *name)
{
    if (w->form == QN_PROF_MERGED && w->file)
        put_field(w, "fl=", w->file);
    put_field(w, "fn=", known(name));
}

void qn_prof_put_positions(struct qn_prof_writer *w, enum qn_prof_positions positions)
{
    qn_prof_put_text(w, "#positions: object line");
    qn_prof_put_text(w, positions == QN_PROF_BY_INSN ? " instruction\n" : "\n");
}

void qn_prof_put_object(struct qn_prof_writer *w, const char *name)
{
    put_field(w, "#ob=", known(name));
}

void qn_prof_put_insn(struct qn_prof_writer *w, const struct qn_prof_insn *insn, const int64_t *counts)
{
    char text[QN_PROF_INSN_TEXT];
    qn_prof_put_text(w, "#");
    qn_prof_put_address(w, insn->address);
    qn_prof_format_bytes(text, insn);
    qn_prof_put_text(w, " ");
    qn_prof_put_text(w, text);
    for (int i = 0; i < w->events; i++)
        put_number(w, ' ', qn_prof_count(counts[i]), '\0');
    qn_prof_put_text(w, "\n");
}

void qn_prof_put_counts(struct qn_prof_writer *w, uint32_t line, const int64_t *counts)
{
    int merged = w->form == QN_PROF_MERGED;
    put_number(w, '\0', line, '\0');
    if (merged)
        qn_prof_put_text(w, "   ");
    for (int i = 0; i < w->events; i++)
        put_number(w, merged ? '\0' : ' ', qn_prof_count(counts[i]), merged ? ' ' : '\0');
    qn_prof_put_text(w, "\n");
}

void qn_prof_put_summary(struct qn_prof_writer *w, const int64_t *counts)
{
    qn_prof_put_text(w, "summary:");
    for (int i = 0; i < w->events; i++)
        put_number(w, ' ', qn_prof_count(counts[i]), '\0');
    qn_prof_put_text(w, "\n");
}

void qn_prof_put_regions(struct qn_prof_writer *w, int count)
{
    w->remarks = 1;
    qn_prof_put_text(w, "regions:");
    put_number(w, ' ', count, '\n');
}

void qn_prof_begin_region(struct qn_prof_writer *w, const char *path)
{
    qn_prof_put_text(w, "region: ");
    qn_prof_put_line(w, path);
}
