/* lib/report/page.c - the page: its sections one after the other.  See report.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "plot/plot.h"
#include "plot/words.h"
#include "report/findings.h"
#include "report/html.h"
#include "report/source.h"

#define FUNCTIONS 12 /* rows of tables */
#define LINES 12
#define BRANCHES 8

/* ---- pictures ---- */

struct picture {
    const char *name, *kind, *input, *second, *by, *event, *y; /* as of struct qn_plot_request */
    const char *caption;
};

static const struct picture functions = { .name = "functions", .kind = "top", .input = QN_REPORT_PROFILE,
                                          .caption = "Functions that miss the D1 most" };
static const struct picture lines = { .name = "lines", .kind = "top", .input = QN_REPORT_PROFILE, .by = "line",
                                      .caption = "Lines that miss the D1 most" };
static const struct picture curve = { .name = "curve", .kind = "mrc",
                                      .caption = "Misses of a fully associative cache, by size: where the curve bends, something fits" };
static const struct picture sizes = { .name = "size", .kind = "size", .input = QN_REPORT_RUNS,
                                      .caption = "Misses of a D1 like this one, by size" };
static const struct picture classes = { .name = "classes", .kind = "threec", .input = QN_REPORT_PROFILE, .by = "line",
                                        .caption = "Why the lines miss that do so most: first use, too much, or the same sets" };
static const struct picture phases = { .name = "phases", .kind = "time", .input = QN_REPORT_INTERVALS, .second = QN_REPORT_PROFILE,
                                       .y = "D1m%,LLmr%,Bcm%", .caption = "How the run goes" };
static const struct picture branches = { .name = "branches", .kind = "top", .input = QN_REPORT_PROFILE, .by = "line",
                                         .event = "Bcm+Bim", .caption = "Lines that are mispredicted most" };

static void write_link(FILE *out, const char *name, const char *end)
{
    fprintf(out, "<a href=\"%s%s\">%s%s</a>", name, end, name, end);
}

/* The picture, or the reason why there is none. */
static void draw(struct qn_report_facts *f, FILE *out, const struct picture *p)
{
    const char *image = qn_report_path(f, qn_exp_format(&f->memory, "%s.svg", p->name));
    const char *input = p->input ? qn_report_path(f, p->input) : f->report->mattson_log;
    struct qn_plot_request q = { .kind = p->kind, .output = image, .by = p->by, .event = p->event, .y = p->y, .input_count = 1 };
    struct qn_prof_error err = { .status = QN_PROF_OK };
    char remark[QN_PLOT_REMARK_MAX];

    q.inputs[0] = input;
    if (p->second)
        q.inputs[q.input_count++] = qn_report_path(f, p->second);
    fputs("<figure>", out);
    if (qn_plot_draw(&q, remark, &err) == QN_PROF_OK && !access(image, F_OK))
        fprintf(out, "<img src=\"%s.svg\" alt=\"%s\">", p->name, p->caption);
    fprintf(out, "<figcaption>%s", p->caption);
    if (err.status == QN_PROF_OK) {
        fputs(" (", out);
        write_link(out, p->name, ".csv");
        fputs(", ", out);
        write_link(out, p->name, ".gp");
        fputs(")", out);
    }
    fputs(".", out);
    if (err.status != QN_PROF_OK || access(image, F_OK)) {
        const char *why = err.status == QN_PROF_OK ? "there is no gnuplot here" : err.text, *folder = f->report->folder;
        const char *at = strstr(why, folder);

        fputs(" No picture: ", out); /* without the folder, which has another name later */
        qn_report_text(out, at == why ? why + strlen(folder) + 1 : why);
        fputs(".", out);
    }
    fputs("</figcaption></figure>\n", out);
}

/* ---- what to look at first ---- */

static void write_nothing(struct qn_report_facts *f, FILE *out)
{
    const struct qn_plot_centre *c = &f->functions.at[0];

    fputs("<p>No place stands out for misses or mispredicts. ", out);
    if (f->functions.count) {
        fputs("The most costly function is ", out);
        qn_report_text(out, c->name);
        fprintf(out, ", with %.1f%% of what the run costs, %.1f%% of its instructions.", 100 * c->value / f->functions.total,
                100 * qn_report_count(&f->functions, 0, "Ir") / qn_report_count(&f->functions, -1, "Ir"));
    }
    fputs("</p>\n", out);
}

static void write_findings(struct qn_report_facts *f, FILE *out)
{
    struct qn_report_finding findings[QN_REPORT_FINDINGS_MAX];
    int count = qn_report_find(f, findings);

    qn_report_heading(out, "first", "What to look at first");
    if (!count) {
        write_nothing(f, out);
        return;
    }
    fputs("<ol class=\"first\">\n", out);
    for (int i = 0; i < count; i++) {
        fputs("<li><strong>", out);
        qn_report_text(out, findings[i].what);
        fputs(".</strong> ", out);
        qn_report_text(out, findings[i].proof);
        fputs("\n<p class=\"advice\">", out);
        qn_report_text(out, findings[i].advice);
        fputs("</p>\n", out);
        if (findings[i].line >= 0)
            qn_report_write_source(f, out, findings[i].line);
        fputs("</li>\n", out);
    }
    fputs("</ol>\n", out);
}

/* ---- summary ---- */

static const struct row {
    const char *name, *events, *of;
} summary[] = {
    { "instructions", "Ir", "" },
    { "I1 misses", "I1mr", "Ir" },
    { "LL misses of instructions", "ILmr", "Ir" },
    { "data references", "Dr+Dw", "" },
    { "D1 misses", "D1mr+D1mw", "Dr+Dw" },
    { "D1 read misses", "D1mr", "Dr" },
    { "D1 write misses", "D1mw", "Dw" },
    { "LL misses of data", "DLmr+DLmw", "Dr+Dw" },
    { "conditional branches", "Bc", "" },
    { "mispredicted", "Bcm", "Bc" },
    { "indirect branches", "Bi", "" },
    { "mispredicted", "Bim", "Bi" },
    { "D1 misses: compulsory", "AN.compulsory", "D1mr+D1mw" },
    { "D1 misses: capacity", "AN.capacity", "D1mr+D1mw" },
    { "D1 misses: conflict", "AN.conflict", "D1mr+D1mw" },
};

static void write_summary(struct qn_report_facts *f, FILE *out)
{
    const struct qn_plot_centres *c = &f->lines;

    qn_report_heading(out, "summary", "Summary");
    fputs("<table>\n<tr><th scope=\"col\">of the whole run</th><th scope=\"col\">count</th><th scope=\"col\">rate</th></tr>\n", out);
    for (size_t i = 0; i < QN_ARRAY_LEN(summary); i++) {
        double of = qn_report_count(c, -1, summary[i].of), v = qn_report_count(c, -1, summary[i].events);

        if (!strncmp(summary[i].events, "AN.", 3) && qn_prof_find_event(c->header, summary[i].events, strlen(summary[i].events)) < 0)
            continue;
        fprintf(out, "<tr><td>%s</td>", summary[i].name);
        qn_report_count_cell(out, v, 0);
        if (*summary[i].of && of)
            fprintf(out, "<td>%.2f%%</td></tr>\n", 100 * v / of);
        else
            fputs("<td></td></tr>\n", out);
    }
    fputs("</table>\n", out);
}

/* ---- functions and lines ---- */

static void write_centre(FILE *out, const struct qn_plot_centres *c, int i)
{
    static const char *const columns[] = { "Ir", "D1mr+D1mw", "DLmr+DLmw", "Bcm+Bim" };

    fputs("<tr>", out);
    qn_report_text_cell(out, c->at[i].name);
    fprintf(out, "<td>%.1f%%</td>", 100 * c->at[i].value / c->total);
    for (size_t k = 0; k < QN_ARRAY_LEN(columns); k++)
        qn_report_count_cell(out, qn_report_count(c, i, columns[k]), qn_report_count(c, -1, columns[k]));
    fputs("</tr>\n", out);
}

static void write_centres(FILE *out, const struct qn_plot_centres *c, int most)
{
    fprintf(out, "<table>\n<tr><th scope=\"col\">%s</th><th scope=\"col\">cost</th><th scope=\"col\">instructions</th>"
            "<th scope=\"col\">D1 misses</th><th scope=\"col\">LL misses of data</th><th scope=\"col\">mispredicts</th></tr>\n", c->by);
    for (int i = 0; i < c->count && i < most; i++)
        write_centre(out, c, i);
    fputs("</table>\n", out);
}

static void write_functions(struct qn_report_facts *f, FILE *out)
{
    qn_report_heading(out, "functions", "Functions");
    fprintf(out, "<p>Ordered by estimated cost: instructions + %d first-level misses + %d last-level misses + %d mispredicts. "
            "Small figures: share of the whole run.</p>\n", QN_REPORT_COST_L1, QN_REPORT_COST_LL, QN_REPORT_COST_BRANCH);
    write_centres(out, &f->functions, FUNCTIONS);
    draw(f, out, &functions);
}

/* Lines of the same file near each other are shown once. */
static bool is_shown_already(const struct qn_report_facts *f, int i)
{
    for (int k = 0; k < i; k++)
        if (qn_report_has_line(&f->lines.at[k]) && !strcmp(f->lines.at[k].file, f->lines.at[i].file)
            && labs((long)f->lines.at[k].line - (long)f->lines.at[i].line) <= 4)
            return true;
    return false;
}

static void write_lines(struct qn_report_facts *f, FILE *out)
{
    int shown = 0;

    qn_report_heading(out, "lines", "Lines");
    write_centres(out, &f->lines, LINES);
    draw(f, out, &lines);
    for (int i = 0; i < f->lines.count && i < LINES && shown < 5; i++) {
        if (!qn_report_has_line(&f->lines.at[i]) || is_shown_already(f, i))
            continue;
        fputs("<h3>", out);
        qn_report_text(out, f->lines.at[i].file);
        fputs(", ", out);
        qn_report_text(out, f->lines.at[i].function);
        fputs("</h3>\n", out);
        qn_report_write_source(f, out, i);
        shown++;
    }
}

/* ---- caches, time, branches ---- */

static void write_missing(const struct qn_report_facts *f, FILE *out)
{
    fputs("<p>No three Cs and no curve by stack distances: ", out);
    qn_report_text(out, f->report->no_modules);
    fputs(".</p>\n", out);
}

static void write_caches(struct qn_report_facts *f, FILE *out)
{
    qn_report_heading(out, "caches", "Caches");
    if (f->report->no_modules)
        write_missing(f, out);
    if (f->report->mattson_log)
        draw(f, out, &curve);
    draw(f, out, &sizes);
    if (!f->report->no_modules)
        draw(f, out, &classes);
}

static int compare_values(const void *a, const void *b)
{
    const double *x = a, *y = b; /* value, number */

    return x[0] != y[0] ? (x[0] > y[0] ? -1 : 1) : x[1] < y[1] ? -1 : 1;
}

static void write_branches(struct qn_report_facts *f, FILE *out)
{
    const struct qn_plot_centres *c = &f->lines;
    double(*order)[2] = qn_exp_alloc(&f->memory, (size_t)(c->count + 1) * sizeof *order);

    qn_report_heading(out, "branches", "Branches");
    for (int i = 0; i < c->count; i++) {
        order[i][0] = qn_report_count(c, i, "Bcm+Bim");
        order[i][1] = i;
    }
    qsort(order, (size_t)c->count, sizeof *order, compare_values);
    fputs("<table>\n<tr><th scope=\"col\">line</th><th scope=\"col\">branches</th><th scope=\"col\">mispredicts</th>"
          "<th scope=\"col\">rate</th></tr>\n", out);
    for (int k = 0; k < c->count && k < BRANCHES && order[k][0] > 0; k++) {
        int i = (int)order[k][1];
        double all = qn_report_count(c, i, "Bc+Bi");

        fputs("<tr>", out);
        qn_report_text_cell(out, c->at[i].name);
        qn_report_count_cell(out, all, 0);
        qn_report_count_cell(out, order[k][0], qn_report_count(c, -1, "Bcm+Bim"));
        fprintf(out, "<td>%.2f%%</td></tr>\n", all ? 100 * order[k][0] / all : 0);
    }
    fputs("</table>\n", out);
    draw(f, out, &branches);
}

static void write_phases(struct qn_report_facts *f, FILE *out)
{
    qn_report_heading(out, "phases", "Phases");
    draw(f, out, &phases);
}

/* ---- where it comes from ---- */

static void write_origin(struct qn_report_facts *f, FILE *out)
{
    const struct qn_prof_header *h = f->lines.header;

    qn_report_heading(out, "origin", "Where this comes from");
    fputs("<table>\n", out);
    for (int i = 0; i < h->desc_count; i++) {
        const char *text = h->descs[i].text, *colon = strchr(text, ':');
        size_t key = colon ? (size_t)(colon - text) : 0;

        fputs("<tr>", out);
        qn_report_text_cell(out, qn_exp_copy_part(&f->memory, text, key));
        qn_report_text_cell(out, colon ? colon + 1 + strspn(colon + 1, " ") : text);
        fputs("</tr>\n", out);
    }
    fputs("</table>\n<p>Beside this page: ", out);
    write_link(out, QN_REPORT_PROFILE, "");
    fputs(" (for <code>quern annotate</code>), ", out);
    write_link(out, QN_REPORT_INTERVALS, "");
    fputs(" (counts by interval), ", out);
    write_link(out, QN_REPORT_RUNS, "");
    fputs(" (a D1 of each size); of each picture its data and the gnuplot script.</p>\n", out);
}

static void write_page(struct qn_report_facts *f, FILE *out)
{
    const char *command = f->lines.header->cmd.text;

    qn_report_begin(out, QN_REPORT_MARK, command);
    fputs("<h1>", out);
    qn_report_text(out, command);
    fputs("</h1>\n", out);
    if (f->report->ended) {
        fputs("<p>The program ended with: ", out);
        qn_report_text(out, f->report->ended);
        fputs(".</p>\n", out);
    }
    fputs("<section>", out);
    write_findings(f, out);
    fputs("</section>\n<section>", out);
    write_summary(f, out);
    fputs("</section>\n<section>", out);
    write_functions(f, out);
    fputs("</section>\n<section>", out);
    write_lines(f, out);
    fputs("</section>\n<section>", out);
    write_caches(f, out);
    fputs("</section>\n<section>", out);
    write_phases(f, out);
    fputs("</section>\n<section>", out);
    write_branches(f, out);
    fputs("</section>\n<section>", out);
    write_origin(f, out);
    fputs("</section>\n", out);
    qn_report_end(out);
}

/* ---- all ---- */

/* The curve's knees are wanted before its section: it is drawn first, then again where it stands, which is cheap. */
static void find_knees(struct qn_report_facts *f)
{
    struct qn_plot_request q = { .kind = "mrc", .input_count = 1 };
    struct qn_prof_error err = { .status = QN_PROF_OK };
    char remark[QN_PLOT_REMARK_MAX];
    struct qn_exp_table t;

    if (!f->report->mattson_log)
        return;
    q.inputs[0] = f->report->mattson_log;
    q.output = qn_report_path(f, "curve.svg");
    qn_exp_init_table(&t);
    if (qn_plot_draw(&q, remark, &err) == QN_PROF_OK && qn_exp_read_table(&t, qn_report_path(f, "curve.csv"), &err) == QN_PROF_OK)
        f->knee_count = qn_plot_find_knees(&t, f->knees);
    qn_exp_free_table(&t);
}

static enum qn_prof_status save_page(struct qn_report_facts *f, struct qn_prof_error *err)
{
    const char *path = qn_report_path(f, QN_REPORT_PAGE);
    FILE *out = fopen(path, "w");
    bool good;

    if (!out)
        return qn_prof_fail(err, QN_PROF_IO, "%s: %s", path, strerror(errno));
    write_page(f, out);
    good = !ferror(out);
    if (fclose(out) || !good)
        return qn_prof_fail(err, QN_PROF_IO, "%s: %s", path, strerror(errno));
    return QN_PROF_OK;
}

enum qn_prof_status qn_report_write(const struct qn_report *r, struct qn_prof_error *err)
{
    struct qn_report_facts f;

    if (qn_report_read_facts(&f, r, err) == QN_PROF_OK) {
        find_knees(&f);
        save_page(&f, err);
    }
    qn_report_free_facts(&f);
    return err->status;
}
