/* lib/cost/calls/calls.c - edges and contexts of the arena by function and line.  See calls.h.
 *
 * The arena is not trusted: what is read is checked against the room that there is, and lists end after as many steps as there can be.
 */
#include "cost/calls/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/calls/call_records.h"
#include "cost/places/places.h"
#include "prof/tables/calls.h"

/* ---- the functions and stubs of a mapping, for --calls ---- */

struct search {
    struct qn_debug *debug;
    struct qn_map_rec map;
    struct qn_call_range *list; /* in the arena */
    uint64_t count, room;
    uint32_t flags;
};

/* The part of it that is mapped. */
static void take(void *data, uint64_t start, uint64_t end)
{
    struct search *s = data;
    uint64_t offset, guest, size = end - start;

    if (!qn_debug_offset(s->debug, start, &offset) || offset < s->map.offset
        || offset - s->map.offset >= s->map.end - s->map.start || s->count == s->room)
        return;
    guest = s->map.start + (offset - s->map.offset);
    if (size > s->map.end - guest)
        size = s->map.end - guest;
    if (size && size <= UINT32_MAX)
        s->list[s->count++] = (struct qn_call_range){ guest, (uint32_t)size, s->flags };
}

static int by_start(const void *left, const void *right)
{
    const struct qn_call_range *a = left, *b = right;

    return a->start < b->start ? -1 : a->start > b->start;
}

/* A function of several names is below main if the name is that the profile shows: lines and calls name it alike. */
static void mark_below_main(void *data, const char *name, uint64_t start, uint64_t end)
{
    struct search *s = data;
    uint64_t offset;

    (void)end;
    if (!qn_debug_is_below_main(name) || strcmp(qn_debug_name_function(s->debug, start), QN_DEBUG_BELOW_MAIN)
        || !qn_debug_offset(s->debug, start, &offset))
        return;
    for (uint64_t i = 0; i < s->count; i++)
        if (s->list[i].start == s->map.start + (offset - s->map.offset))
            s->list[i].flags |= QN_CALL_BELOW_MAIN;
}

static void find(struct search *s, struct qn_debug *d)
{
    s->debug = d;
    s->flags = QN_CALL_SYMBOL;
    qn_debug_list_ranges(d, take, s);
    s->flags = QN_CALL_PLT;
    qn_debug_list_stubs(d, take, s);
    qsort(s->list, s->count, sizeof *s->list, by_start);
    qn_debug_list_functions(d, mark_below_main, s);
}

void qn_cost_find_calls(const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t map)
{
    uint8_t *base = store->base + QN_ARENA_CALLS_OFF;
    struct qn_call_head *h = &qn_cost_header(store)->calls;
    struct qn_call_map *row = (struct qn_call_map *)(base + QN_CALL_MAPS_OFF) + h->maps;
    uint64_t used = h->ranges, most = QN_CALL_RANGES_SIZE / sizeof(struct qn_call_range);
    struct search s = { .list = (struct qn_call_range *)(base + QN_CALL_RANGES_OFF) + used, .room = used < most ? most - used : 0 };
    struct qn_cost_extent e = qn_cost_get_extent(store);
    uint32_t file;

    if (map >= e.maps || h->maps >= QN_CALL_MAPS_SIZE / sizeof *row)
        return;
    memcpy(&s.map, store->base + QN_ARENA_MAPS_OFF + map * sizeof s.map, sizeof s.map);
    file = qn_cost_number_map(library, store, &s.map);
    if (!file)
        return;
    qn_cost_open_file(library, &library->files[file - 1]);
    if (library->files[file - 1].debug)
        find(&s, library->files[file - 1].debug);
    *row = (struct qn_call_map){ .map = map, .first = (uint32_t)used, .count = (uint32_t)s.count };
    h->ranges = (uint32_t)(used + s.count);
    h->maps++;
}

uint64_t qn_cost_call_start(const uint8_t *base, const struct qn_call_head *head, uint32_t map, uint64_t pc)
{
    const struct qn_call_map *maps = (const struct qn_call_map *)(base + QN_CALL_MAPS_OFF);
    const struct qn_call_range *ranges = (const struct qn_call_range *)(base + QN_CALL_RANGES_OFF);
    uint32_t m = 0, low, high, first;

    while (m < head->maps && maps[m].map != map)
        m++;
    if (m == head->maps || maps[m].first > head->ranges || maps[m].count > head->ranges - maps[m].first)
        return pc;
    first = low = maps[m].first;
    high = low + maps[m].count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (ranges[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first && pc - ranges[low - 1].start < ranges[low - 1].size ? ranges[low - 1].start : pc;
}

struct fold {
    const struct qn_cost_store *store;
    const struct qn_cost_event_set *events;
    struct qn_cost_modules *modules;
    struct qn_prof_calls *calls;
    struct qn_cost_extent extent;
    const uint8_t *base;
    struct qn_call_head head;   /* a copy, within bounds */
    uint32_t columns;
    uint32_t *functions;        /* number in `calls` + 1, by function of the arena */
    uint32_t *nodes;            /* the same by node */
    int64_t *edge_rows, *node_rows; /* copies, two rows for each edge; frames that have not returned are added */
};

/* ---- what lies in the arena ---- */

static uint32_t at_most(uint32_t n, uint64_t bytes, uint64_t size) { return n < bytes / size ? n : (uint32_t)(bytes / size); }

static bool take_head(struct fold *f)
{
    struct qn_call_head *h = &f->head;

    *h = qn_cost_header(f->store)->calls;
    f->columns = h->columns;
    f->base = f->store->base + QN_ARENA_CALLS_OFF;
    if (!qn_cost_has(f->store, QN_SECTION_CALLS) || f->columns < QN_COST_EVENTS || f->columns > QN_COST_COLUMNS || !h->functions || !h->edges || !h->nodes || !h->frames)
        return false;
    h->ranges = at_most(h->ranges, QN_CALL_RANGES_SIZE, sizeof(struct qn_call_range));
    h->maps = at_most(h->maps, QN_CALL_MAPS_SIZE, sizeof(struct qn_call_map));
    h->stacks = at_most(h->stacks, QN_CALL_STACKS_SIZE, sizeof(struct qn_call_stack));
    h->functions = at_most(h->functions, QN_CALL_FUNCTIONS_SIZE, sizeof(struct qn_call_function));
    h->edges = at_most(h->edges, QN_CALL_EDGES_SIZE, qn_call_edge_bytes(f->columns));
    h->frames = at_most(h->frames, QN_CALL_FRAMES_SIZE, qn_call_frame_bytes(f->columns));
    h->nodes = at_most(h->nodes, QN_CALL_NODES_SIZE, qn_call_node_bytes(f->columns));
    return h->sums + (uint64_t)QN_CALL_TOP < f->extent.counters;
}

static struct qn_call_edge get_edge(const struct fold *f, uint32_t i)
{
    struct qn_call_edge e;

    memcpy(&e, f->base + QN_CALL_EDGES_OFF + i * qn_call_edge_bytes(f->columns), sizeof e);
    return e;
}

static struct qn_call_node get_node(const struct fold *f, uint32_t i)
{
    struct qn_call_node n;

    memcpy(&n, f->base + QN_CALL_NODES_OFF + i * qn_call_node_bytes(f->columns), sizeof n);
    return n;
}

static void copy_rows(struct fold *f)
{
    size_t row = f->columns * sizeof(int64_t);

    f->functions = QN_NEEDED(calloc(f->head.functions, sizeof *f->functions));
    f->nodes = QN_NEEDED(calloc(f->head.nodes, sizeof *f->nodes));
    f->edge_rows = QN_NEEDED(malloc(f->head.edges * 2 * row));
    f->node_rows = QN_NEEDED(malloc(f->head.nodes * row));
    for (uint32_t i = 0; i < f->head.edges; i++)
        memcpy(f->edge_rows + i * 2ull * f->columns,
               f->base + QN_CALL_EDGES_OFF + i * qn_call_edge_bytes(f->columns) + sizeof(struct qn_call_edge), 2 * row);
    for (uint32_t i = 0; i < f->head.nodes; i++)
        memcpy(f->node_rows + (uint64_t)i * f->columns,
               f->base + QN_CALL_NODES_OFF + i * qn_call_node_bytes(f->columns) + sizeof(struct qn_call_node), row);
}

/* ---- calls that have not returned ---- */

/* The frame at an offset, and its counts; false: there can be none. */
static bool get_frame(const struct fold *f, uint32_t offset, struct qn_call_frame *frame, int64_t *counts)
{
    const uint8_t *at = f->base + QN_CALL_FRAMES_OFF + offset;

    if (!offset || offset >= f->head.frames * qn_call_frame_bytes(f->columns) || offset % qn_call_frame_bytes(f->columns))
        return false;
    memcpy(frame, at, sizeof *frame);
    memcpy(counts, at + sizeof *frame, f->columns * sizeof *counts);
    return true;
}

/* now: counts of the stack. */
static void close_stack(struct fold *f, uint32_t top, const int64_t *now)
{
    struct qn_call_frame frame, below = { 0 }, owner;
    int64_t counts[QN_COST_COLUMNS], rare[QN_COST_COLUMNS], *row, *to, *from;

    for (uint32_t i = top, steps = 0; get_frame(f, i, &frame, counts) && steps < f->head.frames; i = frame.below, steps++) {
        uint64_t edge = frame.edge / qn_call_edge_bytes(f->columns);

        if (!get_frame(f, frame.below, &below, rare))
            below.node = 0;
        if (!get_frame(f, frame.owner, &owner, rare) || edge >= f->head.edges || frame.node >= f->head.nodes || below.node >= f->head.nodes)
            return;
        row = f->edge_rows + (2 * edge + qn_call_is_inner(&frame)) * f->columns;
        to = f->node_rows + (uint64_t)frame.node * f->columns;
        from = f->node_rows + (uint64_t)below.node * f->columns;
        for (uint32_t k = 0; k < f->columns; k++) {
            int64_t n = now[k] - (qn_call_is_rare(k) ? rare : counts)[k];

            row[k] += n;
            to[k] += n;
            from[k] -= n;
        }
    }
}

static void close_stacks(struct fold *f)
{
    const struct qn_call_stack *stacks = (const struct qn_call_stack *)(f->base + QN_CALL_STACKS_OFF);
    const int64_t *sums = (const int64_t *)(f->store->base + QN_ARENA_COUNTERS_OFF) + f->head.sums;

    for (uint32_t i = 1; i < f->head.stacks; i++) {
        int64_t now[QN_COST_COLUMNS];

        memcpy(now, i == f->head.current ? sums : stacks[i].totals, f->columns * sizeof *now);
        if (stacks[i].used)
            close_stack(f, i == f->head.current ? qn_call_frame_offset((uint64_t)sums[QN_CALL_TOP]) : stacks[i].top, now);
    }
}

/* ---- names ---- */

static uint32_t function_at(struct fold *f, uint32_t map, uint64_t pc)
{
    uint64_t start = qn_cost_call_start(f->base, &f->head, map, pc), bias;
    struct qn_debug *d = qn_cost_open_map(f->modules, map, &bias);
    struct qn_cost_place place;
    const char *name;

    qn_cost_find_place(f->modules, map, start, &place);
    name = d ? qn_debug_name_function(d, start + bias) : NULL;
    name = name ? name : place.function;
    return qn_prof_call_fn_of(f->calls, place.object, name && place.file ? place.file : QN_PROF_NOT_KNOWN, name ? name : QN_PROF_NOT_KNOWN);
}

static uint32_t function_of(struct fold *f, uint32_t i)
{
    struct qn_call_function fn;

    if (f->functions[i])
        return f->functions[i] - 1;
    memcpy(&fn, f->base + QN_CALL_FUNCTIONS_OFF + i * sizeof fn, sizeof fn);
    f->functions[i] = function_at(f, fn.map, fn.pc) + 1;
    return f->functions[i] - 1;
}

/* ---- rows ---- */

static void add_row(const struct fold *f, int64_t *to, const int64_t *from)
{
    for (int i = 0; i < f->events->count; i++)
        to[i] += f->events->which[i] < f->columns ? from[f->events->which[i]] : 0;
}

static uint64_t last_address(const struct fold *f, const struct qn_block_rec *b)
{
    const qn_insn_desc *insns = (const qn_insn_desc *)(f->store->base + QN_ARENA_INSNS_OFF);
    uint64_t pc = b->pc;

    for (uint32_t i = 0; i + 1 < b->ninsns && (uint64_t)b->first_insn + i < f->extent.insns; i++)
        pc += QN_INSN_LEN(insns[b->first_insn + i]);
    return pc;
}

/* The edge's number in `calls`. */
static uint32_t edge_of(struct fold *f, const struct qn_call_edge *e, uint32_t callee)
{
    struct qn_cost_place place;
    struct qn_block_rec b;
    uint32_t caller;

    memcpy(&b, f->store->base + QN_ARENA_BLOCKS_OFF + (e->block - 1ull) * sizeof b, sizeof b);
    caller = function_at(f, b.map, last_address(f, &b));
    qn_cost_find_place(f->modules, b.map, last_address(f, &b), &place);
    return qn_prof_call_edge_of(f->calls, caller, place.file, place.line, callee);
}

/* Does the edge have no costs, because nothing was counted at its calls (--toggle-collect)?  Callgrind leaves such an edge out, too. */
static bool is_aside(const struct fold *f, const int64_t *rows)
{
    for (uint32_t k = 0; k < 2 * f->columns; k++)
        if (rows[k])
            return false;
    return qn_cost_header(f->store)->config.aside;
}

static void fold_edge(struct fold *f, uint32_t i)
{
    struct qn_call_edge e = get_edge(f, i);
    const int64_t *rows = f->edge_rows + 2ull * i * f->columns;
    uint32_t callee, at;

    if (!e.function || e.function >= f->head.functions || e.block > f->extent.blocks || e.calls > INT64_MAX || is_aside(f, rows))
        return;
    callee = function_of(f, e.function);
    f->calls->fns[callee].called += (int64_t)e.calls;
    add_row(f, qn_prof_inclusive(f->calls, callee), rows);
    if (!e.block)
        return;
    at = edge_of(f, &e, callee);
    f->calls->edges[at].calls += (int64_t)e.calls;
    add_row(f, qn_prof_edge_counts(f->calls, at), rows);
    add_row(f, qn_prof_edge_counts(f->calls, at), rows + f->columns);
}

/* Parents come before children, in the arena as in the profile. */
static void fold_node(struct fold *f, uint32_t i)
{
    struct qn_call_node n = get_node(f, i);
    uint32_t at;

    if (!n.function || n.function >= f->head.functions || n.parent >= i || n.calls > INT64_MAX)
        return;
    at = qn_prof_call_node_of(f->calls, n.parent && f->nodes[n.parent] ? f->nodes[n.parent] - 1 : QN_PROF_NO_NODE, function_of(f, n.function));
    f->nodes[i] = at + 1;
    f->calls->nodes[at].calls += (int64_t)n.calls;
    add_row(f, qn_prof_node_counts(f->calls, at), f->node_rows + (uint64_t)i * f->columns);
}

static void add_lost(struct fold *f)
{
    const struct {
        const char *what;
        uint64_t n;
    } lost[] = { { "edges", f->head.lost_edges }, { "depth", f->head.lost_frames }, { "nodes", f->head.lost_nodes }, { "stacks", f->head.lost_stacks } };

    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        if (lost[i].n && lost[i].n <= INT64_MAX)
            qn_prof_add_call_lost(f->calls, lost[i].what, (int64_t)lost[i].n);
}

static void free_fold(struct fold *f)
{
    free(f->functions);
    free(f->nodes);
    free(f->edge_rows);
    free(f->node_rows);
}

void qn_cost_fold_calls(const struct qn_cost_store *store, const struct qn_cost_event_set *events,
                        struct qn_cost_modules *modules, struct qn_prof_calls *calls)
{
    struct fold f = { .store = store, .events = events, .modules = modules, .calls = calls };

    f.extent = qn_cost_get_extent(store);
    if (!take_head(&f))
        return; /* nothing was counted */
    copy_rows(&f);
    qn_prof_begin_calls(calls, events->names, (size_t)events->count);
    close_stacks(&f);
    for (uint32_t i = 1; i < f.head.edges; i++)
        fold_edge(&f, i);
    for (uint32_t i = 1; i < f.head.nodes; i++)
        fold_node(&f, i);
    add_lost(&f);
    free_fold(&f);
}

/* ---- parts of a run ---- */

static void write_rows(const struct fold *f)
{
    size_t row = f->columns * sizeof(int64_t);
    uint8_t *base = f->store->base + QN_ARENA_CALLS_OFF;

    for (uint32_t i = 0; i < f->head.edges; i++)
        memcpy(base + QN_CALL_EDGES_OFF + i * qn_call_edge_bytes(f->columns) + sizeof(struct qn_call_edge),
               f->edge_rows + i * 2ull * f->columns, 2 * row);
    for (uint32_t i = 0; i < f->head.nodes; i++)
        memcpy(base + QN_CALL_NODES_OFF + i * qn_call_node_bytes(f->columns) + sizeof(struct qn_call_node),
               f->node_rows + (uint64_t)i * f->columns, row);
}

void qn_cost_close_calls(const struct qn_cost_store *store)
{
    struct fold f = { .store = store };

    f.extent = qn_cost_get_extent(store);
    if (!take_head(&f))
        return; /* there are none */
    copy_rows(&f);
    close_stacks(&f);
    write_rows(&f);
    qn_cost_header(store)->calls.stacks = 0;
    free_fold(&f);
}

static void subtract_row(int64_t *row, const int64_t *less, uint32_t columns)
{
    for (uint32_t k = 0; k < columns; k++)
        row[k] = (int64_t)((uint64_t)row[k] - (uint64_t)less[k]);
}

static struct qn_call_edge *edge_at(struct fold *f, uint32_t offset)
{
    f->extent = qn_cost_get_extent(f->store);
    if (!take_head(f) || !offset || offset % qn_call_edge_bytes(f->columns) || offset / qn_call_edge_bytes(f->columns) >= f->head.edges)
        return NULL;
    return (struct qn_call_edge *)(f->store->base + QN_ARENA_CALLS_OFF + QN_CALL_EDGES_OFF + offset);
}

void qn_cost_count_call(const struct qn_cost_store *now, const struct qn_cost_store *then, uint32_t offset, bool always)
{
    static const int64_t none[2 * QN_COST_COLUMNS];
    struct fold f = { .store = now }, l = { .store = then };
    struct qn_call_edge *e = edge_at(&f, offset), *before = then ? edge_at(&l, offset) : NULL;

    if (e)
        e->calls += always || memcmp(e + 1, before && l.columns == f.columns ? (int64_t *)(before + 1) : none, 2 * f.columns * sizeof *none);
}

/* A row that both have has the same index in both, because the engine only appends. */
void qn_cost_subtract_calls(const struct qn_cost_store *store, const struct qn_cost_store *less)
{
    struct fold f = { .store = store }, l = { .store = less };

    f.extent = qn_cost_get_extent(store);
    l.extent = qn_cost_get_extent(less);
    if (!take_head(&f) || !take_head(&l) || f.columns != l.columns)
        return;
    for (uint64_t i = 1; i < f.head.edges && i < l.head.edges; i++) {
        uint64_t at = QN_ARENA_CALLS_OFF + QN_CALL_EDGES_OFF + i * qn_call_edge_bytes(f.columns);
        struct qn_call_edge *e = (struct qn_call_edge *)(store->base + at);
        const struct qn_call_edge *from = (const struct qn_call_edge *)(less->base + at);

        e->calls -= from->calls;
        subtract_row((int64_t *)(e + 1), (const int64_t *)(from + 1), 2 * f.columns);
    }
    for (uint64_t i = 0; i < f.head.nodes && i < l.head.nodes; i++) {
        uint64_t at = QN_ARENA_CALLS_OFF + QN_CALL_NODES_OFF + i * qn_call_node_bytes(f.columns);
        struct qn_call_node *n = (struct qn_call_node *)(store->base + at);
        const struct qn_call_node *from = (const struct qn_call_node *)(less->base + at);

        n->calls -= from->calls;
        subtract_row((int64_t *)(n + 1), (const int64_t *)(from + 1), f.columns);
    }
}
