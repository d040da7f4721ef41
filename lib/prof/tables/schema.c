/*
 * The tables of a profile, calls and data: their rows, how these stand in a file, and how they are made. See records.h, calls.h, data.h.
 */
#define _GNU_SOURCE
#include "prof/tables/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/read.h"
#include "prof/tables/calls.h"
#include "prof/tables/data.h"

#define COLUMN(is, record, field, ...) { .type = QN_COLUMN_##is, .at = offsetof(struct record, field), __VA_ARGS__ }
#define LIST(set, record, list, one, ...)                                                                            \
    { .size = sizeof(struct record), .rows = offsetof(struct set, list), .count = offsetof(struct set, one##_count), \
      .room = offsetof(struct set, one##_room), __VA_ARGS__ }

/* ---- calls ---- */

void qn_prof_begin_calls(struct qn_prof_calls *c, const char *const *events, size_t count)
{
    c->events = QN_NEEDED(calloc(count + 1, sizeof *c->events));
    for (size_t i = 0; i < count; i++)
        c->events[i] = qn_prof_keep_text(&qn_prof_calls_schema, c, events[i], strlen(events[i]));
    c->event_count = count;
}

static const char *call_event(const void *set, size_t i)
{
    const struct qn_prof_calls *c = set;
    return i < c->event_count ? c->events[i] : NULL;
}

static int take_call_events(void *set, char *text, const char **what, const char **wanted)
{
    char *save, *names[QN_PROF_EVENTS_MAX];
    size_t n = 0;
    *what = "`#call-events:` again";
    *wanted = "it once";
    if (((const struct qn_prof_calls *)set)->event_count)
        return -1;
    *what = "no events of calls, or too many";
    *wanted = "the names of at most 1024";
    for (char *name = strtok_r(text, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        if (n == QN_PROF_EVENTS_MAX)
            return -1;
        names[n++] = name;
    }
    if (n)
        qn_prof_begin_calls(set, (const char *const *)names, n);
    return n ? 0 : -1;
}

/* The file of a call is that of the caller. */
static const char *usual_of_call(const void *set, int list, const void *record)
{
    return list == QN_PROF_CALL_EDGES ? ((const struct qn_prof_calls *)set)->fns[((const struct qn_prof_call_edge *)record)->caller].file : NULL;
}

static int join_calls(void *set, const void *added, int sign)
{
    struct qn_prof_calls *to = set;
    const struct qn_prof_calls *from = added;
    int same = to->event_count == from->event_count;
    (void)sign;
    if (!to->event_count)
        return qn_prof_begin_calls(to, from->events, from->event_count), 0;
    for (size_t i = 0; i < to->event_count && same; i++)
        same = strcmp(to->events[i], from->events[i]) == 0;
    return same ? 0 : -1;
}

enum { OB, FN, INCLUSIVE, CALL_FILE, EDGE };

static const struct qn_prof_line call_lines[] = {
    [OB] = {.key = "ob", .list = QN_PROF_TEXT_ONLY},
    [FN] = {.key = "fn", .list = QN_PROF_CALL_FNS, .what = "malformed function", .wanted = "FILE, a tab, NAME",
            .columns = {COLUMN(BEFORE, qn_prof_call_fn, object, .of = OB), COLUMN(BEFORE_TAB, qn_prof_call_fn, file, .naming = QN_PROF_FILE_NAME),
                        COLUMN(TEXT, qn_prof_call_fn, name, .naming = QN_PROF_FUNCTION_NAME)}},
    [INCLUSIVE] = {.key = "inclusive", .list = QN_PROF_CALL_FNS, .more = true, .what = "malformed inclusive cost", .wanted = "CALLED COUNTS",
                   .alone = "an inclusive cost of no function", .alone_wanted = "`#fn:` before it", .missing = "a function without its inclusive cost",
                   .columns = {COLUMN(SUM, qn_prof_call_fn, called, .of = 0), {.type = QN_COLUMN_COUNTS}}},
    [CALL_FILE] = {.key = "call-file", .list = QN_PROF_TEXT_ONLY, .columns = {{.naming = QN_PROF_FILE_NAME}}},
    [EDGE] = {.key = "edge", .list = QN_PROF_CALL_EDGES, .what = "malformed edge", .wanted = "CALLER LINE CALLEE CALLS COUNTS, functions by number",
              .columns = {COLUMN(BEFORE, qn_prof_call_edge, file, .of = CALL_FILE, .naming = QN_PROF_FILE_NAME),
                          COLUMN(ROW, qn_prof_call_edge, caller, .of = QN_PROF_CALL_FNS), COLUMN(NUMBER, qn_prof_call_edge, line, .of = 0),
                          COLUMN(ROW, qn_prof_call_edge, callee, .of = QN_PROF_CALL_FNS), COLUMN(SUM, qn_prof_call_edge, calls, .of = 0),
                          {.type = QN_COLUMN_COUNTS}}},
    {.key = "node", .list = QN_PROF_CALL_NODES, .what = "malformed node", .wanted = "PARENT FUNCTION CALLS COUNTS, the parent before it",
     .columns = {COLUMN(ROW_OR_MINUS, qn_prof_call_node, parent, .of = QN_PROF_CALL_NODES),
                 COLUMN(ROW, qn_prof_call_node, function, .of = QN_PROF_CALL_FNS), COLUMN(SUM, qn_prof_call_node, calls, .of = 0),
                 {.type = QN_COLUMN_COUNTS}}},
    {.key = "calls-lost", .list = QN_PROF_CALLS_LOST, .what = "malformed number of what was lost", .wanted = "WHAT N",
     .columns = {COLUMN(WORDS, qn_prof_call_lost, what, .of = 0), COLUMN(SUM, qn_prof_call_lost, count, .of = 0)}},
    {0},
};

const struct qn_prof_schema qn_prof_calls_schema = {
    .name = "calls", .events_key = "call-events", .head_what = "malformed head of the calls", .head_wanted = "`#calls: FUNCTIONS EDGES NODES`",
    .lists = {[QN_PROF_CALL_FNS] = LIST(qn_prof_calls, qn_prof_call_fn, fns, fn, .counts = offsetof(struct qn_prof_calls, inclusive), .rows_name = "functions"),
              [QN_PROF_CALL_EDGES] = LIST(qn_prof_calls, qn_prof_call_edge, edges, edge, .counts = offsetof(struct qn_prof_calls, edge_counts), .rows_name = "edges"),
              [QN_PROF_CALL_NODES] = LIST(qn_prof_calls, qn_prof_call_node, nodes, node, .counts = offsetof(struct qn_prof_calls, node_counts), .rows_name = "nodes"),
              [QN_PROF_CALLS_LOST] = LIST(qn_prof_calls, qn_prof_call_lost, lost, lost, )},
    .lines = call_lines, .counted = {QN_PROF_CALL_FNS, QN_PROF_CALL_EDGES, QN_PROF_CALL_NODES, QN_PROF_SET},
    .needs_events = true, .of_whole_run = true,
    .names = offsetof(struct qn_prof_calls, names), .index = offsetof(struct qn_prof_calls, index),
    .event = call_event, .usual = usual_of_call, .take_events = take_call_events, .join = join_calls,
};

static const char *keep(struct qn_prof_calls *c, const char *text) { return qn_prof_keep_text(&qn_prof_calls_schema, c, text, text ? strlen(text) : 0); }

uint32_t qn_prof_call_fn_of(struct qn_prof_calls *c, const char *object, const char *file, const char *name)
{
    return qn_prof_find_record(&qn_prof_calls_schema, c, QN_PROF_CALL_FNS, &(struct qn_prof_call_fn){keep(c, object), keep(c, file), keep(c, name), 0});
}

uint32_t qn_prof_call_edge_of(struct qn_prof_calls *c, uint32_t caller, const char *file, uint32_t line, uint32_t callee)
{
    return qn_prof_find_record(&qn_prof_calls_schema, c, QN_PROF_CALL_EDGES, &(struct qn_prof_call_edge){caller, callee, line, file ? keep(c, file) : c->fns[caller].file, 0});
}

uint32_t qn_prof_call_node_of(struct qn_prof_calls *c, uint32_t parent, uint32_t function)
{
    return qn_prof_find_record(&qn_prof_calls_schema, c, QN_PROF_CALL_NODES, &(struct qn_prof_call_node){parent, function, 0});
}

void qn_prof_add_call_lost(struct qn_prof_calls *c, const char *what, int64_t count)
{
    qn_prof_add_record(&qn_prof_calls_schema, c, QN_PROF_CALLS_LOST, &(struct qn_prof_call_lost){keep(c, what), count});
}

const char *qn_prof_call_name(const struct qn_prof_call_fn *f, char *room, size_t size)
{
    if (!f->object || strcmp(f->name, QN_PROF_NOT_KNOWN) != 0)
        return f->name;
    snprintf(room, size, QN_PROF_NOT_KNOWN " in %s", basename(f->object));
    return room;
}

void qn_prof_free_calls(struct qn_prof_calls *c)
{
    qn_prof_free_records(&qn_prof_calls_schema, c);
    free(c->events);
    *c = (struct qn_prof_calls){0};
}

void qn_prof_put_calls(struct qn_prof_writer *w, const struct qn_prof_calls *c)
{
    if (c->fn_count)
        qn_prof_put_records(w, &qn_prof_calls_schema, c);
}

/* ---- data ---- */

const char *const qn_prof_data_events[QN_PROF_DATA_EVENTS] = {"D1mr", "D1mw", "DLmr", "DLmw", "compulsory", "capacity", "conflict", "filled", "used"};
const char *const qn_prof_data_profile_events[QN_PROF_DATA_EVENTS] = {"D1mr", "D1mw", "DLmr", "DLmw", "AN.compulsory", "AN.capacity", "AN.conflict", "D1.filled", "D1.used"};

static const char *data_event(const void *set, size_t i)
{
    return i == QN_PROF_DATA_EVENTS ? NULL : qn_prof_data_has(set, (int)i) ? qn_prof_data_events[i] : "";
}

/* Those of misses, then the classes, or the bytes used, or both groups. */
static int take_data_events(void *set, char *text, const char **what, const char **wanted)
{
    struct qn_prof_data *d = set;
    const char *at = text;
    *wanted = NULL;
    *what = "events of data behind rows of them";
    if (d->miss_count)
        return -1;
    *what = "unknown events of data";
    d->classes = strstr(text, qn_prof_data_events[QN_PROF_COMPULSORY]) != NULL;
    d->use = strstr(text, qn_prof_data_events[QN_PROF_FILLED]) != NULL;
    for (int i = 0; i < QN_PROF_DATA_EVENTS; i++) {
        const char *name = data_event(d, (size_t)i);
        size_t n = strlen(name);
        if (n && ((i && *at++ != ' ') || strncmp(at, name, n) != 0))
            return -1;
        at += n;
    }
    return *at ? -1 : 0;
}

static int join_data(void *set, const void *added, int sign)
{
    struct qn_prof_data *to = set;
    const struct qn_prof_data *from = added;
    if (from->use)
        to->line = !to->use || to->line == from->line ? from->line : 0;
    to->classes |= from->classes;
    to->use |= from->use;
    for (int k = 0; k < 2; k++)
        to->lost[k] += sign * from->lost[k];
    return 0;
}

enum { FILE_NAME, FUNCTION_NAME };

#define OBJECT(field) COLUMN(ROW, field, object, .of = QN_PROF_OBJECTS)
#define EVENT(n) { .type = QN_COLUMN_EVENT, .at = offsetof(struct qn_prof_miss, counts[n]), .of = n }

static const char of_no_object[] = "a part of no object";

static const struct qn_prof_line data_lines[] = {
    [FILE_NAME] = {.key = "file", .list = QN_PROF_TEXT_ONLY, .columns = {{.naming = QN_PROF_FILE_NAME}}},
    [FUNCTION_NAME] = {.key = "function", .list = QN_PROF_TEXT_ONLY},
    {.key = "line", .list = QN_PROF_SET, .more = true, .what = "malformed size of a line", .columns = {COLUMN(EVENT, qn_prof_data, line, .of = QN_PROF_FILLED)}},
    {.key = "lost", .list = QN_PROF_SET, .more = true, .what = "malformed number of misses",
     .columns = {COLUMN(SUM, qn_prof_data, lost[0], .of = 0), COLUMN(SUM, qn_prof_data, lost[1], .of = 0)}},
    {.key = "object", .list = QN_PROF_OBJECTS, .what = "malformed object",
     .columns = {COLUMN(WORD, qn_prof_object, kind, .of = 0), COLUMN(MOST, qn_prof_object, size, .of = 0), COLUMN(SUM, qn_prof_object, blocks, .of = 0),
                 COLUMN(SUM, qn_prof_object, bytes, .of = 0), COLUMN(TEXT, qn_prof_object, name, .of = 0)}},
    {.key = "from", .list = QN_PROF_OBJECTS, .more = true, .what = "malformed place", .alone = of_no_object,
     .columns = {COLUMN(NUMBER, qn_prof_object, line, .of = 0), COLUMN(TEXT, qn_prof_object, file, .naming = QN_PROF_FILE_NAME)}},
    {.key = "in", .list = QN_PROF_OBJECTS, .more = true, .what = "malformed function", .alone = of_no_object,
     .columns = {COLUMN(TEXT, qn_prof_object, function, .naming = QN_PROF_FUNCTION_NAME)}},
    {.key = "type", .list = QN_PROF_OBJECTS, .more = true, .what = "malformed type", .alone = of_no_object,
     .columns = {COLUMN(FIRST, qn_prof_object, type_size, .of = 0), COLUMN(TEXT, qn_prof_object, type, .of = 0)}},
    {.key = "member", .list = QN_PROF_MEMBERS, .what = "malformed member", .alone = of_no_object,
     .columns = {COLUMN(OWNER, qn_prof_member, object, .of = QN_PROF_OBJECTS), COLUMN(FIRST, qn_prof_member, offset, .of = 0),
                 COLUMN(FIRST, qn_prof_member, size, .of = 0), COLUMN(TEXT, qn_prof_member, name, .of = 0)}},
    {.key = "part", .list = QN_PROF_PARTS, .what = "malformed part", .alone = of_no_object,
     .columns = {COLUMN(OWNER, qn_prof_part, object, .of = QN_PROF_OBJECTS), COLUMN(TEXT, qn_prof_part, name, .of = 1)}},
    {.key = "pair", .list = QN_PROF_PAIRS, .what = "malformed pair of objects",
     .columns = {OBJECT(qn_prof_pair), COLUMN(ROW, qn_prof_pair, by, .of = QN_PROF_OBJECTS), COLUMN(SUM, qn_prof_pair, misses, .of = 0),
                 COLUMN(SUM, qn_prof_pair, conflicts, .of = 0)}},
    {.key = "use", .list = QN_PROF_USES, .what = "malformed row of bytes used",
     .columns = {OBJECT(qn_prof_use), COLUMN(ROW, qn_prof_use, part, .of = QN_PROF_PARTS), COLUMN(SUM, qn_prof_use, filled, .of = 0),
                 COLUMN(SUM, qn_prof_use, used, .of = 0)}},
    {.key = "miss", .list = QN_PROF_MISSES, .what = "malformed row of misses",
     .columns = {COLUMN(NEEDED_BEFORE, qn_prof_miss, file, .of = FILE_NAME, .naming = QN_PROF_FILE_NAME),
                 COLUMN(NEEDED_BEFORE, qn_prof_miss, function, .of = FUNCTION_NAME, .naming = QN_PROF_FUNCTION_NAME),
                 COLUMN(NUMBER, qn_prof_miss, line, .of = 0), OBJECT(qn_prof_miss), COLUMN(ROW_OR_DASH, qn_prof_miss, part, .of = QN_PROF_PARTS),
                 EVENT(QN_PROF_D1MR), EVENT(QN_PROF_D1MW), EVENT(QN_PROF_DLMR), EVENT(QN_PROF_DLMW), EVENT(QN_PROF_COMPULSORY),
                 EVENT(QN_PROF_CAPACITY), EVENT(QN_PROF_CONFLICT), EVENT(QN_PROF_FILLED), EVENT(QN_PROF_USED)}},
    {0},
};

const struct qn_prof_schema qn_prof_data_schema = {
    .name = "data", .events_key = "data-events", .head_what = "malformed head of the data tables",
    .lists = {[QN_PROF_OBJECTS] = LIST(qn_prof_data, qn_prof_object, objects, object, .rows_name = "objects"),
              [QN_PROF_MEMBERS] = LIST(qn_prof_data, qn_prof_member, members, member, ),
              [QN_PROF_PARTS] = LIST(qn_prof_data, qn_prof_part, parts, part, ),
              [QN_PROF_PAIRS] = LIST(qn_prof_data, qn_prof_pair, pairs, pair, ),
              [QN_PROF_USES] = LIST(qn_prof_data, qn_prof_use, uses, use, ),
              [QN_PROF_MISSES] = LIST(qn_prof_data, qn_prof_miss, misses, miss, .rows_name = "rows")},
    .lines = data_lines, .counted = {QN_PROF_OBJECTS, QN_PROF_MISSES, QN_PROF_SET},
    .names = offsetof(struct qn_prof_data, names), .index = offsetof(struct qn_prof_data, index), .all = offsetof(struct qn_prof_data, all),
    .event = data_event, .take_events = take_data_events, .join = join_data,
};

void qn_prof_describe_object(const struct qn_prof_object *o, char *text, size_t size)
{
    char place[200] = "", type[200] = "";
    if (o->file && o->line)
        snprintf(place, sizeof place, "%.150s:%u", basename(o->file), o->line);
    if (o->type)
        snprintf(type, sizeof type, ", %.150s%s", o->type, strlen(o->type) > 150 ? "..." : "");
    if (strcmp(o->kind, "symbol") == 0)
        snprintf(text, size, "%s (global%s%s%s)", o->name, place[0] ? ", " : "", place, type);
    else if (strcmp(o->kind, "local") == 0)
        snprintf(text, size, "%s (stack of %s%s%s%s)", o->name, o->function ? o->function : "???", place[0] ? ", " : "", place, type);
    else if (strcmp(o->kind, "heap") == 0)
        snprintf(text, size, "%s in %s%s%s%s%s", o->name, o->function ? o->function : "???", place[0] ? " (" : "", place, place[0] ? ")" : "", type);
    else
        snprintf(text, size, "%s", o->name);
}

void qn_prof_free_data(struct qn_prof_data *d)
{
    qn_prof_free_records(&qn_prof_data_schema, d);
    *d = (struct qn_prof_data){0};
}

void qn_prof_put_data(struct qn_prof_writer *w, struct qn_prof_data *d)
{
    bool *has_misses = QN_NEEDED(calloc(d->object_count + 1, sizeof *has_misses));
    for (size_t i = 0; i < d->miss_count; i++)
        has_misses[d->misses[i].object] = true;
    qn_prof_keep_records(&qn_prof_data_schema, d, QN_PROF_OBJECTS, has_misses);
    if (d->miss_count)
        qn_prof_put_records(w, &qn_prof_data_schema, d);
    free(has_misses);
}

const struct qn_prof_schema *const qn_prof_schemas[QN_PROF_SCHEMAS + 1] = { &qn_prof_calls_schema, &qn_prof_data_schema, NULL };
