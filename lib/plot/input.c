/* lib/plot/input.c - see input.h. */
#define _GNU_SOURCE
#include "plot/input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "plot/words.h"
#include "prof/kind.h"
#include "prof/read.h"
#include "text/csv.h"

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

enum qn_text_status qn_plot_refuse_region(const char *path, struct qn_text_error *err)
{
    if (!qn_prof_chosen_region())
        return QN_TEXT_OK;
    return qn_text_fail(err, QN_TEXT_BAD, "%s: --region: got rows, wanted a profile, which has regions", path);
}

enum qn_text_status qn_plot_read_input(struct qn_plot_input *in, const struct qn_plot_request *q, const char *path,
                                       struct qn_text_error *err)
{
    struct qn_text_csv *csv;

    *in = (struct qn_plot_input){ .path = path };
    if (qn_plot_refuse_region(path, err) != QN_TEXT_OK)
        return err->status;
    if (qn_prof_is_profile(path))
        return qn_text_fail(err, QN_TEXT_BAD, "%s: got a profile, wanted a table of comma-separated values", path);
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

/* ---- keys ---- */

bool qn_plot_is_constant(const struct qn_plot_input *in, int column)
{
    for (int row = 1; row < in->t.row_count; row++)
        if (strcmp(qn_text_cell(&in->t, row, column), qn_text_cell(&in->t, 0, column)))
            return false;
    return true;
}

/* ---- places ---- */

/* A text for the row's x, panel and keys: two rows with the same text are at the same place of the same curve. */
static char *make_place(const struct qn_plot_keys *k, int row)
{
    char *text =
        qn_text_format(k->memory, "%s\x1f%s", qn_text_cell(&k->in->t, row, k->x), qn_text_cell(&k->in->t, row, k->panel));

    for (int i = 0; i < k->count; i++)
        text = qn_text_format(k->memory, "%s\x1f%s", text, qn_text_cell(&k->in->t, row, k->columns[i]));
    return text;
}

struct placed {
    const char *place;
    int row;
};

static int compare_places(const void *a, const void *b)
{
    const struct placed *p = a, *q = b;
    int order = strcmp(p->place, q->place);

    return order ? order : p->row - q->row;
}

static struct placed *sort_places(const struct qn_plot_keys *k)
{
    int rows = k->in->t.row_count;
    struct placed *p = qn_text_alloc(k->memory, (size_t)rows * sizeof *p);

    for (int row = 0; row < rows; row++)
        p[row] = (struct placed){ make_place(k, row), row };
    qsort(p, (size_t)rows, sizeof *p, compare_places);
    return p;
}

/* Do rows i and i-1 have the same place, but different y?  If there is no y, every run is drawn by itself. */
static bool collide(const struct qn_plot_keys *k, const struct placed *p, int i)
{
    return !strcmp(p[i].place, p[i - 1].place)
           && (k->y < 0 || strcmp(qn_text_cell(&k->in->t, p[i].row, k->y), qn_text_cell(&k->in->t, p[i - 1].row, k->y)));
}

/* Do two such rows differ in the column? */
static bool splits(const struct qn_plot_keys *k, int column)
{
    const struct placed *p = sort_places(k);

    for (int i = 1; i < k->in->t.row_count; i++)
        if (collide(k, p, i)
            && strcmp(qn_text_cell(&k->in->t, p[i].row, column), qn_text_cell(&k->in->t, p[i - 1].row, column)))
            return true;
    return false;
}

static enum qn_text_status check_places(const struct qn_plot_keys *k, struct qn_text_error *err)
{
    const struct placed *p = sort_places(k);

    for (int i = 1; i < k->in->t.row_count; i++)
        if (collide(k, p, i))
            return qn_text_fail(err, QN_TEXT_BAD,
                                "%s:%ld: got the same place in the picture as line %ld, wanted one row for "
                                "each: choose rows with --where, or columns with --curve",
                                k->in->path, k->in->lines[p[i].row], k->in->lines[p[i - 1].row]);
    return QN_TEXT_OK;
}

/* ---- choosing ---- */

static void add_key(struct qn_plot_keys *k, int column)
{
    k->columns = qn_text_grow(k->memory, k->columns, (size_t)k->count, sizeof *k->columns);
    k->columns[k->count++] = column;
}

static bool may_be_key(const struct qn_plot_keys *k, int column)
{
    for (int i = 0; i < k->count; i++)
        if (k->columns[i] == column)
            return false;
    return column >= 0 && column != k->x && column != k->panel && !qn_plot_is_constant(k->in, column);
}

/* Is the column derived from others?  Such columns are tried as keys last. */
static bool is_derived(const char *name)
{
    static const char *const derived[] = { "quern", "command", "input", "options", "build_id" };
    size_t n = strlen(name);

    for (size_t i = 0; i < QN_ARRAY_LEN(derived); i++)
        if (!strcmp(name, derived[i]))
            return true;
    return n > 7 && !strcmp(name + n - 7, "_module");
}

static void add_where_needed(struct qn_plot_keys *k, bool derived)
{
    int identity = qn_text_find_column(&k->in->t, "status"); /* the columns before it identify the run */

    for (int i = 0; i < identity; i++)
        if (is_derived(k->in->t.columns[i]) == derived && may_be_key(k, i) && splits(k, i))
            add_key(k, i);
}

static enum qn_text_status take_chosen(struct qn_plot_keys *k, const char *chosen, struct qn_text_error *err)
{
    char *list = qn_text_copy(k->memory, chosen), *rest = list, *name;

    while ((name = strsep(&rest, ",")) && *name) {
        int column = qn_plot_need_column(k->in, name, err);

        if (column < 0)
            return err->status;
        add_key(k, column);
    }
    return QN_TEXT_OK;
}

enum qn_text_status qn_plot_find_keys(struct qn_plot_keys *k, const char *chosen, struct qn_text_error *err)
{
    static const char *const always[] = { "program", "sim" };

    if (chosen) {
        if (take_chosen(k, chosen, err) != QN_TEXT_OK)
            return err->status;
    } else if (qn_text_find_column(&k->in->t, "status") >= 0) {
        for (size_t i = 0; i < QN_ARRAY_LEN(always); i++) {
            int column = qn_text_find_column(&k->in->t, always[i]);

            if (may_be_key(k, column))
                add_key(k, column);
        }
        add_where_needed(k, false);
        add_where_needed(k, true);
    }
    return check_places(k, err);
}

char *qn_plot_name_curve(const struct qn_plot_keys *k, int row)
{
    char *name = qn_text_copy(k->memory, "");

    for (int i = 0; i < k->count; i++)
        name = qn_text_format(k->memory, "%s%s%s", name, *name ? ", " : "",
                             qn_plot_say_value(k->memory, k->in->t.columns[k->columns[i]],
                                               qn_text_cell(&k->in->t, row, k->columns[i])));
    return name;
}
