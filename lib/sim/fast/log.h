/* lib/sim/fast/log.h - the log: references are recorded and simulated many at a time; included by engine.c.
 *
 *   program        A   A   B   fetch C   D, 300 bytes      references
 *   log            A       B   C                           D: the log is drained, then D is simulated by itself
 *   drained        the D1 sees all entries; then the misses go, in the same order, to the last level and the counters
 *
 * Emitted code appends entries (emit/log.c), and log_note appends those from C.  The log is drained when it has QN_LOG_ENTRIES
 * entries and when translated code is left, so that all code outside sees complete counters.  This is faster than a call for each
 * reference: registers are saved once for many references, and the processor overlaps the work for consecutive ones.
 *
 * The default caches, a module in slot D1, or one below the default I1 and D1 simulate the entries.
 */
#include "sim/fast/rows.h"

#define LOG_ROOM (2 * QN_LOG_ENTRIES) /* with room for what one block may append after QN_LOG_FULL */

static struct qn_log_entry log_entries[LOG_ROOM] __attribute__((aligned(2 * QN_LOG_FULL)));

static const struct qn_log_consumer *log_to;
static qn_log_words *log_recorder;

static void log_init(void) { qn_sim_log.next = qn_sim_log.began = (uintptr_t)log_entries; }

/* No block that has begun is in the log. */
static void log_record(void)
{
    uint32_t n = (uint32_t)((qn_sim_log.next - (uintptr_t)log_entries) / sizeof(uint64_t));

    log_init();
    qn_sim_log.began = 0;
    log_recorder((const uint64_t *)log_entries, n);
}

static void log_drain(void)
{
    uint32_t n = (uint32_t)((qn_sim_log.next - (uintptr_t)log_entries) / sizeof *log_entries);
    uint32_t old = (uint32_t)((qn_sim_log.began - (uintptr_t)log_entries) / sizeof *log_entries);

    if (QN_UNLIKELY(qn_sim_records)) {
        log_record();
        return;
    }
    log_init();
    if (old) {
        qn_sim_is_old = true;
        log_to->simulate(log_entries, old);
        qn_sim_is_old = false;
    }
    log_to->simulate(log_entries + old, n - old);
}

static void log_note(uint64_t addr, uint32_t size, unsigned kind, uint32_t counter)
{
    if (kind != QN_LOG_FETCH)
        log_to->pass(addr, size);
    if (size > QN_SITE_SIZE_MAX) { /* too large for an entry; the entries in the log come first */
        log_drain();
        log_to->reference(addr, size, (enum qn_log_kind)kind, counter);
        return;
    }
    *(struct qn_log_entry *)(uintptr_t)qn_sim_log.next = (struct qn_log_entry){addr, counter | size << QN_SITE_SIZE_SHIFT, kind};
    qn_sim_log.next += sizeof *log_entries;
    if (qn_sim_log.next & QN_LOG_FULL)
        log_drain();
}

static void log_use(const struct qn_log_consumer *consumer)
{
    log_to = consumer;
    log_init();
    qn_sim_log_on = true;
}

/* ---- the default caches simulate the log ----
 *
 * When about a third of the references miss the D1, the processor mispredicts the jump on hit or miss so often that this jump is the
 * main cost.  While that is so (run/core/references/reference.c decides), emitted code logs references without a jump on the outcome, and the two
 * passes here do not jump on it either:
 *
 *   references       A  A  B  A  C  C
 *   log              A     B  A  C        first pass: moves the line to the front of its row (rows.h)
 *   misses           A     B     C        second pass: the last level and the counters
 *
 * The first pass writes the number of each entry to the next element of the list of misses, and advances only on a miss.
 *
 * Meanwhile the lines of the D1 are in rows, not in the table of D1.h.  Both are least recently used, so the counts are the
 * same.  For D1s of up to 16 ways with lines of 64 bytes. */

#define LOG_LINE_BITS 6u
#define LOG_LINE (1u << LOG_LINE_BITS)
#define LOG_SETS_MAX 4096u

static uint64_t log_rows[LOG_SETS_MAX * ROW_WORDS_MAX] __attribute__((aligned(128))); /* by set, the line used last first */
static uint64_t log_newest[LOG_SETS_MAX]; /* see struct qn_sim_log; QN_NO_LINE = none */
static uint16_t log_missed_entry[LOG_ROOM];

static bool log_fits(void)
{
    return D1.ways <= ROW_WORDS_MAX && D1.line_bits == LOG_LINE_BITS && D1.sets > 1 && D1.sets <= LOG_SETS_MAX;
}

/* ---- first pass ---- */

struct log_shape { /* constants in each copy of the loop */
    enum qn_vectors with;
    unsigned words;
};

static bool log_touch(uint64_t addr, uint32_t size)
{
    uint64_t line = addr >> LOG_LINE_BITS, last = (addr + size - 1) >> LOG_LINE_BITS;
    uint32_t words = row_words(D1.ways);
    bool missed = false;

    for (; line <= last; line++)
        missed |= row_search(log_rows + (line & (D1.sets - 1)) * words, words, line + 1) >= D1.ways;
    return missed;
}

/* A fetch, or a reference to two lines.  (`used`: otherwise gcc would load all members of each entry as arguments.) */
static __attribute__((noinline, used)) bool log_special(const struct qn_log_entry *e)
{
    bool fetch = e->kind == QN_LOG_FETCH;

    qn_sim_traffic.data -= fetch; /* D1_log_simulate has counted it as a data reference */
    return fetch || log_touch(e->addr, e->site >> QN_SITE_SIZE_SHIFT);
}

ROWS_INLINE uint32_t log_first_pass(struct log_shape s, const struct qn_log_entry *entry, uint32_t n)
{
    const uint64_t set_mask = D1.sets - 1;
    const uint32_t ways = (1u << D1.ways) - 1; /* a bit for each depth that is a hit */
    uint32_t missed = 0;

    rows_begin(s.with, qn_sim_vectors.wide);
    for (uint32_t i = 0; i < n; i++) {
        const struct qn_log_entry *e = &entry[i];
        uint64_t line = e->addr >> LOG_LINE_BITS;

        log_missed_entry[missed] = (uint16_t)i;
        rows_take(s.with, line + 1);
        missed += QN_LIKELY(qn_log_is_plain(e, LOG_LINE))
                      ? !(row_move(s.with, log_rows + (line & set_mask) * s.words, s.words, line + 1) & ways) : log_special(e);
    }
    rows_end(s.with, qn_sim_vectors.wide);
    return missed;
}

typedef uint32_t log_pass_function(const struct qn_log_entry *entry, uint32_t n);

#define LOG_PASS(name, with, words) \
    static uint32_t name(const struct qn_log_entry *entry, uint32_t n) { return log_first_pass((struct log_shape){with, words}, entry, n); }
#define LOG_PASSES(name, with) LOG_PASS(name##_4, with, 4) LOG_PASS(name##_8, with, 8) LOG_PASS(name##_16, with, 16)
LOG_PASS(log_by_word_1, QN_VECTORS_SCALAR, 1)
LOG_PASS(log_by_word_2, QN_VECTORS_SCALAR, 2)
LOG_PASSES(log_by_word, QN_VECTORS_SCALAR)
LOG_PASSES(log_by_256, QN_VECTORS_AVX2)
LOG_PASSES(log_by_512, QN_VECTORS_AVX512)

static log_pass_function *log_chosen; /* for this D1 and this processor */

/* ---- the L2, if its rows have 4, 8 or 16 words: another pass, which marks the misses that miss it, too; a row of memory that nobody has written has
 * no line ---- */

static uint8_t log_missed_L2[LOG_ROOM]; /* by miss */

ROWS_INLINE uint32_t log_second_pass(struct log_shape s, const struct qn_log_entry *entry, uint32_t missed)
{
    const uint32_t ways = (1u << s.words) - 1, sets = L2.sets - 1, bits = L2.line_bits;

    rows_begin(s.with, qn_sim_vectors.wide);
    for (uint32_t i = 0; i < missed; i++) {
        const struct qn_log_entry *e = &entry[log_missed_entry[i]];
        uint64_t line = e->addr >> bits;

        if (QN_LIKELY(qn_log_is_plain(e, LOG_LINE))) {
            rows_take(s.with, line + QN_FAST_LL_BIAS);
            log_missed_L2[i] = !(row_move(s.with, L2.rows + (line & sets) * s.words, s.words, line + QN_FAST_LL_BIAS) & ways);
        } else {
            log_missed_L2[i] = (uint8_t)fast_L2_ref(e->addr, e->site >> QN_SITE_SIZE_SHIFT);
        }
    }
    rows_end(s.with, qn_sim_vectors.wide);
    return missed;
}

#define LOG_L2_PASS(name, with, words) \
    static uint32_t name(const struct qn_log_entry *entry, uint32_t n) { return log_second_pass((struct log_shape){with, words}, entry, n); }
#define LOG_L2_PASSES(name, with) LOG_L2_PASS(name##_4, with, 4) LOG_L2_PASS(name##_8, with, 8) LOG_L2_PASS(name##_16, with, 16)
LOG_L2_PASSES(log_L2_by_256, QN_VECTORS_AVX2)
LOG_L2_PASSES(log_L2_by_512, QN_VECTORS_AVX512)

static log_pass_function *log_L2_chosen; /* NULL: none of them; each miss looks the L2 up by itself */

static void log_choose_L2(void)
{
    static log_pass_function *const passes[][3] = {
        [QN_VECTORS_AVX2] = {log_L2_by_256_4, log_L2_by_256_8, log_L2_by_256_16},
        [QN_VECTORS_AVX512] = {log_L2_by_512_4, log_L2_by_512_8, log_L2_by_512_16},
    };
    bool fits = qn_fast.L2.ways >= 4 && qn_fast.L2.ways <= ROW_WORDS_MAX && qn_is_pow2(L2.ways) && qn_is_pow2(L2.sets) && L2.line_bits >= LOG_LINE_BITS &&
                LL.ways && qn_sim_vectors.with != QN_VECTORS_SCALAR;

    log_L2_chosen = fits ? passes[qn_sim_vectors.with][qn_log2(L2.ways) - 2] : NULL;
}

static void log_choose(void)
{
    static log_pass_function *const passes[][5] = {
        [QN_VECTORS_SCALAR] = {log_by_word_1, log_by_word_2, log_by_word_4, log_by_word_8, log_by_word_16},
        [QN_VECTORS_AVX2] = {log_by_word_1, log_by_word_2, log_by_256_4, log_by_256_8, log_by_256_16},
        [QN_VECTORS_AVX512] = {log_by_word_1, log_by_word_2, log_by_512_4, log_by_512_8, log_by_512_16},
    };

    log_chosen = passes[qn_sim_vectors.with][qn_log2(row_words(D1.ways))];
}

/* ---- the last pass ---- */

/* Nobody who asks for lines has a log. */
static inline void log_tell(uint64_t addr, uint32_t size, uint32_t counter, unsigned ll)
{
    if (QN_UNLIKELY(qn_sim_stream.first && !qn_sim_stream.by_reference))
        qn_stream_line(&(struct qn_line_use){.line = addr & ~(uint64_t)(LOG_LINE - 1), .victim = QN_NO_LINE, .first = true}, addr, size, SIM_READ, counter);
    if (QN_UNLIKELY(qn_sim_tells_misses))
        set_pc(sim_counters + counter);
    tell(addr, size, SIM_READ, 1 | ll << 1, sim_counters + counter);
    charge(sim_counters + counter);
}

/* Each miss, in program order.  quiet: there is no observer. */
static inline __attribute__((always_inline)) void log_missed(uint64_t addr, uint32_t size, bool quiet, uint32_t site, unsigned ll)
{
    uint32_t counter = site & QN_SITE_COUNTER_MASK;

    if (QN_UNLIKELY(L2_missed))
        count_L2_miss(sim_counters + counter, SIM_READ);
    count_miss(sim_counters + counter, ll);
    if (!quiet)
        log_tell(addr, size, counter, ll);
    else
        charge(sim_counters + counter);
    if (QN_UNLIKELY(qn_sim_shadow_logs))
        qn_sim_shadow_missed(addr, 1 | ll << 1, counter);
}

/* With a module at LL or L2: it is told of the kind and the instruction. */
static inline __attribute__((always_inline)) unsigned log_below(uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t counter)
{
    if (QN_LIKELY(!unit[SLOT_LL]))
        return LL_ref(addr, size, SIM_READ);
    if (kind == QN_LOG_FETCH)
        sim_pc = addr;
    else
        set_pc(sim_counters + counter);
    return LL_ref(addr, size, qn_sim_kind(kind));
}

/* ---- a module at LL or L2, below the default I1 and D1, simulates what misses these ----
 *
 *   emitted code     logs each miss of the D1, which it simulates itself (emit/lru_stub.c); what misses the I1 is a call, which logs it
 *   drained          `refs` of the unit simulates all entries in one call
 *
 * In a batch of the D1, the same after the first pass. */

static bool log_is_below; /* is there such a module, and are these misses logged? */

void qn_up_seen_below(const struct qn_log_entry *e, unsigned outcome)
{
    uint32_t size = e->site >> QN_SITE_SIZE_SHIFT;

    if (below_has_unit) {
        outcome = below_unit(outcome, e->addr, size, SIM_READ);
        L2_missed = outcome & BELOW_L2_MISSED;
    }
    log_missed(e->addr, size, true, e->site, outcome & 1);
}

static void below_log_simulate(const struct qn_log_entry *entry, uint32_t n)
{
    struct sim_before before = sim_enter(SLOT_LL, SIM_IN_DOREF, calls[SLOT_LL]);

    unit[SLOT_LL]->refs(entry, n);
    calls[SLOT_LL] = sim_current[0] / SIM_CURRENT_NEXT;
    sim_leave(before);
}

static void below_log_reference(uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t counter)
{
    log_missed(addr, size, kind == QN_LOG_FETCH, counter, log_below(addr, size, kind, counter));
}

static void log_pass_nothing(uint64_t addr, uint32_t size) { (void)addr, (void)size; }

static const struct qn_log_consumer log_to_below = {below_log_simulate, below_log_reference, log_pass_nothing};

/* Moves the entries that missed to the front, for the unit. */
static void log_gather(const struct qn_log_entry *entry, uint32_t missed)
{
    struct qn_log_entry *to = log_entries + (entry - log_entries);

    for (uint32_t i = 0; i < missed; i++)
        to[i] = entry[log_missed_entry[i]];
}

/* ---- the default D1 ---- */

/* Is the last level all that is below, and nobody told of what misses?  Then the pass over the misses asks no such question for each. */
static bool log_only_counts(void)
{
    return !unit[SLOT_LL] && !below_levels && !L2.ways && !private_L2 && LL.ways && !qn_sim_stream.first && !qn_sim_stream.by_reference &&
           !qn_sim_tells_misses && !sim_events_new && !qn_sim_shadow_logs;
}

static void log_count(const struct qn_log_entry *entry, uint32_t missed)
{
    const struct rows_of_level below = LL; /* stores to rows and counters do not change it */

    for (uint32_t i = 0; i < missed; i++) {
        const struct qn_log_entry *e = &entry[log_missed_entry[i]];
        uint32_t site = e->site;

        count_miss(sim_counters + (site & QN_SITE_COUNTER_MASK), rows_ref(&below, e->addr, site >> QN_SITE_SIZE_SHIFT));
    }
}

static void D1_log_simulate(const struct qn_log_entry *entry, uint32_t n)
{
    uint32_t missed;

    qn_sim_traffic.data += n;
    missed = log_chosen(entry, n);
    if (QN_LIKELY(log_only_counts())) {
        log_count(entry, missed);
        return;
    }
    if (log_is_below) {
        log_gather(entry, missed);
        below_log_simulate(entry, missed);
        return;
    }
    if (log_L2_chosen)
        log_L2_chosen(entry, missed);
    for (uint32_t i = 0; i < missed; i++) {
        const struct qn_log_entry *e = &entry[log_missed_entry[i]];
        uint32_t size = e->site >> QN_SITE_SIZE_SHIFT;

        if (log_L2_chosen) {
            L2_missed = log_missed_L2[i];
            log_missed(e->addr, size, e->kind == QN_LOG_FETCH, e->site, L2_missed && fast_LL_ref(e->addr, size));
            continue;
        }
        log_missed(e->addr, size, e->kind == QN_LOG_FETCH, e->site, log_below(e->addr, size, (enum qn_log_kind)e->kind, e->site & QN_SITE_COUNTER_MASK));
    }
}

static void D1_log_reference(uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t counter)
{
    qn_sim_traffic.data += kind != QN_LOG_FETCH;
    if (kind == QN_LOG_FETCH || log_touch(addr, size))
        log_missed(addr, size, kind == QN_LOG_FETCH, counter, log_below(addr, size, kind, counter));
}

static void D1_log_pass(uint64_t addr, uint32_t size)
{
    for (uint64_t line = addr >> LOG_LINE_BITS; line <= (addr + size - 1) >> LOG_LINE_BITS; line++)
        log_newest[line & (D1.sets - 1)] = line << LOG_LINE_BITS;
}

static const struct qn_log_consumer log_to_D1 = {D1_log_simulate, D1_log_reference, D1_log_pass};

/* ---- from the table of D1.h to rows, and back ---- */

/* Moves the lines of the set to its row, the line used last first.  Its entries of the table become empty, so nothing hits under
 * the filter. */
static void log_fill_row(unsigned set)
{
    uint64_t lines[ROW_WORDS_MAX], *row = log_rows + set * row_words(D1.ways);
    unsigned n = fast_D1_show((uint64_t)set << LOG_LINE_BITS, lines);

    for (unsigned i = 0; i < row_words(D1.ways); i++)
        row[i] = i >= n || lines[i] == QN_NO_LINE ? 0 : (lines[i] >> LOG_LINE_BITS) + 1;
    for (unsigned i = set; i < D1.slots; i += D1.sets)
        D1_slots[i].line = QN_NO_LINE;
    log_newest[set] = row[0] ? (row[0] - 1) << LOG_LINE_BITS : QN_NO_LINE;
}

static void log_begin(void)
{
    log_to = &log_to_D1;
    log_init();
    log_choose();
    log_choose_L2();
    qn_sim_log.newest = (uintptr_t)log_newest;
    qn_sim_log.line = LOG_LINE;
    qn_sim_log.sets = D1.sets;
    for (unsigned set = 0; set < D1.sets; set++)
        log_fill_row(set);
    qn_sim_log_on = true;
    qn_sim_log_misses = false;
    qn_sim_shadow_logs = qn_sim_shadow_on;
}

static void log_begin_misses(void)
{
    log_use(&log_to_below);
    qn_sim_log_misses = log_is_below = true;
}

/* Moves the lines of the row back to the table.  Surplus entries get the stamp D1_TAKEN. */
static void log_empty_row(unsigned set, uint64_t now)
{
    const uint64_t *row = log_rows + set * row_words(D1.ways);
    unsigned i = 0;

    for (unsigned slot = set; slot < D1.slots; slot += D1.sets, i++)
        D1_slots[slot] = i >= D1.ways ? (struct qn_filter_entry){QN_NO_LINE, D1_TAKEN}
                         : row[i]     ? (struct qn_filter_entry){(row[i] - 1) << LOG_LINE_BITS, now - i}
                                      : (struct qn_filter_entry){QN_NO_LINE, 0};
}

static void log_end(uint64_t *clock)
{
    log_drain();
    qn_sim_log_on = qn_sim_shadow_logs = false;
    *clock += ROW_WORDS_MAX + 1;
    for (unsigned set = 0; set < D1.sets; set++)
        log_empty_row(set, *clock - 1); /* the current time belongs to no reference yet */
    if (!log_is_below)
        return;
    log_begin_misses();
    qn_sim_shadow_logs = qn_sim_shadow_on;
}

/* ---- a module in slot D1 simulates the log ----
 *
 *   emitted code     logs every data reference, without a look at the filter (emit/log.c), and the code lines that miss the I1
 *   drained          `refs` of the unit simulates all entries in one call; each miss goes to the last level at once, so the
 *                    last level sees program order
 *
 * A module that has to see each reference always works so.  A module with a hit filter does while so many references miss that
 * the processor cannot predict the jump on the outcome (run/core/references/reference.c). */

void qn_up_set_pc(const struct qn_log_entry *e)
{
    if (e->kind == QN_LOG_FETCH)
        sim_pc = e->addr;
    else
        qn_sim_set_pc(e->site & QN_SITE_COUNTER_MASK);
}
void qn_up_charge(uint32_t site) { qn_sim_charge(site & QN_SITE_COUNTER_MASK); }

static inline void missed(uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t counter, unsigned outcome)
{
    if (kind == QN_LOG_FETCH)
        sim_pc = addr;
    else
        set_pc(sim_counters + counter);
    outcome = account(outcome, addr, size, qn_sim_kind(kind), sim_counters + counter);
    if (kind != QN_LOG_FETCH)
        tell(addr, size, qn_sim_kind(kind), outcome, sim_counters + counter);
    if (QN_UNLIKELY(qn_sim_shadow_logs && outcome))
        qn_sim_shadow_missed(addr, outcome, counter);
}

void qn_up_missed(const struct qn_log_entry *e, unsigned outcome)
{
    missed(e->addr, e->site >> QN_SITE_SIZE_SHIFT, (enum qn_log_kind)e->kind, e->site & QN_SITE_COUNTER_MASK, outcome);
}

static void unit_log_simulate(const struct qn_log_entry *entry, uint32_t n)
{
    struct sim_before before = sim_enter(SLOT_D1, SIM_IN_DOREF, calls[SLOT_D1]);

    qn_sim_traffic.data += n;
    unit[SLOT_D1]->refs(entry, n);
    calls[SLOT_D1] = sim_current[0] / SIM_CURRENT_NEXT;
    sim_leave(before);
}

static void unit_log_reference(uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t counter)
{
    set_pc(sim_counters + counter);
    qn_sim_traffic.data++;
    missed(addr, size, kind, counter, kind == QN_LOG_FETCH ? QN_UNIT_MISS : unit_ref(SLOT_D1, addr, size, qn_sim_kind(kind)));
    charge(sim_counters + counter);
}

static const struct qn_log_consumer log_to_unit = {unit_log_simulate, unit_log_reference, log_pass_nothing};

static void unit_log_switch(bool on)
{
    if (on) {
        unit[SLOT_D1]->forget();
        log_use(&log_to_unit);
    } else {
        log_drain();
        qn_sim_log_on = false;
    }
    qn_sim_shadow_logs = on && qn_sim_shadow_on;
}

/* Can the D1 use the log?  Only if the I1, which is not logged, affects the last level by logged misses alone, and is not affected by it. */
static bool LL_log_fits(void) { return !facts[SLOT_LL].back_invalidates && !facts[SLOT_LL].wants_evictions; }

static bool unit_log_fits(void)
{
    return qn_fast.I1.ways && unit[SLOT_D1] && unit[SLOT_D1]->refs && LL_log_fits();
}

static void init_logs(const struct qn_config *c)
{
    bool possible = c->cache_sim && c->filter && !c->versus && !c->explain && !c->interval && !qn_sim_analyses && !qn_sim_log_on &&
                    c->batch != QN_BATCH_NEVER;

#ifdef QN_SIM_HOSTED
    possible = false;
#endif
    if (qn_observers.log) {
        log_recorder = qn_observers.log;
        log_init();
        qn_sim_log_on = qn_sim_log_all = true;
        return;
    }
    if (possible && !qn_sim_d1_filter.entries && unit_log_fits()) {
        log_use(&log_to_unit);
        qn_sim_log_all = true;
    }
    /* Whoever asks for misses or calls must know of each at once. */
    if (possible && qn_fast.D1.sets && qn_fast.I1.ways && unit[SLOT_LL] && unit[SLOT_LL]->refs && LL_log_fits() && !qn_fast.L2.ways && !qn_observers.any &&
        !qn_sim_stream.first && !c->calls && !c->data && !c->observes)
        log_begin_misses();
    if (possible && unit[SLOT_BC] && unit[SLOT_BC]->conds)
        qn_branches_log_begin();
}

/* ---- words of a recorder's log from C (contract.h, enum qn_log_word) ---- */

static uint64_t *log_words(uint64_t n)
{
    uint64_t *at = (uint64_t *)(uintptr_t)qn_sim_log.next;

    qn_sim_log.next += n * sizeof *at;
    return at;
}

static void put_pair(uint64_t value, uint64_t below, uint64_t kind)
{
    uint64_t *to = log_words(2);

    to[0] = (kind | QN_LOG_PAIR) << QN_LOG_KIND_SHIFT | below;
    to[1] = value;
}

void qn_sim_log_pair(uint64_t value, uint32_t site, uint32_t kind)
{
    put_pair(value, site, kind);
    if (qn_sim_log.next & QN_LOG_FULL)
        log_drain();
}

/* Appends words with these bytes; zeros fill the last one. */
static void log_bytes(const void *from, uint64_t bytes)
{
    uint64_t n = qn_round_up(bytes, sizeof(uint64_t)) / sizeof(uint64_t), *to = log_words(n);

    if (n)
        to[n - 1] = 0;
    __builtin_memcpy(to, from, bytes);
}

#define LOG_USER_END (1ull << 47) /* of user addresses: the vsyscall page, above it, cannot be read */

uint32_t qn_sim_log_define(uint64_t pc, const struct qn_item *item, unsigned n)
{
    static uint32_t last;
    uint32_t bytes = qn_sim_records_code && pc < LOG_USER_END ? qn_items_bytes(item, n) : 0;

    if (!qn_sim_log_is_empty())
        log_drain(); /* a definition must not be split */
    put_pair(pc, (uint64_t)n << QN_LOG_ITEMS_SHIFT | ++last, QN_LOG_DEFINE | (bytes ? QN_LOG_CODE : 0));
    log_bytes(item, n * sizeof *item);
    log_bytes((const void *)(uintptr_t)pc, bytes);
    log_drain();
    return last;
}

/* Of the block that runs; NULL: it has open items, or has been handed on. */
static uint64_t *running_block(void) { return (uint64_t *)(uintptr_t)qn_sim_log.began; }

void qn_sim_log_taken(bool taken)
{
    if (!running_block())
        qn_sim_log_pair(taken, 0, QN_LOG_TAKEN);
    else if (taken)
        *running_block() |= QN_LOG_BLOCK_TAKEN;
}

void qn_sim_log_left(unsigned insns)
{
    uint64_t words = (qn_sim_log.next - qn_sim_log.began) / sizeof words - 1;

    if (!qn_sim_records)
        return;
    if (!running_block())
        qn_sim_log_pair(insns, 0, QN_LOG_LEFT);
    else
        *running_block() |= QN_LOG_BLOCK_CUT | (uint64_t)insns << QN_LOG_BLOCK_INSNS_SHIFT | words << QN_LOG_BLOCK_WORDS_SHIFT;
    qn_sim_log.began = 0;
}

void qn_sim_log_more(uint64_t insns)
{
    if (qn_sim_records && insns)
        qn_sim_log_pair(insns, 0, QN_LOG_MORE | QN_LOG_FROM_C);
}

void qn_sim_log_run(const struct qn_log_stream *stream, unsigned n, uint64_t times)
{
    if (!times)
        return;
    qn_sim_log_pair(times, n, QN_LOG_RUN | QN_LOG_FROM_C);
    for (unsigned i = 0; i < n; i++) {
        qn_sim_log_pair(stream[i].addr, stream[i].size, stream[i].kind | QN_LOG_FROM_C);
        qn_sim_log_pair(stream[i].step, 0, QN_LOG_STEP | QN_LOG_FROM_C);
    }
}
