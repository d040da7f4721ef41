/* tests/unit/sim/ship.c - ship, step by step: the set beside each access, the prediction behind each line. */
#define POLICY_FILE "sim/policy/ship.c"
#define DRAW(way) way_state(0, way).prediction
#include "draw.h"

/* The instruction at pc makes the references. */
static void by(uint64_t pc, const char *refs, unsigned misses, const char *wanted)
{
    sim_pc = pc;
    step(refs, misses, wanted);
}

int main(void)
{
    begin(1);
    by(1, "A", 1, "A2 . . .");             /* the counter of instruction 1 is 1: long */
    by(1, "A", 0, "A0 . . .");             /* 2; the counter can rise, so one more hit changes it */
    by(2, "BCD", 3, "A0 B2 C2 D2");
    by(2, "E", 1, "A1 E3 C3 D3");          /* B left unused: 2's counter is 0, so E is distant */
    by(1, "F", 1, "A1 F2 C3 D3");          /* E left; the counter stays 0 */
    by(3, "F", 0, "A1 F0 C3 D3");          /* a hit counts for the instruction that brought the line: 1's is 3 */
    is_int(counters[signature(1)], 3, "the counter of 1");
    is_int(counters[signature(2)], 0, "  of 2");
    is_int(counters[signature(3)], 1, "  of 3, which brought nothing");
    by(3, "FFF", 0, "A1 F0 C3 D3");
    by(3, "F", 0, "A1 F0* C3 D3");         /* 7: no more */
    by(1, "GH", 2, "A1 F0* G2 H2");        /* C and D, of instruction 2 */
    by(4, "I", 1, "A2 F1 I2 H3");          /* all age, G leaves unused: 1's counter is 6 */
    is_int(counters[signature(1)], 6, "the counter of 1");

    /* In another set the counter of a settled line comes down: it is settled no longer, and no set of its own was referenced. */
    begin(2);
    sim_pc = 1;
    for (unsigned i = 0; i < 8; i++)
        UNIT_OBJECT.ref(0, 8, SIM_READ);
    is_int(filter_entries[0].line == 0, true, "a line of set 0 may pass");
    for (unsigned i = 0; i < 5; i++)
        UNIT_OBJECT.ref(LINE + i * 2 * LINE, 8, SIM_READ);
    is_int(filter_entries[0].line == 0, false, "and may not, after a line of the same instruction left set 1 unused");
    is_int(signature(1ull << SIGNATURE_BITS | 2), 3, "a signature is 14 bits of the address, all of which count");
    return done_testing();
}
