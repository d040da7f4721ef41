/* lib/sim/adapt/beside.h - a module that stands beside a cache and sees each of its references (BESIDE): tlb.
 *
 *   D1=tlb          beside the default cache
 *   D1=srrip+tlb    beside another
 *
 * In:  beside_init(config)  beside_ref(addr, size, kind), called before the cache looks  beside_settled(line): a further reference to this line changes
 *      nothing in the module; when that ceases to be true, it calls sim_dropped(line)
 * Out: these three for the adapter of the cache, BESIDE_NAME; if there is no other module, a LEVEL: least recently used, write-allocate */

#ifndef BESIDE
#define BESIDE_NAME ""
#define beside_init(config) ((void)(config))
#define beside_ref(addr, size, kind) ((void)(addr), (void)(size), (void)(kind))
#define beside_settled(line) ((void)(line), true)
#elif defined(POLICY) || defined(LEVEL) || defined(PREFETCHER) || defined(COHERENCE)
#define BESIDE_NAME "+" BESIDE
#else
#include "sim/lines.h"

#define BESIDE_NAME ""
#define LEVEL BESIDE
#define LEVEL_LINES level_lines
#define LEVEL_DROP 1
#define LEVEL_SETTLED 1
#define LEVEL_WRITES_SETTLED 1

static struct lines level_lines;

static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&level_lines, c->sets, c->ways, c->line_bits); }
static __attribute__((unused)) bool cachesim_X_settled(uint64_t line) { return lines_newest(&level_lines, line); }
static void cachesim_X_drop(uint64_t line) { lines_remove(&level_lines, line); }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        if (lines_find(&level_lines, line))
            continue;
        result->miss = true;
        lines_add(&level_lines, line, 0);
    }
}
#endif

/* ---- the slots that a module is for, of LEVEL_SLOTS or BESIDE_SLOTS ---- */

#define ONLY "is not for this slot, only for"

static inline void level_check_slot(const char *name, unsigned slots)
{
    static const char *const texts[] = {ONLY " none", ONLY " I1", ONLY " D1", ONLY " I1 D1",
                                        ONLY " LL", ONLY " I1 LL", ONLY " D1 LL", ONLY " I1 D1 LL"};

    if (!(slots & UNIT_BIT))
        sim_fail(sim.slot, name, "LEVEL_SLOTS", 0, texts[slots]);
}

static inline void beside_start(const struct sim_config *config)
{
#ifdef BESIDE_SLOTS
    level_check_slot(BESIDE, BESIDE_SLOTS);
#endif
    beside_init(config);
}
