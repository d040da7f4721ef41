/*
 * Callgrind's files. See callgrind.h.
 *
 * In:  lines: headers, names, costs
 * Out: a table
 *
 * A name is `(7) name` when it comes first and `(7)` from then on; objects, files and functions are numbered apart, and
 * those of callees (cob=, cfi=, cfl=, cfn=) and jumps (jfi=, jfn=) share the numbers. A position is a number, `+N` or
 * `-N` from the last one, or `*`, the last one; the last is that of the line before, whether its costs are the code's own or
 * a call's.
 */
#include "prof/callgrind.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/read.h"
#include "text/digits.h"
#include "text/lines.h"

enum space { OBJECTS, FILES, FUNCTIONS, SPACES };

#define NUMBERS_MAX (1u << 24) /* of names in one space: guards memory against damaged files */
#define QUOTE_MAX 60           /* bytes of a line that a message quotes */
#define FIRST_ROOM 16

struct names {
    char **at; /* by number; NULL: not said yet */
    size_t room;
};

struct qn_prof_callgrind {
    struct qn_text_lines lines;
    struct qn_text_error *err;
    struct names names[SPACES];
    char *object, *file, *function; /* of the costs that come */
    char **descs, *cmd, *event_line, **events;
    size_t ndescs, descs_room, nevents, events_room;
    int has_instr, has_line; /* columns of a position */
    uint64_t instr, line;    /* the last position */
    int64_t *counts, *part;  /* of a line; of the part since its `events:` */
    int skips;               /* the next line belongs to a call or a jump */
    int version;             /* a line said so */
    struct qn_prof_table *table;
};

static int bad(const struct qn_prof_callgrind *c, const char *what, const char *got, const char *wanted)
{
    qn_text_fail(c->err, QN_TEXT_BAD, "%s:%ld: %s, got `%.*s`, wanted %s", c->lines.path, c->lines.number, what, QUOTE_MAX, got,
                 wanted);
    return -1;
}

static int no_memory(const struct qn_prof_callgrind *c)
{
    qn_text_fail_memory(c->err);
    return -1;
}

/* ---- names ---- */

/* Room for the name of this number. */
static int make_room(struct qn_prof_callgrind *c, struct names *n, size_t number)
{
    size_t room = n->room ? n->room : FIRST_ROOM;
    char **more;
    while (room <= number)
        room *= 2;
    if (room == n->room)
        return 0;
    if ((more = reallocarray(n->at, room, sizeof *more)) == NULL)
        return no_memory(c);
    memset(more + n->room, 0, (room - n->room) * sizeof *more);
    n->at = more;
    n->room = room;
    return 0;
}

static int remember(struct qn_prof_callgrind *c, struct names *n, size_t number, const char *name)
{
    char *copy = strdup(name);
    if (!copy || make_room(c, n, number) != 0) {
        free(copy);
        return no_memory(c);
    }
    free(n->at[number]);
    n->at[number] = copy;
    return 0;
}

/* "(7) name", "(7)" or "name"; *to, where it is not NULL, becomes a copy of the name. */
static int take_name(struct qn_prof_callgrind *c, enum space space, const char *text, char **to)
{
    struct names *n = &c->names[space];
    uint64_t number;
    const char *name = text, *end = text[0] == '(' ? qn_text_parse_digits(text + 1, UINT64_MAX, &number) : NULL;
    char *copy;
    if (end && *end == ')') {
        if (number > NUMBERS_MAX)
            return bad(c, "the number of a name is too large", text, "at most 2^24");
        name = end + 1 + (end[1] == ' ');
        if (*name && remember(c, n, number, name) != 0)
            return -1;
        if (number >= n->room || !n->at[number])
            return bad(c, "a number without its name", text, "`(NUMBER) NAME` before it");
        name = n->at[number];
    }
    if (!to)
        return 0;
    if ((copy = strdup(name)) == NULL)
        return no_memory(c);
    free(*to);
    *to = copy;
    return 0;
}

static const struct keyword {
    const char *text;
    enum space space;
    int elsewhere; /* of a callee or a jump: not where the costs belong */
} keywords[] = {
    {"fn=", FUNCTIONS, 0}, {"fl=", FILES, 0},  {"fi=", FILES, 0},  {"fe=", FILES, 0},    {"ob=", OBJECTS, 0},
    {"cfn=", FUNCTIONS, 1}, {"cfi=", FILES, 1}, {"cfl=", FILES, 1}, {"cob=", OBJECTS, 1},
    {"jfn=", FUNCTIONS, 1}, {"jfi=", FILES, 1}, {"jfl=", FILES, 1},
};

/* 1: it was a name; 0: it is none; -1. */
static int take_place(struct qn_prof_callgrind *c, const char *text)
{
    char **const current[] = {[OBJECTS] = &c->object, [FILES] = &c->file, [FUNCTIONS] = &c->function};
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        size_t n = strlen(keywords[i].text);
        if (strncmp(text, keywords[i].text, n) == 0)
            return take_name(c, keywords[i].space, text + n, keywords[i].elsewhere ? NULL : current[keywords[i].space]) ? -1 : 1;
    }
    return 0;
}

/* ---- costs ---- */

/* One column of a position. NULL: it is none. */
static const char *take_position(const char *p, uint64_t *last)
{
    char *end;
    int sign = *p == '+' ? 1 : *p == '-' ? -1 : 0;
    uint64_t value;
    if (*p == '*')
        return p + 1;
    p += sign != 0;
    if (!qn_text_is_digit(*p))
        return NULL;
    value = strtoull(p, &end, p[0] == '0' && p[1] == 'x' ? 16 : 10);
    *last = sign > 0 ? *last + value : sign < 0 ? *last - value : value;
    return *end == '\0' || *end == ' ' ? end : NULL;
}

static const char *take_positions(struct qn_prof_callgrind *c, const char *p)
{
    if (c->has_instr && (p = take_position(p, &c->instr)) != NULL)
        p += c->has_line && *p == ' ';
    return p && c->has_line ? take_position(p, &c->line) : p;
}

/* Counts up to the end of the line; those that are left out are 0. */
static int take_counts(struct qn_prof_callgrind *c, const char *p, const char *line)
{
    size_t n = 0;
    for (p += strspn(p, " "); *p; p += strspn(p, " "), n++) {
        if (n == c->nevents || (p = qn_text_parse_integer(p, &c->counts[n])) == NULL || (*p && *p != ' '))
            return bad(c, "malformed or too many costs", line, "at most as many 64-bit numbers as there are events");
    }
    memset(c->counts + n, 0, (c->nevents - n) * sizeof *c->counts);
    return 0;
}

static int take_costs(struct qn_prof_callgrind *c, const char *text)
{
    const char *p;
    uint32_t fn;
    if (!c->table)
        return bad(c, "costs before `events:`", text, "it first");
    if ((p = take_positions(c, text)) == NULL || (c->has_line && c->line > UINT32_MAX))
        return bad(c, "malformed position", text, "a position and costs");
    if (c->skips) {
        c->skips = 0;
        return 0;
    }
    if (!c->function)
        return bad(c, "costs outside a function", text, "`fn=` first");
    if (take_counts(c, p, text) != 0)
        return -1;
    if (qn_prof_add_counts(c->part, c->counts, (int)c->nevents) != 0)
        return bad(c, "sum out of range", text, "sums within 64 bits");
    if (qn_prof_table_enter_object(c->table, c->object) || (fn = qn_prof_table_fn(c->table, c->file, c->function)) == QN_PROF_NO_FN)
        return no_memory(c);
    return qn_prof_table_add_line(c->table, fn, (uint32_t)c->line, c->counts, c->err) == QN_TEXT_OK ? 0 : -1;
}

/* ---- headers ---- */

static int keep(struct qn_prof_callgrind *c, char ***list, size_t *n, size_t *room, const char *text, size_t length)
{
    char *copy = strndup(text, length);
    if (!copy || !QN_GROW(*list, *n, *room, FIRST_ROOM)) {
        free(copy);
        return no_memory(c);
    }
    (*list)[(*n)++] = copy;
    return 0;
}

static int split_events(struct qn_prof_callgrind *c, const char *text)
{
    for (const char *p = text + strspn(text, " "); *p; p += strspn(p, " ")) {
        size_t length = strcspn(p, " ");
        if (keep(c, &c->events, &c->nevents, &c->events_room, p, length) != 0)
            return -1;
        p += length;
    }
    if (c->nevents < 1 || c->nevents > QN_PROF_EVENTS_MAX)
        return bad(c, "no events, or too many", text, "their names");
    c->event_line = strdup(text);
    c->counts = calloc(c->nevents, sizeof *c->counts);
    c->part = calloc(c->nevents, sizeof *c->part);
    c->table = qn_prof_new_table((int)c->nevents);
    if (!c->event_line || !c->counts || !c->part || !c->table)
        return no_memory(c);
    qn_prof_table_want(c->table, QN_PROF_DETAIL_OBJECTS);
    return 0;
}

static int take_events(struct qn_prof_callgrind *c, const char *text)
{
    c->instr = c->line = 0;
    if (!c->table)
        return split_events(c, text);
    memset(c->part, 0, c->nevents * sizeof *c->part);
    return strcmp(text, c->event_line) == 0 ? 0 : bad(c, "another part has other events", text, "those of the first");
}

static int check_totals(struct qn_prof_callgrind *c, const char *text)
{
    if (!c->table)
        return bad(c, "`totals:` before `events:`", text, "it first");
    if (take_counts(c, text, text) != 0)
        return -1;
    if (memcmp(c->counts, c->part, c->nevents * sizeof *c->part) != 0)
        return bad(c, "costs do not add up to `totals:`", text, "their sum");
    return 0;
}

static int take_columns(struct qn_prof_callgrind *c, const char *text)
{
    c->has_instr = strstr(text, "instr") != NULL;
    c->has_line = strstr(text, "line") != NULL;
    return c->has_instr || c->has_line ? 0 : bad(c, "positions not known", text, "`line`, `instr` or `instr line`");
}

/* 1: the line was a header; 0: it is none; -1. */
static int take_header(struct qn_prof_callgrind *c, const char *text)
{
    static const char *const passed[] = {"creator:", "pid:", "part:", "thread:", "summary:", "event:"};
    if (strncmp(text, "version:", 8) == 0)
        return text[8 + strspn(text + 8, " ")] == '1' ? (c->version = 1) : bad(c, "another version", text, "version 1");
    if (strncmp(text, "events:", 7) == 0)
        return take_events(c, text + 7) ? -1 : 1;
    if (strncmp(text, "positions:", 10) == 0)
        return take_columns(c, text + 10) ? -1 : 1;
    if (strncmp(text, "totals:", 7) == 0)
        return check_totals(c, text + 7) ? -1 : 1;
    if (strncmp(text, "desc:", 5) == 0)
        return c->table ? 1 : keep(c, &c->descs, &c->ndescs, &c->descs_room, text + 5 + (text[5] == ' '), strlen(text)) ? -1 : 1;
    if (strncmp(text, "cmd:", 4) == 0)
        return c->cmd || (c->cmd = strdup(text + 4 + strspn(text + 4, " "))) != NULL ? 1 : no_memory(c);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        if (strncmp(text, passed[i], strlen(passed[i])) == 0)
            return 1;
    return 0;
}

/* ---- the file ---- */

static int begins_skip(const char *text)
{
    return strncmp(text, "calls=", 6) == 0 || strncmp(text, "jump=", 5) == 0 || strncmp(text, "jcnd=", 5) == 0;
}

static int take_line(struct qn_prof_callgrind *c, const char *text)
{
    int taken;
    if (text[0] == '\0' || text[0] == '#')
        return 0;
    if (qn_text_is_digit(text[0]) || strchr("+-*", text[0]))
        return take_costs(c, text);
    if (c->skips)
        return bad(c, "a call or jump without its line", text, "a position");
    if (begins_skip(text)) {
        c->skips = 1;
        return 0;
    }
    if ((taken = take_place(c, text)) == 0)
        taken = take_header(c, text);
    return taken > 0 ? 0 : taken < 0 ? -1 : bad(c, "malformed line", text, "a header, a name or costs");
}

static int read_lines(struct qn_prof_callgrind *c)
{
    char *text;
    size_t length;
    int got;
    while ((got = qn_text_next_line(&c->lines, &text, &length, c->err)) > 0) {
        if (strlen(text) != length)
            return bad(c, "malformed line", text, "text without NUL bytes");
        if (take_line(c, text) != 0)
            return -1;
        if (!c->version && c->table)
            return bad(c, "not Callgrind's format", text, "`version: 1` before `events:`");
    }
    if (got < 0)
        return -1;
    if (!c->table || c->skips)
        return bad(c, "cut short", "the end of the file", c->table ? "the line of a call" : "`version: 1` and `events:`");
    return 0;
}

struct qn_prof_callgrind *qn_prof_read_callgrind(const char *path, struct qn_text_error *err)
{
    struct qn_prof_callgrind *c = calloc(1, sizeof *c);
    int failed;
    if (!c) {
        qn_text_fail_memory(err);
        return NULL;
    }
    c->err = err;
    c->has_line = 1;
    c->lines.fd = -1;
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
    for (int s = 0; s < SPACES; s++)
        free_list(c->names[s].at, c->names[s].room);
    free_list(c->descs, c->ndescs);
    free_list(c->events, c->nevents);
    free(c->object);
    free(c->file);
    free(c->function);
    free(c->cmd);
    free(c->event_line);
    free(c->counts);
    free(c->part);
    qn_prof_free_table(c->table);
    free(c);
}

enum qn_text_status qn_prof_write_callgrind(struct qn_prof_callgrind *c, struct qn_prof_writer *w, struct qn_text_error *err)
{
    for (size_t i = 0; i < c->ndescs; i++)
        qn_prof_put_desc(w, c->descs[i]);
    qn_prof_put_cmd(w, c->cmd ? c->cmd : "");
    qn_prof_put_events(w, (const char *const *)c->events, (int)c->nevents);
    return qn_prof_table_write(c->table, w, err);
}
