/* analysis/sites.h - what an analysis keeps of each instruction: records of one size, found by two numbers.
 *
 *   struct mine { struct site site; uint64_t count; };
 *
 *   sites_init(&sites, sizeof(struct mine));
 *   struct mine *m = (struct mine *)sites_find(&sites, pc, what);     zero but for its site when it is new; NULL: no room
 *
 * A hash table whose records never move, so that pointers to them stay good.  sites_at gives them in the order in which they came.
 */
#ifndef QN_SIM_ANALYSIS_SITES_H
#define QN_SIM_ANALYSIS_SITES_H

#include "sim/module.h"

#define SITES_BITS 21
#define SITES_MAX ((1u << SITES_BITS) / 4 * 3) /* records: 1.5 million, a quarter of the table stays free */
#define SITES_CHUNK 4096u                      /* records that are asked for at a time */

struct site {
    uint64_t pc, what; /* the key */
};

struct sites {
    uint32_t *table;   /* number of the record + 1, 0 = free */
    uint8_t **chunks;
    uint32_t count, bytes;
    uint64_t lost;     /* times that there was no room */
};

static void sites_init(struct sites *s, uint32_t bytes)
{
    s->bytes = bytes;
    s->table = sim_alloc((1ull << SITES_BITS) * sizeof *s->table);
    s->chunks = sim_alloc((SITES_MAX / SITES_CHUNK + 1) * sizeof *s->chunks);
}

static struct site *sites_at(const struct sites *s, uint32_t number)
{
    return (struct site *)(void *)(s->chunks[number / SITES_CHUNK] + (uint64_t)(number % SITES_CHUNK) * s->bytes);
}

static struct site *sites_add(struct sites *s, uint32_t *slot)
{
    if (s->count == SITES_MAX) {
        s->lost++;
        return NULL;
    }
    if (s->count % SITES_CHUNK == 0)
        s->chunks[s->count / SITES_CHUNK] = sim_alloc((uint64_t)SITES_CHUNK * s->bytes);
    *slot = ++s->count;
    return sites_at(s, s->count - 1);
}

static struct site *sites_find(struct sites *s, uint64_t pc, uint64_t what)
{
    uint64_t at = (pc ^ what * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull >> (64 - SITES_BITS);
    struct site *site;

    for (; s->table[at]; at = (at + 1) & ((1u << SITES_BITS) - 1)) {
        site = sites_at(s, s->table[at] - 1);
        if (site->pc == pc && site->what == what)
            return site;
    }
    site = sites_add(s, &s->table[at]);
    if (site)
        *site = (struct site){pc, what};
    return site;
}

#endif
