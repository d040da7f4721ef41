/*
 * The difference of two profiles. See diff.h.
 *
 * In:  a ledger that holds b - a
 * Out: text
 */
#define _GNU_SOURCE
#include "prof/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/counts.h"
#include "prof/provenance.h"

enum qn_prof_status qn_prof_read_diff(struct qn_prof_ledger *g, const char *a, const char *b,
                                      char *warning, size_t room, struct qn_prof_error *err)
{
    warning[0] = '\0';
    if (qn_prof_read_ledger(g, a, 1, err) != QN_PROF_OK ||
        qn_prof_read_ledger(g, b, 0, err) != QN_PROF_OK)
        return err->status;
    qn_prof_differ(g->sources[0].desc, g->sources[1].desc, warning, room);
    return QN_PROF_OK;
}

static void put_joined(struct qn_prof_writer *w, const char *key, const char *a, const char *b)
{
    char *line;
    if (asprintf(&line, "%s%s; %s", key, a, b) < 0)
        return;
    qn_prof_put_line(w, line);
    free(line);
}

static void put_header(const struct qn_prof_ledger *g, struct qn_prof_writer *w)
{
    put_joined(w, "desc: Files compared:   ", g->sources[0].path, g->sources[1].path);
    put_joined(w, "cmd:  ", g->sources[0].cmd, g->sources[1].cmd);
    qn_prof_put_text(w, "events: ");
    for (int i = 0; i < g->header.event_count; i++) {
        qn_prof_put_text(w, " ");
        qn_prof_put_text(w, g->header.events[i]);
    }
    qn_prof_put_text(w, "\n");
}

/* Counts that neither profile gave are left out at the end of a line, as they were in the inputs. */
static int given(const int64_t *counts, int events)
{
    while (events > 0 && counts[events - 1] == QN_PROF_NONE)
        events--;
    return events;
}

static void put_fns(const struct qn_prof_ledger *g, struct qn_prof_writer *w, const uint32_t *order)
{
    for (uint32_t i = 0; i < qn_prof_fn_count(&g->fns); i++) {
        const int64_t *counts = qn_prof_row(&g->fn_totals, order[i]);
        qn_prof_put_file(w, qn_prof_fn_file(&g->fns, order[i]));
        qn_prof_put_fn(w, qn_prof_fn_name(&g->fns, order[i]));
        qn_prof_set_events(w, given(counts, g->header.event_count));
        qn_prof_put_counts(w, 0, counts);
    }
}

enum qn_prof_status qn_prof_write_diff(const struct qn_prof_ledger *g, struct qn_prof_writer *w,
                                       struct qn_prof_error *err)
{
    uint32_t *rank = qn_prof_rank_fns(&g->fns), count = qn_prof_fn_count(&g->fns);
    uint32_t *order = malloc((count + (size_t)1) * sizeof *order);
    if (!rank || !order) {
        free(rank);
        free(order);
        return qn_prof_fail_memory(err);
    }
    for (uint32_t i = 0; i < count; i++)
        order[rank[i]] = i;
    put_header(g, w);
    put_fns(g, w, order);
    qn_prof_set_events(w, g->header.event_count);
    qn_prof_put_summary(w, qn_prof_row(&g->total, 0));
    free(rank);
    free(order);
    return QN_PROF_OK;
}
