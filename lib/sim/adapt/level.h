/* lib/sim/adapt/level.h - makes a unit of a whole level (LEVEL).
 *
 * In:  the functions of a level (see module.h)
 * Out: unit_init, unit_ref, unit_drop, unit_show, unit_finish
 *
 * A level whose sets are rows of line numbers defines LEVEL_ROWS as the name of the array: sim.sets rows of sim.ways.  Then lines
 * can be removed from it, and its sets can be shown.  A level built on lines.h defines LEVEL_LINES, so that its sets can be shown. */

/* ---- what a level may leave out ---- */

#ifndef LEVEL_SLOTS
#define LEVEL_SLOTS (LEVEL_IN_I1 | LEVEL_IN_D1 | LEVEL_IN_LL)
#endif
#ifndef LEVEL_FINISH
static void cachesim_X_finish(void) {}
#endif
#ifndef LEVEL_SETTLED
static bool cachesim_X_settled(uint64_t line) { return (void)line, false; }
#endif

/* ---- rows ---- */

#if defined(LEVEL_ROWS)
#define LEVEL_SHOWS QN_SHOW_RECENT

static uint64_t *level_row(uint64_t number) { return LEVEL_ROWS + qn_set_of(number, sim.sets) * sim.ways; }

static unsigned level_show(uint64_t line, uint64_t *lines)
{
    const uint64_t *row = level_row(line >> sim.line_bits);

    for (unsigned way = 0; way < sim.ways; way++)
        lines[way] = row[way] == SIM_NO_LINE ? QN_NOTE_NONE : row[way] << sim.line_bits;
    return sim.ways;
}

/* Removes the line: those after it in its row move up. */
static void level_drop(uint64_t line)
{
    uint64_t number = line >> sim.line_bits, *row = level_row(number);
    uint32_t way = 0;

    while (way < sim.ways && row[way] != number)
        way++;
    for (; way + 1 < sim.ways; way++)
        row[way] = row[way + 1];
    if (way < sim.ways)
        row[way] = SIM_NO_LINE;
}
#else
#ifdef LEVEL_LINES
#define LEVEL_SHOWS QN_SHOW_RECENT
#define level_show(line, shown) lines_show(&LEVEL_LINES, line, shown)
#else
#define LEVEL_SHOWS QN_SHOW_NOTHING
#define level_show(line, shown) ((void)(line), (void)(shown), 0u)
#endif
#ifndef LEVEL_DROP
static void cachesim_X_drop(uint64_t line) { (void)line; }
#endif
#define level_drop(line) cachesim_X_drop(line)
#endif

/* ---- what the hit filter holds: the lines of each reference that are settled ---- */

#if defined(BESIDE) && defined(LEVEL_OWN_FILTER)
#error quern-module: nothing can stand beside a level that has a filter of its own
#endif
#if defined(QN_SLOT_D1) && defined(LEVEL_OWN_FILTER) /* the level maintains its own table: cachesim_D1_filter */
static inline void level_publish(uint64_t addr, uint32_t size) { (void)addr, (void)size; }
static inline void sim_dropped(uint64_t line) { (void)line; }
static struct qn_filter level_filter(const struct sim_config *config) { return cachesim_D1_filter(config); }
#elif defined(QN_SLOT_D1) && defined(LEVEL_SETTLED)
#include "sim/adapt/filter.h"

#define UNIT_FORGETS filter_clear()

static inline void level_publish(uint64_t addr, uint32_t size)
{
    uint64_t mask = ~(uint64_t)(sim.line - 1);

    sim_in(SIM_IN_SETTLED);
    for (uint64_t line = addr & mask;; line += sim.line) {
        filter_put_only(line, cachesim_X_settled(line) && beside_settled(line));
        if (line == ((addr + size - 1) & mask))
            return;
    }
}

static inline void sim_dropped(uint64_t line) { filter_remove(line); }
static struct qn_filter level_filter(const struct sim_config *config) { return (void)config, filter_init(); }
#else
static inline void level_publish(uint64_t addr, uint32_t size) { (void)addr, (void)size; }
static inline void sim_dropped(uint64_t line) { (void)line; }
#define UNIT_FORGETS ((void)0) /* nothing is published */
static struct qn_filter level_filter(const struct sim_config *config) { return (struct qn_filter){.line = config->line}; }
#endif

/* The row of this address will be read soon. */
static inline __attribute__((unused)) void level_ahead(uint64_t addr)
{
#if defined(LEVEL_LINES)
    rows_ahead(&LEVEL_LINES.line[lines_set(&LEVEL_LINES, addr)], sim.ways);
#endif
    (void)addr;
}

static uint64_t level_count; /* references so far */

static uint64_t unit_reference(void) { return level_count; }

static void unit_init(const struct sim_config *config, struct qn_unit_facts *facts)
{
    facts->name = LEVEL BESIDE_NAME;
    facts->reference = unit_reference;
    facts->hit = QN_HIT_CALL;
    facts->kinds = true;
    level_check_slot(LEVEL, LEVEL_SLOTS);
    facts->tells_evictions = QN_DEFINES(LEVEL_TELLS_EVICTIONS);
    facts->tells_writebacks = QN_DEFINES(LEVEL_TELLS_WRITEBACKS);
    facts->wants_evictions = QN_DEFINES(LEVEL_WANTS_EVICTIONS);
    facts->back_invalidates = QN_DEFINES(LEVEL_INCLUSIVE);
    facts->can_drop = QN_DEFINES(LEVEL_ROWS) || QN_DEFINES(LEVEL_DROP);
    facts->shows = LEVEL_SHOWS;
    facts->filter = level_filter(config);
    facts->filter.writes_call |= QN_DEFINES(LEVEL_SETTLED) && !QN_DEFINES(LEVEL_WRITES_SETTLED);
    beside_start(config);
    cachesim_X_initcache(config);
}

static inline __attribute__((always_inline)) unsigned unit_simulate(uint64_t addr, uint32_t size, enum sim_kind kind, bool publishes)
{
    struct sim_result r = {false, false, false};

    level_count++;
    beside_ref(addr, size, kind);
    cachesim_X_doref(addr, size, kind, &r);
    if (publishes)
        level_publish(addr, size);
    return (r.miss ? QN_UNIT_MISS : 0) | (r.next_done ? QN_UNIT_NEXT_DONE : 0) | (r.next_miss ? QN_UNIT_NEXT_MISS : 0);
}

static SIM_NCSR unsigned unit_ref(uint64_t addr, uint32_t size, enum sim_kind kind) { return unit_simulate(addr, size, kind, true); }

static SIM_NCSR void unit_drop(uint64_t line)
{
    level_drop(line);
    sim_dropped(line);
}

static SIM_NCSR unsigned unit_show(uint64_t line, uint64_t *shown) { return level_show(line, shown); }
static void unit_finish(void) { cachesim_X_finish(); }
