/* tests/unit/sim/stride.c - stride prefetching, step by step: + marks a guess.  A page of 4096 bytes has the lines A to Z and
 * on, so all these references are in one page. */
#define LEVEL_FILE "sim/prefetch/stride.c"
#define MARKS "+"
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&level_lines); }

int main(void)
{
    begin(1, 8);
    step("A", "m", "A", "A . . . . . . .");
    step("D", "m", "D", "D A . . . . . .");         /* three lines apart: seen once */
    step("G", "m", "G J+", "J+ G D A . . . .");     /* twice: the next one is fetched */
    step("J", ".", "M+", "M+ J G D A . . .");       /* and again */
    step("K", "m", "K", "K M+ J G D A . .");        /* one line apart: forgotten */
    step("L", "m", "L", "L K M+ J G D A .");        /* twice, but M is there */
    step("K", ".", "", "K L M+ J G D A .");
    step("J", ".", "I+", "I+ J K L M+ G D A");      /* backwards */
    is_int((int64_t)events_of("D1.prefetches"), 3, "  three guesses");
    is_int((int64_t)events_of("D1.useful-prefetches"), 1, "  one of them referenced so far");

    /* The first page, 0, is not known before it is referenced: of the distances 512, 256, 256 the first is none. */
    begin(2, 8);
    is_int(UNIT_OBJECT.ref(512, 4, SIM_READ) & QN_UNIT_MISS, QN_UNIT_MISS, "a reference at 512 of page 0");
    UNIT_OBJECT.ref(1024, 4, SIM_READ);
    is_int((int64_t)events_of("D1.prefetches"), 0, "  and 1024: the distance 512 was seen once, nothing is guessed");
    return done_testing();
}
