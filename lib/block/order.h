/* lib/block/order.h - an order of the addresses at which blocks begin, in which few branches lead back.
 *
 *   while (a) if (b) c; else d; rest        a  rest  b  d  c          leads back: from c to a, from d to a
 *
 * A branch leads back if its target is the block itself or comes before it.  In any fixed order every cycle of the program has a branch
 * that leads back, so that counting these branches bounds every cycle (run/observe/sample.c).  The order should have few of them.  In the
 * order of addresses half of all calls lead back, and so do the returns from code that the compiler moved to the end of a function.
 * Here an address gets its position when its block is first translated: directly after the last block that is known to branch to it.  For the
 * branches known so far that is the reverse postorder of a depth-first search (R. Tarjan, Depth-first search and linear graph algorithms,
 * 1972), in which only loops and recursion lead back.
 */
#ifndef QN_ORDER_H
#define QN_ORDER_H

#include "base/base.h"

#define QN_ORDER_NOWHERE 0u

/* Memory for `max` addresses (below 2^32).  Once, before the others. */
void qn_order_init(uint32_t max);

/* The position of pc; chosen now if it has none.  Without a known predecessor the position is before all others, and is_counted(pc) says
 * whether the branch that led there was counted.  QN_ORDER_NOWHERE: there is no room for more. */
uint32_t qn_order_position(uint64_t pc, bool (*is_counted)(uint64_t pc));

/* Was this position reached first by a branch that was neither known nor counted?  True of QN_ORDER_NOWHERE. */
bool qn_order_is_source(uint32_t position);

/* Does a branch from a position to `pc` lead back?  The answer stays the same: if pc has no position yet, it will get one after this position.
 * Without room every branch leads back. */
bool qn_order_leads_back(uint32_t position, uint64_t pc);

void *qn_engine_alloc(uint64_t bytes); /* supplied by run */

#endif
