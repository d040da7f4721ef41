/*
 * Callgrind's files. See callgrind.h.
 *
 * In:  lines: headers, names, costs
 * Out: a table, and tables of calls
 */
#include "prof/callgrind/callgrind.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/read.h"
#include "prof/tables/calls.h"
#include "text/digits.h"
#include "text/input.h"

enum qn_prof_callgrind_space { QN_PROF_CG_OBJECTS, QN_PROF_CG_FILES, QN_PROF_CG_FUNCTIONS, QN_PROF_CG_SPACES };

enum { QN_PROF_CG_FIRST_ROOM = 16 };

struct qn_prof_callgrind {
    struct qn_text_lines lines;
    struct qn_text_error *err;
    struct qn_prof_callgrind_names {
        char **at; /* by number; NULL: not named yet */
        size_t room;
    } names[QN_PROF_CG_SPACES];
    char *object, *file, *function; /* of the next costs */
    char *home;
    char *called_object, *called_file, *called; /* of the next call; NULL: the same as those above */
    int inner, called_inner; /* the function is Callgrind's "f'2": it was active already */
    char **descs, *cmd, *event_line, **events;
    size_t ndescs, descs_room, nevents, events_room;
    int has_instr, has_line; /* columns of a position */
    uint64_t instr, line;    /* the last position */
    int64_t *counts, *part;  /* of a line; of the part since its `events:` */
    int skips;               /* the next line belongs to a call or a jump */
    int is_call;             /* of these: a call */
    int64_t calls;           /* number of calls; 0: the call was made before this part of the run and is still active */
    struct qn_prof_table *table;
    struct qn_prof_calls tables; /* of calls */
};

/* One message with FILE:LINE; -1. */
#define QN_PROF_CG_QUOTE_MAX 60 /* bytes of a line that a message quotes */
static inline int qn_prof_callgrind_bad(const struct qn_prof_callgrind *c, const char *what, const char *got, const char *wanted)
{
    qn_text_fail(c->err, QN_TEXT_BAD, "%s:%ld: %s, got `%.*s`, wanted %s", c->lines.path, c->lines.number, what, QN_PROF_CG_QUOTE_MAX, got,
                 wanted);
    return -1;
}

static int callgrind_take_place(struct qn_prof_callgrind *c, const char *text);
static void callgrind_free_names(struct qn_prof_callgrind *c);
static int callgrind_take_counts(struct qn_prof_callgrind *c, const char *p, const char *line);
static int callgrind_take_costs(struct qn_prof_callgrind *c, const char *text);
static int callgrind_begin_call(struct qn_prof_callgrind *c, const char *text);

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
    if (callgrind_take_counts(c, text, text) != 0)
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
        return callgrind_take_costs(c, text);
    if (c->skips)
        return qn_prof_callgrind_bad(c, "a call or jump without its line", text, "a position");
    if ((taken = callgrind_begin_call(c, text)) != 0)
        return taken > 0 ? 0 : -1;
    if ((taken = callgrind_take_place(c, text)) == 0)
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
    callgrind_free_names(c);
    free_list(c->descs, c->ndescs);
    free_list(c->events, c->nevents);
    free(c->cmd);
    free(c->event_line);
    free(c->counts);
    free(c->part);
    qn_prof_free_table(c->table);
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

/* ---- names ----
 *
 * In:  fn=(7) main, then fn=(7)
 * Out: "main", twice
 *
 * A name is `(7) name` when it comes first and `(7)` from then on; objects, files and functions are numbered apart, and
 * those of callees (cob=, cfi=, cfl=, cfn=) and jumps (jfi=, jfn=) share the numbers. Callgrind calls a function that is called while it is
 * active `f'2` (--separate-recs): that is f.
 */

#define NUMBERS_MAX (1u << 24) /* of names in one space: guards memory against damaged files */

typedef struct qn_prof_callgrind file;

/* Room for the name of this number. */
static void make_room(struct qn_prof_callgrind_names *n, size_t number)
{
    for (size_t had = n->room; number >= n->room; had = n->room) {
        QN_MORE(n->at, n->room, n->room, QN_PROF_CG_FIRST_ROOM);
        memset(n->at + had, 0, (n->room - had) * sizeof *n->at);
    }
}

static void replace(char **to, const char *name)
{
    char *copy = QN_NEEDED(strdup(name));
    free(*to);
    *to = copy;
}

/* "(7) name", "(7)" or "name"; *to, where it is not NULL, becomes a copy of the name. */
static int take_name(file *c, enum qn_prof_callgrind_space space, const char *text, char **to)
{
    struct qn_prof_callgrind_names *n = &c->names[space];
    uint64_t number;
    const char *name, *end;
    text += strspn(text, " \t");
    name = text;
    end = text[0] == '(' ? qn_text_parse_digits(text + 1, UINT64_MAX, &number) : NULL;
    if (end && *end == ')') {
        if (number > NUMBERS_MAX)
            return qn_prof_callgrind_bad(c, "the number of a name is too large", text, "at most 2^24");
        name = end + 1 + strspn(end + 1, " \t");
        if (*name) {
            make_room(n, number);
            replace(&n->at[number], name);
        }
        if (number >= n->room || !n->at[number])
            return qn_prof_callgrind_bad(c, "a number without its name", text, "`(NUMBER) NAME` before it");
        name = n->at[number];
    }
    if (to)
        replace(to, name);
    return 0;
}

/* Takes "'2" off the name. 1: it was there. */
static int take_level(char *name)
{
    char *mark = strrchr(name, '\'');
    size_t digits = mark ? strspn(mark + 1, "0123456789") : 0;
    if (!digits || mark[1 + digits] || mark == name)
        return 0;
    *mark = '\0';
    return 1;
}

enum whose { OWN, HOME, CALLED, JUMP };

static const struct keyword {
    const char *text;
    enum qn_prof_callgrind_space space;
    enum whose whose;
} keywords[] = {
    {"fn=", QN_PROF_CG_FUNCTIONS, OWN}, {"fl=", QN_PROF_CG_FILES, HOME}, {"fi=", QN_PROF_CG_FILES, OWN},
    {"fe=", QN_PROF_CG_FILES, OWN}, {"ob=", QN_PROF_CG_OBJECTS, OWN},
    {"cfn=", QN_PROF_CG_FUNCTIONS, CALLED}, {"cfi=", QN_PROF_CG_FILES, CALLED}, {"cfl=", QN_PROF_CG_FILES, CALLED},
    {"cob=", QN_PROF_CG_OBJECTS, CALLED}, {"jfn=", QN_PROF_CG_FUNCTIONS, JUMP}, {"jfi=", QN_PROF_CG_FILES, JUMP},
    {"jfl=", QN_PROF_CG_FILES, JUMP},
};

static int take(file *c, const struct keyword *k, const char *text)
{
    char **const own[] = {&c->object, &c->file, &c->function}, **const called[] = {&c->called_object, &c->called_file, &c->called};
    char **to = k->whose == JUMP ? NULL : k->whose == CALLED ? called[k->space] : own[k->space];
    if (take_name(c, k->space, text, to) != 0)
        return -1;
    if (k->whose == HOME)
        replace(&c->home, c->file);
    if (to == &c->function)
        c->inner = take_level(*to);
    if (to == &c->called)
        c->called_inner = take_level(*to);
    return 1;
}

static int callgrind_take_place(file *c, const char *text)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        size_t n = strlen(keywords[i].text);
        if (strncmp(text, keywords[i].text, n) == 0)
            return take(c, &keywords[i], text + n);
    }
    return 0;
}

static void callgrind_free_names(file *c)
{
    for (int s = 0; s < QN_PROF_CG_SPACES; s++) {
        for (size_t i = 0; i < c->names[s].room; i++)
            free(c->names[s].at[i]);
        free(c->names[s].at);
    }
    free(c->object);
    free(c->file);
    free(c->home);
    free(c->function);
    free(c->called_object);
    free(c->called_file);
    free(c->called);
}

/* ---- costs and calls ----
 *
 * In:  "12 3 1"; "cfn=f", "calls=2 20", "+2 900 100"
 * Out: a row; an edge of two calls in line 14 with its inclusive cost
 *
 * A position is a number, `+N` or `-N` relative to the last position, or `*`, the last position; that is the one of the line before, be its
 * costs self cost or those of a call.
 *
 * The inclusive cost of a function is its self cost and that of its calls, without its recursive activations, which Callgrind names
 * `f'2`. (A file made with --separate-recs=1 has no such names: then only direct recursion is recognized.)
 */

typedef struct qn_prof_callgrind file;

static int ends(char c) { return c == '\0' || c == ' ' || c == '\t'; }

/* Digits, or 0x and hexadecimal digits. NULL: neither. */
static const char *take_number(const char *p, uint64_t *number)
{
    char *end;
    int hex = p[0] == '0' && (p[1] | 32) == 'x';
    if (!hex)
        return qn_text_parse_digits(p, UINT64_MAX, number);
    errno = 0;
    *number = strtoull(p + 2, &end, 16);
    return errno || !isxdigit((unsigned char)p[2]) ? NULL : end;
}

/* One column of a position. NULL: it is none. */
static const char *take_position(const char *p, uint64_t *last)
{
    int sign = *p == '+' ? 1 : *p == '-' ? -1 : 0;
    uint64_t value;
    if (*p == '*')
        return ends(p[1]) ? p + 1 : NULL;
    if ((p = take_number(p + (sign != 0), &value)) == NULL || !ends(*p))
        return NULL;
    *last = sign > 0 ? *last + value : sign < 0 ? *last - value : value;
    return p;
}

static const char *take_positions(file *c, const char *p)
{
    if (c->has_instr && (p = take_position(p, &c->instr)) != NULL)
        p += c->has_line ? strspn(p, " \t") : 0;
    return p && c->has_line ? take_position(p, &c->line) : p;
}

/* A cost: a number with or without a sign. `*` is 0: callgrind_annotate reads it so, where a position has more columns than `positions:` says. */
static const char *take_cost(const char *p, int64_t *cost)
{
    int negative = *p == '-';
    uint64_t value = 0;
    p = *p == '*' ? p + 1 : take_number(p + (negative || *p == '+'), &value);
    *cost = (int64_t)(negative ? -value : value);
    return p && ends(*p) && value <= INT64_MAX ? p : NULL;
}

static int callgrind_take_counts(file *c, const char *p, const char *line)
{
    size_t n = 0;
    for (p += strspn(p, " \t"); *p; p += strspn(p, " \t"), n++) {
        if (n == c->nevents || (p = take_cost(p, &c->counts[n])) == NULL)
            return qn_prof_callgrind_bad(c, "malformed or too many costs", line, "at most as many 64-bit numbers as there are events");
    }
    memset(c->counts + n, 0, (c->nevents - n) * sizeof *c->counts);
    return 0;
}

/* Callgrind's ??? and "" are no object. */
static const char *object_of(const char *name) { return name && *name && strcmp(name, QN_PROF_NOT_KNOWN) != 0 ? name : NULL; }

static const char *file_of(const char *name) { return name && *name ? name : QN_PROF_NOT_KNOWN; }

static uint32_t own_fn(file *c)
{
    return qn_prof_call_fn_of(&c->tables, object_of(c->object), file_of(c->home), c->function);
}

static int too_large(const file *c, const char *text) { return qn_prof_callgrind_bad(c, "sum out of range", text, "sums within 64 bits"); }

/* The line behind calls=: the call's line, and its inclusive cost. */
static int add_call(file *c, const char *text)
{
    const char *object = c->called_object ? c->called_object : c->object, *from = c->called_file ? c->called_file : c->file;
    uint32_t caller = own_fn(c), callee = qn_prof_call_fn_of(&c->tables, object_of(object), file_of(from), c->called);
    uint32_t edge = qn_prof_call_edge_of(&c->tables, caller, file_of(c->file), (uint32_t)c->line, callee);
    int events = (int)c->nevents, same;
    same = caller == callee && c->inner == c->called_inner;
    if (qn_prof_add_counts(qn_prof_edge_counts(&c->tables, edge), c->counts, events) != 0
        || __builtin_add_overflow(c->tables.edges[edge].calls, c->calls, &c->tables.edges[edge].calls)
        || __builtin_add_overflow(c->tables.fns[callee].called, c->calls, &c->tables.fns[callee].called)
        || (!c->inner && !same && qn_prof_add_counts(qn_prof_inclusive(&c->tables, caller), c->counts, events) != 0))
        return too_large(c, text);
    return 0;
}

static int finish_call(file *c, const char *p, const char *text)
{
    int failed = 0;
    c->skips = 0;
    if (c->is_call)
        failed = callgrind_take_counts(c, p, text) != 0 || add_call(c, text) != 0;
    free(c->called_object);
    free(c->called_file);
    free(c->called);
    c->called_object = c->called_file = c->called = NULL;
    return failed ? -1 : 0;
}

static int add_cost(file *c, const char *text)
{
    uint32_t fn = own_fn(c);
    if (!c->inner && qn_prof_add_counts(qn_prof_inclusive(&c->tables, fn), c->counts, (int)c->nevents) != 0)
        return too_large(c, text);
    qn_prof_table_enter_object(c->table, c->object);
    fn = qn_prof_table_fn(c->table, c->file, c->function);
    return qn_prof_table_add_line(c->table, fn, (uint32_t)c->line, c->counts, c->err) == QN_TEXT_OK ? 0 : -1;
}

static int callgrind_take_costs(file *c, const char *text)
{
    const char *p;
    if (!c->table)
        return qn_prof_callgrind_bad(c, "costs before `events:`", text, "it first");
    if ((p = take_positions(c, text)) == NULL || (c->has_line && c->line > UINT32_MAX))
        return qn_prof_callgrind_bad(c, "malformed position", text, "a position and costs");
    if (c->skips && !c->is_call)
        return finish_call(c, p, text);
    if (!c->function)
        return qn_prof_callgrind_bad(c, "costs outside a function", text, "`fn=` first");
    if (c->skips)
        return finish_call(c, p, text);
    if (callgrind_take_counts(c, p, text) != 0)
        return -1;
    if (qn_prof_add_counts(c->part, c->counts, (int)c->nevents) != 0)
        return too_large(c, text);
    return add_cost(c, text);
}

static int callgrind_begin_call(file *c, const char *text)
{
    const char *end;
    uint64_t n;
    int is_call = strncmp(text, "calls=", 6) == 0;
    if (!is_call && strncmp(text, "jump=", 5) != 0 && strncmp(text, "jcnd=", 5) != 0)
        return 0;
    c->skips = 1;
    c->is_call = is_call;
    if (!is_call)
        return 1;
    end = take_number(text + 6 + strspn(text + 6, " \t"), &n);
    if (!end || !ends(*end) || n > INT64_MAX)
        return qn_prof_callgrind_bad(c, "malformed number of calls", text, "`calls=COUNT TARGET`");
    if (!c->called)
        return qn_prof_callgrind_bad(c, "a call of nothing", text, "`cfn=` before it");
    c->calls = (int64_t)n;
    return 1;
}
