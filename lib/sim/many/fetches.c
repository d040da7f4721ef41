/* lib/sim/many/fetches.c - slot LL of a build that simulates many caches at once; see many.h.  Data references never come
 * here: each D1 asks its own LLs (caches.c). */
#include "sim/many/many.h"

#define LEVEL "many"
#define LEVEL_FINISH 1

static void cachesim_LL_initcache(const struct sim_config *config) { (void)config; }

static void cachesim_LL_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    result->miss = many_fetch(addr, size);
}

static void cachesim_LL_finish(void) { many_finish_last_levels(); }
