/*
 * Profiles to CSV. See csv.h.
 *
 * In:  profiles, read twice: their headers for the columns, then one after the other for the rows
 * Out: a row of column names, rows
 *
 * Invariants: the cells that are the same in all rows of a profile are made once (`prefix`); memory
 * holds one profile at most, and nothing of one that is written line by line as it stands (csv_sorted.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/columns.h"
#include "out/csv/csv.h"
#include "out/csv/csv_calls.h"
#include "out/csv/csv_data.h"
#include "out/csv/csv_head.h"
#include "out/csv/csv_number.h"
#include "out/csv/csv_rows.h"
#include "out/csv/csv_sorted.h"
#include "prof/counts.h"
#include "prof/merge.h"
#include "prof/table/table.h"

struct csv {
    const struct qn_out_csv_request *q;
    struct qn_prof_writer *w;
    struct qn_out_csv_keys keys;
    struct qn_out_columns columns;
    struct qn_prof_header events; /* of the first profile: only event_count and events */
    char *events_cell;
    struct qn_prof_reader *first; /* the first profile, open since its header was read */
    struct qn_text_buffer prefix, row;
    struct qn_text_error *err;
};

/* A comma unless the row is empty, and a cell. */
static void put_cell(struct qn_text_buffer *to, const char *text)
{
    if (to->length > 0)
        qn_text_append(to, ",", 1);
    qn_out_csv_cell(to, text);
}

static void end_row(struct csv *c)
{
    qn_text_append(&c->row, c->q->lf ? "\n" : "\r\n", c->q->lf ? 1 : 2);
    qn_prof_put_text(c->w, c->row.text);
}

static void copy_events(struct csv *c, const struct qn_prof_header *h)
{
    struct qn_text_buffer cell = {0};
    c->events.events = QN_NEEDED(calloc((size_t)h->event_count, sizeof *c->events.events));
    c->events.event_count = h->event_count;
    for (int i = 0; i < h->event_count; i++) {
        c->events.events[i] = QN_NEEDED(strdup(h->events[i]));
        qn_text_append(&cell, " ", i > 0);
        qn_text_append(&cell, h->events[i], strlen(h->events[i]));
    }
    c->events_cell = cell.text;
}

static enum qn_text_status match_events(const struct csv *c, const struct qn_prof_header *h,
                                        const char *path)
{
    int same = c->events.event_count == h->event_count;
    for (int i = 0; i < h->event_count && same; i++)
        same = strcmp(c->events.events[i], h->events[i]) == 0;
    return same ? QN_TEXT_OK
                : qn_text_fail(c->err, QN_TEXT_BAD, "%s: events don't match, got `%s`, wanted `%s`",
                               path, h->events_line.text, c->events_cell);
}

/* Looks at the headers of all inputs. The first stays open: it may be standard input. */
static enum qn_text_status read_headers(struct csv *c)
{
    for (int i = 0; i < c->q->input_count; i++) {
        const char *path = c->q->inputs[i];
        if (i > 0 && strcmp(path, "-") == 0)
            return qn_text_fail(c->err, QN_TEXT_BAD, "-: standard input can only be the first profile");
        struct qn_prof_reader *r = qn_prof_open_reader(path, c->err);
        if (!r)
            return c->err->status;
        const struct qn_prof_header *h = qn_prof_reader_header(r);
        if (i == 0)
            copy_events(c, h);
        else
            match_events(c, h, path);
        if (!c->q->no_metadata)
            qn_out_csv_add_keys(&c->keys, h);
        if (i == 0)
            c->first = r;
        else
            qn_prof_close_reader(r);
        if (c->err->status != QN_TEXT_OK)
            return c->err->status;
    }
    const char *show = c->q->show;
    if (c->q->by == QN_OUT_CSV_DATA)
        return qn_out_csv_data_columns(&c->columns, &c->events, show, c->err);
    if (c->q->by > QN_OUT_CSV_DATA)
        return QN_TEXT_OK; /* counts of their own */
    return show ? qn_out_choose_columns(&c->columns, &c->events, show, NULL, c->err)
                : qn_out_choose_all_columns(&c->columns, &c->events, c->err);
}

static void put_name(struct csv *c, enum qn_out_csv_column column)
{
    put_cell(&c->row, qn_out_csv_names[column]);
}

static const char *const *row_names(const struct csv *c)
{
    return c->q->by >= QN_OUT_CSV_DATA ? qn_out_csv_data_names(c->q->by) : qn_out_csv_call_names(c->q->by);
}

static enum qn_text_status put_names(struct csv *c)
{
    put_name(c, QN_OUT_CSV_PROFILE);
    if (!c->q->no_metadata) {
        put_name(c, QN_OUT_CSV_COMMAND);
        for (int i = 0; i < c->keys.count; i++)
            put_cell(&c->row, c->keys.names[i]);
        put_name(c, QN_OUT_CSV_EVENTS);
        put_name(c, QN_OUT_CSV_SUMMARY);
        for (int i = 0; i < QN_OUT_CSV_GEOMETRY && c->q->by == QN_OUT_CSV_PROGRAM; i++)
            put_cell(&c->row, qn_out_csv_geometry_names[i]);
    }
    if (c->q->by >= QN_OUT_CSV_INCLUSIVE)
        for (const char *const *name = row_names(c); *name; name++)
            put_cell(&c->row, *name);
    for (int i = QN_OUT_CSV_AT_OBJECT; i < QN_OUT_CSV_COLUMNS && c->q->by < QN_OUT_CSV_INCLUSIVE; i++)
        if (qn_out_csv_has_place(c->q->by, i))
            put_name(c, i);
    for (int i = 0; i < c->columns.shown_count; i++)
        put_cell(&c->row, c->columns.shown[i].name);
    if (c->err->status == QN_TEXT_OK)
        end_row(c);
    return c->err->status;
}

/* "8 4 1" */
static void put_totals(struct csv *c, const int64_t *totals)
{
    struct qn_text_buffer cell = {0};
    qn_text_append(&cell, "", 0);
    for (int i = 0; i < c->events.event_count; i++) {
        char number[24];
        int n = snprintf(number, sizeof number, "%s%" PRId64, i ? " " : "", qn_prof_count(totals[i]));
        qn_text_append(&cell, number, (size_t)n);
    }
    put_cell(&c->prefix, cell.text);
    free(cell.text);
}

static void put_geometry(struct csv *c, const struct qn_prof_header *h)
{
    uint64_t numbers[QN_OUT_CSV_GEOMETRY];
    qn_out_csv_find_geometry(h, numbers);
    for (int i = 0; i < QN_OUT_CSV_GEOMETRY; i++) {
        char text[24] = "";
        if (numbers[i])
            snprintf(text, sizeof text, "%" PRIu64, numbers[i]);
        put_cell(&c->prefix, text);
    }
}

static void make_prefix(struct csv *c, const char *path, const struct qn_prof_header *h, const int64_t *totals)
{
    c->prefix.length = 0;
    put_cell(&c->prefix, path);
    if (c->q->no_metadata)
        return;
    const char **values = QN_NEEDED(calloc((size_t)c->keys.count + 1, sizeof *values));
    qn_out_csv_find_values(&c->keys, h, values);
    put_cell(&c->prefix, h->cmd.text);
    for (int i = 0; i < c->keys.count; i++)
        put_cell(&c->prefix, values[i] ? values[i] : "");
    put_cell(&c->prefix, c->events_cell);
    put_totals(c, totals);
    if (c->q->by == QN_OUT_CSV_PROGRAM)
        put_geometry(c, h);
    free(values);
}

/* Six significant digits, and all before the point. */
static void put_number(struct csv *c, const struct qn_out_column *column, const int64_t *counts)
{
    char text[QN_OUT_CSV_NUMBER + 1] = ",";
    size_t length = 1;
    double value;
    if (column->event >= 0)
        length += qn_out_csv_count(text + 1, qn_prof_count(counts[column->event]));
    else if (qn_out_eval_expr(column->expr, counts, &value))
        length += qn_out_csv_ratio(text + 1, value);
    qn_text_append(&c->row, text, length);
}

static void put_place(struct csv *c, const struct qn_prof_row *place)
{
    for (int i = QN_OUT_CSV_AT_OBJECT; i < QN_OUT_CSV_COLUMNS; i++) {
        char text[QN_OUT_CSV_PLACE_TEXT];
        if (qn_out_csv_has_place(c->q->by, i))
            put_cell(&c->row, qn_out_csv_place_text(place, i, text));
    }
}

static void begin_row(struct csv *c)
{
    c->row.length = 0;
    qn_text_append(&c->row, c->prefix.text, c->prefix.length);
}

static void put_counts(struct csv *c, const int64_t *counts)
{
    for (int i = 0; i < c->columns.shown_count; i++)
        put_number(c, &c->columns.shown[i], counts);
    end_row(c);
}

static void put_row(void *data, const struct qn_prof_row *place, const int64_t *counts)
{
    struct csv *c = data;
    begin_row(c);
    put_place(c, place);
    put_counts(c, counts);
}

static void put_call(void *data, const char *const *cells, const int64_t *counts)
{
    struct csv *c = data;
    begin_row(c);
    for (int i = 0; row_names(c)[i]; i++)
        put_cell(&c->row, cells[i]);
    put_counts(c, counts);
}

/* A profile whose lines are in order: nothing of it has to be held. */
static enum qn_text_status put_sorted(struct csv *c, struct qn_prof_reader *r, const char *path, const int64_t *totals)
{
    make_prefix(c, path, qn_prof_reader_header(r), totals);
    return qn_out_csv_sorted_rows(r, path, totals, put_row, c, c->err);
}

/* Any other: lines are added up and sorted. */
static enum qn_text_status put_table(struct csv *c, struct qn_prof_reader *r, const char *path)
{
    char warning[QN_TEXT_MAX];
    struct qn_prof_merge *m = qn_prof_new_merge(NULL, NULL);
    enum qn_text_status status = qn_prof_merge_reader(m, r, path, warning, sizeof warning, c->err);
    struct qn_prof_table *t = qn_prof_merge_table(m);
    if (status == QN_TEXT_OK && c->q->by == QN_OUT_CSV_INSN && !qn_prof_reader_has_insns(r))
        status = qn_text_fail(c->err, QN_TEXT_BAD, "%s: no counts of instructions, got counts by line, "
                              "wanted a profile of `quern run --dump-instr=yes`", path);
    if (status == QN_TEXT_OK)
        make_prefix(c, path, qn_prof_reader_header(r), qn_prof_table_totals(t));
    if (status == QN_TEXT_OK && c->q->by >= QN_OUT_CSV_DATA)
        status = qn_out_csv_data(path, c->q->by, qn_prof_reader_header(r), put_call, c, c->err);
    else if (status == QN_TEXT_OK && c->q->by >= QN_OUT_CSV_INCLUSIVE)
        status = qn_out_csv_calls(path, c->q->by, qn_prof_reader_header(r), put_call, c, c->err);
    else if (status == QN_TEXT_OK)
        status = qn_out_csv_rows(t, c->q->by, c->events.event_count, put_row, c, c->err);
    qn_prof_free_merge(m);
    return status;
}

static enum qn_text_status put_profile(struct csv *c, struct qn_prof_reader *r, const char *path)
{
    int64_t *totals = QN_NEEDED(malloc((size_t)c->events.event_count * sizeof *totals));
    int sorted = 0;
    if (c->q->by == QN_OUT_CSV_LINE)
        sorted = qn_out_csv_is_sorted(path, totals, c->events.event_count, c->err);
    enum qn_text_status status = sorted < 0 ? c->err->status
                                 : sorted ? put_sorted(c, r, path, totals) : put_table(c, r, path);
    free(totals);
    return status;
}

static enum qn_text_status put_profiles(struct csv *c)
{
    for (int i = 0; i < c->q->input_count; i++) {
        const char *path = c->q->inputs[i];
        struct qn_prof_reader *r = i ? qn_prof_open_reader(path, c->err) : c->first;
        if (!r)
            return c->err->status;
        if (i == 0)
            c->first = NULL;
        enum qn_text_status status = match_events(c, qn_prof_reader_header(r), path);
        if (status == QN_TEXT_OK)
            status = put_profile(c, r, path);
        qn_prof_close_reader(r);
        if (status != QN_TEXT_OK)
            return status;
    }
    return QN_TEXT_OK;
}

enum qn_text_status qn_out_write_csv(const struct qn_out_csv_request *q, struct qn_prof_writer *w,
                                     struct qn_text_error *err)
{
    struct csv c = {.q = q, .w = w, .err = err};
    if (read_headers(&c) == QN_TEXT_OK && put_names(&c) == QN_TEXT_OK)
        put_profiles(&c);
    qn_prof_close_reader(c.first);
    qn_out_csv_free_keys(&c.keys);
    qn_out_free_columns(&c.columns);
    for (int i = 0; i < c.events.event_count; i++)
        free(c.events.events[i]);
    free(c.events.events);
    free(c.events_cell);
    free(c.prefix.text);
    free(c.row.text);
    return err->status;
}
