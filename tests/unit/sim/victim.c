/* tests/unit/sim/victim.c - a victim cache, step by step: a direct-mapped set | the buffer beside it. */
#define LEVEL_FILE "sim/level/victim.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void)
{
    const char *start = draw_lines(&lines);

    strcat(drawing, " | ");
    draw_lines(&buffer);
    return start;
}

int main(void)
{
    hosted_options = "victim-lines=2";
    begin(1, 1);
    step("A", "m", "A", "A | . .");
    step("B", "m", "B", "B | A .");        /* they want the same place */
    step("A", ".", "", "A | B .");         /* found in the buffer: they change places, no miss */
    is_int((int64_t)events_of("D1.victim-hits"), 1, "  a victim hit");
    step("B A B A", "....", "", "A | B .");
    is_int((int64_t)events_of("D1.victim-hits"), 5, "  two lines take turns without a miss");
    step("C", "m", "C", "C | A B");
    step("D", "m", "D", "D | C A");        /* B is gone */
    step("B", "m", "B", "B | D C");
    cachesim_X_drop(3 * LINE);
    step("", "", "", "B | C .");           /* the buffer gives up, too, what an inclusive last level takes away */
    return done_testing();
}
