/* lib/text/csv.h - the one reader and writer of CSV: record by record, or a whole file as rows of text under named columns.
 *
 *   program,D1_size,D1mr        a record of 3 cells of line 1        columns 3, rows 1
 *   "gz ""i"" p",1024,991       another of line 2                    qn_text_cell(t, 0, qn_text_find_column(t, "D1mr")) -> "991"
 *
 * Invariants: RFC 4180 strictly, except that lines may end with LF too and a byte order mark at the start is skipped; empty lines are no
 * records; blanks belong to their cells; no cell holds a NUL byte.  A file whose last column is QN_TEXT_ROWS_COLUMN is refused if it has
 * another number of rows.  A cell is written in quotes only if it has to be.  Errors are FILE:LINE: what, got, wanted.
 */
#ifndef QN_TEXT_CSV_H
#define QN_TEXT_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "text/error.h"
#include "text/memory.h"
#include "text/subst.h"

/* The last column of tables that do not count their rows otherwise: the number of rows in the file, which shows a cut file. */
#define QN_TEXT_ROWS_COLUMN "of_rows"

/* ---- record by record ---- */

struct qn_text_csv;

struct qn_text_csv_record {
    const char *const *cells; /* valid until the next call */
    int count;
    long line; /* where it begins, from 1 */
};

/* NULL with `err` filled on failure.  "-" is standard input. */
struct qn_text_csv *qn_text_open_csv(const char *path, struct qn_text_error *err);
/* NULL is allowed. */
void qn_text_close_csv(struct qn_text_csv *csv);
/* 1 and a record; 0 at the end; -1 with `err` filled. */
int qn_text_next_record(struct qn_text_csv *csv, struct qn_text_csv_record *record, struct qn_text_error *err);

/* ---- a whole file ---- */

/* Begins as all zeros.  Every row has all columns. */
struct qn_text_table {
    struct qn_text_memory memory;
    char **columns;
    char ***rows; /* each an array of cells */
    int column_count, row_count;
};

void qn_text_free_table(struct qn_text_table *t);

/* -1: no such column. */
int qn_text_find_column(const struct qn_text_table *t, const char *name);
/* Adds a column; add all columns before the first row. */
int qn_text_add_column(struct qn_text_table *t, const char *name);
/* Adds a row of empty cells. */
char **qn_text_add_row(struct qn_text_table *t);

static inline const char *qn_text_cell(const struct qn_text_table *t, int row, int column)
{
    return column < 0 ? "" : t->rows[row][column];
}

/* A number in a cell: false if it is empty or something else. */
bool qn_text_cell_number(const struct qn_text_table *t, int row, int column, double *number);
/* The number with which the cell begins; 0 if there is none. */
double qn_text_number(const struct qn_text_table *t, int row, int column);

/* `t` is empty: all zeros.  QN_TEXT_IO: the file cannot be opened; QN_TEXT_BAD: it is not CSV, or its last line is cut off. */
enum qn_text_status qn_text_read_table(struct qn_text_table *t, const char *path, struct qn_text_error *err);
/* Writes under another name and renames, so that the file is never half there. */
enum qn_text_status qn_text_write_table(const struct qn_text_table *t, const char *path, struct qn_text_error *err);
/* The same to a stream, whose errors the caller looks at. */
void qn_text_put_table(FILE *out, const struct qn_text_table *t);

/* ---- one cell ---- */

bool qn_text_needs_quotes(const char *cell);
/* false: it cannot be written. */
bool qn_text_write_cell(FILE *out, const char *cell);
void qn_text_append_cell(struct qn_text_buffer *to, const char *cell);

#endif
