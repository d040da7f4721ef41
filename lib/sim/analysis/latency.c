/* analysis/latency.c - the level that serves each load, and an estimate of the cycles.
 *
 * Which level serves each load, and about how long that takes: the D1 (D), the LL (L), memory (M). Loads are reads and
 * read-modify-writes. 943 loads of one instruction that the D1 has, 36 that the LL has, 21 that none has:
 *
 *   mov (%rdi),%rax     (94.30% D) (3.60% L) (2.10% M) 9.4 cycles
 *
 * `quern annotate --asm --values` shows it so, if the run had `--dump-instr=yes`. The cycles are a sum of what each level is said to
 * take; a processor that has other work in the meantime waits less. The caches have to see every reference to know what they hold, so
 * there is no `--sample` of it.
 *
 * Options: `d-cycles` (4), `l-cycles` (40), `m-cycles` (200): what a load takes that is served by D1, LL, memory.
 * Findings: `D`, `L`, `M` of all loads of the instruction, with the address of the last one that missed the D1 (0: none has);
 * `cycles`, their sum.
 * Storage: of the tool: 72 bytes for each instruction that loads, of 1.5 million at most; those beyond are left out.
 * Source: M. Burrows et al., Efficient and flexible value sampling, ASPLOS 2000, where latencies are measured. */
#include "sim/analysis/sites.h"
#include "sim/module.h"

#define ANALYSIS "latency"
#define ANALYSIS_RECORDS (SIM_MISSES | SIM_HITS)
#define WANTS_PC 1
#define CYCLES_MAX 100000
#define RECENT 256u

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
    sim_table(sim.slot, ANALYSIS, "D1 LL memory cycles");
    sim_row(terms, 4 * LEVELS, "%s: loads served by the D1 {%%U}, by the LL {%%U}, by memory {%%U}: about {%%U} cycles", sim.slot);
}

static void analysis_init(const struct sim_config *c)
{
    (void)c;
    cycles[D] = sim_option_within(sim.slot, ANALYSIS, "d-cycles", 4, 0, CYCLES_MAX);
    cycles[L] = sim_option_within(sim.slot, ANALYSIS, "l-cycles", 40, 0, CYCLES_MAX);
    cycles[M] = sim_option_within(sim.slot, ANALYSIS, "m-cycles", 200, 0, CYCLES_MAX);
    counted = sim_keep_loads(cycles);
    served = sim_cells(LEVELS);
    sites_init(&loads, sizeof(struct load));
    declare();
}

/* In a run: the address is kept at once. */
static void keep(struct load *l, uint64_t addr)
{
    if (!l->row)
        l->row = sim_keep(&(struct sim_finding){.pc = l->site.pc, .what = "load"});
    if (l->row)
        l->row->value = addr;
}

static void serve(struct load *l, const struct sim_record *r)
{
    unsigned level = r->what & SIM_LL_MISS ? M : r->what & SIM_L1_MISS ? L : D;

    if (counted) {
        keep(l, r->addr);
        return;
    }
    l->served[level]++;
    served[level]++;
    if (level != D)
        l->addr = r->addr;
}

static void analysis_observe(const struct sim_record *r, uint32_t n)
{
    static struct load *recent[RECENT]; /* most misses are of instructions that missed shortly before */

    for (const struct sim_record *end = r + n; r < end; r++) {
        struct load **l = &recent[r->pc % RECENT];

        if (r->what & (SIM_LEFT | SIM_MORE | SIM_UNDONE) || (counted && !(r->what & SIM_L1_MISS)) || r->kind == SIM_WRITE)
            continue;
        if (!*l || (*l)->site.pc != r->pc)
            *l = (struct load *)sites_find(&loads, r->pc, 0);
        if (*l)
            serve(*l, r);
    }
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
