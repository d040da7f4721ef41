/*
 * The difference of two profiles. See diff.h.
 *
 * In:  a ledger that holds b - a
 * Out: text
 */
#include "prof/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/merge.h"
#include "text/source.h"

enum qn_text_status qn_prof_read_diff(struct qn_prof_ledger *g, const char *a, const char *b,
                                      char *warning, size_t room, struct qn_text_error *err)
{
    warning[0] = '\0';
    if (qn_prof_read_ledger(g, a, 1, err) != QN_TEXT_OK ||
        qn_prof_read_ledger(g, b, 0, err) != QN_TEXT_OK)
        return err->status;
    qn_prof_differ(g->sources[0].desc, g->sources[1].desc, warning, room);
    return QN_TEXT_OK;
}

static void put_joined(struct qn_prof_writer *w, const char *key, const char *a, const char *b)
{
    qn_prof_put_text(w, key);
    qn_prof_put_escaped(w, a);
    qn_prof_put_text(w, "; ");
    qn_prof_put_line(w, b);
}

static void put_header(const struct qn_prof_ledger *g, enum qn_prof_style style, struct qn_prof_writer *w)
{
    int classic = style == QN_PROF_CLASSIC;
    put_joined(w, "desc: Files compared:   ", g->sources[0].path, g->sources[1].path);
    put_joined(w, classic ? "cmd:  " : "cmd: ", g->sources[0].cmd, g->sources[1].cmd);
    qn_prof_put_text(w, classic ? "events: " : "events:");
    for (int i = 0; i < g->header.event_count; i++) {
        qn_prof_put_text(w, " ");
        qn_prof_put_escaped(w, g->header.events[i]);
    }
    qn_prof_put_text(w, "\n");
}

/* The number of counts of a line that are written. */
static int shown(const int64_t *counts, int events, enum qn_prof_style style)
{
    while (style == QN_PROF_CLASSIC && events > 0 && counts[events - 1] == QN_PROF_NONE)
        events--;
    return events;
}

/* What is written, and where to. */
struct diff {
    const struct qn_prof_ledger *g;
    enum qn_prof_style style;
    struct qn_prof_writer *w;
};

static void put_line(const struct diff *d, uint32_t line, const int64_t *counts)
{
    qn_prof_set_events(d->w, shown(counts, d->g->header.event_count, d->style));
    qn_prof_put_counts(d->w, line, counts);
}

static enum qn_text_status put_lines(const struct diff *d, uint32_t fn, struct qn_text_error *err)
{
    const struct qn_prof_ledger *g = d->g;
    struct qn_prof_lines lines = qn_prof_ledger_lines(g, fn);
    int64_t counts[g->header.event_count];
    uint32_t line;
    int got = 0;
    while ((got = qn_prof_next_line(&lines, &line, counts)) > 0)
        put_line(d, line, counts);
    return got == 0 ? QN_TEXT_OK
                    : qn_text_fail(err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
}

/* An array by file id: do line numbers of the file mean the same in both profiles? */
static unsigned char *find_numbered(const struct qn_prof_ledger *g)
{
    uint32_t files = g->fns->files.index.count;
    unsigned char *numbered = QN_NEEDED(malloc(files + (size_t)1));
    const char **first = QN_NEEDED(calloc(files + (size_t)1, sizeof *first));
    memset(numbered, g->options.keep_lines == QN_PROF_LINES_OF_FNS, files);
    for (uint32_t i = 0; i < g->originals.index.count; i++) {
        uint32_t file = g->original_of[i];
        const char *name = qn_text_name(&g->originals, i);
        if (!first[file])
            first[file] = name;
        else if (numbered[file])
            numbered[file] = qn_text_same_files(first[file], name);
    }
    free(first);
    return numbered;
}

static enum qn_text_status put_fns(const struct diff *d, const uint32_t *order, const unsigned char *numbered,
                                   struct qn_text_error *err)
{
    const struct qn_prof_ledger *g = d->g;
    for (uint32_t i = 0; i < qn_prof_fn_count(g->fns); i++) {
        uint32_t fn = order[i];
        qn_prof_put_file(d->w, qn_prof_fn_file(g->fns, fn));
        qn_prof_put_fn(d->w, qn_prof_fn_name(g->fns, fn));
        if (!numbered[g->fns->fn[fn].file])
            put_line(d, 0, qn_prof_row(&g->fn_totals, fn));
        else if (put_lines(d, fn, err) != QN_TEXT_OK)
            return err->status;
    }
    return QN_TEXT_OK;
}

/* Functions in order of file name and function name. */
static uint32_t *sort_fns(const struct qn_prof_ledger *g)
{
    uint32_t *rank = qn_prof_rank_fns(g->fns), count = qn_prof_fn_count(g->fns);
    uint32_t *order = QN_NEEDED(malloc((count + (size_t)1) * sizeof *order));
    for (uint32_t i = 0; i < count; i++)
        order[rank[i]] = i;
    free(rank);
    return order;
}

enum qn_text_status qn_prof_write_diff(const struct qn_prof_ledger *g, enum qn_prof_style style,
                                       struct qn_prof_writer *w, struct qn_text_error *err)
{
    const struct diff d = {g, style, w};
    uint32_t *order = sort_fns(g);
    unsigned char *numbered = find_numbered(g);
    enum qn_text_status status;
    put_header(g, style, w);
    status = put_fns(&d, order, numbered, err);
    qn_prof_set_events(w, g->header.event_count);
    qn_prof_put_summary(w, qn_prof_row(&g->total, 0));
    free(order);
    free(numbered);
    return status;
}
