/*
 * An index of tables of calls, so that each function, edge and node is in them once.
 *
 * In:  ("a.c", "f"), ("a.c", "g"), ("a.c", "f")
 * Out: function 0, 1, 0
 *
 * Invariant: a function is an object, a file and a name; an edge its caller, file, line and callee; a node its parent and function.
 */
#ifndef QN_PROF_CALLS_INDEX_H
#define QN_PROF_CALLS_INDEX_H

#include "prof/calls/calls.h"
#include "text/names.h"

/* Set `calls`, whose tables must be empty, and zero the rest. */
struct qn_prof_call_index {
    struct qn_prof_calls *calls;
    struct qn_text_hash fns, edges, nodes;
};

/* The number of a function, edge or node, added if it is new. object NULL: not known; file of an edge NULL: the caller's. */
uint32_t qn_prof_call_fn_of(struct qn_prof_call_index *x, const char *object, const char *file, const char *name);
uint32_t qn_prof_call_edge_of(struct qn_prof_call_index *x, uint32_t caller, const char *file, uint32_t line, uint32_t callee);
uint32_t qn_prof_call_node_of(struct qn_prof_call_index *x, uint32_t parent, uint32_t function);

/* Forgets the index, not the tables. */
void qn_prof_free_call_index(struct qn_prof_call_index *x);

#endif
