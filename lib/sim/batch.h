/* lib/sim/batch.h - the default caches, many references at a time; included by engine.c.
 *
 * Where a third of all references miss the D1, what they cost is the jump that nobody can predict, at each of them.  So while that is
 * so (run/batch.c decides), emitted code does not jump: it writes each reference down and goes on behind it if its line is not the last
 * of its set (emit/batch.c), and here a thousand of these are simulated without such a jump, in two passes:
 *
 *   references       A  A  B  A  C  C
 *   written down     A     B  A  C        first pass: the row of its set, newest line first, in one vector register
 *   missed           A     B     C        second: the last level and the counters
 *
 * The first pass writes the number of each entry to where the second will read, and moves on from there only if it missed.
 *
 * Meanwhile the lines of the D1 are in rows, not in the slots of cachesim_D1.c; both are least recently used, so nothing that is
 * counted depends on which it is.
 */
#define BATCH_WAYS 8u
#define BATCH_LINE_BITS 6u
#define BATCH_SETS_MAX 4096u
#define BATCH_ROOM (2 * QN_BATCH_ENTRIES) /* QN_BATCH_FULL, and what a block may write behind that */

static struct qn_log_entry batch[BATCH_ROOM] __attribute__((aligned(2 * QN_BATCH_FULL)));
static uint16_t batch_missed[BATCH_ROOM];
static uint64_t batch_rows[BATCH_SETS_MAX][BATCH_WAYS] __attribute__((aligned(64))); /* line numbers plus one, newest first; 0 = none */
static uint64_t batch_newest[BATCH_SETS_MAX]; /* by set: the line referenced last, see struct qn_sim_batch; QN_NO_LINE = none */

static bool batch_fits(void)
{
    return D1.ways == BATCH_WAYS && D1.line_bits == BATCH_LINE_BITS && D1.sets > 1 && D1.sets <= BATCH_SETS_MAX;
}

/* ---- rows ---- */

/* What vector registers hold is the program's, and the engine is compiled to leave them alone. */
static struct {
    uint64_t row[8], line[8], mask;
} batch_saved __attribute__((aligned(64)));

static inline void batch_take_registers(void)
{
    __asm__ volatile("vmovdqa64 %%zmm16, %0\n\t"
                     "vmovdqa64 %%zmm17, %1\n\t"
                     "kmovq %%k1, %2" : "=m"(batch_saved.row), "=m"(batch_saved.line), "=m"(batch_saved.mask));
}

static inline void batch_give_registers(void)
{
    __asm__ volatile("vmovdqa64 %0, %%zmm16\n\t"
                     "vmovdqa64 %1, %%zmm17\n\t"
                     "kmovq %2, %%k1" : : "m"(batch_saved.row), "m"(batch_saved.line), "m"(batch_saved.mask));
}

/* The line becomes the row's first: the row without it (vpcompressq), moved on by one (valignq), as in many/vectors.h.  Returns
 * whether it was not there. */
static inline __attribute__((always_inline)) unsigned batch_move(uint64_t *row, uint64_t line)
{
    uint32_t others;

    __asm__ volatile("vpbroadcastq %2, %%zmm17\n\t"
                     "vmovdqa64 %1, %%zmm16\n\t"
                     "vpcmpneqq %%zmm17, %%zmm16, %%k1\n\t"
                     "kmovd %%k1, %0\n\t"
                     "vpcompressq %%zmm16, %%zmm16%{%%k1%}\n\t"
                     "valignq $7, %%zmm17, %%zmm16, %%zmm16\n\t"
                     "vmovdqa64 %%zmm16, %1" : "=r"(others), "+m"(*(uint64_t(*)[BATCH_WAYS])row) : "r"(line));
    return others == (1u << BATCH_WAYS) - 1;
}

static inline uint64_t *batch_row(uint64_t line) { return batch_rows[line & (D1.sets - 1)]; }

/* ---- passes ---- */

/* Over two lines, or not of data: then its size is said to be more than any line has left. */
#define BATCH_NO_SIZE 127u
_Static_assert(QN_SITE_SIZE_MAX <= 1u << BATCH_LINE_BITS && BATCH_NO_SIZE > 1u << BATCH_LINE_BITS, "two lines at most");

static inline bool batch_is_special(const struct qn_log_entry *e)
{
    const uint64_t line = 1u << BATCH_LINE_BITS;

    return (e->addr & (line - 1)) + (e->site >> QN_SITE_SIZE_SHIFT) > line;
}

static bool batch_touch(uint64_t addr, uint32_t size)
{
    uint64_t line = addr >> BATCH_LINE_BITS, last = (addr + size - 1) >> BATCH_LINE_BITS;
    bool missed = false;

    for (; line <= last; line++)
        missed |= batch_move(batch_row(line), line + 1);
    return missed;
}

static __attribute__((noinline)) bool batch_special(const struct qn_log_entry *e)
{
    bool fetch = e->kind & QN_LOG_FETCH;

    qn_sim_traffic.data -= fetch; /* which batch_drain has taken for one */
    return fetch || batch_touch(e->addr, e->site >> QN_SITE_SIZE_SHIFT);
}

static uint32_t batch_first_pass(uint32_t n)
{
    uint32_t missed = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct qn_log_entry *e = &batch[i];
        uint64_t line = e->addr >> BATCH_LINE_BITS;

        batch_missed[missed] = (uint16_t)i;
        missed += QN_UNLIKELY(batch_is_special(e)) ? batch_special(e) : batch_move(batch_row(line), line + 1);
    }
    return missed;
}

static inline __attribute__((always_inline)) void batch_account(uint64_t addr, uint32_t size, uint32_t counter)
{
    unsigned missed = cachesim_LL_doref(addr, size);

    sim_counters[counter]++;
    sim_counters[counter + 1] += missed;
    qn_sim_misses[qn_sim_miss_count++ % QN_SIM_MISSES] = QN_SIM_MISS(counter, missed);
}

static void batch_second_pass(uint32_t missed)
{
    for (uint32_t i = 0; i < missed; i++) {
        const struct qn_log_entry *e = &batch[batch_missed[i]];
        uint32_t size = e->site >> QN_SITE_SIZE_SHIFT;

        if (QN_UNLIKELY(size == BATCH_NO_SIZE))
            size = e->kind & QN_LOG_OVER ? 2 : 1;
        batch_account(e->addr, size, e->site & QN_SITE_COUNTER_MASK);
    }
}

static void batch_drain(void)
{
    uint32_t n = (uint32_t)((qn_sim_batch.next - (uintptr_t)batch) / sizeof *batch), missed;

    qn_sim_batch.next = (uintptr_t)batch;
    qn_sim_traffic.data += n;
    batch_take_registers();
    missed = batch_first_pass(n);
    batch_give_registers();
    batch_second_pass(missed);
}

/* ---- from C ---- */

static void batch_pass_newest(uint64_t addr, uint32_t size)
{
    for (uint64_t line = addr >> BATCH_LINE_BITS; line <= (addr + size - 1) >> BATCH_LINE_BITS; line++)
        batch_newest[line & (D1.sets - 1)] = line << BATCH_LINE_BITS;
}

/* More than an entry can say; what is written down came before it. */
static void batch_large(uint64_t addr, uint32_t size, uint32_t counter)
{
    bool missed;

    batch_drain();
    batch_take_registers();
    missed = batch_touch(addr, size);
    batch_give_registers();
    if (missed)
        batch_account(addr, size, counter);
}

static void batch_write(struct qn_log_entry e)
{
    *(struct qn_log_entry *)(uintptr_t)qn_sim_batch.next = e;
    qn_sim_batch.next += sizeof e;
    if (qn_sim_batch.next & QN_BATCH_FULL)
        batch_drain();
}

static void batch_note_fetch(uint64_t addr, uint32_t size, uint32_t counter)
{
    uint64_t last = (addr + size - 1) & ~(uint64_t)(qn_sim_i1_line - 1);
    bool over = addr < last;

    batch_write((struct qn_log_entry){over ? last - 1 : addr, counter | BATCH_NO_SIZE << QN_SITE_SIZE_SHIFT,
                                      QN_LOG_FETCH | (over ? QN_LOG_OVER : 0)});
}

static void batch_note(uint64_t addr, uint32_t size, unsigned kind, uint32_t counter)
{
    if (kind == SIM_FETCH) {
        batch_note_fetch(addr, size, counter);
        return;
    }
    batch_pass_newest(addr, size);
    if (size > QN_SITE_SIZE_MAX)
        batch_large(addr, size, counter);
    else
        batch_write((struct qn_log_entry){addr, counter | size << QN_SITE_SIZE_SHIFT, QN_LOG_READ});
}

/* ---- from slots to rows, and back ---- */

/* The lines of the set, newest first; then its slots hold none, so that no filter lets anything pass. */
static void batch_fill_row(unsigned set)
{
    uint64_t lines[BATCH_WAYS], *row = batch_rows[set];
    unsigned n = cachesim_D1_show((uint64_t)set << BATCH_LINE_BITS, lines);

    for (unsigned i = 0; i < n; i++)
        row[i] = lines[i] == QN_NO_LINE ? 0 : (lines[i] >> BATCH_LINE_BITS) + 1;
    for (unsigned i = set; i < D1.slots; i += D1.sets)
        D1_slots[i] = (struct qn_filter_entry){QN_NO_LINE, 0};
    batch_newest[set] = lines[0];
}

static void batch_begin(void)
{
    qn_sim_batch = (struct qn_sim_batch){(uintptr_t)batch, (uintptr_t)batch_newest, 1u << BATCH_LINE_BITS, D1.sets};
    for (unsigned set = 0; set < D1.sets; set++)
        batch_fill_row(set);
    qn_sim_batch_on = true;
}

static void batch_empty_row(unsigned set, uint64_t now)
{
    const uint64_t *row = batch_rows[set];

    for (unsigned i = 0, slot = set; i < BATCH_WAYS; i++, slot += D1.sets)
        D1_slots[slot] = row[i] ? (struct qn_filter_entry){(row[i] - 1) << BATCH_LINE_BITS, now - i}
                                : (struct qn_filter_entry){QN_NO_LINE, 0};
}

static void batch_end(uint64_t *clock)
{
    batch_drain();
    qn_sim_batch_on = false;
    *clock += BATCH_WAYS + 1;
    for (unsigned set = 0; set < D1.sets; set++)
        batch_empty_row(set, *clock - 1); /* what the clock says now is not the time of anything yet */
}
