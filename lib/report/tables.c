/* lib/report/tables.c - see tables.h. */
#include "report/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "plot/words.h"
#include "report/html.h"
#include "report/pictures.h"
#include "report/source.h"

#define FUNCTIONS 12 /* rows */
#define LINES 12
#define BRANCHES 8
#define SOURCES 5    /* places whose source is shown */
#define NEAR 4       /* lines: shown together */

static void write_centre(FILE *out, const struct qn_plot_centres *c, int i)
{
    static const char *const columns[] = { "Ir", "I1mr", "D1mr+D1mw", "ILmr+DLmr+DLmw", "Bcm+Bim" };

    fputs("<tr>", out);
    qn_report_text_cell(out, c->at[i].name);
    qn_report_count_cell(out, c->at[i].value, c->total);
    for (size_t k = 0; k < QN_ARRAY_LEN(columns); k++)
        qn_report_count_cell(out, qn_report_count(c, i, columns[k]), qn_report_count(c, -1, columns[k]));
    fputs("</tr>\n", out);
}

static void write_centres(FILE *out, const struct qn_plot_centres *c, int most)
{
    qn_report_begin_table(out, "");
    fprintf(out,
            "<tr><th scope=\"col\">%s</th><th scope=\"col\">cycles (estimated)</th><th scope=\"col\">instructions</th>"
            "<th scope=\"col\">I1 misses</th><th scope=\"col\">D1 misses</th><th scope=\"col\">LL misses</th><th "
            "scope=\"col\">mispredicts</th></tr>\n",
            c->by);
    for (int i = 0; i < c->count && i < most; i++)
        write_centre(out, c, i);
    qn_report_end_table(out);
}

void qn_report_write_functions(struct qn_report_facts *f, FILE *out)
{
    char timing[200];

    qn_report_heading(out, "functions", "Functions");
    qn_out_describe_timing(timing, sizeof timing);
    fprintf(out, "<p>Ordered by estimated cycles: %s. Small figures: share of the whole run.</p>\n", timing);
    write_centres(out, &f->functions, FUNCTIONS);
    qn_report_draw(f, out, QN_REPORT_CPI);
    qn_report_draw(f, out, QN_REPORT_FUNCTIONS);
}

/* Lines of the same file near each other are shown once. */
static bool is_shown_already(const struct qn_report_facts *f, int i)
{
    for (int k = 0; k < i; k++)
        if (qn_report_has_source(&f->lines.at[k]) && !strcmp(f->lines.at[k].file, f->lines.at[i].file)
            && labs((long)f->lines.at[k].line - (long)f->lines.at[i].line) <= NEAR)
            return true;
    return false;
}

void qn_report_write_lines(struct qn_report_facts *f, FILE *out)
{
    int shown = 0;

    qn_report_heading(out, "lines", "Lines");
    write_centres(out, &f->lines, LINES);
    qn_report_draw(f, out, QN_REPORT_LINES);
    for (int i = 0; i < f->lines.count && i < LINES && shown < SOURCES; i++) {
        if (!qn_report_has_source(&f->lines.at[i]) || is_shown_already(f, i))
            continue;
        fputs("<h3>", out);
        qn_report_text(out, f->lines.at[i].file);
        fputs(", ", out);
        qn_report_text(out, qn_plot_shorten_name(&f->memory, f->lines.at[i].function, QN_REPORT_NAME_ROOM));
        fputs("</h3>\n", out);
        qn_report_write_source(f, out, i);
        shown++;
    }
    if (!shown)
        fputs("<p>The source of these lines is not here, or the program was compiled without -g.</p>\n", out);
}

/* ---- branches ---- */

static int compare_values(const void *a, const void *b)
{
    const double *x = a, *y = b; /* value, number */

    return x[0] != y[0] ? (x[0] > y[0] ? -1 : 1) : x[1] < y[1] ? -1 : 1;
}

void qn_report_write_branches(struct qn_report_facts *f, FILE *out)
{
    const struct qn_plot_centres *c = &f->lines;
    double(*order)[2] = qn_exp_alloc(&f->memory, (size_t)(c->count + 1) * sizeof *order);

    qn_report_heading(out, "branches", "Branches");
    for (int i = 0; i < c->count; i++) {
        order[i][0] = qn_report_count(c, i, "Bcm+Bim");
        order[i][1] = i;
    }
    qsort(order, (size_t)c->count, sizeof *order, compare_values);
    if (!qn_report_has_event(f, "Bc")) {
        qn_report_missing(out, "Branches were not simulated", "quern run --branch-sim=yes");
        return;
    }
    qn_report_begin_table(out, "");
    fputs("<tr><th scope=\"col\">line</th><th scope=\"col\">branches</th><th scope=\"col\">mispredicts</th>"
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
    qn_report_end_table(out);
    qn_report_draw(f, out, QN_REPORT_BRANCHES);
}
