/* bpred/loop.c - a loop predictor over a bimodal table: it counts how often a branch is taken in a row and predicts the end of the loop.
 *
 * Of each branch in the table: how often it was executed in the last run of the loop, up to the end, when it was not taken; how often
 * so far in this run; and how many runs in a row were alike. After three it predicts, in place of the bimodal table, that the branch is
 * taken but for the last time. A loop of four rounds, T T T N, again and again:
 *
 *   T T T N    x x . x    the end is mispredicted: an entry is made
 *   T T T N    . . . x    past 4
 *   T T T N    . . . x    the same: confidence 1, and after two more runs 3
 *   T T T N    . . . .    the fourth round is known to be the last
 *
 * The table has 4 ways; the low bits of the address choose a set, 14 bits above are the tag. Rules: an entry is made at the mispredicted
 * end of a loop, in the first way whose age is 0, with age 255; if there is none, all ages of the set fall by one. The age rises by one
 * when the entry was right where the bimodal table was wrong. When its prediction is wrong, or a run is longer or shorter than the last
 * one, the entry forgets what it knows, and its age is 0. Loops of one or two rounds are not kept. The bimodal table always learns.
 * Otherwise than in L-TAGE: TAGE stands there in place of the bimodal table, and a counter tells whether loops are to be believed at all.
 *
 * Options: `loop-sets` (4), in bits: 16 sets; `bits` (12), of the bimodal table.
 * Storage: 4 * 52 * 2^loop-sets (14 past, 14 present, 14 tag, 2 confidence, 8 age) + 2 * 2^bits = 11,520.
 * Source: the loop predictor of A. Seznec, A 256 Kbits L-TAGE branch predictor, Journal of Instruction-Level Parallelism 9, 2007, there
 * beside TAGE; the idea: T. Sherwood, B. Calder, Loop termination prediction, ISHPC 2000. */
#include "sim/bpred/table.h"

#define PREDICTOR "loop"
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS (4ull * 52 << set_bits) + (2ull << bits)

enum { WAYS = 4, COUNT_BITS = 14, TAG_BITS = 14, SURE = 3, AGE_MAX = 255, ROUNDS_LEAST = 3 };

struct loop {
    uint16_t tag, past, present; /* past: 0 = not known */
    uint8_t confidence, age;
};

static unsigned set_bits, bits;
static uint8_t *bimodal;
static struct loop *loops;

/* Of the last prediction, for the update that follows it. */
static struct loop *found; /* NULL: none */
static unsigned by_bimodal, by_loop;

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    set_bits = bits_option(PREDICTOR, "loop-sets", 4);
    bits = bits_option(PREDICTOR, "bits", 12);
    bimodal = sim_alloc(1ull << bits);
    loops = sim_alloc((uint64_t)WAYS * sizeof *loops << set_bits);
}

static inline struct loop *set_of(uint64_t pc) { return loops + (pc & low_bits(set_bits)) * WAYS; }
static inline uint16_t tag_of(uint64_t pc) { return (uint16_t)(pc >> set_bits & low_bits(TAG_BITS)); }
static inline bool is_sure(const struct loop *l) { return l && l->confidence == SURE; }

static unsigned branchsim_BC_predict(uint64_t pc)
{
    struct loop *set = set_of(pc);

    found = NULL;
    for (unsigned way = 0; way < WAYS && !found; way++)
        if (set[way].tag == tag_of(pc))
            found = &set[way];
    by_bimodal = two_bit_taken(bimodal[pc & low_bits(bits)]);
    by_loop = found && found->present + 1 != found->past;
    return is_sure(found) ? by_loop : by_bimodal;
}

/* What was known of the loop is wrong; its place is free for another. */
static void forget(struct loop *l)
{
    l->past = 0;
    l->confidence = l->age = 0;
}

/* The loop is left. */
static void leave(struct loop *l)
{
    if (l->past == 0)
        l->past = l->present;
    else if (l->past != l->present)
        forget(l);
    else
        l->confidence += l->confidence < SURE;
    if (l->past < ROUNDS_LEAST)
        forget(l);
    l->present = 0;
}

static void follow(struct loop *l, unsigned taken)
{
    if (is_sure(l) && by_loop != taken) {
        forget(l);
        l->present = 0;
        return;
    }
    if (is_sure(l) && by_bimodal != taken)
        l->age += l->age < AGE_MAX;
    l->present = (l->present + 1) & low_bits(COUNT_BITS);
    if (!taken)
        leave(l);
    else if (l->past && l->present >= l->past)
        forget(l);
}

static void allocate(uint64_t pc)
{
    struct loop *set = set_of(pc);

    for (unsigned way = 0; way < WAYS; way++)
        if (set[way].age == 0) {
            set[way] = (struct loop){.tag = tag_of(pc), .age = AGE_MAX};
            return;
        }
    for (unsigned way = 0; way < WAYS; way++)
        set[way].age--;
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    if (found)
        follow(found, taken);
    else if (!taken && by_bimodal)
        allocate(pc);
    two_bit_train(&bimodal[pc & low_bits(bits)], taken);
}
