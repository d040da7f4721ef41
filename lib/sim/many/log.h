/* lib/sim/many/log.h - least recently used caches, many references at a time; see many.h.  Included by fetches.c.
 *
 *   log     read A   write B   fetch C   read D, over two lines                          what no filter has let pass
 *   D1s     {0 1}    {}                  {0}  {0 2}                                      who missed it (caches.c)
 *   LLs     A in 0, 1          C in all  D in 0 and 2                                    in the order of the log
 *
 * Emitted code writes the log (emit/log_stub.c).  It is drained when it is full and when translated code is left.  Compared with a call
 * for each reference, registers are saved once for many of them, and the processor goes on to the next before it knows how this one ends.
 *
 * Not for policies, D1s with lines of several sizes and an I1 that is a module; those are simulated one by one (caches.c).
 */
static struct qn_log_entry noted[QN_LOG_ENTRIES] __attribute__((aligned(64)));
static struct many_missed unfinished[QN_LOG_ENTRIES];
static uint64_t *log_counters;

static struct { /* what is known of a reference over several lines when its next part comes */
    uint64_t first, missed;
} parts;

/* A reference over several lines, part by part: true if this was the last. */
static bool put_together(const struct qn_log_entry *e, uint64_t *addr, uint32_t *size, uint64_t *missed)
{
    parts.first = parts.first ? parts.first : e->addr;
    parts.missed |= *missed;
    if (!(e->kind & QN_LOG_LAST))
        return false;
    *addr = parts.first;
    *size = (uint32_t)(e->addr - parts.first) + 1;
    *missed = parts.missed;
    parts.first = parts.missed = 0;
    return true;
}

static inline void ask_and_count(const struct qn_log_entry *e, uint64_t missed, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    uint64_t *counts = log_counters + (e->site & QN_SITE_COUNTER_MASK);

    if (!missed)
        return;
    counts[0] += missed & 1;
    counts[1] += last_levels_ref(missed, addr, size, kind);
}

/* What missed a D1, or is more than a reference to data in one line. */
static inline void finish_entry(const struct qn_log_entry *e, uint64_t missed)
{
    uint32_t size = e->site >> QN_SITE_SIZE_SHIFT;
    uint64_t addr = e->addr;
    bool write = e->kind & (QN_LOG_WRITE | QN_LOG_WRITES);

    if (e->kind & QN_LOG_FETCH) {
        ask_and_count(e, ~0ull, addr, e->kind & QN_LOG_OVER ? 2 : size, SIM_FETCH);
    } else if (!(e->kind & QN_LOG_PART) || put_together(e, &addr, &size, &missed)) {
        many_count_misses(missed, write);
        ask_and_count(e, missed, addr, size, write ? SIM_WRITE : SIM_READ);
    }
}

void many_log_drain(void)
{
    uint32_t n = many_log_D1s(noted, qn_sim_log.used / (uint32_t)sizeof *noted, unfinished);

    qn_sim_log.used = 0;
    for (uint32_t i = 0; i < n; i++)
        finish_entry(&noted[unfinished[i].entry], unfinished[i].D1s);
}

static void note(uint64_t addr, uint32_t site, uint32_t kind)
{
    noted[qn_sim_log.used / sizeof *noted] = (struct qn_log_entry){addr, site, kind};
    qn_sim_log.used += (uint32_t)sizeof *noted;
    if (qn_sim_log.used == QN_LOG_BYTES)
        many_log_drain();
}

/* The line is the newest of its set from now on, so it may pass. */
static void publish(uint64_t addr)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    if (f->entries)
        ((struct qn_filter_entry *)(uintptr_t)(f->entries + (addr >> f->shift & f->mask)))->line = addr & ~(uint64_t)(f->line - 1);
}

static void note_parts(uint64_t addr, uint64_t last, uint32_t counter, uint32_t kind)
{
    uint64_t line = qn_sim_d1_filter.line;

    for (uint64_t at = addr; at <= last; at = (at | (line - 1)) + 1) {
        publish(at);
        note(at, counter, QN_LOG_PART);
    }
    note(last, counter, kind);
}

/* References that emitted code does not write down itself. */
void many_log_ref(uint64_t addr, uint32_t size, enum sim_kind kind, uint32_t counter)
{
    uint64_t last = addr + size - 1;
    uint32_t site = counter | size << QN_SITE_SIZE_SHIFT;

    if (kind == SIM_FETCH) {
        note(addr, site, QN_LOG_FETCH);
    } else if (((addr ^ last) & ~(uint64_t)(qn_sim_d1_filter.line - 1)) || size > QN_SITE_SIZE_MAX) {
        note_parts(addr, last, counter, QN_LOG_PART | QN_LOG_LAST | (kind == SIM_WRITE ? QN_LOG_WRITES : 0));
    } else {
        publish(addr);
        note(addr, site, kind == SIM_WRITE ? QN_LOG_WRITE : QN_LOG_READ);
    }
}

void many_log_init(uint64_t *counters)
{
    uint32_t line_bits = 31;

    if (!many_logs)
        return;
    for (uint32_t g = 0; g < many_group_count; g++)
        line_bits = many_groups[g].line_bits < line_bits ? many_groups[g].line_bits : line_bits;
    log_counters = counters;
    qn_sim_log.line_bits = line_bits;
    qn_sim_log.entries = (uintptr_t)noted;
}
