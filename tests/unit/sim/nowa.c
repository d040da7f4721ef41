/* tests/unit/sim/nowa.c - no write-allocate, step by step: a write that misses fills nothing. */
#define LEVEL_FILE "sim/level/nowa.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&lines); }

int main(void)
{
    begin(1, 3);
    step("A! B!", "mm", "A B", ". . .");  /* both writes went by */
    step("A", "m", "A", "A . .");
    step("A! A", "..", "", "A . .");      /* now it is there */
    step("B C", "mm", "B C", "C B A");
    step("A!", ".", "", "A C B");         /* a write that hits makes the line the newest */
    step("D!", "m", "D", "A C B");        /* nobody has to leave */
    step("D", "m", "D", "D A C");         /* B was oldest */
    step("E>", "m", "E", "F E D");        /* two lines, one reference, one miss */
    return done_testing();
}
