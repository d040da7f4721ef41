/* lib/report/page.c - the page: its sections one after the other.  See report.h. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/grow.h"
#include "plot/plot.h"
#include "plot/words.h"
#include "report/findings.h"
#include "report/html.h"
#include "text/output.h"
#include "text/source.h"

/* ---- pictures ----
 *
 * The page is written once, with a place for each picture; its text is put together when gnuplot has drawn all of them.
 */

struct picture {
    const char *name, *kind, *input, *second, *by, *event, *y; /* as of struct qn_plot_request */
    const char *caption;
};

static const struct picture pictures[] = {
    [QN_REPORT_CPI] = { .name = "cpi", .kind = "cpi", .input = QN_REPORT_PROFILE,
        .caption = "Where the cycles of the most costly functions go, estimated by the rule of thumb above" },
    [QN_REPORT_FUNCTIONS] = { .name = "functions", .kind = "top", .input = QN_REPORT_PROFILE,
        .caption = "Functions that miss the D1 most" },
    [QN_REPORT_LINES] = { .name = "lines", .kind = "top", .input = QN_REPORT_PROFILE, .by = "line",
        .caption = "Lines that miss the D1 most" },
    [QN_REPORT_CURVE] = { .name = "curve", .kind = "mrc", .input = QN_REPORT_CURVE_BY_SIZE, .second = QN_REPORT_PROFILE,
        .caption = "Misses of a fully associative cache, by size: where the curve bends, something fits" },
    [QN_REPORT_SIZES] = { .name = "size", .kind = "size", .input = QN_REPORT_RUNS,
        .caption = "Misses of a D1 like this one, by size" },
    [QN_REPORT_CLASSES_BY_FUNCTION] = { .name = "why", .kind = "threec", .input = QN_REPORT_PROFILE,
        .caption = "Why the functions miss that do so most" },
    [QN_REPORT_CLASSES] = { .name = "classes", .kind = "threec", .input = QN_REPORT_PROFILE, .by = "line",
        .caption = "Why the lines miss that do so most: first use, too much, or the same sets" },
    [QN_REPORT_SETS] = { .name = "sets", .kind = "sets", .input = QN_REPORT_SETS_BY_TIME, .second = QN_REPORT_PROFILE,
        .caption = "Misses of the D1 by set: are there a few that have them all?" },
    [QN_REPORT_SETS_IN_TIME] = { .name = "heat", .kind = "heat", .input = QN_REPORT_SETS_BY_TIME, .second = QN_REPORT_PROFILE,
        .caption = "Misses of the D1 by set, from left to right as the run goes: which sets have them, and when?" },
    [QN_REPORT_PHASES] = { .name = "phases", .kind = "time", .input = QN_REPORT_INTERVALS, .second = QN_REPORT_PROFILE,
        .y = "D1m%,LLmr%,Bcm%", .caption = "How the run goes" },
    [QN_REPORT_BRANCHES] = { .name = "branches", .kind = "top", .input = QN_REPORT_PROFILE, .by = "line", .event = "Bcm+Bim",
        .caption = "Lines that are mispredicted most" },
    [QN_REPORT_DATA] = { .name = "data", .kind = "data", .input = QN_REPORT_PROFILE,
        .caption = "Objects in memory that the D1 misses most" },
    [QN_REPORT_CALLS] = { .name = "calls", .kind = "calls", .input = QN_REPORT_PROFILE,
        .caption = "Instructions of functions with all that they call" },
};

/* Writes the reason without the name of the folder, which is renamed later. */
static void write_reason(const struct qn_report_facts *f, FILE *out, const struct qn_text_error *err)
{
    const char *why = err->status == QN_TEXT_OK ? "there is no gnuplot here" : err->text, *folder = f->report->folder;
    size_t n = strlen(folder);

    qn_report_put(out, " No picture: %s.", !strncmp(why, folder, n) && why[n] == '/' ? why + n + 1 : why);
}

/* ---- what a picture shows, in words ---- */

#define TOLD 3 /* rows of a picture of bars */

/* "jki 98.9%, ijk 0.4%" */
static const char *tell_bars(struct qn_report_facts *f, const struct qn_text_table *t, int label)
{
    const char *text = "";

    for (int row = 0; row < t->row_count && row < TOLD; row++)
        text = qn_text_format(&f->memory, "%s%s%s %s", text, row ? ", " : "", qn_text_cell(t, row, 0), qn_text_cell(t, row, label));
    return text;
}

/* "jki: compulsory 12, capacity 0, conflict 99998; ..." */
static const char *tell_stacks(struct qn_report_facts *f, const struct qn_text_table *t)
{
    const char *text = "";

    for (int row = 0; row < t->row_count && row < TOLD; row++) {
        text = qn_text_format(&f->memory, "%s%s%s:", text, row ? "; " : "", qn_text_cell(t, row, 0));
        for (int i = 1; i < t->column_count; i++)
            text = qn_text_format(&f->memory, "%s%s %s %s", text, i > 1 ? "," : "", t->columns[i], qn_text_cell(t, row, i));
    }
    return text;
}

/* "miss_percent at most 12.5 (size 1024), at least 0.1 (size 524288)" */
static const char *tell_curves(struct qn_report_facts *f, const struct qn_text_table *t)
{
    const char *text = "";

    for (int i = 1; i < t->column_count; i++) {
        int most = 0, least = 0;

        for (int row = 1; row < t->row_count; row++) {
            most = qn_text_number(t, row, i) > qn_text_number(t, most, i) ? row : most;
            least = qn_text_number(t, row, i) < qn_text_number(t, least, i) ? row : least;
        }
        text = qn_text_format(&f->memory, "%s%s%s at most %g (%s %s), at least %g (%s %s)", text, i > 1 ? "; " : "", t->columns[i],
                             qn_text_number(t, most, i), t->columns[0], qn_text_cell(t, most, 0), qn_text_number(t, least, i), t->columns[0],
                             qn_text_cell(t, least, 0));
    }
    return text;
}

/* "at most 2500 between instructions 20000 and 40000, in set 3": of sets that are counted together in the first of them and the next ones */
static const char *tell_heat(struct qn_report_facts *f, const struct qn_text_table *t)
{
    int start = qn_text_find_column(t, "start"), end = qn_text_find_column(t, "end"), set = qn_text_find_column(t, "set"), most = 0;
    int misses = qn_text_find_column(t, "misses");
    double together = qn_text_number(t, 0, qn_text_find_column(t, "sets"));

    for (int row = 1; row < t->row_count; row++)
        most = qn_text_number(t, row, misses) > qn_text_number(t, most, misses) ? row : most;
    return qn_text_format(&f->memory, "at most %s between instructions %s and %s, in set %s%s", qn_text_cell(t, most, misses),
                         qn_text_cell(t, most, start), qn_text_cell(t, most, end), qn_text_cell(t, most, set),
                         together > 1 ? qn_text_format(&f->memory, " and the next %.0f", together - 1) : "");
}

/* The text for those who do not see the picture: the numbers that are its point. */
static const char *tell_picture(struct qn_report_facts *f, enum qn_report_picture which)
{
    const struct qn_text_table *t = qn_report_shown(f, which);
    double first;

    if (!t->row_count)
        return "";
    if (qn_text_find_column(t, "label") >= 0)
        return tell_bars(f, t, qn_text_find_column(t, "label"));
    if (which == QN_REPORT_SETS_IN_TIME)
        return tell_heat(f, t);
    return qn_text_cell_number(t, 0, 0, &first) ? tell_curves(f, t) : tell_stacks(f, t);
}

/* ---- drawing ---- */

static const char *path_of_image(struct qn_report_facts *f, enum qn_report_picture which)
{
    return qn_report_path(f, qn_text_format(&f->memory, "%s.svg", pictures[which].name));
}

static void draw(struct qn_report_facts *f, enum qn_report_picture which, struct qn_plot_batch *batch)
{
    const struct picture *p = &pictures[which];
    struct qn_report_picture_made *made = &f->pictures[which];
    struct qn_plot_request q = { .kind = p->kind, .output = path_of_image(f, which), .by = p->by, .event = p->event, .y = p->y, .input_count = 1,
                                 .profile = &f->profile, .batch = batch, .data = batch ? &made->data : NULL };
    char remark[QN_PLOT_REMARK_MAX];

    q.inputs[0] = qn_report_path(f, p->input);
    if (p->second)
        q.inputs[q.input_count++] = qn_report_path(f, p->second);
    qn_plot_draw(&q, remark, &made->err);
}

static void prepare(struct qn_report_facts *f, enum qn_report_picture which)
{
    if (f->pictures[which].tried || access(qn_report_path(f, pictures[which].input), F_OK))
        return;
    f->pictures[which].tried = true;
    draw(f, which, &f->batch);
}

static void place_picture(struct qn_report_facts *f, FILE *out, enum qn_report_picture which)
{
    prepare(f, which);
    f->places[f->place_count++] = (struct qn_report_place){ ftell(out), which };
}

/* Where gnuplot has failed, the picture is drawn by itself, which also tells why it fails. */
static void put_picture(struct qn_report_facts *f, FILE *out, enum qn_report_picture which)
{
    const struct picture *p = &pictures[which];
    const struct qn_text_error *err = &f->pictures[which].err;
    const char *image = path_of_image(f, which);

    if (err->status == QN_TEXT_OK && !f->batch.missing && access(image, F_OK))
        draw(f, which, NULL);
    fputs("<figure>", out);
    if (!access(image, F_OK))
        qn_report_put(out, "<img src=\"%s.svg\" alt=\"%s%s %s.\">", p->name, p->caption, strchr(p->caption, '?') ? "" : ".",
                      tell_picture(f, which));
    qn_report_put(out, "<figcaption>%s", p->caption);
    if (err->status == QN_TEXT_OK)
        qn_report_put(out, " (<a href=\"%s.csv\">%s.csv</a>, <a href=\"%s.gp\">%s.gp</a>)", p->name, p->name, p->name, p->name);
    fputs(".", out);
    if (err->status != QN_TEXT_OK || access(image, F_OK))
        write_reason(f, out, err);
    fputs("</figcaption></figure>\n", out);
}

/* ---- a few lines of source with their counts, the hot one marked ---- */

#define AROUND 4        /* lines before and after the hot one */
#define WIDTH_MOST 160  /* bytes of a line */

/* The names of the columns with | between them. */
static const char *list_columns(struct qn_report_facts *f)
{
    const char *list = "";

    for (int i = 0; i < QN_REPORT_COLUMNS; i++)
        list = qn_text_format(&f->memory, "%s%s%s", list, i ? "|" : "", qn_report_columns[i].name);
    return list;
}

/* The sum of all functions at one line of a file, because inlined code belongs to several functions. */
static double count_line(const struct qn_report_facts *f, const char *file, uint32_t line, const char *events)
{
    double sum = 0;

    for (int i = 0; i < f->lines.count; i++)
        if (f->lines.at[i].line == line && !strcmp(f->lines.at[i].file, file))
            sum += qn_report_count(&f->lines, i, events);
    return sum;
}

static void write_line(const struct qn_report_facts *f, FILE *out, const struct qn_plot_centre *c, uint32_t number,
                       const char *text, size_t length)
{
    char line[WIDTH_MOST + 1] = "";
    size_t used = 0;

    for (size_t i = 0; i < length && used < WIDTH_MOST; i++) {
        line[used++] = text[i] == '\t' ? ' ' : text[i];
        while (text[i] == '\t' && used % 4 && used < WIDTH_MOST)
            line[used++] = ' ';
    }
    fprintf(out, "<tr%s><td>%u</td>", number == c->line ? " class=\"hot\"" : "", number);
    for (int i = 0; i < QN_REPORT_COLUMNS; i++) {
        double v = count_line(f, c->file, number, qn_report_columns[i].events);

        if (v)
            qn_report_count_cell(out, v, 0);
        else
            fputs("<td></td>", out);
    }
    qn_report_put(out, "<td class=\"code\">%s</td></tr>\n", line);
}

static bool has_source(const struct qn_plot_centre *c)
{
    return qn_report_has_line(c) && access(c->file, R_OK) == 0;
}

static void write_why(FILE *out, const char *file, int error)
{
    qn_report_put(out, "<p>The source, %s, is not here: %s.</p>\n", file, qn_text_source_why(error));
}

static void write_source(struct qn_report_facts *f, FILE *out, int line)
{
    const struct qn_plot_centre *c = &f->lines.at[line];
    struct qn_text_source source;
    const char *text;
    size_t length;
    int error;

    if (!qn_report_has_line(c))
        return;
    error = qn_text_open_source(&source, c->file);
    if (error) {
        write_why(out, c->file, error);
        return;
    }
    qn_report_begin_table(out, "source", qn_text_format(&f->memory, "line|%s|", list_columns(f)));
    for (uint64_t number = 1; number <= (uint64_t)c->line + AROUND && qn_text_next_source_line(&source, &text, &length); number++)
        if (number + AROUND >= c->line)
            write_line(f, out, c, (uint32_t)number, text, length);
    qn_report_end_table(out);
    if (source.error)
        write_why(out, c->file, source.error);
    qn_text_close_source(&source);
}

/* ---- functions, lines, branches ---- */

#define FUNCTIONS 12 /* rows */
#define LINES 12
#define BRANCHES 8
#define SOURCES 5    /* places whose source is shown */
#define NEAR 4       /* lines: shown together */

static void write_centres(struct qn_report_facts *f, FILE *out, const struct qn_plot_centres *c, int most)
{
    qn_report_begin_table(out, "", qn_text_format(&f->memory, "%s|cycles (estimated)|%s", c->by, list_columns(f)));
    for (int i = 0; i < c->count && i < most; i++) {
        fputs("<tr>", out);
        qn_report_text_cell(out, c->at[i].name);
        qn_report_count_cell(out, c->at[i].value, c->total);
        for (int k = 0; k < QN_REPORT_COLUMNS; k++)
            qn_report_count_cell(out, qn_report_count(c, i, qn_report_columns[k].events), qn_report_count(c, -1, qn_report_columns[k].events));
        fputs("</tr>\n", out);
    }
    qn_report_end_table(out);
}

static void write_functions(struct qn_report_facts *f, FILE *out)
{
    char timing[200];

    qn_out_describe_timing(timing, sizeof timing, f->lines.header);
    fprintf(out, "<p>Ordered by estimated cycles: %s. Small figures: share of the whole run.</p>\n", timing);
    write_centres(f, out, &f->functions, FUNCTIONS);
    place_picture(f, out, QN_REPORT_CPI);
    place_picture(f, out, QN_REPORT_FUNCTIONS);
}

/* Lines of the same file near each other are shown once. */
static bool is_shown_already(const struct qn_report_facts *f, int i)
{
    for (int k = 0; k < i; k++)
        if (has_source(&f->lines.at[k]) && !strcmp(f->lines.at[k].file, f->lines.at[i].file)
            && labs((long)f->lines.at[k].line - (long)f->lines.at[i].line) <= NEAR)
            return true;
    return false;
}

static void write_lines(struct qn_report_facts *f, FILE *out)
{
    int shown = 0;

    write_centres(f, out, &f->lines, LINES);
    place_picture(f, out, QN_REPORT_LINES);
    for (int i = 0; i < f->lines.count && i < LINES && shown < SOURCES; i++) {
        if (!has_source(&f->lines.at[i]) || is_shown_already(f, i))
            continue;
        qn_report_put(out, "<h3>%s, %s%s</h3>\n", f->lines.at[i].file,
                      qn_plot_shorten_name(&f->memory, f->lines.at[i].function, QN_REPORT_NAME_ROOM), f->lines.at[i].others);
        write_source(f, out, i);
        shown++;
    }
    if (!shown)
        fputs("<p>The source of these lines is not here, or the program was compiled without -g.</p>\n", out);
}

static int compare_values(const void *a, const void *b)
{
    const double *x = a, *y = b; /* value, number */

    return x[0] != y[0] ? (x[0] > y[0] ? -1 : 1) : x[1] < y[1] ? -1 : 1;
}

static void write_branches(struct qn_report_facts *f, FILE *out)
{
    const struct qn_plot_centres *c = &f->lines;
    double(*order)[2] = qn_text_alloc(&f->memory, (size_t)(c->count + 1) * sizeof *order);

    for (int i = 0; i < c->count; i++) {
        order[i][0] = qn_report_count(c, i, "Bcm+Bim");
        order[i][1] = i;
    }
    qsort(order, (size_t)c->count, sizeof *order, compare_values);
    if (!qn_report_has_event(f, "Bc")) {
        qn_report_missing(out, "Branches were not simulated", "quern run --branch-sim=yes");
        return;
    }
    qn_report_begin_table(out, "", "line|branches|mispredicts|rate");
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
    place_picture(f, out, QN_REPORT_BRANCHES);
}

/* ---- what to look at first ---- */

static void write_nothing(struct qn_report_facts *f, FILE *out)
{
    const struct qn_plot_centre *c = &f->functions.at[0];

    fputs("<p>No place stands out for misses or mispredicts. ", out);
    if (f->functions.count) {
        qn_report_put(out, "The most costly function is %s, with %.1f%% of the estimated cycles of the run, %.1f%% of its instructions.",
                      c->name, 100 * c->value / f->functions.total,
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
    for (int i = 0; hints[i]; i++)
        qn_report_put(out, "<p class=\"hint\">%s</p>\n", hints[i]);
    if (!count) {
        write_nothing(f, out);
        return;
    }
    fputs("<ol class=\"first\">\n", out);
    for (int i = 0; i < count; i++) {
        qn_report_put(out, "<li><strong>%s.</strong> %s\n<p class=\"advice\">%s</p>\n", findings[i].what, findings[i].proof,
                      findings[i].advice);
        if (findings[i].line >= 0)
            write_source(f, out, findings[i].line);
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
    { "L2 misses of instructions", "I2mr", "Ir" },
    { "LL misses of instructions", "ILmr", "Ir" },
    { "data references", "Dr+Dw", "" },
    { "D1 misses", "D1mr+D1mw", "Dr+Dw" },
    { "D1 read misses", "D1mr", "Dr" },
    { "D1 write misses", "D1mw", "Dw" },
    { "L2 misses of data", "D2mr+D2mw", "Dr+Dw" },
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

    qn_report_begin_table(out, "", "of the whole run|count|rate");
    for (size_t i = 0; i < QN_ARRAY_LEN(summary); i++) {
        double of = qn_report_count(c, -1, summary[i].of), v = qn_report_count(c, -1, summary[i].events);

        if (!qn_report_has_event(f, qn_text_copy_part(&f->memory, summary[i].events, strcspn(summary[i].events, "+"))) ||
            (summary[i].name[1] == '2' && !qn_prof_has_L2(c->header)))
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
    if (qn_report_shown(f, QN_REPORT_CURVE)->row_count)
        place_picture(f, out, QN_REPORT_CURVE);
    if (f->runs.row_count)
        place_picture(f, out, QN_REPORT_SIZES);
    else
        qn_report_missing(out, "No D1 of another size was simulated",
                          "quern sweep -o runs.csv -L D1.size=8192,16384,32768,65536 -- PROGRAM; quern report --sizes=runs.csv PROFILE");
    if (qn_report_has_event(f, "AN.conflict")) {
        place_picture(f, out, QN_REPORT_CLASSES_BY_FUNCTION);
        place_picture(f, out, QN_REPORT_CLASSES);
    } else
        qn_report_missing(out, "Misses were not divided into compulsory, capacity and conflict", "quern run --analysis=3c");
    if (qn_report_shown(f, QN_REPORT_SETS)->row_count)
        place_picture(f, out, QN_REPORT_SETS);
    else
        qn_report_missing(out, "Misses were not counted by set",
                          "quern run --analysis=sets; quern report --sets=PROFILE.sets.csv PROFILE");
    if (has_sets_by_time(f))
        place_picture(f, out, QN_REPORT_SETS_IN_TIME);
    else
        qn_report_missing(out, "Misses were not counted by set and time",
                          "quern run --analysis=sets --interval=auto; quern report --sets=PROFILE.sets.csv PROFILE");
}

static void write_phases(struct qn_report_facts *f, FILE *out)
{
    if (f->intervals.row_count)
        place_picture(f, out, QN_REPORT_PHASES);
    else
        qn_report_missing(out, "There are no counts by interval",
                          "quern run --interval=auto --interval-file=run.csv; quern report --intervals=run.csv PROFILE");
}

/* ---- what a run was asked to tell apart ---- */

/* The data of a picture as a table, up to a column. */
static void write_cells(struct qn_report_facts *f, FILE *out, const struct qn_text_table *t, int columns)
{
    const char *headings = "";

    for (int i = 0; i < columns; i++)
        headings = qn_text_format(&f->memory, "%s%s%s", headings, i ? "|" : "", t->columns[i]);
    qn_report_begin_table(out, "", headings);
    for (int row = 0; row < t->row_count; row++) {
        fputs("<tr>", out);
        qn_report_text_cell(out, qn_text_cell(t, row, 0));
        for (int i = 1; i < columns; i++)
            qn_report_count_cell(out, qn_text_number(t, row, i), 0);
        fputs("</tr>\n", out);
    }
    qn_report_end_table(out);
}

static void write_data(struct qn_report_facts *f, FILE *out)
{
    fputs("<p>Misses of the D1 by object. <code>quern annotate --by=data</code> of the profile has all of them and their parts, the page to explore, too.</p>\n", out);
    write_cells(f, out, qn_report_shown(f, QN_REPORT_DATA), qn_report_shown(f, QN_REPORT_DATA)->column_count);
    place_picture(f, out, QN_REPORT_DATA);
}

static void write_calls(struct qn_report_facts *f, FILE *out)
{
    fputs("<p>Instructions of a function with all that it calls, and its own. <code>quern annotate --by=calls</code> of the profile has callers and "
          "callees, the page to explore, too.</p>\n", out);
    write_cells(f, out, qn_report_shown(f, QN_REPORT_CALLS), qn_text_find_column(qn_report_shown(f, QN_REPORT_CALLS), "end"));
    place_picture(f, out, QN_REPORT_CALLS);
}

static bool has_data(const struct qn_report_facts *f) { return qn_report_shown(f, QN_REPORT_DATA)->row_count; }
static bool has_calls(const struct qn_report_facts *f) { return qn_report_shown(f, QN_REPORT_CALLS)->row_count; }

/* ---- where it comes from ---- */

static void write_link(FILE *out, const char *before, const char *name, const char *what)
{
    fprintf(out, "%s<a href=\"%s\">%s</a>%s", before, name, name, what);
}

static void write_origin(struct qn_report_facts *f, FILE *out)
{
    qn_report_put_descriptions(out, f->lines.header);
    write_link(out, "<p>Beside this page: ", QN_REPORT_PROFILE, " (for <code>quern annotate</code>)");
    if (f->intervals.row_count)
        write_link(out, ", ", QN_REPORT_INTERVALS, " (counts by interval)");
    if (f->runs.row_count)
        write_link(out, ", ", QN_REPORT_RUNS, " (a D1 of each size)");
    if (has_sets_by_time(f))
        write_link(out, ", ", QN_REPORT_SETS_BY_TIME, " (misses by set and interval)");
    fputs("; of each picture its data and the gnuplot script.</p>\n", out);
}

static const struct section {
    const char *id, *title; /* for the list of contents */
    void (*write)(struct qn_report_facts *f, FILE *out);
    bool (*has)(const struct qn_report_facts *f); /* NULL: it is on each page */
} sections[] = {
    { "first", "What to look at first", write_findings, NULL }, { "summary", "Summary", write_summary, NULL },
    { "functions", "Functions", write_functions, NULL }, { "lines", "Lines", write_lines, NULL },
    { "caches", "Caches", write_caches, NULL }, { "data", "Data", write_data, has_data }, { "calls", "Calls", write_calls, has_calls },
    { "phases", "Phases", write_phases, NULL }, { "branches", "Branches", write_branches, NULL },
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
    qn_report_put(out, "<h1>%s</h1>\n", command);
    if (f->report->ended)
        qn_report_put(out, "<p>The program ended with: %s.</p>\n", f->report->ended);
    qn_report_explore_link(out);
    write_contents(f, out);
    for (size_t i = 0; i < QN_ARRAY_LEN(sections); i++) {
        if (!is_shown(f, i))
            continue;
        fputs("<section>", out);
        qn_report_heading(out, sections[i].id, sections[i].title);
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
        put_picture(f, out, f->places[i].which);
    }
    fwrite(text + at, 1, length - at, out);
}

static enum qn_text_status save_page(struct qn_report_facts *f, const char *text, size_t length, struct qn_text_error *err)
{
    struct qn_text_output o;

    if (qn_text_open_output(&o, qn_report_path(f, QN_REPORT_PAGE), QN_TEXT_SHARED, err) != QN_TEXT_OK)
        return err->status;
    put_together(f, qn_text_stream_output(&o), text, length);
    return qn_text_close_output(&o, err);
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
            prepare(&f, early[i]);
        /* The pictures own them. */
        f.sets = *qn_report_shown(&f, QN_REPORT_SETS);
        f.curve = *qn_report_shown(&f, QN_REPORT_CURVE);
        qn_report_find_knees(&f);
        make_page(&f, err);
    }
    qn_report_free_facts(&f);
    return err->status;
}
