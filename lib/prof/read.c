/*
 * A profile from its first line to its last: header, body, regions. See read.h.
 *
 * In:  a path, and which region was chosen
 * Out: items, in the order of the file; the end only if all announced regions and tables are there
 */
#include "prof/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"
#include "prof/header.h"
#include "prof/kind.h"

static enum qn_text_status open_parts(struct qn_prof_reader *r, struct qn_text_error *err)
{
    if (qn_prof_open_lines(&r->lines, r->path, err) != QN_TEXT_OK ||
        qn_prof_read_header(&r->header, &r->lines, err) != QN_TEXT_OK)
        return err->status;
    size_t n = (size_t)r->header.event_count;
    r->counts = QN_NEEDED(calloc(n, sizeof *r->counts));
    r->totals = QN_NEEDED(calloc(n, sizeof *r->totals));
    r->left = QN_NEEDED(calloc(n, sizeof *r->left));
    r->regions.sum = QN_NEEDED(calloc(n, sizeof *r->regions.sum));
    return QN_TEXT_OK;
}

struct qn_prof_reader *qn_prof_open_reader(const char *path, struct qn_text_error *err)
{
    struct qn_prof_reader *r = QN_NEEDED(calloc(1, sizeof *r));
    r->lines.window.fd = -1;
    r->path = QN_NEEDED(strdup(path));
    r->regions = (struct qn_prof_regions){.chosen = qn_prof_chosen_region(), .promised = -1};
    if (open_parts(r, err) == QN_TEXT_OK)
        return r;
    qn_prof_close_reader(r);
    return NULL;
}

void qn_prof_close_reader(struct qn_prof_reader *r)
{
    if (!r)
        return;
    qn_text_close_lines(&r->lines);
    qn_prof_free_header(&r->header);
    free(r->counts);
    free(r->totals);
    free(r->left);
    free(r->regions.sum);
    free(r->path);
    free(r);
}

const struct qn_prof_header *qn_prof_reader_header(const struct qn_prof_reader *r)
{
    return &r->header;
}

int qn_prof_reader_has_insns(const struct qn_prof_reader *r)
{
    return r->has_insns;
}
/* A region's own summary was right: the next one begins as a file does. */
static int finish_region(struct qn_prof_reader *r, struct qn_text_error *err)
{
    if (qn_prof_add_counts(r->regions.sum, r->counts, r->header.event_count) != 0)
        return qn_prof_bad_line(r, "sum out of range", "#summary:", "sums within 64 bits", err);
    memset(r->totals, 0, (size_t)r->header.event_count * sizeof *r->totals);
    r->regions.reading = 0;
    r->stage = QN_PROF_NEED_FILE;
    r->is_strict = r->in_line = 0;
    return 0;
}

/* Behind the summary, or with a region chosen: most lines are skipped. */
static int take_region_line(struct qn_prof_reader *r, const char *text, size_t length,
                            struct qn_prof_item *item, struct qn_text_error *err)
{
    const char *what;
    int wanted;
    if (r->stage == QN_PROF_SUMMED && r->regions.promised < 0 && strncmp(text, "#regions: ", 10) != 0)
        return qn_prof_take_line(r, text, length, item, err);
    wanted = qn_prof_region_line(&r->regions, text, &what);
    if (wanted < 0)
        return qn_prof_bad_line(r, what, text, "`#region: PATH` and its counts, each behind a #", err);
    if (!wanted)
        return 0;
    wanted = qn_prof_take_line(r, text + 1, length - 1, item, err);
    return wanted == 1 && item->kind == QN_PROF_SUMMARY ? finish_region(r, err) : wanted;
}

/* The sum of the regions chosen, once; then the end. */
static int end_regions(struct qn_prof_reader *r, struct qn_prof_item *item, struct qn_text_error *err)
{
    const struct qn_prof_regions *g = &r->regions;
    if (r->stage == QN_PROF_SUMMED)
        return 0;
    if (g->reading || g->seen < g->promised) {
        qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: regions cut short, got %d, wanted %d and their summaries", r->path,
                     r->lines.number + 1, g->seen, g->promised);
        return -1;
    }
    if (!g->matched) {
        qn_text_fail(err, QN_TEXT_BAD, "%s: no region `%s`, it has %s", r->path, g->chosen,
                     g->seen ? g->names : "none");
        return -1;
    }
    r->stage = QN_PROF_SUMMED;
    item->kind = QN_PROF_SUMMARY;
    item->counts = g->sum;
    return 1;
}

static int at_end(struct qn_prof_reader *r, struct qn_prof_item *item, struct qn_text_error *err)
{
    if (r->regions.chosen)
        return end_regions(r, item, err);
    if (r->stage == QN_PROF_SUMMED && r->regions.seen == (r->regions.promised < 0 ? 0 : r->regions.promised))
        return qn_prof_check_tables(r, err);
    if (r->stage == QN_PROF_SUMMED) {
        qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: regions cut short, got %d, wanted %d", r->path, r->lines.number + 1,
                     r->regions.seen, r->regions.promised);
        return -1;
    }
    qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: missing `summary:` line, aborting", r->path,
                 r->lines.number + 1);
    qn_text_fail_more(err, ", got the end of the file, wanted `summary: COUNTS`");
    return -1;
}

int qn_prof_read_next(struct qn_prof_reader *r, struct qn_prof_item *item,
                      struct qn_text_error *err)
{
    for (;;) {
        char *text;
        size_t length;
        int got = qn_text_next_line(&r->lines, &text, &length, err);
        if (got <= 0)
            return got < 0 ? -1 : at_end(r, item, err);
        item->keeps_function = 0;
        got = r->stage == QN_PROF_SUMMED || r->regions.chosen ? take_region_line(r, text, length, item, err)
                                                              : qn_prof_take_line(r, text, length, item, err);
        if (got != 0)
            return got;
    }
}
