/* tests/unit/sim/nextline.c - next-line prefetching, step by step: + marks a line that was brought by a guess and has not been
 * referenced yet. */
#define LEVEL_FILE "sim/prefetch/nextline.c"
#define MARKS "+"
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&level_lines); }

int main(void)
{
    begin(1, 4);
    step("A", "m", "A B+", "B+ A . .");    /* a miss brings the line behind it */
    step("B", ".", "", "B A . .");         /* the guess was good */
    step("C", "m", "C D+", "D+ C B A");
    step("D E", ".m", "E F+", "F+ E D C");
    step("J", "m", "J K+", "K+ J F+ E");
    step("M", "m", "M N+", "N+ M K+ J");   /* F leaves unused */
    is_int((int64_t)events_of("D1.prefetches"), 5, "  five guesses");
    is_int((int64_t)events_of("D1.useful-prefetches"), 2, "  two were referenced");
    is_int((int64_t)events_of("D1.unused-prefetches"), 1, "  one left unused");

    hosted_options = "tagged=1,degree=2";
    begin(1, 6);
    step("A", "m", "A B+ C+", "C+ B+ A . . .");
    step("B", ".", "D+", "D+ B C+ A . ."); /* the first use of a guess is as good as a miss; C is there */
    step("B", ".", "", "B D+ C+ A . .");   /* the second is not */
    step("C D", "..", "E+ F+", "F+ D E+ C B A");
    step("X>", "m", "X Z+ [+", "[+ Z+ Y X F+ D"); /* behind both lines of the reference */
    return done_testing();
}
