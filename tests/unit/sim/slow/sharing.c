/* tests/unit/sim/slow/sharing.c - slow/sharing.h as an analysis, beside analysis/sharing.c in the same run, so that both see the same order.  Prints
 *
 *   AN: all 3 171 88 182                 true, false, cold, upgrades
 *   AN: line 404080 0 160 5 163          of the lines with the most misses by false sharing
 */
#include "sim/module.h"

#include "sharing.h"

#define ANALYSIS "slow"
#define ANALYSIS_DATA 1
#define WANTS_THREAD 1
#define PRINTED 40

static void analysis_init(const struct sim_config *c)
{
    slow_line_bytes = c->line;
    slow_lines = sim_alloc(SLOW_LINES * sizeof *slow_lines);
}

static void analysis_ref(const struct sim_ref *ref)
{
    slow_refer(sim_thread, ref->addr, ref->size, sim_writes((enum sim_kind)ref->kind));
}

static void print_worst(void)
{
    struct slow_line *worst = slow_lines;

    for (unsigned i = 1; i < SLOW_LINES; i++)
        if (slow_lines[i].count[SLOW_FALSE] > worst->count[SLOW_FALSE])
            worst = &slow_lines[i];
    if (worst->count[SLOW_FALSE])
        sim_print("AN: line %lx %lu %lu %lu %lu", (worst->number - 1) * slow_line_bytes, worst->count[SLOW_TRUE], worst->count[SLOW_FALSE],
                  worst->count[SLOW_COLD], worst->count[SLOW_UPGRADES]);
    worst->count[SLOW_FALSE] = 0;
}

static void analysis_finish(void)
{
    slow_end();
    sim_print("AN: all %lu %lu %lu %lu", slow_total[SLOW_TRUE], slow_total[SLOW_FALSE], slow_total[SLOW_COLD], slow_total[SLOW_UPGRADES]);
    for (unsigned i = 0; i < PRINTED; i++)
        print_worst();
}
