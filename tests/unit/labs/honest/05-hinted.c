/* lab 5 mine.c: what the handout hints at: a table of each branch's own outcomes, one of all branches' last two, and counters that choose.
 * mine */
#include "sim/module.h"

#define PREDICTOR "mine"

static uint8_t own[256], by_own[2048], by_all[1024], choice[256];
static uint8_t all;

static void count(uint8_t *counter, unsigned up) { *counter = (uint8_t)(up ? *counter + (*counter < 3) : *counter - (*counter > 0)); }
static unsigned hash(uint64_t pc) { return (unsigned)(pc ^ pc >> 7 ^ pc >> 13) % 256; }
static uint8_t *first(uint64_t pc) { return &by_own[(own[hash(pc)] % 64 * 67 + hash(pc) * 29) % 2048]; }
static uint8_t *second(uint64_t pc) { return &by_all[hash(pc) * 4 + all % 4]; }
static unsigned branchsim_BC_predict(uint64_t pc) { return (choice[hash(pc)] < 2 ? *first(pc) : *second(pc)) >= 2; }

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    if ((*first(pc) >= 2) != (*second(pc) >= 2))
        count(&choice[hash(pc)], (*second(pc) >= 2) == taken);
    count(first(pc), taken);
    count(second(pc), taken);
    own[hash(pc)] = (uint8_t)(own[hash(pc)] << 1 | taken);
    all = (uint8_t)(all << 1 | taken);
}
