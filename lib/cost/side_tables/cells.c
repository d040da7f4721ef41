/* lib/cost/side_tables/cells.c - sums of cells into lines of text.  See cells.h. */
#include "cost/side_tables/cells.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 1024
#define TABLES_MAX 64 /* of a run */
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

struct tables {
    const uint8_t *base;
    struct qn_table_head head; /* what is in use, cut to what fits */
    const int64_t *totals;
};

static uint64_t at_most(uint64_t n, uint64_t bytes, size_t size)
{
    return n < bytes / size ? n : bytes / size;
}

static uint64_t sum_cells(const struct tables *t, uint64_t first, uint64_t count)
{
    const volatile uint64_t *cells = (const volatile uint64_t *)(const void *)(t->base + QN_TABLE_CELLS_OFF);
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count && first < t->head.cells && i < t->head.cells - first; i++)
        sum += cells[first + i];
    return sum;
}

static uint64_t one_cell(const struct tables *t, uint64_t at) { return sum_cells(t, at, 1); }

__extension__ typedef unsigned __int128 wide;

/* Rounded down, by halves. */
static uint64_t root(wide n)
{
    uint64_t root = 0;

    for (uint64_t bit = 1ull << 63; bit; bit >>= 1)
        root |= (wide)(root | bit) * (root | bit) <= n ? bit : 0;
    return root;
}

static uint64_t value_of(const struct tables *t, const struct qn_term *term)
{
    switch (term->of) {
    case QN_SUM_CELLS:
        return sum_cells(t, term->first, term->count) >> (term->shift & 63);
    case QN_SUM_ROOT:
        return root((wide)one_cell(t, term->first + 1) << 64 | one_cell(t, term->first));
    case QN_SUM_LOADS:
        return (uint64_t)t->totals[QN_COST_DR];
    case QN_SUM_LOADS_L1:
        return (uint64_t)t->totals[QN_COST_D1MR];
    case QN_SUM_LOADS_LL:
        return (uint64_t)t->totals[QN_COST_DLMR];
    case QN_SUM_REFERENCES:
        return (uint64_t)t->totals[QN_COST_DR] + (uint64_t)t->totals[QN_COST_DW];
    case QN_SUM_MISSES:
        return (uint64_t)t->totals[QN_COST_D1MR] + (uint64_t)t->totals[QN_COST_D1MW];
    case QN_SUM_STORES:
        return (uint64_t)t->totals[QN_COST_DW];
    case QN_SUM_INSTRUCTIONS:
        return (uint64_t)t->totals[QN_COST_IR];
    default:
        return 0;
    }
}

/* The next sum of terms. */
static struct qn_term next_sum(const struct tables *t, uint64_t *at, uint64_t end, uint64_t *sum)
{
    struct qn_term term = { .plus = 1 };

    *sum = 0;
    while (term.plus && *at < end) {
        memcpy(&term, t->base + QN_TABLE_TERMS_OFF + *at * sizeof term, sizeof term);
        *sum += value_of(t, &term) * (uint64_t)term.times;
        ++*at;
    }
    return term;
}

/* The next number that the line shows.  false: it, or a hidden one before it, is needed and is 0, so the line is not printed. */
static bool next_number(const struct tables *t, uint64_t *at, uint64_t end, uint64_t *number)
{
    struct qn_term term;
    bool wanted = true;

    do {
        term = next_sum(t, at, end, number);
        wanted &= *number || !term.needed;
    } while (term.hidden && *at < end);
    return wanted;
}

struct line {
    uint64_t number[2]; /* the first two */
    uint32_t table;
    bool wanted;
    char text[LINE_BYTES];
};

static bool is_number(const struct tables *t, uint64_t at)
{
    const char *text = (const char *)t->base + QN_TABLE_TEXT_OFF;

    return text[at] == '%' && at + 1 < t->head.text && text[at + 1] && strchr("UxPR", text[at + 1]);
}

/* A percentage of the next number: with two decimals, rounded down (P), or four, rounded (R). */
static int put_share(const struct tables *t, uint64_t *at, uint64_t end, uint64_t part, char *to, size_t room, char form)
{
    uint64_t whole = 0, hundredths;

    next_number(t, at, end, &whole);
    if (form == 'R')
        return snprintf(to, room, "%.4f", whole ? 100.0 * (double)part / (double)whole : 0);
    hundredths = whole ? (uint64_t)((wide)part * 10000 / whole) : 0;
    return snprintf(to, room, "%" PRIu64 ".%02" PRIu64, hundredths / 100, hundredths % 100);
}

static void make_line(const struct tables *t, const struct qn_table_row *row, struct line *line)
{
    const char *text = (const char *)t->base + QN_TABLE_TEXT_OFF;
    uint64_t at = row->first, end = at_most((uint64_t)row->first + row->count, t->head.terms, 1), number, used = 0;
    unsigned n = 0;

    *line = (struct line){ .wanted = true, .table = row->table };
    for (uint64_t i = row->text; i < t->head.text && text[i] && used < LINE_BYTES - 32; i++)
        if (is_number(t, i)) {
            line->wanted &= next_number(t, &at, end, &number);
            if (strchr("PR", text[++i]))
                used += (uint64_t)put_share(t, &at, end, number, line->text + used, LINE_BYTES - used, text[i]);
            else
                used += (uint64_t)snprintf(line->text + used, LINE_BYTES - used, text[i] == 'x' ? "%" PRIx64 : "%" PRIu64, number);
            if (n < 2)
                line->number[n++] = number;
        } else {
            line->text[used++] = text[i];
        }
    line->text[used] = 0;
}

/* By the second number, the largest first; then by the first. */
static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if (x->number[1] != y->number[1])
        return x->number[1] < y->number[1] ? 1 : -1;
    return (x->number[0] > y->number[0]) - (x->number[0] < y->number[0]);
}

/* Makes the lines of the rows from `first` on that are sorted together, or of one row that is not sorted.  Returns how many. */
static uint64_t make_lines(const struct tables *t, uint64_t first, struct line lines[QN_TABLE_LIST_MAX])
{
    struct qn_table_row row;
    uint64_t n = 1;

    for (uint64_t i = 0; i < n; i++) {
        memcpy(&row, t->base + QN_TABLE_ROWS_OFF + (first + i) * sizeof row, sizeof row);
        make_line(t, &row, &lines[i]);
        if (!i && row.list)
            n = at_most(at_most(row.list, QN_TABLE_LIST_MAX, 1), t->head.rows - first, 1);
    }
    if (n > 1)
        qsort(lines, n, sizeof *lines, compare_lines);
    return n;
}

/* ---- rows ---- */

typedef void (*take_line)(void *data, uint32_t table, const char *text);

static void each_line(const struct qn_cost_rows *rows, take_line take, void *data)
{
    struct tables t = { rows->tables, *rows->head, rows->totals };
    struct line lines[QN_TABLE_LIST_MAX];
    uint64_t n;

    t.head.cells = at_most(t.head.cells, QN_TABLE_CELLS_SIZE, sizeof(uint64_t));
    t.head.terms = at_most(t.head.terms, QN_TABLE_TERMS_SIZE, sizeof(struct qn_term));
    t.head.rows = at_most(t.head.rows, QN_TABLE_ROWS_SIZE, sizeof(struct qn_table_row));
    t.head.text = at_most(t.head.text, QN_TABLE_TEXT_SIZE, 1);
    for (uint64_t i = 0; i < t.head.rows; i += n) {
        n = make_lines(&t, i, lines);
        for (uint64_t k = 0; k < n; k++)
            if (lines[k].wanted)
                take(data, lines[k].table, lines[k].text);
    }
}

struct printing {
    void (*put)(void *, const char *);
    void *data;
};

/* Without the braces of cells; not if there is nothing else. */
static void print_line(void *data, uint32_t table, const char *text)
{
    const struct printing *p = data;
    char line[LINE_BYTES], *to = line;
    bool in_cell = false, beside = !table;

    for (; *text && table != QN_TABLE_HEAD; text++)
        if (table && (*text == '{' || *text == '}')) {
            in_cell = *text == '{';
        } else {
            beside |= !in_cell;
            *to++ = *text;
        }
    *to = 0;
    if (beside)
        p->put(p->data, line);
}

void qn_cost_print_rows(const uint8_t *tables, const struct qn_table_head *head, const int64_t totals[QN_COST_EVENTS],
                        void (*put)(void *, const char *), void *data)
{
    each_line(&(struct qn_cost_rows){ .tables = tables, .head = head, .totals = totals }, print_line, &(struct printing){ put, data });
}

/* ---- files ---- */

struct writing {
    FILE *out; /* NULL: rows are counted only */
    uint32_t table;
    uint64_t rows, of_rows;
};

/* In quotes if it has to be.  Control bytes, which no module prints, become '?'. */
static void put_cell(FILE *out, const char *cell, size_t n)
{
    const char *quote = memchr(cell, ',', n) || memchr(cell, '"', n) || memchr(cell, ';', n) ? "\"" : "";

    fputs(quote, out);
    for (size_t i = 0; i < n; i++) {
        if (cell[i] == '"')
            putc('"', out);
        putc((unsigned char)cell[i] < ' ' ? '?' : cell[i], out);
    }
    fprintf(out, "%s,", quote);
}

static void end_row(struct writing *w)
{
    w->rows++;
    if (w->out)
        fprintf(w->out, "%" PRIu64 "\n", w->of_rows);
}

static void write_line(void *data, uint32_t table, const char *text)
{
    struct writing *w = data;

    if (table != w->table)
        return;
    for (const char *cell = strchr(text, '{'), *end; w->out && cell && (end = strchr(cell, '}')); cell = strchr(end, '{'))
        put_cell(w->out, cell + 1, (size_t)(end - cell) - 1);
    end_row(w);
}

static void write_rows(struct writing *w, const struct qn_cost_rows *rows)
{
    char count[32];

    w->rows = 0;
    for (size_t i = 0; w->table == QN_TABLE_TOTALS && i < rows->named_count; i++) {
        const char *cells[] = { rows->named[i].name, count, rows->named[i].text };

        snprintf(count, sizeof count, "%" PRId64, rows->named[i].count);
        for (int k = 0; w->out && k < 3; k++)
            put_cell(w->out, cells[k], strlen(cells[k]));
        end_row(w);
    }
    each_line(rows, write_line, w);
}

/* Splits "sizes size reads writes", which the program may have damaged. */
static bool take_head(struct qn_cost_module_table *table, const char *text, uint64_t room)
{
    size_t n;

    if (!memchr(text, 0, room) || text[strspn(text, LETTERS " ")] || *text == '.')
        return false;
    n = strcspn(text, " ");
    if (!n || !text[n] || n >= QN_COST_TABLE_NAME)
        return false;
    snprintf(table->name, QN_COST_TABLE_NAME, "%.*s", (int)n, text);
    table->columns = text + n + 1;
    return true;
}

bool qn_cost_next_table(const struct qn_cost_rows *rows, struct qn_cost_module_table *table)
{
    uint64_t count = at_most(rows->head->rows, QN_TABLE_ROWS_SIZE, sizeof(struct qn_table_row));
    uint64_t room = at_most(rows->head->text, QN_TABLE_TEXT_SIZE, 1);
    struct writing w = { .table = QN_TABLE_TOTALS };
    struct qn_table_row row;

    while (table->id < count && table->number < TABLES_MAX) {
        memcpy(&row, rows->tables + QN_TABLE_ROWS_OFF + table->id++ * sizeof row, sizeof row);
        if (row.table == QN_TABLE_HEAD && row.text < room
            && take_head(table, (const char *)rows->tables + QN_TABLE_TEXT_OFF + row.text, room - row.text))
            return ++table->number;
    }
    if (table->id != QN_TABLE_TOTALS)
        write_rows(&w, rows);
    *table = (struct qn_cost_module_table){ QN_TABLE_TOTALS, TABLES_MAX, "totals", "name count text" };
    return w.rows;
}

void qn_cost_put_table(FILE *out, const struct qn_cost_rows *rows, const struct qn_cost_module_table *table)
{
    struct writing w = { .table = table->id };

    write_rows(&w, rows);
    for (const char *c = table->columns; *c; c++)
        putc(*c == ' ' ? ',' : *c, out);
    fputs(",of_rows\n", out);
    w.out = out;
    w.of_rows = w.rows;
    write_rows(&w, rows);
}

/* Instructions for each byte (S. Williams, A. Waterman, D. Patterson, Roofline, CACM 52(4), 2009), since what they compute is not known. */
void qn_cost_print_named(const struct qn_cost_rows *rows, uint32_t LL_line, void (*put)(void *, const char *), void *data)
{
    int64_t in = 0, out = -1;
    char line[256];

    for (const struct qn_cost_total *n = rows->named; n < rows->named + rows->named_count; n++) {
        snprintf(line, sizeof line, "%-24s %12" PRId64 "  %s", n->name, n->count, n->text);
        put(data, line);
        in = strcmp(n->name, "LL.fills") ? in : n->count;
        out = strcmp(n->name, "LL.writebacks") ? out : n->count;
    }
    if (in <= 0 || out < 0)
        return;
    snprintf(line, sizeof line, "%-24s %12.3f  instructions for each byte from or to memory", "LL.intensity",
             (double)rows->totals[QN_COST_IR] / (double)((in + out) * LL_line));
    put(data, line);
}
