/* lib/run/observe/calls/calls_rows.c - rows of edges and of contexts, which grow as calls are seen.
 *
 * Both are found by a hash table; the edge that a block used last, and the context that another one led to last, are looked at first.
 */
#include "base/hash.h"
#include "run/observe/calls/calls.h"
#include "run/run.h"

#define RECORDS_MAX (QN_ARENA_BLOCKS_SIZE / sizeof(struct qn_block_rec))

struct qn_call_last *qn_calls_last;
static uint64_t edge_bytes, node_bytes;
static uint32_t *edges, *nodes; /* hash tables of rows; 0: none */
static uint32_t edge_mask, node_mask;
static uint32_t *recent;        /* by node: the one found last */

static struct qn_call_head *head(void) { return &qn_arena->calls; }

/* Makes a table that at most half of is used, and returns the mask of its places. */
static uint32_t make_table(uint32_t **table, uint64_t size, uint64_t bytes)
{
    uint64_t rows = qn_cfg()->calls_room < size / bytes ? qn_cfg()->calls_room : size / bytes, places = 2ull << qn_log2(2 * rows + 2);

    *table = qn_engine_alloc(places * sizeof **table);
    return (uint32_t)places - 1;
}

void qn_calls_rows_init(void)
{
    edge_bytes = qn_call_edge_bytes(head()->columns);
    node_bytes = qn_call_node_bytes(head()->columns);
    edge_mask = make_table(&edges, QN_CALL_EDGES_SIZE, edge_bytes);
    qn_calls_last = qn_engine_alloc((RECORDS_MAX + 1) * sizeof *qn_calls_last);
    if (qn_cfg()->calls != QN_CALLS_PATHS)
        return;
    node_mask = make_table(&nodes, QN_CALL_NODES_SIZE, node_bytes);
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

static uint32_t *edge_place(uint32_t block, uint32_t function)
{
    uint32_t at = (uint32_t)qn_hash_mix((uint64_t)block << 32 | function) & edge_mask;

    while (edges[at] && (qn_calls_edge(edges[at])->block != block || qn_calls_edge(edges[at])->function != function))
        at = (at + 1) & edge_mask;
    return &edges[at];
}

static uint32_t add_edge(uint32_t block, uint32_t function)
{
    uint32_t n = head()->edges, i = n * (uint32_t)edge_bytes;

    if (is_full(n, QN_CALL_EDGES_SIZE, edge_bytes)) {
        head()->lost_edges++;
        return 0;
    }
    *qn_calls_edge(i) = (struct qn_call_edge){.block = block, .function = function};
    head()->edges = n + 1;
    return i;
}

uint32_t qn_calls_search_edge(uint32_t block, uint32_t function)
{
    uint32_t *place = edge_place(block, function), i;

    if (!*place)
        *place = add_edge(block, function);
    i = *place;
    if (i)
        qn_calls_last[block] = (struct qn_call_last){.edge = i, .function = function};
    return i;
}

static uint32_t *node_place(uint32_t parent, uint32_t function)
{
    uint32_t at = (uint32_t)qn_hash_mix((uint64_t)parent << 32 | function) & node_mask;

    while (nodes[at] && (qn_calls_node(nodes[at])->parent != parent || qn_calls_node(nodes[at])->function != function))
        at = (at + 1) & node_mask;
    return &nodes[at];
}

static uint32_t add_node(uint32_t parent, uint32_t function)
{
    uint32_t i = head()->nodes;

    if (is_full(i, QN_CALL_NODES_SIZE, node_bytes)) {
        head()->lost_nodes++;
        return 0;
    }
    *qn_calls_node(i) = (struct qn_call_node){.parent = parent, .function = function};
    head()->nodes = i + 1;
    return i;
}

uint32_t qn_calls_find_node(uint32_t parent, uint32_t function)
{
    uint32_t i = recent[parent], *place;

    if (QN_LIKELY(i && qn_calls_node(i)->function == function))
        return i;
    place = node_place(parent, function);
    if (!*place)
        *place = add_node(parent, function);
    if (*place)
        recent[parent] = *place;
    return *place;
}
