/* tests/unit/sim/l2.c - a second level in front of the last, step by step: L2 | L3. */
#define IN_SLOT_LL 1
#define LEVEL_FILE "sim/level/l2.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void)
{
    const char *start = draw_lines(&l2);

    strcat(drawing, " | ");
    draw_lines(&l3);
    return start;
}

int main(void)
{
    hosted_options = "l2-size=128,l2-ways=2";
    begin(1, 4);
    step("A B", "mm", "A B", "B A | B A . .");
    step("A", ".", "", "A B | B A . .");      /* the L3 does not see it */
    step("C D", "mm", "C D", "D C | D C B A");
    step("A", ".", "", "A D | A D C B");      /* a miss of the L2, a hit of the L3: no miss of the slot */
    is_int((int64_t)events_of("LL.l2-refs"), 6, "  lookups of the L2");
    is_int((int64_t)events_of("LL.l2-misses"), 5, "  its misses");
    step("E", "m", "E", "E A | E A D C");
    return done_testing();
}
