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
    [QN_REPORT_CLASSES] = { .name = "classes",
                            .kind = "threec",
                            .input = QN_REPORT_PROFILE,
                            .by = "line",
                            .caption = "Why the lines miss that do so most: first use, too much, or the same sets" },
    [QN_REPORT_SETS] = { .name = "sets",
                         .kind = "sets",
                         .caption = "Misses of the D1 by set: are there a few that have them all?" },
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
};

void qn_report_link(FILE *out, const char *name, const char *end)
{
    fprintf(out, "<a href=\"%s%s\">%s%s</a>", name, end, name, end);
}

/* The reason, without the name of the folder, which has another one later. */
static void write_reason(const struct qn_report_facts *f, FILE *out, const struct qn_text_error *err)
{
    const char *why = err->status == QN_TEXT_OK ? "there is no gnuplot here" : err->text, *folder = f->report->folder;
    size_t n = strlen(folder);

    fputs(" No picture: ", out);
    qn_report_text(out, !strncmp(why, folder, n) && why[n] == '/' ? why + n + 1 : why);
    fputs(".", out);
}

void qn_report_draw(struct qn_report_facts *f, FILE *out, enum qn_report_picture which)
{
    const struct picture *p = &pictures[which];
    const char *image = qn_report_path(f, qn_exp_format(&f->memory, "%s.svg", p->name));
    const char *input = p->input ? qn_report_path(f, p->input) : f->report->log;
    struct qn_plot_request q = {
        .kind = p->kind, .output = image, .by = p->by, .event = p->event, .y = p->y, .input_count = 1
    };
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char remark[QN_PLOT_REMARK_MAX];

    q.inputs[0] = input;
    if (p->second)
        q.inputs[q.input_count++] = qn_report_path(f, p->second);
    fputs("<figure>", out);
    if (qn_plot_draw(&q, remark, &err) == QN_TEXT_OK && !access(image, F_OK))
        fprintf(out, "<img src=\"%s.svg\" alt=\"%s\">", p->name, p->caption);
    fprintf(out, "<figcaption>%s", p->caption);
    if (err.status == QN_TEXT_OK) {
        fputs(" (", out);
        qn_report_link(out, p->name, ".csv");
        fputs(", ", out);
        qn_report_link(out, p->name, ".gp");
        fputs(")", out);
    }
    fputs(".", out);
    if (err.status != QN_TEXT_OK || access(image, F_OK))
        write_reason(f, out, &err);
    fputs("</figcaption></figure>\n", out);
}
