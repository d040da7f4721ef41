/* tests/unit/sim/decoupled.c - a decoupled sectored cache, step by step: the first lines of the sectors that have a tag, the latest first; then the frames. */
#define LEVEL_FILE "sim/array/decoupled.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void)
{
    char *p = drawing;

    for (unsigned i = 0; i < tags.ways; i++)
        p += sprintf(p, "%c ", tags.line[i] == LINES_NONE ? '.' : (char)('A' + tags.line[i] / LINE));
    strcat(drawing, " ");
    draw_lines(&frames);
    return drawing;
}

int main(void)
{
    begin(4, 1); /* four lines: a set with room for one sector of four, and two tags */
    step("A", "m", "A", "A .  A / . / . / .");
    step("F", "m", "F", "E A  A / F / . / .");
    is_int((int64_t)events_of("D1.sector-misses"), 2, "  two sector misses");
    step("A", ".", "", "A E  A / F / . / .");
    step("B", "m", "B", "A E  A / B / . / .");          /* the frame of F */
    is_int((int64_t)events_of("D1.sector-misses"), 2, "  A's tag was there");
    step("K", "m", "K", "I A  A / B / K / .");          /* the tag of E */
    step("E", "m", "E", "E I  E / . / K / .");          /* the tag of A: B leaves, too */
    step("L> J", "mm", "L J", "I M  M / J / K / L");    /* L and M, M takes the tag of E; then J */
    unit_drop(9 * LINE);
    step("K", ".", "", "I M  M / . / K / L");
    step("J", "m", "J", "I M  M / J / K / L");

    hosted_options = "sector-tags=1";
    begin(4, 1); /* one tag: a sectored cache */
    step("A", "m", "A", "A  A / . / . / .");
    step("F", "m", "F", "E  . / F / . / .");
    step("A", "m", "A", "A  A / . / . / .");

    hosted_options = "sector-tags=3,sector-lines=2";
    begin(2, 2); /* two sectors of two lines, three tags */
    step("A C", "mm", "A C", "C A .  C A / . .");
    step("E", "m", "E", "E C A  E C / . .");            /* A's line has left, its tag has not */
    step("B", "m", "B", "A E C  E C / B .");
    step("G", "m", "G", "G A E  G E / B .");            /* C's tag and line */
    return done_testing();
}
