/* analysis/latency.c - which level serves each load, and about how long that takes.
 *
 *   mov (%rdi),%rax     (94.30% D) (3.60% L) (2.10% M) 13.1 cycles
 *
 * Slot AN.  A load is a read or a read-modify-write.  D: the D1 has all of it; L: the LL; M: memory.  Options: d-cycles (4),
 * l-cycles (40), m-cycles (200), what each takes.  Findings: D, L, M with the address used last, and cycles: their sum, of so many
 * loads.  The caches have to see every reference, so nothing is left out.
 * Source: M. Burrows et al., Efficient and flexible value sampling, ASPLOS 2000 (load latencies, there measured). */
#include "sim/analysis/sites.h"
#include "sim/module.h"

#define ANALYSIS "latency"
#define WANTS_PC 1
#define CYCLES_MAX 100000

enum { D, L, M, LEVELS };

struct load {
    struct site site;
    uint64_t addr, served[LEVELS];
};

static struct sites loads;
static uint64_t cycles[LEVELS], all[LEVELS];

static void analysis_init(const struct sim_config *c)
{
    (void)c;
    cycles[D] = sim_option_within(sim.slot, ANALYSIS, "d-cycles", 4, 0, CYCLES_MAX);
    cycles[L] = sim_option_within(sim.slot, ANALYSIS, "l-cycles", 40, 0, CYCLES_MAX);
    cycles[M] = sim_option_within(sim.slot, ANALYSIS, "m-cycles", 200, 0, CYCLES_MAX);
    sites_init(&loads, sizeof(struct load));
}

static void serve(const struct sim_ref *ref)
{
    struct load *l = (struct load *)sites_find(&loads, ref->pc, 0);
    unsigned level = ref->outcome & SIM_LL_MISS ? M : ref->outcome & SIM_L1_MISS ? L : D;

    if (!l)
        return;
    l->addr = ref->addr;
    l->served[level]++;
    all[level]++;
}

static void analysis_ref(const struct sim_ref *ref)
{
    if (ref->kind == SIM_READ || ref->kind == SIM_MODIFY)
        serve(ref);
}

static uint64_t sum(const uint64_t served[LEVELS]) { return served[D] + served[L] + served[M]; }

static uint64_t cost(const uint64_t served[LEVELS])
{
    return served[D] * cycles[D] + served[L] * cycles[L] + served[M] * cycles[M];
}

static void find_levels(const struct load *l)
{
    static const char names[LEVELS][2] = {"D", "L", "M"};
    struct sim_finding f = {.pc = l->site.pc, .value = l->addr, .of = sum(l->served)};

    for (unsigned i = 0; i < LEVELS; i++) {
        __builtin_memcpy(f.what, names[i], sizeof names[i]);
        f.count = l->served[i];
        sim_find(&f);
    }
    __builtin_memcpy(f.what, "cycles", sizeof "cycles");
    f.count = cost(l->served);
    sim_find(&f);
}

static void analysis_finish(void)
{
    for (uint32_t i = 0; i < loads.count; i++)
        find_levels((const struct load *)sites_at(&loads, i));
    sim_print("%s: loads served by the D1 %U, by the LL %U, by memory %U: about %U cycles", sim.slot, all[D], all[L], all[M], cost(all));
}
