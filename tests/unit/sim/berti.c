/* tests/unit/sim/berti.c - local deltas: which of them an instruction's walk teaches, and what is prefetched. */
#define LEVEL_FILE "sim/prefetch/berti.c"
#define MARKS "+"
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&level_lines); }

static void at(unsigned line)
{
    *asked = 0;
    UNIT_OBJECT.ref((uint64_t)line * LINE, 8, SIM_READ);
}

static const struct instruction *mine(void) { return find((unsigned)(sim_pc >> 1 ^ sim_pc >> 4) % 1024); }

/* The deltas of this use, in the order of their places. */
static const char *deltas(enum use use)
{
    static char text[200];
    const struct instruction *i = mine();
    char *p = text;

    *text = 0;
    for (unsigned n = 0; i && n < DELTAS; n++)
        if (i->deltas[n].by && i->deltas[n].use == use)
            p += sprintf(p, "%s%d", p == text ? "" : " ", i->deltas[n].by);
    return text;
}

static void forget(void)
{
    memset(history, 0, sizeof history);
    memset(instructions, 0, sizeof instructions);
    memset(oldest, 0, sizeof oldest);
    begin(1, 64);
}

int main(void)
{
    /* The example of the head: steps of 1 and 3. */
    forget();
    sim_pc = 2;
    for (unsigned i = 0; i < 9; i++)
        at(2 * i - i % 2);
    is_str(deltas(UNUSED), "1 3 4 5 7 8 9 11 12 13 15 16", "at 16 these deltas are known");
    is_int(mine()->searches, 8, "  of eight searches, each found some");
    is_int((int64_t)events_of("D1.prefetches"), 1, "  one early prefetch: 4 has covered seven of them");
    for (unsigned i = 9; i < 17; i++)
        at(2 * i - i % 2);
    is_str(deltas(D1), "4 8", "after 16 searches: more than 65%%");
    is_str(deltas(NEXT), "12", "  more than 50%%: 12 was possible in ten of them");
    is_str(deltas(REPLACEABLE), "1 3 5 7 9 16", "  more than 35%%");
    for (unsigned i = 17; i < 33; i++)
        at(2 * i - i % 2);
    is_str(deltas(D1), "4 8 12 16", "after 32: all that cover all");
    is_str(deltas(REPLACEABLE), "1 3 5 7 9 11 13 15", "  and those that cover half");
    is_str(deltas(NEXT), "", "  nothing between");

    /* Another instruction learns nothing from these lines. */
    sim_pc = 4;
    at(100);
    at(110);
    is_str(deltas(UNUSED), "10", "an instruction has deltas of its own");
    at(110);
    at(100);
    is_str(deltas(UNUSED), "10", "  a hit is not seen, nor a miss");

    /* What is too young is not in time. */
    hosted_options = "berti-latency=2";
    forget();
    at(0), at(5), at(11), at(18);
    is_str(deltas(UNUSED), "11 13 18", "with a latency of two misses the line before is too young");

    /* Old deltas leave if they are not used. */
    hosted_options = "";
    forget();
    for (unsigned i = 0; i < 6; i++)
        at(1u << (2 * i));
    is_int(mine()->deltas[0].by, 4 - 1, "the first delta");
    is_int(mine()->deltas[14].by, 1024 - 1, "five searches, 15 deltas");
    at(4000), at(4001);
    is_int(mine()->deltas[0].by != 3, 1, "another took its place: all had been found once");

    forget();
    step("A", "m", "A", "A . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .");
    return done_testing();
}
