/* lib/run/observe/sets.h - misses by set in each interval, where an analysis counts them (sim_sets_by_time in sim/module.h).
 *
 *   cells of a cache with 512 sets, an interval has ended   ->   a row of 256 numbers, two sets in each
 */
#ifndef QN_RUN_OBSERVE_SETS_H
#define QN_RUN_OBSERVE_SETS_H

#include <stdint.h>

/* Interval n has ended.  Where there is no room for a row, what is still to come has none. */
void qn_sets_record(uint64_t n);
/* Each two of n rows become one. */
void qn_sets_halve(uint64_t n);

#endif
