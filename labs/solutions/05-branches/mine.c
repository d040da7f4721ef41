/* mine.c - lab 5, a solution: two predictors and a third that chooses between them, as in the Alpha 21264, in 4 KiB
 * of bytes.
 *
 *   local    the last eight outcomes of this branch  -> counter       256 + 1024 bytes
 *   global   the last outcomes of all, with the address -> counter    1024 bytes
 *   choice   by address: whose word counts                            1024 bytes
 */
#include "sim/module.h"

#define PREDICTOR "mine"
#define PREDICTOR_BITS (8 * 256 + 3 * 2 * 1024)
#define LOCAL_BRANCHES 256
#define ENTRIES 1024
#define GLOBAL_HISTORY 4 /* outcomes: what helps is near */

static uint8_t local_history[LOCAL_BRANCHES], local[ENTRIES], global[ENTRIES], choice[ENTRIES];
static uint32_t history;

static void train(uint8_t *counter, unsigned up)
{
    if (up)
        *counter += *counter < 3;
    else
        *counter -= *counter > 0;
}

static uint8_t *local_entry(uint64_t pc)
{
    uint64_t key = local_history[pc % LOCAL_BRANCHES];

    return &local[(key ^ pc << 3 ^ pc >> 5) % ENTRIES];
}

static uint8_t *global_entry(uint64_t pc)
{
    return &global[(history % (1 << GLOBAL_HISTORY) ^ pc << GLOBAL_HISTORY) % ENTRIES];
}

static unsigned branchsim_BC_predict(uint64_t pc)
{
    return choice[pc % ENTRIES] >= 2 ? *global_entry(pc) >= 2 : *local_entry(pc) >= 2;
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    unsigned by_local = *local_entry(pc) >= 2, by_global = *global_entry(pc) >= 2;

    if (by_local != by_global)
        train(&choice[pc % ENTRIES], by_global == taken);
    train(local_entry(pc), taken);
    train(global_entry(pc), taken);
    local_history[pc % LOCAL_BRANCHES] = (uint8_t)(local_history[pc % LOCAL_BRANCHES] << 1 | taken);
    history = history << 1 | taken;
}
