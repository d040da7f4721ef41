/* tests/unit/sim/bop.c - best offset, step by step: + marks a guess; the offset that is used, and points. */
#define LEVEL_FILE "sim/prefetch/bop.c"
#define MARKS "+"
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&level_lines); }

static void walk(unsigned from, unsigned by, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        *asked = 0;
        UNIT_OBJECT.ref((uint64_t)(from + i * by) * LINE, 8, SIM_READ);
    }
}

int main(void)
{
    begin(1, 4);
    step("A", "m", "A B+", "B+ A . .");         /* the offset is 1 at first */
    step("B", ".", "C+", "C+ B A .");
    step("B", ".", "", "B C+ A .");             /* a second use is none */
    is_int(offsets[0], 1, "the first offset");
    is_int(offsets[9], 12, "the tenth: 7 and 11 are left out");
    is_int(offsets[51], 256, "the last of 52");

    begin(1, 4);
    memset(scores, 0, sizeof scores);
    tried = 0;
    walk(1000, 3, 52 * 31 - 1);
    is_int(best, 1, "a walk by three lines, until one step before the end of the round in which 3 has 31 points");
    walk(1000 + 3 * (52 * 31 - 1), 3, 1);
    is_int(best, 3, "  at its end: of 3, 6, 9, which score alike, the first");
    is_int(scores[0] + scores[2], 0, "  and all begin anew");
    walk(1 << 20, 100001, 52 * 101);
    is_int(best, 0, "after a phase without a pattern nothing is prefetched");
    is_int((int64_t)events_of("D1.prefetches") > 0, 1, "  as was before");
    begin(1, 4);
    best = 0;
    step("A", "m", "A", "A . . .");
    return done_testing();
}
