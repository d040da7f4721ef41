/* lab 10 tlb.c: pages that were used once are there for ever.
 * tlb */
#include "sim/module.h"

#define LEVEL "tlb"

static uint8_t seen[1 << 20];

static void cachesim_X_initcache(const struct sim_config *c) { (void)c; }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    for (uint64_t page = addr >> 12; page <= (addr + size - 1) >> 12; page++) {
        if (seen[page % (1 << 20)])
            continue;
        seen[page % (1 << 20)] = 1;
        result->miss = result->next_done = true;
        for (unsigned level = 4; level-- > 0;)
            sim_next((1ull << 60) + ((uint64_t)level << 44) + 8 * (addr >> (12 + 9 * level)), 8, SIM_READ);
    }
}
