/* lib/cost/places/sites.c - blocks by their counters.  See sites.h. */
#include "cost/places/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/base.h"

static struct qn_block_rec get_block(const struct qn_cost_store *s, uint64_t i)
{
    struct qn_block_rec b;

    memcpy(&b, s->base + QN_ARENA_BLOCKS_OFF + i * sizeof b, sizeof b);
    return b;
}

static int compare(const void *left, const void *right)
{
    const struct qn_cost_site_block *a = left, *b = right;

    return a->first < b->first ? -1 : a->first > b->first;
}

void qn_cost_index_sites(struct qn_cost_sites *s, const struct qn_cost_store *store)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);

    *s = (struct qn_cost_sites){ .store = store, .count = e.blocks };
    s->list = QN_NEEDED(malloc((e.blocks + 1) * sizeof *s->list));
    for (uint64_t i = 0; i < e.blocks; i++) {
        struct qn_block_rec b = get_block(store, i);

        s->list[i] = (struct qn_cost_site_block){ b.misses ? b.misses : b.counter + 1, (uint32_t)i };
    }
    qsort(s->list, e.blocks, sizeof *s->list, compare);
}

void qn_cost_free_sites(struct qn_cost_sites *s)
{
    free(s->list);
    *s = (struct qn_cost_sites){ 0 };
}

/* Counters of an instruction are those of its fetch, its reads, its writes. */
static bool is_write(uint32_t d, uint64_t counter)
{
    return counter >= 2u * QN_INSN_NREAD(d) + (d & QN_INSN_IMISS ? 2 : 0);
}

static bool find_in_block(const struct qn_cost_sites *s, const struct qn_block_rec *b, uint64_t next, uint32_t site, uint64_t *pc, bool *writes)
{
    const volatile qn_insn_desc *insns = (const qn_insn_desc *)(s->store->base + QN_ARENA_INSNS_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(s->store);

    *pc = b->pc;
    for (uint32_t i = 0; i < b->ninsns && (uint64_t)b->first_insn + i < e.insns; i++) {
        uint32_t d = insns[b->first_insn + i];

        next += qn_insn_counters(d);
        *writes = is_write(d, site - (next - qn_insn_counters(d)));
        if (site < next)
            return true;
        *pc += QN_INSN_LEN(d);
    }
    return false;
}

/* Blocks without counters begin where the next one does: they sort before or behind it, and are passed over. */
bool qn_cost_find_reference(const struct qn_cost_sites *s, uint32_t site, uint32_t *map, uint64_t *pc, bool *writes)
{
    uint64_t at = QN_COUNT_WHILE(i, s->count, s->list[i].first <= site);

    for (; at > 0; at--) {
        struct qn_block_rec b = get_block(s->store, s->list[at - 1].block);

        *map = b.map;
        if (find_in_block(s, &b, s->list[at - 1].first, site, pc, writes))
            return true;
        if (at > 1 && s->list[at - 2].first != s->list[at - 1].first)
            return false;
    }
    return false;
}

bool qn_cost_find_site(const struct qn_cost_sites *s, uint32_t site, uint32_t *map, uint64_t *pc)
{
    bool writes;

    return qn_cost_find_reference(s, site, map, pc, &writes);
}
