/* tests/unit/sim/spp.c - signature path, step by step: + marks a guess. */
#define LEVEL_FILE "sim/prefetch/spp.c"
#define MARKS "+"
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&level_lines); }

int main(void)
{
    uint16_t one = follow(0, 1), two = follow(follow(0, 1), 2);

    is_int(one, 1, "a signature");
    is_int(two, 8 ^ 2, "the next distance");
    is_int(follow(0, -3), 0x43, "a sign and six bits");

    begin(1, 16);
    step("A", "m", "A", "A . . . . . . . . . . . . . . .");
    step("B", "m", "B", "B A . . . . . . . . . . . . . .");
    is_int(paths[0].seen[0], 1, "after the beginning came 1");
    is_int(paths[0].distance[0], 1, "  1");
    step("C", "m", "C", "C B A . . . . . . . . . . . . .");   /* signature (1): never seen before */
    step("D", "m", "D", "D C B A . . . . . . . . . . . .");
    step("E", "m", "E F+", "F+ E D C B A . . . . . . . . . .");  /* three ones and four have the same low 9 bits */
    is_int((int64_t)issued, 1, "one prefetch; none was useful yet, so the path ends there");
    step("F", ".", "G+ H+", "H+ G+ F E D C B A . . . . . . . .");    /* one of two was: the second step has 50% */
    step("G", ".", "I+", "I+ G H+ F E D C B A . . . . . . .");
    is_int((int64_t)useful, 2, "two were");

    /* A page's end: the signature waits for the page that begins where the prefetch would have been. */
    memset(crossings, 0, sizeof crossings);
    issue(5, 66, 0x123, 40);
    is_int(crossings[next_crossing - 1].line, 2, "two lines into the next page");
    is_int(arrive(2), 0x123, "a page that begins there");
    is_int(arrive(3), 0, "elsewhere: nothing");
    return done_testing();
}
