/* bpred/yags.c - a bias for each branch, and two small caches of the histories with which it does otherwise (YAGS).
 *
 * A table of two-bit counters says which way a branch mostly goes. What is not so is in one of two caches: of branches that are mostly
 * taken those cases that are not, of the others those that are. An entry has a two-bit counter and a tag, the low 6 bits of the address;
 * its place is the exclusive or of address and history. Where the tag is right the counter predicts, elsewhere the bias.
 *
 *   branch 5, bias 0 (not taken), three outcomes of history:
 *   T   history 000   x    the bias is wrong: cache "taken" gets 5 with a weak counter, 2;  bias 1
 *   T   history 001   x    another place: a second entry;                                   bias 2
 *   N   history 011   x    now the bias is taken: cache "not taken" gets an entry, 1;       bias 1
 *
 * Rules: the cache is looked up that is against the bias. A counter that was used is trained. An entry is made where there was none and
 * the bias was wrong. The bias is trained, but not where it was wrong and a counter set it right, as in the bi-mode predictor.
 * The tags need no bit that says that they are there: all begin as 0, with counters of 0.
 *
 * Options: `yags-choice` (12) and `yags-cache` (10), bits of the index of the biases and of each cache; the history has as many outcomes
 * as the latter.
 * Storage: 2 * 2^yags-choice + 2 * 8 * 2^yags-cache + yags-cache = 24,586.
 * Source: A. N. Eden, T. Mudge, The YAGS branch prediction scheme, MICRO 1998; direct-mapped. The update of the bias: C.-C. Lee,
 * I.-C. K. Chen, T. Mudge, The bi-mode branch predictor, MICRO 1997. */
#include "sim/bpred/table.h"

#define PREDICTOR "yags"
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS (2ull << choice_bits) + (2ull * (TAG_BITS + 2) << cache_bits) + cache_bits

enum { TAG_BITS = 6 };

struct entry {
    uint8_t tag, counter;
};

static unsigned choice_bits, cache_bits;
static uint64_t history;
static uint8_t *biases;
static struct entry *caches[2]; /* [1]: cases that are taken, of branches that mostly are not */

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    choice_bits = bits_option(PREDICTOR, "yags-choice", 12);
    cache_bits = bits_option(PREDICTOR, "yags-cache", 10);
    biases = sim_alloc(1ull << choice_bits);
    for (unsigned i = 0; i < 2; i++)
        caches[i] = sim_alloc(sizeof(struct entry) << cache_bits);
}

static inline uint8_t *bias_of(uint64_t pc) { return &biases[pc & low_bits(choice_bits)]; }
static inline uint8_t tag_of(uint64_t pc) { return (uint8_t)(pc & low_bits(TAG_BITS)); }

/* The place in the cache that is against the bias. */
static inline struct entry *exception_of(uint64_t pc)
{
    return &caches[!two_bit_taken(*bias_of(pc))][(pc ^ history) & low_bits(cache_bits)];
}

static unsigned branchsim_BC_predict(uint64_t pc)
{
    const struct entry *e = exception_of(pc);

    return two_bit_taken(e->tag == tag_of(pc) ? e->counter : *bias_of(pc));
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    struct entry *e = exception_of(pc);
    bool biased_wrong = two_bit_taken(*bias_of(pc)) != taken, set_right = false;

    if (e->tag == tag_of(pc)) {
        set_right = biased_wrong && two_bit_taken(e->counter) == taken;
        two_bit_train(&e->counter, taken);
    } else if (biased_wrong) {
        *e = (struct entry){tag_of(pc), taken ? 2 : 1};
    }
    if (!set_right)
        two_bit_train(bias_of(pc), taken);
    history = (history << 1 | taken) & low_bits(cache_bits);
}
