/* lib/cost/side_tables/cells.h - the tables that simulator modules have counted in (sim_row in sim/module.h), as lines of text and as CSV.
 *
 *   sim_table(.., "hits", "of hits"), "AN: {all} hits: {%U}", cells 7 to 9: 1 2 3   ->   AN: all hits: 6
 *                                                                                   and  of,hits,of_rows
 *                                                                                        all,6,1
 *
 * `quern run` and `quern replay` both print and write them.
 */
#ifndef QN_COST_CELLS_H
#define QN_COST_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cost/arena.h"
#include "cost/events.h"

/* tables: QN_TABLE_SETS_OFF bytes, of which nothing is trusted.  Calls `put` for each line, without newline. */
void qn_cost_print_rows(const uint8_t *tables, const struct qn_table_head *head, const int64_t totals[QN_COST_EVENTS],
                        void (*put)(void *, const char *), void *data);

struct qn_cost_rows {
    const uint8_t *tables;
    const struct qn_table_head *head;
    const int64_t *totals;
    const struct qn_cost_total {
        const char *name, *text;
        int64_t count;
    } *named; /* the first rows of the table "totals" */
    size_t named_count;
};

/* A line for each of `named`; and the arithmetic intensity, if the lines between the LL, of lines of so many bytes, and memory are counted in both
 * directions. */
void qn_cost_print_named(const struct qn_cost_rows *rows, uint32_t LL_line, void (*put)(void *, const char *), void *data);

#define QN_COST_TABLE_NAME 64
struct qn_cost_module_table {
    uint32_t id, number; /* 0: before the first */
    char name[QN_COST_TABLE_NAME];
    const char *columns;
};

/* The next table that modules have declared, and "totals" in the end, if it has rows.  false: there is none more. */
bool qn_cost_next_table(const struct qn_cost_rows *rows, struct qn_cost_module_table *table);
/* The whole file. */
void qn_cost_put_table(FILE *out, const struct qn_cost_rows *rows, const struct qn_cost_module_table *table);

#endif
