/* lib/page/beside.c - checks tables that a run has written beside its profile, and writes them as JSON: which lines of code evict what a line
 * misses, and cache lines that threads share: {"columns":[...],"rows":[[...]],"left":0}.  See profile.h. */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "page/profile.h"
#include "page/tables.h"
#include "text/source.h"

enum kind { TEXT, NAME, NUMBER, HEX, SHARED }; /* NAME: written as its number in the page's list of names */

struct column {
    const char *name;
    enum kind kind;
};

/* As lib/cost/beside/culprits.h and lib/cost/beside/sharing.h write them. */
static const struct column culprits[] = {
    { "count", NUMBER }, { "of", NUMBER }, { "file", NAME }, { "function", NAME }, { "line", NUMBER }, { "evictor_file", NAME },
    { "evictor_function", NAME }, { "evictor_line", NUMBER }, { NULL, TEXT },
};
static const struct column sharing[] = {
    { "address", HEX }, { "shared", SHARED }, { "thread", NUMBER }, { "object", TEXT }, { "offset", NUMBER }, { "file", TEXT },
    { "function", TEXT }, { "line", NUMBER }, { "reads", NUMBER }, { "writes", NUMBER }, { "read", HEX }, { "written", HEX },
    { "true", NUMBER }, { "false", NUMBER }, { "cold", NUMBER }, { "upgrades", NUMBER }, { NULL, TEXT },
};

static bool is_hex(const char *cell)
{
    size_t digits = strncmp(cell, "0x", 2) ? 0 : strspn(cell + 2, "0123456789abcdef");

    return digits && digits <= 16 && !cell[2 + digits];
}

static const char *wanted(const struct qn_text_table *t, int row, int column, enum kind kind)
{
    const char *cell = t->rows[row][column];
    double number;

    switch (kind) {
    case NUMBER: return qn_text_cell_number(t, row, column, &number) && number >= 0 ? NULL : "a number";
    case HEX: return is_hex(cell) ? NULL : "a number of base 16, 0x...";
    case SHARED: return !strcmp(cell, "true") || !strcmp(cell, "false") || !strcmp(cell, "both") ? NULL : "true, false or both";
    default: return NULL;
    }
}

static enum qn_text_status check(const struct qn_text_table *t, const char *path, const struct column *c, const char *file, struct qn_text_error *err)
{
    for (; c->name; c++) {
        int column = qn_text_find_column(t, c->name);

        if (column < 0)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:1: got no column `%s`, wanted %s", path, c->name, file);
        for (int row = 0; row < t->row_count; row++) {
            const char *what = wanted(t, row, column, c->kind);

            if (what)
                return qn_text_fail(err, QN_TEXT_BAD, "%s:%d: got `%.60s` as %s, wanted %s", path, row + 2, t->rows[row][column], c->name, what);
        }
    }
    return QN_TEXT_OK;
}

enum qn_text_status qn_page_check_culprits(const struct qn_text_table *t, const char *path, struct qn_text_error *err)
{
    return check(t, path, culprits, "the file that the analysis culprits writes", err);
}

enum qn_text_status qn_page_check_sharing(const struct qn_text_table *t, const char *path, struct qn_text_error *err)
{
    return check(t, path, sharing, "PROFILE.sharing.csv of the analysis sharing", err);
}

/* Writes the first n rows. */
static void put(const struct qn_text_table *t, const struct column *columns, int n, struct qn_text_names *names, FILE *out)
{
    fputs("{\"columns\":[", out);
    for (const struct column *c = columns; c->name; c++)
        fprintf(out, "%s\"%s\"", c > columns ? "," : "", c->name);
    fputs("],\"rows\":[", out);
    for (int row = 0; row < n; row++) {
        fputs(row ? ",\n" : "", out);
        for (const struct column *c = columns; c->name; c++) {
            const char *cell = qn_text_cell(t, row, qn_text_find_column(t, c->name));
            size_t length = strlen(cell);

            if (strstr(c->name, "file")) /* as the profile names it */
                cell = qn_text_map_source(cell, &length);
            putc(c > columns ? ',' : '[', out);
            if (c->kind == NAME)
                fprintf(out, "%" PRIu32, qn_text_intern(names, cell, length));
            else
                qn_page_put_cell(out, cell);
        }
        putc(']', out);
    }
    fprintf(out, "],\"left\":%d}", t->row_count - n);
}

void qn_page_put_culprits(struct qn_page_profile *p, const struct qn_text_table *t, FILE *out)
{
    fputs("\"culprits\":", out);
    put(t, culprits, t->row_count < QN_PAGE_CULPRITS ? t->row_count : QN_PAGE_CULPRITS, &p->names, out);
    fputs(",\n", out);
}

/* The number of rows that have room; the rows of one cache line stay together. */
static int count_rows(const struct qn_text_table *t)
{
    int address = qn_text_find_column(t, "address"), n = QN_PAGE_SHARED;

    if (t->row_count <= n)
        return t->row_count;
    while (n > 0 && !strcmp(t->rows[n - 1][address], t->rows[n][address]))
        n--;
    return n;
}

void qn_page_put_sharing(const struct qn_text_table *t, FILE *out) { put(t, sharing, count_rows(t), NULL, out); }
