/* tests/unit/sim/slow/loads.c - what analysis/latency.c finds, the slow way: every load comes here and is counted by its level. */
#include "sim/analysis/sites.h"

#define ANALYSIS "loads"
#define WANTS_PC 1

struct load {
    struct site site;
    uint64_t addr, served[3];
};

static struct sites loads;

static void analysis_init(const struct sim_config *c)
{
    (void)c;
    sites_init(&loads, sizeof(struct load));
}

static void analysis_ref(const struct sim_ref *ref)
{
    unsigned level = ref->outcome & SIM_LL_MISS ? 2 : ref->outcome & SIM_L1_MISS ? 1 : 0;
    struct load *l;

    if (ref->kind != SIM_READ && ref->kind != SIM_MODIFY)
        return;
    l = (struct load *)sites_find(&loads, ref->pc, 0);
    l->served[level]++;
    l->addr = level ? ref->addr : l->addr;
}

static void analysis_finish(void)
{
    static const char names[3][2] = {"D", "L", "M"};

    for (uint32_t i = 0; i < loads.count; i++) {
        const struct load *l = (const struct load *)sites_at(&loads, i);
        struct sim_finding f = {.pc = l->site.pc, .value = l->addr, .of = l->served[0] + l->served[1] + l->served[2]};

        for (unsigned level = 0; level < 3; level++) {
            __builtin_memcpy(f.what, names[level], sizeof names[level]);
            f.count = l->served[level];
            sim_find(&f);
        }
    }
}
