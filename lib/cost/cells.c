/* lib/cost/cells.c - sums of cells into lines of text.  See cells.h. */
#include "cost/cells.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 1024
#define NUMBER "%U" /* where one stands */

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

static uint64_t value_of(const struct tables *t, const struct qn_term *term)
{
    switch (term->of) {
    case QN_SUM_CELLS:
        return sum_cells(t, term->first, term->count);
    case QN_SUM_LOADS:
        return (uint64_t)t->totals[QN_COST_DR];
    case QN_SUM_LOADS_L1:
        return (uint64_t)t->totals[QN_COST_D1MR];
    case QN_SUM_LOADS_LL:
        return (uint64_t)t->totals[QN_COST_DLMR];
    case QN_SUM_LINES:
        return (uint64_t)t->totals[QN_COST_DR] + (uint64_t)t->totals[QN_COST_DW] + t->head.more_lines;
    default:
        return 0;
    }
}

/* The next number; false: without it the line is not wanted. */
static bool next_number(const struct tables *t, uint64_t *at, uint64_t end, uint64_t *number)
{
    struct qn_term term = { .plus = 1 };

    *number = 0;
    while (term.plus && *at < end) {
        memcpy(&term, t->base + QN_TABLE_TERMS_OFF + *at * sizeof term, sizeof term);
        *number += value_of(t, &term) * (uint64_t)term.times;
        ++*at;
    }
    return *number || !term.needed;
}

/* false: the line is left out. */
static bool make_line(const struct tables *t, const struct qn_table_row *row, char line[LINE_BYTES])
{
    const char *text = (const char *)t->base + QN_TABLE_TEXT_OFF;
    uint64_t at = row->first, end = at_most((uint64_t)row->first + row->count, t->head.terms, 1), number, used = 0;
    bool wanted = true;

    for (uint64_t i = row->text; i < t->head.text && text[i] && used < LINE_BYTES - 32; i++)
        if (!strncmp(text + i, NUMBER, at_most(t->head.text - i, sizeof NUMBER - 1, 1))) {
            wanted &= next_number(t, &at, end, &number);
            used += (uint64_t)snprintf(line + used, LINE_BYTES - used, "%" PRIu64, number);
            i += sizeof NUMBER - 2;
        } else {
            line[used++] = text[i];
        }
    line[used] = 0;
    return wanted;
}

void qn_cost_print_rows(const uint8_t *tables, const struct qn_table_head *head, const int64_t totals[QN_COST_EVENTS],
                        void (*put)(void *, const char *), void *data)
{
    struct tables t = { tables, *head, totals };
    struct qn_table_row row;
    char line[LINE_BYTES];

    t.head.cells = at_most(t.head.cells, QN_TABLE_CELLS_SIZE, sizeof(uint64_t));
    t.head.terms = at_most(t.head.terms, QN_TABLE_TERMS_SIZE, sizeof(struct qn_term));
    t.head.rows = at_most(t.head.rows, QN_TABLE_ROWS_SIZE, sizeof row);
    t.head.text = at_most(t.head.text, QN_TABLE_TEXT_SIZE, 1);
    for (uint64_t i = 0; i < t.head.rows; i++) {
        memcpy(&row, t.base + QN_TABLE_ROWS_OFF + i * sizeof row, sizeof row);
        if (make_line(&t, &row, line))
            put(data, line);
    }
}
