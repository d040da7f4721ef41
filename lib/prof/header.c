/*
 * Header of a profile. See header.h and read.h.
 *
 * In:  desc: A / cmd: ./p / events: Ir Dr
 * Out: descs {"A"}, cmd "./p", events {"Ir", "Dr"}
 *
 * Invariant: `events` points into `words`, a copy of the events line cut at its blanks.
 */
#define _GNU_SOURCE
#include "prof/header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "prof/region.h"

static const char blanks[] = " \t\v\f\r";

/* The text after `key` and blanks, or NULL where the line does not begin with `key`. */
static const char *value_of(const char *line, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(line, key, n) != 0)
        return NULL;
    return line + n + strspn(line + n, blanks);
}

/* Copies the line. */
static void keep(struct qn_prof_field *field, const char *line, const char *value)
{
    field->raw = QN_NEEDED(strdup(line));
    field->text = field->raw + (value - line);
}

/* If a region was chosen, the description names it instead of all regions. */
static void add_desc(struct qn_prof_header *h, const char *line, const char *value)
{
    const char *region = qn_prof_names_regions(value) ? qn_prof_chosen_region() : NULL;
    h->descs = QN_NEEDED(realloc(h->descs, ((size_t)h->desc_count + 1) * sizeof *h->descs));
    struct qn_prof_field *field = &h->descs[h->desc_count++];
    if (!region)
        keep(field, line, value);
    else if (asprintf(&field->raw, "desc: Region:           %s", region) < 0)
        qn_no_memory();
    else
        field->text = value_of(field->raw, "desc:");
}

static int count_words(const char *text)
{
    int n = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        text += strcspn(text, blanks);
        n++;
    }
    return n;
}

static enum qn_text_status check_event_count(int n, const struct qn_text_lines *l,
                                             struct qn_text_error *err)
{
    if (n == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: no events, got an empty `events:` line, "
                            "wanted at least one name", l->path, l->number);
    if (n > QN_PROF_EVENTS_MAX)
        return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: too many events, got %d, wanted at most %d",
                            l->path, l->number, n, QN_PROF_EVENTS_MAX);
    return QN_TEXT_OK;
}

/* events[0] owns the copy that all names point into. */
static enum qn_text_status split_events(struct qn_prof_header *h, const struct qn_text_lines *l,
                                        struct qn_text_error *err)
{
    int n = count_words(h->events_line.text);
    if (check_event_count(n, l, err) != QN_TEXT_OK)
        return err->status;
    h->events = QN_NEEDED(calloc((size_t)n, sizeof *h->events));
    char *words = QN_NEEDED(strdup(h->events_line.text)), *rest = words;
    for (int i = 0; i < n; i++)
        h->events[i] = strtok_r(i ? NULL : words, blanks, &rest);
    h->event_count = n;
    return QN_TEXT_OK;
}

static enum qn_text_status missing(const struct qn_prof_header *h, const struct qn_text_lines *l,
                                   const char *line, long number, struct qn_text_error *err)
{
    int has_cmd = h->cmd.raw != NULL;
    enum qn_text_status status =
        qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: missing %s line", l->path, number,
                     has_cmd ? "an `events:`" : "a `command:`");
    qn_text_fail_more(err, ", got %s%.*s%s, wanted `%s`", line ? "`" : "", QN_PROF_QUOTE_MAX,
                      line ? line : "the end of the file", line ? "`" : "",
                      has_cmd ? "events: A B ..." : "cmd: COMMAND");
    return status;
}

static enum qn_text_status second_cmd(const struct qn_text_lines *l, const char *line,
                                      struct qn_text_error *err)
{
    return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: second command, got `%.*s`, wanted one `cmd:` line",
                        l->path, l->number, QN_PROF_QUOTE_MAX, line);
}

/* 1: the header is complete; 0: more lines follow; -1: failed. */
static int take_line(struct qn_prof_header *h, const struct qn_text_lines *l, const char *line,
                     struct qn_text_error *err)
{
    const char *value;
    if (line[strspn(line, blanks)] == '\0' || line[0] == '#')
        return 0;
    if ((value = value_of(line, "desc:")) != NULL)
        return add_desc(h, line, value), 0;
    if ((value = value_of(line, "cmd:")) != NULL && h->cmd.raw)
        return second_cmd(l, line, err), -1;
    if (value)
        return keep(&h->cmd, line, value), 0;
    if ((value = value_of(line, "events:")) == NULL || !h->cmd.raw)
        return missing(h, l, line, l->number, err), -1;
    keep(&h->events_line, line, value);
    return split_events(h, l, err) == QN_TEXT_OK ? 1 : -1;
}

enum qn_text_status qn_prof_read_header(struct qn_prof_header *h, struct qn_text_lines *l,
                                        struct qn_text_error *err)
{
    for (;;) {
        char *line;
        size_t length;
        int got = qn_text_next_line(l, &line, &length, err);
        if (got == 0)
            missing(h, l, NULL, l->number + 1, err);
        if (got <= 0)
            return err->status;
        if (strlen(line) != length)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: not text, got a NUL byte, wanted a profile",
                                l->path, l->number);
        int taken = take_line(h, l, line, err);
        if (taken != 0)
            return err->status;
    }
}

void qn_prof_free_header(struct qn_prof_header *h)
{
    for (int i = 0; i < h->desc_count; i++)
        free(h->descs[i].raw);
    free(h->descs);
    free(h->cmd.raw);
    free(h->events_line.raw);
    if (h->events)
        free(h->events[0]);
    free(h->events);
    memset(h, 0, sizeof *h);
}

/* Cachegrind 3.5 and earlier called the last level the second. */
static const char *const second_levels[][2] = { { "ILmr", "I2mr" }, { "DLmr", "D2mr" }, { "DLmw", "D2mw" } };

static int find_named(const struct qn_prof_header *h, const char *name, size_t length)
{
    for (int i = h->event_count - 1; i >= 0; i--)
        if (strncmp(h->events[i], name, length) == 0 && h->events[i][length] == '\0')
            return i;
    return -1;
}

int qn_prof_find_event(const struct qn_prof_header *h, const char *name, size_t length)
{
    int found = find_named(h, name, length);
    for (size_t i = 0; found < 0 && i < QN_ARRAY_LEN(second_levels); i++)
        if (strlen(second_levels[i][0]) == length && memcmp(second_levels[i][0], name, length) == 0)
            found = find_named(h, second_levels[i][1], length);
    return found;
}

const char *qn_prof_modern_event(const char *event)
{
    for (size_t i = 0; i < QN_ARRAY_LEN(second_levels); i++)
        if (strcmp(second_levels[i][1], event) == 0)
            return second_levels[i][0];
    return event;
}
