/*
 * Misses by line and object in memory, as rows. See csv_data.h.
 */
#include "out/csv/csv_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/data/data.h"

enum { NUMBER_TEXT = 24, NONE = -1, CELLS_MAX = 16 };

#define OBJECT "kind", "data", "data_file", "data_line", "data_function", "type"

const char *const *qn_out_csv_data_names(enum qn_out_csv_by by)
{
    static const char *const data[] = {OBJECT, "part", "file", "function", "line", NULL}, *const used[] = {OBJECT, "part", "filled", "used", NULL},
                      *const pair[] = {OBJECT, "by_kind", "by_data", "by_file", "by_line", "by_function", "by_type", "misses", "conflicts", NULL};
    return by == QN_OUT_CSV_DATA ? data : by == QN_OUT_CSV_PAIR ? pair : used;
}

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

static const char *known(const char *text) { return text ? text : ""; }

/* Those of OBJECT; `line` has room for the text of one of them. */
static int put_object(const struct qn_prof_object *o, const char **cells, char line[NUMBER_TEXT])
{
    const char *const texts[] = {o->kind, o->name, known(o->file), line, known(o->function), known(o->type)};
    line[0] = '\0';
    if (o->line)
        snprintf(line, NUMBER_TEXT, "%" PRIu32, o->line);
    memcpy(cells, texts, sizeof texts);
    return (int)(sizeof texts / sizeof *texts);
}

static void put_row(const struct qn_prof_data *d, const struct qn_prof_miss *m, const int64_t *counts,
                    qn_out_csv_take_call *take, void *data)
{
    char line[NUMBER_TEXT], of_object[NUMBER_TEXT];
    const char *cells[CELLS_MAX];
    int n = put_object(&d->objects[m->object], cells, of_object);
    snprintf(line, sizeof line, "%" PRIu32, m->line);
    cells[n++] = m->part == QN_PROF_NO_PART ? "" : d->parts[m->part].name;
    cells[n++] = m->file;
    cells[n++] = m->function;
    cells[n] = line;
    take(data, cells, counts);
}

static void put_pairs(const struct qn_prof_data *d, qn_out_csv_take_call *take, void *data)
{
    for (size_t i = 0; i < d->pair_count; i++) {
        const struct qn_prof_pair *p = &d->pairs[i];
        char texts[4][NUMBER_TEXT];
        const char *cells[CELLS_MAX];
        int n = put_object(&d->objects[p->object], cells, texts[0]);
        n += put_object(&d->objects[p->by], cells + n, texts[1]);
        snprintf(texts[2], NUMBER_TEXT, "%" PRId64, p->misses);
        snprintf(texts[3], NUMBER_TEXT, "%" PRId64, p->conflicts);
        cells[n++] = texts[2];
        cells[n] = texts[3];
        take(data, cells, NULL);
    }
}

static void put_uses(const struct qn_prof_data *d, qn_out_csv_take_call *take, void *data)
{
    for (size_t i = 0; i < d->use_count; i++) {
        const struct qn_prof_use *u = &d->uses[i];
        char texts[3][NUMBER_TEXT];
        const char *cells[CELLS_MAX];
        int n = put_object(&d->objects[u->object], cells, texts[0]);
        snprintf(texts[1], NUMBER_TEXT, "%" PRId64, u->filled);
        snprintf(texts[2], NUMBER_TEXT, "%" PRId64, u->used);
        cells[n++] = d->parts[u->part].name;
        cells[n++] = texts[1];
        cells[n] = texts[2];
        take(data, cells, NULL);
    }
}

static void put_rows(const struct qn_prof_data *d, const struct qn_prof_header *h, qn_out_csv_take_call *take, void *data)
{
    int64_t *counts = QN_NEEDED(calloc((size_t)h->event_count, sizeof *counts));
    for (size_t i = 0; i < d->miss_count; i++) {
        for (int k = 0; k < QN_PROF_DATA_EVENTS; k++) {
            int at = find_event(h, qn_prof_data_profile_events[k]);
            if (at != NONE && qn_prof_data_has(d, k))
                counts[at] = d->misses[i].counts[k];
        }
        put_row(d, &d->misses[i], counts, take, data);
    }
    free(counts);
}

enum qn_text_status qn_out_csv_data(const char *path, enum qn_out_csv_by by, const struct qn_prof_header *h, qn_out_csv_take_call *take, void *data,
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
        put_rows(&d, h, take, data);
    else
        (by == QN_OUT_CSV_PAIR ? put_pairs : put_uses)(&d, take, data);
    qn_prof_free_data(&d);
    return err->status;
}
