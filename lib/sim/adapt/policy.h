/* lib/sim/adapt/policy.h - makes a unit of a policy (POLICY): the cache around it is set-associative, write-allocate, and fills free
 * ways first.
 *
 * In:  the functions and types of a policy (see module.h), QN_SLOT_I1, _D1 or _LL
 * Out: unit_init, unit_ref, unit_drop, unit_show, unit_finish, level_line_settled
 *
 * A reference to several lines looks each of them up, in address order, and counts as one miss at most.  A line is settled if
 * its next hit changes nothing.  Settled lines are published after each reference, so that their hits need no call:
 *   D1  in the table of filter.h
 *   I1  the line's record has stamp 1; else 0
 * A reference can unsettle other lines of its own set (for lines of other sets, the policy calls sim_unsettled).  So after a
 * reference, policy_settled is called again for the published lines of the set.  A policy can save these calls:
 *   POLICY_HIT_IS_NOOP        every line is always settled (fifo, random)
 *   POLICY_ONE_SETTLED        at most the line just referenced is settled (lru, tree plru)
 *   POLICY_HIT_KEEPS_SETTLED  a hit unsettles no other line (srrip)
 *   POLICY_REPEAT_IS_NOOP     a second hit directly after a reference changes nothing (follows from the first two)
 * With POLICY_BYPASSES, policy_bypass(set) is called before policy_victim.  If it returns true, the line is not filled, and an exclusive next
 * level gets it back.  With WANTS_KIND, sim_line_kind is the kind of the reference.
 * Settled lines are verified: in the shadow model of --check at each hit, else at every 256th publication.
 * With PREFETCHER, a prefetcher stands in the same slot ("srrip+stride", prefetcher.h has its contract): what it brings in is a fill to the policy, and
 * has a mark up to its first use; a line that has one is not settled. */
#include "base/hash.h"
#include "sim/lines.h"

/* ---- what a policy may leave out.  Functions, so that one of the module's that would never be called is refused (engines/compile.c) ---- */

#ifdef POLICY_HIT_IS_NOOP
static inline void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static inline bool policy_settled(unsigned set, unsigned way) { return (void)set, (void)way, true; }
#endif
#ifdef POLICY_WAY_STATE
enum { LEVEL_WAY_STATE_BYTES = sizeof(POLICY_WAY_STATE) };
#else
enum { LEVEL_WAY_STATE_BYTES = 0 };
#endif
#ifdef POLICY_SET_STATE
enum { LEVEL_SET_STATE_BYTES = sizeof(POLICY_SET_STATE) };
#else
enum { LEVEL_SET_STATE_BYTES = 0 };
#endif
#ifndef POLICY_BYPASSES
static inline bool policy_bypass(unsigned set) { return (void)set, false; }
#elif defined(POLICY_INCLUSIVE)
#error quern-module: an inclusive level has every line of those above, so its policy cannot bypass
#endif
#ifndef POLICY_INIT
static const char *policy_init(void) { return NULL; }
#endif
#ifndef POLICY_FINISH
static void policy_finish(void) {}
#endif
#ifndef PREFETCHER
enum { LEVEL_PREFETCHES = 0, LEVEL_SEES_HITS = 0 };
#define POLICY_NAME POLICY BESIDE_NAME
#define prefetches_finish() ((void)0)
#else
#include "sim/adapt/prefetches.h"

enum { LEVEL_PREFETCHES = 1, LEVEL_SEES_HITS = QN_DEFINES(PREFETCHER_SEES_HITS) };
#define POLICY_NAME POLICY "+" PREFETCHER BESIDE_NAME
#ifndef PREFETCHER_INIT
static void prefetcher_init(const struct sim_config *config) { (void)config; }
#endif
#endif
enum {
    LEVEL_HITS_CHANGE = !QN_DEFINES(POLICY_HIT_IS_NOOP),
    LEVEL_ONE_SETTLED = QN_DEFINES(POLICY_ONE_SETTLED),
    LEVEL_REPEAT_IS_NOOP = QN_DEFINES(POLICY_REPEAT_IS_NOOP) || !LEVEL_HITS_CHANGE || LEVEL_ONE_SETTLED,
    LEVEL_PROVE_EACH_HIT = QN_DEFINES(QN_SIM_SHADOW) && LEVEL_HITS_CHANGE,
    LEVEL_PROVE_NOW_AND_THEN = !QN_DEFINES(QN_SIM_SHADOW) && LEVEL_HITS_CHANGE,
    LEVEL_PROOF_PERIOD = 256 /* publications */
};

static uint64_t *level_tags;   /* the address of the line's first byte, or QN_NO_LINE; xor QN_NO_LINE, so that memory not yet written is free ways */
static uint64_t *level_shown;  /* by set: a bit for each way whose line is published */
static uint32_t level_words;   /* 64-bit words of level_shown in a set */
static uint32_t *level_used;   /* by set: the number of ways that are not free */
static uint64_t level_count;   /* references so far */
static uint64_t level_evictions SIM_SHARED;

static uint64_t unit_reference(void) { return level_count; }
static inline unsigned level_set(uint64_t line) { return (unsigned)qn_set_of(line >> sim.line_bits, sim.sets); }
static inline uint64_t *level_row(unsigned set) { return &level_tags[(uint64_t)set * sim.ways]; }
static inline uint64_t level_tag(unsigned set, unsigned way) { return level_row(set)[way] ^ QN_NO_LINE; }
static inline bool level_settled(unsigned set, unsigned way) { return policy_settled(set, way) && beside_settled(level_tag(set, way)); }

/* ---- where lines are published ---- */

#if defined(QN_SLOT_D1) && !defined(PREFETCHER_SEES_HITS)
#include "sim/adapt/filter.h"

enum { LEVEL_PUBLISHES = 1 };
static void level_show_init(struct qn_unit_facts *facts) { facts->filter = filter_init(); }
static inline void level_show_entry(unsigned set, unsigned way, uint64_t line) { (void)set, (void)way, (void)line; }
static inline void level_show_line(unsigned set, unsigned way) { *filter_entry(level_tag(set, way)) = level_tag(set, way); }
static inline void level_hide_line(unsigned set, unsigned way) { filter_remove(level_tag(set, way)); }

static void level_forget(void)
{
    filter_clear();
    __builtin_memset(level_shown, 0, (uint64_t)sim.sets * level_words * sizeof *level_shown);
}
#define UNIT_FORGETS level_forget()
#elif defined(QN_SLOT_I1) && !defined(PREFETCHER_SEES_HITS)
enum { LEVEL_PUBLISHES = 1 };
static struct qn_code_line **level_records; /* NULL: none */

static void level_show_init(struct qn_unit_facts *facts)
{
    level_records = sim_alloc((uint64_t)sim.sets * sim.ways * sizeof *level_records);
    facts->hit = QN_HIT_NOTHING;
}

static inline struct qn_code_line **level_record(unsigned set, unsigned way) { return &level_records[(uint64_t)set * sim.ways + way]; }

static inline void level_show_entry(unsigned set, unsigned way, uint64_t line)
{
    *level_record(set, way) = line == QN_NO_LINE ? NULL : QN_UP(code_line)(line);
}

static inline void level_show_line(unsigned set, unsigned way) { (*level_record(set, way))->stamp = 1; }

static inline void level_hide_line(unsigned set, unsigned way)
{
    if (*level_record(set, way))
        (*level_record(set, way))->stamp = 0;
}
#else
enum { LEVEL_PUBLISHES = 0 };
#define UNIT_FORGETS ((void)0)

static inline void level_show_init(struct qn_unit_facts *facts)
{
    facts->hit = QN_HIT_CALL;
    facts->filter = (struct qn_filter){.line = sim.line};
}

static inline void level_show_entry(unsigned set, unsigned way, uint64_t line) { (void)set, (void)way, (void)line; }
static inline void level_show_line(unsigned set, unsigned way) { (void)set, (void)way; }
static inline void level_hide_line(unsigned set, unsigned way) { (void)set, (void)way; }
#endif

static inline uint64_t *level_bits(unsigned set, unsigned way) { return &level_shown[(uint64_t)set * level_words + way / 64]; }

static inline void level_hide(unsigned set, unsigned way)
{
    *level_bits(set, way) &= ~(1ull << way % 64);
    level_hide_line(set, way);
}

static inline void sim_unsettled(unsigned set, unsigned way)
{
    if (LEVEL_PUBLISHES && *level_bits(set, way) >> way % 64 & 1)
        level_hide(set, way);
}

/* A module beside the policy: a further reference to the line would change something there. */
static inline __attribute__((unused)) void sim_dropped(uint64_t line)
{
    unsigned set = level_set(line), way = rows_find(level_row(set), sim.ways, line ^ QN_NO_LINE);

    if (way < sim.ways)
        sim_unsettled(set, way);
}

/* ---- verification of settled lines ---- */

/* A hash of the policy's state in this set, of the events that it has counted and of the random generator. */
static uint64_t level_state(unsigned set)
{
    uint64_t h = QN_HASH_NONE;

    h = qn_hash_bytes(h, (char *)sim_way_memory + (uint64_t)set * sim.ways * LEVEL_WAY_STATE_BYTES, sim.ways * LEVEL_WAY_STATE_BYTES);
    h = qn_hash_bytes(h, (char *)sim_set_memory + (uint64_t)set * LEVEL_SET_STATE_BYTES, LEVEL_SET_STATE_BYTES);
    for (unsigned i = 0; i < 2 * SIM_EVENTS_MAX; i++)
        h = qn_hash_add(h, sim_event_new[i]);
    return qn_hash_add(h, sim_random_state);
}

static void level_hit_settled(unsigned set, unsigned way)
{
    uint64_t before = level_state(set);

    sim_in(SIM_IN_HIT);
    policy_hit(set, way);
    if (level_state(set) != before || !level_settled(set, way))
        sim_fail(sim.slot, POLICY, "policy_settled", level_count,
                 "said that a hit would change nothing, but policy_hit then changed the state of the set");
}

/* Hits each published line of the set once.  If they are settled, nothing changes. */
static __attribute__((noinline)) void level_prove(unsigned set)
{
    uint64_t line = sim_line;

    for (unsigned way = 0; way < sim.ways; way++)
        if (*level_bits(set, way) >> way % 64 & 1) {
            sim_line = level_tag(set, way);
            level_hit_settled(set, way);
        }
    sim_line = line;
}

/* ---- publishing ---- */

/* The settled ways among 64, from `first` on.  policy_settled is called for all of them, without a jump that depends on a result. */
static inline uint64_t level_settled_ways(unsigned set, unsigned first)
{
    unsigned n = sim.ways - first < 64 ? sim.ways - first : 64;
    uint64_t settled = 0;

    for (unsigned i = 0; i < n; i++)
        settled |= (uint64_t)level_settled(set, first + i) << i;
    return settled;
}

/* Removes from the filter the published lines that are no longer settled, except the one in `way`. */
static inline void level_ask(unsigned set, unsigned way)
{
    for (unsigned first = 0; first < sim.ways; first += 64) {
        uint64_t left = *level_bits(set, first);

        if (!LEVEL_ONE_SETTLED && left)
            left &= ~level_settled_ways(set, first);
        for (; left; left &= left - 1)
            if (first + (unsigned)__builtin_ctzll(left) != way)
                level_hide(set, first + (unsigned)__builtin_ctzll(left));
    }
}

/* Publishes the line in `way`, which was referenced, if it is settled.  In the table it replaces a line with the same entry. */
static inline void level_publish(unsigned set, unsigned way, bool hit)
{
    static uint32_t published;

    if (!LEVEL_PUBLISHES)
        return;
    if (LEVEL_HITS_CHANGE || QN_DEFINES(BESIDE)) {
        sim_in(SIM_IN_POLICY_SETTLED);
        if (LEVEL_HITS_CHANGE && (!hit || !QN_DEFINES(POLICY_HIT_KEEPS_SETTLED)))
            level_ask(set, way);
        if (!level_settled(set, way)) {
            sim_unsettled(set, way);
            return;
        }
    }
    *level_bits(set, way) |= 1ull << way % 64;
    level_show_line(set, way);
    if (LEVEL_PROVE_NOW_AND_THEN && QN_UNLIKELY(++published % LEVEL_PROOF_PERIOD == 0))
        level_prove(set);
}

/* ---- references ---- */

static inline void level_hit(unsigned set, unsigned way)
{
    if (LEVEL_PROVE_EACH_HIT && level_settled(set, way)) {
        level_hit_settled(set, way);
        return;
    }
    sim_in(SIM_IN_HIT);
    policy_hit(set, way);
}

/* The way for a new line; sim.ways: it bypasses the cache. */
static inline unsigned level_choose(unsigned set)
{
    unsigned way;

    if (QN_UNLIKELY(level_used[set] < sim.ways))
        for (way = 0; way < sim.ways; way++)
            if (level_tag(set, way) == QN_NO_LINE) {
                level_used[set]++;
                return way;
            }
    if (QN_DEFINES(POLICY_BYPASSES)) {
        sim_in(SIM_IN_BYPASS);
        if (policy_bypass(set))
            return sim.ways;
    }
    sim_in(SIM_IN_VICTIM);
    way = policy_victim(set);
    if (way >= sim.ways)
        sim_fail(sim.slot, POLICY, "policy_victim", level_count, "chose a way that the set does not have");
    return way;
}

static inline void level_give_up(uint64_t line)
{
    if (UNIT_IS_LL && QN_DEFINES(POLICY_INCLUSIVE))
        sim_back_invalidate(line, sim.line);
    else if (sim_wants_evictions())
        sim_next(line, sim.line, SIM_EVICT);
}

/* ---- marks: lines that were prefetched and not used yet ---- */

#ifdef PREFETCHER
static uint8_t *level_marks; /* by way */
static bool level_first;     /* the reference uses such a line */

static inline uint8_t *level_mark(unsigned set, unsigned way) { return &level_marks[(uint64_t)set * sim.ways + way]; }

static inline void level_leave(unsigned set, unsigned way)
{
    sim_count(level_unused, *level_mark(set, way));
    *level_mark(set, way) = 0;
}

/* A prefetch of a level above uses no mark up. */
static inline void level_use(unsigned set, unsigned way, enum sim_kind kind)
{
    if (!*level_mark(set, way) || kind == SIM_PREFETCH)
        return;
    sim_count(level_useful, 1);
    *level_mark(set, way) = 0;
    level_first = true;
}
static inline void level_miss(enum sim_kind kind) { level_misses += kind != SIM_PREFETCH; }
#else
static inline void level_miss(enum sim_kind kind) { (void)kind; }
static inline void level_leave(unsigned set, unsigned way) { (void)set, (void)way; }
static inline void level_use(unsigned set, unsigned way, enum sim_kind kind) { (void)set, (void)way, (void)kind; }
#endif

static inline void level_set_line(unsigned set, unsigned way, uint64_t line)
{
    level_leave(set, way);
    if (LEVEL_PUBLISHES)
        level_hide(set, way);
    level_row(set)[way] = line ^ QN_NO_LINE;
    level_show_entry(set, way, line);
}

/* Fills the line.  Returns QN_UNIT_* bits. */
static unsigned level_fill(unsigned set, uint64_t line, enum sim_kind kind, bool publishes)
{
    unsigned way, outcome = QN_UNIT_MISS;
    uint64_t old;

    if (sim_wants_evictions()) /* an exclusive next level removes the line before it is filled with the victim */
        outcome |= QN_UNIT_NEXT_DONE | (sim_next(line, sim.line, kind) ? QN_UNIT_NEXT_MISS : 0);
    way = level_choose(set);
    if (QN_DEFINES(POLICY_BYPASSES) && way == sim.ways) {
        level_give_up(line);
        return outcome;
    }
    old = level_tag(set, way);
    level_set_line(set, way, line);
    sim_in(SIM_IN_FILL);
    policy_fill(set, way);
    if (publishes)
        level_publish(set, way, false);
    if (old != QN_NO_LINE) {
        level_evictions++;
        level_give_up(old);
    }
    return outcome;
}

/* The row of this address will be read soon. */
static inline __attribute__((unused)) void level_ahead(uint64_t addr)
{
    uint64_t set = level_set(addr);

    rows_ahead(level_row((unsigned)set), sim.ways);
    if (LEVEL_WAY_STATE_BYTES)
        rows_ahead((const uint64_t *)sim_way_memory + set * sim.ways * LEVEL_WAY_STATE_BYTES / sizeof(uint64_t), 1);
}

static inline unsigned level_line(uint64_t line, enum sim_kind kind, bool publishes)
{
    unsigned set = level_set(line), way = rows_find(level_row(set), sim.ways, line ^ QN_NO_LINE);

    sim_line = line;
    if (QN_DEFINES(WANTS_KIND))
        sim_kind_of_line = kind;
    if (way == sim.ways) {
        level_miss(kind);
        return level_fill(set, line, kind, publishes);
    }
    level_use(set, way, kind);
    level_hit(set, way);
    if (publishes)
        level_publish(set, way, true);
    return 0;
}

#ifdef PREFETCHER
static inline __attribute__((unused)) bool sim_prefetch(uint64_t addr)
{
    uint64_t line = addr & ~(uint64_t)(sim.line - 1);
    unsigned set = level_set(line), way;

    if (rows_find(level_row(set), sim.ways, line ^ QN_NO_LINE) < sim.ways)
        return false;
    sim_count(level_prefetches, 1);
    sim_next(line, sim.line, SIM_PREFETCH);
    level_line(line, SIM_PREFETCH, false);
    way = rows_find(level_row(set), sim.ways, line ^ QN_NO_LINE);
    if (way == sim.ways) { /* the policy has let it pass by */
        sim_count(level_unused, 1);
        return true;
    }
    *level_mark(set, way) = 1;
    if (LEVEL_PUBLISHES && LEVEL_HITS_CHANGE)
        level_ask(set, way);
    return true;
}

static bool level_misses_some(uint64_t addr, uint32_t size)
{
    LINES_OF(line, addr, size)
        if (rows_find(level_row(level_set(line)), sim.ways, line ^ QN_NO_LINE) == sim.ways)
            return true;
    return false;
}

/* The next level sees the reference first, then the prefetches. */
static inline unsigned level_before(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    level_first = false;
    if (!level_misses_some(addr, size))
        return 0;
    return QN_UNIT_NEXT_DONE | (sim_next(addr, size, kind) ? QN_UNIT_NEXT_MISS : 0u);
}

static inline void level_after(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss)
{
    if (kind == SIM_PREFETCH)
        return;
    if (miss || level_first || LEVEL_SEES_HITS)
        prefetcher_ref(addr, size, kind, miss);
}
#else
static inline unsigned level_before(uint64_t addr, uint32_t size, enum sim_kind kind) { return (void)addr, (void)size, (void)kind, 0; }
static inline void level_after(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss) { (void)addr, (void)size, (void)kind, (void)miss; }
#endif

static inline __attribute__((always_inline)) unsigned unit_simulate(uint64_t addr, uint32_t size, enum sim_kind kind, bool publishes)
{
    uint64_t line = addr & ~(uint64_t)(sim.line - 1), last = (addr + size - 1) & ~(uint64_t)(sim.line - 1);
    unsigned outcome = level_before(addr, size, kind);

    level_count++;
    beside_ref(addr, size, kind);
    for (;; line += sim.line) {
        outcome |= level_line(line, kind, publishes);
        if (line == last)
            break;
    }
    level_after(addr, size, kind, outcome & QN_UNIT_MISS);
    return outcome;
}

static SIM_NCSR unsigned unit_ref(uint64_t addr, uint32_t size, enum sim_kind kind) { return unit_simulate(addr, size, kind, true); }

/* ---- what else a unit has ---- */

static inline __attribute__((unused)) bool level_line_settled(uint64_t line)
{
    unsigned set = level_set(line);

    for (unsigned way = 0; way < sim.ways; way++)
        if (level_tag(set, way) == (line & ~(uint64_t)(sim.line - 1)))
            return level_settled(set, way);
    return false;
}

/* The lines of this line's set, by way. */
static __attribute__((unused)) SIM_NCSR unsigned unit_show(uint64_t line, uint64_t *lines)
{
    for (unsigned way = 0; way < sim.ways; way++)
        lines[way] = level_tag(level_set(line), way);
    return sim.ways;
}

/* The policy's state for `quern watch`: see POLICY_WAY_SHOWS in module.h. */
#if defined(POLICY_WAY_SHOWS) || defined(POLICY_SET_SHOWS)
#define UNIT_HAS_STATE 1
#ifndef policy_show_way
#define policy_show_way(set, way) LEVEL_WAY_VALUE(set, way)
#endif
#ifdef POLICY_WAY_SHOWS
#define LEVEL_WAY_VALUE(set, way) ((uint64_t)way_state(set, way))
#else
#define POLICY_WAY_SHOWS NULL
#define LEVEL_WAY_VALUE(set, way) ((void)(set), (void)(way), 0)
#endif
#ifdef POLICY_SET_SHOWS
#ifndef policy_show_set
#define policy_show_set(set) ((uint64_t)set_state(set))
#endif
#define LEVEL_SET_VALUE(set) policy_show_set(set)
#else
#define POLICY_SET_SHOWS NULL
#define LEVEL_SET_VALUE(set) ((void)(set), 0)
#endif

static __attribute__((unused)) SIM_NCSR void unit_state(uint64_t line, uint64_t *ways, unsigned most, uint64_t *set)
{
    unsigned number = level_set(line);

    for (unsigned way = 0; way < sim.ways && way < most; way++)
        ways[way] = policy_show_way(number, way);
    *set = LEVEL_SET_VALUE(number);
}
#else
#define POLICY_WAY_SHOWS NULL
#define POLICY_SET_SHOWS NULL
#endif

/* Removes the line: an inclusive last level has evicted it. */
static __attribute__((unused)) SIM_NCSR void unit_drop(uint64_t line)
{
    unsigned set = level_set(line);

    for (unsigned way = 0; way < sim.ways; way++)
        if (level_tag(set, way) == line) {
            level_set_line(set, way, QN_NO_LINE);
            level_used[set]--;
        }
}

/* Evictions are not an event: they are the misses less the fills of free ways, and charging them made gzip 8% slower. */
static void unit_finish(void)
{
    sim_total(sim.slot, "evictions", level_evictions, "lines that gave way to another");
    prefetches_finish();
    policy_finish();
}

/* The modules in the same slot. */
static void level_init_others(const struct sim_config *config)
{
    beside_start(config);
#ifdef PREFETCHER
    if (sim_option(config->slot, "pollution", 0))
        sim_fail(sim.slot, POLICY_NAME, "pollution", 0, "only beside the default cache");
    level_marks = sim_alloc((uint64_t)sim.sets * sim.ways);
    prefetches_init(config);
    prefetcher_init(config);
#endif
}

static void unit_init(const struct sim_config *config, struct qn_unit_facts *facts)
{
    uint64_t lines = (uint64_t)config->sets * config->ways;
    const char *wrong;

    facts->reference = unit_reference;
    facts->name = POLICY_NAME;
    facts->can_drop = true;
    facts->tells_evictions = !LEVEL_PREFETCHES;
    facts->shows = QN_SHOW_WAYS;
    facts->way_state = POLICY_WAY_SHOWS;
    facts->set_state = POLICY_SET_SHOWS;
    facts->hit = QN_HIT_NOTHING;
    facts->repeat_is_noop = LEVEL_REPEAT_IS_NOOP && !QN_DEFINES(POLICY_BYPASSES) && !LEVEL_PREFETCHES;
    facts->kinds = QN_DEFINES(WANTS_KIND);
    facts->back_invalidates = UNIT_IS_LL && QN_DEFINES(POLICY_INCLUSIVE);
    level_tags = sim_alloc((lines + ROWS_MORE) * 8);
    level_words = (sim.ways + 63) / 64;
    level_shown = sim_alloc((uint64_t)sim.sets * level_words * 8);
    level_used = sim_alloc(sim.sets * sizeof *level_used);
    sim_way_memory = LEVEL_WAY_STATE_BYTES ? sim_alloc(lines * LEVEL_WAY_STATE_BYTES) : NULL;
    sim_set_memory = LEVEL_SET_STATE_BYTES ? sim_alloc((uint64_t)sim.sets * LEVEL_SET_STATE_BYTES) : NULL;
    level_show_init(facts);
    level_init_others(config);
    wrong = policy_init();
    if (wrong)
        sim_fail(sim.slot, POLICY, "policy_init", 0, wrong);
}
