/* lib/sim/branches.c - branches: predicted by the units in slots BC and BI, or by the fast versions of branchsim_BC.c and branchsim_BI.c.
 *
 *   emitted code   a branch of a module, or one that somebody observes    -> qn_sim_cond, qn_sim_indirect, qn_sim_call, qn_sim_return
 *                  conditional branches for a module                      -> the log, many at a time
 *   helpers in C   repeated string instructions, the hosted replay        -> qn_sim_predict_*
 */
#include "sim/branches.h"

#include "base/context.h"
#include "sim/bank.h"
#include "sim/fast/fast.h"
#include "sim/observers.h"
#include "sim/service.h"
#include "sim/shadow.h"

struct qn_sim_branches qn_sim_branches;
bool sim_branch_backward, qn_branches_coupled;

static const struct qn_unit *BC, *BI; /* NULL: the fast version, or nothing */

/* ---- the fast versions ----
 *
 * BC: the same counters; the history is stored as it stands in the index.      BI: the same targets; emitted code knows their address. */

#define BC_PC_BITS 7
#define BC_HISTORY_BITS 7
#define BC_HISTORY_MASK (((1u << BC_HISTORY_BITS) - 1) << BC_PC_BITS)

static uint8_t BC_counters[1u << (BC_PC_BITS + BC_HISTORY_BITS)];
static uint32_t BC_history; /* shifted left by the bits of the address in the index */
static const uint8_t BC_next[2][4] = {{0, 0, 1, 2}, {1, 2, 3, 3}}; /* the new value of a counter, after not taken and taken */

static inline unsigned BC_index(uint64_t pc) { return BC_history | (unsigned)(pc & ((1u << BC_PC_BITS) - 1)); }

static inline bool fast_BC_ref(uint64_t pc, bool taken)
{
    uint8_t *counter = &BC_counters[BC_index(pc)];
    bool wrong = (*counter >= 2) != taken;

    *counter = BC_next[taken][*counter];
    BC_history = (BC_history << 1 | (uint32_t)taken << BC_PC_BITS) & BC_HISTORY_MASK;
    return wrong;
}

static void fast_BC_init(void)
{
    qn_fast.BC = (struct qn_fast_BC){
        .counters = (uintptr_t)BC_counters,
        .history = (uintptr_t)&BC_history,
        .next = {(uintptr_t)BC_next[0], (uintptr_t)BC_next[1]},
        .pc_mask = (1u << BC_PC_BITS) - 1,
        .taken = 1u << BC_PC_BITS,
        .history_mask = BC_HISTORY_MASK,
    };
}

#define BI_ENTRIES 512

static uint64_t BI_targets[BI_ENTRIES];

static void fast_BI_init(void) { qn_fast.BI = (struct qn_fast_BI){(uintptr_t)BI_targets, BI_ENTRIES - 1}; }

static inline bool fast_BI_ref(uint64_t pc, uint64_t target)
{
    bool wrong = BI_targets[pc % BI_ENTRIES] != target;

    BI_targets[pc % BI_ENTRIES] = target;
    return wrong;
}

/* ---- cores: each has its own ---- */

static struct qn_bank fast_bank;

static void fast_bank_init(bool fast_BC, bool fast_BI)
{
    if (fast_BC) {
        qn_bank_add(&fast_bank, BC_counters, sizeof BC_counters);
        qn_bank_add(&fast_bank, &BC_history, sizeof BC_history);
    }
    if (fast_BI)
        qn_bank_add(&fast_bank, BI_targets, sizeof BI_targets);
    qn_bank_close(&fast_bank);
}

void qn_branches_turn(uint32_t core)
{
    if (!qn_sim_branches_are_empty())
        qn_sim_branches_drain();
    qn_bank_turn(&fast_bank, core);
}

/* ---- the start ---- */

void qn_branches_init_fast(bool fast_BC, bool fast_BI, bool cores)
{
    if (fast_BC)
        fast_BC_init();
    if (fast_BI)
        fast_BI_init();
    if (cores)
        fast_bank_init(fast_BC, fast_BI);
}

void qn_branches_init(const struct qn_unit *first, const struct qn_unit *second)
{
    BC = first;
    BI = second;
    if (BC && BC->path) {
        qn_sim_returns = qn_branches_coupled = true;
        qn_fast.BI.targets = 0;
    }
    if (BI && BI->outcome) {
        qn_branches_coupled = true;
        qn_fast.BC.counters = 0;
    }
}

/* ---- the log ----
 *
 * Emitted code logs conditional branches for a unit (emit/branch.c), which gets many of them in one call.  Before a branch whose outcome is needed at once, the log is drained. */

static struct qn_branch_entry branch_entries[2 * QN_LOG_ENTRIES] __attribute__((aligned(2 * QN_LOG_FULL)));

void qn_branches_log_begin(void) { qn_sim_branches.next = (uintptr_t)branch_entries; }

bool qn_sim_branches_are_empty(void) { return !(qn_sim_branches.next & (2 * QN_LOG_FULL - 1)); }

static inline void tell_outcome(uint64_t pc, bool taken)
{
    if (BI && BI->outcome)
        BI->outcome(pc, taken);
}

static void drain_branches(void)
{
    static uint8_t wrong[2 * QN_LOG_ENTRIES];
    uint32_t n = (uint32_t)((qn_sim_branches.next - (uintptr_t)branch_entries) / sizeof *branch_entries);

    qn_sim_branches.next = (uintptr_t)branch_entries;
    qn_sim_traffic.cond += n;
    BC->conds(branch_entries, n, wrong);
    for (uint32_t i = 0; i < n; i++) {
        const struct qn_branch_entry *e = &branch_entries[i];

        if (QN_UNLIKELY(qn_branches_coupled))
            tell_outcome(e->pc, (e->site & QN_BRANCH_TAKEN) != 0);
        sim_counters[e->site & QN_SITE_COUNTER_MASK] += wrong[i];
        qn_sim_sum_event(QN_COST_BCM, wrong[i]);
        if (QN_UNLIKELY(qn_sim_shadow_on && wrong[i]))
            qn_sim_shadow_mispredicted(e->pc, e->site & QN_SITE_COUNTER_MASK);
    }
}

QN_SIM_NCSR void qn_sim_branches_drain(void) { drain_branches(); }

/* Before a branch whose outcome is needed at once. */
static inline void catch_up(void)
{
    if (QN_UNLIKELY(!qn_sim_branches_are_empty()))
        drain_branches();
}

static inline void tell_path(uint64_t pc, uint64_t target, enum sim_ref_kind kind)
{
    if (BC && BC->path)
        BC->path(pc, target, kind);
}

static inline __attribute__((always_inline)) bool predict_cond(uint64_t pc, bool taken)
{
    bool wrong = BC ? BC->cond(pc, taken) : fast_BC_ref(pc, taken);

    if (QN_UNLIKELY(qn_branches_coupled))
        tell_outcome(pc, taken);
    analyse(&(struct sim_ref){.addr = pc, .pc = pc, .kind = SIM_REF_COND, .backward = sim_branch_backward,
                              .outcome = (uint8_t)((taken ? SIM_TAKEN : 0) | (wrong ? SIM_MISPREDICT : 0))});
    return wrong;
}

static inline __attribute__((always_inline)) bool predict_indirect(uint64_t pc, uint64_t target)
{
    bool wrong;

    if (QN_UNLIKELY(qn_branches_coupled))
        catch_up();
    wrong = BI ? BI->indirect(pc, target) : fast_BI_ref(pc, target);
    if (QN_UNLIKELY(qn_branches_coupled))
        tell_path(pc, target, SIM_REF_INDIRECT);
    analyse(&(struct sim_ref){.addr = pc, .pc = pc, .target = target, .kind = SIM_REF_INDIRECT,
                              .outcome = (uint8_t)(SIM_TAKEN | (wrong ? SIM_MISPREDICT : 0))});
    return wrong;
}

void qn_sim_predict_call(uint64_t pc, uint64_t next)
{
    if (BI)
        BI->call(next);
    if (QN_UNLIKELY(qn_branches_coupled)) {
        catch_up();
        tell_path(pc, next, SIM_REF_CALL);
    }
    analyse(&(struct sim_ref){.addr = pc, .pc = pc, .target = next, .kind = SIM_REF_CALL});
}

bool qn_sim_predict_return(uint64_t pc, uint64_t target)
{
    bool wrong = BI && BI->returned(target);

    if (QN_UNLIKELY(qn_branches_coupled)) {
        catch_up();
        tell_path(pc, target, SIM_REF_RETURN);
    }
    analyse(&(struct sim_ref){.addr = pc, .pc = pc, .target = target, .kind = SIM_REF_RETURN,
                              .outcome = (uint8_t)(SIM_TAKEN | (wrong ? SIM_MISPREDICT : 0))});
    return wrong;
}

/* ---- from C: the shadow model follows ---- */
static uint32_t branch_site(void) { return (uint32_t)qn_ctx.arg_site & QN_SITE_COUNTER_MASK; }

bool qn_sim_predict_cond_to(uint64_t pc, bool taken, bool backward)
{
    bool wrong;

    if (QN_UNLIKELY(qn_sim_records))
        return qn_sim_log_pair(pc, taken | backward << 1, QN_LOG_COND | QN_LOG_FROM_C), false;
    catch_up();
    sim_branch_backward = backward;
    wrong = predict_cond(pc, taken);
    if (qn_sim_shadow_on)
        qn_sim_shadow_cond(pc, taken, backward, wrong, branch_site());
    return wrong;
}

/* Cachegrind treats a repeated string instruction as a branch to itself. */
bool qn_sim_predict_cond(uint64_t pc, bool taken) { return qn_sim_predict_cond_to(pc, taken, true); }

#ifdef QN_SIM_HOSTED
bool qn_sim_predict_indirect(uint64_t pc, uint64_t target)
{
    bool wrong = predict_indirect(pc, target);

    if (qn_sim_shadow_on)
        qn_sim_shadow_indirect(pc, target, wrong, 0);
    return wrong;
}
#endif

QN_SIM_NCSR void qn_sim_cond(void)
{
    if (QN_UNLIKELY(qn_sim_records)) {
        qn_sim_log_taken(qn_ctx.arg_aux != 0);
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

QN_SIM_NCSR void qn_sim_indirect(void)
{
    qn_sim_traffic.indirect++;
    qn_ctx.result = predict_indirect(qn_ctx.arg_pc, qn_ctx.arg_addr);
    *site_counts() += qn_ctx.result;
    qn_sim_sum_event(QN_COST_BIM, (int64_t)qn_ctx.result);
    charge(site_counts());
}

QN_SIM_NCSR void qn_sim_call(void)
{
    qn_sim_predict_call(qn_ctx.arg_pc, qn_ctx.arg_addr);
    charge(site_counts());
}

QN_SIM_NCSR void qn_sim_return(void)
{
    qn_ctx.result = qn_sim_predict_return(qn_ctx.arg_pc, qn_ctx.arg_addr);
    charge(site_counts());
}

void qn_sim_charge_branch(uint64_t *mispredicts) { charge(mispredicts); }
