/* lib/sim/versus.c - run --versus: a second simulator gets every reference right after the first one.
 *
 *   A: D1 = lru     B: D1 = fifo        reference 17 of the run: A hits, B misses, the LL has it
 *
 * In a build for --versus this file stands in the place of twin.c, and the twin's slots hold the modules of B
 * (versus_slots.h).  So B comes to its references where --check has its unfiltered twin: A runs at the speed of its
 * filter, B sees everything, and both see it in program order.  One process, one stream: nothing has to be equal by luck.
 *
 * What B misses is counted as events, charged to the instruction like those of modules: B.D1mr stands in the profile
 * beside D1mr.  Events that B's own modules declare are not shown.
 */
#ifdef QN_SIM_VERSUS
#define QN_SIM_TWIN 1
#include "sim/versus.h"

#include "sim/charge.h"
#include "sim/describe.h"
#include "sim/slot_calls.h"
#include "sim/twin.h"

#include "base/context.h"

#ifdef QN_SIM_BC_UNIT
#define branchsim_BC_predict QN_UNIT(BC, predict)
#define branchsim_BC_update QN_UNIT(BC, update)
#else
#include QN_SIM_BC_FILE
#endif
#ifdef QN_SIM_BI_UNIT
#define branchsim_BI_target QN_UNIT(BI, target)
#define branchsim_BI_learn QN_UNIT(BI, learn)
#else
#include QN_SIM_BI_FILE
#endif

#define SLOW QN_SIM_NCSR

enum { L1_MISS = 1, LL_MISS = 2 };

uint64_t *qn_sim_repeats;

static struct qn_versus *versus;
static uint64_t clock, told, repeats; /* told: references that came here */
static unsigned level1[QN_VERSUS_KINDS], level2[QN_VERSUS_KINDS]; /* events: misses of each level, mispredicts in level1 */

static void declare_caches(void)
{
    level1[QN_VERSUS_FETCH] = sim_event("B", "I1mr", "I1 misses of the second simulator");
    level2[QN_VERSUS_FETCH] = sim_event("B", "ILmr", "LL misses of its fetches");
    level1[QN_VERSUS_READ] = level1[QN_VERSUS_MODIFY] = sim_event("B", "D1mr", "its D1 read misses");
    level2[QN_VERSUS_READ] = level2[QN_VERSUS_MODIFY] = sim_event("B", "DLmr", "its LL misses of reads");
    level1[QN_VERSUS_WRITE] = sim_event("B", "D1mw", "its D1 write misses");
    level2[QN_VERSUS_WRITE] = sim_event("B", "DLmw", "its LL misses of writes");
}

static void declare_branches(void)
{
    level1[QN_VERSUS_COND] = sim_event("B", "Bcm", "its mispredicted conditional branches");
    level1[QN_VERSUS_INDIRECT] = sim_event("B", "Bim", "its mispredicted indirect branches");
}

static void init_predictors(const struct qn_config *config)
{
    struct sim_config bc = {.slot = "BC", .seed = config->seed}, bi = {.slot = "BI", .seed = config->seed};

    (void)bc, (void)bi;
#ifdef QN_SIM_BC_UNIT
    QN_UNIT(BC, init)(&bc, &facts[SLOT_BC]);
#endif
#ifdef QN_SIM_BI_UNIT
    QN_UNIT(BI, init)(&bi, &facts[SLOT_BI]);
#endif
}

void qn_sim_twin_init(const struct qn_config *config, struct qn_versus *where)
{
    versus = where;
    __builtin_memcpy(versus->modules, SLOTS_DESCRIPTION, sizeof SLOTS_DESCRIPTION < sizeof versus->modules
                     ? sizeof SLOTS_DESCRIPTION : sizeof versus->modules - 1);
    if (config->cache_sim)
        declare_caches();
    if (config->branch_sim)
        declare_branches();
#ifdef QN_SIM_LL_UNIT
    upper_I1 = config->I1;
    upper_D1 = config->D1;
#endif
    qn_sim_events_hidden = true;
    slots_init(config);
    init_predictors(config);
    qn_sim_events_hidden = false;
    qn_sim_returns |= facts[SLOT_BI].returns;
    if (qn_sim_i1_repeat_is_noop && facts[SLOT_I1].repeat_is_noop)
        qn_sim_repeats = &repeats;
}

void qn_sim_twin_blame(unsigned slot, struct qn_sim_culprit *c)
{
    c->module = facts[slot].name;
    c->of = " of B";
}

void qn_versus_finish(void) { versus->references = told + repeats; }

/* ---- comparison ---- */

static inline uint32_t site(void) { return (uint32_t)qn_ctx.arg_site & QN_SITE_COUNTER_MASK; }

static SLOW void differ(enum qn_versus_kind kind, uint64_t addr, uint32_t size, uint32_t at, unsigned a, unsigned b)
{
    versus->different++;
    versus->worse += b > a;
    versus->better += b < a;
    if (versus->first)
        return;
    versus->first = versus->references;
    versus->addr = addr;
    versus->size = size;
    versus->site = at;
    versus->kind = (uint8_t)kind;
    versus->a = (uint8_t)a;
    versus->b = (uint8_t)b;
}

static inline void follow(enum qn_versus_kind kind, uint64_t addr, uint32_t size, uint32_t at, unsigned a, unsigned b)
{
    versus->references = ++told + repeats;
    if (b & L1_MISS)
        sim_count(level1[kind], 1);
    if (b & LL_MISS)
        sim_count(level2[kind], 1);
    if (a != b)
        differ(kind, addr, size, at, a, b);
}

/* ---- references ---- */

static inline unsigned outcome_of(unsigned l1, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    return l1 & QN_UNIT_MISS ? L1_MISS | (next_level(l1, addr, size, kind) ? LL_MISS : 0) : 0;
}

static inline void data(uint64_t addr, uint32_t size, enum sim_kind kind, uint32_t at, unsigned a)
{
    follow((enum qn_versus_kind)(QN_VERSUS_READ + kind), addr, size, at, a,
           outcome_of(D1_ref(addr, size, kind, &clock), addr, size, kind));
    if (sim_events_new)
        qn_sim_charge(at);
}

SLOW void qn_sim_check_data(void)
{
    enum sim_kind kind = qn_ctx.arg_aux & QN_AUX_MODIFY ? SIM_MODIFY : qn_ctx.arg_aux & QN_AUX_WRITE ? SIM_WRITE : SIM_READ;

    data(qn_ctx.arg_addr, (uint32_t)qn_ctx.arg_aux & 0xffff, kind, site(), (unsigned)qn_ctx.result);
}

/* A hit on the line that was fetched just before changes nothing in most modules; nearly all fetches are that. */
static inline bool is_repeat(uint64_t addr, uint32_t size)
{
    static uint64_t touched = QN_NO_LINE;
    uint64_t mask = ~(uint64_t)(qn_sim_i1_line - 1), first = addr & mask, last = (addr + size - 1) & mask;
    bool same = first == touched && last == touched && facts[SLOT_I1].repeat_is_noop;

    touched = last;
    return same;
}

SLOW void qn_sim_check_fetch(void)
{
    uint64_t addr = qn_ctx.arg_addr;
    uint32_t size = (uint32_t)qn_ctx.arg_aux & 0xffff;

    if (is_repeat(addr, size) && !qn_ctx.result) {
        repeats++;
        return;
    }
    follow(QN_VERSUS_FETCH, addr, size, site(), (unsigned)qn_ctx.result,
           outcome_of(I1_ref(addr, size, &clock), addr, size, SIM_FETCH));
    if (sim_events_new)
        qn_sim_charge(site());
}

void qn_sim_twin_follow(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, uint32_t at)
{
    data(addr, size, (enum sim_kind)kind, at, outcome);
}

/* Whoever asked for the prediction charges it. */
SLOW void qn_versus_cond(uint64_t pc, bool taken, bool wrong)
{
    bool second = branchsim_BC_predict(pc) != taken;

    branchsim_BC_update(pc, taken);
    follow(QN_VERSUS_COND, pc, 0, site(), wrong, second);
}

SLOW void qn_versus_indirect(uint64_t pc, uint64_t target, bool wrong)
{
    bool second = branchsim_BI_target(pc) != target;

    branchsim_BI_learn(pc, target);
    follow(QN_VERSUS_INDIRECT, pc, 0, site(), wrong, second);
}

SLOW void qn_versus_call(uint64_t next)
{
    (void)next;
#ifdef QN_SIM_BI_UNIT
    QN_UNIT(BI, call)(next);
#endif
}

SLOW void qn_versus_return(uint64_t target)
{
    (void)target;
#ifdef QN_SIM_BI_UNIT
    QN_UNIT(BI, return)(target);
#endif
}
#endif
