/* module.c - a policy as quern 0.1 has it: the way that is filled next goes round. */
#include "sim/module.h"

#define POLICY "round"
#define POLICY_SET_STATE uint32_t
#define POLICY_HIT_IS_NOOP 1
#define POLICY_SET_SHOWS "next way"

static void policy_fill(unsigned set, unsigned way) { set_state(set) = (way + 1) % sim.ways; }
static unsigned policy_victim(unsigned set) { return set_state(set); }
