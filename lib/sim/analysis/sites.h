/* analysis/sites.h - records of an analysis, for example one for each instruction, found by two numbers.
 *
 *   struct mine { struct site site; uint64_t count; };
 *
 *   sites_init(&sites, sizeof(struct mine));
 *   struct mine *m = (struct mine *)sites_find(&sites, pc, what);     a new record is zero except for its site; NULL: the table is full
 *
 * This is a hash table whose records never move, so pointers to them stay valid.  sites_at returns them in the order of their creation.
 * The table has a part of the hash beside each record's number, so nearly all look-ups touch only the right record.  With s->make the
 * records lie elsewhere, side by side: make(pc, what) returns the next one, or NULL if there is no room.
 */
#ifndef QN_SIM_ANALYSIS_SITES_H
#define QN_SIM_ANALYSIS_SITES_H

#include "sim/module.h"

#define SITES_BITS_FIRST 12                    /* initial size of the table, small, so that few records use little memory */
#ifndef SITES_BITS
#define SITES_BITS 21                          /* largest size */
#endif
#define SITES_MAX ((1u << SITES_BITS) / 4 * 3) /* records: 1.5 million, a quarter of the table stays free */
#define SITES_NUMBER 0xffffffffu               /* the bits of an entry with the record's number; above them, the low half of the hash */
#define SITES_LAST 8192u                       /* records that can be found without the table */
#define SITES_CHUNK 4096u                      /* records that are allocated at a time */

struct site {
    uint64_t pc, what; /* the key */
};

struct sites {
    uint64_t *table;   /* number of the record + 1, 0 = free */
    uint8_t **chunks;
    struct site **last; /* a cache of the records found last, indexed by the sum of the key's numbers */
    uint32_t count, bytes, bits;
    uint64_t *lost;    /* a cell: look-ups that failed because the table was full */
    struct site *(*make)(uint64_t pc, uint64_t what); /* NULL: records lie in memory of the module */
};

static void sites_init(struct sites *s, uint32_t bytes)
{
    s->bytes = bytes;
    s->bits = SITES_BITS_FIRST;
    s->lost = sim_cells(1);
    s->table = sim_alloc((1ull << s->bits) * sizeof *s->table);
    s->last = sim_alloc(SITES_LAST * sizeof *s->last);
    s->chunks = sim_alloc((SITES_MAX / SITES_CHUNK + 1) * sizeof *s->chunks);
}

static struct site *sites_at(const struct sites *s, uint32_t number)
{
    return (struct site *)(void *)(s->chunks[number / SITES_CHUNK] + (uint64_t)(number % SITES_CHUNK) * s->bytes);
}

static uint64_t sites_hash(uint64_t pc, uint64_t what) { return (pc ^ what * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull; }

static bool sites_is(const struct sites *s, uint64_t entry, uint64_t pc, uint64_t what)
{
    const struct site *site;

    if ((entry ^ sites_hash(pc, what) << 32) >> 32)
        return false;
    site = sites_at(s, (uint32_t)entry - 1);
    return site->pc == pc && site->what == what;
}

/* The entry of the record, or the free entry where it would be. */
static uint64_t *sites_entry(const struct sites *s, uint64_t pc, uint64_t what)
{
    uint64_t at = sites_hash(pc, what) >> (64 - s->bits);

    while (s->table[at] && !sites_is(s, s->table[at], pc, what))
        at = (at + 1) & ((1u << s->bits) - 1);
    return &s->table[at];
}

static void sites_enter(struct sites *s, const struct site *site, uint32_t number)
{
    *sites_entry(s, site->pc, site->what) = sites_hash(site->pc, site->what) << 32 | (number + 1);
}

/* Old tables are not freed: all tables together take twice the memory of the last one. */
static void sites_grow(struct sites *s)
{
    s->bits++;
    s->table = sim_alloc((1ull << s->bits) * sizeof *s->table);
    for (uint32_t i = 0; i < s->count; i++)
        sites_enter(s, sites_at(s, i), i);
}

/* The next record; NULL: there is no room. */
static struct site *sites_make(struct sites *s, uint64_t pc, uint64_t what)
{
    struct site *made = NULL;

    if (s->count == SITES_MAX || (s->make && !(made = s->make(pc, what))))
        return NULL;
    if (s->count % SITES_CHUNK == 0)
        s->chunks[s->count / SITES_CHUNK] = made ? (void *)made : sim_alloc((uint64_t)SITES_CHUNK * s->bytes);
    made = sites_at(s, s->count);
    *made = (struct site){pc, what};
    return made;
}

static struct site *sites_add(struct sites *s, uint64_t pc, uint64_t what)
{
    struct site *site = sites_make(s, pc, what);

    if (!site) {
        ++*s->lost;
        return NULL;
    }
    if (s->count == (1u << s->bits) / 4 * 3)
        sites_grow(s);
    sites_enter(s, site, s->count++);
    return site;
}

static __attribute__((noinline)) struct site *sites_find_again(struct sites *s, uint64_t pc, uint64_t what)
{
    uint32_t number = *sites_entry(s, pc, what) & SITES_NUMBER;

    return number ? sites_at(s, number - 1) : sites_add(s, pc, what);
}

/* The record of this key.  Nearly all look-ups are answered by `last`. */
static inline struct site *sites_find(struct sites *s, uint64_t pc, uint64_t what)
{
    struct site **last = &s->last[(pc + what) % SITES_LAST];

    if (QN_UNLIKELY(!*last || (*last)->pc != pc || (*last)->what != what))
        *last = sites_find_again(s, pc, what);
    return *last;
}

/* The same; *memo caches the record.  It must be NULL at first and used for this key only.  memo NULL: no cache. */
static inline void *sites_find_by(struct sites *s, void **memo, uint64_t pc, uint64_t what)
{
    const struct site *site = memo ? *memo : NULL;

    if (QN_LIKELY(site && site->pc == pc && site->what == what))
        return *memo;
    if (!memo)
        return sites_find(s, pc, what);
    return *memo = sites_find(s, pc, what);
}

#endif
