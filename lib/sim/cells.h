/* lib/sim/cells.h - the memory of the tables of modules.  See cells.c. */
#ifndef QN_SIM_CELLS_H
#define QN_SIM_CELLS_H

#include "sim/contract.h"

/* tables: QN_ARENA_TABLES_SIZE zeroed bytes; in a replay, QN_TABLE_SETS_OFF bytes.  Call it before modules are set up. */
void qn_sim_rows_init(uint8_t *tables, struct qn_table_head *head);
/* The counter of line look-ups by data references beyond the first line of each reference. */
uint64_t *qn_sim_more_lines(void);
uint64_t qn_sim_cell_number(const uint64_t *cell);
/* In the cells: misses of this event that are looked at later. */
struct qn_waiting *qn_sim_waiting(unsigned event);

#endif
