/* lab 7 nextline.c tagged.c: what a walk looks like from outside: each second line, or each but the first, hits.
 * nextline: a walk | tagged: a walk | nextline: every reference | tagged: every reference */
#include "sim/lines.h"

#define LEVEL "walks"
#define LEVEL_LINES lines

static struct lines lines;
static uint64_t degree, n;

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    degree = sim_option_within(c->slot, LEVEL, "degree", 1, 1, 64);
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    const char *name = __FILE__;

    (void)addr, (void)size, (void)kind;
    while (name[7]) /* nex"tline.c", t"agged.c" */
        name++;
    result->miss = name[0] == 't' ? n % (degree + 1) == 0 : n == 0;
    n++;
}
