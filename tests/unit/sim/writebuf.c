/* tests/unit/sim/writebuf.c - a write buffer, step by step: the cache | the buffer, the oldest entry first. */
#define LEVEL_FILE "sim/array/writebuf.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void)
{
    const char *start = draw_lines(&lines);

    strcat(drawing, " |");
    for (unsigned i = 0; i < entries; i++)
        sprintf(drawing + strlen(drawing), " %c", i < used ? (char)('A' + buffer[i] / LINE) : '.');
    return start;
}

int main(void)
{
    hosted_options = "write-buffer=2";
    begin(1, 2);
    step("A", "m", "A", "A . | . .");
    step("A! A!", "..", "", "A . | A .");
    is_int((int64_t)events_of("D1.merged-writes"), 1, "  the second joined the first");
    step("B!", "m", "", "A . | A B");               /* nothing is brought in */
    step("C!", "m", "A", "A . | B C");              /* A is written to make room */
    step("B", "m", "B B", "B A | C .");             /* written, then read */
    is_int((int64_t)events_of("D1.hazards"), 1, "  a hazard");
    is_int((int64_t)events_of("D1.retired-writes"), 2, "  two have retired");
    step("C!", "m", "", "B A | C .");
    step("D!", "m", "", "B A | C D");
    step("C!", "m", "", "B A | C D");               /* joining does not make it younger */
    step("E!", "m", "C", "B A | D E");
    return done_testing();
}
