/* lib/sim/many/log.h - many caches simulate the log (fast/log.h); see many.h.  Included by fetches.c.
 *
 *   log            read A   write B   fetch C   read D, over two lines
 *   D1s            {0 1}    {}        all       {0 2}                     which of them missed (caches.c)
 *   LLs            A in 0, 1          C in all  D in 0 and 2              in the order of the log
 *
 * Not used with policies, with D1s of several line sizes, or with a module in slot I1: then each reference is simulated at once
 * (caches.c).
 */
static struct many_missed unfinished[2 * QN_LOG_ENTRIES];
static uint64_t *log_counters;

uint64_t many_log_special(const struct qn_log_entry *e)
{
    if (e->kind != QN_LOG_FETCH)
        return many_ref_long(0, e->addr, e->site >> QN_SITE_SIZE_SHIFT, SIM_READ);
    qn_sim_traffic.data--; /* many_log_simulate has counted it as a data reference */
    return ~0ull;
}

/* The D1s in `missed` have missed this reference. */
static inline void finish_reference(uint64_t missed, uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t site)
{
    static const uint8_t kinds[] = {[QN_LOG_READ] = SIM_READ, [QN_LOG_WRITE] = SIM_WRITE, [QN_LOG_FETCH] = SIM_FETCH};
    uint64_t *counts = log_counters + (site & QN_SITE_COUNTER_MASK);

    if (kind != QN_LOG_FETCH)
        many_count_misses(missed, kind == QN_LOG_WRITE);
    counts[0] += missed & 1;
    counts[1] += last_levels_ref(missed, addr, size, (enum sim_kind)kinds[kind]);
}

static void many_log_simulate(const struct qn_log_entry *entry, uint32_t n)
{
    uint32_t left = many_log_D1s(entry, n, unfinished);

    qn_sim_traffic.data += n;
    for (uint32_t i = 0; i < left; i++) {
        const struct qn_log_entry *e = &entry[unfinished[i].entry];

        finish_reference(unfinished[i].D1s, e->addr, e->site >> QN_SITE_SIZE_SHIFT, (enum qn_log_kind)e->kind, e->site);
    }
}

static void many_log_reference(uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t counter)
{
    uint64_t missed = kind == QN_LOG_FETCH ? ~0ull : many_ref_long(0, addr, size, SIM_READ);

    qn_sim_traffic.data += kind != QN_LOG_FETCH;
    if (missed)
        finish_reference(missed, addr, size, kind, counter);
}

static void many_log_pass(uint64_t addr, uint32_t size)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    for (uint64_t line = addr & ~(uint64_t)(f->line - 1); f->entries && line < addr + size; line += f->line)
        ((struct qn_filter_entry *)(uintptr_t)(f->entries + (line >> f->shift & f->mask)))->line = line;
}

static const struct qn_log_consumer many_consumer = {many_log_simulate, many_log_reference, many_log_pass};

static void many_log_init(void)
{
    uint32_t line_bits = 31;

    for (uint32_t g = 0; g < many_group_count; g++)
        line_bits = many_groups[g].line_bits < line_bits ? many_groups[g].line_bits : line_bits;
    log_counters = qn_sim_log_to(&many_consumer);
    qn_sim_log.line_bits = line_bits;
    qn_sim_log.many = true;
}
