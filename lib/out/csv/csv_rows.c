/*
 * Rows of a CSV. See csv_rows.h.
 *
 * In:  a table, sorted by file, function, object, line, address; or the tables of calls and data behind it
 * Out: one row per group of rows that agree in what `by` shows; one per row of the tables
 *
 * Rows of one object or function are not together in that order, so another table adds them up.
 */
#include "out/csv/csv_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/table/functions.h"
#include "prof/tables/tables.h"

/* ---- by program, object, file, function, line or instruction ---- */

static void take_place(qn_out_csv_take *take, void *data, const struct qn_prof_row *place, const int64_t *counts)
{
    take(data, (const void *[QN_OUT_CSV_RECORDS]){place}, counts);
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
            take_place(take, data, &row, row.counts);
    }
}

/* Sums rows of lines as long as they are one row of the output. Equal names are one text in the table. */
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
        if (group.file && by != QN_OUT_CSV_PROGRAM && (by != QN_OUT_CSV_FILE || group.file != row.file)) {
            take_place(take, data, &group, sums);
            qn_prof_clear_counts(sums, events);
        }
        group = row;
        if (qn_prof_add_counts(sums, row.counts, events) != 0)
            return qn_text_fail(err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
    }
    if (group.file)
        take_place(take, data, &group, sums);
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
        take_place(take, data, &row, row.counts);
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
        take_place(take, data, &row, row.counts);
    }
    qn_prof_free_table(functions);
    return functions ? QN_TEXT_OK : err->status;
}

enum qn_text_status qn_out_csv_rows(struct qn_prof_table *t, enum qn_out_csv_by by, int events,
                                    qn_out_csv_take *take, void *data, struct qn_text_error *err)
{
    qn_prof_table_sort(t);
    if (qn_prof_table_rows(t) == 0)
        return take_place(take, data, NULL, qn_prof_table_totals(t)), QN_TEXT_OK;
    if (by == QN_OUT_CSV_INSN)
        return hand_out_insns(t, events, take, data), QN_TEXT_OK;
    if (by == QN_OUT_CSV_OBJECT)
        return hand_out_objects(t, events, take, data, err);
    if (by == QN_OUT_CSV_FUNCTION)
        return hand_out_functions(t, events, take, data, err);
    return hand_out_groups(t, by, events, take, data, err);
}

/* ---- threads ---- */

enum qn_text_status qn_out_csv_threads(const char *path, const int64_t *totals, qn_out_csv_take *take, void *data, struct qn_text_error *err)
{
    struct qn_prof_threads t = {.count = 0};
    if (qn_prof_read_threads(&t, path, 0, err) == QN_TEXT_OK) {
        for (size_t i = 0; i < t.count; i++)
            take(data, (const void *[QN_OUT_CSV_RECORDS]){&t.list[i]}, t.list[i].counts);
        int64_t *rest = qn_prof_threads_rest(&t, totals);
        if (rest)
            take(data, (const void *[QN_OUT_CSV_RECORDS]){NULL}, rest);
        free(rest);
    }
    qn_prof_free_threads(&t);
    return err->status;
}

/* ---- functions with inclusive costs, and calls ---- */

static void put_fns(const struct qn_prof_calls *c, const int64_t *counts, size_t events, qn_out_csv_take *take, void *data)
{
    for (size_t i = 0; i < c->fn_count; i++)
        take(data, (const void *[QN_OUT_CSV_RECORDS]){&c->fns[i]}, counts + i * events);
}

static void put_edges(const struct qn_prof_calls *c, const int64_t *counts, size_t events, qn_out_csv_take *take, void *data)
{
    for (size_t i = 0; i < c->edge_count; i++) {
        const struct qn_prof_call_edge *e = &c->edges[i];
        const char *file = e->file;
        take(data, (const void *[QN_OUT_CSV_RECORDS]){&c->fns[e->caller], e, &c->fns[e->callee], &file}, counts + i * events);
    }
}

enum qn_text_status qn_out_csv_calls(const char *path, enum qn_out_csv_by by, const struct qn_prof_header *h, qn_out_csv_take *take,
                                     void *data, struct qn_text_error *err)
{
    struct qn_prof_calls c;
    size_t events = (size_t)h->event_count;
    int inclusive = by == QN_OUT_CSV_INCLUSIVE;
    int64_t *counts;
    if (qn_prof_read_calls(path, &c, err) != QN_TEXT_OK)
        return err->status;
    if (!c.fn_count)
        qn_text_fail(err, QN_TEXT_BAD, "%s: calls are not known; `quern run --calls=yes` writes them into the profile", path);
    else {
        counts = qn_prof_widen_calls(&c, inclusive ? c.inclusive : c.edge_counts, inclusive ? c.fn_count : c.edge_count, h);
        (inclusive ? put_fns : put_edges)(&c, counts, events, take, data);
        free(counts);
    }
    qn_prof_free_calls(&c);
    return err->status;
}

/* ---- misses by object in memory ---- */

enum { NONE = -1 };

static int find_event(const struct qn_prof_header *h, const char *name)
{
    for (int i = 0; i < h->event_count; i++)
        if (strcmp(h->events[i], name) == 0)
            return i;
    return NONE;
}

static const char *show_all(const struct qn_prof_header *h)
{
    static const char *const shown[2][2] = {{"D1mr,D1mw,DLmr,DLmw", "D1mr,D1mw,DLmr,DLmw,D1.filled,D1.used,D1use%"},
                                            {"D1mr,D1mw,DLmr,DLmw,AN.compulsory,AN.capacity,AN.conflict",
                                             "D1mr,D1mw,DLmr,DLmw,AN.compulsory,AN.capacity,AN.conflict,D1.filled,D1.used,D1use%"}};
    return shown[find_event(h, qn_prof_data_profile_events[QN_PROF_COMPULSORY]) != NONE][find_event(h, qn_prof_data_profile_events[QN_PROF_FILLED]) != NONE];
}

static int is_of_data(const char *event)
{
    for (int i = 0; i < QN_PROF_DATA_EVENTS; i++)
        if (strcmp(qn_prof_data_profile_events[i], event) == 0)
            return 1;
    return 0;
}

enum qn_text_status qn_out_csv_data_columns(struct qn_out_columns *c, const struct qn_prof_header *h, const char *show, struct qn_text_error *err)
{
    struct qn_prof_header of_data = {.event_count = h->event_count, .events = QN_NEEDED(calloc((size_t)h->event_count, sizeof(char *)))};
    for (int i = 0; i < h->event_count; i++)
        of_data.events[i] = (char *)(is_of_data(h->events[i]) ? h->events[i] : "");
    qn_out_choose_columns(c, &of_data, show ? show : show_all(h), NULL, err);
    free(of_data.events);
    return err->status;
}

static void put_misses(const struct qn_prof_data *d, const struct qn_prof_header *h, qn_out_csv_take *take, void *data)
{
    int64_t *counts = QN_NEEDED(calloc((size_t)h->event_count, sizeof *counts));
    for (size_t i = 0; i < d->miss_count; i++) {
        const struct qn_prof_miss *m = &d->misses[i];
        for (int k = 0; k < QN_PROF_DATA_EVENTS; k++) {
            int at = find_event(h, qn_prof_data_profile_events[k]);
            if (at != NONE && qn_prof_data_has(d, k))
                counts[at] = m->counts[k];
        }
        const struct qn_prof_part *part = m->part == QN_PROF_NO_PART ? NULL : &d->parts[m->part];
        take(data, (const void *[QN_OUT_CSV_RECORDS]){&d->objects[m->object], part, m}, counts);
    }
    free(counts);
}

static void put_pairs(const struct qn_prof_data *d, qn_out_csv_take *take, void *data)
{
    for (const struct qn_prof_pair *p = d->pairs; p < d->pairs + d->pair_count; p++)
        take(data, (const void *[QN_OUT_CSV_RECORDS]){&d->objects[p->object], &d->objects[p->by], p}, NULL);
}

static void put_uses(const struct qn_prof_data *d, qn_out_csv_take *take, void *data)
{
    for (const struct qn_prof_use *u = d->uses; u < d->uses + d->use_count; u++)
        take(data, (const void *[QN_OUT_CSV_RECORDS]){&d->objects[u->object], &d->parts[u->part], u}, NULL);
}

enum qn_text_status qn_out_csv_data(const char *path, enum qn_out_csv_by by, const struct qn_prof_header *h, qn_out_csv_take *take, void *data,
                                    struct qn_text_error *err)
{
    struct qn_prof_data d;
    if (qn_prof_read_data(path, &d, err) != QN_TEXT_OK)
        return err->status;
    if (!d.object_count)
        qn_text_fail(err, QN_TEXT_BAD, "%s: objects in memory are not known; `quern run --data=yes` writes them into the profile", path);
    else if (by == QN_OUT_CSV_USED && !d.use)
        qn_text_fail(err, QN_TEXT_BAD, "%s: bytes used of a line are not known; `quern run --data=use` writes them into the profile", path);
    else if (by == QN_OUT_CSV_DATA)
        put_misses(&d, h, take, data);
    else
        (by == QN_OUT_CSV_PAIR ? put_pairs : put_uses)(&d, take, data);
    qn_prof_free_data(&d);
    return err->status;
}
