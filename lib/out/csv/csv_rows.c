/*
 * Rows by program, object, file, function, line or instruction. See csv_rows.h.
 *
 * In:  a table, sorted by file, function, object, line, address
 * Out: one row per group of rows that agree in what `by` shows
 *
 * Rows of one object or function are not together in that order, so another table adds them up.
 */
#include "out/csv/csv_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out/disassemble.h"
#include "prof/counts.h"
#include "prof/table/functions.h"

int qn_out_csv_has_place(enum qn_out_csv_by by, enum qn_out_csv_column column)
{
    switch (column) {
    case QN_OUT_CSV_AT_OBJECT: return by == QN_OUT_CSV_OBJECT || by >= QN_OUT_CSV_FUNCTION;
    case QN_OUT_CSV_AT_FILE: return by >= QN_OUT_CSV_FILE;
    case QN_OUT_CSV_AT_FUNCTION: return by >= QN_OUT_CSV_FUNCTION;
    case QN_OUT_CSV_AT_LINE: return by >= QN_OUT_CSV_LINE;
    case QN_OUT_CSV_AT_ADDRESS:
    case QN_OUT_CSV_AT_BYTES:
    case QN_OUT_CSV_AT_TEXT: return by == QN_OUT_CSV_INSN;
    default: return 0;
    }
}

const char *qn_out_csv_place_text(const struct qn_prof_row *place, enum qn_out_csv_column column,
                                  char room[QN_OUT_CSV_PLACE_TEXT])
{
    room[0] = '\0';
    if (!place->file)
        return room;
    switch (column) {
    case QN_OUT_CSV_AT_OBJECT: return place->object;
    case QN_OUT_CSV_AT_FILE: return place->file;
    case QN_OUT_CSV_AT_FUNCTION: return place->function;
    case QN_OUT_CSV_AT_LINE: snprintf(room, QN_OUT_CSV_PLACE_TEXT, "%" PRIu32, place->line); break;
    case QN_OUT_CSV_AT_ADDRESS:
        if (place->insn)
            qn_prof_format_address(room, place->insn->address);
        break;
    case QN_OUT_CSV_AT_BYTES:
        if (place->insn)
            qn_prof_format_bytes(room, place->insn);
        break;
    case QN_OUT_CSV_AT_TEXT:
        if (place->insn)
            qn_out_disassemble(room, QN_OUT_CSV_PLACE_TEXT, place->insn);
        break;
    default: break;
    }
    return room;
}

/* Whether rows of two places are one row of the output. Equal names are one text in the table. */
static int is_same(enum qn_out_csv_by by, const struct qn_prof_row *a, const struct qn_prof_row *b)
{
    if (by == QN_OUT_CSV_PROGRAM)
        return 1;
    return by == QN_OUT_CSV_FILE && a->file == b->file;
}

/* Is it a line without counts?  Such a line has no instructions, so it is written itself among the rows of instructions. */
static int is_bare(const struct qn_prof_table *t, size_t i, int events)
{
    struct qn_prof_row row = qn_prof_table_at(t, i);
    if (row.insn || (i + 1 < qn_prof_table_rows(t) && qn_prof_table_at(t, i + 1).insn))
        return 0;
    for (int e = 0; e < events; e++)
        if (qn_prof_count(row.counts[e]) != 0)
            return 0;
    return 1;
}

static void hand_out_insns(struct qn_prof_table *t, int events, qn_out_csv_take *take, void *data)
{
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);
        if (row.insn || is_bare(t, i, events))
            take(data, &row, row.counts);
    }
}

/* Sums rows of lines as long as they stay in one group. */
static enum qn_text_status hand_out_groups(struct qn_prof_table *t, enum qn_out_csv_by by, int events,
                                           qn_out_csv_take *take, void *data, struct qn_text_error *err)
{
    int64_t sums[events];
    struct qn_prof_row group = {0};
    qn_prof_clear_counts(sums, events);
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);
        if (row.insn)
            continue;
        if (group.file && !is_same(by, &group, &row)) {
            take(data, &group, sums);
            qn_prof_clear_counts(sums, events);
        }
        group = row;
        if (qn_prof_add_counts(sums, row.counts, events) != 0)
            return qn_text_fail(err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
    }
    if (group.file)
        take(data, &group, sums);
    return QN_TEXT_OK;
}

static enum qn_text_status add_by_object(const struct qn_prof_table *t, struct qn_prof_table *objects,
                                         struct qn_text_error *err)
{
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);
        if (!row.insn && qn_prof_table_add(objects, row.object, NULL, 0, row.counts, err) != QN_TEXT_OK)
            return err->status;
    }
    qn_prof_table_sort(objects);
    return QN_TEXT_OK;
}

/* The files of the second table are the objects of the first. */
static enum qn_text_status hand_out_objects(const struct qn_prof_table *t, int events,
                                            qn_out_csv_take *take, void *data,
                                            struct qn_text_error *err)
{
    struct qn_prof_table *objects = qn_prof_new_table(events);
    enum qn_text_status status = add_by_object(t, objects, err);
    for (size_t i = 0; status == QN_TEXT_OK && i < qn_prof_table_rows(objects); i++) {
        struct qn_prof_row row = qn_prof_table_at(objects, i);
        row.object = row.file;
        take(data, &row, row.counts);
    }
    qn_prof_free_table(objects);
    return status;
}

static enum qn_text_status hand_out_functions(struct qn_prof_table *t, int events, qn_out_csv_take *take, void *data,
                                              struct qn_text_error *err)
{
    struct qn_prof_table *functions = qn_prof_sum_functions(t, events, err);
    for (size_t i = 0; functions && i < qn_prof_table_rows(functions); i++) {
        struct qn_prof_row row = qn_prof_table_at(functions, i);
        take(data, &row, row.counts);
    }
    qn_prof_free_table(functions);
    return functions ? QN_TEXT_OK : err->status;
}

enum qn_text_status qn_out_csv_rows(struct qn_prof_table *t, enum qn_out_csv_by by, int events,
                                    qn_out_csv_take *take, void *data, struct qn_text_error *err)
{
    qn_prof_table_sort(t);
    if (qn_prof_table_rows(t) == 0)
        return take(data, &(struct qn_prof_row){0}, qn_prof_table_totals(t)), QN_TEXT_OK;
    if (by == QN_OUT_CSV_INSN)
        return hand_out_insns(t, events, take, data), QN_TEXT_OK;
    if (by == QN_OUT_CSV_OBJECT)
        return hand_out_objects(t, events, take, data, err);
    if (by == QN_OUT_CSV_FUNCTION)
        return hand_out_functions(t, events, take, data, err);
    return hand_out_groups(t, by, events, take, data, err);
}
