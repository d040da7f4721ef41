/* lab 5 mine.c: knows which branch of four is of which kind, by its address.
 * at most 45% */
#include "sim/module.h"

#define PREDICTOR "mine"

static uint8_t count[512], last[512], habit[512];
static uint32_t history;

static unsigned branchsim_BC_predict(uint64_t pc)
{
    unsigned i = pc % 512;

    switch (pc / 64 % 4) {
    case 0: return count[i] < last[i];
    case 2: return (history ^ history >> 1) & 1;
    default: return habit[i] >= 2;
    }
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    unsigned i = pc % 512;

    if (!taken)
        last[i] = count[i];
    count[i] = taken ? count[i] + 1 : 0;
    habit[i] = taken ? habit[i] + (habit[i] < 3) : habit[i] - (habit[i] > 0);
    history = history << 1 | taken;
}
