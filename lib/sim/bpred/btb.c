/* bpred/btb.c - branch target buffer: the last target of each branch, set-associative with tags, least recently used.
 *
 * Slot BI. A branch target buffer: the last target of each branch, with tags, least recently used. A branch that is not there is
 * predicted to go to 0, which is wrong. A set of two:
 *
 *   10 to 100    x    10>100 .
 *   10 to 100    .    10>100 .
 *   12 to 300    x    12>300 10>100
 *   14 to 500    x    14>500 12>300      10 is forgotten
 *
 * Options: `btb-sets` (7, in bits); `btb-ways` (4, at most 64).
 * Storage: entries * (64 of target + 48 - sets of tag + 8 of order) = 57,856.
 * Source: J. K. F. Lee, A. J. Smith, Branch prediction strategies and branch target buffer design, IEEE Computer 17(1), 1984. */
#include "sim/bpred/table.h"

#define PREDICTOR "btb"
#define PREDICTOR_SHOWS 1
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS ((uint64_t)ways << set_bits) * (64 + 48 - set_bits + 8)

struct target {
    uint64_t pc, to; /* pc 0: the entry is free */
};

static unsigned set_bits, ways;
static struct target *targets; /* entries of a set, most recently used first */

static void branchsim_BI_init(const struct sim_config *config)
{
    (void)config;
    set_bits = bits_option(PREDICTOR, "btb-sets", 7);
    ways = (unsigned)sim_option_within(sim.slot, PREDICTOR, "btb-ways", 4, 1, 64);
    targets = sim_alloc(((uint64_t)ways << set_bits) * sizeof *targets);
}

static struct target *set_of(uint64_t pc) { return targets + (pc & low_bits(set_bits)) * ways; }

static uint64_t branchsim_BI_target(uint64_t pc)
{
    const struct target *set = set_of(pc);

    for (unsigned i = 0; i < ways; i++)
        if (set[i].pc == pc)
            return set[i].to;
    return 0;
}

static void branchsim_BI_learn(uint64_t pc, uint64_t target)
{
    struct target *set = set_of(pc);
    unsigned at = 0;

    while (at + 1 < ways && set[at].pc != pc)
        at++;
    for (; at > 0; at--)
        set[at] = set[at - 1];
    set[0] = (struct target){pc, target};
}

static void predictor_show(uint64_t pc, unsigned kind)
{
    const struct target *set = set_of(pc);
    unsigned way = 0;

    (void)kind;
    while (way < ways && set[way].pc != pc)
        way++;
    sim_show_number("set", (int64_t)(pc & low_bits(set_bits)));
    sim_show_number("way", way < ways ? (int64_t)way : -1);
    sim_show_address("target", branchsim_BI_target(pc));
}
