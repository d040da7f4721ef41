/* bpred/ras.c - a return address stack (RAS) for returns, and a table of last targets for other indirect branches.
 *
 * Slot BI. A return address stack: a call pushes the address behind it, a return pops its prediction. Indirect jumps and calls have a
 * table of last targets.
 *
 *   call, next 10     10|
 *   call, next 20     10 20|
 *   return to 20  .   10|
 *   return to 10  .   |
 *
 * A stack that overflows loses its oldest entry; an empty one predicts 0. A return is no indirect branch: Bi and Bim do not count it,
 * the events do.
 *
 * Options: `ras-depth` (16, at most 4096); `bits` (9), of the table.
 * Events: `returns`, `return-mispredicts`.
 * Storage: 64 * depth + 64 * 2^bits = 33,792.
 * Source: D. R. Kaeli, P. G. Emma, Branch history table prediction of moving target branches due to subroutine returns, ISCA 1991. */
#include "sim/bpred/table.h"

#define PREDICTOR "ras"
#define PREDICTOR_SHOWS 1
#define PREDICTOR_INIT 1
#define PREDICTOR_RETURNS 1
#define PREDICTOR_BITS (depth + (1ull << bits)) * 64

static unsigned bits, depth, top, count; /* entries top-1, top-2, ... of the ring; count of them are valid */
static uint64_t *targets, *stack;

static void branchsim_BI_init(const struct sim_config *config)
{
    (void)config;
    bits = bits_option(PREDICTOR, "bits", 9);
    depth = (unsigned)sim_option_within(sim.slot, PREDICTOR, "ras-depth", 16, 1, 4096);
    targets = sim_alloc(sizeof *targets << bits);
    stack = sim_alloc(depth * sizeof *stack);
}

static uint64_t branchsim_BI_target(uint64_t pc) { return targets[pc & low_bits(bits)]; }
static void branchsim_BI_learn(uint64_t pc, uint64_t target) { targets[pc & low_bits(bits)] = target; }

static void branchsim_BI_call(uint64_t next)
{
    stack[top] = next;
    top = top + 1 == depth ? 0 : top + 1;
    count += count < depth;
}

/* The predicted target of a return; 0: there is no prediction. */
static uint64_t branchsim_BI_return(void)
{
    if (!count)
        return 0;
    count--;
    top = top ? top - 1 : depth - 1;
    return stack[top];
}

static void predictor_show(uint64_t pc, unsigned kind)
{
    if (kind == SIM_REF_RETURN) {
        sim_show_number("depth", count);
        sim_show_address("target", count ? stack[top ? top - 1 : depth - 1] : 0);
        return;
    }
    sim_show_number("index", (int64_t)(pc & low_bits(bits)));
    sim_show_address("target", targets[pc & low_bits(bits)]);
}
