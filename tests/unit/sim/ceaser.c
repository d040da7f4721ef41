/* tests/unit/sim/ceaser.c - a randomised index, step by step: what moves, and that each line is where it is looked for, only there. */
#define LEVEL_FILE "sim/array/ceaser.c"
#define IN_SLOT_LL 1
#define MARKS ""
#include "draw_level.h"

static const char *draw(void) { return drawing; }

static unsigned astray(void)
{
    unsigned n = 0;

    for (uint64_t i = 0; i < (uint64_t)sim.sets * sim.ways; i++)
        n += rows[i] != LINES_NONE && row_of(rows[i]) != rows + i / sim.ways * sim.ways;
    return n;
}

int main(void)
{
    unsigned seed = 1, wrong = 0, same = 0;
    struct key first;

    hosted_options = "ceaser-period=5";
    begin(16, 2);
    first = current;
    for (unsigned i = 0; i < 5 * 2 * 16; i++) { /* a period for each set */
        seed = seed * 1103515245 + 12345;
        *asked = 0;
        UNIT_OBJECT.ref((uint64_t)(seed >> 16) % 60 * LINE, 8, SIM_READ);
        wrong += astray();
        if (i < 5 * 2 * 16 - 1 && memcmp(&first, &current, sizeof first))
            ok(false, "the key changes only after the last set");
    }
    is_int(wrong, 0, "each line is in the row where it is looked for");
    ok(memcmp(&first, &current, sizeof first) != 0, "after the last set the next key is the current one");
    is_int(pointer, 0, "and the pointer is at the first set");
    ok(events_of("LL.remapped") > 10, "lines have moved");

    hosted_options = "ceaser-period=0";
    begin(1024, 1);
    for (uint64_t line = 0; line < 1024; line++)
        same += set_by(&current, line * LINE) == set_by(&current, (line + 1024) * LINE);
    ok(same < 16, "lines that share a set without encryption rarely do with it (%u of 1024)", same);
    return done_testing();
}
