/* lib/sim/adapt/object.h - the symbol that a unit exports: const struct qn_unit qn_unit_D1_srrip; for a twin, qn_twin_D1_srrip.
 *
 * In: QN_SLOT, QN_SLOT_NAME, QN_SLOT_LABEL, unit_init, unit_finish, and in UNIT_FUNCTIONS the functions of the slot.
 * QN_UNIT_SYMBOL is the name of a module that ships; otherwise the name is `given`. */
#ifndef QN_UNIT_SYMBOL
#define QN_UNIT_SYMBOL given
#endif
#ifndef QN_SLOT_LABEL
#define QN_SLOT_LABEL QN_SLOT_FILE
#endif
#ifdef QN_SIM_TWIN
#define UNIT_OBJECT CAT3(CAT3(qn_twin_, QN_SLOT, _), QN_UNIT_SYMBOL, )
#else
#define UNIT_OBJECT CAT3(CAT3(qn_unit_, QN_SLOT, _), QN_UNIT_SYMBOL, )
#endif

/* Only a module with WANTS_PC can use sim_pc, and only one with WANTS_THREAD can use sim_thread: see module.h. */
#ifdef WANTS_PC
enum { UNIT_WANTS_PC = 1 };
static inline __attribute__((unused)) void WANTS_PC_is_missing(void) {}
#else
enum { UNIT_WANTS_PC = 0 };
#endif

#ifdef WANTS_THREAD
static inline __attribute__((unused)) void WANTS_THREAD_is_missing(void) {}
#endif

static void unit_start(const struct sim_config *config, struct qn_unit_facts *facts)
{
    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
    facts->wants_pc = UNIT_WANTS_PC;
#ifdef WANTS_THREAD
    qn_sim_wants_thread = true;
#endif
    unit_init(config, facts);
}

extern const struct qn_unit UNIT_OBJECT;
const struct qn_unit UNIT_OBJECT = {
    .slot = QN_SLOT_NAME, .name = QN_SLOT_LABEL, .init = unit_start, .finish = unit_finish, UNIT_FUNCTIONS,
};
