/* tests/unit/sim/ghb.c - ghb, step by step: + marks a guess.  Instruction 5 shares a place of the table of four with 1. */
#define LEVEL_FILE "sim/prefetch/ghb.c"
#define MARKS "+"
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&level_lines); }

int main(void)
{
    hosted_options = "ghb=16,ghb-table=4,ghb-degree=2";
    begin(1, 8);
    sim_pc = 1;
    step("ABDE", "mmmm", "A B D E", "E D B A . . . .");
    sim_pc = 2;
    step("Z", "m", "Z", "Z E D B A . . .");                 /* another instruction has no part in that */
    sim_pc = 1;
    step("G", "m", "G H+ J+", "J+ H+ G Z E D B A");         /* 1 2 1 2: after 1 2 came 1, 2 */
    step("H", ".", "K+", "K+ H J+ G Z E D B");              /* the first use of it; J is there already */
    step("H", ".", "", "H K+ J+ G Z E D B");                /* a second use is none */
    sim_pc = 5;
    step("R", "m", "R", "R H K+ J+ G Z E D");               /* takes the place of 1 */
    sim_pc = 1;
    step("J", ".", "", "J R H K+ G Z E D");                 /* begins anew */
    is_int((int64_t)events_of("D1.prefetches"), 3, "  three guesses");
    is_int((int64_t)events_of("D1.useful-prefetches"), 2, "  two were referenced");

    /* One distance again and again: found one back, and taken again. */
    begin(2, 8);
    sim_pc = 3;
    step("ACE", "mmm", "A C E", "E C A . . . . . / . . . . . . . .");
    step("G", "m", "G I+ K+", "K+ I+ G E C A . . / . . . . . . . .");
    return done_testing();
}
