/* lib/run/observe/calls/call_tables.c - --calls: the first instructions of functions, the blocks that may lead from one function to another, and
 * rows of edges and contexts.
 *
 *   a mapping is executed for the first time:  the collector lists its symbols and stubs (QN_MESSAGE_RESOLVED)
 *   call 401136                                a function begins there, whether a symbol says so or not
 *   call puts@plt                              the stub is not a function: the call is counted at the target of the stub's jump
 *   jmp 401200, the address of a symbol        a tail call
 *
 * All code of a file that no symbol covers is one function.  In memory that is not mapped from a file, each called address is a function.
 */
#include "base/hash.h"
#include "guest/exec_map.h"
#include "run/observe/calls/calls.h"
#include "run/run.h"

#define MAPS_MAX (QN_ARENA_MAPS_SIZE / sizeof(struct qn_map_rec))
#define ENTRIES (1u << 21)      /* of the table of addresses that were called without a symbol; half of them are used at most */
#define BUCKETS (1u << 16)

static struct {
    uint32_t first, count;      /* ranges */
    uint32_t uncovered;         /* the function that stands for code without a symbol; 0: none yet */
    uint32_t below_main;        /* the same for (below main) */
} *maps;                        /* by map */
static uint32_t taken;          /* rows of struct qn_call_map */
static uint64_t *entries;       /* by hash of the address */
static uint32_t entry_count;
static uint32_t buckets[BUCKETS];

static uint8_t *table(uint64_t offset) { return qn_arena_at(QN_ARENA_CALLS_OFF + offset); }
static const struct qn_call_range *ranges(void) { return (const struct qn_call_range *)table(QN_CALL_RANGES_OFF); }
static struct qn_call_function *functions(void) { return (struct qn_call_function *)table(QN_CALL_FUNCTIONS_OFF); }

void qn_calls_learn(void)
{
    const struct qn_call_map *rows = (const struct qn_call_map *)table(QN_CALL_MAPS_OFF);

    if (!maps)
        maps = qn_engine_alloc(MAPS_MAX * sizeof *maps);
    for (; taken < qn_arena->calls.maps && taken < QN_CALL_MAPS_SIZE / sizeof *rows; taken++)
        if (rows[taken].map < MAPS_MAX) {
            maps[rows[taken].map].first = rows[taken].first;
            maps[rows[taken].map].count = rows[taken].count;
        }
}

/* The range that covers pc; NULL: none does. */
static const struct qn_call_range *find_range(uint64_t pc)
{
    const struct qn_tree_node *in = qn_exec_find(pc);
    uint32_t first, low;

    if (!in || in->value == QN_NO_MAP || !maps)
        return NULL;
    first = maps[in->value].first;
    low = first + QN_COUNT_WHILE(i, maps[in->value].count, ranges()[first + i].start <= pc);
    if (low == first || pc - ranges()[low - 1].start >= ranges()[low - 1].size)
        return NULL;
    return &ranges()[low - 1];
}

bool qn_calls_is_symbol(uint64_t pc)
{
    const struct qn_call_range *r = find_range(pc);

    return r && r->start == pc && (r->flags & QN_CALL_SYMBOL);
}

static bool is_stub(uint64_t pc)
{
    const struct qn_call_range *r = find_range(pc);

    return r && r->flags == QN_CALL_PLT;
}

/* ---- functions without a symbol ---- */

static uint64_t *find_entry(uint64_t pc)
{
    uint64_t i = pc * 0x9e3779b97f4a7c15ull >> 43; /* 21 bits */

    while (entries[i] && entries[i] != pc)
        i = (i + 1) % ENTRIES;
    return &entries[i];
}

static bool is_entry(uint64_t pc) { return entry_count && *find_entry(pc); }

bool qn_calls_begins(uint64_t pc) { return is_entry(pc) || qn_calls_is_symbol(pc); }

/* A call leads to pc. */
static void called_at(uint64_t pc)
{
    const struct qn_call_range *r;
    uint64_t *at;

    if (!qn_exec_find(pc))
        return;
    qn_probes_learn(pc);
    r = find_range(pc);
    if (r && (r->flags == QN_CALL_PLT || r->start == pc))
        return;
    if (!entries)
        entries = qn_engine_alloc(ENTRIES * sizeof *entries);
    at = find_entry(pc);
    if (*at || entry_count == ENTRIES / 2)
        return;
    *at = pc;
    entry_count++;
    qn_code_changed(pc, pc + 1); /* translations do not know it */
}

void qn_calls_arrives(void)
{
    if (qn_ctx.called && !(qn_ctx.called & QN_CALLED_TAIL) && qn_ctx.exit_kind == QN_EXIT_IBL)
        called_at(qn_ctx.rip);
}

/* ---- numbers ---- */

static uint32_t add_function(uint64_t pc, uint32_t map, uint32_t *bucket)
{
    uint32_t i = qn_arena->calls.functions;

    if ((i + 1) * sizeof *functions() > QN_CALL_FUNCTIONS_SIZE)
        return 0;
    functions()[i] = (struct qn_call_function){.pc = pc, .map = map, .next = *bucket};
    *bucket = i;
    qn_arena->calls.functions = i + 1;
    return i;
}

/* Where the number of the function is that stands for all code like this; NULL: it is a function of its own. */
static uint32_t *stands_for(uint32_t map, const struct qn_call_range *r)
{
    if (!maps || map >= MAPS_MAX)
        return NULL;
    if (r)
        return r->flags & QN_CALL_BELOW_MAIN ? &maps[map].below_main : NULL;
    return qn_arena_text(qn_arena_map_rec(map)->path)[0] ? &maps[map].uncovered : NULL;
}

uint32_t qn_calls_function(uint64_t pc)
{
    const struct qn_call_range *r;
    uint32_t map, i, *bucket, *one;

    if (!qn_exec_find(pc))
        return 0;
    qn_probes_learn(pc);
    map = qn_arena_map_of(pc);
    r = find_range(pc);
    one = stands_for(map, r);
    i = one ? *one : 0;
    if (i)
        return i;
    pc = r ? r->start : pc;
    bucket = &buckets[(pc * 0x9e3779b97f4a7c15ull >> 40) % BUCKETS];
    for (i = *bucket; i; i = functions()[i].next)
        if (functions()[i].pc == pc && functions()[i].map == map)
            break;
    i = i ? i : add_function(pc, map, bucket);
    if (one)
        *one = i;
    return i;
}

/* ---- blocks ---- */

static bool loads_rsp(const struct qn_insn *in)
{
    if (in->map || !(in->writes >> QN_RSP & 1))
        return false;
    switch (in->opcode) {
    case 0x89: return !in->n_mem && in->rm == QN_RSP && in->reg != QN_RBP;
    case 0x8b: return in->reg == QN_RSP && (in->n_mem || in->rm != QN_RBP);
    case 0x87: return in->reg == QN_RSP || (!in->n_mem && in->rm == QN_RSP);
    case 0x94: return true;           /* xchg %rax, %rsp */
    case 0x5c: return !(in->rex & 1); /* pop %rsp, not pop %r12 */
    default: return false;
    }
}

/* Does the block return or jump to another function at its end, or does the code behind, if it had no room for all of it? */
static bool leaves(const struct qn_block *b)
{
    struct qn_insn in = {.cls = QN_CLS_OTHER};
    uint64_t pc = b->next;

    if (b->end != QN_END_FALL)
        return b->end == QN_END_RET || b->end == QN_END_JMP_IND;
    for (unsigned n = b->n; n < QN_BLOCK_MAX && in.cls == QN_CLS_OTHER; n++, pc += in.len)
        if (qn_block_decode((const uint8_t *)(uintptr_t)pc, qn_exec_avail(pc, QN_INSN_MAX_LEN), &in) != QN_DEC_OK)
            return false;
    return in.cls == QN_CLS_RET || in.cls == QN_CLS_JMP_IND;
}

/* Does the block switch stacks?  It loads rsp from memory, or from another register and then leaves.  (alloca does neither.) */
static bool moves(const struct qn_block *b)
{
    for (unsigned i = 0; i < b->n; i++)
        if (loads_rsp(&b->insn[i]) && (b->insn[i].n_mem || leaves(b)))
            return true;
    return false;
}

/* Does the block go on, or jump, into another function than its own, or to a stub that does? */
static bool goes_to_another(const struct qn_block *b, uint64_t to)
{
    if (!qn_exec_find(to))
        return false;
    qn_probes_learn(to);
    return (qn_calls_is_symbol(to) || (is_stub(to) && !is_stub(b->pc))) && find_range(to) != find_range(b->at[b->n - 1]);
}

static bool is_tail_call(const struct qn_block *b)
{
    switch (b->end) {
    case QN_END_JMP: return goes_to_another(b, b->target);
    case QN_END_JCC:
    case QN_END_LOOP: return goes_to_another(b, b->target) || goes_to_another(b, b->next);
    default: return goes_to_another(b, b->next);
    }
}

/* The value of ctx.called at the end of this block, if its last instruction may lead to another function. */
static uint32_t called_by(const struct qn_block *b, uint32_t record)
{
    switch (b->end) {
    case QN_END_CALL:
        if (b->target == b->next) /* call 1f; 1: pop %rbx */
            return 0;
        called_at(b->target);
        return record + 1;
    case QN_END_CALL_IND: return record + 1;
    case QN_END_RET: return (record + 1) | QN_CALLED_TAIL;
    case QN_END_JMP_IND: return is_stub(b->pc) ? 0 : (record + 1) | QN_CALLED_TAIL;
    default: return is_tail_call(b) ? (record + 1) | QN_CALLED_TAIL : 0;
    }
}

void qn_calls_mark(struct qn_block *b, uint32_t record, const qn_insn_desc *desc)
{
    struct qn_block_calls *c = &b->calls;
    bool symbol = qn_calls_is_symbol(b->pc);
    int64_t sum[QN_COST_EVENTS] = {0};

    if (symbol || is_entry(b->pc))
        c->entry = qn_calls_function(b->pc) | (symbol ? QN_ENTRY_SYMBOL : 0);
    c->called = called_by(b, record);
    c->returns = b->end == QN_END_RET || (b->end == QN_END_JMP_IND && c->called);
    c->moves = moves(b);
    _Static_assert(sizeof c->adds == QN_COST_EVENTS, "block.h");
    qn_arena_add_executed(desc, b->n, 1, sum);
    for (unsigned k = 0; k < QN_COST_EVENTS; k++)
        c->adds[k] = (uint8_t)sum[k];
}

/* ---- rows of edges and of contexts ----
 *
 * A hash table finds both; the edge that a block used last, and the context that another one led to last, are looked at first.
 */

#define RECORDS_MAX (QN_ARENA_BLOCKS_SIZE / sizeof(struct qn_block_rec))

struct qn_call_last *qn_calls_last;
static uint32_t *recent;     /* by node: the one found last */

/* Rows that begin with where a call comes from (a block, a context) and the function that is called. */
static struct rows {
    uint64_t first, size;    /* in the section of calls, bytes */
    uint64_t bytes;          /* of a row */
    uint32_t *places, mask;  /* hash table of row numbers; 0: none */
} edges = {.first = QN_CALL_EDGES_OFF, .size = QN_CALL_EDGES_SIZE}, nodes = {.first = QN_CALL_NODES_OFF, .size = QN_CALL_NODES_SIZE};

/* Makes a hash table of which at most half is used. */
static void make_rows(struct rows *t, uint64_t bytes)
{
    uint64_t most = t->size / bytes, n = qn_cfg()->calls_room < most ? qn_cfg()->calls_room : most, places = 2ull << qn_log2(2 * n + 2);

    t->bytes = bytes;
    t->places = qn_engine_alloc(places * sizeof *t->places);
    t->mask = (uint32_t)places - 1;
}

void qn_calls_rows_init(void)
{
    make_rows(&edges, qn_call_edge_bytes(qn_arena->calls.columns));
    qn_calls_last = qn_engine_alloc((RECORDS_MAX + 1) * sizeof *qn_calls_last);
    if (qn_cfg()->calls != QN_CALLS_PATHS)
        return;
    make_rows(&nodes, qn_call_node_bytes(qn_arena->calls.columns));
    recent = qn_engine_alloc((QN_CALL_NODES_SIZE / nodes.bytes + 1) * sizeof *recent);
}

static uint32_t *row(const struct rows *t, uint32_t i) { return (uint32_t *)(void *)table(t->first + i * t->bytes); }

struct qn_call_node *qn_calls_node(uint32_t i) { return (struct qn_call_node *)(void *)row(&nodes, i); }

/* The number of the row; 0: there is no room for another. */
static uint32_t find_row(struct rows *t, uint32_t from, uint32_t function, uint32_t *used, uint64_t *lost)
{
    uint32_t at = (uint32_t)qn_hash_mix((uint64_t)from << 32 | function) & t->mask, n = *used;

    for (; t->places[at]; at = (at + 1) & t->mask)
        if (row(t, t->places[at])[0] == from && row(t, t->places[at])[1] == function)
            return t->places[at];
    if (n > qn_cfg()->calls_room || (n + 1ull) * t->bytes > t->size) { /* row 0 is besides */
        ++*lost;
        return 0;
    }
    row(t, n)[0] = from;
    row(t, n)[1] = function;
    *used = n + 1;
    return t->places[at] = n;
}

uint32_t qn_calls_search_edge(uint32_t block, uint32_t function)
{
    struct qn_call_head *h = &qn_arena->calls;
    uint32_t i = find_row(&edges, block, function, &h->edges, &h->lost_edges) * (uint32_t)edges.bytes;

    if (i)
        qn_calls_last[block] = (struct qn_call_last){.edge = i, .function = function};
    return i;
}

uint32_t qn_calls_find_node(uint32_t parent, uint32_t function)
{
    struct qn_call_head *h = &qn_arena->calls;
    uint32_t i = recent[parent];

    if (QN_LIKELY(i && qn_calls_node(i)->function == function))
        return i;
    i = find_row(&nodes, parent, function, &h->nodes, &h->lost_nodes);
    if (i)
        recent[parent] = i;
    return i;
}
