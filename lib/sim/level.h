/* lib/sim/level.h - the level around a policy file: set-associative, write-allocate, free ways first.
 *
 * In:  the functions and types of a policy (see module.h), QN_SLOT_I1, _D1 or _LL
 * Out: level_init, level_ref, level_drop, level_finish
 *
 * A reference that covers several lines touches each, in address order, and misses at most once.  What may pass the
 * hit filter is published after each reference that comes here:
 *   D1  the table of sim/filter.h = lines whose next hit changes nothing ("settled")
 *   I1  stamp of the line's record = 1 if it is present and settled, else 0
 * A reference can unsettle other lines of its own set only, so only that set is published anew.  The policy may say more:
 *   POLICY_HIT_IS_NOOP      every line is always settled (fifo, random)
 *   POLICY_ONE_SETTLED      at most the line just referenced is settled (lru, tree plru): the rest need not be asked
 *   POLICY_REPEAT_IS_NOOP   a second hit directly after a reference changes nothing (follows from both of the above)
 */
#include "base/hash.h"

#if defined(POLICY_HIT_IS_NOOP) || defined(POLICY_ONE_SETTLED)
#undef POLICY_REPEAT_IS_NOOP
#define POLICY_REPEAT_IS_NOOP 1
#endif

static uint64_t *level_tags;   /* address of the line's first byte, or QN_NO_LINE */
static uint64_t level_count;   /* references so far */
static uint64_t level_evictions;
static uint32_t *level_free;   /* per set: ways that hold nothing */
#ifdef QN_SLOT_I1
static struct qn_code_line **level_records; /* NULL: none */
static qn_find_line *level_find;
#endif
#ifdef QN_SLOT_D1
#include "sim/filter.h"
#endif

static inline bool level_settled(unsigned set, unsigned way)
{
#ifdef POLICY_HIT_IS_NOOP
    (void)set, (void)way;
    return true;
#else
    sim_in(SIM_IN_POLICY_SETTLED);
    return policy_settled(set, way);
#endif
}

/* ---- publishing ---- */

#ifdef QN_SLOT_D1
/* The line in `way` was referenced; of those that share a place in the table it has the first claim. */
static inline void level_publish(unsigned set, unsigned way)
{
    const uint64_t *tags = level_tags + (uint64_t)set * sim.ways;

#if defined(POLICY_ONE_SETTLED)
    if (tags[way] != QN_NO_LINE)
        filter_put_only(tags[way], level_settled(set, way));
#else
#ifndef POLICY_HIT_IS_NOOP
    for (unsigned i = 0; i < sim.ways; i++)
        if (i != way && tags[i] != QN_NO_LINE)
            filter_put(tags[i], level_settled(set, i));
#endif
    if (tags[way] != QN_NO_LINE)
        filter_put(tags[way], level_settled(set, way));
#endif
}
#elif defined(QN_SLOT_I1)
static inline void level_publish(unsigned set, unsigned way)
{
    struct qn_code_line **records = level_records + (uint64_t)set * sim.ways;

    (void)way;
    for (unsigned i = 0; i < sim.ways; i++)
        if (records[i])
            records[i]->stamp = level_settled(set, i);
}
#else
static inline void level_publish(unsigned set, unsigned way) { (void)set, (void)way; }
#endif

/* ---- --check of the policy itself: in the twin, `settled` is put to the proof at each hit ---- */

#ifdef POLICY_HIT_IS_NOOP
static inline void level_hit(unsigned set, unsigned way) { (void)set, (void)way; }
#elif defined(QN_SIM_TWIN)
static uint64_t level_state_hash(unsigned set)
{
    uint64_t h = QN_HASH_NONE;

#ifdef POLICY_WAY_STATE
    h = qn_hash_bytes(h, &way_state(set, 0), sim.ways * sizeof(POLICY_WAY_STATE));
#endif
#ifdef POLICY_SET_STATE
    h = qn_hash_bytes(h, &set_state(set), sizeof(POLICY_SET_STATE));
#endif
    return h + set;
}

static inline void level_hit(unsigned set, unsigned way)
{
    bool settled = level_settled(set, way);
    uint64_t before = settled ? level_state_hash(set) : 0;

    sim_in(SIM_IN_HIT);
    policy_hit(set, way);
    if (settled && (level_state_hash(set) != before || !level_settled(set, way)))
        sim_fail(sim.slot, POLICY, "policy_settled", level_count,
                 "said that a hit would change nothing, but policy_hit then changed the state of the set");
}
#else
static inline void level_hit(unsigned set, unsigned way)
{
    sim_in(SIM_IN_HIT);
    policy_hit(set, way);
}
#endif

/* ---- references ---- */

static inline unsigned level_choose(unsigned set, const uint64_t *tags)
{
    unsigned way;

    if (QN_UNLIKELY(level_free[set]))
        for (way = 0; way < sim.ways; way++)
            if (tags[way] == QN_NO_LINE) {
                level_free[set]--;
                return way;
            }
    sim_in(SIM_IN_VICTIM);
    way = policy_victim(set);
    if (way >= sim.ways)
        sim_fail(sim.slot, POLICY, "policy_victim", level_count, "chose a way that the set does not have");
    return way;
}

static inline void level_evict(uint64_t line)
{
#ifdef QN_SLOT_LL
#ifdef POLICY_INCLUSIVE
    sim_back_invalidate(line, sim.line);
#endif
    (void)line;
#else
    if (sim_wants_evictions())
        sim_next(line, sim.line, SIM_EVICT);
#endif
}

static inline void level_place(unsigned set, unsigned way, uint64_t line)
{
#ifdef QN_SLOT_D1
    filter_remove(level_tags[(uint64_t)set * sim.ways + way]);
#endif
    level_tags[(uint64_t)set * sim.ways + way] = line;
#ifdef QN_SLOT_I1
    struct qn_code_line **record = &level_records[(uint64_t)set * sim.ways + way];

    if (*record)
        (*record)->stamp = 0;
    *record = line == QN_NO_LINE ? NULL : level_find(line);
#endif
}

/* One line.  Returns QN_UNIT_* bits. */
static inline unsigned level_line(uint64_t line, enum sim_kind kind)
{
    unsigned set = (unsigned)(line >> sim.line_bits) & (sim.sets - 1), way, outcome = QN_UNIT_MISS;
    uint64_t *tags = level_tags + (uint64_t)set * sim.ways, old;

    for (way = 0; way < sim.ways; way++)
        if (tags[way] == line) {
            level_hit(set, way);
            level_publish(set, way);
            return 0;
        }
#ifndef QN_SLOT_LL
    if (sim_wants_evictions()) /* the next level gives the line away before it gets our victim */
        outcome |= QN_UNIT_NEXT_DONE | (sim_next(line, sim.line, kind) ? QN_UNIT_NEXT_MISS : 0);
#endif
    (void)kind;
    way = level_choose(set, tags);
    old = tags[way];
    level_place(set, way, line);
    sim_in(SIM_IN_FILL);
    policy_fill(set, way);
    level_publish(set, way);
    if (old != QN_NO_LINE) {
        level_evictions++;
        level_evict(old);
    }
    return outcome;
}

static inline unsigned level_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    uint64_t line = addr & ~(uint64_t)(sim.line - 1), last = (addr + size - 1) & ~(uint64_t)(sim.line - 1);
    unsigned outcome = 0;

    level_count++;
    for (;; line += sim.line) {
        outcome |= level_line(line, kind);
        if (line == last)
            return outcome;
    }
}

/* The lines of this line's set, by way. */
static inline unsigned level_show(uint64_t line, uint64_t *lines)
{
    const uint64_t *tags = level_tags + (uint64_t)((unsigned)(line >> sim.line_bits) & (sim.sets - 1)) * sim.ways;

    for (unsigned way = 0; way < sim.ways; way++)
        lines[way] = tags[way];
    return sim.ways;
}

/* The level below no longer has this line. */
static inline void level_drop(uint64_t line)
{
    unsigned set = (unsigned)(line >> sim.line_bits) & (sim.sets - 1);

    for (unsigned way = 0; way < sim.ways; way++)
        if (level_tags[(uint64_t)set * sim.ways + way] == line) {
            level_place(set, way, QN_NO_LINE);
            level_publish(set, way);
            level_free[set]++;
        }
}

/* No event: it would be the misses once more, less the first ones, and charging it cost gzip 8%. */
static void level_finish(void) { sim_print("%s.evictions %U  lines that gave way to another", sim.slot, level_evictions); }

static void level_init(struct qn_unit_facts *facts, qn_find_line *find)
{
    uint64_t lines = (uint64_t)sim.sets * sim.ways;

    level_tags = sim_alloc(lines * 8);
    for (uint64_t i = 0; i < lines; i++)
        level_tags[i] = QN_NO_LINE;
    level_free = sim_alloc(sim.sets * sizeof *level_free);
    for (uint32_t i = 0; i < sim.sets; i++)
        level_free[i] = sim.ways;
#ifdef POLICY_WAY_STATE
    sim_way_memory = sim_alloc(lines * sizeof(POLICY_WAY_STATE));
#endif
#ifdef POLICY_SET_STATE
    sim_set_memory = sim_alloc(sim.sets * sizeof(POLICY_SET_STATE));
#endif
#ifdef QN_SLOT_I1
    level_records = sim_alloc(lines * sizeof *level_records);
    level_find = find;
#endif
#ifdef QN_SLOT_D1
    facts->filter = filter_init();
#endif
#ifdef POLICY_REPEAT_IS_NOOP
    facts->repeat_is_noop = true;
#endif
#if defined(QN_SLOT_LL) && defined(POLICY_INCLUSIVE)
    facts->back_invalidates = true;
#endif
    (void)find;
    facts->hit = QN_HIT_NOTHING;
#ifdef POLICY_INIT
    const char *wrong = policy_init();

    if (wrong)
        sim_fail(sim.slot, POLICY, "policy_init", 0, wrong);
#endif
}
