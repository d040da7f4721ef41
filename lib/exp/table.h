/* lib/exp/table.h - a CSV file as rows of text under named columns.
 *
 *   program,D1_size,D1mr        columns 3, rows 1
 *   gzip,1024,991               qn_exp_cell(t, 0, qn_exp_find_column(t, "D1mr")) -> "991"
 *
 * The form is RFC 4180 as libcsv reads and writes it, with a plain newline at the end of lines; a cell is quoted only if it
 * has to be.  Invariants: every row has all columns; a file is written under another name and renamed, so it is
 * never half there.
 */
#ifndef QN_EXP_TABLE_H
#define QN_EXP_TABLE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "exp/memory.h"
#include "prof/read.h"
#include "text/error.h"

struct qn_exp_table {
    struct qn_exp_memory memory;
    char **columns;
    char ***rows; /* each an array of cells */
    int column_count, row_count;
};

void qn_exp_free_table(struct qn_exp_table *t);

/* -1: no such column. */
int qn_exp_find_column(const struct qn_exp_table *t, const char *name);
/* Adds a column; add all columns before the first row. */
int qn_exp_add_column(struct qn_exp_table *t, const char *name);
/* Adds a row of empty cells. */
char **qn_exp_add_row(struct qn_exp_table *t);

static inline const char *qn_exp_cell(const struct qn_exp_table *t, int row, int column)
{
    return column < 0 ? "" : t->rows[row][column];
}

/* A number in a cell: false if it is empty or something else. */
bool qn_exp_cell_number(const struct qn_exp_table *t, int row, int column, double *number);

/* The number with which the cell begins; 0 if there is none. */
double qn_exp_number(const struct qn_exp_table *t, int row, int column);

/* `t` is empty: all zeros; QN_TEXT_IO where the file cannot be opened, QN_TEXT_BAD with FILE:LINE where it is not CSV. */
enum qn_text_status qn_exp_read_table(struct qn_exp_table *t, const char *path, struct qn_text_error *err);
/* The same for the file that `quern run --interval=N` writes beside a profile with the events `h`.  It must have one of these events at least;
 * other files by interval (PROFILE.sets.csv) have none. */
enum qn_text_status qn_exp_read_intervals(struct qn_exp_table *t, const char *path, const struct qn_prof_header *h, struct qn_text_error *err);
/* The same for PROFILE.sets.csv, which has columns of its own, all but the first with numbers. */
enum qn_text_status qn_exp_read_sets(struct qn_exp_table *t, const char *path, struct qn_text_error *err);
/* One cell, quoted where it must be; false: it cannot be written. */
bool qn_exp_write_cell(FILE *out, const char *cell);
enum qn_text_status qn_exp_write_table(const struct qn_exp_table *t, const char *path, struct qn_text_error *err);

#endif
