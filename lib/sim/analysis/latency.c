/* analysis/latency.c - the level that serves each load, and an estimate of the cycles.
 *
 *   mov (%rdi),%rax     (94.30% D) (3.60% L) (2.10% M) 13.1 cycles
 *
 * Slot AN.  A load is a read or a read-modify-write.  It is served by D, the D1; L, the LL; or M, memory.  Options: d-cycles (4),
 * l-cycles (40), m-cycles (200): the cycles of a load that each serves.  Findings: D, L, M with the address of the last load that missed
 * the D1; cycles: their sum over all loads.  In a run it is called for misses only, because the counters of the run have the rest; in a
 * replay it is called for each reference.
 * Source: M. Burrows et al., Efficient and flexible value sampling, ASPLOS 2000 (load latencies, there measured). */
#include "sim/analysis/sites.h"
#include "sim/module.h"

#define ANALYSIS "latency"
#define ANALYSIS_LATER 1
#define ANALYSIS_MISSES 1
#define ANALYSIS_LOADS 1
#define WANTS_PC 1
#define CYCLES_MAX 100000

enum { D, L, M, LEVELS };

struct load {
    struct site site;
    struct sim_finding *row;  /* in a run: the row that gets the address */
    uint64_t addr;            /* this and the next: in a replay */
    uint64_t served[LEVELS];
};

static struct sites loads;
static uint64_t cycles[LEVELS], *served;
static bool counted; /* the counters of the run have the loads; false in a replay */

/* Two terms: the loads that this level serves, times a factor. */
static void less(struct sim_term to[2], unsigned level, int64_t times)
{
    static const uint8_t totals[LEVELS] = {SIM_SUM_LOADS, SIM_SUM_LOADS_L1, SIM_SUM_LOADS_LL};

    to[0] = to[1] = (struct sim_term){.times = 0};
    if (counted)
        to[0].of = totals[level];
    else
        to[0] = (struct sim_term){.cells = served + level, .n = 1};
    to[0].times = times;
    to[0].plus = true;
    if (!counted || level == M)
        return;
    to[1].of = totals[level + 1];
    to[1].times = -times;
}

static void declare(void)
{
    struct sim_term terms[4 * LEVELS];

    for (unsigned level = 0; level < LEVELS; level++) {
        less(terms + 2 * level, level, 1);
        less(terms + 2 * (LEVELS + level), level, (int64_t)cycles[level]);
        terms[2 * (LEVELS + level) + 1].plus = level < M;
    }
    sim_row(terms, 4 * LEVELS, "%s: loads served by the D1 %%U, by the LL %%U, by memory %%U: about %%U cycles", sim.slot);
}

static void analysis_init(const struct sim_config *c)
{
    cycles[D] = sim_option_within(sim.slot, ANALYSIS, "d-cycles", 4, 0, CYCLES_MAX);
    cycles[L] = sim_option_within(sim.slot, ANALYSIS, "l-cycles", 40, 0, CYCLES_MAX);
    cycles[M] = sim_option_within(sim.slot, ANALYSIS, "m-cycles", 200, 0, CYCLES_MAX);
    counted = c->misses;
    served = sim_cells(LEVELS);
    sites_init(&loads, sizeof(struct load));
    if (counted)
        sim_keep_loads(cycles);
    declare();
}

static bool is_load(unsigned kind) { return kind == SIM_READ || kind == SIM_MODIFY; }

static struct load *find(uint64_t pc) { return (struct load *)sites_find(&loads, pc, 0); }

static void analysis_miss(const struct sim_miss *miss)
{
    static uint64_t nowhere; /* for stores, and if the table is full */
    struct load *l = is_load(miss->kind) ? find(miss->pc) : NULL;
    uint64_t *address = &nowhere;

    if (l && !l->row)
        l->row = sim_keep(&(struct sim_finding){.pc = miss->pc, .what = "load"});
    if (l && l->row)
        address = &l->row->value;
    *address = miss->addr;
    sim_miss_to(address);
}

static void analysis_ref(const struct sim_ref *ref)
{
    struct load *l = is_load(ref->kind) ? find(ref->pc) : NULL;
    unsigned level = ref->outcome & SIM_LL_MISS ? M : ref->outcome & SIM_L1_MISS ? L : D;

    if (!l)
        return;
    l->served[level]++;
    served[level]++;
    if (level != D)
        l->addr = ref->addr;
}

static void find_levels(const struct load *l)
{
    static const char names[LEVELS][2] = {"D", "L", "M"};
    struct sim_finding f = {.pc = l->site.pc, .value = l->addr, .of = l->served[D] + l->served[L] + l->served[M]};

    for (unsigned i = 0; i < LEVELS; i++) {
        __builtin_memcpy(f.what, names[i], sizeof names[i]);
        f.count = l->served[i];
        sim_find(&f);
    }
    __builtin_memcpy(f.what, "cycles", sizeof "cycles");
    f.count = l->served[D] * cycles[D] + l->served[L] * cycles[L] + l->served[M] * cycles[M];
    sim_find(&f);
}

static void analysis_finish(void)
{
    for (uint32_t i = 0; !counted && i < loads.count; i++)
        find_levels((const struct load *)sites_at(&loads, i));
}
