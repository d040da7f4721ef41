/* tests/unit/sim/culprits.c - who evicted what is missed, step by step: lines that come into a D1 of two lines and leave it. */
#define ANALYSIS_FILE "sim/analysis/culprits.c"
#include "draw_analysis.h"

/* The instruction at pc brings `line` in; `victim` leaves for it, or with 0 nothing does. */
static void comes(uint64_t pc, char line, char victim)
{
    analysis_observe(&(struct sim_record){.pc = pc, .line = (uint64_t)(line - 'A') * LINE, .what = SIM_FILLED | SIM_L1_MISS,
                                          .victim = victim ? (uint64_t)(victim - 'A') * LINE : SIM_NO_LINE}, 1);
}

int main(void)
{
    struct sim_config config = {.slot = "AN", .size = 2 * LINE, .ways = 2, .line = LINE, .sets = 1, .line_bits = 6, .victims = true};
    const struct loss *l;

    sim = config;
    begin_tables();
    analysis_init(&config);
    comes(1, 'A', 0);
    comes(1, 'B', 0);
    comes(1, 'C', 'A');
    is_int((int64_t)losses.count, 0, "what comes in for the first time has no culprit");
    comes(2, 'A', 'B');
    l = (const struct loss *)sites_at(&losses, 0);
    ok(l->site.pc == 2 && l->site.what == 1 && l->row->count == 1 && l->row->value == 0, "A: instruction 2 misses what 1 evicted");
    comes(1, 'B', 'C');
    comes(2, 'C', 'A');
    comes(1, 'A', 'B');
    is_int((int64_t)losses.count, 2, "two pairs: 2 lost to 1 twice, 1 to 2 twice");
    is_int((int64_t)((const struct loss *)sites_at(&losses, 1))->row->count, 2, "... the other one");
    analysis_observe(&(struct sim_record){.pc = 1, .line = 2 * LINE}, 1);
    is_int((int64_t)cells[LOST], 4, "a line that was there is no miss");
    analysis_observe(&(struct sim_record){.pc = 1, .line = 3 * LINE, .victim = 2 * LINE, .what = SIM_FILLED | SIM_UNDONE}, 1);
    is_int((int64_t)cells[FIRST], 3, "nor is one of an instruction that faulted");
    says("0x2 evictor 0x80 0x1 2 0\n0x1 evictor 0x0 0x2 2 0\n"
         "AN: lines missed: 3 for the first time, 4 evicted before\n");
    return done_testing();
}
