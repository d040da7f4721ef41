/* analysis/interval.c - counts per interval of N instructions: how the program's phases differ.
 *
 * Counts per interval of N instructions: a program's phases. A line each: instructions (fetches: a repeated string instruction is
 * one), data references, misses of I1, D1 and LL, branches, mispredicts. After 200 lines the interval doubles and pairs of lines are
 * added up.
 *
 *   interval instructions data I1-misses D1-misses LL-misses branches mispredicts
 *   0        3            2    1         1         1         1        1
 *   1        1            0    1         0         0         1        0
 *
 * In the traces of `quern replay` it is the way to see phases; a run of the engine has `--interval=N`, too, which filters.
 *
 * Options: `interval` (1000000 instructions).
 * Storage: of the tool: 200 rows.
 * Source: T. Sherwood, E. Perelman, B. Calder, Basic block distribution analysis to find periodic behavior and simulation points in
 * applications, PACT 2001 (phases seen in intervals). */
#include "sim/module.h"

#define ANALYSIS "interval"
#define ROWS 200
#define COLUMNS "instructions data I1-misses D1-misses LL-misses branches mispredicts"

struct row {
    uint64_t i, d, i1, d1, ll, b, wrong;
};

#define NUMBERS (sizeof(struct row) / sizeof(uint64_t))

static struct row *rows; /* cells; those of the table that is printed */
static uint64_t *second; /* cells: 1, and whether the second of both tables is printed */
static struct row *both[2];
static unsigned n; /* the row being filled */
static uint64_t interval;
static uint64_t repetitions; /* that are counted */

/* A row of the first interval in any case, else of those that have instructions. */
static void declare(unsigned table, unsigned number)
{
    const uint64_t *cells = (const uint64_t *)&both[table][number];
    struct sim_term terms[2 + NUMBERS] = {{.cells = second, .n = 1, .times = table ? 0 : 1, .plus = true},
                                          {.cells = second + 1, .n = 1, .times = table ? 1 : -1, .needed = true, .hidden = true}};

    for (unsigned i = 0; i < NUMBERS; i++)
        terms[2 + i] = (struct sim_term){.cells = cells + i, .n = 1, .times = 1, .needed = number && !i};
    sim_row(terms, 2 + NUMBERS, "AN: {%u} {%%U} {%%U} {%%U} {%%U} {%%U} {%%U} {%%U}", number);
}

static void analysis_init(const struct sim_config *c)
{
    interval = sim_option_within(c->slot, ANALYSIS, "interval", 1000000, 1, UINT64_MAX / 2);
    second = sim_cells(2);
    second[0] = 1;
    sim_row(NULL, 0, "AN: interval " COLUMNS);
    sim_table(sim.slot, ANALYSIS, "interval " COLUMNS);
    for (unsigned table = 0; table < 2; table++) {
        both[table] = (struct row *)sim_cells((ROWS + 1) * NUMBERS);
        for (unsigned i = 0; i <= ROWS; i++)
            declare(table, i);
    }
    rows = both[0];
}

/* Into the other table, which then takes the place of this one at once. */
static void merge(void)
{
    unsigned to = rows == both[0];

    for (unsigned i = 0; i <= ROWS; i++) {
        uint64_t *sum = (uint64_t *)&both[to][i];
        const uint64_t *a = (const uint64_t *)&rows[i < ROWS / 2 ? 2 * i : 0];

        for (unsigned k = 0; k < NUMBERS; k++)
            sum[k] = i < ROWS / 2 ? a[k] + a[NUMBERS + k] : 0;
    }
    *(volatile uint64_t *)&second[1] = to;
    rows = both[to];
    interval *= 2;
    n = ROWS / 2;
}

static inline void add(uint64_t *to, uint64_t n)
{
    sim_undoable(to);
    *to += n;
}

/* Repetitions of a string instruction belong to the interval in which it began, which may become longer by them. */
static inline void count_repetitions(void)
{
    rows[n].i += sim_repetitions - repetitions;
    repetitions = sim_repetitions;
}

static inline void count_instruction(void)
{
    count_repetitions();
    if (rows[n].i >= interval && ++n == ROWS)
        merge();
    add(&rows[n].i, 1);
}

static void analysis_ref(const struct sim_ref *ref)
{
    uint64_t l1 = ref->outcome & SIM_L1_MISS, ll = (ref->outcome & SIM_LL_MISS) != 0;

    switch (ref->kind) {
    case SIM_REF_FETCH:
        count_instruction();
        add(&rows[n].i1, l1);
        add(&rows[n].ll, ll);
        break;
    case SIM_REF_COND:
    case SIM_REF_INDIRECT:
        rows[n].b++;
        rows[n].wrong += (ref->outcome & SIM_MISPREDICT) != 0;
        break;
    case SIM_REF_CALL:
    case SIM_REF_RETURN:
        break;
    default:
        add(&rows[n].d, 1);
        add(&rows[n].d1, l1);
        add(&rows[n].ll, ll);
    }
}

static void analysis_finish(void) { count_repetitions(); }
