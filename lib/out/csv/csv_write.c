/*
 * Profiles to CSV. See csv.h.
 *
 * In:  profiles, read twice: their headers for the columns, then one after the other for the rows
 * Out: a row of column names, rows
 *
 * Invariants: the cells that are the same in all rows of a profile are made once (`prefix`); memory
 * holds one profile at most.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/columns.h"
#include "out/csv/csv.h"
#include "out/csv/csv_cells.h"
#include "out/csv/csv_rows.h"
#include "out/findings.h"
#include "prof/counts.h"
#include "prof/merge.h"
#include "prof/table/table.h"
#include "prof/tables/calls.h"
#include "prof/tables/data.h"

/* ---- what the cells of each kind of row are ---- */

enum type {
    TEXT,    /* const char *; NULL: an empty cell */
    OBJECT,  /* the same; NULL: ??? */
    LINE,    /* uint32_t */
    KNOWN,   /* uint32_t; 0: an empty cell */
    COUNT,   /* int64_t */
    ADDRESS, /* const struct qn_prof_insn *; NULL: an empty cell; the next two: */
    BYTES,
    INSN
};

struct column {
    const char *name;
    enum type type;
    int record; /* which of those that the row hands out */
    size_t at;  /* in this record */
};

#define COLUMN(name, type, record, of, member) {name, type, record, offsetof(struct of, member)}

static const struct column place[] = {
    COLUMN("object", TEXT, 0, qn_prof_row, object), COLUMN("file", TEXT, 0, qn_prof_row, file),
    COLUMN("function", TEXT, 0, qn_prof_row, function), COLUMN("line", LINE, 0, qn_prof_row, line),
    COLUMN("address", ADDRESS, 0, qn_prof_row, insn), COLUMN("bytes", BYTES, 0, qn_prof_row, insn),
    COLUMN("instruction", INSN, 0, qn_prof_row, insn)};

static const struct column thread[] = {COLUMN("thread", LINE, 0, qn_prof_thread, number)};

static const struct column inclusive[] = {
    COLUMN("object", OBJECT, 0, qn_prof_call_fn, object), COLUMN("file", TEXT, 0, qn_prof_call_fn, file),
    COLUMN("function", TEXT, 0, qn_prof_call_fn, name), COLUMN("called", COUNT, 0, qn_prof_call_fn, called)};

static const struct column call[] = {
    COLUMN("object", OBJECT, 0, qn_prof_call_fn, object), COLUMN("file", TEXT, 0, qn_prof_call_fn, file),
    COLUMN("function", TEXT, 0, qn_prof_call_fn, name), COLUMN("line", LINE, 1, qn_prof_call_edge, line), {"line_file", TEXT, 3, 0},
    COLUMN("callee_object", OBJECT, 2, qn_prof_call_fn, object), COLUMN("callee_file", TEXT, 2, qn_prof_call_fn, file),
    COLUMN("callee", TEXT, 2, qn_prof_call_fn, name), COLUMN("calls", COUNT, 1, qn_prof_call_edge, calls)};

#define OBJECT_COLUMNS(record, kind_, name_, file_, line_, function_, type_)                                       \
    COLUMN(kind_, TEXT, record, qn_prof_object, kind), COLUMN(name_, TEXT, record, qn_prof_object, name),          \
    COLUMN(file_, TEXT, record, qn_prof_object, file), COLUMN(line_, KNOWN, record, qn_prof_object, line),         \
    COLUMN(function_, TEXT, record, qn_prof_object, function), COLUMN(type_, TEXT, record, qn_prof_object, type)
#define DATA_COLUMNS OBJECT_COLUMNS(0, "kind", "data", "data_file", "data_line", "data_function", "type")

static const struct column data[] = {
    DATA_COLUMNS, COLUMN("part", TEXT, 1, qn_prof_part, name), COLUMN("file", TEXT, 2, qn_prof_miss, file),
    COLUMN("function", TEXT, 2, qn_prof_miss, function), COLUMN("line", LINE, 2, qn_prof_miss, line)};

static const struct column pair[] = {
    DATA_COLUMNS, OBJECT_COLUMNS(1, "by_kind", "by_data", "by_file", "by_line", "by_function", "by_type"),
    COLUMN("misses", COUNT, 2, qn_prof_pair, misses), COLUMN("conflicts", COUNT, 2, qn_prof_pair, conflicts)};

static const struct column used[] = {
    DATA_COLUMNS, COLUMN("part", TEXT, 1, qn_prof_part, name), COLUMN("filled", COUNT, 2, qn_prof_use, filled),
    COLUMN("used", COUNT, 2, qn_prof_use, used)};

#define ALL(columns) {columns, sizeof columns / sizeof *columns}
static const struct kind {
    const struct column *columns;
    size_t count;
} kinds[] = {
    [QN_OUT_CSV_PROGRAM] = {place, 0}, [QN_OUT_CSV_OBJECT] = {place, 1}, [QN_OUT_CSV_FILE] = {place + 1, 1},
    [QN_OUT_CSV_FUNCTION] = {place, 3}, [QN_OUT_CSV_LINE] = {place, 4}, [QN_OUT_CSV_INSN] = ALL(place),
    [QN_OUT_CSV_THREAD] = ALL(thread), [QN_OUT_CSV_INCLUSIVE] = ALL(inclusive), [QN_OUT_CSV_CALL] = ALL(call),
    [QN_OUT_CSV_DATA] = ALL(data), [QN_OUT_CSV_PAIR] = ALL(pair), [QN_OUT_CSV_USED] = ALL(used)};

/* ---- writing ---- */

enum { INSN_TEXT = 256 }; /* bytes of the longest cell of an instruction */

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
    for (size_t i = 0; i < kinds[c->q->by].count; i++)
        put_cell(&c->row, kinds[c->q->by].columns[i].name);
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

static void put_count(struct qn_text_buffer *row, int64_t count)
{
    char text[QN_OUT_CSV_NUMBER + 1] = ",";
    qn_text_append(row, text, 1 + qn_out_csv_count(text + 1, count));
}

static void put_insn(struct qn_text_buffer *row, enum type type, const struct qn_prof_insn *insn)
{
    char text[INSN_TEXT] = "";
    if (insn && type == ADDRESS)
        qn_prof_format_address(text, insn->address);
    if (insn && type == BYTES)
        qn_prof_format_bytes(text, insn);
    if (insn && type == INSN)
        qn_out_disassemble(text, sizeof text, insn);
    put_cell(row, text);
}

/* The cell of a record, which may be NULL. */
static void put_column(struct qn_text_buffer *row, const struct column *column, const void *record)
{
    const void *field = record ? (const char *)record + column->at : NULL;
    const char *text = field && column->type <= OBJECT ? *(const char *const *)field : NULL;
    if (!field || (column->type == KNOWN && !*(const uint32_t *)field))
        put_cell(row, "");
    else if (column->type <= OBJECT)
        put_cell(row, text ? text : column->type == OBJECT ? QN_PROF_NOT_KNOWN : "");
    else if (column->type <= KNOWN)
        put_count(row, *(const uint32_t *)field);
    else if (column->type == COUNT)
        put_count(row, *(const int64_t *)field);
    else
        put_insn(row, column->type, *(const struct qn_prof_insn *const *)field);
}

static void put_row(void *csv, const void *const records[QN_OUT_CSV_RECORDS], const int64_t *counts)
{
    struct csv *c = csv;
    const struct kind *kind = &kinds[c->q->by];
    c->row.length = 0;
    qn_text_append(&c->row, c->prefix.text, c->prefix.length);
    for (size_t i = 0; i < kind->count; i++)
        put_column(&c->row, &kind->columns[i], records[kind->columns[i].record]);
    for (int i = 0; i < c->columns.shown_count; i++)
        put_number(c, &c->columns.shown[i], counts);
    end_row(c);
}

static enum qn_text_status put_profile(struct csv *c, struct qn_prof_reader *r, const char *path)
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
        status = qn_out_csv_data(path, c->q->by, qn_prof_reader_header(r), put_row, c, c->err);
    else if (status == QN_TEXT_OK && c->q->by >= QN_OUT_CSV_INCLUSIVE)
        status = qn_out_csv_calls(path, c->q->by, qn_prof_reader_header(r), put_row, c, c->err);
    else if (status == QN_TEXT_OK && c->q->by == QN_OUT_CSV_THREAD)
        status = qn_out_csv_threads(path, qn_prof_table_totals(t), put_row, c, c->err);
    else if (status == QN_TEXT_OK)
        status = qn_out_csv_rows(t, c->q->by, c->events.event_count, put_row, c, c->err);
    qn_prof_free_merge(m);
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
