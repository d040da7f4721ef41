/* lib/sim/adapt/rows.h - where in its row of words is a line?
 *
 * Eight words at a time are compared without a jump for each, since none could be foretold.  So up to seven words behind the row are
 * looked at: other rows, in which the line cannot be, or ROWS_MORE words behind the last one.  What is found there does not count. */
#ifndef QN_SIM_ADAPT_ROWS_H
#define QN_SIM_ADAPT_ROWS_H

#include "base/base.h"

#define ROWS_MORE 7

/* n: it is not there. */
static inline unsigned rows_find(const uint64_t *row, unsigned n, uint64_t line)
{
    for (unsigned at = 0; at < n; at += 8) {
        unsigned found = 0;

#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            found |= (unsigned)(row[at + i] == line) << i;
        if (found) { /* or it equals what lies behind the row */
            unsigned place = at + (unsigned)__builtin_ctz(found);

            return place < n ? place : n;
        }
    }
    return n;
}

#endif
