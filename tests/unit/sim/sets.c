/* tests/unit/sim/sets.c - misses by set of the D1, step by step. */
#define ANALYSIS_FILE "sim/analysis/sets.c"
#include "draw_analysis.h"

static void reference(uint64_t addr, uint32_t size, enum sim_kind kind, unsigned outcome)
{
    analysis_ref(&(struct sim_ref){.addr = addr, .size = size, .kind = (uint8_t)kind, .outcome = (uint8_t)outcome});
}

int main(void)
{
    /* Four sets; lines A and E lie in set 0, B in 1, D in 3. */
    begin(4 * LINE, "");
    data('A', true);
    data('E', true);
    data('A', false);
    data('B', true);
    data('D', true);
    says("AN: misses by set of the D1, 4 sets:\nAN: from 0: 2 1 0 1\n");

    /* A reference over B and C counts with B; modifies and writes count, fetches do not, and a miss of the LL is no other. */
    begin(4 * LINE, "");
    reference(2 * LINE - 4, 8, SIM_READ, SIM_L1_MISS);
    reference(0, 4, SIM_MODIFY, SIM_L1_MISS | SIM_LL_MISS);
    reference(0, 4, SIM_WRITE, SIM_L1_MISS);
    reference(0, 4, (enum sim_kind)SIM_REF_FETCH, SIM_L1_MISS);
    reference(0, 0, (enum sim_kind)SIM_REF_COND, SIM_TAKEN | SIM_MISPREDICT);
    says("AN: misses by set of the D1, 4 sets:\nAN: from 0: 2 1 0 0\n");

    begin(16 * LINE, "");
    data('I', true); /* set 8 */
    data('P', true); /* set 15 */
    says("AN: misses by set of the D1, 16 sets:\nAN: from 0: 0 0 0 0 0 0 0 0\nAN: from 8: 1 0 0 0 0 0 0 1\n");
    return done_testing();
}
