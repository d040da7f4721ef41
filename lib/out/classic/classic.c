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

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/columns.h"
#include "out/sink.h"
#include "out/report.h"
#include "out/source.h"
#include "prof/counts.h"
#include "prof/table/ledger.h"
#include "text/names.h"
#include "text/source.h"

struct classic {
    struct qn_out_sink *sink;
    const struct qn_out_request *request;
    struct qn_prof_ledger ledger;
    struct qn_out_columns columns; /* shown: events only */
    struct limit {
        double percent;
        char *text; /* the user's own text */
    } *limits;      /* one per sort event */
    int64_t *total; /* the summary */
    int events;
    const char **sources; /* named on the command line: sorted, each once */
    int source_count;
    const char *input;           /* the profile's path */
    struct qn_prof_threads threads; /* with --by=thread */
    struct qn_text_names chosen; /* files of functions above the threshold */
    struct qn_text_error *err;
};

/* The state of one annotated file's section; used for all sections in turn. */
struct file {
    struct classic *c;
    const char *name;
    int by_user;
    struct qn_text_source source;
    int64_t line_number;   /* of the line read last */
    int is_newer;          /* than the profile */
    struct qn_out_lines lines;
    int *widths;
    int64_t *line0, *annotated, *none; /* rows: of line 0; the sum of all annotated lines; without counts */
    int has_line0;
    const char *text; /* the source line */
};


/* A directory with one slash behind it. */
static void put_folder(struct qn_out_sink *s, const char *folder)
{
    size_t n = strlen(folder);
    qn_out_put(s, folder, n > 0 && folder[n - 1] == '/' ? n - 1 : n);
    qn_out_putc(s, '/');
}

/* ---- columns of counts ---- */

/* Width of " (12.34%)". */
enum { PERCENT_WIDTH = 9 };

static void begin_widths(const struct classic *c, int *widths)
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
static void measure(const struct classic *c, int *widths, const int64_t *counts)
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

static int cell_text(const struct classic *c, char *to, int event, int64_t count)
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

static void put_counts(const struct classic *c, const int *widths,
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

static void put_events(const struct classic *c, const int *widths)
{
    for (int i = 0; i < c->columns.shown_count; i++) {
        int event = c->columns.shown[i].event;
        const char *name = c->ledger.header.events[event];
        qn_out_name(c->sink, name);
        qn_out_pad(c->sink, ' ', widths[event] - (long)strlen(name) + 1);
    }
}

static void put_heading(const struct classic *c, const int *widths, const char *end)
{
    qn_out_put_frame(c->sink);
    put_events(c, widths);
    qn_out_puts(c->sink, end);
    qn_out_put_frame(c->sink);
}

/* A table of one row. */
static void put_sum(const struct classic *c, const int64_t *counts, const char *what)
{
    int widths[c->events];
    begin_widths(c, widths);
    measure(c, widths, counts);
    put_heading(c, widths, "\n");
    put_counts(c, widths, counts);
    qn_out_printf(c->sink, " %s\n\n", what);
}

/* ---- The function table of the classic style, its sort order and thresholds ----
 *
 * In:  --sort=A:X,B:Y or --threshold=X; totals per function
 * Out: functions in order of the absolute counts of the sort events, until the first that reaches
 *      none of the thresholds
 *
 * Rules: without thresholds in --sort the primary event's is --threshold and the others' 100; with
 * at least one, missing ones are 0. A missing count sorts as 1, because the original takes the absolute value of -1.
 */

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

/* Splits off all limits; *list keeps the names. */
static enum qn_text_status take_limits(struct classic *c, char *list, int *any)
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
            return qn_text_fail(c->err, QN_TEXT_BAD, "--sort: threshold out of range, got %s, wanted 0 to 100", c->limits[i].text);
        size_t n = strlen(item);
        memmove(names, item, n);
        names += n;
        *names++ = ',';
    }
    names[-1] = '\0';
    return QN_TEXT_OK;
}

/* Limits that were not written. */
static void fill_limits(struct classic *c, int any)
{
    const char *given = c->request->threshold_text ? c->request->threshold_text : "0.1";
    for (int i = 0; i < c->columns.sort_count; i++) {
        struct limit *l = &c->limits[i];
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

static enum qn_text_status only_events(struct classic *c)
{
    for (int i = 0; i < c->columns.shown_count; i++)
        if (c->columns.shown[i].event < 0)
            return qn_text_fail(c->err, QN_TEXT_BAD, "--show event `%s' did not appear in input",
                                c->columns.shown[i].name);
    return QN_TEXT_OK;
}

static enum qn_text_status choose_columns(struct classic *c)
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

static const int64_t *fn_counts(const struct classic *c, uint32_t fn)
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
    const struct classic *c = classic;
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    const int64_t *x = fn_counts(c, p), *y = fn_counts(c, q);
    for (int i = 0; i < c->columns.sort_count; i++) {
        const struct qn_out_column *k = &c->columns.sort[i];
        double v = k->expr ? qn_out_key_weight(k, x) : 0, w = k->expr ? qn_out_key_weight(k, y) : 0;
        int64_t n = k->expr ? 0 : sort_key(x[k->event]), m = k->expr ? 0 : sort_key(y[k->event]);
        if (v != w || n != m)
            return v > w || n > m ? -1 : 1;
    }
    return compare_names(c->ledger.fns, p, q);
}

static int reaches_a_limit(const struct classic *c, const int64_t *counts)
{
    for (int i = 0; i < c->columns.sort_count; i++) {
        const struct qn_out_column *k = &c->columns.sort[i];
        double total = qn_out_key_weight(k, c->total);
        double part = k->expr ? 100 * qn_out_key_weight(k, counts) : fabs((double)((__int128)qn_prof_count(counts[k->event]) * 100));
        double percent = total == 0 ? 0 : part / total;
        if (percent >= c->limits[i].percent)
            return 1;
    }
    return 0;
}

/* The functions of the table in order, to the first that reaches no limit. */
static uint32_t collect(struct classic *c, uint32_t *shown)
{
    uint32_t all = qn_prof_fn_count(c->ledger.fns), n = 0;
    for (uint32_t fn = 0; fn < all; fn++)
        shown[fn] = fn;
    qsort_r(shown, all, sizeof *shown, compare_fns, c);
    while (n < all && reaches_a_limit(c, fn_counts(c, shown[n])))
        n++;
    return n;
}

/* Takes the file to annotate from the printed name, up to its first colon, as the original does; so a file with
 * a colon in its name is searched under the part before it. */
static void choose_file(struct classic *c, uint32_t fn)
{
    const char *file = qn_prof_fn_file(c->ledger.fns, fn);
    const char *name = qn_prof_fn_name(c->ledger.fns, fn);
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

static void put_functions(struct classic *c, const uint32_t *shown, uint32_t n)
{
    int widths[c->events];
    begin_widths(c, widths);
    for (uint32_t fn = 0; fn < qn_prof_fn_count(c->ledger.fns); fn++)
        measure(c, widths, fn_counts(c, fn));
    put_heading(c, widths, " file:function\n");
    for (uint32_t i = 0; i < n; i++) {
        put_counts(c, widths, fn_counts(c, shown[i]));
        qn_out_putc(c->sink, ' ');
        qn_out_name(c->sink, qn_prof_fn_file(c->ledger.fns, shown[i]));
        qn_out_putc(c->sink, ':');
        qn_out_name(c->sink, qn_prof_fn_name(c->ledger.fns, shown[i]));
        qn_out_putc(c->sink, '\n');
        choose_file(c, shown[i]);
    }
    qn_out_putc(c->sink, '\n');
}

/* ---- One annotated source of the classic style ----
 *
 * In:  counts by line, rising; the lines of the source
 * Out: ranges of lines around those with counts, gaps between them, counts of lines that the source does not have
 */

/* Reads the next line with its newline; returns its length, 0 at the end. A last line "0" without a newline
 * counts as the end, because it is false in Perl. */
static size_t read_line(struct file *f)
{
    size_t n;
    if (!qn_text_next_source_line(&f->source, &f->text, &n))
        return 0;
    f->line_number++;
    return n == 1 && f->text[0] == '0' ? 0 : n;
}

/* Skips lines up to `last`. */
static void skip_to(struct file *f, int64_t last)
{
    size_t n;
    for (; f->line_number < last; f->line_number++)
        if (!qn_text_next_source_line(&f->source, &f->text, &n))
            return;
}

static void put_source_line(struct file *f, size_t length)
{
    if (f->lines.pending && f->lines.line == f->line_number) {
        put_counts(f->c, f->widths, f->lines.counts);
        if (qn_prof_add_counts(f->annotated, f->lines.counts, f->c->events) != 0)
            qn_text_fail(f->c->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
        qn_out_next_line(&f->lines);
    } else {
        put_counts(f->c, f->widths, f->none);
    }
    qn_out_putc(f->c->sink, ' ');
    qn_out_put_line(f->c->sink, f->text, length);
}

/* Writes the ranges. The first one is cut at line 1; later ones cannot reach it. */
static void put_ranges(struct file *f)
{
    for (int first = 1; f->lines.pending; first = 0) {
        int64_t context = f->c->request->context;
        int64_t low = f->lines.line - context, high = qn_out_end_of_range(&f->lines, context);
        low = first && low < 1 ? 1 : low;
        skip_to(f, low - 1);
        if (low != 1)
            qn_out_put_gap(f->c->sink, low);
        size_t length = 0;
        while (f->line_number < high && (length = read_line(f)) > 0)
            put_source_line(f, length);
        if (length == 0)
            return;
        qn_out_put_gap(f->c->sink, high);
    }
}

static void warn_newer(const struct file *f)
{
    struct qn_out_sink *s = f->c->sink;
    qn_out_puts(s, QN_OUT_WARNING "@ Source file '");
    qn_out_name(s, f->name);
    qn_out_puts(s, "' is more recent than input file '");
    qn_out_name(s, f->c->input);
    qn_out_puts(s, "'.\n@ Annotations may not be correct.\n" QN_OUT_WARNING_FRAME "\n");
}

static void warn_bogus(const struct file *f)
{
    struct qn_out_sink *s = f->c->sink;
    qn_out_puts(s, QN_OUT_WARNING "@@\n@@ Information recorded about lines past the end of '");
    qn_out_name(s, f->name);
    qn_out_puts(s, "'.\n@@\n@@ Probable cause and solution:\n");
    if (f->source.error) {
        qn_out_printf(s, "@@ cause:    the source was read up to line %lld: %s\n", (long long)f->line_number, qn_text_source_why(f->source.error));
    } else if (f->is_newer) {
        qn_out_puts(s, "@@ cause:    '");
        qn_out_name(s, f->name);
        qn_out_puts(s, "' has changed since information was gathered.\n"
                    "@@           If so, a warning will have already been issued about this.\n"
                    "@@ solution: Recompile program and rerun under \"valgrind --cachesim=yes\" to \n"
                    "@@           gather new information.\n");
    } else if (strlen(f->name) >= 2 && strcmp(f->name + strlen(f->name) - 2, ".h") == 0) {
        qn_out_puts(s, "@@ cause:    bug in the Valgrind's debug info reader that screws up with .h\n"
                    "@@           files sometimes\n@@ solution: none, sorry\n");
    } else {
        qn_out_puts(s, "@@ cause:    not sure, sorry\n");
    }
    qn_out_puts(s, "@@\n" QN_OUT_WARNING_FRAME);
}

static void put_bogus_lines(struct file *f)
{
    while (f->lines.pending) {
        put_counts(f->c, f->widths, f->lines.counts);
        qn_out_printf(f->c->sink, " <bogus line %u>\n", f->lines.line);
        qn_out_next_line(&f->lines);
    }
    qn_out_putc(f->c->sink, '\n');
    warn_bogus(f);
}

/* Saves the counts of line 0, which are written last. */
static void take_line0(struct file *f)
{
    f->has_line0 = f->lines.pending && f->lines.line == 0;
    if (!f->has_line0)
        return;
    memcpy(f->line0, f->lines.counts, (size_t)f->c->events * sizeof *f->line0);
    qn_out_next_line(&f->lines);
}

static void measure_lines(struct file *f)
{
    begin_widths(f->c, f->widths);
    for (qn_out_first_line(&f->lines); f->lines.pending; qn_out_next_line(&f->lines))
        measure(f->c, f->widths, f->lines.counts);
    qn_out_first_line(&f->lines);
}

static void put_lines(struct file *f)
{
    struct qn_out_sink *s = f->c->sink;
    if (f->is_newer)
        warn_newer(f);
    measure_lines(f);
    put_events(f->c, f->widths);
    qn_out_puts(s, "\n\n");
    take_line0(f);
    put_ranges(f);
    if (f->lines.pending)
        put_bogus_lines(f);
    qn_out_putc(s, '\n');
    if (!f->has_line0)
        return;
    put_counts(f->c, f->widths, f->line0);
    qn_out_puts(s, " <counts for unidentified lines in ");
    qn_out_name(s, f->name);
    qn_out_puts(s, ">\n\n");
}

/* Compares whole seconds, as the original does. */
static int is_newer_than(const char *source, const char *profile)
{
    struct timespec a, b;
    return qn_text_time_of(source, &a) == 0 && qn_text_time_of(profile, &b) == 0 &&
           a.tv_sec > b.tv_sec;
}

/* The name stands behind the directory of -I in which it was found. */
static void put_title(const struct file *f, int include)
{
    struct qn_out_sink *s = f->c->sink;
    qn_out_put_frame(s);
    qn_out_puts(s, f->by_user ? "-- User-annotated source: " : "-- Auto-annotated source: ");
    if (include >= 0) {
        put_folder(s, f->c->request->includes[include]);
        qn_out_puts(s, " + ");
    }
    qn_out_name(s, f->name);
    qn_out_putc(s, '\n');
    qn_out_put_frame(s);
}

/* 1: counts were annotated; 0: the profile has none for the file. */
static int put_found(struct file *f, const char *path, int include)
{
    struct classic *c = f->c;
    put_title(f, include);
    uint32_t id = qn_text_find_name(&c->ledger.fns->files, f->name, strlen(f->name));
    if (id == QN_TEXT_NO_ID) {
        qn_out_puts(c->sink, "  No information has been collected for ");
        qn_out_name(c->sink, f->name);
        qn_out_puts(c->sink, "\n\n");
        return 0;
    }
    f->lines.of = qn_prof_ledger_lines(&c->ledger, id);
    f->is_newer = is_newer_than(path, c->input);
    put_lines(f);
    return 1;
}

/* 1 annotated, 0 opened but without counts, -1 not opened or failed (then c->err says so). A directory opens, too, as it does in the
 * original, and has no lines. */
static int put_file(struct file *f)
{
    char *path;
    int include, error = qn_out_open_source(f->c->request, &f->source, f->name, &path, &include);
    f->source.as_is = true;
    f->line_number = 0;
    f->lines.pending = 0;
    int result = !error || error == EISDIR ? put_found(f, path, include) : -1;
    qn_text_close_source(&f->source);
    free(path);
    return result;
}

/* ---- The annotated sources of the classic style ----
 *
 * In:  files chosen by the function table and by the user
 * Out: a section per file that was found, the list of those that were not, the events annotated
 */

static int is_user_source(const struct classic *c, const char *name)
{
    return bsearch(&name, c->sources, (size_t)c->source_count, sizeof *c->sources, qn_text_compare) != NULL;
}

/* All files to annotate, sorted, each once: the user's and, where auto-annotating, the table's. */
static const char **list_files(struct classic *c, size_t *count)
{
    size_t chosen = c->request->annotate ? c->chosen.index.count : 0;
    const char **names = QN_NEEDED(malloc(((size_t)c->source_count + chosen + 1) * sizeof *names));
    *count = 0;
    for (int i = 0; i < c->source_count; i++)
        names[(*count)++] = c->sources[i];
    for (size_t i = 0; i < chosen; i++) {
        const char *name = qn_text_name(&c->chosen, (uint32_t)i);
        if (strcmp(name, "???") != 0 && !is_user_source(c, name))
            names[(*count)++] = name;
    }
    qsort(names, *count, sizeof *names, qn_text_compare);
    return names;
}

static void put_not_found(const struct classic *c, const char **names, size_t count)
{
    if (count == 0)
        return;
    qn_out_put_frame(c->sink);
    qn_out_puts(c->sink, "The following files chosen for auto-annotation could not be found:\n");
    qn_out_put_frame(c->sink);
    for (size_t i = 0; i < count; i++) {
        qn_out_puts(c->sink, "  ");
        qn_out_name(c->sink, names[i]);
        qn_out_putc(c->sink, '\n');
    }
    qn_out_putc(c->sink, '\n');
}

/* Puts all files; those that could not be opened gather at the front of `names`. */
static void put_files(struct file *f, const char **names, size_t count)
{
    struct classic *c = f->c;
    size_t missing = 0;
    int any = 0;
    for (size_t i = 0; i < count && c->err->status == QN_TEXT_OK; i++) {
        f->name = names[i];
        f->by_user = is_user_source(c, names[i]);
        int result = put_file(f);
        if (result < 0 && f->by_user)
            qn_text_fail(c->err, QN_TEXT_IO, "%s: cannot open: %s", names[i], strerror(errno));
        else if (result < 0)
            names[missing++] = names[i];
        any |= result > 0;
    }
    if (c->err->status != QN_TEXT_OK)
        return;
    put_not_found(c, names, missing);
    if (any)
        put_sum(c, f->annotated, "events annotated");
}

static void init_file(struct file *f)
{
    size_t n = (size_t)f->c->events;
    f->widths = QN_NEEDED(calloc(n, sizeof *f->widths));
    f->lines.counts = QN_NEEDED(calloc(n * 4, sizeof *f->lines.counts));
    f->line0 = f->lines.counts + n;
    f->annotated = f->lines.counts + 2 * n;
    f->none = f->lines.counts + 3 * n;
    qn_prof_clear_counts(f->annotated, f->c->events);
    qn_prof_clear_counts(f->none, f->c->events);
}

static void put_annotated(struct classic *c)
{
    struct file f = {.c = c, .lines.err = c->err};
    size_t count;
    const char **names = list_files(c, &count);
    init_file(&f);
    put_files(&f, names, count);
    free(names);
    free(f.widths);
    free(f.lines.counts);
}

/* ---- the report ---- */

static enum qn_text_status read_profile(struct classic *c)
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

static void sort_sources(struct classic *c)
{
    int n = c->request->input_count - 1;
    c->sources = QN_NEEDED(calloc((size_t)n + 1, sizeof *c->sources));
    memcpy(c->sources, c->request->inputs + 1, (size_t)n * sizeof *c->sources);
    qsort(c->sources, (size_t)n, sizeof *c->sources, qn_text_compare);
    for (int i = 0; i < n; i++)
        if (i == 0 || strcmp(c->sources[i], c->sources[c->source_count - 1]) != 0)
            c->sources[c->source_count++] = c->sources[i];
}

/* One below the other, behind a title of 18 columns. */
static void put_list(struct qn_out_sink *s, const char *title, const char *const *names, int count, void (*put)(struct qn_out_sink *, const char *))
{
    qn_out_puts(s, title);
    for (int i = 0; i < count; i++) {
        qn_out_pad(s, ' ', i ? 18 : 0);
        put(s, names[i]);
        qn_out_putc(s, '\n');
    }
    if (count == 0)
        qn_out_putc(s, '\n');
}

static void put_word(struct qn_out_sink *s, int first, const char *word)
{
    if (!first)
        qn_out_putc(s, ' ');
    qn_out_name(s, word);
}

static void put_preamble(const struct classic *c)
{
    struct qn_out_sink *s = c->sink;
    const struct qn_prof_header *h = &c->ledger.header;
    qn_out_put_frame(s);
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
    put_list(s, "Include dirs:     ", c->request->includes, c->request->include_count, put_folder);
    put_list(s, "User annotated:   ", c->sources, c->source_count, qn_out_name);
    qn_out_puts(s, c->request->annotate ? "Auto-annotation:  on\n\n" : "Auto-annotation:  off\n\n");
}

/* --by=thread, beyond the original. */
static void put_threads(struct classic *c, const struct qn_prof_threads *t)
{
    int widths[c->events];
    int64_t *rest = qn_prof_threads_rest(t, c->total);
    begin_widths(c, widths);
    for (size_t i = 0; i < t->count; i++)
        measure(c, widths, t->list[i].counts);
    put_heading(c, widths, " thread\n");
    for (size_t i = 0; i < t->count; i++) {
        put_counts(c, widths, t->list[i].counts);
        qn_out_printf(c->sink, " thread %u\n", t->list[i].number);
    }
    if (rest) {
        put_counts(c, widths, rest);
        qn_out_puts(c->sink, " no thread\n");
    }
    qn_out_putc(c->sink, '\n');
    free(rest);
}

static void put_report(struct classic *c)
{
    uint32_t *shown = QN_NEEDED(malloc((qn_prof_fn_count(c->ledger.fns) + (size_t)1) * sizeof *shown));
    put_preamble(c);
    put_sum(c, c->total, "PROGRAM TOTALS");
    if (c->threads.count)
        put_threads(c, &c->threads);
    put_functions(c, shown, collect(c, shown));
    free(shown);
    put_annotated(c);
}

/* Sources that the command line names must be readable. */
static enum qn_text_status check_sources(const struct qn_out_request *q, struct qn_text_error *err)
{
    for (int i = 1; i < q->input_count; i++) {
        struct qn_text_source source;
        char *path;
        int include, error = qn_out_open_source(q, &source, q->inputs[i], &path, &include);
        qn_text_close_source(&source);
        free(path);
        if (error && error != EISDIR)
            return qn_text_fail(err, QN_TEXT_BAD, "%s: not found here or in a directory given by -I", q->inputs[i]);
    }
    return QN_TEXT_OK;
}

enum qn_text_status qn_out_classic(struct qn_out_sink *s, const struct qn_out_request *q,
                                   struct qn_text_error *err)
{
    struct classic c = {.sink = s, .request = q, .err = err};
    if (check_sources(q, err) == QN_TEXT_OK && read_profile(&c) == QN_TEXT_OK && choose_columns(&c) == QN_TEXT_OK
        && (q->by != QN_OUT_BY_THREAD || qn_prof_read_threads(&c.threads, q->inputs[0], 0, err) == QN_TEXT_OK)) {
        sort_sources(&c);
        put_report(&c);
    }
    for (int i = 0; c.limits && i < c.columns.sort_count; i++)
        free(c.limits[i].text);
    free(c.limits);
    free(c.sources);
    qn_prof_free_threads(&c.threads);
    qn_text_free_names(&c.chosen);
    qn_out_free_columns(&c.columns);
    qn_prof_free_ledger(&c.ledger);
    return err->status;
}
