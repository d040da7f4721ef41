/*
 * Writes a profile. See write.h.
 *
 * In:  puts in the order of the format
 * Out: a complete file under its final name, or none
 *
 * Invariants: `error` is sticky; once it is set nothing more is written and close removes what was (output.h).
 */
#define _GNU_SOURCE
#include "prof/write.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "text/escape.h"
#include "text/output.h"

struct qn_prof_writer {
    int owned; /* the output is ours to close; else it is a descriptor alone */
    struct qn_text_output output;
    char *path; /* for messages */
    int events;
    int remarks, in_line; /* every line is a comment; one has been begun */
    enum qn_prof_form form;
    char *file; /* of the merged form: repeated before each function */
    struct qn_text_error error;
    size_t used;
    char buffer[QN_PROF_WRITE_BYTES];
};

/* ---- the output ---- */

static void fail_errno(struct qn_prof_writer *w, const char *doing)
{
    qn_text_fail(&w->error, QN_TEXT_IO, "%s: cannot %s: %s", w->path, doing, strerror(errno));
}

static void flush(struct qn_prof_writer *w)
{
    size_t done = 0;
    while (done < w->used && w->error.status == QN_TEXT_OK) {
        ssize_t n = write(w->output.fd, w->buffer + done, w->used - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            fail_errno(w, "write");
    }
    w->used = 0;
}

static void put_plain(struct qn_prof_writer *w, const char *text, size_t n)
{
    while (n > 0 && w->error.status == QN_TEXT_OK) {
        size_t room = QN_PROF_WRITE_BYTES - w->used;
        size_t part = n < room ? n : room;
        memcpy(w->buffer + w->used, text, part);
        w->used += part;
        text += part;
        n -= part;
        if (w->used == QN_PROF_WRITE_BYTES)
            flush(w);
    }
}

/* Writes the text with a # in front of each line. */
static void put_remark(struct qn_prof_writer *w, const char *text, size_t n)
{
    while (n > 0) {
        const char *newline = memchr(text, '\n', n);
        size_t part = newline ? (size_t)(newline - text) + 1 : n;
        if (!w->in_line)
            put_plain(w, "#", 1);
        put_plain(w, text, part);
        w->in_line = !newline;
        text += part;
        n -= part;
    }
}

/* Writes through the buffer; while `remarks` is set, each line gets a # in front. */
void qn_prof_put_bytes(struct qn_prof_writer *w, const char *text, size_t n)
{
    if (w->remarks)
        put_remark(w, text, n);
    else
        put_plain(w, text, n);
}

static struct qn_prof_writer *new_writer(const char *path)
{
    struct qn_prof_writer *w = QN_NEEDED(calloc(1, sizeof *w));
    w->path = QN_NEEDED(strdup(path));
    return w;
}

static void free_writer(struct qn_prof_writer *w)
{
    free(w->path);
    free(w->file);
    free(w);
}

struct qn_prof_writer *qn_prof_open_writer(const char *path, struct qn_text_error *err)
{
    struct qn_prof_writer *w = new_writer(path);
    w->owned = 1;
    if (qn_text_open_output(&w->output, path, QN_TEXT_PRIVATE, err) == QN_TEXT_OK)
        return w;
    free_writer(w);
    return NULL;
}

struct qn_prof_writer *qn_prof_open_writer_fd(int fd, const char *name)
{
    struct qn_prof_writer *w = new_writer(name);
    w->output.fd = fd;
    return w;
}

enum qn_text_status qn_prof_close_writer(struct qn_prof_writer *w, struct qn_text_error *err)
{
    if (err->status == QN_TEXT_OK)
        flush(w);
    if (w->error.status != QN_TEXT_OK)
        qn_text_fail(err, w->error.status, "%s", w->error.text);
    if (w->owned)
        qn_text_close_output(&w->output, err);
    free_writer(w);
    return err->status;
}

void qn_prof_abandon_writer(struct qn_prof_writer *w)
{
    if (!w)
        return;
    if (w->owned)
        qn_text_drop_output(&w->output);
    free_writer(w);
}

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
    if (left < 10 && value >= 0) { /* most counts */
        *to = (char)('0' + left);
        return to + 1;
    }
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
    char own[QN_PROF_NUMBER_MAX + 2];
    bool fits = !w->remarks && QN_PROF_WRITE_BYTES - w->used > sizeof own;
    char *text = fits ? w->buffer + w->used : own, *end = text;
    if (before)
        *end++ = before;
    end = qn_prof_format_number(end, value);
    if (after)
        *end++ = after;
    if (fits)
        w->used += (size_t)(end - text);
    else
        qn_prof_put_bytes(w, own, (size_t)(end - own));
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
