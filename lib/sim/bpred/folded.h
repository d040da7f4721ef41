/* bpred/folded.h - a long history of bits, and parts of it folded to the width of an index or a tag, for predictors of the TAGE family.
 *
 *   history, newest first    1 0 1 1 0 0 1       length 7, folded to 3 bits: bit i goes to place i mod 3
 *   folded                   1 0 1 | 1 0 0 | 1    1^1^1, 0^0, 1^0  ->  1 0 1
 *
 * Folding is done step by step (section 4.3 of Michaud, JILP 7, 2005): the folded value turns by a place, the newest bit comes in at 0, and the one
 * that is now too old is taken out where it has got to. */
#ifndef QN_BPRED_FOLDED_H
#define QN_BPRED_FOLDED_H

#include "sim/bpred/table.h"

enum { HISTORY_MAX = 1024 }; /* bits; a power of two, more than the longest history */

static uint8_t history_ring[HISTORY_MAX]; /* history_ring[(history_newest + i) % HISTORY_MAX] is the bit i branches ago */
static unsigned history_newest;

static inline unsigned history_bit(unsigned ago) { return history_ring[(history_newest + ago) % HISTORY_MAX]; }

static inline void history_add(unsigned bit)
{
    history_newest = (history_newest + HISTORY_MAX - 1) % HISTORY_MAX;
    history_ring[history_newest] = (uint8_t)bit;
}

/* The value after history_add, of what it was before.  length: of the history; bits: of the value. */
static inline unsigned history_fold(unsigned value, unsigned bits, unsigned length)
{
    value = value << 1 | value >> (bits - 1);
    return (value ^ history_bit(0) ^ history_bit(length) << length % bits) & (unsigned)low_bits(bits);
}

#endif
