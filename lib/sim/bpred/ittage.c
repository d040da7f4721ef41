/* bpred/ittage.c - ITTAGE: targets of indirect branches, in tables with tags for growing lengths of the history of all branches.
 *
 * Slot BI. A switch whose case depends on an `if` before it has targets that no last target foretells. With the outcomes of conditional branches
 * in the history (T, N), an entry with a history of two bits knows them:
 *
 *   T  switch to 100   x    nothing is known; the base table learns 100, and an entry "after T: 100" is made
 *   N  switch to 200   x    the base table says 100, and learns 200; an entry "after N: 200"
 *   T  switch to 100   .    by the entry, where the base table would have been wrong: it is useful
 *   N  switch to 200   .
 *
 * The base table has the last target of each branch, by 9 bits of its address. Four tables with tags are for the last 4, 10, 25 and 60 bits
 * of the history: the outcome of each conditional branch, and two bits of the target of each indirect one. The longest history with an
 * entry of the right tag provides the target, but if its confidence is 0 and the next longest, the alternative, is surer, that one does. Rules:
 *   target right        the provider's confidence (0 to 3) rises
 *   target wrong        it falls; at 0 the target is replaced. On a mispredict one of the longer histories gets an entry, in the first
 *                       table where it is not useful; if there is none, all these are no longer useful
 *   useful, one bit     set if the provider is right and the alternative wrong
 * Otherwise than published: four tables, not fifteen; whole targets, not parts of them; no table is drawn at random.
 *
 * Storage: 512 * 64 + 4 * 512 * (64 of target + 9 of tag + 2 of confidence + 1 useful + 1 filled) + 60 = 190,524.
 * Source: A. Seznec, A 64-Kbytes ITTAGE indirect branch predictor, third championship branch prediction (JWAC-2), 2011; section 5 of A. Seznec, P.
 * Michaud, A case for (partially) tagged geometric history length branch prediction, 2006. */
#include "sim/bpred/folded.h"

#define PREDICTOR "ittage"
#define PREDICTOR_OUTCOMES 1
#define PREDICTOR_BITS (64u << INDEX_BITS) + TABLES * (77u << INDEX_BITS) + 60

enum { TABLES = 4, INDEX_BITS = 9, TAG_BITS = 9, FILLED = 1 << TAG_BITS, SURE = 3 };

struct entry {
    uint64_t target;
    uint16_t tag; /* with FILLED once the entry is valid */
    uint8_t confidence, useful;
};

static const unsigned lengths[TABLES] = {4, 10, 25, 60};
static uint64_t base[1 << INDEX_BITS];
static struct entry tables[TABLES][1 << INDEX_BITS];
static struct {
    unsigned index, tag; /* the history of a table's length, folded to INDEX_BITS, TAG_BITS - 1 */
} folded[TABLES];

/* Of the last prediction, for what it learns. */
static struct entry *entry[TABLES];
static uint16_t tag[TABLES];
static int provider, alternative; /* tables; -1: the base table */
static uint64_t said;

static void remember(unsigned bit)
{
    history_add(bit);
    for (unsigned t = 0; t < TABLES; t++) {
        folded[t].index = history_fold(folded[t].index, INDEX_BITS, lengths[t]);
        folded[t].tag = history_fold(folded[t].tag, TAG_BITS - 1, lengths[t]);
    }
}

static void branchsim_BI_outcome(uint64_t pc, unsigned taken)
{
    (void)pc;
    remember(taken);
}

static uint64_t *base_of(uint64_t pc) { return &base[pc & low_bits(INDEX_BITS)]; }
static uint64_t target_of(int table, uint64_t pc) { return table < 0 ? *base_of(pc) : entry[table]->target; }

static uint64_t branchsim_BI_target(uint64_t pc)
{
    provider = alternative = -1;
    for (unsigned t = 0; t < TABLES; t++) {
        entry[t] = &tables[t][(pc ^ pc >> (INDEX_BITS - t) ^ folded[t].index) & low_bits(INDEX_BITS)];
        tag[t] = (uint16_t)(((pc ^ folded[t].tag << 1) & low_bits(TAG_BITS)) | FILLED);
        if (entry[t]->tag != tag[t])
            continue;
        alternative = provider;
        provider = (int)t;
    }
    said = target_of(provider, pc);
    if (alternative >= 0 && entry[provider]->confidence == 0 && entry[alternative]->confidence > 0)
        said = target_of(alternative, pc);
    return said;
}

static void train(struct entry *e, uint64_t target, bool alternative_right)
{
    if (e->target == target) {
        e->confidence += e->confidence < SURE;
        e->useful |= !alternative_right;
    } else if (e->confidence > 0) {
        e->confidence--;
    } else {
        e->target = target;
    }
}

static void allocate(uint64_t target)
{
    unsigned first = (unsigned)(provider + 1), t = first;

    while (t < TABLES && entry[t]->useful)
        t++;
    if (t < TABLES)
        *entry[t] = (struct entry){.target = target, .tag = tag[t]};
    else
        for (t = first; t < TABLES; t++)
            entry[t]->useful = 0;
}

static void branchsim_BI_learn(uint64_t pc, uint64_t target)
{
    if (provider < 0)
        *base_of(pc) = target;
    else
        train(entry[provider], target, target_of(alternative, pc) == target);
    if (said != target)
        allocate(target);
    remember((unsigned)(target >> 2 ^ target >> 5) & 1);
    remember((unsigned)(target >> 3 ^ target >> 4) & 1);
}
