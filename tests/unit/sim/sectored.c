/* tests/unit/sim/sectored.c - a sectored cache, step by step: the sectors of the set, the latest first; a dot is a line that is not valid. */
#define LEVEL_FILE "sim/array/sectored.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void)
{
    char *p = drawing;

    for (uint64_t s = 0; s < sectors.ways; s++) {
        p += sprintf(p, "%s[", s ? " " : "");
        for (unsigned i = 0; sectors.line[s] != LINES_NONE && i < lines_of_sector; i++)
            p += sprintf(p, "%c", sectors.flags[s] >> i & 1 ? (char)('A' + sectors.line[s] / LINE + i) : '.');
        p += sprintf(p, "]");
    }
    return drawing;
}

int main(void)
{
    begin(4, 2); /* eight lines: a set of two sectors of four */
    step("A", "m", "A", "[A...] []");
    step("C", "m", "C", "[A.C.] []");
    is_int((int64_t)events_of("D1.sector-misses"), 1, "  one sector miss");
    step("F", "m", "F", "[.F..] [A.C.]");
    step("A", ".", "", "[A.C.] [.F..]");
    step("I", "m", "I", "[I...] [A.C.]");           /* F has left with its sector */
    is_int((int64_t)events_of("D1.sector-misses"), 3, "  three");
    step("C> F", "mm", "C F", "[.F..] [A.CD]");     /* a reference to C and D: D is missing */
    cachesim_X_drop(2 * LINE);
    step("", "", "", "[.F..] [A..D]");
    step("C", "m", "C", "[A.CD] [.F..]");
    is_int((int64_t)events_of("D1.sector-misses"), 4, "  the sector of a line that was dropped is still there");
    return done_testing();
}
