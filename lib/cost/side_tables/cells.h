/* lib/cost/side_tables/cells.h - the tables that simulator modules have counted in (sim_row in sim/module.h), as lines of text.
 *
 *   "AN: hits: %U", cells 7 to 9: 1 2 3   ->   AN: hits: 6
 *
 * `quern run` and `quern replay` both print them.
 */
#ifndef QN_COST_CELLS_H
#define QN_COST_CELLS_H

#include <stdint.h>

#include "cost/arena.h"
#include "cost/events.h"

/* tables: QN_TABLE_SETS_OFF bytes, of which nothing is trusted.  Calls `put` for each line, without newline. */
void qn_cost_print_rows(const uint8_t *tables, const struct qn_table_head *head, const int64_t totals[QN_COST_EVENTS],
                        void (*put)(void *, const char *), void *data);

#endif
