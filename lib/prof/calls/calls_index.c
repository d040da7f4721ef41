/*
 * What is in tables of calls already. See calls_index.h.
 */
#include "prof/calls/calls_index.h"

#include <string.h>

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
