/*
 * The classic style of annotate: preamble, totals, and the order of the sections.
 *
 * In:  one profile, names of sources
 * Out: preamble, PROGRAM TOTALS, functions, annotated sources, files not found, events annotated
 *
 * The order, wording and layout are those of cg_annotate 3.19; if that leaves an order undefined
 * (ties, the order of files), it is by name here.
 */
#define _GNU_SOURCE
#include "out/classic/classic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "out/number.h"
#include "prof/counts.h"
#include "text/names.h"

/* Width of " (12.34%)". */
enum { FRAME_WIDTH = 80, PERCENT_WIDTH = 9 };

void qn_out_classic_put_frame(struct qn_out_sink *s)
{
    qn_out_pad(s, '-', FRAME_WIDTH);
    qn_out_putc(s, '\n');
}

void qn_out_classic_begin_widths(const struct qn_out_classic *c, int *widths)
{
    for (int i = 0; i < c->events; i++)
        widths[i] = (int)strlen(c->ledger.header.events[i]);
}

static int digits_of(int64_t value)
{
    int n = value < 0 ? 2 : 1;
    for (uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value; left >= 10; left /= 10)
        n++;
    return n;
}

/* The room for commas is computed from the length with the sign, as in the original, so that -100 gets
 * one column too many. */
void qn_out_classic_measure(const struct qn_out_classic *c, int *widths, const int64_t *counts)
{
    int percent = c->request->show_percs ? PERCENT_WIDTH : 0;
    for (int i = 0; i < c->events; i++) {
        if (counts[i] == QN_PROF_NONE)
            continue;
        int n = digits_of(counts[i]);
        n += (n - 1) / 3 + percent;
        widths[i] = n > widths[i] ? n : widths[i];
    }
}

/* " (12.34%)": 5 characters before the sign; one decimal less where two would not fit. */
static int percent_text(char *to, int64_t count, int64_t total)
{
    char digits[QN_OUT_PERCENT_MAX];
    double p = total == 0 ? 0 : qn_out_percent(count, total);
    int two = -9.995 < p && p < 99.995;
    qn_out_fixed(digits, p, two ? 2 : 1);
    return snprintf(to, QN_OUT_PERCENT_MAX + PERCENT_WIDTH, " (%5s%%)", digits);
}

static int cell_text(const struct qn_out_classic *c, char *to, int event, int64_t count)
{
    int n = 1;
    if (count == QN_PROF_NONE)
        to[0] = '.';
    else
        n = qn_out_commify(to, count);
    if (!c->request->show_percs)
        return n;
    if (count != QN_PROF_NONE && count != 0)
        return n + percent_text(to + n, count, c->total[event]);
    memset(to + n, ' ', PERCENT_WIDTH);
    return n + PERCENT_WIDTH;
}

void qn_out_classic_put_counts(const struct qn_out_classic *c, const int *widths,
                               const int64_t *counts)
{
    for (int i = 0; i < c->columns.shown_count; i++) {
        char text[QN_OUT_COUNT_MAX + QN_OUT_PERCENT_MAX + PERCENT_WIDTH];
        int event = c->columns.shown[i].event;
        int n = cell_text(c, text, event, counts[event]);
        qn_out_pad(c->sink, ' ', widths[event] - n);
        qn_out_put(c->sink, text, (size_t)n);
        qn_out_putc(c->sink, ' ');
    }
}

void qn_out_classic_put_events(const struct qn_out_classic *c, const int *widths)
{
    for (int i = 0; i < c->columns.shown_count; i++) {
        int event = c->columns.shown[i].event;
        const char *name = c->ledger.header.events[event];
        qn_out_name(c->sink, name);
        qn_out_pad(c->sink, ' ', widths[event] - (long)strlen(name) + 1);
    }
}

static enum qn_text_status read_profile(struct qn_out_classic *c)
{
    const struct qn_out_request *q = c->request;
    int lines = q->annotate || q->input_count > 1;
    struct qn_prof_ledger_options options = {
        .keep_lines = lines ? QN_PROF_LINES_OF_FILES : QN_PROF_NO_LINES};
    c->input = q->inputs[0];
    qn_prof_init_ledger(&c->ledger, &options);
    if (qn_prof_read_ledger(&c->ledger, c->input, 0, c->err) != QN_TEXT_OK)
        return c->err->status;
    c->events = c->ledger.header.event_count;
    c->total = qn_prof_row(&c->ledger.total, 0);
    for (int i = 0; i < c->events; i++)
        c->total[i] = qn_prof_count(c->total[i]);
    return QN_TEXT_OK;
}

static void sort_sources(struct qn_out_classic *c)
{
    int n = c->request->input_count - 1;
    c->sources = QN_NEEDED(calloc((size_t)n + 1, sizeof *c->sources));
    memcpy(c->sources, c->request->inputs + 1, (size_t)n * sizeof *c->sources);
    qsort(c->sources, (size_t)n, sizeof *c->sources, qn_text_compare);
    for (int i = 0; i < n; i++)
        if (i == 0 || strcmp(c->sources[i], c->sources[c->source_count - 1]) != 0)
            c->sources[c->source_count++] = c->sources[i];
}

static void put_include_dirs(const struct qn_out_classic *c)
{
    const struct qn_out_request *q = c->request;
    qn_out_puts(c->sink, "Include dirs:     ");
    for (int i = 0; i < q->include_count; i++) {
        const char *dir = q->includes[i];
        size_t n = strlen(dir);
        qn_out_pad(c->sink, ' ', i ? 18 : 0);
        qn_out_put(c->sink, dir, n > 0 && dir[n - 1] == '/' ? n - 1 : n);
        qn_out_puts(c->sink, "/\n");
    }
    if (q->include_count == 0)
        qn_out_putc(c->sink, '\n');
}

static void put_sources(const struct qn_out_classic *c)
{
    qn_out_puts(c->sink, "User annotated:   ");
    for (int i = 0; i < c->source_count; i++) {
        qn_out_pad(c->sink, ' ', i ? 18 : 0);
        qn_out_name(c->sink, c->sources[i]);
        qn_out_putc(c->sink, '\n');
    }
    if (c->source_count == 0)
        qn_out_putc(c->sink, '\n');
}

static void put_word(struct qn_out_sink *s, int first, const char *word)
{
    if (!first)
        qn_out_putc(s, ' ');
    qn_out_name(s, word);
}

static void put_preamble(const struct qn_out_classic *c)
{
    struct qn_out_sink *s = c->sink;
    const struct qn_prof_header *h = &c->ledger.header;
    qn_out_classic_put_frame(s);
    qn_out_put_line(s, c->ledger.sources[0].desc, strlen(c->ledger.sources[0].desc));
    qn_out_puts(s, "Command:          ");
    qn_out_put_line(s, c->ledger.sources[0].cmd, strlen(c->ledger.sources[0].cmd));
    qn_out_puts(s, "\nData file:        ");
    qn_out_name(s, c->input);
    qn_out_puts(s, "\nEvents recorded:  ");
    for (int i = 0; i < h->event_count; i++)
        put_word(s, i == 0, h->events[i]);
    qn_out_puts(s, "\nEvents shown:     ");
    for (int i = 0; i < c->columns.shown_count; i++)
        put_word(s, i == 0, c->columns.shown[i].name);
    qn_out_puts(s, "\nEvent sort order: ");
    for (int i = 0; i < c->columns.sort_count; i++)
        put_word(s, i == 0, c->columns.sort[i].name);
    qn_out_puts(s, "\nThresholds:       ");
    for (int i = 0; i < c->columns.sort_count; i++)
        put_word(s, i == 0, c->limits[i].text);
    qn_out_putc(s, '\n');
    put_include_dirs(c);
    put_sources(c);
    qn_out_puts(s, c->request->annotate ? "Auto-annotation:  on\n\n" : "Auto-annotation:  off\n\n");
}

static void put_totals(const struct qn_out_classic *c)
{
    int widths[c->events];
    qn_out_classic_begin_widths(c, widths);
    qn_out_classic_measure(c, widths, c->total);
    qn_out_classic_put_frame(c->sink);
    qn_out_classic_put_events(c, widths);
    qn_out_putc(c->sink, '\n');
    qn_out_classic_put_frame(c->sink);
    qn_out_classic_put_counts(c, widths, c->total);
    qn_out_puts(c->sink, " PROGRAM TOTALS\n\n");
}

static void put_report(struct qn_out_classic *c)
{
    put_preamble(c);
    put_totals(c);
    qn_out_classic_functions(c);
    qn_out_classic_sources(c);
}

static bool is_readable(const struct qn_out_request *q, const char *name)
{
    bool readable = access(name, R_OK) == 0;
    for (int i = 0; i < q->include_count && !readable; i++) {
        char *path;
        if (asprintf(&path, "%s/%s", q->includes[i], name) < 0)
            qn_no_memory();
        readable = access(path, R_OK) == 0;
        free(path);
    }
    return readable;
}

/* Sources that the command line names must be readable. */
static enum qn_text_status check_sources(const struct qn_out_request *q, struct qn_text_error *err)
{
    for (int i = 1; i < q->input_count; i++)
        if (!is_readable(q, q->inputs[i]))
            return qn_text_fail(err, QN_TEXT_BAD, "%s: not found here or in a directory given by -I", q->inputs[i]);
    return QN_TEXT_OK;
}

enum qn_text_status qn_out_classic(struct qn_out_sink *s, const struct qn_out_request *q,
                                   struct qn_text_error *err)
{
    struct qn_out_classic c = {.sink = s, .request = q, .err = err};
    if (check_sources(q, err) == QN_TEXT_OK && read_profile(&c) == QN_TEXT_OK && qn_out_classic_choose(&c) == QN_TEXT_OK) {
        sort_sources(&c);
        put_report(&c);
    }
    for (int i = 0; c.limits && i < c.columns.sort_count; i++)
        free(c.limits[i].text);
    free(c.limits);
    free(c.sources);
    qn_text_free_names(&c.chosen);
    qn_out_free_columns(&c.columns);
    qn_prof_free_ledger(&c.ledger);
    return err->status;
}
