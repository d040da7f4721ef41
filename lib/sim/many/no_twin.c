/* lib/sim/many/no_twin.c - in the place of sim/twin.c in a build of many simulators: there is no unfiltered twin of them all,
 * so --check is refused.  Each alone can be checked, and that they agree with those alone is tested. */
#include "sim/module.h"
#include "sim/twin.h"
#include "sim/unit.h"

uint64_t *qn_sim_repeats;

void qn_sim_twin_init(const struct qn_config *config, struct qn_versus *versus)
{
    (void)config, (void)versus;
    sim_fail("D1", "many", "--check", 0, "many simulators at once cannot be checked against themselves");
}

/* What follows is never reached, since qn_sim_twin_init does not return. */
void qn_sim_twin_blame(unsigned slot, struct qn_sim_culprit *c) { (void)slot, (void)c; }
unsigned qn_sim_twin_data(uint64_t addr, uint32_t size) { return (void)addr, (void)size, 0; }
unsigned qn_sim_twin_data_kind(uint64_t addr, uint32_t size, unsigned kind) { return (void)addr, (void)size, (void)kind, 0; }
unsigned qn_sim_twin_fetch(uint64_t addr, uint32_t size) { return (void)addr, (void)size, 0; }
QN_SIM_NCSR void qn_sim_check_data(void) {}
QN_SIM_NCSR void qn_sim_check_fetch(void) {}

void qn_sim_twin_follow(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, uint32_t site)
{
    (void)addr, (void)size, (void)kind, (void)outcome, (void)site;
}

void qn_sim_twin_compare(bool fetch, uint64_t addr, unsigned filtered, unsigned unfiltered)
{
    (void)fetch, (void)addr, (void)filtered, (void)unfiltered;
}
