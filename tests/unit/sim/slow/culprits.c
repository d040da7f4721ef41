/* tests/unit/sim/slow/culprits.c - what analysis/culprits.c finds, the slow way: every reference comes here, and an LRU cache of lists says what
 * leaves. */
#include "sim/analysis/sites.h"

#define ANALYSIS "culprits"
#define WANTS_PC 1

struct who {
    struct site site; /* a line, or an instruction; of losses both instructions */
    uint64_t pc, count, addr;
};

static struct sites gone, lost_by, losses;
static uint64_t *order, lost, first; /* order: of each set its lines, the newest first, plus one */

static void analysis_init(const struct sim_config *c)
{
    order = sim_alloc((uint64_t)c->sets * c->ways * sizeof *order);
    sites_init(&gone, sizeof(struct who));
    sites_init(&lost_by, sizeof(struct who));
    sites_init(&losses, sizeof(struct who));
}

static struct who *of(struct sites *s, uint64_t a, uint64_t b) { return (struct who *)sites_find(s, a, b); }

static void blame(uint64_t line, uint64_t pc)
{
    struct who *g = of(&gone, line, 0), *l;

    first += !g->pc;
    if (!g->pc)
        return;
    lost++;
    of(&lost_by, pc, 0)->count++;
    l = of(&losses, pc, g->pc);
    l->count++;
    l->addr = line * sim.line;
}

static void touch(uint64_t line, uint64_t pc)
{
    uint64_t *row = order + line % sim.sets * sim.ways;
    unsigned at = 0;

    while (at < sim.ways && row[at] != line + 1)
        at++;
    if (at == sim.ways) {
        blame(line, pc);
        if (row[--at])
            of(&gone, row[at] - 1, 0)->pc = pc;
    }
    for (; at > 0; at--)
        row[at] = row[at - 1];
    row[0] = line + 1;
}

static void analysis_ref(const struct sim_ref *ref)
{
    if (ref->kind > SIM_MODIFY)
        return;
    for (uint64_t line = ref->addr / sim.line; line <= (ref->addr + ref->size - 1) / sim.line; line++)
        touch(line, ref->pc);
}

static void analysis_finish(void)
{
    for (uint32_t i = 0; i < losses.count; i++) {
        const struct who *l = (const struct who *)sites_at(&losses, i);

        sim_find(&(struct sim_finding){.pc = l->site.pc, .value = l->addr, .other = l->site.what, .count = l->count,
                                       .of = of(&lost_by, l->site.pc, 0)->count, .what = "evictor"});
    }
    sim_print("%s: lines missed: %lu for the first time, %lu evicted before", sim.slot, first, lost);
}
