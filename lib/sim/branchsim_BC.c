/* lib/sim/branchsim_BC.c - Cachegrind's predictor of conditional branches: two-bit counters, chosen by address and history.
 *
 *   index of a counter   | outcomes of the last 7 branches, the newest lowest | low 7 bits of the branch's address |
 *   counter              0, 1: not taken   2, 3: taken; each outcome moves it by one
 *
 * All counters start at 0.  Storage: 2 * 2^14 + 7 bits.
 * Source: Valgrind 3.19, cachegrind/cg_branchpred.c; two-bit counters: J. E. Smith, A study of branch prediction strategies,
 * ISCA 1981; address and history side by side ("gselect"): S. McFarling, DEC WRL Technical Note TN-36, 1993.
 */
#include "sim/module.h"

#define PREDICTOR "cachegrind"
#define PREDICTOR_SHOWS 1

#define PC_BITS 7
#define HISTORY_BITS 7

static uint8_t counters[1 << (HISTORY_BITS + PC_BITS)];
static uint32_t history; /* a bit for each of the last branches: 1 = taken */

static uint8_t *counter_of(uint64_t pc) { return &counters[history << PC_BITS | (pc & ((1 << PC_BITS) - 1))]; }

/* The prediction: 1 = taken.  The outcome is not known yet. */
static unsigned branchsim_BC_predict(uint64_t pc) { return *counter_of(pc) >= 2; }

/* Learns the outcome. */
static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    uint8_t *counter = counter_of(pc);

    if (taken && *counter < 3)
        ++*counter;
    if (!taken && *counter > 0)
        --*counter;
    history = (history << 1 | taken) & ((1 << HISTORY_BITS) - 1);
}

/* For `quern watch`. */
static void predictor_show(uint64_t pc, unsigned kind)
{
    (void)kind;
    sim_show_bits("history", history, HISTORY_BITS);
    sim_show_number("index", counter_of(pc) - counters);
    sim_show_counter("counter", counter_of(pc), 0, 3);
}
