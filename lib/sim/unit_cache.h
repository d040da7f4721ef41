/* lib/sim/unit_cache.h - a cache slot as a unit of its own: the module's file and what adapts it.  Included once by
 * unit_D1.c and its like, with
 *
 *   QN_SLOT       D1                    QN_SLOT_NAME  "D1"              QN_SLOT_D1   defined
 *   QN_SLOT_FILE  the module's file     QN_SIM_TWIN   for the twin
 *
 * A module is a policy (POLICY), a whole level (LEVEL), or a copy of one of the default files (neither).
 */
#define QN_SIM_UNIT 1
#include "base/context.h"
#include "sim/unit.h"

#define CAT3_(a, b, c) a##b##c
#define CAT3(a, b, c) CAT3_(a, b, c)
#ifdef QN_SIM_TWIN
#define UNIT(name) CAT3(qn_twin_, QN_SLOT, _##name)
#else
#define UNIT(name) CAT3(qn_unit_, QN_SLOT, _##name)
#endif

/* A module may write the slot's name or X, which fits any slot. */
#define cachesim_X_initcache CAT3(cachesim_, QN_SLOT, _initcache)
#define cachesim_X_doref CAT3(cachesim_, QN_SLOT, _doref)
#define cachesim_X_finish CAT3(cachesim_, QN_SLOT, _finish)
#define cachesim_X_drop CAT3(cachesim_, QN_SLOT, _drop)
#define cachesim_X_settled CAT3(cachesim_, QN_SLOT, _settled)

#ifdef QN_SLOT_LL
static inline bool sim_next(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    (void)addr, (void)size, (void)kind;
    return true;
}
static inline bool sim_wants_evictions(void) { return false; }
#else
static inline bool sim_next(uint64_t addr, uint32_t size, enum sim_kind kind) { return QN_UP(next)(addr, size, kind); }
static inline bool sim_wants_evictions(void) { return QN_UP(wants_evictions); }
#endif
#ifdef QN_SLOT_LL
#define UNIT_IN LEVEL_IN_LL
static inline void sim_back_invalidate(uint64_t line, uint32_t bytes) { QN_UP(back_invalidate)(line, bytes); }
#else
static inline void sim_back_invalidate(uint64_t line, uint32_t bytes) { (void)line, (void)bytes; }
#endif
#ifdef QN_SLOT_I1
#define UNIT_IN LEVEL_IN_I1
#endif
#ifdef QN_SLOT_D1
#define UNIT_IN LEVEL_IN_D1
static inline void unit_unpublish(uint64_t line);
static inline void sim_dropped(uint64_t line) { unit_unpublish(line); }
#else
static inline void sim_dropped(uint64_t line) { (void)line; }
#endif

#include QN_SLOT_FILE

#if defined(POLICY)

#include "sim/level.h"

static uint64_t unit_reference(void) { return level_count; }
#ifdef QN_SLOT_D1
static inline void unit_unpublish(uint64_t line) { (void)line; } /* the level publishes by itself */
#endif

void UNIT(init)(const struct sim_config *config, struct qn_unit_facts *facts, qn_find_line *find)
{
    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
    facts->reference = unit_reference;
    facts->name = POLICY;
    facts->tells_evictions = facts->can_drop = true;
    facts->shows = QN_SHOW_WAYS;
    level_init(facts, find);
}

QN_UNIT_REF unsigned UNIT(ref)(uint64_t addr, uint32_t size, enum sim_kind kind) { return level_ref(addr, size, kind); }
SIM_NCSR void UNIT(drop)(uint64_t line) { level_drop(line); }
SIM_NCSR unsigned UNIT(show)(uint64_t line, uint64_t *lines) { return level_show(line, lines); }

void UNIT(finish)(void)
{
    level_finish();
#ifdef POLICY_FINISH
    policy_finish();
#endif
}

#elif defined(LEVEL)

static uint64_t unit_count;

static uint64_t unit_reference(void) { return unit_count; }

#ifdef LEVEL_SLOTS
#if LEVEL_SLOTS & LEVEL_IN_I1
#define UNIT_SLOT_I1 " I1"
#else
#define UNIT_SLOT_I1 ""
#endif
#if LEVEL_SLOTS & LEVEL_IN_D1
#define UNIT_SLOT_D1 " D1"
#else
#define UNIT_SLOT_D1 ""
#endif
#if LEVEL_SLOTS & LEVEL_IN_LL
#define UNIT_SLOT_LL " LL"
#else
#define UNIT_SLOT_LL ""
#endif
#define UNIT_SLOTS UNIT_SLOT_I1 UNIT_SLOT_D1 UNIT_SLOT_LL
#endif

/* ---- filter of a level that knows `settled` ---- */

#ifdef QN_SLOT_D1
#if defined(LEVEL_OWN_FILTER) /* the level keeps the table that cachesim_D1_filter() tells of */
static inline void unit_unpublish(uint64_t line) { (void)line; }
#elif defined(LEVEL_SETTLED)
#include "sim/filter.h"

static inline void unit_unpublish(uint64_t line) { filter_remove(line); }

static inline void unit_publish(uint64_t addr, uint32_t size)
{
    uint64_t mask = ~(uint64_t)(sim.line - 1);

    for (uint64_t line = addr & mask;; line += sim.line) {
        sim_in(SIM_IN_SETTLED);
        filter_put_only(line, cachesim_X_settled(line));
        if (line == ((addr + size - 1) & mask))
            return;
    }
}
#else
static inline void unit_unpublish(uint64_t line) { (void)line; }
#endif
#elif defined(LEVEL_SETTLED) /* only D1 asks */
static bool (*const unit_settled)(uint64_t) __attribute__((unused)) = cachesim_X_settled;
#endif

void UNIT(init)(const struct sim_config *config, struct qn_unit_facts *facts, qn_find_line *find)
{
    (void)find;
    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
    facts->name = LEVEL;
    facts->reference = unit_reference;
    facts->hit = QN_HIT_CALL;
    facts->kinds = true;
#ifdef LEVEL_SLOTS
    if (!(LEVEL_SLOTS & UNIT_IN))
        sim_fail(sim.slot, LEVEL, "LEVEL_SLOTS", 0, "is not for this slot, only for" UNIT_SLOTS);
#endif
#ifdef LEVEL_TELLS_EVICTIONS
    facts->tells_evictions = true;
#endif
#ifdef LEVEL_DROP
    facts->can_drop = true;
#endif
#ifdef LEVEL_LINES
    facts->shows = QN_SHOW_RECENT;
#endif
    facts->filter.line = config->line;
#if defined(QN_SLOT_D1) && defined(LEVEL_SETTLED)
    facts->filter = filter_init();
#ifndef LEVEL_WRITES_SETTLED
    facts->filter.writes_call = 1;
#endif
#elif defined(QN_SLOT_D1) && defined(LEVEL_OWN_FILTER)
    facts->filter = cachesim_D1_filter(config);
#endif
#ifdef LEVEL_WANTS_EVICTIONS
    facts->wants_evictions = true;
#endif
#ifdef LEVEL_INCLUSIVE
    facts->back_invalidates = true;
#endif
    cachesim_X_initcache(config);
}

QN_UNIT_REF unsigned UNIT(ref)(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    struct sim_result r = {false, false, false};

    unit_count++;
    cachesim_X_doref(addr, size, kind, &r);
#if defined(QN_SLOT_D1) && defined(LEVEL_SETTLED)
    unit_publish(addr, size);
#endif
    return (r.miss ? QN_UNIT_MISS : 0) | (r.next_done ? QN_UNIT_NEXT_DONE : 0) | (r.next_miss ? QN_UNIT_NEXT_MISS : 0);
}

SIM_NCSR void UNIT(drop)(uint64_t line)
{
#ifdef LEVEL_DROP
    cachesim_X_drop(line);
#endif
    sim_dropped(line);
}

SIM_NCSR unsigned UNIT(show)(uint64_t line, uint64_t *to)
{
#ifdef LEVEL_LINES
    return lines_show(&LEVEL_LINES, line, to);
#else
    (void)line, (void)to;
    return 0;
#endif
}

void UNIT(finish)(void)
{
#ifdef LEVEL_FINISH
    cachesim_X_finish();
#endif
}

#else /* a copy of a default file */

#ifdef QN_SLOT_D1
static inline void unit_unpublish(uint64_t line) { (void)line; }
#endif
#ifdef QN_SLOT_I1
static qn_find_line *unit_find;
#endif
#ifdef QN_SIM_TWIN
static uint64_t unit_clock __attribute__((unused));
#else
#define unit_clock qn_ctx.now /* translated code writes stamps by the same clock */
#endif

void UNIT(init)(const struct sim_config *config, struct qn_unit_facts *facts, qn_find_line *find)
{
    struct qn_geometry g = {config->size, config->ways, config->line};
    bool ok;

    (void)find;
    sim = *config;
    facts->name = QN_SLOT_FILE;
    facts->can_drop = true;
#if defined(QN_SLOT_I1)
    unit_find = find;
    facts->hit = QN_HIT_CALL;
    ok = cachesim_I1_initcache(g, sim_alloc);
#elif defined(QN_SLOT_D1)
    ok = cachesim_D1_initcache(g);
    facts->filter = cachesim_D1_filter(g);
#ifdef CACHESIM_D1_SHOWS
    facts->shows = CACHESIM_D1_SHOWS;
#endif
#else
    ok = cachesim_LL_initcache(g, sim_alloc);
#endif
    if (!ok)
        sim_fail(sim.slot, QN_SLOT_FILE, "initcache", 0, "says that the cache is too large");
}

QN_UNIT_REF unsigned UNIT(ref)(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    (void)kind;
#ifdef QN_SLOT_I1
    return cachesim_I1_doref(addr, size, &unit_clock, unit_find);
#elif defined(QN_SLOT_D1)
    return cachesim_D1_doref(addr, size, &unit_clock);
#else
    return cachesim_X_doref(addr, size);
#endif
}

SIM_NCSR void UNIT(drop)(uint64_t line)
{
#ifdef QN_SLOT_LL
    (void)line;
#elif defined(QN_SLOT_I1)
    cachesim_X_drop(line, unit_find);
#else
    cachesim_X_drop(line);
#endif
}

SIM_NCSR unsigned UNIT(show)(uint64_t line, uint64_t *lines)
{
#if defined(QN_SLOT_D1) && defined(CACHESIM_D1_SHOWS)
    return cachesim_D1_show(line, lines);
#else
    (void)line, (void)lines;
    return 0;
#endif
}

void UNIT(finish)(void) {}

#endif
