/* lib/sim/unit_AN.c - slot AN: an analysis module that sees every reference with its outcome.  Empty in a default
 * build; if it is filled nothing is filtered. */
#include "sim/slots.h"

#ifdef QN_SIM_AN_FILE
#define QN_SIM_UNIT 1
#include "sim/unit.h"

#include QN_SIM_AN_FILE

void qn_unit_AN_init(const struct sim_config *config)
{
    sim = *config;
    sim_random_state = sim_random_seed(config->seed);
    analysis_init(config);
}

SIM_NCSR void qn_unit_AN_ref(const struct sim_ref *ref) { analysis_ref(ref); }
void qn_unit_AN_finish(void) { analysis_finish(); }
#endif
