/* bpred/table.h - saturating two-bit counters, which most predictors are made of.
 *
 *   0 strongly not taken   1 weakly not taken   2 weakly taken   3 strongly taken;   all start at 0
 *
 * The size of a table is an option, in bits of the index: --sim-opt=bits=12 makes a table of 4096 entries.
 */
#ifndef QN_BPRED_TABLE_H
#define QN_BPRED_TABLE_H

#include "sim/module.h"

#define TABLE_BITS_MAX 24

static inline unsigned two_bit_taken(uint8_t counter) { return counter >= 2; }

static inline void two_bit_train(uint8_t *counter, unsigned taken)
{
    if (taken)
        *counter += *counter < 3;
    else
        *counter -= *counter > 0;
}

static inline uint64_t low_bits(unsigned n) { return (1ull << n) - 1; }

/* The value of an option that is a number of index bits, 0 to TABLE_BITS_MAX; `otherwise` if it is not given. */
static inline unsigned bits_option(const char *module, const char *key, unsigned otherwise)
{
    return (unsigned)sim_option_within(sim.slot, module, key, otherwise, 0, TABLE_BITS_MAX);
}

#endif
