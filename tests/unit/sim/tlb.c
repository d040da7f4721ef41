/* tests/unit/sim/tlb.c - a two-level translation buffer, step by step: cache | first | second.  Pages have 128 bytes here, two
 * lines: A and B are in page A, C and D in page B, and so on. */
#define LEVEL_FILE "sim/level/tlb.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void)
{
    const char *start = draw_lines(&level_lines);

    strcat(drawing, " | ");
    draw_lines(&first);
    strcat(drawing, " | ");
    draw_lines(&second);
    return start;
}

int main(void)
{
    hosted_options = "tlb-entries=2,tlb-ways=2,stlb-entries=3,stlb-ways=3,page-bits=7";
    begin(1, 2);
    step("A", "m", "A", "A . | A . | A . .");
    step("B", "m", "B", "B A | A . | A . .");    /* the same page */
    step("C E", "mm", "C E", "E C | C B | C B A");
    is_int((int64_t)events_of("D1.dtlb-misses"), 3, "  three pages, three misses of the first");
    is_int((int64_t)events_of("D1.stlb-misses"), 3, "  and of the second");
    step("A", "m", "A", "A E | A C | A C B");    /* its page had left the first, not the second */
    is_int((int64_t)events_of("D1.dtlb-misses"), 4, "  a miss of the first more");
    is_int((int64_t)events_of("D1.stlb-misses"), 3, "  none of the second");
    step("B>", "m", "B", "C B | B A | B A C");   /* one reference, two pages */
    is_int((int64_t)events_of("D1.dtlb-misses"), 5, "  of two pages one had left");
    return done_testing();
}
