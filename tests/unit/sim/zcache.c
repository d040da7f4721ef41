/* tests/unit/sim/zcache.c - a zcache, step by step: where the lines are after each, and that none is anywhere but in a place of its own. */
#define LEVEL_FILE "sim/array/zcache.c"
#define MARKS ""
#include "draw_level.h"

/* The lines that are there, by the time of their last use. */
static const char *draw(void)
{
    char *p = drawing;

    for (uint64_t t = 1; t <= now; t++)
        for (uint64_t i = 0; i < (uint64_t)sim.sets * sim.ways; i++)
            if (places[i].line != LINES_NONE && places[i].used == t)
                p += sprintf(p, "%c", (char)('A' + places[i].line / LINE));
    return drawing;
}

static void at_home(const char *when)
{
    for (unsigned i = 0; i < sim.sets * sim.ways; i++)
        if (places[i].line != LINES_NONE && place_of(places[i].line, i / sim.sets) != &places[i])
            ok(false, "%s: a line is in a place that is none of its own", when);
    for (char c = 'A'; c <= 'Z'; c++) {
        unsigned n = 0;

        for (unsigned i = 0; i < sim.sets * sim.ways; i++)
            n += places[i].line == (uint64_t)(c - 'A') * LINE;
        if (n > 1)
            ok(false, "%s: %c is there twice", when, c);
    }
}

int main(void)
{
    unsigned seed = 1, last, most = 0;

    /* One set: every line has the same two places, and the least recently used leaves. */
    hosted_options = "zcache-levels=3";
    begin(1, 2);
    step("A", "m", "A", "A");
    step("B", "m", "B", "AB");
    step("A", ".", "", "BA");
    step("C", "m", "C", "AC");
    is_int((int64_t)events_of("D1.relocations"), 0, "  nothing was moved: the victim was in a place of C");

    /* Four sets of two ways, eight lines: whatever is referred to, each line is where it belongs. */
    now = 0;
    begin(4, 2);
    for (unsigned i = 0; i < 20000; i++) {
        seed = seed * 1103515245 + 12345;
        *asked = 0;
        UNIT_OBJECT.ref((uint64_t)(seed >> 16) % 20 * LINE, 8, SIM_READ);
        at_home("20,000 references");
    }
    for (last = 0; last < sim.sets * sim.ways; last++)
        most += places[last].line != LINES_NONE;
    is_int(most, 8, "all places are in use");
    ok(events_of("D1.relocations") > 1000, "and lines were moved");
    return done_testing();
}
