/* lib/sim/fast/log_D1.h - the default caches simulate the log (fast/log.h); included by engine.c.
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
 * Meanwhile the lines of the D1 are in rows, not in the table of fast/D1.h.  Both are least recently used, so the counts are the
 * same.  For D1s of up to 16 ways with lines of 64 bytes.
 */
#include "sim/fast/rows.h"

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

static void log_choose(void)
{
    static log_pass_function *const passes[][5] = {
        [QN_VECTORS_SCALAR] = {log_by_word_1, log_by_word_2, log_by_word_4, log_by_word_8, log_by_word_16},
        [QN_VECTORS_AVX2] = {log_by_word_1, log_by_word_2, log_by_256_4, log_by_256_8, log_by_256_16},
        [QN_VECTORS_AVX512] = {log_by_word_1, log_by_word_2, log_by_512_4, log_by_512_8, log_by_512_16},
    };

    log_chosen = passes[qn_sim_vectors.with][qn_log2(row_words(D1.ways))];
}

/* ---- second pass ---- */

/* Each miss, in program order. */
static inline __attribute__((always_inline)) void log_missed(uint64_t addr, uint32_t size, bool fetch, uint32_t site, unsigned ll)
{
    uint32_t counter = site & QN_SITE_COUNTER_MASK;

    count_miss(sim_counters + counter, ll);
    if (QN_UNLIKELY(qn_sim_later.count)) {
        if (!fetch)
            write_later((struct qn_later_miss){.addr = addr, .site = counter | size << QN_SITE_SIZE_SHIFT, .ll = ll});
    } else if (QN_UNLIKELY(qn_sim_tells_misses) && !fetch && !written(addr, counter)) {
        set_pc(sim_counters + counter);
        tell(addr, size, SIM_READ, 1 | ll << 1, sim_counters + counter);
        charge(sim_counters + counter);
    }
    if (QN_UNLIKELY(qn_sim_twin_logs))
        qn_sim_twin_missed(addr, 1 | ll << 1, counter);
}

static void D1_log_simulate(const struct qn_log_entry *entry, uint32_t n)
{
    uint32_t missed;

    qn_sim_traffic.data += n;
    missed = log_chosen(entry, n);
    for (uint32_t i = 0; i < missed; i++) {
        const struct qn_log_entry *e = &entry[log_missed_entry[i]];
        uint32_t size = e->site >> QN_SITE_SIZE_SHIFT;

        log_missed(e->addr, size, e->kind == QN_LOG_FETCH, e->site, fast_LL_ref(e->addr, size));
    }
}

static void D1_log_reference(uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t counter)
{
    qn_sim_traffic.data += kind != QN_LOG_FETCH;
    if (kind == QN_LOG_FETCH || log_touch(addr, size))
        log_missed(addr, size, kind == QN_LOG_FETCH, counter, fast_LL_ref(addr, size));
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
    qn_sim_log.newest = (uintptr_t)log_newest;
    qn_sim_log.line = LOG_LINE;
    qn_sim_log.sets = D1.sets;
    for (unsigned set = 0; set < D1.sets; set++)
        log_fill_row(set);
    qn_sim_log_on = true;
    qn_sim_twin_logs = qn_sim_twin_on;
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
    qn_sim_log_on = qn_sim_twin_logs = false;
    *clock += ROW_WORDS_MAX + 1;
    for (unsigned set = 0; set < D1.sets; set++)
        log_empty_row(set, *clock - 1); /* the current time belongs to no reference yet */
}
