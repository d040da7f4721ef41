/* lib/sim/unit_AN.c - slot AN: an analysis module that sees every reference with its outcome, or observes instructions.  Empty in
 * a default build; if it is filled nothing is filtered. */
#include "sim/slots.h"

#ifdef QN_SIM_AN_FILE
#define QN_SIM_UNIT 1
#include "sim/unit.h"

#include QN_SIM_AN_FILE

static uint64_t unit_references; /* for messages */

/* Tools read it out of the file. */
#ifdef ANALYSIS_OBSERVES
static const char observes[] __attribute__((used)) = QN_SIM_OBSERVES_MARK "yes\n";
#endif

void qn_unit_AN_init(const struct sim_config *config, struct qn_unit_facts *facts)
{
    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
#ifdef ANALYSIS
    facts->name = ANALYSIS;
#endif
#ifdef ANALYSIS_OBSERVES
    facts->observes = true;
#endif
    AT_WORK_DO(SLOT_AN, SIM_IN_INIT, 0, analysis_init(config));
}

#ifdef ANALYSIS_OBSERVES
SIM_NCSR void qn_unit_AN_ref(const struct sim_ref *ref) { (void)ref; }

void qn_unit_AN_insn(const struct sim_insn *insn)
{
    AT_WORK_DO(SLOT_AN, SIM_IN_OBSERVE, ++unit_references, analysis_insn(insn));
}
#else
SIM_NCSR void qn_unit_AN_ref(const struct sim_ref *ref)
{
    AT_WORK_DO(SLOT_AN, SIM_IN_ANALYSE, ++unit_references, analysis_ref(ref));
}

void qn_unit_AN_insn(const struct sim_insn *insn) { (void)insn; }
#endif

void qn_unit_AN_finish(void) { AT_WORK_DO(SLOT_AN, SIM_IN_FINISH, unit_references, analysis_finish()); }
#endif
