/* analysis/interval.c - counts per interval of N instructions: how the program's phases differ.
 *
 * Slot AN.  Option: interval (1000000 instructions).  Prints a line per interval: instructions, data references, misses of I1,
 * D1 and LL, mispredicts.  At most 200 lines; then the interval doubles and pairs are added up.
 * Source: phases seen so in T. Sherwood, E. Perelman, B. Calder, Basic block distribution analysis to find periodic behavior and
 * simulation points in applications, PACT 2001. */
#include "sim/module.h"

#define ANALYSIS "interval"
#define ROWS 200

struct row {
    uint64_t i, d, i1, d1, ll, b, wrong;
};

static struct row rows[ROWS + 1];
static unsigned n; /* the row being filled */
static uint64_t interval;

static void analysis_init(const struct sim_config *c)
{
    interval = sim_option_within(c->slot, ANALYSIS, "interval", 1000000, 1, UINT64_MAX / 2);
}

static void merge(void)
{
    for (unsigned i = 0; i < ROWS / 2; i++) {
        const uint64_t *a = (const uint64_t *)&rows[2 * i], *b = (const uint64_t *)&rows[2 * i + 1];

        for (unsigned k = 0; k < sizeof rows[0] / 8; k++)
            ((uint64_t *)&rows[i])[k] = a[k] + b[k];
    }
    for (unsigned i = ROWS / 2; i <= ROWS; i++)
        rows[i] = (struct row){0};
    interval *= 2;
    n = ROWS / 2;
}

static void analysis_ref(const struct sim_ref *ref)
{
    struct row *r = &rows[n];

    switch (ref->kind) {
    case SIM_REF_FETCH:
        if (r->i == interval && ++n == ROWS)
            merge();
        r = &rows[n];
        r->i++;
        r->i1 += ref->outcome & SIM_L1_MISS;
        r->ll += (ref->outcome & SIM_LL_MISS) != 0;
        break;
    case SIM_REF_COND:
    case SIM_REF_INDIRECT:
        r->b++;
        r->wrong += (ref->outcome & SIM_MISPREDICT) != 0;
        break;
    case SIM_REF_CALL:
    case SIM_REF_RETURN:
        break;
    default:
        r->d++;
        r->d1 += ref->outcome & SIM_L1_MISS;
        r->ll += (ref->outcome & SIM_LL_MISS) != 0;
    }
}

static void analysis_finish(void)
{
    sim_print("AN: interval instructions data I1-misses D1-misses LL-misses branches mispredicts");
    for (unsigned i = 0; i <= n; i++)
        sim_print("AN: %u %U %U %U %U %U %U %U", i, rows[i].i, rows[i].d, rows[i].i1, rows[i].d1, rows[i].ll, rows[i].b,
                  rows[i].wrong);
}
