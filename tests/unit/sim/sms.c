/* tests/unit/sim/sms.c - spatial memory streaming, step by step: + marks a guess.  Two regions of 32 lines can be recorded; A is line 0. */
#define LEVEL_FILE "sim/prefetch/sms.c"
#define MARKS "+"
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&level_lines); }

static void refer_to(uint64_t pc, unsigned line)
{
    sim_pc = pc;
    *asked = 0;
    UNIT_OBJECT.ref((uint64_t)line * LINE, 8, SIM_READ);
}

int main(void)
{
    hosted_options = "sms-regions=2,sms-patterns=16";
    begin(1, 8);
    sim_pc = 1;
    step("C", "m", "C", "C . . . . . . .");
    sim_pc = 2;
    step("D G", "mm", "D G", "G D C . . . . .");
    is_int(generations[0].lines, 0x4c, "lines 2, 3 and 6 of the region");
    refer_to(3, 100);
    is_int(place_of((struct first){1, 2})->lines, 0, "the generation has not ended");
    refer_to(3, 200);
    is_int(place_of((struct first){1, 2})->lines, 0x4c, "another region needs its entry");
    refer_to(3, 300);
    is_int(place_of((struct first){3, 100 % 32})->lines, 0, "a pattern of a single line is not kept");
    is_int((int64_t)events_of("D1.prefetches"), 0, "nothing was predicted yet");
    refer_to(1, 32 * 20 + 2);
    is_int((int64_t)events_of("D1.prefetches"), 2, "the instruction at the same line of another region: two lines");
    ok(lines_has(&level_lines, (uint64_t)(32 * 20 + 3) * LINE) && lines_has(&level_lines, (uint64_t)(32 * 20 + 6) * LINE), "  3 and 6");
    refer_to(1, 32 * 30 + 1);
    is_int((int64_t)events_of("D1.prefetches"), 2, "at another line: none");
    return done_testing();
}
