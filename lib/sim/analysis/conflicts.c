/* analysis/conflicts.c - memory-order conflicts: loads shortly after a store to the same bytes, or to bytes 4 KiB apart.
 *
 * Memory-order conflicts: a processor that executes a load before older stores must find out whether they touch the same bytes. Many
 * compare the lower twelve bits of the addresses first, so that addresses 4 KiB apart look the same. Of each load the newest store of
 * the last 128 instructions that touches its bytes counts, or if none does, the newest that would if all addresses were in one page:
 *
 *   401136: mov %eax,0x8(%rsp)
 *   40113a: mov 0x8(%rsp),%edx      bytes:(100.00% 401136 at 0x7ffc08)
 *   401140: mov 0x1000(%rdi),%ecx   4k:(50.00% 401136 at 0x601008)        in half of its executions
 *
 * The address is that of the load, the last time. Of a sample only stores of the same window are compared, so windows should have 128
 * instructions or more (`--sample=128/M`).
 *
 * Options: `window` (128, at most 4096): instructions.
 * Findings: `bytes` or `4k`; the address; the store; so many times of all executions of the load.
 * Storage: of the tool: a ring of stores, a record per load and per pair.
 * Source: M. Burrows et al., Efficient and flexible value sampling, ASPLOS 2000 (vreplay, for the replay traps of the Alpha 21264). */
#include "sim/analysis/sites.h"
#include "sim/module.h"

#define ANALYSIS "conflicts"
#define ANALYSIS_OBSERVES 1
#define PAGE 4096u
#define WINDOW_MAX 4096

struct store {
    uint64_t pc, addr, when; /* when: number of the instruction */
    uint32_t size;
};

struct pair {
    struct site site; /* the load; the store, and the kind in the highest bit */
    struct sim_finding *row; /* NULL: the table of findings is full */
};

struct load {
    struct site site;
    uint64_t executions;
    uint64_t *of;  /* with the first conflict: a cell that has the executions from then on */
    void *recent; /* the pair in which it was counted last */
};

#define ALIAS (1ull << 63)

static struct sites pairs, loads;
static struct store *stores; /* a ring: the newest at stored - 1 */
static uint64_t ring;        /* its size: a power of two, large enough for the window */
static uint64_t *newest;     /* by eight bytes of a page offset: number of the last store to them, in any page, + 1 */
static uint64_t stored, oldest, window;
static uint64_t *cells;
enum { OBSERVED, BYTES, ALIASES, PAIRS, CELLS };

#define TOGETHER 8u /* bytes */
#define PARTS (PAGE / TOGETHER)

static struct sim_term term(const uint64_t *cell, bool plus) { return (struct sim_term){.cells = cell, .n = 1, .times = 1, .plus = plus}; }

static void declare(void)
{
    const struct sim_term all[] = {term(cells + OBSERVED, false), term(cells + BYTES, true), term(cells + ALIASES, false), term(cells + ALIASES, false),
                                   term(cells + PAIRS, false)};
    struct sim_term lost[] = {term(pairs.lost, true), term(loads.lost, false), term(pairs.lost, false), term(loads.lost, false)};

    lost[1].hidden = lost[1].needed = true;
    sim_table(sim.slot, ANALYSIS, "window instructions conflicts 4KiB pairs");
    sim_row(all, 5, "%s: conflicts within {%lu} of {%%U} instructions observed: {%%U}, {%%U} of them 4 KiB apart, {%%U} pairs", sim.slot, window);
    sim_row(lost, 4, "%s: there was no room for %%U conflicts and %%U executions of further loads", sim.slot);
}

static void analysis_init(const struct sim_config *c)
{
    (void)c;
    window = sim_option_within(sim.slot, ANALYSIS, "window", 128, 1, WINDOW_MAX);
    for (ring = 1; ring < window * SIM_ACCESSES_MAX; ring *= 2)
        continue;
    stores = sim_alloc(ring * sizeof *stores);
    newest = sim_alloc(PARTS * sizeof *newest);
    sites_init(&pairs, sizeof(struct pair));
    sites_init(&loads, sizeof(struct load));
    cells = sim_cells(CELLS);
    declare();
}

static struct store *store_at(uint64_t n) { return &stores[n & (ring - 1)]; }

static bool overlaps(uint64_t a, uint32_t a_size, uint64_t b, uint32_t b_size) { return a - b < b_size || b - a < a_size; }

/* Do the accesses overlap modulo 4 KiB?  Either may extend over the end of the page. */
static bool aliases(uint64_t a, uint32_t a_size, uint64_t b, uint32_t b_size)
{
    return (a - b) % PAGE < b_size || (b - a) % PAGE < a_size;
}

/* p NULL: there is no room, which is counted already. */
static __attribute__((noinline)) struct sim_finding *make_row(struct load *load, struct pair *p, uint64_t kind)
{
    struct sim_finding f = {.pc = load->site.pc, .what = "bytes"};

    if (!p)
        return NULL;
    f.other = p->site.what & ~ALIAS;
    if (kind)
        __builtin_memcpy(f.what, "4k", sizeof "4k");
    if (!load->of) {
        load->of = sim_cells(1);
        *load->of = load->executions;
    }
    p->row = sim_keep_of(&f, load->of);
    ++*(p->row ? &cells[PAIRS] : pairs.lost);
    return p->row;
}

static void count(struct load *load, const struct sim_access *a, const struct store *s, uint64_t kind)
{
    struct pair *p = sites_find_by(&pairs, &load->recent, load->site.pc, s->pc | kind);
    struct sim_finding *row = p ? p->row : NULL;

    if (!row && !(row = make_row(load, p, kind)))
        return;
    row->value = a->addr;
    row->count++;
    cells[kind ? ALIASES : BYTES]++;
}

static uint64_t parts_of(uint64_t addr, uint32_t size) { return size >= PAGE ? PARTS : (addr % TOGETHER + size - 1) / TOGETHER + 1; }

/* The number + 1 of the newest store to any of these page offsets; 0: there is none. */
static uint64_t latest_near(const struct sim_access *a)
{
    uint64_t latest = 0, parts = parts_of(a->addr, a->size);

    for (uint64_t i = 0; i < parts; i++) {
        uint64_t n = newest[(a->addr / TOGETHER + i) % PARTS];

        latest = n > latest ? n : latest;
    }
    return latest;
}

static void look_back(struct load *load, const struct sim_access *a)
{
    const struct store *alias = NULL;

    for (uint64_t n = latest_near(a); n > oldest && n + ring > stored && store_at(n - 1)->when + window > cells[OBSERVED]; n--) {
        const struct store *s = store_at(n - 1);

        if (overlaps(a->addr, a->size, s->addr, s->size)) {
            count(load, a, s, 0);
            return;
        }
        if (!alias && aliases(a->addr, a->size, s->addr, s->size))
            alias = s;
    }
    if (alias)
        count(load, a, alias, ALIAS);
}

static bool loads_any(const struct sim_insn *insn)
{
    for (unsigned i = 0; i < insn->accesses; i++)
        if (insn->access[i].kind != SIM_WRITE)
            return true;
    return false;
}

static void look_at_loads(const struct sim_insn *insn)
{
    struct load *l = loads_any(insn) ? sites_find_by(&loads, insn->memo, insn->pc, 0) : NULL;

    if (!l)
        return;
    ++*(l->of ? l->of : &l->executions);
    for (unsigned i = 0; i < insn->accesses; i++)
        if (insn->access[i].kind != SIM_WRITE && insn->access[i].size <= PAGE)
            look_back(l, &insn->access[i]);
}

static void take_store(uint64_t pc, const struct sim_access *a)
{
    uint64_t parts = parts_of(a->addr, a->size);

    *store_at(stored++) = (struct store){pc, a->addr, cells[OBSERVED], a->size};
    for (uint64_t i = 0; i < parts; i++)
        newest[(a->addr / TOGETHER + i) % PARTS] = stored;
}

static void take_stores(const struct sim_insn *insn)
{
    for (unsigned i = 0; i < insn->accesses; i++)
        if (sim_writes(insn->access[i].kind))
            take_store(insn->pc, &insn->access[i]);
}

static void analysis_insn(const struct sim_insn *insn)
{
    if (insn->first)
        oldest = stored;
    if (insn->accesses) {
        look_at_loads(insn);
        take_stores(insn);
    }
    cells[OBSERVED]++;
}

static void analysis_finish(void) {}
