/* lib/cost/beside/loads.c - findings of loads by level.  See loads.h. */
#include "cost/beside/loads.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/count.h"
#include "cost/leaves.h"
#include "text/radix.h"

enum { D, L, M, CYCLES, ROWS }; /* of an instruction */

struct load {
    uint64_t pc;
    uint32_t map, pad;
    int64_t loads, L1_misses, LL_misses;
};

struct loads {
    const struct qn_cost_store *store;
    struct qn_cost_extent extent;
    struct qn_cost_leaves leaves;
    struct load *list;
    size_t count, room;
};

static void add(struct loads *l, uint32_t map, uint64_t pc, const int64_t sum[QN_COST_EVENTS])
{
    if (!sum[QN_COST_DR] && !sum[QN_COST_D1MR])
        return;
    QN_MORE(l->list, l->count, l->room, 1024);
    l->list[l->count++] = (struct load){ pc, map, 0, sum[QN_COST_DR], sum[QN_COST_D1MR], sum[QN_COST_DLMR] };
}

static void add_insns(struct loads *l, const struct qn_block_rec *b, uint64_t x)
{
    const volatile qn_insn_desc *insns = (const volatile qn_insn_desc *)(l->store->base + QN_ARENA_INSNS_OFF) + b->first_insn;
    const uint64_t *counters = (const uint64_t *)(const void *)(l->store->base + QN_ARENA_COUNTERS_OFF);
    uint64_t next = b->misses ? b->misses : (uint64_t)b->counter + 1, pc = b->pc;

    for (uint32_t i = 0; i < b->ninsns; i++) {
        int64_t sum[QN_COST_EVENTS] = { 0 };
        uint32_t d = insns[i];

        if (next + qn_insn_counters(d) > l->extent.counters)
            return;
        x = qn_cost_count_executions(&l->leaves, i, x);
        qn_cost_count(d, x, counters + next, sum);
        add(l, b->map, pc, sum);
        next += qn_insn_counters(d);
        pc += QN_INSN_LEN(d);
    }
}

/* A block that does not lie in the arena is left out, as in fold.c, which reports it. */
static void add_block(struct loads *l, uint64_t at)
{
    struct qn_block_rec b;
    uint64_t x;

    memcpy(&b, l->store->base + QN_ARENA_BLOCKS_OFF + at * sizeof b, sizeof b);
    if (b.counter >= l->extent.counters || b.first_insn > l->extent.insns || b.ninsns > l->extent.insns - b.first_insn)
        return;
    x = ((const volatile uint64_t *)(const void *)(l->store->base + QN_ARENA_COUNTERS_OFF))[b.counter];
    if (!x || x > QN_COST_COUNTER_MAX)
        return;
    qn_cost_seek_leaves(&l->leaves, (uint32_t)at);
    add_insns(l, &b, x);
}

void qn_cost_sort_insns(struct qn_text_key *keys, const uint32_t *maps, size_t n)
{
    qn_text_sort_keys(keys, n);
    for (size_t i = 0; i < n; i++)
        keys[i].key = maps[keys[i].id];
    qn_text_sort_keys(keys, n);
}

static void sort(struct loads *l)
{
    struct qn_text_key *keys = QN_NEEDED(malloc((l->count + 1) * sizeof *keys));
    uint32_t *maps = QN_NEEDED(malloc((l->count + 1) * sizeof *maps));
    struct load *sorted = QN_NEEDED(malloc((l->count + 1) * sizeof *sorted));

    for (size_t i = 0; i < l->count; i++) {
        keys[i] = (struct qn_text_key){ l->list[i].pc, i };
        maps[i] = l->list[i].map;
    }
    qn_cost_sort_insns(keys, maps, l->count);
    for (size_t i = 0; i < l->count; i++)
        sorted[i] = l->list[keys[i].id];
    free(keys);
    free(maps);
    free(l->list);
    l->list = sorted;
}

/* Rows of the same instruction, from several blocks, become one.  They are sorted. */
static void add_up(struct loads *l)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->count; i++) {
        struct load *to = l->list + kept - 1, *from = l->list + i;

        if (!kept || to->pc != from->pc || to->map != from->map) {
            l->list[kept++] = *from;
            continue;
        }
        to->loads += from->loads;
        to->L1_misses += from->L1_misses;
        to->LL_misses += from->LL_misses;
    }
    l->count = kept;
}

static void put_levels(struct qn_finding row[ROWS], const struct load *l, const uint64_t cycles[M + 1])
{
    static const char names[ROWS][QN_FINDING_NAME] = { "D", "L", "M", "cycles" };
    uint64_t served[] = { (uint64_t)(l->loads - l->L1_misses), (uint64_t)(l->L1_misses - l->LL_misses), (uint64_t)l->LL_misses };

    for (unsigned i = 0; i < ROWS; i++) {
        row[i] = (struct qn_finding){ .pc = l->pc, .map = l->map, .of = (uint64_t)l->loads, .kept = QN_COST_OF_COUNTERS };
        memcpy(row[i].what, names[i], sizeof row[i].what);
        row[i].count = i <= M ? served[i] : served[D] * cycles[D] + served[L] * cycles[L] + served[M] * cycles[M];
    }
}

struct qn_finding *qn_cost_find_loads(const struct qn_cost_store *store, size_t *count)
{
    struct loads l = { .store = store };
    uint64_t cycles[M + 1];
    struct qn_finding *rows;

    *count = 0;
    memcpy(cycles, qn_cost_header(store)->sim_output.load_cycles, sizeof cycles);
    l.extent = qn_cost_get_extent(store);
    qn_cost_sort_leaves(&l.leaves, store);
    for (uint64_t i = 0; i < l.extent.blocks; i++)
        add_block(&l, i);
    sort(&l);
    add_up(&l);
    rows = QN_NEEDED(malloc((ROWS * l.count + 1) * sizeof *rows));
    for (size_t i = 0; i < l.count; i++)
        if (l.list[i].loads)
            put_levels(rows + ROWS * (*count)++, &l.list[i], cycles);
    *count *= ROWS;
    qn_cost_free_leaves(&l.leaves);
    free(l.list);
    return rows;
}
