/* lab 10 levels.c huge.c: the first buffer of tlb.c, and a walk of four entries at each miss.
 * levels | huge */
#include "sim/lines.h"

#define LEVEL "tlb"

static struct lines first;

static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&first, c->sets, c->ways, 12); }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        if (lines_find(&first, line))
            continue;
        lines_add(&first, line, 0);
        result->miss = result->next_done = true;
        for (unsigned level = 4; level-- > 0;)
            sim_next((1ull << 60) + ((uint64_t)level << 44) + 8 * (line >> (12 + 9 * level)), 8, SIM_READ);
    }
}
