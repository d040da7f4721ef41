/*
 * Sums of tables of calls. See calls.h.
 *
 * In:  tables whose functions are numbered in their own ways
 * Out: tables with one numbering
 */
#include "prof/calls/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/read.h"

/* One profile on its way into the sum. */
struct adding {
    struct qn_prof_call_sum *sum;
    struct qn_prof_calls from;
    const char *path;
    int sign;
    uint32_t *fns, *nodes; /* numbers in the sum */
    struct qn_text_error *err;
};

/* to += from, or to -= from. */
static int add(const struct adding *a, int64_t *to, const int64_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (__builtin_add_overflow(to[i], a->sign * from[i], &to[i]))
            return qn_text_fail(a->err, QN_TEXT_BAD, "%s: a sum of calls does not fit in 64 bits", a->path), -1;
    return 0;
}

static int begin(const struct adding *a)
{
    struct qn_prof_calls *to = &a->sum->calls;
    int same = to->event_count == a->from.event_count;
    if (!to->event_count) {
        a->sum->index.calls = to;
        qn_prof_begin_calls(to, a->from.events, a->from.event_count);
        return 0;
    }
    for (size_t i = 0; i < to->event_count && same; i++)
        same = strcmp(to->events[i], a->from.events[i]) == 0;
    if (!same)
        qn_text_fail(a->err, QN_TEXT_BAD, "%s: events of calls don't match those of the profiles before", a->path);
    return same ? 0 : -1;
}

static const char *change(const struct adding *a, const struct qn_text_subst *s, const char *name, struct qn_text_buffer *buffer)
{
    buffer->length = 0;
    if (!s)
        return name;
    return qn_text_apply_subst(s, name, strlen(name), buffer, a->err) == 0 ? buffer->text : NULL;
}

static int add_fns(const struct adding *a)
{
    struct qn_text_buffer file = {0}, name = {0};
    size_t events = a->from.event_count;
    int failed = 0;
    for (size_t i = 0; i < a->from.fn_count && !failed; i++) {
        const struct qn_prof_call_fn *f = &a->from.fns[i];
        const char *new_file = change(a, a->sum->mod_file, f->file, &file), *new_name = change(a, a->sum->mod_fn, f->name, &name);
        uint32_t fn;
        if ((failed = !new_file || !new_name))
            break;
        fn = a->fns[i] = qn_prof_call_fn_of(&a->sum->index, f->object, new_file, new_name);
        failed = add(a, &a->sum->calls.fns[fn].called, &f->called, 1)
                 || add(a, qn_prof_inclusive(&a->sum->calls, fn), qn_prof_inclusive(&a->from, i), events);
    }
    free(file.text);
    free(name.text);
    return failed ? -1 : 0;
}

static int add_edges(const struct adding *a)
{
    struct qn_text_buffer buffer = {0};
    int failed = 0;
    for (size_t i = 0; i < a->from.edge_count && !failed; i++) {
        const struct qn_prof_call_edge *e = &a->from.edges[i];
        const char *file = change(a, a->sum->mod_file, qn_prof_edge_file(&a->from, e), &buffer);
        uint32_t edge;
        if ((failed = !file))
            break;
        edge = qn_prof_call_edge_of(&a->sum->index, a->fns[e->caller], file, e->line, a->fns[e->callee]);
        failed = add(a, &a->sum->calls.edges[edge].calls, &e->calls, 1)
                 || add(a, qn_prof_edge_counts(&a->sum->calls, edge), qn_prof_edge_counts(&a->from, i), a->from.event_count);
    }
    free(buffer.text);
    return failed ? -1 : 0;
}

static int add_nodes(const struct adding *a)
{
    for (size_t i = 0; i < a->from.node_count; i++) {
        const struct qn_prof_call_node *n = &a->from.nodes[i];
        uint32_t parent = n->parent == QN_PROF_NO_NODE ? QN_PROF_NO_NODE : a->nodes[n->parent];
        uint32_t node = a->nodes[i] = qn_prof_call_node_of(&a->sum->index, parent, a->fns[n->function]);
        if (add(a, &a->sum->calls.nodes[node].calls, &n->calls, 1) != 0
            || add(a, qn_prof_node_counts(&a->sum->calls, node), qn_prof_node_counts(&a->from, i), a->from.event_count) != 0)
            return -1;
    }
    return 0;
}

/* Adds what was lost in this profile. */
static int add_lost(const struct adding *a)
{
    struct qn_prof_calls *to = &a->sum->calls;
    for (size_t i = 0; i < a->from.lost_count; i++) {
        const struct qn_prof_call_lost *l = &a->from.lost[i];
        size_t k = 0;
        while (k < to->lost_count && strcmp(to->lost[k].what, l->what) != 0)
            k++;
        if (k == to->lost_count)
            qn_prof_add_call_lost(to, l->what, 0);
        if (add(a, &to->lost[k].count, &l->count, 1) != 0)
            return -1;
    }
    return 0;
}

static int add_all(struct adding *a)
{
    a->fns = QN_NEEDED(calloc(a->from.fn_count + 1, sizeof *a->fns));
    a->nodes = QN_NEEDED(calloc(a->from.node_count + 1, sizeof *a->nodes));
    if (begin(a) != 0 || add_fns(a) != 0 || add_edges(a) != 0 || add_nodes(a) != 0)
        return -1;
    return add_lost(a);
}

/* Reads the tables; if a region was chosen, only finds out whether there are any. */
static enum qn_text_status read_calls(struct adding *a)
{
    struct qn_text_error refused = {.status = QN_TEXT_OK};
    if (!qn_prof_chosen_region())
        return qn_prof_read_calls(a->path, &a->from, a->err);
    if (qn_prof_read_calls(a->path, &a->from, &refused) == QN_TEXT_BAD && !a->sum->of_region)
        a->sum->of_region = a->path;
    return QN_TEXT_OK;
}

enum qn_text_status qn_prof_sum_calls(struct qn_prof_call_sum *s, const char *path, int negate, struct qn_text_error *err)
{
    struct adding a = {.sum = s, .path = path, .sign = negate ? -1 : 1, .err = err};
    s->inputs++;
    if (read_calls(&a) != QN_TEXT_OK)
        return err->status;
    s->with_calls += a.from.fn_count > 0;
    s->with_nodes += a.from.node_count > 0;
    if (!s->without_calls && !a.from.fn_count)
        s->without_calls = path;
    if (!s->without_nodes && !a.from.node_count)
        s->without_nodes = path;
    if (a.from.fn_count)
        add_all(&a);
    free(a.fns);
    free(a.nodes);
    qn_prof_free_calls(&a.from);
    return err->status;
}

void qn_prof_finish_call_sum(struct qn_prof_call_sum *s, char *left_out, size_t room)
{
    int calls = s->with_calls && s->with_calls < s->inputs, nodes = s->with_nodes && s->with_nodes < s->inputs;
    left_out[0] = '\0';
    if (s->of_region)
        snprintf(left_out, room, "calls are left out: those of %.512s are not told apart by region", s->of_region);
    if (calls || nodes)
        snprintf(left_out, room, "%s left out: %.512s has none", calls ? "calls are" : "paths of calls are",
                 calls ? s->without_calls : s->without_nodes);
    if (nodes)
        s->calls.node_count = 0;
    if (calls)
        s->calls.fn_count = s->calls.edge_count = 0;
}

void qn_prof_free_call_sum(struct qn_prof_call_sum *s)
{
    qn_prof_free_call_index(&s->index);
    qn_prof_free_calls(&s->calls);
}
