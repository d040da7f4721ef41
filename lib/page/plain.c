/* lib/page/plain.c - a page's table for readers without scripts: the most costly functions.  See profile.h. */

#include "page/profile.h"
#include "prof/counts.h"
#include "report/html.h"

#define ROWS 50

/* Chooses ROWS functions or fewer, the most costly first, by insertion. */
static size_t choose(const struct qn_page_profile *p, size_t chosen[ROWS])
{
    size_t count = 0;

    for (size_t i = 0; i < qn_prof_table_rows(p->functions); i++) {
        double cost = qn_page_cost(p, qn_prof_table_at(p->functions, i).counts);
        size_t at = count;

        while (at && qn_page_cost(p, qn_prof_table_at(p->functions, chosen[at - 1]).counts) < cost)
            at--;
        if (at == ROWS)
            continue;
        count += count < ROWS;
        for (size_t k = count - 1; k > at; k--)
            chosen[k] = chosen[k - 1];
        chosen[at] = i;
    }
    return count;
}

static void put_row(const struct qn_page_profile *p, FILE *out, const char *name, const int64_t *counts)
{
    fputs("<tr>", out);
    qn_report_text_cell(out, name);
    for (int i = 0; i < p->events; i++)
        qn_report_count_cell(out, (double)qn_prof_count(counts[i]), 0);
    fputs("</tr>\n", out);
}

void qn_page_put_plain(const struct qn_page_profile *p, FILE *out)
{
    const struct qn_prof_header *h = qn_prof_reader_header(p->reader);
    size_t chosen[ROWS], count = choose(p, chosen);

    fputs("<h1>", out);
    qn_report_text(out, h->cmd.text);
    fputs("</h1>\n<p>Without scripts this page has one table, of the most costly functions; <code>quern annotate</code> shows the "
          "source.</p>\n<table>\n<tr><th scope=\"col\">function</th>", out);
    for (int i = 0; i < p->events; i++) {
        fputs("<th scope=\"col\">", out);
        qn_report_text(out, h->events[i]);
        fputs("</th>", out);
    }
    fputs("</tr>\n", out);
    put_row(p, out, "the whole run", qn_prof_table_totals(p->lines));
    for (size_t i = 0; i < count; i++) {
        struct qn_prof_row row = qn_prof_table_at(p->functions, chosen[i]);

        put_row(p, out, row.function, row.counts);
    }
    fputs("</table>\n", out);
}
