/* lib/page/tables.c - see tables.h. */
#include "page/tables.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "page/json.h"
#include "page/profile.h"
#include "text/memory.h"
#include "text/source.h"

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

static void put_cell(FILE *out, const char *cell)
{
    if (is_number(cell))
        fputs(cell, out);
    else
        qn_page_put_text(out, cell);
}

void qn_page_put_table(FILE *out, const char *name, const struct qn_text_table *t)
{
    if (!t->column_count)
        return;
    fprintf(out, ",\n\"%s\":{\"columns\":[", name);
    for (int i = 0; i < t->column_count; i++) {
        fputs(i ? "," : "", out);
        qn_page_put_text(out, t->columns[i]);
    }
    fputs("],\"rows\":[", out);
    for (int i = 0; i < t->row_count; i++) {
        fputs(i ? ",\n[" : "[", out);
        for (int k = 0; k < t->column_count; k++) {
            fputs(k ? "," : "", out);
            put_cell(out, t->rows[i][k]);
        }
        putc(']', out);
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
                put_cell(out, t->rows[row][columns[i]]);
                putc(',', out);
            }
            putc('[', out);
        } else {
            putc(',', out);
        }
        for (int i = 0; i < gap; i++)
            fputs("0,", out);
        put_cell(out, t->rows[row][columns[MISSES]]);
    }
    fputs(t->row_count ? "]]]}" : "]}", out);
}

/* ---- checks tables that a run has written beside its profile, and writes them as JSON: which lines of code evict what a line ----
 *
 * misses, and cache lines that threads share: {"columns":[...],"rows":[[...]],"left":0}.
 */

enum kind { TEXT, NAME, NUMBER, HEX, SHARED }; /* NAME: written as its number in the page's list of names */

struct column {
    const char *name;
    enum kind kind;
};

#define SHARING ".sharing.csv"

/* As lib/cost/side_tables/culprits.h and lib/cost/side_tables/sharing.h write them. */
static const struct column culprits[] = {
    { "count", NUMBER }, { "of", NUMBER }, { "file", NAME }, { "function", NAME }, { "line", NUMBER }, { "evictor_file", NAME },
    { "evictor_function", NAME }, { "evictor_line", NUMBER }, { NULL, TEXT },
};
static const struct column sharing[] = {
    { "address", HEX }, { "shared", SHARED }, { "thread", NUMBER }, { "object", TEXT }, { "offset", NUMBER }, { "file", TEXT },
    { "function", TEXT }, { "line", NUMBER }, { "reads", NUMBER }, { "writes", NUMBER }, { "read", HEX }, { "written", HEX },
    { "true", NUMBER }, { "false", NUMBER }, { "cold", NUMBER }, { "upgrades", NUMBER }, { NULL, TEXT },
};

static const struct column takers[] = {
    { "count", NUMBER }, { "of", NUMBER }, { "shared", SHARED }, { "file", TEXT }, { "function", TEXT }, { "line", NUMBER },
    { "taker_file", TEXT }, { "taker_function", TEXT }, { "taker_line", NUMBER }, { NULL, TEXT },
};
static const struct column cores[] = { { "core", NUMBER }, { "lines", NUMBER }, { "from", NUMBER }, { NULL, TEXT } };

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

/* Reads the file that lies beside PROFILE.sharing.csv, under this ending.  It may be missing. */
static enum qn_text_status read_other(struct qn_text_table *t, const char *path, const char *ending, const struct column *c, struct qn_text_error *err)
{
    size_t length = strlen(path), stem = length > strlen(SHARING) ? length - strlen(SHARING) : 0;
    struct qn_text_memory memory = { 0 };
    const char *other = qn_text_format(&memory, "%.*s%s", (int)stem, path, ending);
    enum qn_text_status status = QN_TEXT_OK;

    if (!strcmp(path + stem, SHARING) && access(other, F_OK) == 0) {
        status = qn_text_read_table(t, other, err);
        status = status == QN_TEXT_OK ? check(t, other, c, "the file that a run has written", err) : status;
    }
    qn_text_free_memory(&memory);
    return status;
}

enum qn_text_status qn_page_read_sharing(struct qn_page_sharing *s, const char *path, struct qn_text_error *err)
{
    if (qn_text_read_table(&s->lines, path, err) != QN_TEXT_OK
        || check(&s->lines, path, sharing, "PROFILE.sharing.csv of the analysis sharing", err) != QN_TEXT_OK
        || read_other(&s->takers, path, ".takers.csv", takers, err) != QN_TEXT_OK)
        return err->status;
    return read_other(&s->cores, path, ".D1.cores.csv", cores, err);
}

void qn_page_free_sharing(struct qn_page_sharing *s)
{
    qn_text_free_table(&s->lines);
    qn_text_free_table(&s->takers);
    qn_text_free_table(&s->cores);
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
                put_cell(out, cell);
        }
        putc(']', out);
    }
    fprintf(out, "],\"left\":%d}", t->row_count - n);
}

static int at_most(int n, int most) { return n < most ? n : most; }

void qn_page_put_culprits(struct qn_page_profile *p, const struct qn_text_table *t, FILE *out)
{
    fputs("\"culprits\":", out);
    put(t, culprits, at_most(t->row_count, QN_PAGE_CULPRITS), &p->names, out);
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

void qn_page_put_sharing(const struct qn_page_sharing *s, FILE *out)
{
    fputs(",\n\"sharing\":", out);
    put(&s->lines, sharing, count_rows(&s->lines), NULL, out);
    if (s->takers.column_count) {
        fputs(",\n\"takers\":", out);
        put(&s->takers, takers, at_most(s->takers.row_count, QN_PAGE_CULPRITS), NULL, out);
    }
    qn_page_put_table(out, "cores", &s->cores);
}

void qn_page_put_threads(const char *path, FILE *out)
{
    struct qn_prof_threads t = { .count = 0 };
    struct qn_text_error none = { .status = QN_TEXT_OK };

    if (strcmp(path, "-") && qn_prof_read_threads(&t, path, 0, &none) == QN_TEXT_OK)
        for (size_t i = 0; i < t.count; i++) {
            fprintf(out, "%s[%" PRIu32, i ? "],\n" : ",\n\"byThread\":[", t.list[i].number);
            for (int e = 0; e < t.events; e++)
                fprintf(out, ",%" PRId64, t.list[i].counts[e]);
        }
    fputs(t.count ? "]]" : "", out);
    qn_prof_free_threads(&t);
}
