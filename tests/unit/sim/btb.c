/* tests/unit/sim/btb.c - a branch target buffer, step by step: a set's branches with their targets, newest first. */
#define _GNU_SOURCE /* service.c */
#define QN_SIM_HOSTED 1
#define QN_SLOT BI
#define QN_SLOT_FILE "sim/bpred/btb.c"
#include "sim/unit.c"

#include "shows_nothing.h"
#include "alone.h"

bool sim_branch_backward;

static char drawing[256];

static const char *draw(uint64_t pc)
{
    const struct target *set = set_of(pc);
    char *p = drawing;

    for (unsigned i = 0; i < ways; i++)
        p += set[i].pc ? sprintf(p, "%s%u>%u", i ? " " : "", (unsigned)set[i].pc, (unsigned)set[i].to) : sprintf(p, " .");
    return drawing;
}

/* The branch at pc goes to target. */
static void step(uint64_t pc, uint64_t target, bool right, const char *wanted)
{
    is_int(branchsim_BI_target(pc) == target, right, "%u to %u: predicted %s", (unsigned)pc, (unsigned)target, right ? "right" : "wrong");
    branchsim_BI_learn(pc, target);
    is_str(draw(pc), wanted, "  then: %s", wanted);
}

int main(void)
{
    sim.slot = "BI";
    hosted_options = "btb-sets=1,btb-ways=2"; /* two sets: even and odd addresses */
    branchsim_BI_init(&sim);
    step(10, 100, false, "10>100 .");
    step(10, 100, true, "10>100 .");
    step(10, 200, false, "10>200 .");
    step(12, 300, false, "12>300 10>200");
    step(11, 400, false, "11>400 .");       /* the other set */
    step(10, 200, true, "10>200 12>300");
    step(14, 500, false, "14>500 10>200");  /* 12 was oldest */
    step(12, 300, false, "12>300 14>500");
    is_int(PREDICTOR_BITS, 4 * (64 + 48 - 1 + 8), "storage in bits");
    return done_testing();
}
