/* lib/report/page.c - the page: its sections one after the other.  See report.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/base.h"
#include "plot/plot.h"
#include "report/findings.h"
#include "report/html.h"
#include "report/pictures.h"
#include "report/source.h"
#include "report/tables.h"
#include "report/whole.h"

/* ---- what to look at first ---- */

static void write_nothing(struct qn_report_facts *f, FILE *out)
{
    const struct qn_plot_centre *c = &f->functions.at[0];

    fputs("<p>No place stands out for misses or mispredicts. ", out);
    if (f->functions.count) {
        fputs("The most costly function is ", out);
        qn_report_text(out, c->name);
        fprintf(out, ", with %.1f%% of the estimated cycles of the run, %.1f%% of its instructions.",
                100 * c->value / f->functions.total,
                100 * qn_report_count(&f->functions, 0, "Ir") / qn_report_count(&f->functions, -1, "Ir"));
    }
    fputs("</p>\n", out);
}

static void write_findings(struct qn_report_facts *f, FILE *out)
{
    struct qn_report_finding findings[QN_REPORT_FINDINGS_MAX];
    const char *hints[QN_REPORT_HINTS_MAX];
    int count = qn_report_find(f, findings);

    qn_report_hint(f, hints);
    qn_report_heading(out, "first", "What to look at first");
    for (int i = 0; hints[i]; i++) {
        fputs("<p class=\"hint\">", out);
        qn_report_text(out, hints[i]);
        fputs("</p>\n", out);
    }
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
    qn_report_begin_table(out, "");
    fputs("<tr><th scope=\"col\">of the whole run</th><th scope=\"col\">count</th><th "
          "scope=\"col\">rate</th></tr>\n",
          out);
    for (size_t i = 0; i < QN_ARRAY_LEN(summary); i++) {
        double of = qn_report_count(c, -1, summary[i].of), v = qn_report_count(c, -1, summary[i].events);

        if (!qn_report_has_event(f, qn_exp_copy_part(&f->memory, summary[i].events, strcspn(summary[i].events, "+"))))
            continue;
        fprintf(out, "<tr><td>%s</td>", summary[i].name);
        qn_report_count_cell(out, v, 0);
        if (*summary[i].of && of)
            fprintf(out, "<td>%.2f%%</td></tr>\n", 100 * v / of);
        else
            fputs("<td></td></tr>\n", out);
    }
    qn_report_end_table(out);
}

/* ---- caches and time ---- */

static bool has_sets_by_time(struct qn_report_facts *f) { return !access(qn_report_path(f, QN_REPORT_SETS_BY_TIME), F_OK); }

static void write_caches(struct qn_report_facts *f, FILE *out)
{
    qn_report_heading(out, "caches", "Caches");
    if (qn_report_shown(f, QN_REPORT_CURVE)->row_count)
        qn_report_draw(f, out, QN_REPORT_CURVE);
    if (f->runs.row_count)
        qn_report_draw(f, out, QN_REPORT_SIZES);
    else
        qn_report_missing(out, "No D1 of another size was simulated",
                          "quern sweep -o runs.csv -L D1.size=8192,16384,32768,65536 -- PROGRAM; quern report --sizes=runs.csv PROFILE");
    if (qn_report_has_event(f, "AN.conflict")) {
        qn_report_draw(f, out, QN_REPORT_CLASSES_BY_FUNCTION);
        qn_report_draw(f, out, QN_REPORT_CLASSES);
    } else
        qn_report_missing(out, "Misses were not divided into compulsory, capacity and conflict", "quern run --analysis=3c");
    if (qn_report_shown(f, QN_REPORT_SETS)->row_count)
        qn_report_draw(f, out, QN_REPORT_SETS);
    else
        qn_report_missing(out, "Misses were not counted by set",
                          "quern run --analysis=sets --log-file=run.log; quern report --log=run.log PROFILE");
    if (has_sets_by_time(f))
        qn_report_draw(f, out, QN_REPORT_SETS_IN_TIME);
    else
        qn_report_missing(out, "Misses were not counted by set and time",
                          "quern run --analysis=sets --interval=auto; quern report --sets=PROFILE.sets.csv PROFILE");
}

static void write_phases(struct qn_report_facts *f, FILE *out)
{
    qn_report_heading(out, "phases", "Phases");
    if (f->intervals.row_count)
        qn_report_draw(f, out, QN_REPORT_PHASES);
    else
        qn_report_missing(out, "There are no counts by interval",
                          "quern run --interval=auto --interval-file=run.csv; quern report --intervals=run.csv PROFILE");
}

/* ---- what a run was asked to tell apart ---- */

/* The data of a picture as a table, up to a column. */
static void write_cells(FILE *out, const struct qn_exp_table *t, int columns)
{
    qn_report_begin_table(out, "");
    fputs("<tr>", out);
    for (int i = 0; i < columns; i++)
        fprintf(out, "<th scope=\"col\">%s</th>", t->columns[i]);
    fputs("</tr>\n", out);
    for (int row = 0; row < t->row_count; row++) {
        fputs("<tr>", out);
        qn_report_text_cell(out, qn_exp_cell(t, row, 0));
        for (int i = 1; i < columns; i++)
            qn_report_count_cell(out, qn_exp_number(t, row, i), 0);
        fputs("</tr>\n", out);
    }
    qn_report_end_table(out);
}

static void write_data(struct qn_report_facts *f, FILE *out)
{
    qn_report_heading(out, "data", "Data");
    fputs("<p>Misses of the D1 by object. <code>quern annotate --by=data</code> of the profile has all of them and their parts, the page to explore, too.</p>\n", out);
    write_cells(out, qn_report_shown(f, QN_REPORT_DATA), qn_report_shown(f, QN_REPORT_DATA)->column_count);
    qn_report_draw(f, out, QN_REPORT_DATA);
}

static void write_calls(struct qn_report_facts *f, FILE *out)
{
    qn_report_heading(out, "calls", "Calls");
    fputs("<p>Instructions of a function with all that it calls, and its own. <code>quern annotate --by=calls</code> of the profile has callers and "
          "callees, the page to explore, too.</p>\n", out);
    write_cells(out, qn_report_shown(f, QN_REPORT_CALLS), qn_exp_find_column(qn_report_shown(f, QN_REPORT_CALLS), "end"));
    qn_report_draw(f, out, QN_REPORT_CALLS);
}

static bool has_data(const struct qn_report_facts *f) { return qn_report_shown(f, QN_REPORT_DATA)->row_count; }
static bool has_calls(const struct qn_report_facts *f) { return qn_report_shown(f, QN_REPORT_CALLS)->row_count; }

/* ---- where it comes from ---- */

static void write_origin(struct qn_report_facts *f, FILE *out)
{
    const struct qn_prof_header *h = f->lines.header;

    qn_report_heading(out, "origin", "Where this comes from");
    qn_report_begin_table(out, "");
    for (int i = 0; i < h->desc_count; i++) {
        const char *text = h->descs[i].text, *colon = strchr(text, ':');
        size_t key = colon ? (size_t)(colon - text) : 0;

        fputs("<tr>", out);
        qn_report_text_cell(out, qn_exp_copy_part(&f->memory, text, key));
        qn_report_text_cell(out, colon ? colon + 1 + strspn(colon + 1, " ") : text);
        fputs("</tr>\n", out);
    }
    qn_report_end_table(out);
    fputs("<p>Beside this page: ", out);
    qn_report_link(out, QN_REPORT_PROFILE, "");
    fputs(" (for <code>quern annotate</code>)", out);
    if (f->intervals.row_count) {
        fputs(", ", out);
        qn_report_link(out, QN_REPORT_INTERVALS, "");
        fputs(" (counts by interval)", out);
    }
    if (f->runs.row_count) {
        fputs(", ", out);
        qn_report_link(out, QN_REPORT_RUNS, "");
        fputs(" (a D1 of each size)", out);
    }
    if (has_sets_by_time(f)) {
        fputs(", ", out);
        qn_report_link(out, QN_REPORT_SETS_BY_TIME, "");
        fputs(" (misses by set and interval)", out);
    }
    fputs("; of each picture its data and the gnuplot script.</p>\n", out);
}

static const struct section {
    const char *id, *title; /* for the list of contents */
    void (*write)(struct qn_report_facts *f, FILE *out);
    bool (*has)(const struct qn_report_facts *f); /* NULL: it is on each page */
} sections[] = {
    { "first", "What to look at first", write_findings, NULL }, { "summary", "Summary", write_summary, NULL },
    { "functions", "Functions", qn_report_write_functions, NULL }, { "lines", "Lines", qn_report_write_lines, NULL },
    { "caches", "Caches", write_caches, NULL }, { "data", "Data", write_data, has_data }, { "calls", "Calls", write_calls, has_calls },
    { "phases", "Phases", write_phases, NULL }, { "branches", "Branches", qn_report_write_branches, NULL },
    { "origin", "Where this comes from", write_origin, NULL },
};

static bool is_shown(const struct qn_report_facts *f, size_t i) { return !sections[i].has || sections[i].has(f); }

static void write_contents(const struct qn_report_facts *f, FILE *out)
{
    fputs("<nav aria-label=\"Contents\"><ul>\n", out);
    for (size_t i = 0; i < QN_ARRAY_LEN(sections); i++)
        if (is_shown(f, i))
            fprintf(out, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id, sections[i].title);
    fputs("</ul></nav>\n", out);
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
    qn_report_explore_link(out);
    write_contents(f, out);
    for (size_t i = 0; i < QN_ARRAY_LEN(sections); i++) {
        if (!is_shown(f, i))
            continue;
        fputs("<section>", out);
        sections[i].write(f, out);
        fputs("</section>\n", out);
    }
    qn_report_end(out);
}

/* ---- all ---- */

/* The text with the pictures at their places. */
static void put_together(struct qn_report_facts *f, FILE *out, const char *text, size_t length)
{
    size_t at = 0;

    for (int i = 0; i < f->place_count; i++) {
        fwrite(text + at, 1, (size_t)f->places[i].at - at, out);
        at = (size_t)f->places[i].at;
        qn_report_put_picture(f, out, f->places[i].which);
    }
    fwrite(text + at, 1, length - at, out);
}

static enum qn_text_status save_page(struct qn_report_facts *f, const char *text, size_t length, struct qn_text_error *err)
{
    const char *path = qn_report_path(f, QN_REPORT_PAGE);
    FILE *out = fopen(path, "w");
    bool good;

    if (!out)
        return qn_text_fail(err, QN_TEXT_IO, "%s: %s", path, strerror(errno));
    put_together(f, out, text, length);
    good = !ferror(out);
    if (fclose(out) || !good)
        return qn_text_fail(err, QN_TEXT_IO, "%s: %s", path, strerror(errno));
    return QN_TEXT_OK;
}

/* The text is kept until it is known which pictures could be drawn. */
static enum qn_text_status make_page(struct qn_report_facts *f, struct qn_text_error *err)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = QN_NEEDED(open_memstream(&text, &length));

    write_page(f, out);
    if (fclose(out))
        qn_no_memory();
    qn_plot_start_batch(&f->batch);
    if (err->status == QN_TEXT_OK && f->report->meanwhile)
        f->report->meanwhile(f->report->data, f, err);
    qn_plot_end_batch(&f->batch);
    if (err->status == QN_TEXT_OK)
        save_page(f, text, length, err);
    free(text);
    return err->status;
}

enum qn_text_status qn_report_write(const struct qn_report *r, struct qn_text_error *err)
{
    /* Their data is needed before their sections. */
    static const enum qn_report_picture early[] = { QN_REPORT_CURVE, QN_REPORT_SETS, QN_REPORT_DATA, QN_REPORT_CALLS };
    struct qn_report_facts f;

    if (qn_report_read_facts(&f, r, err) == QN_TEXT_OK) {
        for (size_t i = 0; i < QN_ARRAY_LEN(early); i++)
            qn_report_prepare(&f, early[i]);
        /* The pictures own them. */
        f.sets = *qn_report_shown(&f, QN_REPORT_SETS);
        f.curve = *qn_report_shown(&f, QN_REPORT_CURVE);
        qn_report_find_knees(&f);
        make_page(&f, err);
    }
    qn_report_free_facts(&f);
    return err->status;
}
