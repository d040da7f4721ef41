/* tests/unit/sim/exclusive.c - an exclusive last level, step by step: it is filled with the victims of level 1 (A-), and a hit
 * moves the line back to level 1. */
#define IN_SLOT_LL 1
#define LEVEL_FILE "sim/level/exclusive.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&lines); }

int main(void)
{
    begin(1, 3);
    step("A", "m", "A", ". . .");          /* from memory straight to level 1 */
    step("A-", "-", "", "A . .");
    step("B- C-", "--", "", "C B A");
    step("B", ".", "", "C A .");           /* back to level 1: gone from here */
    step("B", "m", "B", "C A .");
    step("D- E-", "--", "", "E D C");      /* A was oldest */
    step("C-", "-", "", "C E D");          /* there already: I1 and D1 both had it */
    step("C>", ".", "", "E . .");          /* two lines, both there */
    return done_testing();
}
