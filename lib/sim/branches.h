/* lib/sim/branches.h - calls of the predictors in the slots BC and BI; included by engine.c.
 *
 * They are the fast version of a default file, or a unit.  Emitted code logs conditional branches for a unit (emit/branch.c), which gets
 * many of them in one call.  Before a branch whose outcome is needed at once, the log is drained.
 */
static struct qn_branch_entry branch_entries[2 * QN_LOG_ENTRIES] __attribute__((aligned(2 * QN_LOG_FULL)));

static void branches_log_begin(void) { qn_sim_branches.next = (uintptr_t)branch_entries; }

bool qn_sim_branches_are_empty(void) { return !(qn_sim_branches.next & (2 * QN_LOG_FULL - 1)); }

static void drain_branches(void)
{
    static uint8_t wrong[2 * QN_LOG_ENTRIES];
    uint32_t n = (uint32_t)((qn_sim_branches.next - (uintptr_t)branch_entries) / sizeof *branch_entries);

    qn_sim_branches.next = (uintptr_t)branch_entries;
    qn_sim_traffic.cond += n;
    unit[SLOT_BC]->conds(branch_entries, n, wrong);
    for (uint32_t i = 0; i < n; i++) {
        const struct qn_branch_entry *e = &branch_entries[i];

        sim_counters[e->site & QN_SITE_COUNTER_MASK] += wrong[i];
        qn_sim_sum_event(QN_COST_BCM, wrong[i]);
        if (QN_UNLIKELY(qn_sim_twin_on && wrong[i]))
            qn_sim_twin_mispredicted(e->pc, e->site & QN_SITE_COUNTER_MASK);
    }
}

SLOW void qn_sim_branches_drain(void) { drain_branches(); }

/* Drains the log, before a branch whose outcome is needed at once. */
static inline void catch_up(void)
{
    if (QN_UNLIKELY(!qn_sim_branches_are_empty()))
        drain_branches();
}

static void log_word(uint64_t addr, uint32_t site, uint32_t kind);

static inline __attribute__((always_inline)) bool predict_cond(uint64_t pc, bool taken)
{
    bool wrong = unit[SLOT_BC] ? unit[SLOT_BC]->cond(pc, taken) : fast_BC_ref(pc, taken);

    analyse(&(struct sim_ref){.addr = pc, .pc = pc, .kind = SIM_REF_COND, .backward = sim_branch_backward,
                              .outcome = (uint8_t)((taken ? SIM_TAKEN : 0) | (wrong ? SIM_MISPREDICT : 0))});
    return wrong;
}

static inline __attribute__((always_inline)) bool predict_indirect(uint64_t pc, uint64_t target)
{
    bool wrong = unit[SLOT_BI] ? unit[SLOT_BI]->indirect(pc, target) : fast_BI_ref(pc, target);

    analyse(&(struct sim_ref){.addr = pc, .pc = pc, .target = target, .kind = SIM_REF_INDIRECT,
                              .outcome = (uint8_t)(SIM_TAKEN | (wrong ? SIM_MISPREDICT : 0))});
    return wrong;
}

void qn_sim_predict_call(uint64_t pc, uint64_t next)
{
    if (unit[SLOT_BI])
        unit[SLOT_BI]->call(next);
    analyse(&(struct sim_ref){.addr = pc, .pc = pc, .target = next, .kind = SIM_REF_CALL});
}

bool qn_sim_predict_return(uint64_t pc, uint64_t target)
{
    bool wrong = unit[SLOT_BI] && unit[SLOT_BI]->returned(target);

    analyse(&(struct sim_ref){.addr = pc, .pc = pc, .target = target, .kind = SIM_REF_RETURN,
                              .outcome = (uint8_t)(SIM_TAKEN | (wrong ? SIM_MISPREDICT : 0))});
    return wrong;
}

/* ---- from C: the twin follows ---- */
static uint32_t branch_site(void) { return (uint32_t)qn_ctx.arg_site & QN_SITE_COUNTER_MASK; }

bool qn_sim_predict_cond_to(uint64_t pc, bool taken, bool backward)
{
    bool wrong;

    if (QN_UNLIKELY(qn_sim_records))
        return log_word(pc, taken | backward << 1, QN_LOG_COND | QN_LOG_FROM_C), false;
    catch_up();
    sim_branch_backward = backward;
    wrong = predict_cond(pc, taken);
    if (qn_sim_twin_on)
        qn_sim_twin_cond(pc, taken, backward, wrong, branch_site());
    return wrong;
}

/* Cachegrind treats a repeated string instruction as a branch to itself. */
bool qn_sim_predict_cond(uint64_t pc, bool taken) { return qn_sim_predict_cond_to(pc, taken, true); }

#ifdef QN_SIM_HOSTED
bool qn_sim_predict_indirect(uint64_t pc, uint64_t target)
{
    bool wrong = predict_indirect(pc, target);

    if (qn_sim_twin_on)
        qn_sim_twin_indirect(pc, target, wrong, 0);
    return wrong;
}
#endif

SLOW void qn_sim_cond(void)
{
    if (QN_UNLIKELY(qn_sim_records)) {
        log_word(qn_ctx.arg_aux != 0, 0, QN_LOG_TAKEN);
        return;
    }
    catch_up();
    sim_branch_backward = (qn_ctx.arg_site & QN_SITE_BACKWARD) != 0;
    qn_sim_traffic.cond++;
    qn_ctx.result = predict_cond(qn_ctx.arg_pc, qn_ctx.arg_aux != 0);
    *site_counts() += qn_ctx.result;
    qn_sim_sum_event(QN_COST_BCM, (int64_t)qn_ctx.result);
    charge(site_counts());
}

SLOW void qn_sim_indirect(void)
{
    qn_sim_traffic.indirect++;
    qn_ctx.result = predict_indirect(qn_ctx.arg_pc, qn_ctx.arg_addr);
    *site_counts() += qn_ctx.result;
    qn_sim_sum_event(QN_COST_BIM, (int64_t)qn_ctx.result);
    charge(site_counts());
}

SLOW void qn_sim_call(void)
{
    qn_sim_predict_call(qn_ctx.arg_pc, qn_ctx.arg_addr);
    charge(site_counts());
}

SLOW void qn_sim_return(void)
{
    qn_ctx.result = qn_sim_predict_return(qn_ctx.arg_pc, qn_ctx.arg_addr);
    charge(site_counts());
}
