/* lib/sim/many/fetches.c - slot LL of a build that simulates many caches at once; see many.h.  It gets the fetches that missed the I1,
 * for all LLs, and from caches.c each data reference with the D1s that missed it, for the LLs below these.
 *
 * This unit does not use the table's numbers as constants, so it is the same for all builds and is compiled in advance
 * (libquern-many.a).  Therefore it also has the rarely executed parts of slot D1.
 */
#include "sim/many/many.h"

#define LEVEL "many"
#define LEVEL_FINISH 1

#include "sim/many/last_levels.h"
#include "sim/many/seldom.h"
#include "sim/many/log.h"

unsigned many_last_levels(uint64_t D1s, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    return last_levels_ref(D1s, addr, size, kind);
}

static void cachesim_LL_initcache(const struct sim_config *config) 
{
    last_levels_init(config->seed);
    if (many_logs)
        many_log_init();
}

static void cachesim_LL_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    result->miss = many_last_levels(~0ull, addr, size, kind);
}

static void cachesim_LL_finish(void) { last_levels_finish(); }
