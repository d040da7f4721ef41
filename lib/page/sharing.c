/* lib/page/sharing.c - lines of memory that threads share, as JSON: {"columns":[...],"rows":[[...]],"left":0}.  See profile.h. */
#include <string.h>

#include "base/base.h"
#include "page/profile.h"
#include "page/tables.h"

enum kind { TEXT, NUMBER, HEX, SHARED };

/* As lib/cost/sharing.h writes them. */
static const struct column {
    const char *name;
    enum kind kind;
} columns[] = {
    { "address", HEX }, { "shared", SHARED }, { "thread", NUMBER }, { "object", TEXT }, { "offset", NUMBER }, { "file", TEXT },
    { "function", TEXT }, { "line", NUMBER }, { "reads", NUMBER }, { "writes", NUMBER }, { "read", HEX }, { "written", HEX },
    { "true", NUMBER }, { "false", NUMBER }, { "cold", NUMBER }, { "upgrades", NUMBER },
};

static bool is_hex(const char *cell)
{
    size_t digits = strncmp(cell, "0x", 2) ? 0 : strspn(cell + 2, "0123456789abcdef");

    return digits && digits <= 16 && !cell[2 + digits];
}

static const char *wanted(const struct qn_exp_table *t, int row, int column, enum kind kind)
{
    const char *cell = t->rows[row][column];
    double number;

    switch (kind) {
    case NUMBER: return qn_exp_cell_number(t, row, column, &number) && number >= 0 ? NULL : "a number";
    case HEX: return is_hex(cell) ? NULL : "a number of base 16, 0x...";
    case SHARED: return !strcmp(cell, "true") || !strcmp(cell, "false") || !strcmp(cell, "both") ? NULL : "true, false or both";
    default: return NULL;
    }
}

enum qn_text_status qn_page_check_sharing(const struct qn_exp_table *t, const char *path, struct qn_text_error *err)
{
    for (size_t i = 0; i < QN_ARRAY_LEN(columns); i++) {
        int column = qn_exp_find_column(t, columns[i].name);

        if (column < 0)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:1: got no column `%s`, wanted PROFILE.sharing.csv of the analysis sharing", path, columns[i].name);
        for (int row = 0; row < t->row_count; row++) {
            const char *what = wanted(t, row, column, columns[i].kind);

            if (what)
                return qn_text_fail(err, QN_TEXT_BAD, "%s:%d: got `%.60s` as %s, wanted %s", path, row + 2, t->rows[row][column], columns[i].name, what);
        }
    }
    return QN_TEXT_OK;
}

/* The rows of a line of memory stay together. */
static int count_rows(const struct qn_exp_table *t)
{
    int address = qn_exp_find_column(t, "address"), n = QN_PAGE_SHARED;

    if (t->row_count <= n)
        return t->row_count;
    while (n > 0 && !strcmp(t->rows[n - 1][address], t->rows[n][address]))
        n--;
    return n;
}

void qn_page_put_sharing(const struct qn_exp_table *t, FILE *out)
{
    int n = count_rows(t);

    fputs("{\"columns\":[", out);
    for (size_t i = 0; i < QN_ARRAY_LEN(columns); i++)
        fprintf(out, "%s\"%s\"", i ? "," : "", columns[i].name);
    fputs("],\"rows\":[", out);
    for (int row = 0; row < n; row++) {
        fputs(row ? ",\n[" : "[", out);
        for (size_t i = 0; i < QN_ARRAY_LEN(columns); i++) {
            if (i)
                putc(',', out);
            qn_page_put_cell(out, t->rows[row][qn_exp_find_column(t, columns[i].name)]);
        }
        putc(']', out);
    }
    fprintf(out, "],\"left\":%d}", t->row_count - n);
}
