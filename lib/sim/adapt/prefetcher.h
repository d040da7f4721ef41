/* lib/sim/adapt/prefetcher.h - makes a unit of a prefetcher (PREFETCHER).  The cache around it is least recently used and
 * write-allocate; a line has a mark from its prefetch to its first use.
 * The account is prefetches.h; beside a policy, the cache is policy.h's.
 *
 * With the option pollution=1 a second cache, which nothing is prefetched into, sees the same references: a miss that hits there is one that prefetches
 * have caused.  What a prefetcher of a level above brings in trains no prefetcher here, and uses no prefetched line up.
 *
 * In:  prefetcher_ref(addr, size, kind, miss), called after a miss and after the first use of a prefetched line; with
 *      PREFETCHER_SEES_HITS, after each reference.  PREFETCHER_INIT: prefetcher_init(config), called first
 * Out: sim_prefetch; unit_init, unit_ref, unit_drop, unit_show, unit_finish
 *
 * The next level sees the reference first, then the prefetches.  A line that is in the cache is not prefetched.  Without
 * PREFETCHER_SEES_HITS, the most recently used line of a set is settled if it has no mark. */
#include "sim/lines.h"
#include "sim/adapt/prefetches.h"

/* ---- what a prefetcher may leave out ---- */

#ifndef PREFETCHER_INIT
static void prefetcher_init(const struct sim_config *config) { (void)config; }
#endif
#ifndef LEVEL_SLOTS
#define LEVEL_SLOTS (LEVEL_IN_I1 | LEVEL_IN_D1 | LEVEL_IN_LL)
#endif
#ifdef PREFETCHER_SEES_HITS
enum { LEVEL_SEES_HITS = 1 };
#else
enum { LEVEL_SEES_HITS = 0 };
#define LEVEL_SETTLED 1
#endif

#define LEVEL PREFETCHER
#define LEVEL_LINES level_lines
#define LEVEL_WRITES_SETTLED 1
#define LEVEL_DROP 1
#define LEVEL_FINISH 1

enum { LEVEL_PREFETCHED = 1 }; /* flag of a line: prefetched and not used yet */

static struct lines level_lines, level_without;
static bool level_compares; /* the option pollution */
static unsigned level_polluting, level_saved;

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&level_lines, c->sets, c->ways, c->line_bits);
    prefetches_init(c);
    level_compares = sim_option_within(c->slot, PREFETCHER, "pollution", 0, 0, 1);
    if (level_compares) {
        lines_init(&level_without, c->sets, c->ways, c->line_bits);
        level_polluting = sim_event(c->slot, "polluting", "misses on lines that the cache without prefetches has");
        level_saved = sim_event(c->slot, "saved", "hits on lines that the cache without prefetches has not");
    }
    prefetcher_init(c);
}

static void level_add(uint64_t line, uint8_t flags)
{
    lines_add(&level_lines, line, flags);
    if (level_lines.out != LINES_NONE && (level_lines.out_flags & LEVEL_PREFETCHED))
        sim_count(level_unused, 1);
}

static inline void level_newest_changes(uint64_t line);

static inline __attribute__((unused)) bool sim_prefetch(uint64_t addr)
{
    uint64_t line = addr & ~(uint64_t)(sim.line - 1);

    if (lines_has(&level_lines, line))
        return false;
    sim_count(level_prefetches, 1);
    sim_next(line, sim.line, SIM_PREFETCH);
    level_newest_changes(line);
    level_add(line, LEVEL_PREFETCHED);
    return true;
}

static void level_compare(uint64_t line, bool miss)
{
    bool without = !lines_find(&level_without, line);

    if (without)
        lines_add(&level_without, line, 0);
    if (miss != without)
        sim_count(miss ? level_polluting : level_saved, 1);
}

/* The reference goes on to the next level, once. */
static void level_go_on(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    if (result->next_done)
        return;
    result->next_done = true;
    result->next_miss = sim_next(addr, size, kind);
}

/* A line of a reference: returns true on a miss and on the first use of a prefetched line. */
static inline bool level_use(uint64_t line, uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    uint8_t *flags = lines_find(&level_lines, line);
    bool ahead = kind == SIM_PREFETCH;

    if (!flags)
        level_go_on(addr, size, kind, result);
    if (level_compares)
        level_compare(line, !flags);
    if (!flags) {
        level_misses += !ahead;
        result->miss = true;
        level_add(line, 0);
        return true;
    }
    if (!*flags || ahead)
        return false;
    sim_count(level_useful, 1);
    *flags = 0;
    return true;
}

static bool level_misses_some(uint64_t addr, uint32_t size)
{
    LINES_OF(line, addr, size)
        if (!lines_has(&level_lines, line))
            return true;
    return false;
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    bool first = false;

    if (((addr ^ (addr + size - 1)) & ~(uint64_t)(sim.line - 1)) && level_misses_some(addr, size))
        level_go_on(addr, size, kind, result);
    LINES_OF(line, addr, size)
        first |= level_use(line, addr, size, kind, result);
    if ((first || LEVEL_SEES_HITS) && kind != SIM_PREFETCH)
        prefetcher_ref(addr, size, kind, result->miss);
}

#ifdef LEVEL_SETTLED
static inline __attribute__((unused)) bool cachesim_X_settled(uint64_t line)
{
    return lines_newest(&level_lines, line) && !level_lines.flags[lines_set(&level_lines, line)];
}
#endif

static void cachesim_X_drop(uint64_t line)
{
    uint8_t *flags = lines_find(&level_lines, line);

    if (flags && (*flags & LEVEL_PREFETCHED))
        sim_count(level_unused, 1);
    lines_remove(&level_lines, line);
    if (level_compares)
        lines_remove(&level_without, line);
}

static void cachesim_X_finish(void) { prefetches_finish(); }

#include "sim/adapt/level.h"

/* A prefetched line becomes the most recently used of its set: the one before it is no longer settled. */
static inline void level_newest_changes(uint64_t line)
{
#if defined(QN_SLOT_D1) && !defined(PREFETCHER_SEES_HITS)
    filter_remove(*filter_only(line));
#else
    (void)line;
#endif
}
