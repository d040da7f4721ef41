/*
 * Reads the tables of calls behind a profile's summary. See calls.h.
 *
 * In:  the lines behind "#calls: 2 1 0"
 * Out: two functions, one edge
 */
#define _GNU_SOURCE
#include "prof/calls/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/kind.h"
#include "prof/read.h"
#include "prof/table/functions.h"
#include "prof/table/table.h"
#include "prof/write.h"
#include "text/digits.h"
#include "text/input.h"
#include "text/names.h"
#include "text/source.h"

/* ---- the index of tables of calls ---- */

static int same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static uint32_t hash_text(const char *text) { return text ? qn_text_hash_bytes(text, strlen(text)) : 0; }

uint32_t qn_prof_call_fn_of(struct qn_prof_call_index *x, const char *object, const char *file, const char *name)
{
    uint32_t at, hash = qn_text_hash_pair(qn_text_hash_pair(hash_text(object), hash_text(file)), hash_text(name));
    for (uint32_t id = qn_text_hash_first(&x->fns, hash, &at); id != QN_TEXT_NO_ID; id = qn_text_hash_next(&x->fns, hash, &at)) {
        const struct qn_prof_call_fn *f = &x->calls->fns[id];
        if (same(f->object, object) && same(f->file, file) && same(f->name, name))
            return id;
    }
    qn_text_hash_insert(&x->fns, hash); /* which gives the same number */
    return qn_prof_add_call_fn(x->calls, object, file, name);
}

uint32_t qn_prof_call_edge_of(struct qn_prof_call_index *x, uint32_t caller, const char *file, uint32_t line, uint32_t callee)
{
    file = same(file, x->calls->fns[caller].file) ? NULL : file;
    uint32_t at, hash = qn_text_hash_pair(qn_text_hash_pair(caller, callee), qn_text_hash_pair(line, hash_text(file)));
    for (uint32_t id = qn_text_hash_first(&x->edges, hash, &at); id != QN_TEXT_NO_ID; id = qn_text_hash_next(&x->edges, hash, &at)) {
        const struct qn_prof_call_edge *e = &x->calls->edges[id];
        if (e->caller == caller && e->callee == callee && e->line == line && same(e->file, file))
            return id;
    }
    qn_text_hash_insert(&x->edges, hash);
    return qn_prof_add_call_edge(x->calls, caller, file, line, callee);
}

uint32_t qn_prof_call_node_of(struct qn_prof_call_index *x, uint32_t parent, uint32_t function)
{
    uint32_t at, hash = qn_text_hash_pair(parent, function);
    for (uint32_t id = qn_text_hash_first(&x->nodes, hash, &at); id != QN_TEXT_NO_ID; id = qn_text_hash_next(&x->nodes, hash, &at))
        if (x->calls->nodes[id].parent == parent && x->calls->nodes[id].function == function)
            return id;
    qn_text_hash_insert(&x->nodes, hash);
    return qn_prof_add_call_node(x->calls, parent, function);
}

void qn_prof_free_call_index(struct qn_prof_call_index *x)
{
    qn_text_hash_free(&x->fns);
    qn_text_hash_free(&x->edges);
    qn_text_hash_free(&x->nodes);
}

struct reading {
    struct qn_prof_calls *calls;
    struct qn_text_lines lines;
    struct qn_text_error *err;
    const char *path;
    char *object, *file;   /* of the next functions, of the next edges; NULL: none was named */
    int64_t promised[3];   /* numbers of functions, edges, nodes that `#calls:` announces */
    int inclusive_is_due;  /* the last line named a function */
};

static int bad(const struct reading *r, const char *what, const char *got, const char *wanted)
{
    qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: %s, got `%.*s`, wanted %s", r->path, r->lines.number, what, QN_PROF_QUOTE_MAX, got, wanted);
    return -1;
}

/* Reads `count` numbers with a blank between each two; returns where they end, NULL if they are malformed. */
static const char *take_numbers(const char *text, int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i && *text++ != ' ')
            return NULL;
        text = qn_text_parse_integer(text, &numbers[i]);
        if (!text)
            return NULL;
    }
    return text;
}

/* The counts that end a line, one for each event. */
static int take_counts(const struct reading *r, const char *text, int64_t *counts, const char *line)
{
    size_t n = r->calls->event_count;
    const char *end = *text == ' ' ? take_numbers(text + 1, counts, n) : NULL;
    return end && !*end ? 0 : bad(r, "malformed counts", line, "a number for each of `#call-events:`");
}

/* Copies the text; NULL: none. */
static int take_text(char **to, const char *text)
{
    free(*to);
    *to = text ? QN_NEEDED(strdup(text)) : NULL;
    return 0;
}

/* ---- lines ---- */

static int take_events(struct reading *r, char *text)
{
    char *save, *names[QN_PROF_EVENTS_MAX];
    size_t n = 0;
    if (r->calls->event_count)
        return bad(r, "`#call-events:` again", text, "it once");
    for (char *name = strtok_r(text, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        if (n == QN_PROF_EVENTS_MAX)
            return bad(r, "too many events", name, "at most 1024");
        names[n++] = name;
    }
    if (!n)
        return bad(r, "no events of calls", text, "their names");
    qn_prof_begin_calls(r->calls, (const char *const *)names, n);
    return 0;
}

/* "FILE<TAB>NAME" */
static int take_fn(struct reading *r, char *text)
{
    char *tab = strchr(text, '\t');
    size_t length;
    if (!tab || tab == text || !tab[1])
        return bad(r, "malformed function", text, "FILE, a tab, NAME");
    *tab = '\0';
    r->inclusive_is_due = 1;
    length = (size_t)(tab - text);
    qn_prof_add_call_fn(r->calls, r->object, qn_text_map_source(text, &length), tab + 1);
    return 0;
}

/* "CALLED COUNTS..." */
static int take_inclusive(struct reading *r, char *text)
{
    struct qn_prof_calls *c = r->calls;
    const char *end;
    if (!r->inclusive_is_due)
        return bad(r, "an inclusive cost of no function", text, "`#fn:` before it");
    r->inclusive_is_due = 0;
    end = take_numbers(text, &c->fns[c->fn_count - 1].called, 1);
    return end ? take_counts(r, end, qn_prof_inclusive(c, c->fn_count - 1), text) : bad(r, "malformed inclusive cost", text, "CALLED COUNTS");
}

/* "CALLER LINE CALLEE CALLS COUNTS..." */
static int take_edge(struct reading *r, char *text)
{
    struct qn_prof_calls *c = r->calls;
    int64_t n[4];
    uint32_t edge;
    const char *end = take_numbers(text, n, 4);
    if (!end || n[0] < 0 || n[0] >= (int64_t)c->fn_count || n[1] < 0 || n[1] > UINT32_MAX || n[2] < 0 || n[2] >= (int64_t)c->fn_count)
        return bad(r, "malformed edge", text, "CALLER LINE CALLEE CALLS COUNTS, functions by number");
    edge = qn_prof_add_call_edge(c, (uint32_t)n[0], r->file, (uint32_t)n[1], (uint32_t)n[2]);
    c->edges[edge].calls = n[3];
    return take_counts(r, end, qn_prof_edge_counts(c, edge), text);
}

/* "PARENT FUNCTION CALLS COUNTS..." */
static int take_node(struct reading *r, char *text)
{
    struct qn_prof_calls *c = r->calls;
    int64_t n[3];
    uint32_t node;
    const char *end = take_numbers(text, n, 3);
    if (!end || n[0] < -1 || n[0] >= (int64_t)c->node_count || n[1] < 0 || n[1] >= (int64_t)c->fn_count)
        return bad(r, "malformed node", text, "PARENT FUNCTION CALLS COUNTS, the parent before it");
    node = qn_prof_add_call_node(c, n[0] < 0 ? QN_PROF_NO_NODE : (uint32_t)n[0], (uint32_t)n[1]);
    c->nodes[node].calls = n[2];
    return take_counts(r, end, qn_prof_node_counts(c, node), text);
}

/* "WHAT N" */
static int take_lost(struct reading *r, char *text)
{
    char *blank = strrchr(text, ' ');
    int64_t n;
    const char *end = blank && blank > text ? take_numbers(blank + 1, &n, 1) : NULL;
    if (!end || *end)
        return bad(r, "malformed number of what was lost", text, "WHAT N");
    *blank = '\0';
    qn_prof_add_call_lost(r->calls, text, n);
    return 0;
}

static int take_object(struct reading *r, char *text) { return take_text(&r->object, strcmp(text, QN_PROF_NOT_KNOWN) ? text : NULL); }

static int take_file(struct reading *r, char *text)
{
    size_t length = strlen(text);
    return take_text(&r->file, qn_text_map_source(text, &length));
}

static const struct keyword {
    const char *text;
    int (*take)(struct reading *r, char *text);
} keywords[] = {
    {"call-events: ", take_events}, {"ob: ", take_object}, {"fn: ", take_fn},     {"inclusive: ", take_inclusive},
    {"edge: ", take_edge},          {"node: ", take_node}, {"call-file: ", take_file}, {"calls-lost: ", take_lost},
};

/* Takes one line of the tables, without its "#". 1: the tables have ended before it. */
static int take_line(struct reading *r, char *text)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        const struct keyword *k = &keywords[i];
        size_t n = strlen(k->text);
        if (strncmp(text, k->text, n) != 0)
            continue;
        if (i && !r->calls->event_count)
            return bad(r, "calls without their events", text, "`#call-events:` first");
        if (r->inclusive_is_due && k->take != take_inclusive)
            return bad(r, "a function without its inclusive cost", text, "`#inclusive:` behind `#fn:`");
        return k->take(r, text + n);
    }
    return 1;
}

/* ---- the file ---- */

/* Reads up to and with "#calls: FUNCTIONS EDGES NODES". 0: there is no such line. */
static int find_tables(struct reading *r)
{
    static const char head[] = "#calls: ";
    char *text;
    size_t length;
    int got;
    while ((got = qn_text_next_line(&r->lines, &text, &length, r->err)) > 0) {
        const char *end;
        if (strncmp(text, "#regions: ", 10) == 0)
            return 0; /* of which each has a summary of its own, and no calls */
        if (strncmp(text, head, sizeof head - 1) != 0)
            continue;
        end = take_numbers(text + sizeof head - 1, r->promised, 3);
        if (!end || *end || r->promised[0] < 1 || r->promised[1] < 0 || r->promised[2] < 0)
            return bad(r, "malformed head of the calls", text, "`#calls: FUNCTIONS EDGES NODES`");
        return 1;
    }
    return got;
}

static int check_complete(const struct reading *r)
{
    static const char *const names[] = {"functions", "edges", "nodes"};
    const struct qn_prof_calls *c = r->calls;
    const size_t got[] = {c->fn_count, c->edge_count, c->node_count};
    if (r->inclusive_is_due)
        return bad(r, "cut short", "the end of the calls", "`#inclusive:` behind `#fn:`");
    for (int i = 0; i < 3; i++)
        if ((int64_t)got[i] != r->promised[i]) {
            qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: the tables of calls are not whole, got %zu %s, wanted %lld", r->path,
                         r->lines.number, got[i], names[i], (long long)r->promised[i]);
            return -1;
        }
    return 0;
}

static int read_tables(struct reading *r)
{
    char *text;
    size_t length;
    int got, taken = 0;
    while (!taken && (got = qn_text_next_line(&r->lines, &text, &length, r->err)) != 0) {
        if (got < 0)
            return -1;
        if (strlen(text) != length)
            return bad(r, "malformed line", text, "text without NUL bytes");
        taken = text[0] == '#' ? take_line(r, text + 1) : bad(r, "text behind the summary", text, "the end of the file");
    }
    return taken < 0 ? -1 : check_complete(r);
}

static int read_all(struct reading *r)
{
    int got = find_tables(r);
    if (got <= 0)
        return got;
    if (qn_prof_chosen_region()) {
        qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: calls are not told apart by region, got region `%s`, wanted none", r->path,
                     r->lines.number, qn_prof_chosen_region());
        return -1;
    }
    return read_tables(r);
}

enum qn_text_status qn_prof_read_calls(const char *path, struct qn_prof_calls *calls, struct qn_text_error *err)
{
    struct reading r = {.calls = calls, .err = err, .path = path};
    enum qn_text_status status = qn_prof_open_lines(&r.lines, path, err);
    *calls = (struct qn_prof_calls){0};
    if (status != QN_TEXT_OK)
        return status;
    if (read_all(&r) != 0) {
        status = err->status;
        qn_prof_free_calls(calls);
    }
    qn_text_close_lines(&r.lines);
    free(r.object);
    free(r.file);
    return status;
}

/* ---- building ----
 *
 * In:  qn_prof_begin_calls(c, {"Ir"}, 1), qn_prof_add_call_fn(c, NULL, "a.c", "main")
 * Out: function 0, whose counts are 0
 */

enum { FIRST_ROOM = 64 };

static const char *keep(struct qn_prof_calls *c, const char *text)
{
    return qn_text_name(c->names, qn_text_intern(c->names, text, strlen(text)));
}

/* A row of zeros behind `count` of them. */
static void add_row(int64_t **rows, size_t count, size_t *room, size_t events)
{
    if (count >= QN_PROF_CALLS_MAX)
        qn_no_memory();
    for (size_t i = 0; i < events; i++) {
        QN_MORE(*rows, count * events + i, *room, FIRST_ROOM);
        (*rows)[count * events + i] = 0;
    }
}

void qn_prof_begin_calls(struct qn_prof_calls *c, const char *const *events, size_t count)
{
    if (!c->names)
        c->names = QN_NEEDED(calloc(1, sizeof *c->names));
    for (size_t i = 0; i < count; i++) {
        QN_MORE(c->events, c->event_count, c->event_room, FIRST_ROOM);
        c->events[c->event_count++] = keep(c, events[i]);
    }
}

uint32_t qn_prof_add_call_fn(struct qn_prof_calls *c, const char *object, const char *file, const char *name)
{
    QN_MORE(c->fns, c->fn_count, c->fn_room, FIRST_ROOM);
    add_row(&c->inclusive, c->fn_count, &c->inclusive_room, c->event_count);
    c->fns[c->fn_count] = (struct qn_prof_call_fn){object ? keep(c, object) : NULL, keep(c, file), keep(c, name), 0};
    return (uint32_t)c->fn_count++;
}

uint32_t qn_prof_add_call_edge(struct qn_prof_calls *c, uint32_t caller, const char *file, uint32_t line, uint32_t callee)
{
    QN_MORE(c->edges, c->edge_count, c->edge_room, FIRST_ROOM);
    add_row(&c->edge_counts, c->edge_count, &c->edge_counts_room, c->event_count);
    c->edges[c->edge_count] = (struct qn_prof_call_edge){caller, callee, line, file ? keep(c, file) : NULL, 0};
    return (uint32_t)c->edge_count++;
}

uint32_t qn_prof_add_call_node(struct qn_prof_calls *c, uint32_t parent, uint32_t function)
{
    QN_MORE(c->nodes, c->node_count, c->node_room, FIRST_ROOM);
    add_row(&c->node_counts, c->node_count, &c->node_counts_room, c->event_count);
    c->nodes[c->node_count] = (struct qn_prof_call_node){parent, function, 0};
    return (uint32_t)c->node_count++;
}

void qn_prof_add_call_lost(struct qn_prof_calls *c, const char *what, int64_t count)
{
    QN_MORE(c->lost, c->lost_count, c->lost_room, FIRST_ROOM);
    c->lost[c->lost_count++] = (struct qn_prof_call_lost){keep(c, what), count};
}

int64_t *qn_prof_widen_calls(const struct qn_prof_calls *c, const int64_t *counts, size_t rows, const struct qn_prof_header *h)
{
    size_t events = (size_t)h->event_count;
    int64_t *to = QN_NEEDED(calloc(rows * events + 1, sizeof *to));
    for (size_t k = 0; k < c->event_count; k++) {
        int at = qn_prof_find_event(h, c->events[k], strlen(c->events[k]));
        for (size_t i = 0; i < rows && at >= 0; i++)
            to[i * events + (size_t)at] = counts[i * c->event_count + k];
    }
    return to;
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
    if (c->names)
        qn_text_free_names(c->names);
    free(c->names);
    free(c->events);
    free(c->fns);
    free(c->edges);
    free(c->nodes);
    free(c->lost);
    free(c->inclusive);
    free(c->edge_counts);
    free(c->node_counts);
    *c = (struct qn_prof_calls){0};
}

/* ---- text ----
 *
 * In:  a struct qn_prof_calls
 * Out: "#calls: 2 1 0" and the lines behind it
 */

static void put_number(struct qn_prof_writer *w, const char *before, int64_t value)
{
    qn_prof_put_text(w, before);
    qn_prof_put_number(w, value);
}

static void put_counts(struct qn_prof_writer *w, const int64_t *counts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_number(w, " ", counts[i]);
    qn_prof_put_text(w, "\n");
}

static void put_name(struct qn_prof_writer *w, const char *key, const char *name)
{
    qn_prof_put_text(w, key);
    qn_prof_put_escaped(w, name);
    qn_prof_put_text(w, "\n");
}

static void put_fns(struct qn_prof_writer *w, const struct qn_prof_calls *c)
{
    const char *object = NULL;
    for (size_t i = 0; i < c->fn_count; i++) {
        const struct qn_prof_call_fn *f = &c->fns[i];
        const char *own = f->object || !object ? f->object : QN_PROF_NOT_KNOWN;
        if (own && (!object || strcmp(own, object) != 0))
            put_name(w, "#ob: ", object = own);
        qn_prof_put_text(w, "#fn: ");
        qn_prof_put_escaped(w, f->file);
        qn_prof_put_text(w, "\t");
        qn_prof_put_escaped(w, f->name);
        put_number(w, "\n#inclusive: ", f->called);
        put_counts(w, qn_prof_inclusive(c, i), c->event_count);
    }
}

/* "#call-file:" comes where the file changes; it also names the caller's file again after another one. */
static void put_edges(struct qn_prof_writer *w, const struct qn_prof_calls *c)
{
    const char *file = NULL;
    for (size_t i = 0; i < c->edge_count; i++) {
        const struct qn_prof_call_edge *e = &c->edges[i];
        const char *own = qn_prof_edge_file(c, e);
        if (file ? strcmp(own, file) != 0 : strcmp(own, c->fns[e->caller].file) != 0)
            put_name(w, "#call-file: ", file = own);
        put_number(w, "#edge: ", e->caller);
        put_number(w, " ", e->line);
        put_number(w, " ", e->callee);
        put_number(w, " ", e->calls);
        put_counts(w, qn_prof_edge_counts(c, i), c->event_count);
    }
}

static void put_nodes(struct qn_prof_writer *w, const struct qn_prof_calls *c)
{
    for (size_t i = 0; i < c->node_count; i++) {
        const struct qn_prof_call_node *n = &c->nodes[i];
        put_number(w, "#node: ", n->parent == QN_PROF_NO_NODE ? -1 : (int64_t)n->parent);
        put_number(w, " ", n->function);
        put_number(w, " ", n->calls);
        put_counts(w, qn_prof_node_counts(c, i), c->event_count);
    }
}

void qn_prof_put_calls(struct qn_prof_writer *w, const struct qn_prof_calls *c)
{
    if (!c->fn_count)
        return;
    put_number(w, "#calls: ", (int64_t)c->fn_count);
    put_number(w, " ", (int64_t)c->edge_count);
    put_number(w, " ", (int64_t)c->node_count);
    qn_prof_put_text(w, "\n#call-events:");
    for (size_t i = 0; i < c->event_count; i++) {
        qn_prof_put_text(w, " ");
        qn_prof_put_escaped(w, c->events[i]);
    }
    qn_prof_put_text(w, "\n");
    put_fns(w, c);
    put_edges(w, c);
    put_nodes(w, c);
    for (size_t i = 0; i < c->lost_count; i++) {
        qn_prof_put_text(w, "#calls-lost: ");
        qn_prof_put_escaped(w, c->lost[i].what);
        put_number(w, " ", c->lost[i].count);
        qn_prof_put_text(w, "\n");
    }
}

/* ---- rows and the functions they belong to ----
 *
 * A function has up to four keys: with and without its object, with and without its file. Of several functions with one key the first counts.
 */

/* object, file: NULL where the key is without. */
struct key {
    const char *object, *file, *name;
    uint32_t fn;
};

struct owners {
    struct qn_prof_calls *calls;
    struct qn_text_hash index;
    struct key *keys;
    uint32_t room;
    struct qn_text_buffer name;
};

static uint32_t hash_key(const char *object, const char *file, const char *name)
{
    return qn_text_hash_pair(qn_text_hash_pair(hash_text(object), hash_text(file)), hash_text(name));
}

static uint32_t find(const struct owners *o, const char *object, const char *file, const char *name)
{
    uint32_t at, hash = hash_key(object, file, name);
    for (uint32_t id = qn_text_hash_first(&o->index, hash, &at); id != QN_TEXT_NO_ID; id = qn_text_hash_next(&o->index, hash, &at)) {
        const struct key *k = &o->keys[id];
        if (same(k->object, object) && same(k->file, file) && same(k->name, name))
            return k->fn;
    }
    return UINT32_MAX;
}

static void enter_key(struct owners *o, struct key k)
{
    if (find(o, k.object, k.file, k.name) != UINT32_MAX)
        return;
    QN_MORE(o->keys, o->index.count, o->room, FIRST_ROOM);
    o->keys[o->index.count] = k;
    qn_text_hash_insert(&o->index, hash_key(k.object, k.file, k.name));
}

static void enter(struct owners *o, uint32_t fn)
{
    const struct qn_prof_call_fn *f = &o->calls->fns[fn];
    if (f->object) {
        enter_key(o, (struct key){f->object, f->file, f->name, fn});
        enter_key(o, (struct key){f->object, NULL, f->name, fn});
    }
    enter_key(o, (struct key){NULL, f->file, f->name, fn});
    enter_key(o, (struct key){NULL, NULL, f->name, fn});
}

/* A function found without its object may lie in another one. */
static int fits(const struct owners *o, uint32_t fn, const char *object)
{
    return fn != UINT32_MAX && (!object || !o->calls->fns[fn].object);
}

static uint32_t owner(struct owners *o, const char *object, const char *file, const char *name)
{
    uint32_t fn = UINT32_MAX;
    object = object && strcmp(object, QN_PROF_NOT_KNOWN) != 0 ? object : NULL;
    if (object && (fn = find(o, object, file, name)) == UINT32_MAX)
        fn = find(o, object, NULL, name);
    if (fn == UINT32_MAX && !fits(o, fn = find(o, NULL, file, name), object) && !fits(o, fn = find(o, NULL, NULL, name), object))
        fn = UINT32_MAX;
    if (fn != UINT32_MAX)
        return fn;
    fn = qn_prof_add_call_fn(o->calls, object, file, name);
    enter(o, fn);
    return fn;
}

/* The counts that the current file has of each added function; rows come by file. */
struct shares {
    const char **file;
    int64_t *sum, *most;
};

static void settle(struct qn_prof_calls *c, struct shares *s, size_t fn)
{
    if (s->file[fn] && s->sum[fn] > s->most[fn]) {
        c->fns[fn].file = s->file[fn];
        s->most[fn] = s->sum[fn];
    }
}

/* Chooses the files of functions from `first` on. */
static void choose_files(const struct qn_prof_table *t, const uint32_t *fns, struct qn_prof_calls *c, size_t first)
{
    size_t room = c->fn_count + 1;
    struct shares s = {QN_NEEDED(calloc(room, sizeof *s.file)), QN_NEEDED(calloc(room, sizeof *s.sum)), QN_NEEDED(calloc(room, sizeof *s.most))};
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);
        if (row.insn || fns[i] < first)
            continue;
        if (s.file[fns[i]] != row.file) {
            settle(c, &s, fns[i]);
            s.file[fns[i]] = row.file;
            s.sum[fns[i]] = 0;
        }
        s.sum[fns[i]] += qn_prof_count(row.counts[0]);
    }
    for (size_t fn = first; fn < c->fn_count; fn++)
        settle(c, &s, fn);
    free(s.file);
    free(s.sum);
    free(s.most);
}

static void own(struct owners *o, const struct qn_prof_table *t, uint32_t *fns)
{
    for (uint32_t fn = 0; fn < o->calls->fn_count; fn++)
        enter(o, fn);
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);
        qn_prof_inlined_into(row.function, strlen(row.function), &o->name);
        fns[i] = owner(o, row.object, row.file, o->name.text);
    }
}

uint32_t *qn_prof_own_rows(const struct qn_prof_table *t, struct qn_prof_calls *calls)
{
    struct owners o = {.calls = calls};
    size_t first = calls->fn_count;
    uint32_t *fns = QN_NEEDED(calloc(qn_prof_table_rows(t) + 1, sizeof *fns));
    qn_prof_begin_calls(calls, NULL, 0);
    own(&o, t, fns);
    choose_files(t, fns, calls, first);
    qn_text_hash_free(&o.index);
    free(o.keys);
    free(o.name.text);
    return fns;
}
