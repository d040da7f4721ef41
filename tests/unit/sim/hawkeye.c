/* tests/unit/sim/hawkeye.c - hawkeye, step by step: the set beside each access, RRIP behind each line. */
#define POLICY_FILE "sim/policy/hawkeye.c"
#define SETS_WAYS 2
#define DRAW(way) way_state(0, way).rrip
#include "draw.h"

static char text[100];

/* What OPTgen holds at each time. */
static const char *held(void)
{
    char *p = text;

    for (uint64_t t = 0; t < samples[0].time; t++)
        p += sprintf(p, "%u ", samples[0].ring[t].held);
    return text;
}

static void by(uint64_t pc, const char *refs, unsigned misses, const char *wanted)
{
    sim_pc = pc;
    step(refs, misses, wanted);
}

int main(void)
{
    begin(1);
    is_int(window, 16, "8 references for each way");
    by(1, "A", 1, "A0 .");
    by(2, "B", 1, "A1 B0");
    by(3, "C", 1, "C0 B1");    /* A was older; instruction 1, which brought it, counts down */
    is_int(counters[1], 3, "the instruction of a friendly victim");
    by(4, "B", 0, "C0 B0");
    is_str(held(), "0 1 1 0 ", "B comes again: there was room");
    is_int(counters[2], 5, "its instruction is trained up");
    by(5, "A", 1, "A0 B1");    /* of two with 0, C is the first; 3 counts down */
    is_str(held(), "1 2 2 1 0 ", "A comes again: there was room, although it was a miss here");
    is_int(counters[1], 4, "its instruction is trained up");
    is_int(counters[3], 3, "that of C counted down when C was evicted");
    by(3, "C", 1, "A0 C7");    /* averse */
    is_str(held(), "1 2 2 1 0 0 ", "C comes again: no room at 2");
    is_int(counters[3], 2, "its instruction is trained down");
    by(5, "D", 1, "A1 D0");    /* the averse line is the victim, and trains nobody */
    is_int(counters[3], 2, "no training by an averse victim");

    /* What was referred to longer than 16 references ago is not known. */
    begin(1);
    memset(counters, FRIENDLY, sizeof counters);
    by(1, "A", 1, "A0 .");
    by(2, "BBBBBBBBBBBBBBB", 1, "A1 B0");
    by(2, "BA", 0, "A0 B0");
    is_int(counters[1], 4, "after 16 others A trains nobody");
    by(6, "A", 0, "A0 B0");
    is_int(counters[2], 7, "B has trained its instruction up to the end, and A, at once again, too");
    return done_testing();
}
