/* lib/report/source.c - see source.h. */
#include "report/source.h"

#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "report/html.h"
#include "text/source.h"

#define AROUND 4        /* lines before and after the hot one */
#define WIDTH_MOST 160  /* bytes of a line */

static const char *const columns[][2] = {
    { "Ir", "Ir" }, { "I1mr", "I1 misses" }, { "D1mr+D1mw", "D1 misses" }, { "ILmr+DLmr+DLmw", "LL misses" }, { "Bcm+Bim", "mispredicts" },
};

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
    for (size_t i = 0; i < QN_ARRAY_LEN(columns); i++) {
        double v = count_line(f, c->file, number, columns[i][0]);

        if (v)
            qn_report_count_cell(out, v, 0);
        else
            fputs("<td></td>", out);
    }
    fputs("<td class=\"code\">", out);
    qn_report_text(out, line);
    fputs("</td></tr>\n", out);
}

static void write_head(FILE *out)
{
    qn_report_begin_table(out, "source");
    fputs("<tr><th scope=\"col\">line</th>", out);
    for (size_t i = 0; i < QN_ARRAY_LEN(columns); i++)
        fprintf(out, "<th scope=\"col\">%s</th>", columns[i][1]);
    fputs("<th></th></tr>\n", out);
}

bool qn_report_has_source(const struct qn_plot_centre *c)
{
    return qn_report_has_line(c) && access(c->file, R_OK) == 0;
}

static void write_why(FILE *out, const char *file, int error)
{
    fputs("<p>The source, ", out);
    qn_report_text(out, file);
    fprintf(out, ", is not here: %s.</p>\n", qn_text_source_why(error));
}

void qn_report_write_source(struct qn_report_facts *f, FILE *out, int line)
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
    write_head(out);
    for (uint64_t number = 1; number <= (uint64_t)c->line + AROUND && qn_text_next_source_line(&source, &text, &length); number++)
        if (number + AROUND >= c->line)
            write_line(f, out, c, (uint32_t)number, text, length);
    qn_report_end_table(out);
    if (source.error)
        write_why(out, c->file, source.error);
    qn_text_close_source(&source);
}
