/* tests/unit/sim/waypred.c - way prediction, step by step: the first line is in the predicted way. */
#define LEVEL_FILE "sim/array/waypred.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&lines); }

int main(void)
{
    begin(1, 4);
    step("A B", "mm", "A B", "B A . .");
    step("B", ".", "", "B A . .");
    is_int((int64_t)events_of("D1.way-mispredicts"), 0, "  predicted right");
    step("A", ".", "", "A B . .");
    is_int((int64_t)events_of("D1.way-mispredicts"), 1, "  wrong");
    step("A A B", "...", "", "B A . .");
    is_int((int64_t)events_of("D1.way-mispredicts"), 2, "  right, right, wrong");
    step("C> A", "m.", "C", "A D C B");
    is_int((int64_t)events_of("D1.way-mispredicts"), 3, "  a miss is no prediction");
    return done_testing();
}
