/* lib/run/observe/sets.c - rows of misses by set.  See sets.h. */
#include "run/observe/sets.h"

#include "run/run.h"

static uint64_t then[QN_SET_CACHES_MAX * QN_SET_GROUPS_MAX]; /* all that was counted before the interval, by group */

static uint64_t groups(const struct qn_table_head *t)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < t->set_caches; i++)
        n += qn_set_groups(t->set_cells[i].sets);
    return n;
}

static uint64_t *row_at(uint64_t n, uint64_t words) { return (uint64_t *)(void *)(qn_arena_tables() + QN_TABLE_SETS_OFF) + n * words; }

/* Returns the next group's place. */
static uint64_t record_cache(const struct qn_set_cells *c, uint64_t *row, uint64_t at)
{
    const uint64_t *cells = (const uint64_t *)(const void *)(qn_arena_tables() + QN_TABLE_CELLS_OFF) + c->first;
    uint64_t together = qn_sets_together(c->sets);

    for (uint64_t first = 0; first < c->sets; first += together, at++) {
        uint64_t sum = 0;

        for (uint64_t i = first; i < first + together && i < c->sets; i++)
            sum += cells[i];
        row[at] = sum - then[at];
        then[at] = sum;
    }
    return at;
}

void qn_sets_record(uint64_t n)
{
    struct qn_table_head *t = &qn_arena->sim_output.tables;
    uint64_t words = groups(t), at = 0;

    if (!words || t->set_rows != n || (n + 1) * words * sizeof(uint64_t) > QN_TABLE_SETS_SIZE)
        return;
    for (uint32_t i = 0; i < t->set_caches; i++)
        at = record_cache(&t->set_cells[i], row_at(n, words), at);
    t->set_rows = n + 1;
}

void qn_sets_halve(uint64_t n)
{
    struct qn_table_head *t = &qn_arena->sim_output.tables;
    uint64_t words = groups(t);

    if (!words || t->set_rows != n)
        return;
    t->set_rows = 0;
    for (uint64_t i = 0; i < n / 2; i++)
        for (uint64_t k = 0; k < words; k++)
            row_at(i, words)[k] = row_at(2 * i, words)[k] + row_at(2 * i + 1, words)[k];
    t->set_rows = n / 2;
}
