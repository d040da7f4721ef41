/* tests/unit/sim/writeback.c - write-back, step by step: ! marks a dirty line. */
#define LEVEL_FILE "sim/level/writeback.c"
#define MARKS "!"
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&lines); }

int main(void)
{
    begin(1, 2);
    step("A", "m", "A", "A .");
    step("A!", ".", "", "A! .");
    step("B", "m", "B", "B A!");
    is_int((int64_t)events_of("D1.writebacks"), 0, "  nothing was written back yet");
    step("C", "m", "C", "C B");            /* A leaves */
    is_int((int64_t)events_of("D1.writebacks"), 1, "  A was, when it left");
    step("D! D!", "m.", "D", "D! C");      /* B leaves, clean */
    is_int((int64_t)events_of("D1.writebacks"), 1, "  a clean line is not");
    cachesim_X_drop(3 * LINE);             /* an inclusive last level takes D away */
    step("", "", "", "C .");
    is_int((int64_t)events_of("D1.writebacks"), 2, "  a dirty line that is taken away is");

    /* The default levels are told of dirty lines only. */
    qn_up_wants_writebacks = true;
    step("A", "m", "A", "A C");
    step("B!", "m", "B", "B! A");
    step("C D", "mm", "C B! D", "D C");
    step("C", ".", "", "C D");
    qn_up_wants_writebacks = false;

    /* An exclusive last level is asked first and then told what left, and how. */
    qn_up_wants_evictions = true;
    step("E!", "m", "E D-", "E! C");
    step("F", "m", "F C-", "F E!");
    step("G", "m", "G E!", "G F");
    return done_testing();
}
