/* lib/report/compare.c - the page about the differences of two profiles.  See report.h.
 *
 *   function   cycles before   after     change       instructions   D1 misses   ...   (of these the change)
 *   jki        4,423,680       1,802,240 -2,621,440   -0             -262,144
 *
 * Rows with the largest change of estimated cycles stand first; below CHANGE_LEAST of the cycles they are left out.  Files are the same as on the
 * page to explore: prof/merge.h.  Functions are the same if their names and files are; lines, if file and number are.  Events that only one of the two has are left out,
 * also of the cycles, and a line says so.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out/sink.h"
#include "plot/plot.h"
#include "prof/merge.h"
#include "report/facts.h"
#include "report/html.h"
#include "text/output.h"

#define ROWS 20
#define CHANGE_LEAST 0.001 /* of the cycles of the run */

static const char *const sides[] = { QN_REPORT_BEFORE, QN_REPORT_PROFILE };

struct comparison {
    const char *folder;
    struct qn_text_memory memory;
    struct qn_plot_profile profile[2];             /* before, after */
    struct qn_plot_centres functions[2], lines[2];
    const char *cycles;                            /* of the events that both have: a name, or an expression */
};

struct row {
    const char *file, *name;
    uint32_t line;
    const struct qn_plot_centres *of[2];
    int at[2]; /* the centre of each side; -1: it has none */
    double change;
};

/* ---- events ---- */

static const struct qn_prof_header *header(const struct comparison *c, int side) { return qn_prof_reader_header(c->profile[side].reader); }

static bool has_event(const struct comparison *c, int side, const char *event)
{
    event = qn_prof_modern_event(header(c, !side), event);
    return qn_prof_find_event(header(c, side), event, strlen(event)) >= 0;
}

/* "Bc, Bcm": what the other side does not have; "": nothing. */
static const char *list_alone(struct comparison *c, int side)
{
    const struct qn_prof_header *h = header(c, side);
    const char *list = "";

    for (int i = 0; i < h->event_count; i++)
        if (!has_event(c, !side, h->events[i]))
            list = qn_text_format(&c->memory, "%s%s%s", list, *list ? ", " : "", h->events[i]);
    return list;
}

/* Of "D1mr+D1mw", does one side have an event that the other has not? */
static bool is_left_out(struct comparison *c, const char *events)
{
    for (size_t n; *events; events += n + (events[n] == '+')) {
        const char *event = qn_text_copy_part(&c->memory, events, n = strcspn(events, "+"));

        if (has_event(c, 0, event) != has_event(c, 1, event))
            return true;
    }
    return false;
}

static void choose_cycles(struct comparison *c)
{
    struct qn_prof_header shared = { .events = qn_text_alloc(&c->memory, ((size_t)header(c, 0)->event_count + 1) * sizeof *shared.events) };
    char *expression;

    for (int i = 0; i < header(c, 0)->event_count; i++)
        if (has_event(c, 1, header(c, 0)->events[i]))
            shared.events[shared.event_count++] = header(c, 0)->events[i];
    expression = *list_alone(c, 0) || *list_alone(c, 1) ? qn_out_write_timing("cycles", &shared) : NULL;
    c->cycles = expression ? qn_text_copy(&c->memory, expression) : "cycles";
    free(expression);
}

static void write_left_out(struct comparison *c, FILE *out)
{
    const char *lists[2] = { list_alone(c, 0), list_alone(c, 1) };

    if (!*lists[0] && !*lists[1])
        return;
    fputs("<p>Left out, also of the cycles, because only one of the two has it: ", out);
    for (int side = 0; side < 2; side++)
        if (*lists[side])
            qn_report_put(out, "%s%s (%s)", side && *lists[0] ? "; " : "", lists[side], side ? "after" : "before");
    fputs(".</p>\n", out);
}

/* ---- rows ---- */

static int compare_keys(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = strcmp(x->file, y->file);

    if (order || x->line != y->line)
        return order ? order : x->line < y->line ? -1 : 1;
    return x->line ? 0 : strcmp(x->name, y->name);
}

static const char *path_of(const struct row *r)
{
    return r->at[0] >= 0 ? r->of[0]->at[r->at[0]].file : r->of[1]->at[r->at[1]].file;
}

/* By key; of equal keys those of the profile before come first, on each side by the whole path. */
static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = compare_keys(a, b);

    if (!order)
        order = (x->at[0] < 0) - (y->at[0] < 0);
    return order ? order : strcmp(path_of(x), path_of(y));
}

static int compare_changes(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (fabs(x->change) != fabs(y->change))
        return fabs(x->change) > fabs(y->change) ? -1 : 1;
    return compare_keys(a, b);
}

static double value_of(const struct row *r, int side) { return r->at[side] < 0 ? 0 : r->of[side]->at[r->at[side]].value; }

static double count_of(const struct row *r, int side, const char *events)
{
    return r->at[side] < 0 ? 0 : qn_report_count(r->of[side], r->at[side], events);
}

static int add_rows(struct row *rows, const struct qn_plot_centres both[2], int side)
{
    for (int i = 0; i < both[side].count; i++) {
        const struct qn_plot_centre *c = &both[side].at[i];

        rows[i] = (struct row){ c->file, c->line ? c->name : c->function, c->line, { &both[0], &both[1] },
                                { side ? -1 : i, side ? i : -1 }, 0 };
    }
    return both[side].count;
}

/* Rows with equal keys: `from` to `middle` are of the profile before, `middle` to `end` of the one after.  Pairs the first of each, and so on,
 * and moves the pairs to `kept`; returns where the next ones go. */
static int pair_up(struct row *rows, int kept, int from, int middle, int end)
{
    for (int i = from; i < middle; i++) {
        rows[kept] = rows[i];
        if (middle + i - from < end)
            rows[kept].at[1] = rows[middle + i - from].at[1];
        kept++;
    }
    for (int i = middle + (middle - from); i < end; i++)
        rows[kept++] = rows[i];
    return kept;
}

/* Matches rows of both sides; the largest changes come first. */
static struct row *match(struct comparison *c, const struct qn_plot_centres both[2], int *count)
{
    struct row *rows = qn_text_alloc(&c->memory, (size_t)(both[0].count + both[1].count + 1) * sizeof *rows);
    int n = add_rows(rows, both, 0), kept = 0;

    n += add_rows(rows + n, both, 1);
    qsort(rows, (size_t)n, sizeof *rows, compare_rows);
    for (int i = 0, end; i < n; i = end) {
        int before = 0;

        for (end = i; end < n && !compare_keys(&rows[i], &rows[end]); end++)
            before += rows[end].at[0] >= 0;
        kept = pair_up(rows, kept, i, i + before, end);
    }
    for (int i = 0; i < kept; i++)
        rows[i].change = value_of(&rows[i], 1) - value_of(&rows[i], 0);
    qsort(rows, (size_t)kept, sizeof *rows, compare_changes);
    *count = kept;
    return rows;
}

/* ---- tables ---- */

/* "+1,024", "-5", "0" */
static void change_cell(FILE *out, double change)
{
    char text[QN_OUT_COUNT_MAX];

    qn_out_commify(text, llround(change));
    fprintf(out, "<td>%s%s</td>", change > 0 ? "+" : "", text);
}

static void write_row(struct comparison *c, FILE *out, const struct row *r)
{
    const struct qn_plot_centre *any = r->at[1] < 0 ? &r->of[0]->at[r->at[0]] : &r->of[1]->at[r->at[1]];

    fputs("<tr>", out);
    qn_report_text_cell(out, qn_text_copy(&c->memory, any->name));
    for (int side = 0; side < 2; side++)
        qn_report_count_cell(out, value_of(r, side), 0);
    change_cell(out, r->change);
    for (int i = 0; i < QN_REPORT_COLUMNS; i++)
        if (!is_left_out(c, qn_report_columns[i].events))
            change_cell(out, count_of(r, 1, qn_report_columns[i].events) - count_of(r, 0, qn_report_columns[i].events));
    fputs("</tr>\n", out);
}

static void write_changes(struct comparison *c, FILE *out, const struct qn_plot_centres both[2], const char *id, const char *title)
{
    int count;
    const struct row *rows = match(c, both, &count);
    double least = CHANGE_LEAST * fmax(both[0].total, both[1].total);
    const char *headings;

    qn_report_heading(out, id, title);
    if (!count || rows[0].change == 0) {
        fputs("<p>The same in both.</p>\n", out);
        return;
    }
    if (fabs(rows[0].change) < least) {
        fprintf(out, "<p>No %s has changed by a thousandth of the estimated cycles.</p>\n", both[0].by);
        return;
    }
    fputs("<p>The largest changes of estimated cycles first, down to a thousandth of all; events as changes.</p>\n", out);
    headings = qn_text_format(&c->memory, "%s|cycles before|after|change", both[0].by);
    for (int i = 0; i < QN_REPORT_COLUMNS; i++)
        if (!is_left_out(c, qn_report_columns[i].events))
            headings = qn_text_format(&c->memory, "%s|%s", headings, qn_report_columns[i].name);
    qn_report_begin_table(out, "", headings);
    for (int i = 0; i < count && i < ROWS && fabs(rows[i].change) >= least; i++)
        write_row(c, out, &rows[i]);
    qn_report_end_table(out);
}

static void summary_row(FILE *out, const char *name, double before, double after)
{
    fprintf(out, "<tr><td>%s</td>", name);
    qn_report_count_cell(out, before, 0);
    qn_report_count_cell(out, after, 0);
    change_cell(out, after - before);
    if (before)
        fprintf(out, "<td>%+.1f%%</td></tr>\n", 100 * (after - before) / before);
    else
        fputs("<td></td></tr>\n", out);
}

static void write_summary(struct comparison *c, FILE *out)
{
    const struct qn_plot_centres *a = &c->functions[0], *b = &c->functions[1];
    char timing[200];

    qn_report_heading(out, "summary", "Summary");
    qn_out_describe_timing(timing, sizeof timing, header(c, 0));
    fprintf(out, "<p>Estimated cycles: %s.</p>\n", timing);
    write_left_out(c, out);
    qn_report_begin_table(out, "", "of the whole run|before|after|change|");
    summary_row(out, "cycles (estimated)", a->total, b->total);
    for (int i = 0; i < QN_REPORT_COLUMNS; i++)
        if (!is_left_out(c, qn_report_columns[i].events))
            summary_row(out, qn_report_columns[i].name, qn_report_count(a, -1, qn_report_columns[i].events),
                        qn_report_count(b, -1, qn_report_columns[i].events));
    qn_report_end_table(out);
}

/* ---- the page ---- */

static void write_picture(struct comparison *c, FILE *out)
{
    struct qn_plot_request q = { .kind = "compare", .event = c->cycles, .title = "cycles by function, A against B", .input_count = 2 };
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char remark[QN_PLOT_REMARK_MAX];

    for (int side = 0; side < 2; side++)
        q.inputs[side] = qn_text_format(&c->memory, "%s/%s", c->folder, sides[side]);
    q.output = qn_text_format(&c->memory, "%s/compare.svg", c->folder);
    if (qn_plot_draw(&q, remark, &err) == QN_TEXT_OK && !access(q.output, F_OK))
        fputs("<figure><img src=\"compare.svg\" alt=\"Estimated cycles of functions, before (A) and after (B); the table above has "
              "the numbers.\"><figcaption>Estimated cycles, A before and B after.</figcaption></figure>\n", out);
    else
        qn_report_missing(out, "There is no picture: gnuplot is not here, or nothing was counted", "gnuplot compare.gp");
}

static void write_origin(FILE *out, const struct qn_plot_centres both[2])
{
    qn_report_heading(out, "origin", "Where this comes from");
    for (int side = 0; side < 2; side++) {
        fprintf(out, "<h3>%s</h3>\n", side ? "After" : "Before");
        qn_report_put_descriptions(out, both[side].header);
    }
}

static void write_page(struct comparison *c, FILE *out)
{
    const char *title = qn_text_format(&c->memory, "What changed: %s", c->functions[1].header->cmd.text);

    qn_report_begin(out, QN_REPORT_MARK, title);
    qn_report_put(out, "<h1>%s</h1>\n", title);
    qn_report_explore_link(out);
    write_summary(c, out);
    write_changes(c, out, c->functions, "functions", "Functions");
    write_picture(c, out);
    write_changes(c, out, c->lines, "lines", "Lines");
    write_origin(out, c->functions);
    qn_report_end(out);
}

static enum qn_text_status save_page(struct comparison *c, struct qn_text_error *err)
{
    struct qn_text_output o;

    if (qn_text_open_output(&o, qn_text_format(&c->memory, "%s/" QN_REPORT_PAGE, c->folder), QN_TEXT_SHARED, err) != QN_TEXT_OK)
        return err->status;
    write_page(c, qn_text_stream_output(&o));
    return qn_text_close_output(&o, err);
}

static enum qn_text_status read_side(struct comparison *c, int side, struct qn_text_error *err)
{
    const char *path = qn_text_format(&c->memory, "%s/%s", c->folder, sides[side]);
    const struct qn_plot_request functions = { .by = "function", .profile = &c->profile[side] }, lines = { .by = "line", .profile = &c->profile[side] };

    if (qn_plot_read_rows(&c->profile[side], &functions, path, err) != QN_TEXT_OK
        || qn_plot_read_centres(&c->functions[side], &c->memory, &functions, path, c->cycles, err) != QN_TEXT_OK)
        return err->status;
    return qn_plot_read_centres(&c->lines[side], &c->memory, &lines, path, c->cycles, err);
}

enum qn_text_status qn_report_compare(const char *folder, struct qn_text_error *err)
{
    struct comparison c = { .folder = folder };

    qn_prof_align(qn_text_format(&c.memory, "%s/" QN_REPORT_BEFORE, folder), qn_text_format(&c.memory, "%s/" QN_REPORT_PROFILE, folder), err);
    for (int side = 0; side < 2 && err->status == QN_TEXT_OK; side++)
        qn_plot_open_rows(&c.profile[side], qn_text_format(&c.memory, "%s/%s", folder, sides[side]), err);
    if (err->status == QN_TEXT_OK) {
        choose_cycles(&c);
        if (read_side(&c, 0, err) == QN_TEXT_OK && read_side(&c, 1, err) == QN_TEXT_OK)
            save_page(&c, err);
    }
    for (int side = 0; side < 2; side++)
        qn_plot_free_rows(&c.profile[side]);
    qn_text_free_memory(&c.memory);
    return err->status;
}
