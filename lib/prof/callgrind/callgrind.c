/*
 * Callgrind's files. See callgrind.h.
 *
 * In:  lines: headers, names, costs
 * Out: a table, and tables of calls
 */
#include "prof/callgrind/callgrind.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/callgrind/callgrind_parts.h"
#include "prof/counts.h"
#include "prof/read.h"
#include "text/digits.h"

/* ---- headers ---- */

static void keep(char ***list, size_t *n, size_t *room, const char *text, size_t length)
{
    QN_MORE(*list, *n, *room, QN_PROF_CG_FIRST_ROOM);
    (*list)[(*n)++] = QN_NEEDED(strndup(text, length));
}

static int split_events(struct qn_prof_callgrind *c, const char *text)
{
    for (const char *p = text + strspn(text, " \t"); *p; p += strspn(p, " \t")) {
        size_t length = strcspn(p, " \t");
        keep(&c->events, &c->nevents, &c->events_room, p, length);
        p += length;
    }
    if (c->nevents < 1 || c->nevents > QN_PROF_EVENTS_MAX)
        return qn_prof_callgrind_bad(c, "no events, or too many", text, "their names");
    c->event_line = QN_NEEDED(strdup(text));
    c->counts = QN_NEEDED(calloc(c->nevents, sizeof *c->counts));
    c->part = QN_NEEDED(calloc(c->nevents, sizeof *c->part));
    c->table = qn_prof_new_table((int)c->nevents);
    c->index.calls = &c->tables;
    qn_prof_begin_calls(&c->tables, (const char *const *)c->events, c->nevents);
    qn_prof_table_want(c->table, QN_PROF_DETAIL_OBJECTS);
    return 0;
}

static int take_events(struct qn_prof_callgrind *c, const char *text)
{
    c->instr = c->line = 0;
    if (!c->table)
        return split_events(c, text);
    memset(c->part, 0, c->nevents * sizeof *c->part);
    return strcmp(text, c->event_line) == 0 ? 0 : qn_prof_callgrind_bad(c, "another part has other events", text, "those of the first");
}

static int is_zero(const int64_t *counts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (counts[i])
            return 0;
    return 1;
}

/* Zeros say nothing: callgrind_annotate, too, then adds up the costs. */
static int check_totals(struct qn_prof_callgrind *c, const char *text)
{
    if (!c->table)
        return qn_prof_callgrind_bad(c, "`totals:` before `events:`", text, "it first");
    if (qn_prof_callgrind_take_counts(c, text, text) != 0)
        return -1;
    if (!is_zero(c->counts, c->nevents) && memcmp(c->counts, c->part, c->nevents * sizeof *c->part) != 0)
        return qn_prof_callgrind_bad(c, "costs do not add up to `totals:`", text, "their sum");
    return 0;
}

static int take_columns(struct qn_prof_callgrind *c, const char *text)
{
    c->has_instr = strstr(text, "instr") || strstr(text, "addr");
    c->has_line = strstr(text, "line") != NULL;
    return c->has_instr || c->has_line ? 0 : qn_prof_callgrind_bad(c, "positions not known", text, "`line`, `instr` or `instr line`");
}

/* 1: the line was a header; 0: it is none; -1. */
static int take_header(struct qn_prof_callgrind *c, const char *text)
{
    if (strncmp(text, "version:", 8) == 0)
        return text[8 + strspn(text + 8, " \t")] == '1' ? 1 : qn_prof_callgrind_bad(c, "another version", text, "version 1");
    if (strncmp(text, "events:", 7) == 0)
        return take_events(c, text + 7) ? -1 : 1;
    if (strncmp(text, "positions:", 10) == 0)
        return take_columns(c, text + 10) ? -1 : 1;
    if (strncmp(text, "totals:", 7) == 0)
        return check_totals(c, text + 7) ? -1 : 1;
    if (strncmp(text, "desc:", 5) == 0) {
        if (!c->table)
            keep(&c->descs, &c->ndescs, &c->descs_room, text + 5 + (text[5] == ' '), strlen(text));
        return 1;
    }
    if (strncmp(text, "cmd:", 4) == 0) {
        if (!c->cmd)
            c->cmd = QN_NEEDED(strdup(text + 4 + strspn(text + 4, " ")));
        return 1;
    }
    return text[0] != ':' && text[strspn(text, "abcdefghijklmnopqrstuvwxyz_-")] == ':'; /* summary:, creator:, and what other tools write */
}

/* ---- the file ---- */

static int take_line(struct qn_prof_callgrind *c, const char *text)
{
    int taken;
    if (text[strspn(text, " \t")] == '\0' || text[0] == '#')
        return 0;
    if (qn_text_is_digit(text[0]) || strchr("+-*", text[0]))
        return qn_prof_callgrind_take_costs(c, text);
    if (c->skips)
        return qn_prof_callgrind_bad(c, "a call or jump without its line", text, "a position");
    if ((taken = qn_prof_callgrind_begin_call(c, text)) != 0)
        return taken > 0 ? 0 : -1;
    if ((taken = qn_prof_callgrind_take_place(c, text)) == 0)
        taken = take_header(c, text);
    return taken > 0 ? 0 : taken < 0 ? -1 : qn_prof_callgrind_bad(c, "malformed line", text, "a header, a name or costs");
}

static int read_lines(struct qn_prof_callgrind *c)
{
    char *text;
    size_t length;
    int got;
    while ((got = qn_text_next_line(&c->lines, &text, &length, c->err)) > 0) {
        if (strlen(text) != length)
            return qn_prof_callgrind_bad(c, "malformed line", text, "text without NUL bytes");
        if (take_line(c, text) != 0)
            return -1;
    }
    if (got < 0)
        return -1;
    if (!c->table || c->skips)
        return qn_prof_callgrind_bad(c, "cut short", "the end of the file", c->table ? "the line of a call" : "`events:`");
    return 0;
}

struct qn_prof_callgrind *qn_prof_read_callgrind(const char *path, struct qn_text_error *err)
{
    struct qn_prof_callgrind *c = QN_NEEDED(calloc(1, sizeof *c));
    int failed;
    c->err = err;
    c->has_line = 1;
    c->lines.window.fd = -1;
    failed = qn_text_open_lines(&c->lines, path, err) != QN_TEXT_OK || read_lines(c) != 0;
    qn_text_close_lines(&c->lines);
    if (!failed)
        return c;
    qn_prof_free_callgrind(c);
    return NULL;
}

static void free_list(char **list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(list[i]);
    free(list);
}

void qn_prof_free_callgrind(struct qn_prof_callgrind *c)
{
    if (!c)
        return;
    qn_prof_callgrind_free_names(c);
    free_list(c->descs, c->ndescs);
    free_list(c->events, c->nevents);
    free(c->cmd);
    free(c->event_line);
    free(c->counts);
    free(c->part);
    qn_prof_free_table(c->table);
    qn_prof_free_call_index(&c->index);
    qn_prof_free_calls(&c->tables);
    free(c);
}

void qn_prof_write_callgrind(struct qn_prof_callgrind *c, struct qn_prof_writer *w)
{
    for (size_t i = 0; i < c->ndescs; i++)
        qn_prof_put_desc(w, c->descs[i]);
    qn_prof_put_cmd(w, c->cmd ? c->cmd : "");
    qn_prof_put_events(w, (const char *const *)c->events, (int)c->nevents);
    qn_prof_table_write(c->table, w);
    if (c->tables.edge_count)
        qn_prof_put_calls(w, &c->tables);
}
