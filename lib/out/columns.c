/*
 * Choice of columns. See columns.h.
 *
 * In:  --show and --sort as given
 * Out: shown columns and sort order
 */
#include "out/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/timing.h"
#include "prof/counts.h"

static const struct ratio {
    const char *name, *text;
} ratios[] = {
    {"I1mr%", "100*I1mr/Ir"},
    {"ILmr%", "100*ILmr/Ir"},
    {"D1mr%", "100*D1mr/Dr"},
    {"DLmr%", "100*DLmr/Dr"},
    {"D1mw%", "100*D1mw/Dw"},
    {"DLmw%", "100*DLmw/Dw"},
    {"D1m%", "100*(D1mr+D1mw)/(Dr+Dw)"},
    {"LLmr%", "100*(ILmr+DLmr+DLmw)/(Ir+Dr+Dw)"},
    {"LLlocal%", "100*(ILmr+DLmr+DLmw)/(I1mr+D1mr+D1mw)"},
    {"D1use%", "100*D1.used/D1.filled"},
    {"Bcm%", "100*Bcm/Bc"},
    {"Bim%", "100*Bim/Bi"},
    {"Bm%", "100*(Bcm+Bim)/(Bc+Bi)"},
    {"MPKI", "1000*(ILmr+DLmr+DLmw)/Ir"},
    {"L1MPKI", "1000*(I1mr+D1mr+D1mw)/Ir"},
    {"BMPKI", "1000*(Bcm+Bim)/Ir"},
};

static const char *find_ratio(const char *name)
{
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        if (strcmp(ratios[i].name, name) == 0)
            return ratios[i].text;
    return NULL;
}

/* "NAME=EXPRESSION" gives NAME; an expression alone is its own name. */
static enum qn_text_status take_expr(struct qn_out_column *col, const char *item,
                                     const char *text, const struct qn_prof_header *events,
                                     struct qn_text_error *err)
{
    const char *equals = strchr(item, '=');
    size_t n = equals ? (size_t)(equals - item) : strlen(item);
    col->name = QN_NEEDED(strndup(item, n));
    col->event = -1;
    col->is_percent = n > 0 && item[n - 1] == '%';
    col->expr = qn_out_parse_expr(text, events, err);
    return col->expr ? QN_TEXT_OK : err->status;
}

static enum qn_text_status unknown(const char *option, const char *item, struct qn_text_error *err)
{
    return qn_text_fail(err, QN_TEXT_BAD, "%s event `%s` did not appear in `events:` line", option,
                        item);
}

static enum qn_text_status take_ratio(struct qn_out_column *col, const char *item,
                                      const char *text, const struct qn_prof_header *events,
                                      struct qn_text_error *err)
{
    struct qn_text_error why = {0};
    if (take_expr(col, item, text, events, &why) == QN_TEXT_OK)
        return QN_TEXT_OK;
    return qn_text_fail(err, why.status, "--show `%s` is %s, but not all of these events appeared in "
                        "`events:` line", item, text);
}

/* Takes cycles, CPI, AMAT and so on. */
static enum qn_text_status take_timing(struct qn_out_column *col, const char *item,
                                       const struct qn_prof_header *events,
                                       struct qn_text_error *err)
{
    char *text = qn_out_write_timing(item, events);
    if (!text)
        return unknown("--show", item, err);
    col->is_cycles = strcmp(item, "cycles") == 0;
    take_expr(col, item, text, events, err);
    free(text);
    return err->status;
}

static enum qn_text_status take_shown(struct qn_out_column *col, const char *item,
                                      const struct qn_prof_header *events,
                                      struct qn_text_error *err)
{
    col->event = qn_prof_find_event(events, item, strlen(item));
    if (col->event >= 0) {
        col->name = QN_NEEDED(strdup(item));
        return QN_TEXT_OK;
    }
    const char *equals = strchr(item, '='), *ratio = find_ratio(item);
    if (ratio)
        return take_ratio(col, item, ratio, events, err);
    if (equals && equals > item)
        return take_expr(col, item, equals + 1, events, err);
    return strpbrk(item, "+-*/(") ? take_expr(col, item, item, events, err)
                                  : take_timing(col, item, events, err);
}

static int count_items(const char *list)
{
    int n = 1;
    for (; *list; list++)
        n += *list == ',';
    return n;
}

/* Cuts the next item off *rest; frees nothing. */
static char *next_item(char **rest)
{
    char *item = *rest;
    char *comma = strchr(item, ',');
    if (comma)
        *comma = '\0';
    *rest = comma ? comma + 1 : NULL;
    return item;
}

static enum qn_text_status take_show_list(struct qn_out_columns *c, char *list,
                                          const struct qn_prof_header *events,
                                          struct qn_text_error *err)
{
    c->shown = QN_NEEDED(calloc((size_t)count_items(list), sizeof *c->shown));
    for (char *rest = list; rest;) {
        char *item = next_item(&rest);
        if (take_shown(&c->shown[c->shown_count++], item, events, err) != QN_TEXT_OK)
            return err->status;
    }
    return QN_TEXT_OK;
}

static enum qn_text_status take_key(struct qn_out_key *k, const char *item, const struct qn_prof_header *events,
                                    struct qn_text_error *err)
{
    k->event = qn_prof_find_event(events, item, strlen(item));
    k->name = QN_NEEDED(strdup(item));
    if (k->event >= 0)
        return QN_TEXT_OK;
    char *text = qn_out_timing_is_sum(item) ? qn_out_write_timing(item, events) : NULL;
    if (!text)
        return unknown("--sort", item, err);
    k->expr = qn_out_parse_expr(text, events, err);
    free(text);
    return err->status;
}

static enum qn_text_status take_sort_list(struct qn_out_columns *c, char *list,
                                          const struct qn_prof_header *events,
                                          struct qn_text_error *err)
{
    c->sort = QN_NEEDED(calloc((size_t)count_items(list), sizeof *c->sort));
    for (char *rest = list; rest;) {
        char *item = next_item(&rest);
        if (take_key(&c->sort[c->sort_count++], item, events, err) != QN_TEXT_OK)
            return err->status;
    }
    return QN_TEXT_OK;
}

static const char *const timings[] = {"cycles", "CPI", "AMAT"};
enum { TIMINGS = sizeof timings / sizeof *timings };

/* Adds estimated times behind the events: those whose events are there, unless an event has that name. */
static enum qn_text_status add_timings(struct qn_out_columns *c, const struct qn_prof_header *events,
                                       struct qn_text_error *err)
{
    for (int i = 0; i < TIMINGS && err->status == QN_TEXT_OK; i++) {
        char *text = qn_out_write_timing(timings[i], events);
        if (text && qn_prof_find_event(events, timings[i], strlen(timings[i])) < 0)
            take_timing(&c->shown[c->shown_count++], timings[i], events, err);
        free(text);
    }
    return err->status;
}

static enum qn_text_status all_shown(struct qn_out_columns *c, const struct qn_prof_header *events,
                                     struct qn_text_error *err)
{
    c->shown = QN_NEEDED(calloc((size_t)events->event_count + TIMINGS, sizeof *c->shown));
    c->shown_count = events->event_count;
    for (int i = 0; i < events->event_count; i++) {
        c->shown[i].event = i;
        c->shown[i].name = QN_NEEDED(strdup(events->events[i]));
    }
    return qn_out_timing_chosen() ? add_timings(c, events, err) : QN_TEXT_OK;
}

static enum qn_text_status all_sorted(struct qn_out_columns *c, const struct qn_prof_header *events,
                                      struct qn_text_error *err)
{
    c->sort = QN_NEEDED(calloc((size_t)events->event_count, sizeof *c->sort));
    for (int i = 0; i < events->event_count && err->status == QN_TEXT_OK; i++)
        take_key(&c->sort[c->sort_count++], events->events[i], events, err);
    return err->status;
}

enum qn_text_status qn_out_choose_columns(struct qn_out_columns *c,
                                          const struct qn_prof_header *events, const char *show,
                                          const char *sort, struct qn_text_error *err)
{
    memset(c, 0, sizeof *c);
    char *shown = QN_NEEDED(strdup(show ? show : "")), *sorted = QN_NEEDED(strdup(sort ? sort : ""));
    enum qn_text_status status = *shown ? take_show_list(c, shown, events, err) : all_shown(c, events, err);
    if (status == QN_TEXT_OK)
        status = *sorted ? take_sort_list(c, sorted, events, err) : all_sorted(c, events, err);
    free(shown);
    free(sorted);
    return status;
}

enum qn_text_status qn_out_choose_told_columns(struct qn_out_columns *c, const struct qn_prof_header *events, int hidden, const char *show,
                                               const char *sort, struct qn_text_error *err)
{
    char usual[QN_TEXT_MAX] = "";
    for (int i = 0; i < events->event_count; i++) {
        size_t used = strlen(usual);
        if (*events->events[i] && i != hidden)
            snprintf(usual + used, sizeof usual - used, "%s%s", used ? "," : "", events->events[i]);
    }
    return qn_out_choose_columns(c, events, show && *show ? show : usual, sort, err);
}

/* Appends the ratio unless one of its events is missing or has its name. */
static void add_ratio(struct qn_out_columns *c, const struct ratio *r, const struct qn_prof_header *events)
{
    struct qn_text_error why = {0};
    struct qn_out_column *col = &c->shown[c->shown_count];
    if (qn_prof_find_event(events, r->name, strlen(r->name)) >= 0)
        return;
    if (take_expr(col, r->name, r->text, events, &why) == QN_TEXT_OK)
        c->shown_count++;
    else
        free(col->name);
}

enum qn_text_status qn_out_choose_all_columns(struct qn_out_columns *c,
                                              const struct qn_prof_header *events,
                                              struct qn_text_error *err)
{
    const size_t known = sizeof ratios / sizeof *ratios;
    if (qn_out_choose_columns(c, events, NULL, NULL, err) != QN_TEXT_OK)
        return err->status;
    c->shown = QN_NEEDED(realloc(c->shown, ((size_t)c->shown_count + known) * sizeof *c->shown));
    memset(c->shown + c->shown_count, 0, known * sizeof *c->shown);
    for (size_t i = 0; i < known; i++)
        add_ratio(c, &ratios[i], events);
    return QN_TEXT_OK;
}

double qn_out_key_value(const struct qn_out_key *k, const int64_t *counts)
{
    double value = 0;
    if (k->expr)
        qn_out_eval_expr(k->expr, counts, &value);
    else
        value = (double)qn_prof_count(counts[k->event]);
    return value;
}

double qn_out_key_weight(const struct qn_out_key *k, const int64_t *counts)
{
    return fabs(qn_out_key_value(k, counts));
}

/* Compares counts exactly, also beyond 2^53. */
static int compare_by(const struct qn_out_key *k, const int64_t *a, const int64_t *b)
{
    if (k->expr) {
        double x = qn_out_key_weight(k, a), y = qn_out_key_weight(k, b);
        return (x < y) - (x > y);
    }
    int64_t x = qn_prof_magnitude(a[k->event]), y = qn_prof_magnitude(b[k->event]);
    return (x < y) - (x > y);
}

int qn_out_compare_counts(const struct qn_out_columns *c, const int64_t *a, const int64_t *b)
{
    for (int i = 0; i < c->sort_count; i++) {
        int d = compare_by(&c->sort[i], a, b);
        if (d)
            return d;
    }
    return 0;
}

void qn_out_free_columns(struct qn_out_columns *c)
{
    for (int i = 0; i < c->shown_count; i++) {
        free(c->shown[i].name);
        qn_out_free_expr(c->shown[i].expr);
    }
    for (int i = 0; i < c->sort_count; i++) {
        free(c->sort[i].name);
        qn_out_free_expr(c->sort[i].expr);
    }
    free(c->shown);
    free(c->sort);
    memset(c, 0, sizeof *c);
}
