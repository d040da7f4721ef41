/* lib/cost/side_tables/columns.c - tables beside a profile to text.  See columns.h. */
#include "cost/side_tables/columns.h"

#include <stdlib.h>

#include "text/csv.h"

void qn_cost_put_csv_name(struct qn_prof_writer *w, const char *name)
{
    struct qn_text_buffer cell = { NULL, 0, 0 };

    qn_text_append_cell(&cell, name ? name : "???");
    qn_text_append(&cell, "", 1);
    qn_prof_put_escaped(w, cell.text);
    free(cell.text);
}

void qn_cost_put_columns(struct qn_prof_writer *w, const struct qn_cost_column *columns)
{
    for (; columns->name; columns++) {
        qn_prof_put_text(w, columns->name);
        qn_prof_put_text(w, ",");
    }
    qn_prof_put_text(w, QN_TEXT_ROWS_COLUMN "\n");
}

static void put_cell(struct qn_prof_writer *w, enum qn_cost_cell is, const void *cell)
{
    switch (is) {
    case QN_COST_CELL_NUMBER: qn_prof_put_number(w, *(const int64_t *)cell); break;
    case QN_COST_CELL_SMALL: qn_prof_put_number(w, *(const uint32_t *)cell); break;
    case QN_COST_CELL_ADDRESS: qn_prof_put_address(w, *(const uint64_t *)cell); break;
    case QN_COST_CELL_NAME: qn_cost_put_csv_name(w, *(const char *const *)cell); break;
    }
}

void qn_cost_put_row(struct qn_prof_writer *w, const struct qn_cost_column *columns, const void *row, uint64_t of_rows)
{
    for (; columns->name; columns++) {
        put_cell(w, columns->is, (const uint8_t *)row + columns->at);
        qn_prof_put_text(w, ",");
    }
    qn_prof_put_number(w, (int64_t)of_rows);
    qn_prof_put_text(w, "\n");
}

enum qn_text_status qn_cost_write_rows(const char *path, const struct qn_cost_column *columns, const void *rows, size_t bytes, uint64_t count,
                                       struct qn_text_error *err)
{
    struct qn_prof_writer *w = qn_prof_open_writer(path, err);

    if (!w)
        return err->status;
    qn_cost_put_columns(w, columns);
    for (uint64_t i = 0; i < count; i++)
        qn_cost_put_row(w, columns, (const uint8_t *)rows + i * bytes, count);
    return qn_prof_close_writer(w, err);
}
