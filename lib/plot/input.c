/* lib/plot/input.c - see input.h. */
#include "plot/input.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "exp/sizes.h"
#include "text/csv.h"
#include "prof/kind.h"
#include "prof/read.h"

#define STATUS "status" /* the column of a sweep that says whether a run succeeded */
#define OK "ok"

/* ---- rows that count ---- */

/* The value of "COLUMN=VALUE" if it is for this column; else NULL. */
static const char *value_for(const char *where, const char *column)
{
    size_t n = strlen(column);

    return !strncmp(where, column, n) && where[n] == '=' ? where + n + 1 : NULL;
}

static bool is_wanted(const struct qn_plot_input *in, const struct qn_plot_request *q, const char *const *cells)
{
    for (int w = 0; w < q->where_count; w++)
        for (int i = 0; i < in->t.column_count; i++) {
            const char *value = value_for(q->where[w], in->t.columns[i]);

            if (value && strcmp(value, cells[i]))
                return false;
        }
    return true;
}

static enum qn_text_status check_where(const struct qn_plot_input *in, const struct qn_plot_request *q,
                                       struct qn_text_error *err)
{
    for (int w = 0; w < q->where_count; w++) {
        bool found = false;

        for (int i = 0; i < in->t.column_count; i++)
            found |= value_for(q->where[w], in->t.columns[i]) != NULL;
        if (!found)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:1: --where=%s: got no such column, wanted COLUMN=VALUE", in->path,
                                q->where[w]);
    }
    return QN_TEXT_OK;
}

/* ---- reading ---- */

static enum qn_text_status take_row(struct qn_plot_input *in, const struct qn_plot_request *q,
                                    const struct qn_text_csv_record *record, struct qn_text_error *err)
{
    int status = qn_text_find_column(&in->t, STATUS);
    char **row;

    if (record->count != in->t.column_count)
        return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: cells: got %d, wanted %d", in->path, record->line, record->count,
                            in->t.column_count);
    if (!is_wanted(in, q, record->cells))
        return QN_TEXT_OK;
    if (status >= 0 && strcmp(record->cells[status], OK)) {
        in->failed++;
        return QN_TEXT_OK;
    }
    in->lines = qn_text_grow(&in->t.memory, in->lines, (size_t)in->t.row_count, sizeof *in->lines);
    in->lines[in->t.row_count] = record->line;
    row = qn_text_add_row(&in->t);
    for (int i = 0; i < record->count; i++)
        row[i] = qn_text_copy(&in->t.memory, record->cells[i]);
    return QN_TEXT_OK;
}

static enum qn_text_status read_records(struct qn_plot_input *in, const struct qn_plot_request *q,
                                        struct qn_text_csv *csv, struct qn_text_error *err)
{
    struct qn_text_csv_record record;
    int more;

    while ((more = qn_text_next_record(csv, &record, err)) > 0) {
        if (in->t.column_count == 0) {
            for (int i = 0; i < record.count; i++)
                qn_text_add_column(&in->t, record.cells[i]);
            if (check_where(in, q, err) != QN_TEXT_OK)
                return err->status;
        } else if (take_row(in, q, &record, err) != QN_TEXT_OK) {
            return err->status;
        }
    }
    if (more < 0)
        return err->status;
    if (in->t.row_count == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: rows: got none%s%s, wanted one at least", in->path,
                            in->failed ? " of a run that succeeded" : "",
                            q->where_count ? " that --where leaves in" : "");
    return QN_TEXT_OK;
}

/* Reads a log of the analysis sizes as rows of a sweep. */
static enum qn_text_status read_log(struct qn_plot_input *in, const struct qn_plot_request *q, struct qn_text_error *err)
{
    struct qn_text_table rows = { 0 };

    if (q->level && strcmp(q->level, "D1"))
        return qn_text_fail(err, QN_TEXT_BAD, "%s: --level: got %s, wanted D1: the analysis sizes tells of no other level", in->path, q->level);
    if (qn_exp_read_sizes(&rows, in->path, "", err) == QN_TEXT_OK && !rows.row_count)
        qn_text_fail(err, QN_TEXT_BAD, "%s: got no line 'AN: misses of D1s by size ...', wanted rows, or the log of a run with the analysis sizes", in->path);
    for (int i = 0; i < rows.column_count; i++)
        qn_text_add_column(&in->t, rows.columns[i]);
    if (err->status == QN_TEXT_OK)
        check_where(in, q, err);
    for (int i = 0; i < rows.row_count && err->status == QN_TEXT_OK; i++)
        take_row(in, q, &(struct qn_text_csv_record){ .count = rows.column_count, .cells = (const char **)rows.rows[i] }, err);
    qn_text_free_table(&rows);
    return err->status;
}

enum qn_text_status qn_plot_read_input(struct qn_plot_input *in, const struct qn_plot_request *q, const char *path,
                                       struct qn_text_error *err)
{
    struct qn_text_csv *csv;

    *in = (struct qn_plot_input){ .path = path };
    if (qn_prof_chosen_region())
        return qn_text_fail(err, QN_TEXT_BAD, "%s: --region: got rows, wanted a profile, which has regions", path);
    if (qn_prof_is_profile(path))
        return qn_text_fail(err, QN_TEXT_BAD, "%s: got a profile, wanted a table of comma-separated values", path);
    if (qn_exp_is_log(path))
        return read_log(in, q, err);
    csv = qn_text_open_csv(path, err);
    if (!csv)
        return err->status;
    read_records(in, q, csv, err);
    qn_text_close_csv(csv);
    return err->status;
}

void qn_plot_free_input(struct qn_plot_input *in) { qn_text_free_table(&in->t); }

/* ---- looking at it ---- */

int qn_plot_need_column(const struct qn_plot_input *in, const char *name, struct qn_text_error *err)
{
    int column = qn_text_find_column(&in->t, name);

    if (column < 0)
        qn_text_fail(err, QN_TEXT_BAD, "%s:1: column: got none called '%s', wanted it among %d", in->path, name,
                     in->t.column_count);
    return column;
}

enum qn_text_status qn_plot_need_number(const struct qn_plot_input *in, int row, int column, double *number,
                                        struct qn_text_error *err)
{
    if (qn_text_cell_number(&in->t, row, column, number) && isfinite(*number))
        return QN_TEXT_OK;
    return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: %s: got '%s', wanted a number", in->path, in->lines[row],
                        in->t.columns[column], qn_text_cell(&in->t, row, column));
}
