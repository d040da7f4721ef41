/* tests/unit/sim/mockingjay.c - mockingjay, step by step: the estimate behind each line, as 10 + so many units of eight references. */
#define POLICY_FILE "sim/policy/mockingjay.c"
#define SETS_WAYS 2
#define DRAW(way) (10 + way_state(0, way))
#include "draw.h"

int main(void)
{
    begin(1);
    is_int(never, 15, "two ways: never is 15");
    is_int(too_late, 13, "  and from 14 on too late");
    sim_pc = 2;
    predictions[signature(false)] = 13;
    sim_pc = 1;
    step("A", 1, "A10 .");
    sim_pc = 2;
    step("B", 1, "A10 B11");
    sim_pc = 1;
    step("AAAAAAA", 0, "A10 B11");    /* the largest estimate of two ways is 1: "never", which does not age */
    predictions[signature(true)] = 0;
    step("A", 0, "A10 B11");

    begin(1);
    way_state(0, 0) = 0;
    sim_pc = 5;
    step("AB", 2, "A10 B10");
    step("BBBBBB", 0, "A10 B10");
    step("B", 0, "A9 B10");           /* eight references: A ages, the line that is referenced does not */
    sim_pc = 6;
    step("C", 1, "C10 B10");          /* A is overdue */
    predictions[signature(false)] = 14;
    step("D", 1, "C10 B10");          /* too late: bypasses */
    predictions[signature(false)] = 8;
    step("D", 1, "C10 B10");          /* later than either is due */
    predictions[signature(false)] = 7;
    step("D", 1, "D10 B10");

    memset(predictions, -1, sizeof predictions);
    train(3, 5);
    is_int(predictions[3], 5, "the first distance");
    train(3, 20);
    is_int(predictions[3], 5, "fifteen more: no step");
    train(3, 21);
    is_int(predictions[3], 6, "sixteen more: one step");
    predictions[3] = 40;
    train(3, 10);
    is_int(predictions[3], 39, "and down");
    return done_testing();
}
