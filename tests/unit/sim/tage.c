/* tests/unit/sim/tage.c - TAGE, step by step: who provides the prediction (B the base table, 1 to 4 the tagged ones), its
 * counter, how useful it is. */
#define PREDICTOR_FILE "sim/bpred/tage.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    struct lookup l;

    look_up(pc, &l);
    if (l.provider < 0)
        return text("B%u", base[pc & low_bits(BASE_BITS)]);
    return text("%d: %d, useful %u", l.provider + 1, l.entry[l.provider]->counter, l.entry[l.provider]->useful);
}

/* The last n outcomes, folded by definition. */
static unsigned fold_slowly(const char *past, unsigned length, unsigned n, unsigned bits)
{
    unsigned folded_bits = 0;

    for (unsigned i = 0; i < n && i < length; i++)
        folded_bits ^= (unsigned)(past[length - 1 - i] == 'T') << i % bits;
    return folded_bits;
}

static void folding(void)
{
    static char past[1000];
    unsigned wrong = 0;

    memset(folded, 0, sizeof folded);
    memset(outcomes, 0, sizeof outcomes);
    newest = 0;
    for (unsigned n = 0; n < sizeof past; n++) {
        for (unsigned t = 0; t < TABLES; t++) {
            wrong += folded[t].index != fold_slowly(past, n, lengths[t], INDEX_BITS);
            wrong += folded[t].tag != fold_slowly(past, n, lengths[t], TAG_BITS);
            wrong += folded[t].tag2 != fold_slowly(past, n, lengths[t], TAG_BITS - 1);
        }
        past[n] = n * n % 7 < 3 || n % 64 == 0 ? 'T' : 'N';
        remember(past[n] == 'T');
    }
    is_int(wrong, 0, "histories of 5, 15, 44 and 130 outcomes, folded to 10, 9 and 8 bits, along 1000 branches");
}

int main(void)
{
    begin("");
    step(5, "", "", "B0");
    step(5, "NNN", "...", "B0");
    /* A surprise: the base counter moves, and the shortest table gets an entry for this history (none is left of it now: the
     * history has changed). */
    step(5, "T", "x", "B1");
    is_int(tables[0][5].tag, FILLED | 5, "an entry with the branch's tag, for the history of five N");
    is_int(tables[0][5].counter, 0, "  which says taken, weakly");
    /* Five N bring that history back: now table 1 knows better than the base.  The histories on the way are new, and the base
     * is right about them. */
    step(5, "NNNNN", ".....", "1: 0, useful 0");
    step(5, "T", ".", "B0");
    is_int(tables[0][5].useful, 1, "right where the base was wrong: useful");
    is_int(tables[0][5].counter, 1, "  and surer");
    step(5, "NNNNN", ".....", "1: 1, useful 1");
    /* This time it is wrong: its counter goes down, it is less useful, and a longer history gets an entry. */
    step(5, "N", "x", "1: 0, useful 0");
    /* A tag of 0 is a tag like others: branch 0, whose history is all N. */
    begin("");
    memset(tables, 0, sizeof tables);
    memset(folded, 0, sizeof folded);
    memset(outcomes, 0, sizeof outcomes);
    step(0, "T", "x", "B1");
    is_int(tables[0][0].tag, FILLED | 0, "an entry with the tag 0");
    memset(folded, 0, sizeof folded);
    memset(outcomes, 0, sizeof outcomes);
    step(0, "", "", "1: 0, useful 0");
    folding();
    is_int(PREDICTOR_BITS, 2 * 4096 + 4 * 1024 * 15 + 130, "storage in bits");
    return done_testing();
}
