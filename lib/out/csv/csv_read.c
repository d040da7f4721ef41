/*
 * CSV to a profile. See csv.h.
 *
 * In:  rows by line, or by instruction, of one profile
 * Out: the profile
 *
 * Invariant: nothing is written before every row has been read and the rows add up to the totals.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/csv/csv.h"
#include "out/csv/csv_map.h"
#include "prof/counts.h"
#include "text/digits.h"
#include "prof/table/table.h"

struct reading {
    struct qn_out_csv_map map;
    long line; /* of the last record */
    int64_t *counts; /* of a row */
    struct qn_prof_table *table;
    struct qn_text_error *err;
};

static enum qn_text_status bad(struct reading *r, const struct qn_out_csv_record *record, const char *what,
                               const char *got, const char *wanted)
{
    return qn_out_csv_bad(r->map.path, record, what, got, wanted, r->err);
}

static const char *cell_of(const struct reading *r, const struct qn_out_csv_record *record,
                           enum qn_out_csv_column column)
{
    int at = r->map.column[column];
    return at == QN_OUT_CSV_NONE ? "" : record->cells[at];
}

static enum qn_text_status take_counts(struct reading *r, const struct qn_out_csv_record *record)
{
    for (int i = 0; i < r->map.event_count; i++) {
        const char *cell = record->cells[r->map.event_column[i]];
        const char *end = qn_text_parse_integer(cell, &r->counts[i]);
        if (!end || *end)
            return bad(r, record, "malformed count", cell, "a 64-bit number");
    }
    return QN_TEXT_OK;
}

static int all_zero(const struct reading *r)
{
    for (int i = 0; i < r->map.event_count; i++)
        if (r->counts[i] != 0)
            return 0;
    return 1;
}

/* Adds to the table; `err` gets the place, which the table does not know. */
static enum qn_text_status noted(struct reading *r, const struct qn_out_csv_record *record,
                                 const struct qn_text_error *why)
{
    if (why->status == QN_TEXT_BAD)
        return bad(r, record, "sum out of range", cell_of(r, record, QN_OUT_CSV_AT_LINE),
                   "sums within 64 bits");
    return QN_TEXT_OK;
}

static enum qn_text_status add_insn(struct reading *r, const struct qn_out_csv_record *record,
                                    uint32_t fn, uint32_t line)
{
    const char *address = cell_of(r, record, QN_OUT_CSV_AT_ADDRESS);
    const char *bytes = cell_of(r, record, QN_OUT_CSV_AT_BYTES), *end;
    struct qn_prof_insn insn;
    struct qn_text_error why = {0};
    if (!*address && !*bytes && all_zero(r))
        return QN_TEXT_OK;
    if (!(end = qn_prof_parse_address(address, &insn.address)) || *end)
        return bad(r, record, "malformed address", address, "0x and hexadecimal digits");
    if (!(end = qn_prof_parse_bytes(bytes, &insn)) || *end)
        return bad(r, record, "malformed bytes", bytes, "at most 15 in hexadecimal, or -");
    qn_prof_table_add_insn(r->table, fn, line, &insn, r->counts, &why);
    return noted(r, record, &why);
}

/* The names of the place; QN_PROF_NO_FN where one is missing. */
static uint32_t find_fn(struct reading *r, const struct qn_out_csv_record *record)
{
    static const enum qn_out_csv_column columns[] = {QN_OUT_CSV_AT_OBJECT, QN_OUT_CSV_AT_FILE,
                                                     QN_OUT_CSV_AT_FUNCTION};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!*cell_of(r, record, columns[i])) {
            bad(r, record, "a name is missing", qn_out_csv_names[columns[i]], "a name in that column, or ???");
            return QN_PROF_NO_FN;
        }
    qn_prof_table_enter_object(r->table, cell_of(r, record, QN_OUT_CSV_AT_OBJECT));
    return qn_prof_table_fn(r->table, cell_of(r, record, QN_OUT_CSV_AT_FILE), cell_of(r, record, QN_OUT_CSV_AT_FUNCTION));
}

/* A profile without counts has a row without a place. */
static int has_no_place(const struct reading *r, const struct qn_out_csv_record *record)
{
    for (int i = QN_OUT_CSV_AT_OBJECT; i < QN_OUT_CSV_COLUMNS; i++)
        if (*cell_of(r, record, (enum qn_out_csv_column)i))
            return 0;
    return all_zero(r);
}

/* A line's own counts are the sums of its instructions. */
static enum qn_text_status add_row(struct reading *r, const struct qn_out_csv_record *record)
{
    const char *line = cell_of(r, record, QN_OUT_CSV_AT_LINE), *end;
    struct qn_text_error why = {0};
    int64_t number;
    if (has_no_place(r, record))
        return QN_TEXT_OK;
    if (!(end = qn_text_parse_integer(line, &number)) || *end || number < 0 || number > UINT32_MAX)
        return bad(r, record, "malformed line number", line, "a number below 2^32");
    uint32_t fn = find_fn(r, record);
    if (fn == QN_PROF_NO_FN)
        return r->err->status;
    qn_prof_table_add_line(r->table, fn, (uint32_t)number, r->counts, &why);
    if (noted(r, record, &why) != QN_TEXT_OK)
        return r->err->status;
    return r->map.column[QN_OUT_CSV_AT_ADDRESS] == QN_OUT_CSV_NONE
               ? QN_TEXT_OK : add_insn(r, record, fn, (uint32_t)number);
}

static enum qn_text_status take_first(struct reading *r, const struct qn_out_csv_record *record)
{
    if (qn_out_csv_map_first(&r->map, record, r->err) != QN_TEXT_OK)
        return r->err->status;
    r->counts = QN_NEEDED(calloc((size_t)r->map.event_count, sizeof *r->counts));
    r->table = qn_prof_new_table(r->map.event_count);
    return QN_TEXT_OK;
}

/* Spreadsheets write rows of empty cells below a table. */
static int is_empty(const struct qn_out_csv_record *record)
{
    for (int i = 0; i < record->count; i++)
        if (record->cells[i][0])
            return 0;
    return 1;
}

static enum qn_text_status take_record(struct reading *r, const struct qn_out_csv_record *record)
{
    if (!r->map.names)
        return qn_out_csv_map_names(&r->map, record, r->err);
    if (is_empty(record))
        return QN_TEXT_OK;
    if ((r->table ? qn_out_csv_map_next(&r->map, record, r->err) : take_first(r, record)) != QN_TEXT_OK)
        return r->err->status;
    return take_counts(r, record) == QN_TEXT_OK ? add_row(r, record) : r->err->status;
}

static enum qn_text_status read_records(struct reading *r)
{
    struct qn_out_csv_record record;
    struct qn_out_csv_table *csv = qn_out_open_csv(r->map.path, r->err);
    enum qn_text_status status = csv ? QN_TEXT_OK : r->err->status;
    while (status == QN_TEXT_OK && qn_out_next_record(csv, &record, r->err) > 0) {
        r->line = record.line;
        status = take_record(r, &record);
    }
    qn_out_close_csv(csv);
    if (r->err->status == QN_TEXT_OK && !r->table)
        qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: no rows, got the end of the file, wanted a profile",
                     r->map.path, r->line + 1);
    return r->err->status;
}

static enum qn_text_status check_totals(struct reading *r)
{
    const int64_t *sums = qn_prof_table_totals(r->table);
    for (int i = 0; i < r->map.event_count; i++)
        if (qn_prof_count(sums[i]) != r->map.totals[i])
            return qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: the rows do not add up to `summary`, got %" PRId64
                                " %s, wanted %" PRId64, r->map.path, r->line, qn_prof_count(sums[i]),
                                r->map.events[i], r->map.totals[i]);
    return QN_TEXT_OK;
}

static void write_descs(const struct reading *r, struct qn_prof_writer *w)
{
    const struct qn_out_csv_map *m = &r->map;
    struct qn_text_buffer desc = {0};
    for (int i = 0; i < m->column[QN_OUT_CSV_EVENTS]; i++) {
        if (!qn_out_csv_is_desc(m, i) || !m->metadata[i][0])
            continue;
        qn_out_csv_join_desc(&desc, m->names[i], m->metadata[i]);
        qn_prof_put_desc(w, desc.text);
    }
    free(desc.text);
}

static void write_profile(struct reading *r, struct qn_prof_writer *w)
{
    write_descs(r, w);
    qn_prof_put_cmd(w, r->map.metadata[r->map.column[QN_OUT_CSV_COMMAND]]);
    qn_prof_put_events(w, (const char *const *)r->map.events, r->map.event_count);
    qn_prof_table_write(r->table, w);
}

enum qn_text_status qn_out_read_csv(const char *path, struct qn_prof_writer *w, struct qn_text_error *err)
{
    struct reading r = {.map.path = path, .err = err};
    if (read_records(&r) == QN_TEXT_OK && check_totals(&r) == QN_TEXT_OK)
        write_profile(&r, w);
    qn_out_csv_free_map(&r.map);
    free(r.counts);
    qn_prof_free_table(r.table);
    return err->status;
}
