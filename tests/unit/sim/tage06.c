/* tests/unit/sim/tage06.c - TAGE of 2006, step by step: who provides (B the base table, 1 to 4 the tagged ones), counter, useful. */
#define PREDICTOR_FILE "sim/bpred/tage06.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    branchsim_BC_predict(pc);
    if (provider < 0)
        return text("B%u", base[pc & low_bits(BASE_BITS)]);
    return text("%d: %d, useful %u", provider + 1, entry[provider]->counter, entry[provider]->useful);
}

static unsigned filled(unsigned t)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 1 << INDEX_BITS; i++)
        n += tables[t][i].tag != 0;
    return n;
}

int main(void)
{
    unsigned first = 0, drawn[TABLES] = {0};

    begin("");
    step(4, "NNNNN", ".....", "B0");
    step(4, "T", "x", "B1");
    is_int(filled(0) + filled(1) + filled(2) + filled(3), 1, "one new entry");

    /* Which table gets it is drawn: each twice as often as the next. */
    for (unsigned i = 0; i < 1500; i++) {
        memset(tables, 0, sizeof tables);
        provider = -1;
        for (unsigned t = 0; t < TABLES; t++)
            look_up(4, t);
        allocate(1);
        for (unsigned t = 0; t < TABLES; t++)
            drawn[t] += filled(t);
    }
    is_int(drawn[0] > 740 && drawn[0] < 860 && drawn[1] > 350 && drawn[1] < 450 && drawn[2] > 160 && drawn[2] < 240, true,
           "of 1500 about 800, 400, 200, 100: %u, %u, %u, %u", drawn[0], drawn[1], drawn[2], drawn[3]);

    /* Calls and returns are in the path, not among the outcomes. */
    branchsim_BC_path(7, 100, SIM_REF_CALL);
    first = path;
    branchsim_BC_path(8, 100, SIM_REF_RETURN);
    is_int(first & 1, 1, "the low bit of a call's address");
    is_int(path, first << 1 & 0xffff, "and of a return's");

    /* A weak entry that is not useful is believed only while such entries are right more often than their alternatives. */
    begin("");
    is_int(trust_alternative, TRUST_HALF, "at first the alternative is believed");
    memset(tables, 0, sizeof tables);
    memset(base, 0, sizeof base);
    look_up(4, 1);
    *entry[1] = (struct entry){0, 0, (uint16_t)tag[1]};
    is_int(branchsim_BC_predict(4), 0, "entry: taken, base: not; the base is believed");
    branchsim_BC_update(4, 1);
    is_int(trust_alternative, TRUST_HALF - 1, "the entry was right");

    /* Useful counters lose their high bits first. */
    tables[3][1000].useful = 3;
    branches = (1 << AGE_BITS) - 1;
    age();
    is_int(tables[3][1000].useful, 1, "after 2^18 branches the high bit is gone");
    tables[3][1000].useful = 3;
    branches = (2 << AGE_BITS) - 1;
    age();
    is_int(tables[3][1000].useful, 2, "after 2^19 the low bit");
    is_int(PREDICTOR_BITS, 69782, "storage in bits");
    return done_testing();
}
