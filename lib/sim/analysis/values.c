/* analysis/values.c - value profile: the most frequent values of what each instruction computes.
 *
 * The most frequent values of what each instruction computes: the register that it writes, or if it writes none, the memory that it
 * loads. Four executions of one instruction that left 7, 7, 3, 7 in rax:
 *
 *   mov 0x8(%rdi),%eax     rax:(75.00% 0x7) (25.00% 0x3)
 *
 * Of each instruction a list of constant length is kept (Gibbons and Matias's counting samples): a value in the list is counted,
 * another one enters with probability 1/tau; when there is no place, tau grows and every value has to prove itself again. With as many
 * places as there are values, tau stays 1 and counts are exact. Otherwise what came before a value entered is made up for by 0.418 tau
 * - 1; of a value that came f times the estimate lies between f - 2.6 tau and f + 0.42 tau, with a confidence of 95%. Values that came
 * less than tau times are not told: `(no value is frequent)`.
 *
 * Options: `results` (1), `addresses` (0) of the first access, `targets` (0) of indirect branches and returns, `callers` (0): at the
 * first instruction of a function the call that led there; each 0 or 1. `entries` (8, at most 64): places of each list.
 * Findings: the register's name, `load`, `addr`, `target` or `caller`; the value; about so many times of so many executions.
 * Storage: of the tool: 32 bytes per list and 16 per place.
 * Source: M. Burrows et al., Efficient and flexible value sampling, ASPLOS 2000; P. B. Gibbons, Y. Matias, New sampling-based summary
 * statistics for improving approximate query answers, SIGMOD 1998. */
#include "sim/analysis/hotlist.h"
#include "sim/analysis/sites.h"
#include "sim/module.h"

#define ANALYSIS "values"
#define ANALYSIS_OBSERVES 1

/* Kinds of values: the number of a register, or one of these. */
enum { LOAD = 16, ADDRESS, TARGET, CALLER };

static const char names[][SIM_FINDING_NAME] = {"rax", "rcx", "rdx", "rbx", "rsp",  "rbp",  "rsi",    "rdi",   "r8",   "r9",
                                               "r10", "r11", "r12", "r13", "r14", "r15", "load", "addr", "target", "caller"};

struct profile { /* struct qn_value_list */
    struct site site; /* `what`: the name */
    uint64_t map;     /* the engine's */
    struct hotlist list;
};

static struct sites sites;
static unsigned entries;
static bool results, addresses, targets, callers;
static uint64_t *cells;
enum { OBSERVED, LISTS, CELLS };
static uint64_t called_from; /* the address of the instruction observed just before, if it was a call; else 0 */

static uint64_t key(unsigned what)
{
    uint64_t name;

    __builtin_memcpy(&name, names[what], sizeof name);
    return name;
}

static struct site *make(uint64_t pc, uint64_t name)
{
    struct site *made = sim_keep_values(pc, (const char *)&name, entries);

    cells[LISTS] += made != NULL;
    return made;
}

static struct sim_term term(const uint64_t *cell) { return (struct sim_term){.cells = cell, .n = 1, .times = 1}; }

static void declare(void)
{
    const struct sim_term all[] = {term(cells + OBSERVED), term(cells + LISTS)};
    struct sim_term lost = term(sites.lost);

    lost.needed = true;
    sim_table(sim.slot, ANALYSIS, "instructions lists");
    sim_row(all, CELLS, "%s: values of {%%U} instructions observed, {%%U} lists", sim.slot);
    sim_row(&lost, 1, "%s: there was no room for %%U values", sim.slot);
}

static void analysis_init(const struct sim_config *c)
{
    (void)c;
    results = sim_option_within(sim.slot, ANALYSIS, "results", 1, 0, 1);
    addresses = sim_option_within(sim.slot, ANALYSIS, "addresses", 0, 0, 1);
    targets = sim_option_within(sim.slot, ANALYSIS, "targets", 0, 0, 1);
    callers = sim_option_within(sim.slot, ANALYSIS, "callers", 0, 0, 1);
    entries = (unsigned)sim_option_within(sim.slot, ANALYSIS, "entries", 8, 1, HOTLIST_MAX);
    sites_init(&sites, (uint32_t)(sizeof(struct profile) + entries * sizeof(struct hot)));
    sites.make = make;
    cells = sim_cells(CELLS);
    declare();
}

static void add(uint64_t pc, unsigned what, uint64_t value)
{
    struct profile *p = (struct profile *)sites_find(&sites, pc, key(what));

    if (p)
        hotlist_add(&p->list, entries, value);
}

/* The same for the first kind of value of an instruction, which is cached in its memo. */
static void add_first(const struct sim_insn *insn, unsigned what, uint64_t value)
{
    struct profile *p = sites_find_by(&sites, insn->memo, insn->pc, key(what));

    if (p)
        hotlist_add(&p->list, entries, value);
}

static void add_result(const struct sim_insn *insn)
{
    if (insn->reg != SIM_NO_REG)
        add_first(insn, insn->reg, insn->result);
    else if (insn->accesses && insn->access[0].kind != SIM_WRITE && insn->flow != SIM_FLOW_RETURN)
        add_first(insn, LOAD, insn->access[0].value);
}

static void analysis_insn(const struct sim_insn *insn)
{
    cells[OBSERVED]++;
    if (callers && called_from && !insn->first)
        add(insn->pc, CALLER, called_from);
    called_from = insn->flow == SIM_FLOW_CALL ? insn->pc : 0;
    if (results)
        add_result(insn);
    if (addresses && insn->accesses)
        add(insn->pc, ADDRESS, insn->access[0].addr);
    if (targets && (insn->indirect || insn->flow == SIM_FLOW_RETURN))
        add(insn->pc, TARGET, insn->next);
}

static void analysis_finish(void) {}
