/* bpred/btb2.c - a two-level branch target buffer: a small one that answers at once, and a large one behind it that answers late.
 *
 * Slot BI. Both are set-associative, least recently used. A branch that the first does not have is looked up in the second; what it has there is
 * a right target that comes late, and is copied to the first. What the first gives up stays in the second. First of one entry | second of three:
 *
 *   10 to 100    x           10>100 | 10>100 . .
 *   12 to 300    x           12>300 | 12>300 10>100 .
 *   10 to 100    . late      10>100 | 10>100 12>300 .
 *   10 to 100    .           10>100 | 10>100 12>300 .
 *
 * What it cannot show: how late. `late` counts the targets that only the second level had, right or wrong; quern calls it no mispredict.
 *
 * Options: `btb-sets` (4) and `btb2-sets` (8), in bits; `btb-ways` (4) and `btb2-ways` (4), at most 64.
 * Events: `late`.
 * Storage: entries * (64 of target + 48 - sets of tag + 8 of order): 64 * 116 + 1024 * 112 = 122,112.
 * Source: C. H. Perleberg, A. J. Smith, Branch target buffer design and optimization, IEEE Transactions on Computers 42(4), 1993: multilevel. */
#include "sim/bpred/table.h"

#define PREDICTOR "btb2"
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS bits_of(&levels[0]) + bits_of(&levels[1])

struct target {
    uint64_t pc, to; /* pc 0: the entry is free */
};

static struct level {
    struct target *targets; /* entries of a set, most recently used first */
    unsigned set_bits, ways;
} levels[2];
static unsigned late;

static uint64_t bits_of(const struct level *l) { return ((uint64_t)l->ways << l->set_bits) * (64 + 48 - l->set_bits + 8); }

static void branchsim_BI_init(const struct sim_config *config)
{
    (void)config;
    levels[0].set_bits = bits_option(PREDICTOR, "btb-sets", 4);
    levels[1].set_bits = bits_option(PREDICTOR, "btb2-sets", 8);
    levels[0].ways = (unsigned)sim_option_within(sim.slot, PREDICTOR, "btb-ways", 4, 1, 64);
    levels[1].ways = (unsigned)sim_option_within(sim.slot, PREDICTOR, "btb2-ways", 4, 1, 64);
    for (unsigned i = 0; i < 2; i++)
        levels[i].targets = sim_alloc(((uint64_t)levels[i].ways << levels[i].set_bits) * sizeof *levels[i].targets);
    late = sim_event(sim.slot, "late", "targets that only the second level had");
}

static struct target *set_of(const struct level *l, uint64_t pc) { return l->targets + (pc & low_bits(l->set_bits)) * l->ways; }

/* The way that has the branch; l->ways: none has. */
static unsigned find(const struct level *l, uint64_t pc)
{
    unsigned way = 0;

    while (way < l->ways && set_of(l, pc)[way].pc != pc)
        way++;
    return way;
}

static uint64_t branchsim_BI_target(uint64_t pc)
{
    for (unsigned i = 0; i < 2; i++) {
        unsigned way = find(&levels[i], pc);

        if (way == levels[i].ways)
            continue;
        if (i == 1)
            sim_count(late, 1);
        return set_of(&levels[i], pc)[way].to;
    }
    return 0;
}

static void branchsim_BI_learn(uint64_t pc, uint64_t target)
{
    for (unsigned i = 0; i < 2; i++) {
        struct target *set = set_of(&levels[i], pc);
        unsigned at = find(&levels[i], pc);

        for (at -= at == levels[i].ways; at > 0; at--)
            set[at] = set[at - 1];
        set[0] = (struct target){pc, target};
    }
}
