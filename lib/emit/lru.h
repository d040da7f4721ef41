/* lib/emit/lru.h - the registers of the stub of the default data cache (lru_stub.c), and what its parts need. */
#ifndef QN_EMIT_LRU_H
#define QN_EMIT_LRU_H

#include "emit/internal.h"

#define LRU_SAVED 4

struct lru {
    struct qn_code c;
    unsigned line, home, now;        /* S1, S2 and the clock; home: offset in the tables */
    unsigned set, slot, time, other; /* set, slot: offsets of the set's first entry and of the victim's entry */
    unsigned saved[LRU_SAVED];       /* set, slot, time and other */
    unsigned slots;                  /* of a set */
    uint32_t stride;                 /* bytes between two slots of a set */
};

static inline void lru_restore(struct lru *s) { emit_restore(&s->c, LRU_SAVED, s->saved); }

/* With --stats: incq data.  References that go on to C are counted there. */
static inline void lru_count_slow(struct lru *s)
{
    if (emit_rules.stats)
        x_inc(&s->c, (uint64_t)(uintptr_t)&qn_sim_traffic.data);
}

/* lru_next.c */
bool emit_lru_pass(struct lru *s); /* --explain: writes the miss down, for one call of C for many; false: they are not written down */
void emit_lru_next(struct lru *s, const struct emitter *e);

#endif
