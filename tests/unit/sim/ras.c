/* tests/unit/sim/ras.c - the return address stack of bpred/ras.c: calls and returns, nesting, overflow. */
#define _GNU_SOURCE /* service.c */
#define QN_SIM_HOSTED 1
#define QN_SLOT BI
#define QN_SLOT_FILE "sim/bpred/ras.c"
#include "sim/unit.c"

#include "shows_nothing.h"
#include "alone.h"

bool sim_branch_backward;

int main(void)
{
    sim.slot = "BI";
    hosted_options = "ras-depth=3";
    branchsim_BI_init(&sim);
    is_int(branchsim_BI_return(), 0, "empty: no idea");
    branchsim_BI_call(10);
    branchsim_BI_call(20);
    is_int(branchsim_BI_return(), 20, "10 20|        the innermost call first");
    is_int(branchsim_BI_return(), 10, "10|");
    for (uint64_t next = 1; next <= 4; next++)
        branchsim_BI_call(next);
    is_int(branchsim_BI_return(), 4, "2 3 4|        four calls in three places: the oldest is lost");
    is_int(branchsim_BI_return(), 3, "2 3|");
    is_int(branchsim_BI_return(), 2, "2|");
    is_int(branchsim_BI_return(), 0, "empty again");
    is_int(branchsim_BI_target(7), 0, "a branch not seen yet");
    branchsim_BI_learn(7, 99);
    is_int(branchsim_BI_target(7), 99, "its last target");
    is_int(PREDICTOR_BITS, (3 + 512) * 64, "storage in bits");
    return done_testing();
}
