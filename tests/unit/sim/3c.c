/* tests/unit/sim/3c.c - the three Cs, step by step: beside each miss its class.
 *
 * The D1 has four sets of one line each; A and E, B and F ... want the same place.  A fully associative cache of four lines
 * keeps the four lines used last. */
#define ANALYSIS_FILE "sim/analysis/3c.c"
#include "draw_analysis.h"

/* One miss, drawn: what was counted. */
static char miss(char line)
{
    static const char letters[] = "123";
    uint64_t before[3] = {events_of("AN.compulsory"), events_of("AN.capacity"), events_of("AN.conflict")};
    char class = '-';

    data(line, true);
    for (unsigned i = 0; i < 3; i++)
        if (sim_counted(i) != before[i])
            class = letters[i];
    return class;
}

/* References: A! missed, A hit.  Classes: 1 compulsory, 2 capacity, 3 conflict, . a hit. */
static void step(const char *refs, const char *wanted, const char *why)
{
    char got[64] = "", *g = got;

    for (const char *r = refs; *r; r++) {
        if (*r < 'A' || *r > 'Z')
            continue;
        if (r[1] == '!')
            *g++ = miss(*r);
        else
            data(*r, false), *g++ = '.';
    }
    is_str(got, wanted, "%s: %s (%s)", refs, wanted, why);
}

int main(void)
{
    begin(4 * LINE, "");
    step("A! B! C! D!", "1111", "never used before");
    step("A B C D", "....", "all there");
    step("E!", "1", "drives A out of the D1");
    step("A!", "2", "B C D E were used since: four lines have no room for a fifth");
    step("E!", "3", "only A was used since: four lines have room for both");
    step("A! E! A!", "333", "two lines fight for one place");
    step("F! G! H! B!", "1112", "B lies seven lines back");
    step("F! B! F! B!", "3333", "");
    is_int((int64_t)events_of("AN.compulsory"), 8, "compulsory: as many as lines");
    is_int((int64_t)events_of("AN.capacity"), 2, "capacity");
    is_int((int64_t)events_of("AN.conflict"), 8, "conflict");
    says("AN: line 0x0: 2 conflict misses\n"
         "AN: line 0x40: 2 conflict misses\n"
         "AN: line 0x100: 2 conflict misses\n"
         "AN: line 0x140: 2 conflict misses\n");

    /* Of a reference to two lines the one that was away longer decides. */
    analysis_ref(&(struct sim_ref){.addr = 25 * LINE - 4, .size = 8, .kind = SIM_WRITE, .outcome = SIM_L1_MISS});
    is_int((int64_t)events_of("AN.compulsory"), 9, "two new lines, one reference, one compulsory miss");
    analysis_ref(&(struct sim_ref){.addr = 0x401000, .size = 4, .kind = SIM_REF_FETCH, .outcome = SIM_L1_MISS});
    is_int((int64_t)events_of("AN.compulsory"), 9, "fetches do not count");
    return done_testing();
}
