/* bpred/taken.c - every conditional branch is taken.  Storage: none.
 *
 * Every conditional branch is taken.
 *
 *   TTTN     ...x
 *
 * Storage: none.
 * Source: J. E. Smith, A study of branch prediction strategies, ISCA 1981, strategy 1. */
#include "sim/module.h"

#define PREDICTOR "taken"

static unsigned branchsim_BC_predict(uint64_t pc)
{
    (void)pc;
    return 1;
}

static void branchsim_BC_update(uint64_t pc, unsigned taken) { (void)pc, (void)taken; }
