/* analysis/latency.c - which level serves each load, and about how long that takes.
 *
 *   mov (%rdi),%rax     (94.30% D) (3.60% L) (2.10% M) 13.1 cycles
 *
 * Slot AN.  A load is a read or a read-modify-write.  D: the D1 has all of it; L: the LL; M: memory.  Options: d-cycles (4),
 * l-cycles (40), m-cycles (200), what each takes.  Findings: D, L, M with the address of the last load that missed the D1, and cycles:
 * their sum, of so many loads.  Only misses are looked at: all else is in the counters of the run (in a replay each reference is).
 * Source: M. Burrows et al., Efficient and flexible value sampling, ASPLOS 2000 (load latencies, there measured). */
#include "sim/analysis/sites.h"
#include "sim/module.h"

#define ANALYSIS "latency"
#define ANALYSIS_MISSES 1
#define ANALYSIS_LOADS 1
#define WANTS_PC 1
#define CYCLES_MAX 100000

enum { D, L, M, LEVELS };

struct load {
    struct site site;
    uint64_t addr;
    int64_t served[LEVELS];
};

static struct sites loads;
static uint64_t cycles[LEVELS];
static bool counted; /* by the run */

static void analysis_init(const struct sim_config *c)
{
    cycles[D] = sim_option_within(sim.slot, ANALYSIS, "d-cycles", 4, 0, CYCLES_MAX);
    cycles[L] = sim_option_within(sim.slot, ANALYSIS, "l-cycles", 40, 0, CYCLES_MAX);
    cycles[M] = sim_option_within(sim.slot, ANALYSIS, "m-cycles", 200, 0, CYCLES_MAX);
    counted = c->misses;
    sites_init(&loads, sizeof(struct load));
}

static bool is_load(unsigned kind) { return kind == SIM_READ || kind == SIM_MODIFY; }

static struct load *find(uint64_t pc) { return (struct load *)sites_find(&loads, pc, 0); }

static void analysis_miss(const struct sim_miss *miss)
{
    struct load *l = is_load(miss->kind) ? find(miss->pc) : NULL;

    if (l)
        l->addr = miss->addr;
}

static void add(const struct sim_loads *more)
{
    struct load *l = find(more->pc);

    if (!l)
        return;
    l->served[D] += more->loads - more->L1_misses;
    l->served[L] += more->L1_misses - more->LL_misses;
    l->served[M] += more->LL_misses;
}

static void analysis_ref(const struct sim_ref *ref)
{
    int64_t missed = ref->outcome & SIM_L1_MISS, far = (ref->outcome & SIM_LL_MISS) != 0;
    struct load *l;

    if (!is_load(ref->kind))
        return;
    add(&(struct sim_loads){ref->pc, 1, missed, far});
    if (missed && (l = find(ref->pc)))
        l->addr = ref->addr;
}

static uint64_t sum(const int64_t served[LEVELS]) { return (uint64_t)(served[D] + served[L] + served[M]); }

static uint64_t cost(const int64_t served[LEVELS])
{
    return (uint64_t)served[D] * cycles[D] + (uint64_t)served[L] * cycles[L] + (uint64_t)served[M] * cycles[M];
}

static void find_levels(const struct load *l)
{
    static const char names[LEVELS][2] = {"D", "L", "M"};
    struct sim_finding f = {.pc = l->site.pc, .value = l->addr, .of = sum(l->served)};

    for (unsigned i = 0; i < LEVELS; i++) {
        __builtin_memcpy(f.what, names[i], sizeof names[i]);
        f.count = (uint64_t)l->served[i];
        sim_find(&f);
    }
    __builtin_memcpy(f.what, "cycles", sizeof "cycles");
    f.count = cost(l->served);
    sim_find(&f);
}

static void analysis_finish(void)
{
    int64_t all[LEVELS] = {0};

    if (counted)
        sim_loads(add);
    for (uint32_t i = 0; i < loads.count; i++) {
        const struct load *l = (const struct load *)sites_at(&loads, i);

        for (unsigned level = 0; level < LEVELS; level++)
            all[level] += l->served[level];
        if (sum(l->served))
            find_levels(l);
    }
    sim_print("%s: loads served by the D1 %U, by the LL %U, by memory %U: about %U cycles", sim.slot, (uint64_t)all[D], (uint64_t)all[L],
              (uint64_t)all[M], cost(all));
}
