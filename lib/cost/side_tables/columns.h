/* lib/cost/side_tables/columns.h - the columns of a table beside a profile, and its rows to text.
 *
 *   static const struct qn_cost_column columns[] = {
 *       QN_COST_COLUMN("count", NUMBER, struct row, count), QN_COST_COLUMN("file", NAME, struct row, file), QN_COST_COLUMNS_END };
 *
 *   {9000, "walk.c"} of 2 rows  ->  9000,walk.c,2          the last column is QN_TEXT_ROWS_COLUMN
 */
#ifndef QN_COST_SIDE_TABLES_COLUMNS_H
#define QN_COST_SIDE_TABLES_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "prof/write.h"

/* What a cell is, and of which type in the row: a count (uint64_t, uint32_t), hexadecimal (uint64_t), a name (const char *; NULL: "???"). */
enum qn_cost_cell { QN_COST_CELL_NUMBER, QN_COST_CELL_SMALL, QN_COST_CELL_ADDRESS, QN_COST_CELL_NAME };

struct qn_cost_column {
    const char *name; /* the last one of a table has NULL */
    enum qn_cost_cell is;
    size_t at; /* offset in a row */
};

#define QN_COST_COLUMN(name, is, row, field) { name, QN_COST_CELL_##is, offsetof(row, field) }
#define QN_COST_COLUMNS_END { NULL, QN_COST_CELL_NUMBER, 0 }

void qn_cost_put_columns(struct qn_prof_writer *w, const struct qn_cost_column *columns);
void qn_cost_put_row(struct qn_prof_writer *w, const struct qn_cost_column *columns, const void *row, uint64_t of_rows);

/* A whole file; bytes: of a row. */
enum qn_text_status qn_cost_write_rows(const char *path, const struct qn_cost_column *columns, const void *rows, size_t bytes, uint64_t count,
                                       struct qn_text_error *err);

/* A name as a cell of CSV; NULL: "???". */
void qn_cost_put_csv_name(struct qn_prof_writer *w, const char *name);

#endif
