/* tests/unit/sim/values.c - value profiles of streams with known answers: what is exact is exact, and estimates are as far from the
 * truth as their theory says (Gibbons and Matias: of a value that came f times the estimate lies between f - 2.6 tau and
 * f + 0.42 tau with a confidence of 95%, since what came before it entered the list is more than 3 tau one time in e^3). */
#define _GNU_SOURCE /* service.c */
#define ANALYSIS_FILE "sim/analysis/values.c"
#include "cost/side_tables/findings.h"
#include "draw_analysis.h"

_Static_assert(offsetof(struct profile, list.hot) == sizeof(struct qn_value_list) && HOTLIST_MAX == QN_VALUE_ENTRIES_MAX, "values.c and arena.h");

#define PC 0x401000
#define STREAM 20000
#define VALUES 1000
#define SEEDS 80

static void restart(const char *options, uint64_t seed)
{
    sites = (struct sites){0};
    called_from = 0;
    begin(4 * LINE, options);
    sim_random_state = sim_random_seed(seed);
}

static struct hotlist *list_of(unsigned what) { return &((struct profile *)sites_find(&sites, PC, key(what)))->list; }

/* What the collector finds in a list. */
static size_t find(const struct site *site, struct qn_finding rows[QN_VALUE_ENTRIES_MAX])
{
    struct qn_value_list *copy = malloc(sites.bytes);
    size_t n;

    memcpy(copy, site, sites.bytes);
    n = qn_cost_estimate_values(copy, entries, rows);
    free(copy);
    return n;
}

static uint64_t estimate_of(uint64_t value)
{
    struct qn_finding rows[QN_VALUE_ENTRIES_MAX];
    size_t n = find(sites_find(&sites, PC, key(0)), rows);

    for (size_t i = 0; i < n; i++)
        if (rows[i].count && rows[i].value == value)
            return rows[i].count;
    return 0;
}

/* The findings, and what it says. */
static void ends(const char *wanted)
{
    struct qn_finding rows[QN_VALUE_ENTRIES_MAX];
    char found[4096] = "";

    for (uint32_t i = 0; i < sites.count; i++)
        for (size_t k = 0, n = find(sites_at(&sites, i), rows); k < n; k++)
            sprintf(found + strlen(found), "0x%" PRIx64 " %s 0x%" PRIx64 " %" PRIu64 " %" PRIu64 "\n", rows[k].pc, rows[k].what, rows[k].value,
                    rows[k].count, rows[k].of);
    finish();
    strcat(found, said);
    is_str(found, wanted, "what it says in the end");
}

/* ---- by hand ---- */

static void examples(void)
{
    restart("", 1);
    for (unsigned i = 0; i < 4; i++)
        computes(PC, i == 2 ? 3 : 7);
    ends("0x401000 rax 0x7 3 4\n"
         "0x401000 rax 0x3 1 4\n"
         "AN: values of 4 instructions observed, 1 lists\n");

    restart("", 1);
    accesses(PC, SIM_READ, 0x7000, 4, 42);
    accesses(PC + 8, SIM_WRITE, 0x7000, 4, 43);
    ends("0x401000 load 0x2a 1 1\n"
         "AN: values of 2 instructions observed, 1 lists\n");

    restart("results=0,addresses=1", 1);
    accesses(PC, SIM_READ, 0x7000, 4, 42);
    accesses(PC + 8, SIM_WRITE, 0x7010, 4, 43);
    ends("0x401000 addr 0x7000 1 1\n"
         "0x401008 addr 0x7010 1 1\n"
         "AN: values of 2 instructions observed, 2 lists\n");
}

static void jump(uint64_t pc, uint64_t next, enum sim_flow flow, bool indirect, bool first)
{
    analysis_insn(&(struct sim_insn){.pc = pc, .next = next, .reg = SIM_NO_REG, .flow = (uint8_t)flow, .indirect = indirect, .first = first});
}

static void branches(void)
{
    restart("targets=1,callers=1", 1);
    jump(0x10, 0x100, SIM_FLOW_CALL, false, true);
    jump(0x100, 0x15, SIM_FLOW_RETURN, false, false);
    jump(0x15, 0x200, SIM_FLOW_JUMP, true, false);
    jump(0x200, 0x10, SIM_FLOW_JUMP, false, false);
    jump(0x10, 0x100, SIM_FLOW_CALL, false, false);
    jump(0x100, 0x15, SIM_FLOW_RETURN, false, true); /* another window: who called is not known */
    ends("0x100 caller 0x10 1 1\n"
         "0x100 target 0x15 2 2\n"
         "0x15 target 0x200 1 1\n"
         "AN: values of 6 instructions observed, 3 lists\n");
}

/* ---- streams ---- */

static uint64_t random_state = 12345, truth[VALUES];

static uint64_t uniform(uint64_t n) { return (sim_random_next(&random_state) >> 32) * n >> 32; }

static uint64_t constant(void) { return 0; }
static uint64_t counter(void)
{
    static uint64_t n;

    return n++ % VALUES;
}
static uint64_t mostly(void) { return uniform(100) < 95 ? 7 : uniform(VALUES); }

/* Zipf's law: value v with a probability of 1/(v + 1), by its cumulated weights. */
static uint64_t zipf(void)
{
    static double below[VALUES + 1];
    double at;
    uint64_t v = 0;

    for (unsigned i = 0; below[1] == 0 || (i && i < VALUES); i++)
        below[i + 1] = below[i] + 1.0 / (i + 1);
    at = (double)uniform(1u << 30) / (1u << 30) * below[VALUES];
    while (below[v + 1] <= at)
        v++;
    return v;
}

static void run(uint64_t (*next)(void), const char *options, uint64_t seed)
{
    restart(options, seed);
    random_state = seed;
    memset(truth, 0, sizeof truth);
    for (unsigned i = 0; i < STREAM; i++) {
        uint64_t value = next();

        truth[value]++;
        computes(PC, value);
    }
}

/* How many of the values above that frequency the list has within the bounds; *asked: how many there are. */
static unsigned within_bounds(uint64_t at_least, unsigned *asked)
{
    double tau = (double)hotlist_tau(list_of(0));
    unsigned good = 0;

    for (unsigned v = 0; v < VALUES; v++) {
        double is = (double)estimate_of(v), was = (double)truth[v];

        if (truth[v] < at_least)
            continue;
        ++*asked;
        good += is >= was - 2.6 * tau && is <= was + 0.42 * tau;
    }
    return good;
}

/* Over many seeds, as 95% of so many cases would be: at most three standard deviations fewer. */
static void confident(uint64_t (*next)(void), const char *options, double frequent, const char *name)
{
    unsigned good = 0, asked = 0;
    double tau = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(next, options, seed);
        good += within_bounds((uint64_t)(frequent * STREAM), &asked);
        tau += (double)hotlist_tau(list_of(0)) / SEEDS;
    }
    diag("%s: %u of %u estimates within their bounds, tau %.0f on average", name, good, asked, tau);
    ok(asked >= SEEDS && good >= 0.95 * asked - 3 * __builtin_sqrt(asked * 0.95 * 0.05), "%s", name);
}

static void streams(void)
{
    struct qn_finding rows[QN_VALUE_ENTRIES_MAX];

    run(constant, "", 1);
    is_int((int64_t)estimate_of(0), STREAM, "a constant is exact");
    is_int((int64_t)hotlist_tau(list_of(0)), 1, "... in one place");
    run(counter, "", 1);
    is_int((int64_t)find(sites_find(&sites, PC, key(0)), rows), 1, "a counter has one finding");
    is_int((int64_t)rows[0].count, 0, "... which is that no value is frequent");
    is_int((int64_t)list_of(0)->total, STREAM, "... of all that were seen");
    confident(mostly, "", 0.5, "95% of one value: its estimate");
    confident(zipf, "entries=16", 0.05, "Zipf: the frequent ones");
    confident(zipf, "entries=64", 0.02, "... with more places, less frequent ones, too");
}

/* The list says a rank, too: the most frequent of Zipf's values come first, in their order. */
static void ranks(void)
{
    unsigned first = 0, second = 0;
    struct qn_finding rows[QN_VALUE_ENTRIES_MAX];

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(zipf, "entries=64", seed);
        find(sites_find(&sites, PC, key(0)), rows);
        first += rows[0].value == 0;
        second += rows[1].value == 1;
    }
    diag("of the lists %u begin with the most frequent value, %u have the second behind it", first, second);
    ok(first >= SEEDS - 1 && second >= SEEDS - 4, "the order is that of the frequencies");
}

/* With a place for each value nothing is left to chance. */
static void exact(void)
{
    bool all = true;

    restart("entries=64", 1);
    memset(truth, 0, sizeof truth);
    for (unsigned i = 0; i < STREAM; i++) {
        uint64_t value = zipf() % 64;

        truth[value]++;
        computes(PC, value);
    }
    for (unsigned v = 0; v < 64; v++)
        all &= estimate_of(v) == truth[v];
    ok(all, "64 values in 64 places: every count is exact");
}

int main(void)
{
    examples();
    branches();
    streams();
    ranks();
    exact();
    return done_testing();
}
