/* tests/unit/sim/ittage.c - ITTAGE, step by step: which table provides (0: the base) and what it says, its confidence. */
#define _GNU_SOURCE /* service.c */
#define QN_SIM_HOSTED 1
#define QN_SLOT BI
#define QN_SLOT_FILE "sim/bpred/ittage.c"
#include "sim/unit.c"

#include "shows_nothing.h"
#include "alone.h"

bool sim_branch_backward;
void qn_up_charge(uint32_t site) { (void)site; }

/* A conditional branch with this outcome, then the indirect one at 8, which goes to target. */
static void step(char outcome, uint64_t target, bool right, int wanted)
{
    branchsim_BI_outcome(4, outcome == 'T');
    is_int(branchsim_BI_target(8) == target, right, "after %c to %u: predicted %s", outcome, (unsigned)target, right ? "right" : "wrong");
    is_int(provider + 1, wanted, "  by table %d", wanted);
    branchsim_BI_learn(8, target);
}

int main(void)
{
    sim.slot = "BI";
    /* 0 and 4096 put only zeros into the history: at the branch it is T 0 0 N, or N 0 0 T, newest first. */
    step('T', 4096, false, 0);
    step('N', 8192, false, 0);
    step('T', 4096, true, 1);
    is_int(entry[0]->useful, 1, "useful: the base table had the other target");
    step('N', 8192, true, 1);
    is_int(entry[0]->useful, 0, "not useful: the base table had the same");
    step('T', 4096, true, 1);
    is_int(entry[0]->confidence, 2, "right twice");
    step('N', 8192, true, 1);
    step('T', 8192, false, 1);
    is_int(entry[0]->target == 4096 && entry[0]->confidence == 1, true, "a wrong target costs confidence first");
    is_int((int)entry[1]->target, 8192, "and the next longer history gets an entry");
    is_int(PREDICTOR_BITS, 190524, "storage in bits");
    return done_testing();
}
