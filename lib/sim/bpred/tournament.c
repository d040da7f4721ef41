/* bpred/tournament.c - a local and a global predictor, and a chooser: a counter for each global history selects one of them.
 *
 * A local and a global predictor, and a counter per global history that says which one to believe (global from 2 on). It moves only
 * when the two disagree, towards the one that was right.
 *
 *   local says N, global says T, the branch is taken: x x .     after two of these the global one is believed
 *
 * Storage: 1024 histories of 10 bits, 1024 local counters of 3 bits, 4096 global and 4096 choosing ones of 2, 12 of history = 29,708.
 * Source: McFarling 1993 (see bimodal); sizes: R. E. Kessler, The Alpha 21264 microprocessor, IEEE Micro 19(2), 1999. */
#include "sim/bpred/table.h"

#define PREDICTOR "tournament"
#define PREDICTOR_SHOWS 1
#define PREDICTOR_BITS 1024 * 10 + 1024 * 3 + 4096 * 2 + 4096 * 2 + 12

enum { LOCALS = 1024, LOCAL_HISTORY = 10, GLOBALS = 4096, GLOBAL_HISTORY = 12 };

static uint16_t histories[LOCALS];
static uint8_t local[1 << LOCAL_HISTORY], global[GLOBALS], chooser[GLOBALS];
static unsigned history;

/* The last predictions of both, for the update that follows. */
static unsigned by_local, by_global;

static unsigned branchsim_BC_predict(uint64_t pc)
{
    by_local = local[histories[pc % LOCALS]] >= 4;
    by_global = two_bit_taken(global[history]);
    return two_bit_taken(chooser[history]) ? by_global : by_local;
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    uint16_t *own = &histories[pc % LOCALS];
    uint8_t *counter = &local[*own];

    if (by_local != by_global)
        two_bit_train(&chooser[history], by_global == taken);
    two_bit_train(&global[history], taken);
    if (taken)
        *counter += *counter < 7;
    else
        *counter -= *counter > 0;
    *own = (uint16_t)((*own << 1 | taken) & low_bits(LOCAL_HISTORY));
    history = (history << 1 | taken) & low_bits(GLOBAL_HISTORY);
}

static void predictor_show(uint64_t pc, unsigned kind)
{
    uint16_t own = histories[pc % LOCALS];

    (void)kind;
    sim_show_bits("own-history", own, LOCAL_HISTORY);
    sim_show_counter("local", &local[own], 0, 7);
    sim_show_bits("global-history", history, GLOBAL_HISTORY);
    sim_show_counter("global", &global[history], 0, 3);
    sim_show_counter("chooser", &chooser[history], 0, 3);
}
