/* tests/unit/sim/drrip.c - drrip, step by step: the set beside each access. */
#define POLICY_FILE "sim/policy/drrip.c"
#define DRAW(way) way_state(0, way)
#include "draw.h"

int main(void)
{
    begin(1);
    begin(64);
    step("A", 1, "A2 . . ."); /* set 0 leads srrip */
    is_int(selector, 512, "a miss of srrip's leader counts against it");
    UNIT_OBJECT.ref(LINE, 8, SIM_READ);
    is_int(way_state(1, 0), 3, "set 1 leads brrip");
    is_int(selector, 511, "a miss of brrip's leader counts against it");
    UNIT_OBJECT.ref(2 * LINE, 8, SIM_READ);
    is_int(way_state(2, 0), 2, "set 2 follows srrip");
    UNIT_OBJECT.ref(32 * LINE, 8, SIM_READ);
    UNIT_OBJECT.ref(3 * LINE, 8, SIM_READ);
    is_int(way_state(3, 0), 3, "set 3 follows brrip, now that srrip missed more");
    return done_testing();
}
