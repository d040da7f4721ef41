/* tests/unit/sim/btb2.c - a two-level target buffer, step by step: the branches of the first level | those of the second. */
#define _GNU_SOURCE /* service.c */
#define QN_SIM_HOSTED 1
#define QN_SLOT BI
#define QN_SLOT_FILE "sim/bpred/btb2.c"
#include "sim/unit.c"

#include "shows_nothing.h"
#include "alone.h"

bool sim_branch_backward;
void qn_up_charge(uint32_t site) { (void)site; }

static void step(uint64_t pc, uint64_t target, bool right, unsigned lates, const char *wanted)
{
    char got[128] = "";

    is_int(branchsim_BI_target(pc) == target, right, "%u to %u: predicted %s", (unsigned)pc, (unsigned)target, right ? "right" : "wrong");
    branchsim_BI_learn(pc, target);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned way = 0; way < levels[i].ways; way++)
            sprintf(got + strlen(got), "%s%u", way ? " " : i ? " | " : "", (unsigned)levels[i].targets[way].pc);
    is_str(got, wanted, "  then %s", wanted);
    is_int((int64_t)sim_counted(late), lates, "  %u were late", lates);
}

int main(void)
{
    struct sim_config config = {.slot = "BI", .seed = 1};
    struct qn_unit_facts facts = {.name = NULL};

    hosted_options = "btb-sets=0,btb-ways=1,btb2-sets=0,btb2-ways=3";
    UNIT_OBJECT.init(&config, &facts);
    step(10, 100, false, 0, "10 | 10 0 0");
    step(12, 300, false, 0, "12 | 12 10 0");
    step(10, 100, true, 1, "10 | 10 12 0");
    step(10, 100, true, 1, "10 | 10 12 0");
    step(12, 400, false, 2, "12 | 12 10 0");   /* the second level had another target: late and wrong */
    step(14, 500, false, 2, "14 | 14 12 10");
    step(16, 600, false, 2, "16 | 16 14 12");
    step(10, 100, false, 2, "10 | 10 16 14");  /* forgotten by both */
    hosted_options = "";
    event_count = 0;
    UNIT_OBJECT.init(&config, &facts);
    is_int((int64_t)(PREDICTOR_BITS), 122112, "storage in bits");
    return done_testing();
}
