/* tests/unit/sim/2bcgskew.c - 2bcgskew: the counters BIM, G0, G1 | META that the branch uses now. */
#define PREDICTOR_FILE "sim/bpred/2bcgskew.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    look_up(pc);
    return text("%u %u %u | %u", *last.counter[BIM], *last.counter[G0], *last.counter[G1], *last.counter[META]);
}

/* The next time, these counters are there. */
static void set(uint64_t pc, uint8_t bim, uint8_t g0, uint8_t g1, uint8_t meta)
{
    history = 0;
    look_up(pc);
    *last.counter[BIM] = bim, *last.counter[G0] = g0, *last.counter[G1] = g1, *last.counter[META] = meta;
}

/* Counters before, outcome, prediction, counters afterwards. */
static void learns(const char *before, char outcome, char wanted, const char *after, const char *rule)
{
    char got[2] = "?", want[2] = {wanted, 0};

    set(5, (uint8_t)(before[0] - '0'), (uint8_t)(before[2] - '0'), (uint8_t)(before[4] - '0'), (uint8_t)(before[8] - '0'));
    got[0] = branch(5, outcome);
    is_str(got, want, "%s, %c: %s", before, outcome, rule);
    history = 0;
    is_str(draw(5), after, "  then %s", after);
}

int main(void)
{
    unsigned wrong = 0;

    begin("gskew-bits=8");
    step(5, "", "", "0 0 0 | 0");
    step(5, "T", "x", "1 0 0 | 0");
    step(5, "T", "x", "2 0 0 | 0");
    step(5, "T", ".", "3 0 0 | 0");

    learns("3 3 2 | 0", 'T', '.', "3 3 2 | 0", "right, and all agree: nothing learns");
    learns("2 1 2 | 3", 'T', '.', "3 1 3 | 3", "right by the vote: those that were right are strengthened, META is not asked");
    learns("2 1 2 | 0", 'T', '.', "3 1 2 | 0", "right by BIM, which is strengthened alone");
    learns("2 1 1 | 1", 'T', '.', "3 1 1 | 0", "right by BIM against the vote: META learns");
    learns("1 2 2 | 2", 'T', '.', "1 3 3 | 3", "right by the vote against BIM");
    learns("2 1 1 | 2", 'T', 'x', "3 1 1 | 1", "wrong by the vote: META now believes BIM, which is strengthened");
    learns("2 1 1 | 3", 'T', 'x', "3 2 2 | 2", "wrong, and META believes the vote still: all learn");
    learns("1 2 2 | 1", 'T', 'x', "1 3 3 | 2", "wrong by BIM: META now believes the vote");
    learns("3 2 2 | 3", 'N', 'x', "2 1 1 | 3", "wrong, and both said so: all learn");

    is_int((int64_t)shuffle(1), 0x80, "H of 00000001 is 10000000");
    is_int((int64_t)shuffle(0x81), 0x40, "H of 10000001 is 01000000");
    for (uint64_t v = 0; v < 256; v++)
        wrong += unshuffle(shuffle(v)) != v;
    is_int(wrong, 0, "H' is the inverse of H");
    history = 0x1fffff;
    is_int((int64_t)folded(HISTORY_G1), 0xff ^ 0xff ^ 0x1f, "21 outcomes folded to 8 bits");
    is_int((int64_t)folded(HISTORY_G0), 0xff ^ 0x1f, "13 of them");
    is_int(PREDICTOR_BITS, 4 * 2 * 256 + 21, "storage in bits");
    return done_testing();
}
