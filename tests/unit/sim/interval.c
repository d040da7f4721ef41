/* tests/unit/sim/interval.c - counts per interval: instructions, data, misses of I1, D1 and LL, branches, mispredicts. */
#define ANALYSIS_FILE "sim/analysis/interval.c"
#include "draw_analysis.h"

static void fetch(unsigned n, unsigned outcome)
{
    while (n--)
        analysis_ref(&(struct sim_ref){.addr = 0x401000, .size = 4, .kind = SIM_REF_FETCH, .outcome = (uint8_t)outcome});
}

static void branch(bool wrong)
{
    analysis_ref(&(struct sim_ref){.addr = 0x401000, .kind = SIM_REF_COND, .outcome = wrong ? SIM_TAKEN | SIM_MISPREDICT : SIM_TAKEN});
}

#define HEAD "AN: interval instructions data I1-misses D1-misses LL-misses branches mispredicts\n"

int main(void)
{
    begin(4 * LINE, "interval=3");
    fetch(1, SIM_L1_MISS | SIM_LL_MISS);
    data('A', true);
    fetch(2, 0);
    branch(true);
    data('A', false);    /* still of the third instruction */
    fetch(1, SIM_L1_MISS);
    branch(false);
    says(HEAD "AN: 0 3 2 1 1 1 1 1\n"
              "AN: 1 1 0 1 0 0 1 0\n");

    /* 200 rows are full with 600 instructions; the next one makes each row twice as long. */
    fetch(596, 0);
    is_int(interval, 3, "600 instructions: 200 intervals of 3");
    fetch(1, 0);
    is_int(interval, 6, "one more: 101 of 6");
    is_int(n, 100, "... the last of which has it");
    is_int((int64_t)rows[0].i + (int64_t)rows[0].d, 6 + 2, "two rows were added up");
    is_int((int64_t)rows[100].i, 1, "the last has one instruction");

    /* A string instruction with seven repetitions, one of which is told as a fetch: its interval is longer. */
    n = 0;
    begin(4 * LINE, "interval=3");
    fetch(2, 0);
    sim_repetitions += 6;
    data('A', false);
    fetch(4, 0);
    says(HEAD "AN: 0 8 1 0 0 0 0 0\n"
              "AN: 1 3 0 0 0 0 0 0\n"
              "AN: 2 1 0 0 0 0 0 0\n");
    return done_testing();
}
