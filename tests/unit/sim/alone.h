/* tests/unit/sim/alone.h - what a module that is tested on its own finds around it; behind the adapter of its slot. */
#undef sim_pc
uint64_t sim_pc;
struct qn_filter_entry qn_sim_filter_entries[2][QN_FILTER_ENTRIES];

#include "sim/hosted/service.c"
#include "sim/cells.c"
#include "sim/bank.c"
#include "tap.h"

bool qn_sim_current_module(struct qn_sim_culprit *c)
{
    (void)c;
    return false;
}

uint64_t hosted_references;
