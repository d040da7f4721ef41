/*
 * Misses by line and object in memory, as rows. See csv_data.h.
 */
#include "out/csv_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/data.h"

enum { NUMBER_TEXT = 24, NONE = -1 };

const char *const qn_out_csv_data_names[] = {"kind", "data", "data_file", "data_line", "data_function", "type", "part", "file", "function", "line", NULL};

/* As events of a profile: those of an analysis bear its slot. */
static const char *const events[QN_PROF_DATA_EVENTS] = {"D1mr", "D1mw", "DLmr", "DLmw", "AN.compulsory", "AN.capacity", "AN.conflict", "D1.filled", "D1.used"};

static int find_event(const struct qn_prof_header *h, const char *name)
{
    for (int i = 0; i < h->event_count; i++)
        if (strcmp(h->events[i], name) == 0)
            return i;
    return NONE;
}

const char *qn_out_csv_data_show(const struct qn_prof_header *h)
{
    static const char *const shown[2][2] = {{"D1mr,D1mw,DLmr,DLmw", "D1mr,D1mw,DLmr,DLmw,D1.filled,D1.used"},
                                            {"D1mr,D1mw,DLmr,DLmw,AN.compulsory,AN.capacity,AN.conflict",
                                             "D1mr,D1mw,DLmr,DLmw,AN.compulsory,AN.capacity,AN.conflict,D1.filled,D1.used"}};
    return shown[find_event(h, events[QN_PROF_COMPULSORY]) != NONE][find_event(h, events[QN_PROF_FILLED]) != NONE];
}

static const char *known(const char *text) { return text ? text : ""; }

static enum qn_text_status put_row(const struct qn_prof_data *d, const struct qn_prof_miss *m, const int64_t *counts,
                                   qn_out_csv_take_call *take, void *data)
{
    const struct qn_prof_object *o = &d->objects[m->object];
    char line[NUMBER_TEXT], of_object[NUMBER_TEXT] = "";
    const char *const cells[] = {o->kind, o->name, known(o->file), of_object, known(o->function), known(o->type),
                                 m->part == QN_PROF_NO_PART ? "" : d->parts[m->part].name, m->file, m->function, line};
    snprintf(line, sizeof line, "%" PRIu32, m->line);
    if (o->line)
        snprintf(of_object, sizeof of_object, "%" PRIu32, o->line);
    return take(data, cells, counts);
}

static enum qn_text_status put_rows(const struct qn_prof_data *d, const struct qn_prof_header *h, qn_out_csv_take_call *take, void *data,
                                    struct qn_text_error *err)
{
    int64_t *counts = calloc((size_t)h->event_count, sizeof *counts);
    enum qn_text_status status = counts ? QN_TEXT_OK : qn_text_fail_memory(err);
    for (size_t i = 0; i < d->miss_count && status == QN_TEXT_OK; i++) {
        for (int k = 0; k < QN_PROF_DATA_EVENTS; k++) {
            int at = find_event(h, events[k]);
            if (at != NONE && qn_prof_data_has(d, k))
                counts[at] = d->misses[i].counts[k];
        }
        status = put_row(d, &d->misses[i], counts, take, data);
    }
    free(counts);
    return status;
}

enum qn_text_status qn_out_csv_data(const char *path, const struct qn_prof_header *h, qn_out_csv_take_call *take, void *data,
                                    struct qn_text_error *err)
{
    struct qn_prof_data d;
    if (qn_prof_read_data(path, &d, err) != QN_TEXT_OK)
        return err->status;
    if (!d.object_count)
        qn_text_fail(err, QN_TEXT_BAD, "%s: objects in memory are not known; `quern run --data=yes` writes them into the profile", path);
    else
        put_rows(&d, h, take, data, err);
    qn_prof_free_data(&d);
    return err->status;
}
