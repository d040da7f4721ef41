/*
 * The function table of the classic style, its sort order and thresholds.
 *
 * In:  --sort=A:X,B:Y or --threshold=X; totals per function
 * Out: functions in order of the absolute counts of the sort events, until the first that reaches
 *      none of the thresholds
 *
 * Rules: without thresholds in --sort the primary event's is --threshold and the others' 100; with
 * at least one, missing ones are 0. A missing count sorts as 1, because the original takes the absolute value of -1.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/classic/classic.h"
#include "prof/counts.h"

static const char default_threshold[] = "0.1";

/* Cuts ":X" off a sort item where X is a percentage: the text of X, or NULL. */
static char *cut_limit(char *item)
{
    char *colon = strrchr(item, ':');
    size_t n = colon ? strspn(colon + 1, "0123456789.") : 0;
    if (n == 0 || (colon[1 + n] != '\0' && strcmp(colon + 1 + n, "%") != 0))
        return NULL;
    char *text = strndup(colon + 1, n);
    *strchr(item, ':') = '\0';
    return text;
}

static enum qn_text_status too_large(struct qn_out_classic *c, const char *text)
{
    return qn_text_fail(c->err, QN_TEXT_BAD, "--sort: threshold out of range, got %s, wanted 0 to 100",
                        text);
}

/* Splits off all limits; *list keeps the names. */
static enum qn_text_status take_limits(struct qn_out_classic *c, char *list, int *any)
{
    char *names = list, *rest = list;
    for (int i = 0; rest; i++) {
        char *comma = strchr(rest, ',');
        char *item = rest;
        rest = comma ? comma + 1 : NULL;
        if (comma)
            *comma = '\0';
        c->limits[i].text = cut_limit(item);
        c->limits[i].percent = c->limits[i].text ? strtod(c->limits[i].text, NULL) : 0;
        *any |= c->limits[i].text != NULL;
        if (c->limits[i].percent > 100)
            return too_large(c, c->limits[i].text);
        size_t n = strlen(item);
        memmove(names, item, n);
        names += n;
        *names++ = ',';
    }
    names[-1] = '\0';
    return QN_TEXT_OK;
}

/* Limits that were not written. */
static void fill_limits(struct qn_out_classic *c, int any)
{
    const char *given = c->request->threshold_text ? c->request->threshold_text : default_threshold;
    for (int i = 0; i < c->columns.sort_count; i++) {
        struct qn_out_limit *l = &c->limits[i];
        if (l->text)
            continue;
        l->percent = any ? 0 : i == 0 ? c->request->threshold : 100;
        l->text = QN_NEEDED(any ? strdup("0") : i == 0 ? strndup(given, strcspn(given, "%")) : strdup("100"));
    }
}

/* Trailing commas do not make empty items: that is Perl's split. */
static char *copy_list(const char *list)
{
    size_t n = list ? strlen(list) : 0;
    while (n > 0 && list[n - 1] == ',')
        n--;
    return QN_NEEDED(strndup(list ? list : "", n));
}

static enum qn_text_status only_events(struct qn_out_classic *c)
{
    for (int i = 0; i < c->columns.shown_count; i++)
        if (c->columns.shown[i].event < 0)
            return qn_text_fail(c->err, QN_TEXT_BAD, "--show event `%s' did not appear in input",
                                c->columns.shown[i].name);
    return QN_TEXT_OK;
}

enum qn_text_status qn_out_classic_choose(struct qn_out_classic *c)
{
    char *show = copy_list(c->request->show), *sort = copy_list(c->request->sort);
    c->limits = QN_NEEDED(calloc(strlen(sort) + (size_t)c->events + 1, sizeof *c->limits));
    int any = 0;
    enum qn_text_status status = *sort ? take_limits(c, sort, &any) : QN_TEXT_OK;
    if (status == QN_TEXT_OK)
        status = qn_out_choose_columns(&c->columns, &c->ledger.header, show, sort, c->err);
    if (status == QN_TEXT_OK)
        fill_limits(c, any);
    free(show);
    free(sort);
    return status == QN_TEXT_OK ? only_events(c) : status;
}

static const int64_t *fn_counts(const struct qn_out_classic *c, uint32_t fn)
{
    return qn_prof_row(&c->ledger.fn_totals, fn);
}

static int64_t sort_key(int64_t count)
{
    return count == QN_PROF_NONE ? 1 : count < 0 ? -count : count;
}

/* The printed name is "file:function"; order of two such names. */
static int compare_names(const struct qn_prof_fns *fns, uint32_t a, uint32_t b)
{
    const char *p = qn_prof_fn_file(fns, a), *q = qn_prof_fn_file(fns, b);
    int d = strcmp(p, q);
    return d ? d : strcmp(qn_prof_fn_name(fns, a), qn_prof_fn_name(fns, b));
}

static int compare_fns(const void *a, const void *b, void *classic)
{
    const struct qn_out_classic *c = classic;
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    const int64_t *x = fn_counts(c, p), *y = fn_counts(c, q);
    for (int i = 0; i < c->columns.sort_count; i++) {
        const struct qn_out_key *k = &c->columns.sort[i];
        double v = k->expr ? qn_out_key_weight(k, x) : 0, w = k->expr ? qn_out_key_weight(k, y) : 0;
        int64_t n = k->expr ? 0 : sort_key(x[k->event]), m = k->expr ? 0 : sort_key(y[k->event]);
        if (v != w || n != m)
            return v > w || n > m ? -1 : 1;
    }
    return compare_names(&c->ledger.fns, p, q);
}

static int reaches_a_limit(const struct qn_out_classic *c, const int64_t *counts)
{
    for (int i = 0; i < c->columns.sort_count; i++) {
        const struct qn_out_key *k = &c->columns.sort[i];
        double total = qn_out_key_weight(k, c->total);
        double part = k->expr ? 100 * qn_out_key_weight(k, counts) : fabs((double)((__int128)qn_prof_count(counts[k->event]) * 100));
        double percent = total == 0 ? 0 : part / total;
        if (percent >= c->limits[i].percent)
            return 1;
    }
    return 0;
}

/* The first function in order that reaches no limit; the table ends before it. */
static uint32_t first_below(struct qn_out_classic *c)
{
    uint32_t first = QN_TEXT_NO_ID;
    for (uint32_t fn = 0; fn < qn_prof_fn_count(&c->ledger.fns); fn++)
        if (!reaches_a_limit(c, fn_counts(c, fn)) &&
            (first == QN_TEXT_NO_ID || compare_fns(&fn, &first, c) < 0))
            first = fn;
    return first;
}

/* The functions of the table in order. */
static uint32_t collect(struct qn_out_classic *c, uint32_t *shown)
{
    uint32_t n = 0, limit = first_below(c);
    for (uint32_t fn = 0; fn < qn_prof_fn_count(&c->ledger.fns); fn++)
        if (limit == QN_TEXT_NO_ID || compare_fns(&fn, &limit, c) < 0)
            shown[n++] = fn;
    qsort_r(shown, n, sizeof *shown, compare_fns, c);
    return n;
}

/* Takes the file to annotate from the printed name, up to its first colon, as the original does; so a file with
 * a colon in its name is searched under the part before it. */
static void choose_file(struct qn_out_classic *c, uint32_t fn)
{
    const char *file = qn_prof_fn_file(&c->ledger.fns, fn);
    const char *name = qn_prof_fn_name(&c->ledger.fns, fn);
    const char *colon = strchr(file, ':');
    if (colon) {
        qn_text_intern(&c->chosen, file, (size_t)(colon - file));
    } else if (*name) {
        qn_text_intern(&c->chosen, file, strlen(file));
    } else {
        char with_colon[strlen(file) + 2];
        strcat(strcpy(with_colon, file), ":");
        qn_text_intern(&c->chosen, with_colon, strlen(with_colon));
    }
}

static void put_functions(struct qn_out_classic *c, const uint32_t *shown, uint32_t n)
{
    int widths[c->events];
    qn_out_classic_begin_widths(c, widths);
    for (uint32_t fn = 0; fn < qn_prof_fn_count(&c->ledger.fns); fn++)
        qn_out_classic_measure(c, widths, fn_counts(c, fn));
    qn_out_classic_put_frame(c->sink);
    qn_out_classic_put_events(c, widths);
    qn_out_puts(c->sink, " file:function\n");
    qn_out_classic_put_frame(c->sink);
    for (uint32_t i = 0; i < n; i++) {
        qn_out_classic_put_counts(c, widths, fn_counts(c, shown[i]));
        qn_out_putc(c->sink, ' ');
        qn_out_name(c->sink, qn_prof_fn_file(&c->ledger.fns, shown[i]));
        qn_out_putc(c->sink, ':');
        qn_out_name(c->sink, qn_prof_fn_name(&c->ledger.fns, shown[i]));
        qn_out_putc(c->sink, '\n');
        choose_file(c, shown[i]);
    }
    qn_out_putc(c->sink, '\n');
}

void qn_out_classic_functions(struct qn_out_classic *c)
{
    uint32_t *shown = QN_NEEDED(malloc((qn_prof_fn_count(&c->ledger.fns) + (size_t)1) * sizeof *shown));
    put_functions(c, shown, collect(c, shown));
    free(shown);
}
