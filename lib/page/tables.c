/* lib/page/tables.c - see tables.h. */
#include "page/tables.h"

#include <string.h>

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

void qn_page_put_table(FILE *out, const struct qn_exp_table *t)
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
