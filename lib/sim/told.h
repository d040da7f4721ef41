/* lib/sim/told.h - calls the analysis modules for references, misses and fills; included by engine.c.
 *
 *   3c asks for lines, the D1 has time stamps  -> it is called for each miss of the D1, with the line filled and the victim
 *   the same under another policy              -> it is called for each reference, and the hit filter is off
 */
bool qn_sim_observes, qn_sim_analyses, qn_sim_wants_pc, qn_sim_tells_misses, qn_sim_tells_lines;
struct qn_filter_entry qn_sim_victim;
uint64_t **qn_sim_miss_to;
struct qn_sim_later qn_sim_later;
struct qn_sim_touches qn_sim_touches;

static struct qn_readers readers;

static uint64_t *sites; /* by number, if a module wants sim_pc: see qn_site_of */

uint32_t sim_older_places(uint64_t time, uint32_t enough) { return fast_D1_older(time, enough); }

uint32_t sim_count_places(uint64_t time, uint32_t shift, uint32_t counts[SIM_PLACE_COUNTS]) { return fast_D1_count(time, shift, counts); }

uint64_t sim_lines_touched(void) { return qn_engine_references() + *D1_near.touched; }

/* The near lines together have at most 1 KiB, the smallest cache of a curve. */
#define NEAR_BYTES 1024u
#define NEAR_TOLD_MAX 8u /* of analyses that cannot read the list themselves */

static uint32_t near_lines(const struct qn_config *c, uint32_t most)
{
    uint32_t n = NEAR_BYTES / c->D1.line;

    return n < 1 ? 1 : n < most ? n : most;
}

/* The callbacks that are possible without a call for each reference.  lines: if no inclusive LL removes lines from the D1. */
static struct qn_readers_offer offer(const struct qn_config *c)
{
#ifdef QN_SIM_HOSTED
    (void)c;
    return (struct qn_readers_offer){.lines = false};
#else
    bool stamps = c->filter && qn_fast.D1.sets && !facts[SLOT_LL].back_invalidates;

    return (struct qn_readers_offer){.lines = stamps, .near = stamps ? near_lines(c, NEAR_TOLD_MAX) : 0, .counts = true};
#endif
}

static void init_later(const struct qn_config *c), init_touches(const struct qn_config *c);

/* Sets the analyses up.  If one of them sees all references, or all data references, the hit filter is switched off for these. */
static void init_analyses(const struct qn_config *c)
{
    readers = qn_readers_init(c, offer(c));
    qn_sim_observes = readers.instructions;
    qn_sim_analyses = readers.references || readers.data;
    qn_sim_tells_misses = readers.misses;
    if (readers.one_of_misses && !readers.later && offer(c).counts)
        qn_sim_miss_to = qn_engine_alloc(QN_ARENA_COUNTERS_SIZE);
    qn_sim_tells_lines = readers.lines;
    init_touches(c);
    qn_sim_wants_pc |= readers.pc;
    qn_sim_records = readers.log != NULL;
    init_later(c);
    if (!qn_sim_analyses && !qn_sim_records)
        return;
    qn_sim_d1_filter.entries = 0;
    qn_sim_wants_pc = qn_sim_analyses;
    qn_sim_kinds = true;
    if (!readers.references && !qn_sim_records)
        return;
    qn_sim_i1_hit = QN_HIT_CALL;
    qn_sim_i1_repeat_is_noop = false;
    qn_sim_returns = true;
    qn_fast.BC.counters = qn_fast.BI.targets = 0; /* qn_sim_cond and qn_sim_indirect call the analyses for branches */
}

/* ---- the instruction of a site ---- */

void qn_sim_note_site(uint32_t site, uint64_t pc, enum qn_log_kind kind)
{
    if (!sites)
        sites = qn_engine_alloc(QN_ARENA_COUNTERS_SIZE);
    sites[site] = qn_site_of(pc, kind);
}

void qn_sim_set_pc(uint32_t site)
{
    if (qn_sim_wants_pc)
        sim_pc = sites ? qn_site_pc(sites[site]) : 0;
}

static inline void set_pc(const uint64_t *counts)
{
    if (QN_UNLIKELY(qn_sim_wants_pc))
        qn_sim_set_pc((uint32_t)(counts - sim_counters));
}

/* ---- callbacks ---- */

void qn_up_refer(uint32_t site)
{
    sim_reference.site = site;
    sim_reference.execution = qn_sim_execution(site);
}

static inline void refer(const uint64_t *counts)
{
    if (QN_UNLIKELY(readers.any))
        qn_up_refer((uint32_t)(counts - sim_counters));
}

static inline void analyse(const struct sim_ref *ref)
{
    if (QN_UNLIKELY(qn_sim_analyses))
        qn_readers_reference(ref);
}

void qn_sim_observe(struct sim_insn *insn, unsigned n) { qn_readers_instructions(insn, n); }

enum qn_log_kind qn_sim_log_kind(unsigned kind)
{
    return kind == SIM_MODIFY ? QN_LOG_MODIFY : kind == SIM_WRITE ? QN_LOG_WRITE : QN_LOG_READ;
}

#ifndef QN_SIM_HOSTED /* a replay has no data objects */
#define USES_LINE_BITS_MAX 7 /* emitted code multiplies 16, the size of the filter's entries, by up to 8 */

uint64_t qn_sim_uses;

bool qn_sim_tell_uses(const struct qn_use_hooks *hooks)
{
    if (!qn_fast.D1.sets)
        return false;
    D1_uses.bytes = qn_engine_alloc_low((uint64_t)D1.slots << D1.line_bits);
    D1_uses.word = qn_engine_alloc(D1.slots * sizeof *D1_uses.word);
    D1_uses.hooks = hooks;
    qn_sim_uses = (uintptr_t)D1_uses.bytes;
    if (D1.line_bits > USES_LINE_BITS_MAX)
        qn_sim_d1_filter.entries = 0;
    return true;
}

void qn_sim_end_uses(void)
{
    for (unsigned slot = 0; slot < D1.slots && D1_uses.bytes; slot++)
        if (D1_slots[slot].line != QN_NO_LINE)
            fast_D1_drop(D1_slots[slot].line & ~D1_FAR);
}
#endif

static qn_miss_hook *on_miss;
qn_slow_call *qn_sim_missed;

void qn_sim_tell_misses(qn_miss_hook *hook, qn_slow_call *looked_up)
{
    on_miss = hook;
    qn_sim_missed = readers.any ? NULL : looked_up;
    qn_sim_miss_to = NULL;
    qn_sim_later.count = NULL;
    qn_sim_tells_misses = true;
}

/* ---- misses that are collected, for analyses that are called later ---- */

static volatile uint64_t *looked_at; /* struct qn_waiting.told */

/* Misses are collected only if emitted code simulates the default caches, and, if they have events, only if calls do not add these up. */
static void init_later(const struct qn_config *c)
{
#ifdef QN_SIM_HOSTED
    (void)c;
#else
    if (!readers.later || qn_sim_miss_to || !offer(c).lines || !qn_fast.LL.ways || (sim_waits.left && c->calls)) {
        sim_waits.left = NULL;
        return;
    }
    qn_sim_later.misses = qn_engine_alloc_low(QN_LATER * sizeof *qn_sim_later.misses);
    if (sim_waits.left) {
        struct qn_waiting *w = qn_sim_waiting(sim_waits.event);

        qn_sim_later.count = &w->misses;
        qn_sim_later.site = w->site;
        looked_at = &w->told;
        if (readers.alone)
            return;
    } else {
        qn_sim_later.count = sim_cells(1);
    }
    sim_row(&(struct sim_term){.cells = qn_sim_later.count, .n = 1, .times = 1, .needed = true}, 1,
            "AN: the program was killed before %%U of its misses were looked at");
#endif
}

/* The number of the last ones in the list that belong to executions of blocks that have not ended. */
static uint32_t count_new(void)
{
    const struct qn_later_miss *next = qn_sim_later.misses + *qn_sim_later.count;
    uint32_t found = 0;

    if (qn_sim_is_old)
        return 0;
    for (uint64_t n = 1; n <= QN_SIM_MISSES && n <= qn_sim_miss_count && found < *qn_sim_later.count; n++) {
        const struct qn_sim_miss *m = &qn_sim_misses[(qn_sim_miss_count - n) % QN_SIM_MISSES];

        if (m->execution != qn_sim_execution(m->counter))
            break;
        found += (next[-1 - (int64_t)found].site & QN_SITE_COUNTER_MASK) == m->counter; /* no: it is a fetch */
    }
    return found;
}

static SLOW void tell_waiting(bool last)
{
    struct qn_unit_later l = {qn_sim_later.misses, sites, &sim_pc, looked_at, (uint32_t)*qn_sim_later.count, qn_sim_d1_filter.line, last};
    uint64_t pc = sim_pc; /* of the reference that is being simulated */
    uint32_t new = count_new();

    qn_readers_later(&l, new);
    *(volatile uint64_t *)qn_sim_later.count = 0;
    if (looked_at)
        *looked_at = 0;
    sim_pc = pc;
}

SLOW void qn_sim_later_tell(void) { tell_waiting(true); }

/* Collects a miss, as emitted code does. */
static inline void write_later(struct qn_later_miss miss)
{
    if (qn_sim_later.site)
        qn_sim_later.site[*qn_sim_later.count] = miss.site & QN_SITE_COUNTER_MASK;
    qn_sim_later.misses[(*qn_sim_later.count)++] = miss;
    if (QN_UNLIKELY(*qn_sim_later.count == QN_LATER))
        qn_sim_later_tell();
}

static inline void tell_later(void)
{
    if (QN_UNLIKELY(!qn_sim_later_is_empty()))
        qn_sim_later_tell();
}

/* ---- touches, for analyses that are called later ---- */

static void init_touches(const struct qn_config *c)
{
    fast_D1_near(readers.list ? near_lines(c, QN_NEAR_MAX) : readers.near, qn_sim_more_lines());
#ifndef QN_SIM_HOSTED
    if (!readers.far)
        return;
    qn_sim_touches.list = qn_engine_alloc_low(QN_TOUCHES * sizeof *qn_sim_touches.list);
    qn_sim_touches.count = sim_cells(2);
    sim_row((struct sim_term[]){{.cells = qn_sim_touches.count, .n = 1, .times = 1, .plus = true},
                                {.cells = qn_sim_touches.count + 1, .n = 1, .times = -1, .needed = true}}, 2,
            "AN: the program was killed before %%U references to lines that were not near were looked at");
#endif
}

/* The number of touches before those of executions of blocks that have not ended. */
static uint32_t count_old(void)
{
    const struct qn_touch *list = qn_sim_touches.list;
    uint32_t n = (uint32_t)*qn_sim_touches.count;

    while (n && (list[n - 1].how & QN_TOUCH_LEFT || list[n - 1].execution == qn_sim_execution(list[n - 1].site & QN_SITE_COUNTER_MASK)))
        n--;
    return n;
}

static void read_touches(void)
{
    struct qn_unit_touches t = {.touch = qn_sim_touches.list, .site = sites, .pc = &sim_pc};
    struct sim_undo reference = sim_reference; /* the one being simulated */
    uint64_t pc = sim_pc;
    uint32_t old = count_old();

    t.n = old;
    sim_undo_off = true;
    qn_readers_touches(&t);
    sim_undo_off = false;
    t.touch += old;
    t.n = (uint32_t)*qn_sim_touches.count - old;
    qn_readers_touches(&t);
    qn_sim_touches.count[0] = qn_sim_touches.count[1] = 0;
    sim_reference = reference;
    sim_pc = pc;
}

SLOW void qn_sim_touches_end(void)
{
    fast_D1_end_near();
    if (QN_LIKELY(*qn_sim_touches.count <= QN_TOUCHES - 2 * QN_NEAR_MAX))
        return;
    fast_D1_take_near();
    read_touches();
}

void qn_sim_touches_tell(void)
{
    if (qn_sim_touches_are_told())
        return;
    fast_D1_take_near();
    read_touches();
}

static uint32_t telling; /* the site of the miss for which analyses are being called */

void sim_miss_to(uint64_t *address)
{
    if (qn_sim_miss_to && telling)
        qn_sim_miss_to[telling] = address;
}

/* If sim_miss_to was called for this site: writes the address and returns true. */
static inline bool written(uint64_t addr, uint32_t site)
{
    if (!qn_sim_miss_to || !qn_sim_miss_to[site])
        return false;
    *qn_sim_miss_to[site] = addr;
    return true;
}

/* The kind of the reference.  Without qn_sim_kinds, emitted code does not pass it, so it comes from `sites`. */
static inline unsigned site_kind(unsigned kind, const uint64_t *counts)
{
    return kind == SIM_READ && sites ? qn_site_kind(sites[counts - sim_counters]) : kind;
}

static QN_SIM_NCSR void tell_miss(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, const uint64_t *counts)
{
    if (readers.misses) {
        telling = sites ? (uint32_t)(counts - sim_counters) : 0;
        kind = site_kind(kind, counts);
        qn_readers_miss(&(struct sim_miss){.addr = addr, .pc = sim_pc, .size = size, .kind = (uint8_t)kind, .outcome = (uint8_t)outcome});
    }
    if (on_miss) /* after the analyses, because it reads the miss's class */
        on_miss(addr, (uint32_t)(counts - sim_counters), outcome >> 1 & 1);
}

/* Calls analyses and hooks that ask for misses, if this data reference is one. */
static inline void tell(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, const uint64_t *counts)
{
    if (QN_UNLIKELY(qn_sim_tells_misses) && outcome && !written(addr, (uint32_t)(counts - sim_counters)))
        tell_miss(addr, size, kind, outcome, counts);
}
