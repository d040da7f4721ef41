/*
 * Tables of calls as text. See calls.h.
 *
 * In:  a struct qn_prof_calls
 * Out: "#calls: 2 1 0" and the lines behind it
 */
#include <string.h>

#include "prof/calls/calls.h"
#include "prof/write.h"

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
