/* bpred/tage06.c - TAGE as published in 2006: tables with tags for growing lengths of history, with the path, among them one new entry a mispredict.
 *
 * A bimodal table, and four tables whose entries have tags, for the last 5, 15, 44 and 130 outcomes. The longest history with an entry of the
 * right tag provides the prediction; what the next longest, or the bimodal table, says is the alternative. Outcomes of a branch, the base table, and
 * an entry of table 1:
 *
 *   N N N N N    base 0
 *   T       x    base 1    an entry "after five N: taken", counter 0, useful 0, in a table that is drawn
 *   N N N N N    base 0
 *   T       .              the entry provides, right where its alternative is wrong: useful 1
 *
 * The rules, with the sections of the paper:
 *   index, tag (3.1)     the address, the folded outcomes and, in the index, the path: the low address bits of the last min(length, 16)
 *                        branches of all kinds, calls and returns among them
 *   prediction (3.2)     the provider's, but if its counter is weak and it is not useful, so it may be new, and such entries have been wrong more often
 *                        than their alternatives lately (a counter of 4 bits), the alternative
 *   useful (3.3.1)       2 bits: up if the provider is right and the alternative wrong, down if it is the other way round; every 2^18 branches the
 *                        high bits, and at the next time the low bits, of all are cleared
 *   new entries (3.3.2)  on a mispredict one, in a table with a longer history than the provider's whose entry has useful 0: of several a shorter one
 *                        is drawn twice as often as the next longer; if there is none, all of these useful counters fall by one. It is weak
 * Otherwise than published: direct jumps are not in the path, because quern does not simulate them; all counters of the bimodal table have two
 * bits of their own; the paper's hash functions are not given, these are.
 *
 * Storage: 2 * 4096 + 4 * 1024 * 15 (3-bit counter, 9-bit tag, 2 bits useful, a bit that says that the entry is filled) + 130 + 16 + 4 = 69,782.
 * Source: A. Seznec, P. Michaud, A case for (partially) tagged geometric history length branch prediction, Journal of Instruction-Level Parallelism
 * 8, 2006. Compare tage, which is simpler. */
#include "sim/bpred/folded.h"

#define PREDICTOR "tage06"
#define PREDICTOR_PATH 1
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS 2 * 4096 + TABLES * 1024 * 15 + 130 + PATH_BITS + 4

enum { TABLES = 4, BASE_BITS = 12, INDEX_BITS = 10, TAG_BITS = 9, FILLED = 1 << TAG_BITS, PATH_BITS = 16, AGE_BITS = 18, TRUST_MAX = 15, TRUST_HALF = 8 };

struct entry {
    int8_t counter; /* -4 to 3; taken from 0 on */
    uint8_t useful; /* 0 to 3 */
    uint16_t tag;   /* with FILLED once the entry is valid */
};

static const unsigned lengths[TABLES] = {5, 15, 44, 130};
static uint8_t base[1 << BASE_BITS];
static struct entry tables[TABLES][1 << INDEX_BITS];
static struct {
    unsigned index, tag, tag2; /* the outcomes of a table's length, folded to INDEX_BITS, TAG_BITS, TAG_BITS - 1 */
} folded[TABLES];
static unsigned path;          /* the newest branch in the lowest bit */
static unsigned trust_alternative, branches;

/* Of the last prediction, for the update that follows it. */
static struct entry *entry[TABLES];
static unsigned tag[TABLES], by_provider, by_alternative, said;
static int provider; /* -1: the bimodal table */

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    trust_alternative = TRUST_HALF;
}

static void branchsim_BC_path(uint64_t pc, uint64_t target, enum sim_ref_kind kind)
{
    (void)target, (void)kind;
    path = (path << 1 | (pc & 1)) & low_bits(PATH_BITS);
}

static inline void look_up(uint64_t pc, unsigned t)
{
    unsigned way = path & low_bits(lengths[t] < PATH_BITS ? lengths[t] : PATH_BITS);
    uint64_t index = pc ^ pc >> (INDEX_BITS - t) ^ folded[t].index ^ way ^ way >> INDEX_BITS;

    entry[t] = &tables[t][index & low_bits(INDEX_BITS)];
    tag[t] = ((unsigned)pc ^ folded[t].tag ^ folded[t].tag2 << 1) & low_bits(TAG_BITS);
    tag[t] |= FILLED;
}

static inline bool may_be_new(const struct entry *e) { return e->useful == 0 && (e->counter == 0 || e->counter == -1); }

static unsigned branchsim_BC_predict(uint64_t pc)
{
    provider = -1;
    by_provider = by_alternative = two_bit_taken(base[pc & low_bits(BASE_BITS)]);
    for (unsigned t = 0; t < TABLES; t++) {
        look_up(pc, t);
        if (entry[t]->tag != tag[t])
            continue;
        by_alternative = by_provider;
        by_provider = entry[t]->counter >= 0;
        provider = (int)t;
    }
    said = provider >= 0 && may_be_new(entry[provider]) && trust_alternative >= TRUST_HALF ? by_alternative : by_provider;
    return said;
}

static void train(struct entry *e, unsigned taken)
{
    bool differ = by_provider != by_alternative;

    if (differ && may_be_new(e) && by_alternative == taken)
        trust_alternative += trust_alternative < TRUST_MAX;
    else if (differ && may_be_new(e))
        trust_alternative -= trust_alternative > 0;
    if (taken)
        e->counter = (int8_t)(e->counter + (e->counter < 3));
    else
        e->counter = (int8_t)(e->counter - (e->counter > -4));
    if (differ && by_provider == taken)
        e->useful += e->useful < 3;
    else if (differ)
        e->useful -= e->useful > 0;
}

/* One of the tables from `first` on with an entry that is not useful: each with twice the chance of the next.  TABLES: there is none. */
static unsigned draw_table(unsigned first)
{
    unsigned free[TABLES], n = 0, chance;

    for (unsigned t = first; t < TABLES; t++)
        if (entry[t]->useful == 0)
            free[n++] = t;
    if (n == 0)
        return TABLES;
    chance = (unsigned)sim_random((1u << n) - 1);
    for (unsigned i = 0; i + 1 < n; i++) {
        if (chance < 1u << (n - 1 - i))
            return free[i];
        chance -= 1u << (n - 1 - i);
    }
    return free[n - 1];
}

static void allocate(unsigned taken)
{
    unsigned t = draw_table((unsigned)(provider + 1));

    if (t < TABLES)
        *entry[t] = (struct entry){taken ? 0 : -1, 0, (uint16_t)tag[t]};
    else
        for (t = (unsigned)(provider + 1); t < TABLES; t++)
            entry[t]->useful--;
}

/* Clears the high bits of all useful counters at the end of the first period, the low bits at the end of the second, and so on. */
static void age(void)
{
    unsigned keep = branches >> AGE_BITS & 1 ? 2 : 1;

    if (++branches & low_bits(AGE_BITS))
        return;
    for (unsigned t = 0; t < TABLES; t++)
        for (unsigned i = 0; i < 1 << INDEX_BITS; i++)
            tables[t][i].useful &= keep;
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    if (provider < 0)
        two_bit_train(&base[pc & low_bits(BASE_BITS)], taken);
    else
        train(entry[provider], taken);
    if (said != taken && provider + 1 < TABLES)
        allocate(taken);
    history_add(taken);
    for (unsigned t = 0; t < TABLES; t++) {
        folded[t].index = history_fold(folded[t].index, INDEX_BITS, lengths[t]);
        folded[t].tag = history_fold(folded[t].tag, TAG_BITS, lengths[t]);
        folded[t].tag2 = history_fold(folded[t].tag2, TAG_BITS - 1, lengths[t]);
    }
    branchsim_BC_path(pc, 0, SIM_REF_COND);
    age();
}
