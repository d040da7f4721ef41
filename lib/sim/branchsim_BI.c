/* lib/sim/branchsim_BI.c - Cachegrind's predictor of indirect branches: it predicts the target of the last time.
 *
 * 512 targets, chosen by the low nine bits of the branch's address; all start at 0.  Storage: 512 * 64 bits.
 * Source: Valgrind 3.19, cachegrind/cg_branchpred.c.
 */
#include "sim/module.h"

#define PREDICTOR "cachegrind"
#define PREDICTOR_SHOWS 1

#define ENTRIES 512

static uint64_t targets[ENTRIES];

static uint64_t branchsim_BI_target(uint64_t pc) { return targets[pc % ENTRIES]; }
static void branchsim_BI_learn(uint64_t pc, uint64_t target) { targets[pc % ENTRIES] = target; }

/* For `quern watch`. */
static void predictor_show(uint64_t pc, unsigned kind)
{
    (void)kind;
    sim_show_number("index", (int64_t)(pc % ENTRIES));
    sim_show_address("target", targets[pc % ENTRIES]);
}
