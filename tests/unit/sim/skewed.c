/* tests/unit/sim/skewed.c - a skewed cache, step by step: the four places of way 0 | those of way 1, ' behind a line whose bit is set. */
#define LEVEL_FILE "sim/array/skewed.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void)
{
    char *p = drawing;

    for (uint64_t i = 0; i < (uint64_t)sim.sets * sim.ways; i++) {
        p += sprintf(p, "%s", i == 0 ? "" : i % sim.sets ? " " : " | ");
        if (places[i].line == LINES_NONE)
            p += sprintf(p, ".");
        else
            p += sprintf(p, "%c%s", (char)('A' + places[i].line / LINE), places[i].used ? "'" : "");
    }
    return drawing;
}

int main(void)
{
    /* The lines 0, 5 and 10 of the page: A, F, K. */
    begin(4, 2);
    step("A", "m", "A", "A' . . . | . . . .");
    step("F", "m", "F", "A . . . | . . . F'");
    step("K", "m", "K", "K' . . . | . . . F");      /* the bit of A was clear */
    step("A", "m", "A", "K . . . | A' . . F");
    step("F", ".", "", "K . . . | A' . . F'");      /* K's bit was clear already */
    step("K", ".", "", "K' . . . | A' . . F");      /* all places of K are used, so F's bit is cleared; A is none of them */
    step("A", ".", "", "K . . . | A' . . F");
    cachesim_X_drop(10 * LINE);
    step("", "", "", ". . . . | A' . . F");
    step("F", ".", "", ". . . . | A' . . F'");
    step("P", "m", "P", "P' . . . | A . . F'"); /* 15: 11 xor 11 is 0 in both ways */
    return done_testing();
}
