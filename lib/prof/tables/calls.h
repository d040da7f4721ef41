/*
 * Functions, calls (edges) with their inclusive cost (`quern run --calls=yes`), and contexts (`--calls=paths`): tables behind the summary of
 * a profile.
 *
 *     summary: 900 12
 *     #calls: 2 1 2                               2 functions, 1 edge, 2 nodes follow
 *     #call-events: Ir D1mr                       the names of all counts below
 *     #ob: /src/demo                              the object of the functions that follow; there may be none
 *     #fn: /src/demo.c<TAB>main                   functions are numbered from 0: file (??? if it is not known) and name
 *     #inclusive: 1 900 12                        how often it was entered, and its inclusive counts
 *     #fn: /src/demo.c<TAB>f
 *     #inclusive: 3 600 8
 *     #edge: 0 17 1 3 600 8                       function 0 calls function 1 in line 17: 3 times, inclusive cost
 *     #call-file: /src/demo.h                     the file of the lines that follow, if it is not that of the caller
 *     #node: -1 0 1 300 4                         a context: the node of its caller (-1: none), function, calls, cost of its own
 *     #node: 0 1 3 600 8
 *     #calls-lost: edges 7                        not recorded, because there was no room
 *
 * To readers of Cachegrind's format these lines are comments.  Names are escaped as everywhere in a profile, so that they hold no tab.
 *
 * Recursion: the inclusive cost of a function has no event twice. That of an edge is the sum, over its calls, of the events between call and
 * return, so in recursion it has an inner call's events twice, as in Callgrind's files. In the tree, a call of a function that is on the path
 * already goes back to that function's node.
 *
 * Each function, edge and node is in the tables once: a function is an object, a file and a name; an edge its caller, file, line and callee; a
 * node its parent and function.  Files are read, and tables added up, by prof/tables/tables.h.
 *
 * Invariants: numbers of functions are below their count, a node's parent comes before it; a file whose tables end early, or go
 * on, is an error that names FILE:LINE.  Counts are negative in differences only.
 */
#ifndef QN_PROF_CALLS_H
#define QN_PROF_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "prof/tables/records.h"
#include "text/names.h"

struct qn_prof_writer;

#define QN_PROF_NO_NODE UINT32_MAX

enum { QN_PROF_CALL_FNS, QN_PROF_CALL_EDGES, QN_PROF_CALL_NODES, QN_PROF_CALLS_LOST };

struct qn_prof_call_fn {
    const char *object;  /* NULL: not known */
    const char *file;    /* "???": not known */
    const char *name;
    int64_t called;      /* times that it was entered */
};

struct qn_prof_call_edge {
    uint32_t caller, callee, line; /* functions; line of the call, 0: not known */
    const char *file;              /* of the line */
    int64_t calls;
};

struct qn_prof_call_node {
    uint32_t parent, function; /* QN_PROF_NO_NODE: it has none */
    int64_t calls;
};

struct qn_prof_call_lost {
    const char *what;
    int64_t count;
};

struct qn_prof_calls {
    const char **events;
    size_t event_count;
    struct qn_prof_call_fn *fns;
    struct qn_prof_call_edge *edges;
    struct qn_prof_call_node *nodes;
    struct qn_prof_call_lost *lost;
    int64_t *inclusive, *edge_counts, *node_counts; /* event_count for each function, edge, node */
    size_t fn_count, edge_count, node_count, lost_count;
    size_t fn_room, edge_room, node_room, lost_room;
    struct qn_text_names *names;  /* owns all texts above */
    struct qn_text_hash index[QN_PROF_CALLS_LOST + 1];
};

void qn_prof_free_calls(struct qn_prof_calls *calls);

/* Writes the tables: after the summary of a profile (and its other tables), before its regions.  Nothing, if there is no function. */
void qn_prof_put_calls(struct qn_prof_writer *w, const struct qn_prof_calls *calls);

/* To make tables: zero the struct, name the events, then ask for the number of a function, edge or node, which is added if it is new; texts are
 * copied. object NULL: not known; file of an edge NULL: that of the caller.
 * Counts are 0 at first; write them through the pointers below, which are valid until more is added. */
void qn_prof_begin_calls(struct qn_prof_calls *calls, const char *const *events, size_t count);
uint32_t qn_prof_call_fn_of(struct qn_prof_calls *calls, const char *object, const char *file, const char *name);
uint32_t qn_prof_call_edge_of(struct qn_prof_calls *calls, uint32_t caller, const char *file, uint32_t line, uint32_t callee);
uint32_t qn_prof_call_node_of(struct qn_prof_calls *calls, uint32_t parent, uint32_t function);
void qn_prof_add_call_lost(struct qn_prof_calls *calls, const char *what, int64_t count);

static inline int64_t *qn_prof_inclusive(const struct qn_prof_calls *c, size_t fn) { return c->inclusive + fn * c->event_count; }
static inline int64_t *qn_prof_edge_counts(const struct qn_prof_calls *c, size_t edge) { return c->edge_counts + edge * c->event_count; }
static inline int64_t *qn_prof_node_counts(const struct qn_prof_calls *c, size_t node) { return c->node_counts + node * c->event_count; }

struct qn_prof_header;
/* Converts `rows` rows of counts (of functions, edges or nodes) to the events of a profile; events that calls do not have are 0. free() it. */
int64_t *qn_prof_widen_calls(const struct qn_prof_calls *calls, const int64_t *counts, size_t rows, const struct qn_prof_header *events);

/* The name in listings; for code without a name "??? in OBJECT", with the object's name without folders. In `room`, or the name itself. */
const char *qn_prof_call_name(const struct qn_prof_call_fn *f, char *room, size_t size);

/* ---- assigns each row of a profile to a function of the tables ----
 *
 * In:  rows of main in a.c and in a.h, of "leaf (inlined in main)" in leaf.h; tables with main in a.c
 * Out: function 0 for all of them
 *
 * Rules: a row belongs to the function that has its object, file and name; else to one with its object and name (the row is of
 * code from another file). If the object of the row or of the function is not known, file and name decide, then the name. Inlined code belongs to
 * the function that it is inlined in. A function that the tables do not have is added; its file is the one in which it has most of the first event.
 */

struct qn_prof_table;

/* An array by row of the table, in its order; free() it. Tables that were never begun (no profile with calls) get functions, too. */
uint32_t *qn_prof_own_rows(const struct qn_prof_table *t, struct qn_prof_calls *calls);

#endif
