/* lib/report/source.c - see source.h. */
#include "report/source.h"

#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "out/source.h"
#include "report/html.h"

#define AROUND 4        /* lines before and after the hot one */
#define WIDTH_MOST 160  /* bytes of a line */

static const char *const columns[][2] = {
    { "Ir", "Ir" }, { "D1mr+D1mw", "D1 misses" }, { "DLmr+DLmw", "LL misses" }, { "Bcm+Bim", "mispredicts" },
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

void qn_report_write_source(struct qn_report_facts *f, FILE *out, int line)
{
    const struct qn_plot_centre *c = &f->lines.at[line];
    struct qn_out_source source;
    const char *text;
    size_t length;

    if (!qn_report_has_line(c))
        return;
    if (qn_out_read_source(&source, c->file)) {
        fputs("<p>The source, ", out);
        qn_report_text(out, c->file);
        fputs(", is not here.</p>\n", out);
        return;
    }
    write_head(out);
    for (uint32_t number = 1; qn_out_next_line(&source, &text, &length); number++)
        if (number + AROUND >= c->line && number <= c->line + AROUND)
            write_line(f, out, c, number, text, length);
    qn_report_end_table(out);
    qn_out_free_source(&source);
}
