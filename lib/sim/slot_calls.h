/* lib/sim/slot_calls.h - the cache slots as engine.c and twin.c call them, whatever is in them: a default file, which
 * is included here and inlined, or a unit.
 *
 *   I1_ref, D1_ref, LL_ref(addr, size, kind)   QN_UNIT_* bits; bit 0 = miss
 *   slots_init(config)                         all three; what they said is in `facts`
 *   next_level(l1, addr, size, kind)           true if the LL missed, too
 */
#include "base/format.h"
#include "sim/unit.h"

#include "sim/codelines.h"

/* Who finds a code line's record: engine.c knows it from the call site. */
#ifndef I1_RECORD
#define I1_RECORD code_line_find
#endif

static struct qn_unit_facts facts[SLOTS];
static uint64_t calls[SLOTS] __attribute__((unused)); /* for messages: which reference it was */

static struct sim_config slot_config(const char *slot, struct qn_geometry g, uint64_t seed)
{
    return (struct sim_config){.slot = slot, .size = g.size, .ways = g.assoc, .line = g.line,
                               .sets = g.size / (g.assoc * g.line), .line_bits = qn_log2(g.line), .seed = seed};
}

#ifdef QN_SIM_I1_UNIT
static inline unsigned I1_ref(uint64_t addr, uint32_t size, uint64_t *clock)
{
    (void)clock;
    return AT_WORK(SLOT_I1, SIM_IN_DOREF, ++calls[SLOT_I1], QN_UNIT(I1, ref)(addr, size, SIM_FETCH));
}
static inline void I1_drop(uint64_t line) { AT_WORK_DO(SLOT_I1, SIM_IN_DROP, calls[SLOT_I1], QN_UNIT(I1, drop)(line)); }
#else
#include QN_SIM_I1_FILE
static inline unsigned I1_ref(uint64_t addr, uint32_t size, uint64_t *clock)
{
    return cachesim_I1_doref(addr, size, clock, I1_RECORD) ? QN_UNIT_MISS : 0;
}
static inline void I1_drop(uint64_t line) { cachesim_I1_drop(line, code_line_find); }
#endif

/* Many at once say themselves when a module is at work (many/caches.c). */
#ifdef QN_SIM_MANY
#define AT_WORK_IN_REF(slot, call) (calls[slot]++, call)
#else
#define AT_WORK_IN_REF(slot, call) AT_WORK(slot, SIM_IN_DOREF, ++calls[slot], call)
#endif

#ifdef QN_SIM_D1_UNIT
static inline unsigned D1_ref(uint64_t addr, uint32_t size, enum sim_kind kind, uint64_t *clock)
{
    (void)clock;
    return AT_WORK_IN_REF(SLOT_D1, QN_UNIT(D1, ref)(addr, size, kind));
}
static inline void D1_drop(uint64_t line) { AT_WORK_DO(SLOT_D1, SIM_IN_DROP, calls[SLOT_D1], QN_UNIT(D1, drop)(line)); }
static inline __attribute__((unused)) unsigned D1_show(uint64_t line, uint64_t *lines) { return QN_UNIT(D1, show)(line, lines); }
#else
#include QN_SIM_D1_FILE
static inline unsigned D1_ref(uint64_t addr, uint32_t size, enum sim_kind kind, uint64_t *clock)
{
    (void)kind;
    return cachesim_D1_doref(addr, size, clock) ? QN_UNIT_MISS : 0;
}
static inline void D1_drop(uint64_t line) { cachesim_D1_drop(line); }
static inline __attribute__((unused)) unsigned D1_show(uint64_t line, uint64_t *lines) { return cachesim_D1_show(line, lines); }
#endif

#ifdef QN_SIM_LL_UNIT
static inline unsigned LL_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    return AT_WORK_IN_REF(SLOT_LL, QN_UNIT(LL, ref)(addr, size, kind));
}
#else
#include QN_SIM_LL_FILE
static inline unsigned LL_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    (void)kind;
    return cachesim_LL_doref(addr, size) ? QN_UNIT_MISS : 0;
}
#endif

static inline bool next_level(unsigned l1, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (l1 & QN_UNIT_NEXT_DONE)
        return l1 & QN_UNIT_NEXT_MISS;
    return LL_ref(addr, size, kind) & QN_UNIT_MISS;
}

static bool init_I1(const struct qn_config *c)
{
    struct sim_config config = slot_config("I1", c->I1, c->seed);

#ifdef QN_SIM_I1_UNIT
    return AT_WORK(SLOT_I1, SIM_IN_INIT, 0, (QN_UNIT(I1, init)(&config, &facts[SLOT_I1], code_line_find), true));
#else
    (void)config;
    facts[SLOT_I1] = (struct qn_unit_facts){.hit = CACHESIM_I1_HIT, .repeat_is_noop = true, .can_drop = true};
    return cachesim_I1_initcache(c->I1, sim_alloc);
#endif
}

static bool init_D1(const struct qn_config *c)
{
    struct sim_config config = slot_config("D1", c->D1, c->seed);

#ifdef QN_SIM_D1_UNIT
    return AT_WORK(SLOT_D1, SIM_IN_INIT, 0, (QN_UNIT(D1, init)(&config, &facts[SLOT_D1], code_line_find), true));
#else
    (void)config;
    if (!cachesim_D1_initcache(c->D1))
        return false;
    facts[SLOT_D1].filter = cachesim_D1_filter(c->D1);
    facts[SLOT_D1].shows = CACHESIM_D1_SHOWS;
    facts[SLOT_D1].can_drop = true;
    return true;
#endif
}

static bool init_LL(const struct qn_config *c)
{
    struct sim_config config = slot_config("LL", c->LL, c->seed);

#ifdef QN_SIM_LL_UNIT
    return AT_WORK(SLOT_LL, SIM_IN_INIT, 0, (QN_UNIT(LL, init)(&config, &facts[SLOT_LL], code_line_find), true));
#else
    (void)config;
    return cachesim_LL_initcache(c->LL, sim_alloc);
#endif
}

bool QN_UP(wants_evictions);

/* What the last level needs of a level above it.  `slot` is the one above. */
static void check_upper(enum sim_slot slot, const char *name)
{
    const struct qn_unit_facts *upper = &facts[slot], *last = &facts[SLOT_LL];
    const char *what = last->wants_evictions && !upper->tells_evictions ? "tell which lines it gives up"
                       : last->back_invalidates && !upper->can_drop    ? "let lines be taken away"
                                                                        : NULL;
    char line[160];

    if (!what)
        return;
    qn_format(line, sizeof line, "cannot stand below %s=%s, which does not %s; any policy by name does, as %s=lru", name,
              upper->name ? upper->name : "default", what, name);
    sim_fail("LL", last->name, "init", 0, line);
}

static void slots_init(const struct qn_config *c)
{
    if (!init_I1(c) || !init_D1(c) || !init_LL(c))
        qn_engine_die("cache too large for the simulator", c->D1.size, c->LL.size);
    QN_UP(wants_evictions) = facts[SLOT_LL].wants_evictions;
    check_upper(SLOT_I1, "I1");
    check_upper(SLOT_D1, "D1");
    if (facts[SLOT_LL].back_invalidates)
        facts[SLOT_I1].repeat_is_noop = false;
}

#if defined(QN_SIM_I1_UNIT) || defined(QN_SIM_D1_UNIT)
QN_SIM_NCSR bool QN_UP(next)(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    return LL_ref(addr, size, kind) & QN_UNIT_MISS;
}
#endif

/* Each of the upper levels' lines that lies in the range goes. */
#ifdef QN_SIM_LL_UNIT
static struct qn_geometry upper_I1, upper_D1;

QN_SIM_NCSR void QN_UP(back_invalidate)(uint64_t line, uint32_t bytes)
{
    for (uint64_t a = line & ~(uint64_t)(upper_D1.line - 1); a < line + bytes; a += upper_D1.line)
        D1_drop(a);
    for (uint64_t a = line & ~(uint64_t)(upper_I1.line - 1); a < line + bytes; a += upper_I1.line)
        I1_drop(a);
}
#endif
