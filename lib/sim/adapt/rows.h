/* lib/sim/adapt/rows.h - finds a line in a row of words.
 *
 * Eight words at a time are compared, without a jump for each, because the processor could not predict these jumps.  So up to
 * seven words after the row are read: words of the next row, or the ROWS_MORE words after the last row.  A match there is ignored. */
#ifndef QN_SIM_ADAPT_ROWS_H
#define QN_SIM_ADAPT_ROWS_H

#include "base/base.h"

#define ROWS_MORE 7

/* The index of the line in the row of n words; n if it is not in it. */
static inline unsigned rows_find(const uint64_t *row, unsigned n, uint64_t line)
{
    for (unsigned at = 0; at < n; at += 8) {
        unsigned found = 0;

#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            found |= (unsigned)(row[at + i] == line) << i;
        if (found) { /* maybe only after the end of the row */
            unsigned place = at + (unsigned)__builtin_ctz(found);

            return place < n ? place : n;
        }
    }
    return n;
}

#endif
