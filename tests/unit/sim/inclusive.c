/* tests/unit/sim/inclusive.c - an inclusive last level, step by step: (A) = A was removed from level 1, because it was evicted here. */
#define IN_SLOT_LL 1
#define LEVEL_FILE "sim/level/inclusive.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&lines); }

int main(void)
{
    begin(2, 2);                            /* A C E in one set, B D F in the other */
    step("A B C", "mmm", "A B C", "C A / B .");
    step("A", ".", "", "A C / B .");
    step("E", "m", "(C) E", "E A / B .");   /* though level 1 may still use C all the time */
    step("D F", "mm", "D (B) F", "E A / F D");
    is_int((int64_t)events_of("LL.back-invalidations"), 2, "  two lines left everywhere");
    return done_testing();
}
