/* tests/unit/sim/shipplus.c - SHiP++, step by step: the prediction behind each line.  Prefetches have counters of their own. */
#define POLICY_FILE "sim/policy/shipplus.c"
#define DRAW(way) way_state(0, way).prediction
#include "draw.h"

static void prefetch(char line, const char *wanted)
{
    UNIT_OBJECT.ref((uint64_t)(line - 'A') * LINE, LINE, SIM_PREFETCH);
    is_str(draw(), wanted, "a prefetch of %c: %s", line, wanted);
}

int main(void)
{
    begin(1);
    sim_pc = 1;
    counters[signature(false)] = 7;
    step("A", 1, "A0 . . .");        /* sure, but not settled: its first use counts */
    prefetch('P', "A0 P2 . .");
    prefetch('P', "A0 P2 . .");      /* a prefetch of a prefetched line changes nothing */
    step("P", 0, "A0 P3 . .");       /* its first use */
    is_int(counters[signature(true)], 2, "  counts for prefetches");
    step("P", 0, "A0 P0* . .");
    is_int(counters[signature(true)], 2, "  the second use does not count");
    step("A", 0, "A0* P0* . .");
    prefetch('A', "A0* P0* . .");    /* what the program brought: a use like any other */
    counters[signature(true)] = 7;
    prefetch('Q', "A0* P0* Q1 .");
    sim_pc = 2;
    step("B", 1, "A0* P0* Q1 B2");
    step("C", 1, "A1 P1 Q2 C3");     /* B was the first to be distant: unused */
    is_int(counters[signature(false)], 0, "  so the counter of 2 is 0, and C the next victim");
    step("D", 1, "A1 P1 Q2 D3");
    return done_testing();
}
