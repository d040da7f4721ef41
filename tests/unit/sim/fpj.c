/* tests/unit/sim/fpj.c - stride prefetching by instruction, step by step: + marks a guess.  The instructions are 1, 2, and 5, which shares
 * a place of the table of four with 1. */
#define LEVEL_FILE "sim/prefetch/fpj.c"
#define MARKS "+"
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&level_lines); }

int main(void)
{
    hosted_options = "table=4";
    begin(1, 8);
    sim_pc = 1;
    step("A", "m", "A", "A . . . . . . .");
    step("C", "m", "C E+", "E+ C A . . . . .");    /* two lines further: so will be the next */
    sim_pc = 2;
    step("K", "m", "K", "K E+ C A . . . .");       /* another instruction has no part in that */
    sim_pc = 1;
    step("E", ".", "G+", "G+ E K C A . . .");
    sim_pc = 2;
    step("J", "m", "J I+", "I+ J G+ E K C A .");   /* backwards */
    sim_pc = 5;
    step("R", "m", "R", "R I+ J G+ E K C A");      /* takes the place of 1 */
    sim_pc = 1;
    step("G", ".", "", "G R I+ J E K C A");        /* begins anew */
    step("G", ".", "", "G R I+ J E K C A");        /* the same address: no distance */
    is_int((int64_t)events_of("D1.prefetches"), 3, "  three guesses");
    is_int((int64_t)events_of("D1.useful-prefetches"), 2, "  two were referenced");
    return done_testing();
}
