/* lib/block/order.h - the addresses at which blocks begin, put in an order in which few branches lead back.
 *
 *   while (a) if (b) c; else d; rest        a  rest  b  d  c          leads back: from c to a, from d to a
 *
 * Whatever the order is, every cycle of a program leads back somewhere, as long as addresses keep their places: so what branches back is
 * where cycles can be counted (run/observe/sample.c).  In the order of addresses half of all calls lead back, and the ways back from code that
 * the compiler moved out of the way.  Here an address is placed when its block is first translated: right behind the last of the
 * blocks before it that are known to lead there.  That is the order in which a search in depth leaves the blocks, the last first (reverse
 * postorder; R. Tarjan, Depth-first search and linear graph algorithms, 1972), as far as the program has shown its branches: of those
 * only loops and recursion lead back.
 */
#ifndef QN_ORDER_H
#define QN_ORDER_H

#include "base/base.h"

#define QN_ORDER_NOWHERE 0u

/* Memory for `max` addresses (below 2^32).  Once, before the others. */
void qn_order_init(uint32_t max);

/* The place of pc, which is chosen now unless it has one: before all others, where nothing is known to lead there; `is_counted` is then
 * asked whether whatever did lead there has been counted.  QN_ORDER_NOWHERE: there is no room for more. */
uint32_t qn_order_place(uint64_t pc, bool (*is_counted)(uint64_t pc));

/* Did something lead to this place that was not known and not counted?  Where there is no room, always. */
bool qn_order_is_source(uint32_t place);

/* Control goes from a place to `pc`: does that lead back, to itself or before it?  If not it never will: where pc has no place
 * yet, it will be behind this one.  Where there is no room, all lead back. */
bool qn_order_leads_back(uint32_t place, uint64_t pc);

void *qn_engine_alloc(uint64_t bytes); /* supplied by run */

#endif
