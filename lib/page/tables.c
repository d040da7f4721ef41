/* lib/page/tables.c - see tables.h. */
#include "page/tables.h"

#include <string.h>

#include "base/base.h"
#include "page/json.h"

static const char digits[] = "0123456789";

/* 0, -12, 3.25; no exponents, no leading zeros (RFC 8259). */
static bool is_number(const char *text)
{
    size_t whole;

    text += *text == '-';
    whole = strspn(text, digits);
    if (whole == 0 || (whole > 1 && *text == '0'))
        return false;
    text += whole;
    if (!*text)
        return true;
    return *text == '.' && text[1] && text[1 + strspn(text + 1, digits)] == '\0';
}

void qn_page_put_cell(FILE *out, const char *cell)
{
    if (is_number(cell))
        fputs(cell, out);
    else
        qn_page_put_text(out, cell);
}

static void put_row(FILE *out, char *const *cells, int count)
{
    putc('[', out);
    for (int i = 0; i < count; i++) {
        if (i)
            putc(',', out);
        qn_page_put_cell(out, cells[i]);
    }
    putc(']', out);
}

void qn_page_put_table(FILE *out, const struct qn_text_table *t)
{
    fputs("{\"columns\":[", out);
    for (int i = 0; i < t->column_count; i++) {
        fputs(i ? "," : "", out);
        qn_page_put_text(out, t->columns[i]);
    }
    fputs("],\"rows\":[", out);
    for (int i = 0; i < t->row_count; i++) {
        fputs(i ? ",\n" : "", out);
        put_row(out, t->rows[i], t->column_count);
    }
    fputs("]}", out);
}

/* ---- misses by set and time ---- */

#define GAP_MAX 64 /* zeros between two sets with misses, in one row */

static const char *const set_columns[] = { "cache", "start", "end", "set", "sets", "misses" };
enum { CACHE, START, END, SET, SETS, MISSES };

static double number(const struct qn_text_table *t, int row, int column)
{
    double v = 0;

    qn_text_cell_number(t, row, column, &v);
    return v;
}

/* How many zeros stand between this row's sets and those of the row before, in one row of the page; -1: a new row begins. */
static int find_gap(const struct qn_text_table *t, int row, const int columns[])
{
    double sets, gap;

    for (int i = CACHE; i <= SETS; i++)
        if (i != SET && strcmp(t->rows[row][columns[i]], t->rows[row - 1][columns[i]]))
            return -1;
    sets = number(t, row, columns[SETS]);
    gap = sets >= 1 ? (number(t, row, columns[SET]) - number(t, row - 1, columns[SET])) / sets - 1 : -1;
    return gap >= 0 && gap <= GAP_MAX && gap == (int)gap ? (int)gap : -1;
}

void qn_page_put_sets(FILE *out, const struct qn_text_table *t)
{
    int columns[QN_ARRAY_LEN(set_columns)];

    fputs("{\"columns\":[", out);
    for (size_t i = 0; i < QN_ARRAY_LEN(set_columns); i++) {
        columns[i] = qn_text_find_column(t, set_columns[i]);
        fprintf(out, "%s\"%s\"", i ? "," : "", set_columns[i]);
    }
    fputs("],\"rows\":[", out);
    for (int row = 0; row < t->row_count; row++) {
        int gap = row ? find_gap(t, row, columns) : -1;

        if (gap < 0) {
            fputs(row ? "]],\n[" : "[", out);
            for (int i = CACHE; i <= SETS; i++) {
                qn_page_put_cell(out, t->rows[row][columns[i]]);
                putc(',', out);
            }
            putc('[', out);
        } else {
            putc(',', out);
        }
        for (int i = 0; i < gap; i++)
            fputs("0,", out);
        qn_page_put_cell(out, t->rows[row][columns[MISSES]]);
    }
    fputs(t->row_count ? "]]]}" : "]}", out);
}
