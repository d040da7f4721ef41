/* lib/run/observe/calls/calls_rows.c - rows of edges and of contexts, which grow as calls are seen.
 *
 * The edges of a block are a list, and the one used last is looked at first.  The contexts below one another are a list of the upper one.
 */
#include "run/observe/calls/calls.h"
#include "run/run.h"

#define RECORDS_MAX (QN_ARENA_BLOCKS_SIZE / sizeof(struct qn_block_rec))

struct qn_call_last *qn_calls_last;
static uint32_t *list;          /* by block */
static uint64_t edge_bytes, node_bytes;
static uint32_t *children;      /* by node: the first; then by `next` */
static uint32_t *recent;        /* by node: the one found last */

static struct qn_call_head *head(void) { return &qn_arena->calls; }

void qn_calls_rows_init(void)
{
    edge_bytes = qn_call_edge_bytes(head()->columns);
    node_bytes = qn_call_node_bytes(head()->columns);
    list = qn_engine_alloc((RECORDS_MAX + 1) * sizeof *list);
    qn_calls_last = qn_engine_alloc((RECORDS_MAX + 1) * sizeof *qn_calls_last);
    if (qn_cfg()->calls != QN_CALLS_PATHS)
        return;
    children = qn_engine_alloc((QN_CALL_NODES_SIZE / node_bytes + 1) * sizeof *children);
    recent = qn_engine_alloc((QN_CALL_NODES_SIZE / node_bytes + 1) * sizeof *recent);
}

struct qn_call_node *qn_calls_node(uint32_t i)
{
    return (struct qn_call_node *)(QN_ARENA_ALIAS_BASE + QN_ARENA_CALLS_OFF + QN_CALL_NODES_OFF + i * node_bytes);
}

/* How many rows there may be, row 0 besides. */
static bool is_full(uint32_t used, uint64_t size, uint64_t bytes)
{
    return used > qn_cfg()->calls_room || (used + 1ull) * bytes > size;
}

static uint32_t add_edge(uint32_t block, uint32_t function)
{
    uint32_t n = head()->edges, i = n * (uint32_t)edge_bytes;

    if (is_full(n, QN_CALL_EDGES_SIZE, edge_bytes)) {
        head()->lost_edges++;
        return 0;
    }
    *qn_calls_edge(i) = (struct qn_call_edge){.block = block, .function = function, .next = list[block]};
    list[block] = i;
    head()->edges = n + 1;
    return i;
}

uint32_t qn_calls_search_edge(uint32_t block, uint32_t function)
{
    uint32_t i = list[block];

    while (i && qn_calls_edge(i)->function != function)
        i = qn_calls_edge(i)->next;
    i = i ? i : add_edge(block, function);
    if (i)
        qn_calls_last[block] = (struct qn_call_last){.edge = i, .function = function};
    return i;
}

static uint32_t add_node(uint32_t parent, uint32_t function)
{
    uint32_t i = head()->nodes;

    if (is_full(i, QN_CALL_NODES_SIZE, node_bytes)) {
        head()->lost_nodes++;
        return 0;
    }
    *qn_calls_node(i) = (struct qn_call_node){.parent = parent, .function = function, .next = children[parent]};
    children[parent] = i;
    head()->nodes = i + 1;
    return i;
}

uint32_t qn_calls_find_node(uint32_t parent, uint32_t function)
{
    uint32_t i = recent[parent];

    if (QN_LIKELY(i && qn_calls_node(i)->function == function))
        return i;
    for (i = children[parent]; i && qn_calls_node(i)->function != function;)
        i = qn_calls_node(i)->next;
    i = i ? i : add_node(parent, function);
    if (i)
        recent[parent] = i;
    return i;
}
