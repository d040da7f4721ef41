/* lib/cost/count.h - the thirteen counts of one instruction, by the rules of arena.h.  Also part of the engine: no libc.
 *
 *   d = nread 1, nwrite 1, no misses possible on fetch; x = 10; counters = { 2, 1, 3, 0 }
 *   ->  Ir 10, Dr 10 D1mr 2 DLmr 1, Dw 10 D1mw 3 DLmw 0
 */
#ifndef QN_COST_COUNT_H
#define QN_COST_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "cost/arena.h"
#include "cost/events.h"

/* No true counter comes near this; what lies above is damage (it also keeps sums from wrapping). */
#define QN_COST_COUNTER_MAX ((uint64_t)1 << 56)

/* What else a descriptor says, which needs no counters: a locked instruction, a fence.  With --cores the profile has them as events. */
#define QN_INSN_LOCKS (1u << 14)
#define QN_INSN_FENCES (1u << 15)

/* Adds the counts of an instruction that was executed x times to `sum`.  `counters` holds
 * qn_insn_counters(d) values.  false: a counter was damaged and was taken as 0. */
bool qn_cost_count(uint32_t d, uint64_t x, const uint64_t *counters, int64_t sum[QN_COST_EVENTS]);

#endif
