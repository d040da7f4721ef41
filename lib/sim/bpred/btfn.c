/* bpred/btfn.c - backward taken, forward not taken: the backward branch of a loop is mostly taken.  Storage: none.
 *
 * Backward taken, forward not: a branch back closes a loop, one forward skips a rarely used part.
 *
 *   TTTTN    ....x     backward
 *   NNTN     ..x.      forward
 *
 * Storage: none.
 * Source: Smith 1981 (see taken), strategy 4. */
#include "sim/module.h"

#define PREDICTOR "btfn"
#define PREDICTOR_SHOWS 1

static unsigned branchsim_BC_predict(uint64_t pc)
{
    (void)pc;
    return sim_branch_backward;
}

static void branchsim_BC_update(uint64_t pc, unsigned taken) { (void)pc, (void)taken; }

static void predictor_show(uint64_t pc, unsigned kind)
{
    (void)pc, (void)kind;
    sim_show_number("backward", sim_branch_backward);
}
