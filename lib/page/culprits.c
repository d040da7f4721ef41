/* lib/page/culprits.c - who evicts what a line misses, as JSON.  See profile.h. */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "page/profile.h"
#include "page/tables.h"

/* As lib/cost/culprits.h writes them; names go as the numbers of the page's names. */
static const struct column {
    const char *name;
    bool text;
} columns[] = {
    { "count", false },        { "of", false },           { "file", true },          { "function", true }, { "line", false },
    { "evictor_file", true }, { "evictor_function", true }, { "evictor_line", false },
};

enum qn_text_status qn_page_check_culprits(const struct qn_exp_table *t, const char *path, struct qn_text_error *err)
{
    for (size_t i = 0; i < QN_ARRAY_LEN(columns); i++) {
        int column = qn_exp_find_column(t, columns[i].name);
        double number;

        if (column < 0)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:1: got no column `%s`, wanted the file that the analysis culprits writes", path, columns[i].name);
        for (int row = 0; row < t->row_count && !columns[i].text; row++)
            if (!qn_exp_cell_number(t, row, column, &number) || number < 0)
                return qn_text_fail(err, QN_TEXT_BAD, "%s:%d: got `%.60s` as %s, wanted a number", path, row + 2, t->rows[row][column], columns[i].name);
    }
    return QN_TEXT_OK;
}

static void put_row(struct qn_page_profile *p, FILE *out, const struct qn_exp_table *t, int row)
{
    for (size_t i = 0; i < QN_ARRAY_LEN(columns); i++) {
        const char *cell = qn_exp_cell(t, row, qn_exp_find_column(t, columns[i].name));

        putc(i ? ',' : '[', out);
        if (columns[i].text)
            fprintf(out, "%" PRIu32, qn_text_intern(&p->names, cell, strlen(cell)));
        else
            qn_page_put_cell(out, cell);
    }
    putc(']', out);
}

void qn_page_put_culprits(struct qn_page_profile *p, const struct qn_exp_table *t, FILE *out)
{
    int count = t->row_count < QN_PAGE_CULPRITS ? t->row_count : QN_PAGE_CULPRITS;

    fputs("\"culprits\":{\"columns\":[", out);
    for (size_t i = 0; i < QN_ARRAY_LEN(columns); i++)
        fprintf(out, "%s\"%s\"", i ? "," : "", columns[i].name);
    fputs("],\"rows\":[", out);
    for (int row = 0; row < count; row++) {
        fputs(row ? ",\n" : "", out);
        put_row(p, out, t, row);
    }
    fprintf(out, "],\"left\":%d},\n", t->row_count - count);
}
