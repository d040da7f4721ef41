/* lib/sim/unit.c - makes a unit (unit.h) of the module in a slot; compiled for each slot and module, and once more, with data of its own, for
 * the shadow.
 *
 * In:  QN_SLOT           D1
 *      QN_SLOT_FILE      the module's file; QN_SLOT_LABEL: its name and hash, "srrip:50b34235a5a88360"; QN_UNIT_SYMBOL: srrip
 *      or none of these  the slot configuration: QN_SIM_D1_UNIT, _FILE, _NAME; in the shadow model QN_SIM_B_D1_UNIT and so on, if they are defined
 *      QN_SIM_SHADOW       for the shadow model
 * Out: const struct qn_unit qn_unit_D1_srrip; for the shadow model qn_shadow_D1_srrip.  A module of the slot configuration is named `given`; if the slot
 *      holds its default, there is nothing.
 *
 * `make SIM_D1=FILE` and ./configure --with-sim-D1=NAME write the slot configuration to sim_slots.h; `quern sim build` gives it by -D options.
 */
/* All variables of the unit lie behind the first label and before the second of one of these sections: what it remembers. */
#define UNIT_SECTION(name, place) \
    __asm__(".pushsection " place "\nunit_" #name "_begins:\n.popsection\n.pushsection " place ", 8192\nunit_" #name "_ends:\n.popsection");
#define UNIT_SECTIONS(X) X(data, ".data") X(bss, ".bss") X(local, ".data.rel.local") X(rel, ".data.rel")
UNIT_SECTIONS(UNIT_SECTION)

#define CAT2_(a, b) a##b
#define CAT2(a, b) CAT2_(a, b)
#define CAT3(a, b, c) CAT2(CAT2(a, b), c)
#define UNIT_STRING_(a) #a
#define UNIT_STRING(a) UNIT_STRING_(a)

#ifndef QN_SLOT_FILE
#if defined(QN_SIM_SHADOW) && CAT3(QN_SIM_B_, QN_SLOT, _UNIT)
#define QN_SLOT_FILE CAT3(QN_SIM_B_, QN_SLOT, _FILE)
#define QN_SLOT_LABEL CAT3(QN_SIM_B_, QN_SLOT, _NAME)
#elif CAT3(QN_SIM_, QN_SLOT, _UNIT)
#define QN_SLOT_FILE CAT3(QN_SIM_, QN_SLOT, _FILE)
#define QN_SLOT_LABEL CAT3(QN_SIM_, QN_SLOT, _NAME)
#endif
#endif

#ifdef QN_SLOT_FILE
#define QN_SIM_UNIT 1
#define QN_SLOT_NAME UNIT_STRING(QN_SLOT)
#ifndef QN_UNIT_SYMBOL
#define QN_UNIT_SYMBOL given
#endif
#ifndef QN_SLOT_LABEL
#define QN_SLOT_LABEL QN_SLOT_FILE
#endif
#ifdef QN_SIM_SHADOW
#define UNIT_OBJECT CAT3(CAT3(qn_shadow_, QN_SLOT, _), QN_UNIT_SYMBOL, )
#else
#define UNIT_OBJECT CAT3(CAT3(qn_unit_, QN_SLOT, _), QN_UNIT_SYMBOL, )
#endif

/* Each slot's bit, as in LEVEL_SLOTS. */
#define UNIT_BIT_I1 1
#define UNIT_BIT_D1 2
#define UNIT_BIT_LL 4
#define UNIT_BIT_BC 8
#define UNIT_BIT_BI 16
#define UNIT_BIT_AN 32
#define UNIT_BIT CAT2(UNIT_BIT_, QN_SLOT)
#if UNIT_BIT == UNIT_BIT_I1
#define QN_SLOT_I1 1
#elif UNIT_BIT == UNIT_BIT_D1
#define QN_SLOT_D1 1
#elif UNIT_BIT == UNIT_BIT_LL
#define QN_SLOT_LL 1
#endif

#include "sim/unit.h"

/* ---- with cores: what the module remembers is that of the core that runs ---- */

#include "sim/bank.h"

#define UNIT_LABELS(name, place) extern uint8_t unit_##name##_begins[], unit_##name##_ends[];
UNIT_SECTIONS(UNIT_LABELS)

static struct qn_bank unit_bank SIM_SHARED __attribute__((unused));

static inline __attribute__((unused)) void unit_open_bank(void)
{
#define UNIT_ADD(name, place) qn_bank_add(&unit_bank, unit_##name##_begins, (uint64_t)(unit_##name##_ends - unit_##name##_begins));
    UNIT_SECTIONS(UNIT_ADD)
    qn_bank_open(&unit_bank);
}

#include QN_SLOT_FILE

#if UNIT_BIT == UNIT_BIT_AN
#ifndef ANALYSIS
#error quern-module: this is no analysis: #define ANALYSIS is missing
#endif
#include "sim/adapt/analysis.h"
#elif UNIT_BIT >= UNIT_BIT_BC
#include "sim/adapt/predictor.h"
#else
#include "sim/adapt/beside.h"
#if defined(POLICY)
#include "sim/adapt/policy.h"
#elif defined(PREFETCHER)
#include "sim/adapt/prefetcher.h"
#elif defined(LEVEL)
#include "sim/adapt/level.h"
#elif defined(COHERENCE)
#include "sim/adapt/coherence.h"
#elif defined(PREDICTOR)
#error quern-module: this is a predictor (PREDICTOR), which fits the slots BC and BI, not the slot of a cache
#elif defined(ANALYSIS)
#error quern-module: this is an analysis module (ANALYSIS), which fits the slot AN, not the slot of a cache
#else
#error quern-module: nothing says what it is: #define POLICY, PREFETCHER or LEVEL is missing
#endif
#endif

/* ---- many logged references in one call (fast/log.h); nothing is published, because emitted code does not look at the filter while it logs all.  A
 * unit in slot LL gets those that have missed level 1 ---- */

#define REFS_AHEAD 8 /* entries */

#if (defined(QN_SLOT_D1) || defined(QN_SLOT_LL)) && !defined(QN_SIM_SHADOW) && !defined(LEVEL_OWN_FILTER) && !defined(COHERENCE)
static void unit_refs(const struct qn_log_entry *entry, uint32_t n)
{
    for (const struct qn_log_entry *e = entry; e < entry + n; e++) {
        unsigned outcome = QN_UNIT_MISS;

        if (UNIT_IS_LL && e + REFS_AHEAD < entry + n)
            level_ahead(e[REFS_AHEAD].addr);
        if (UNIT_IS_LL || QN_LIKELY(e->kind != QN_LOG_FETCH)) {
            sim_enter_next(SIM_IN_DOREF);
            if (QN_DEFINES(WANTS_PC))
                QN_UP(set_pc)(e);
            outcome = unit_simulate(e->addr, e->site >> QN_SITE_SIZE_SHIFT, qn_sim_kind((enum qn_log_kind)e->kind), false);
        }
        if (UNIT_IS_LL)
            QN_UP(seen_below)(e, outcome);
        else if (outcome)
            QN_UP(missed)(e, outcome);
        if (!UNIT_IS_LL && QN_UNLIKELY(sim_events_new))
            QN_UP(charge)(e->site);
    }
}

static void unit_forget(void) { UNIT_FORGETS; }
#define UNIT_LOGS .refs = unit_refs, .forget = unit_forget,
#else
#define UNIT_LOGS
#endif

/* ---- the unit ---- */

#if UNIT_BIT <= UNIT_BIT_LL
#ifdef COHERENCE
#define UNIT_COHERENT .shared = unit_shared, .L2 = unit_L2,
#else
#define UNIT_COHERENT
#endif
#ifdef UNIT_HAS_STATE
#define UNIT_SHOWS .show = unit_show, .state = unit_state
#else
#define UNIT_SHOWS .show = unit_show
#endif
#define UNIT_FUNCTIONS UNIT_LOGS .ref = unit_ref, .drop = unit_drop, UNIT_COHERENT UNIT_SHOWS
#endif

#ifdef COHERENCE
#define UNIT_TURNS .turn = unit_turn,
#elif UNIT_BIT & (UNIT_BIT_I1 | UNIT_BIT_BC | UNIT_BIT_BI)
#define UNIT_TURNS .turn = unit_turn,
#define UNIT_HAS_BANK 1
static void unit_turn(uint32_t core) { qn_bank_turn(&unit_bank, core); }
#else
#define UNIT_TURNS
#endif

/* Only a module with WANTS_PC can use sim_pc, with WANTS_THREAD sim_thread, with WANTS_KIND sim_line_kind: see module.h. */
#ifdef WANTS_PC
static inline __attribute__((unused)) void WANTS_PC_is_missing(void) {}
#endif

#ifdef WANTS_THREAD
static inline __attribute__((unused)) void WANTS_THREAD_is_missing(void) {}
#endif

#ifdef WANTS_KIND
static inline __attribute__((unused)) void WANTS_KIND_is_missing(void) {}
#endif

static void unit_start(const struct sim_config *config, struct qn_unit_facts *facts)
{
    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
    facts->wants_pc = QN_DEFINES(WANTS_PC);
    if (QN_DEFINES(WANTS_THREAD))
        qn_sim_wants_thread = true;
    if (QN_DEFINES(UNIT_HAS_BANK) && config->cores > 1)
        unit_open_bank();
    unit_init(config, facts);
    if (QN_DEFINES(UNIT_HAS_BANK) && config->cores > 1)
        qn_bank_close(&unit_bank);
}

extern const struct qn_unit UNIT_OBJECT;
const struct qn_unit UNIT_OBJECT = {
    .slot = QN_SLOT_NAME, .name = QN_SLOT_LABEL, .init = unit_start, .finish = unit_finish, UNIT_TURNS UNIT_FUNCTIONS,
};
#endif
