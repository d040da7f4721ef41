/* lib/sim/cells.h - where the tables of modules lie.  See cells.c. */
#ifndef QN_SIM_CELLS_H
#define QN_SIM_CELLS_H

#include "sim/contract.h"

/* tables: QN_ARENA_TABLES_SIZE bytes, zeroed, or in a replay QN_TABLE_SETS_OFF.  Before modules are set up. */
void qn_sim_rows_init(uint8_t *tables, struct qn_table_head *head);
/* Where lines are counted that data has touched beyond the first of a reference. */
uint64_t *qn_sim_more_lines(void);

#endif
