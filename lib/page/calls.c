/* lib/page/calls.c - functions, calls (edges) and contexts as JSON.  See profile.h.
 *
 * Of a large program the functions, edges and contexts that cost least are left out.  Contexts without room become one node below their nearest
 * context that has room, so its inclusive cost stays whole.
 */

#include <inttypes.h>
#include <string.h>

#include "page/json.h"
#include "page/profile.h"
#include "prof/read.h"

#define NARROWER "(narrower ones)" /* the function of contexts without room */

struct chosen {
    struct qn_page_profile *p;
    const struct qn_prof_calls *calls;
    double *weights;       /* by event of the calls */
    uint32_t *numbers;     /* of functions on the page; UINT32_MAX: left out */
    uint32_t fn_count;     /* on the page */
    size_t edges, nodes;   /* how many are left out */
};

static double cost_of(const struct chosen *c, const int64_t *counts)
{
    double sum = 0;

    for (size_t i = 0; i < c->calls->event_count; i++)
        sum += c->weights[i] * (double)counts[i];
    return sum < 0 ? -sum : sum;
}

static double find_least(struct qn_page_profile *p, const double *costs, size_t count, size_t most)
{
    double *copy = qn_text_alloc(&p->memory, (count + 1) * sizeof *copy);

    memcpy(copy, costs, count * sizeof *copy);
    return qn_page_find_least(copy, count, most);
}

static double *cost_all(struct chosen *c, const int64_t *counts, size_t count)
{
    double *costs = qn_text_alloc(&c->p->memory, (count + 1) * sizeof *costs);

    for (size_t i = 0; i < count; i++)
        costs[i] = cost_of(c, counts + i * c->calls->event_count);
    return costs;
}

static void put_functions(struct chosen *c, FILE *out)
{
    const struct qn_prof_calls *calls = c->calls;
    double *costs = cost_all(c, calls->inclusive, calls->fn_count), least = find_least(c->p, costs, calls->fn_count, QN_PAGE_CALL_FUNCTIONS);

    c->numbers = qn_text_alloc(&c->p->memory, (calls->fn_count + 1) * sizeof *c->numbers);
    for (size_t i = 0; i < calls->fn_count; i++) {
        const struct qn_prof_call_fn *f = &calls->fns[i];

        c->numbers[i] = UINT32_MAX;
        if (costs[i] < least || c->fn_count == QN_PAGE_CALL_FUNCTIONS)
            continue;
        fputs(c->fn_count ? ",\n" : "", out);
        c->numbers[i] = c->fn_count++;
        fprintf(out, "[%u,", qn_page_name(c->p, f->name));
        fprintf(out, "%u,", qn_page_name(c->p, f->file));
        fprintf(out, "%u,%" PRId64, qn_page_name(c->p, f->object), f->called);
        qn_page_put_counts(out, qn_prof_inclusive(calls, i), (int)calls->event_count);
        putc(']', out);
    }
}

static void put_edges(struct chosen *c, FILE *out)
{
    const struct qn_prof_calls *calls = c->calls;
    double *costs = cost_all(c, calls->edge_counts, calls->edge_count), least = find_least(c->p, costs, calls->edge_count, QN_PAGE_EDGES);
    size_t count = 0;

    for (size_t i = 0; i < calls->edge_count; i++) {
        const struct qn_prof_call_edge *e = &calls->edges[i];

        if (costs[i] < least || count == QN_PAGE_EDGES || c->numbers[e->caller] == UINT32_MAX || c->numbers[e->callee] == UINT32_MAX)
            continue;
        fprintf(out, "%s[%u,%u,%d,%u,%" PRId64, count++ ? ",\n" : "", c->numbers[e->caller], e->line,
                strcmp(e->file, calls->fns[e->caller].file) ? (int)qn_page_name(c->p, e->file) : -1, c->numbers[e->callee], e->calls);
        qn_page_put_counts(out, qn_prof_edge_counts(calls, i), (int)calls->event_count);
        putc(']', out);
    }
    c->edges = calls->edge_count - count;
}

/* ---- contexts ---- */

/* The inclusive cost of each node.  A node comes behind its parent. */
static double *sum_nodes(struct chosen *c)
{
    double *costs = cost_all(c, c->calls->node_counts, c->calls->node_count);

    for (size_t i = c->calls->node_count; i-- > 0;)
        if (c->calls->nodes[i].parent != QN_PROF_NO_NODE)
            costs[c->calls->nodes[i].parent] += costs[i];
    return costs;
}

static void put_node(FILE *out, bool first, int64_t parent, uint32_t function, int64_t calls, const int64_t *counts, size_t events)
{
    fprintf(out, "%s[%" PRId64 ",%" PRIu32 ",%" PRId64, first ? "" : ",\n", parent, function, calls);
    qn_page_put_counts(out, counts, (int)events);
    putc(']', out);
}

/* A node without room is added to `rest` of the nearest node above it that has room.  `rest` is by number on the page; the last element is for
 * nodes that have none above them. */
static void put_nodes(struct chosen *c, FILE *out)
{
    const struct qn_prof_calls *calls = c->calls;
    size_t events = calls->event_count, count = 0, total = calls->node_count;
    double *costs = sum_nodes(c), least = find_least(c->p, costs, total, QN_PAGE_NODES);
    uint32_t *numbers = qn_text_alloc(&c->p->memory, (total + 1) * sizeof *numbers);
    int64_t *rest = qn_text_alloc(&c->p->memory, ((QN_PAGE_NODES + 1) * events + 1) * sizeof *rest);
    bool *any = qn_text_alloc(&c->p->memory, (QN_PAGE_NODES + 1) * sizeof *any);

    for (size_t i = 0; i < total; i++) {
        const struct qn_prof_call_node *n = &calls->nodes[i];
        uint32_t above = n->parent == QN_PROF_NO_NODE ? QN_PAGE_NODES : numbers[n->parent];
        bool whole = n->parent == QN_PROF_NO_NODE || costs[n->parent] >= 0;

        if (whole && costs[i] >= least && count < QN_PAGE_NODES && c->numbers[n->function] != UINT32_MAX) {
            put_node(out, !count, above == QN_PAGE_NODES ? -1 : (int64_t)above, c->numbers[n->function], n->calls, calls->node_counts + i * events, events);
            numbers[i] = (uint32_t)count++;
            continue;
        }
        costs[i] = -1; /* so the nodes below it have no room either */
        numbers[i] = above;
        any[above] = true;
        for (size_t k = 0; k < events; k++)
            rest[above * events + k] += calls->node_counts[i * events + k];
    }
    c->nodes = total - count;
    for (size_t i = 0; i <= QN_PAGE_NODES; i++)
        if (any[i])
            put_node(out, !count, i == QN_PAGE_NODES ? -1 : (int64_t)i, c->fn_count, 0, rest + i * events, events);
}

/* ---- all ---- */

void qn_page_put_calls(struct qn_page_profile *p, FILE *out)
{
    struct chosen c = { .p = p, .calls = &p->calls };

    if (!p->calls.fn_count)
        return;
    c.weights = qn_text_alloc(&p->memory, (p->calls.event_count + 1) * sizeof *c.weights);
    fputs("\"calls\":{\"events\":[", out);
    for (size_t i = 0; i < p->calls.event_count; i++) {
        int event = qn_prof_find_event(qn_prof_reader_header(p->reader), p->calls.events[i], strlen(p->calls.events[i]));

        c.weights[i] = event >= 0 ? p->weights[event] : 0;
        fputs(i ? "," : "", out);
        qn_page_put_text(out, p->calls.events[i]);
    }
    fputs("],\n\"functions\":[", out);
    put_functions(&c, out);
    fprintf(out, ",\n[%u,", qn_page_name(p, NARROWER));
    fprintf(out, "%u,%u,0]],\n\"edges\":[", qn_page_name(p, ""), qn_page_name(p, ""));
    put_edges(&c, out);
    fputs("],\n\"nodes\":[", out);
    put_nodes(&c, out);
    fprintf(out, "],\"left\":[%zu,%zu,%zu],\"lost\":[", p->calls.fn_count - c.fn_count, c.edges, c.nodes);
    for (size_t i = 0; i < p->calls.lost_count; i++) {
        fputs(i ? "," : "", out);
        qn_page_put(out, "[%s,%" PRId64 "]", p->calls.lost[i].what, p->calls.lost[i].count);
    }
    fputs("]},\n", out);
}
