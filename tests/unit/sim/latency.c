/* tests/unit/sim/latency.c - which level serves each load: a mix that is known. */
#define ANALYSIS_FILE "sim/analysis/latency.c"
#include "draw_analysis.h"

static uint64_t pc;

static void insn(uint64_t at)
{
    pc = at;
    analysis_ref(&(struct sim_ref){.addr = at, .pc = at, .size = 4, .kind = SIM_REF_FETCH});
}

static void reference(enum sim_kind kind, unsigned outcome)
{
    analysis_ref(&(struct sim_ref){.addr = 0x7000, .pc = pc, .size = 8, .kind = (uint8_t)kind, .outcome = (uint8_t)outcome});
}

static void load(uint64_t at, unsigned outcome, unsigned times)
{
    while (times--) {
        insn(at);
        reference(SIM_READ, outcome);
    }
}

int main(void)
{
    /* 943 of 1000 by the D1, 36 by the LL, 21 by memory: 943 * 4 + 36 * 40 + 21 * 200 cycles */
    begin(4 * LINE, "");
    load(0x401000, 0, 943);
    load(0x401000, SIM_L1_MISS, 36);
    load(0x401000, SIM_L1_MISS | SIM_LL_MISS, 21);
    says("0x401000 D 0x7000 0x0 943 1000\n"
         "0x401000 L 0x7000 0x0 36 1000\n"
         "0x401000 M 0x7000 0x0 21 1000\n"
         "0x401000 cycles 0x7000 0x0 9412 1000\n"
         "AN: loads served by the D1 943, by the LL 36, by memory 21: about 9412 cycles\n");

    /* Writes are no loads, read-modify-writes are; two references of one instruction are two loads. */
    loads = (struct sites){0};
    begin(4 * LINE, "d-cycles=1,l-cycles=10,m-cycles=100");
    insn(0x401010);
    reference(SIM_WRITE, SIM_L1_MISS);
    insn(0x401014);
    reference(SIM_MODIFY, SIM_L1_MISS);
    reference(SIM_READ, 0);
    says("0x401014 D 0x7000 0x0 1 2\n"
         "0x401014 L 0x7000 0x0 1 2\n"
         "0x401014 M 0x7000 0x0 0 2\n"
         "0x401014 cycles 0x7000 0x0 11 2\n"
         "AN: loads served by the D1 1, by the LL 1, by memory 0: about 11 cycles\n");
    return done_testing();
}
