/* lib/sim/fast/log_unit.h - a module in slot D1 simulates the log; included by engine.c.
 *
 *   emitted code     logs every data reference, without a look at the filter (emit/log.c), and the code lines that miss the I1
 *   drained          `refs` of the unit simulates all entries in one call; each miss goes to the last level at once, so the
 *                    last level sees program order
 *
 * A module that has to see each reference always works so.  A module with a hit filter does while so many references miss that
 * the processor cannot predict the jump on the outcome (run/core/references/reference.c).
 */
static void branches_log_begin(void);

void qn_up_set_pc(uint32_t site) { qn_sim_set_pc(site & QN_SITE_COUNTER_MASK); }
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
    if (QN_UNLIKELY(qn_sim_twin_logs && outcome))
        qn_sim_twin_missed(addr, outcome, counter);
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
    calls[SLOT_D1] = sim_at_work[0] / SIM_AT_WORK_NEXT;
    sim_leave(before);
}

static void unit_log_reference(uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t counter)
{
    set_pc(sim_counters + counter);
    qn_sim_traffic.data++;
    missed(addr, size, kind, counter, kind == QN_LOG_FETCH ? QN_UNIT_MISS : unit_ref(SLOT_D1, addr, size, qn_sim_kind(kind)));
    charge(sim_counters + counter);
}

static void unit_log_pass(uint64_t addr, uint32_t size) { (void)addr, (void)size; }

static const struct qn_log_consumer log_to_unit = {unit_log_simulate, unit_log_reference, unit_log_pass};

static void unit_log_switch(bool on)
{
    if (on) {
        unit[SLOT_D1]->forget();
        qn_sim_log_to(&log_to_unit);
    } else {
        log_drain();
        qn_sim_log_on = false;
    }
    qn_sim_twin_logs = on && qn_sim_twin_on;
}

/* Can the D1 use the log?  Only if the I1, which is not logged, affects the last level by logged misses alone, and is not affected by it. */
static bool unit_log_fits(void)
{
    return qn_fast.I1.ways && unit[SLOT_D1] && unit[SLOT_D1]->refs && !facts[SLOT_LL].back_invalidates && !facts[SLOT_LL].wants_evictions;
}

static void init_logs(const struct qn_config *c)
{
    bool possible = c->cache_sim && c->filter && !c->versus && !c->explain && !c->interval && !qn_sim_analyses && !qn_sim_log_on &&
                    c->batch != QN_BATCH_NEVER;

#ifdef QN_SIM_HOSTED
    possible = false;
#endif
    if (readers.log) {
        qn_sim_log_to(readers.log);
        qn_sim_log_all = true;
        return;
    }
    if (possible && !qn_sim_d1_filter.entries && unit_log_fits()) {
        qn_sim_log_to(&log_to_unit);
        qn_sim_log_all = true;
    }
    if (possible && unit[SLOT_BC] && unit[SLOT_BC]->conds)
        branches_log_begin();
}
