/*
 * Functions with inclusive costs, and calls, as rows. See csv_calls.h.
 */
#include "out/csv/csv_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "prof/calls/calls.h"

enum { NUMBER_TEXT = 24 };

const char *const *qn_out_csv_call_names(enum qn_out_csv_by by)
{
    static const char *const inclusive[] = {"object", "file", "function", "called", NULL};
    static const char *const call[QN_OUT_CSV_CALL_CELLS + 1] = {"object", "file", "function", "line", "line_file", "callee_object",
                                                                "callee_file", "callee", "calls", NULL};
    return by == QN_OUT_CSV_INCLUSIVE ? inclusive : call;
}

static const char *object_of(const struct qn_prof_call_fn *f) { return f->object ? f->object : QN_PROF_NOT_KNOWN; }

static void put_fns(const struct qn_prof_calls *c, const int64_t *counts, size_t events, qn_out_csv_take_call *take, void *data)
{
    for (size_t i = 0; i < c->fn_count; i++) {
        const struct qn_prof_call_fn *f = &c->fns[i];
        char called[NUMBER_TEXT];
        const char *const cells[] = {object_of(f), f->file, f->name, called};
        snprintf(called, sizeof called, "%" PRId64, f->called);
        take(data, cells, counts + i * events);
    }
}

static void put_edges(const struct qn_prof_calls *c, const int64_t *counts, size_t events, qn_out_csv_take_call *take, void *data)
{
    for (size_t i = 0; i < c->edge_count; i++) {
        const struct qn_prof_call_edge *e = &c->edges[i];
        const struct qn_prof_call_fn *from = &c->fns[e->caller], *to = &c->fns[e->callee];
        char line[NUMBER_TEXT], calls[NUMBER_TEXT];
        const char *const cells[] = {object_of(from), from->file, from->name, line, qn_prof_edge_file(c, e), object_of(to), to->file, to->name,
                                     calls};
        snprintf(line, sizeof line, "%" PRIu32, e->line);
        snprintf(calls, sizeof calls, "%" PRId64, e->calls);
        take(data, cells, counts + i * events);
    }
}

enum qn_text_status qn_out_csv_calls(const char *path, enum qn_out_csv_by by, const struct qn_prof_header *h, qn_out_csv_take_call *take,
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
