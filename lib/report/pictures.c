/* lib/report/pictures.c - see pictures.h. */
#include "report/pictures.h"

#include <string.h>
#include <unistd.h>

#include "plot/plot.h"
#include "report/html.h"

struct picture {
    const char *name, *kind, *input, *second, *by, *event, *y; /* as of struct qn_plot_request */
    const char *caption;
};

static const struct picture pictures[] = {
    [QN_REPORT_CPI] = { .name = "cpi",
                        .kind = "cpi",
                        .input = QN_REPORT_PROFILE,
                        .caption = "Where the cycles of the most costly functions go, estimated by the rule of thumb above" },
    [QN_REPORT_FUNCTIONS] = { .name = "functions",
                              .kind = "top",
                              .input = QN_REPORT_PROFILE,
                              .caption = "Functions that miss the D1 most" },
    [QN_REPORT_LINES] = { .name = "lines",
                          .kind = "top",
                          .input = QN_REPORT_PROFILE,
                          .by = "line",
                          .caption = "Lines that miss the D1 most" },
    [QN_REPORT_CURVE] = { .name = "curve",
                          .kind = "mrc",
                          .caption =
                              "Misses of a fully associative cache, by size: where the curve bends, something fits" },
    [QN_REPORT_SIZES] = { .name = "size",
                          .kind = "size",
                          .input = QN_REPORT_RUNS,
                          .caption = "Misses of a D1 like this one, by size" },
    [QN_REPORT_CLASSES_BY_FUNCTION] = { .name = "why",
                                        .kind = "threec",
                                        .input = QN_REPORT_PROFILE,
                                        .caption = "Why the functions miss that do so most" },
    [QN_REPORT_CLASSES] = { .name = "classes",
                            .kind = "threec",
                            .input = QN_REPORT_PROFILE,
                            .by = "line",
                            .caption = "Why the lines miss that do so most: first use, too much, or the same sets" },
    [QN_REPORT_SETS] = { .name = "sets",
                         .kind = "sets",
                         .caption = "Misses of the D1 by set: are there a few that have them all?" },
    [QN_REPORT_SETS_IN_TIME] = { .name = "heat",
                                 .kind = "heat",
                                 .input = QN_REPORT_SETS_BY_TIME,
                                 .second = QN_REPORT_PROFILE,
                                 .caption = "Misses of the D1 by set, from left to right as the run goes: which sets have them, and when?" },
    [QN_REPORT_PHASES] = { .name = "phases",
                           .kind = "time",
                           .input = QN_REPORT_INTERVALS,
                           .second = QN_REPORT_PROFILE,
                           .y = "D1m%,LLmr%,Bcm%",
                           .caption = "How the run goes" },
    [QN_REPORT_BRANCHES] = { .name = "branches",
                             .kind = "top",
                             .input = QN_REPORT_PROFILE,
                             .by = "line",
                             .event = "Bcm+Bim",
                             .caption = "Lines that are mispredicted most" },
    [QN_REPORT_DATA] = { .name = "data",
                         .kind = "data",
                         .input = QN_REPORT_PROFILE,
                         .caption = "Objects in memory that the D1 misses most" },
    [QN_REPORT_CALLS] = { .name = "calls",
                          .kind = "calls",
                          .input = QN_REPORT_PROFILE,
                          .caption = "Instructions of functions with all that they call" },
};

void qn_report_link(FILE *out, const char *name, const char *end)
{
    fprintf(out, "<a href=\"%s%s\">%s%s</a>", name, end, name, end);
}

/* Writes the reason without the name of the folder, which is renamed later. */
static void write_reason(const struct qn_report_facts *f, FILE *out, const struct qn_text_error *err)
{
    const char *why = err->status == QN_TEXT_OK ? "there is no gnuplot here" : err->text, *folder = f->report->folder;
    size_t n = strlen(folder);

    fputs(" No picture: ", out);
    qn_report_text(out, !strncmp(why, folder, n) && why[n] == '/' ? why + n + 1 : why);
    fputs(".", out);
}

/* ---- what a picture shows, in words ---- */

#define TOLD 3 /* rows of a picture of bars */

/* "jki 98.9%, ijk 0.4%" */
static const char *tell_bars(struct qn_report_facts *f, const struct qn_exp_table *t, int label)
{
    const char *text = "";

    for (int row = 0; row < t->row_count && row < TOLD; row++)
        text = qn_exp_format(&f->memory, "%s%s%s %s", text, row ? ", " : "", qn_exp_cell(t, row, 0), qn_exp_cell(t, row, label));
    return text;
}

/* "jki: compulsory 12, capacity 0, conflict 99998; ..." */
static const char *tell_stacks(struct qn_report_facts *f, const struct qn_exp_table *t)
{
    const char *text = "";

    for (int row = 0; row < t->row_count && row < TOLD; row++) {
        text = qn_exp_format(&f->memory, "%s%s%s:", text, row ? "; " : "", qn_exp_cell(t, row, 0));
        for (int i = 1; i < t->column_count; i++)
            text = qn_exp_format(&f->memory, "%s%s %s %s", text, i > 1 ? "," : "", t->columns[i], qn_exp_cell(t, row, i));
    }
    return text;
}

/* "miss_percent at most 12.5 (size 1024), at least 0.1 (size 524288)" */
static const char *tell_curves(struct qn_report_facts *f, const struct qn_exp_table *t)
{
    const char *text = "";

    for (int i = 1; i < t->column_count; i++) {
        int most = 0, least = 0;

        for (int row = 1; row < t->row_count; row++) {
            most = qn_exp_number(t, row, i) > qn_exp_number(t, most, i) ? row : most;
            least = qn_exp_number(t, row, i) < qn_exp_number(t, least, i) ? row : least;
        }
        text = qn_exp_format(&f->memory, "%s%s%s at most %g (%s %s), at least %g (%s %s)", text, i > 1 ? "; " : "", t->columns[i],
                             qn_exp_number(t, most, i), t->columns[0], qn_exp_cell(t, most, 0), qn_exp_number(t, least, i), t->columns[0],
                             qn_exp_cell(t, least, 0));
    }
    return text;
}

/* "at most 2500 between instructions 20000 and 40000, in set 3": of sets that are counted together in the first of them and the next ones */
static const char *tell_heat(struct qn_report_facts *f, const struct qn_exp_table *t)
{
    int start = qn_exp_find_column(t, "start"), end = qn_exp_find_column(t, "end"), set = qn_exp_find_column(t, "set"), most = 0;
    int misses = qn_exp_find_column(t, "misses");
    double together = qn_exp_number(t, 0, qn_exp_find_column(t, "sets"));

    for (int row = 1; row < t->row_count; row++)
        most = qn_exp_number(t, row, misses) > qn_exp_number(t, most, misses) ? row : most;
    return qn_exp_format(&f->memory, "at most %s between instructions %s and %s, in set %s%s", qn_exp_cell(t, most, misses),
                         qn_exp_cell(t, most, start), qn_exp_cell(t, most, end), qn_exp_cell(t, most, set),
                         together > 1 ? qn_exp_format(&f->memory, " and the next %.0f", together - 1) : "");
}

/* The text for those who do not see the picture: the numbers that are its point. */
static const char *tell_picture(struct qn_report_facts *f, enum qn_report_picture which)
{
    const struct qn_exp_table *t = qn_report_shown(f, which);
    double first;

    if (!t->row_count)
        return "";
    if (qn_exp_find_column(t, "label") >= 0)
        return tell_bars(f, t, qn_exp_find_column(t, "label"));
    if (which == QN_REPORT_SETS_IN_TIME)
        return tell_heat(f, t);
    return qn_exp_cell_number(t, 0, 0, &first) ? tell_curves(f, t) : tell_stacks(f, t);
}

static void write_image(struct qn_report_facts *f, FILE *out, enum qn_report_picture which)
{
    const struct picture *p = &pictures[which];

    fprintf(out, "<img src=\"%s.svg\" alt=\"%s%s ", p->name, p->caption, strchr(p->caption, '?') ? "" : ".");
    qn_report_text(out, tell_picture(f, which));
    fputs(".\">", out);
}

/* ---- drawing ---- */

static const char *path_of_image(struct qn_report_facts *f, enum qn_report_picture which)
{
    return qn_report_path(f, qn_exp_format(&f->memory, "%s.svg", pictures[which].name));
}

static void draw(struct qn_report_facts *f, enum qn_report_picture which, struct qn_plot_batch *batch)
{
    const struct picture *p = &pictures[which];
    struct qn_report_picture_made *made = &f->pictures[which];
    struct qn_plot_request q = { .kind = p->kind, .output = path_of_image(f, which), .by = p->by, .event = p->event, .y = p->y, .input_count = 1,
                                 .profile = &f->profile, .batch = batch, .data = batch ? &made->data : NULL };
    char remark[QN_PLOT_REMARK_MAX];

    q.inputs[0] = p->input ? qn_report_path(f, p->input) : f->report->log;
    if (p->second)
        q.inputs[q.input_count++] = qn_report_path(f, p->second);
    qn_plot_draw(&q, remark, &made->err);
}

void qn_report_prepare(struct qn_report_facts *f, enum qn_report_picture which)
{
    if (f->pictures[which].tried || (!pictures[which].input && !f->report->log))
        return;
    f->pictures[which].tried = true;
    draw(f, which, &f->batch);
}

void qn_report_draw(struct qn_report_facts *f, FILE *out, enum qn_report_picture which)
{
    qn_report_prepare(f, which);
    f->places[f->place_count++] = (struct qn_report_place){ ftell(out), which };
}

/* Where gnuplot has failed, the picture is drawn by itself, which also tells why it fails. */
void qn_report_put_picture(struct qn_report_facts *f, FILE *out, enum qn_report_picture which)
{
    const struct picture *p = &pictures[which];
    const struct qn_text_error *err = &f->pictures[which].err;
    const char *image = path_of_image(f, which);

    if (err->status == QN_TEXT_OK && !f->batch.missing && access(image, F_OK))
        draw(f, which, NULL);
    fputs("<figure>", out);
    if (!access(image, F_OK))
        write_image(f, out, which);
    fprintf(out, "<figcaption>%s", p->caption);
    if (err->status == QN_TEXT_OK) {
        fputs(" (", out);
        qn_report_link(out, p->name, ".csv");
        fputs(", ", out);
        qn_report_link(out, p->name, ".gp");
        fputs(")", out);
    }
    fputs(".", out);
    if (err->status != QN_TEXT_OK || access(image, F_OK))
        write_reason(f, out, err);
    fputs("</figcaption></figure>\n", out);
}
