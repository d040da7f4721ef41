/* bpred/tagescl.c - TAGE-SC-L in the 8 KiB class: TAGE, a loop predictor that overrides it, and a statistical corrector that overrides both.
 *
 *   pc, history -> TAGE -> loop predictor -> corrector -> prediction
 *                  "N"     has seen this branch taken 9 times and then not, three times over; this is the tenth: "N"
 *                                            sums weights of what happened when the others said N here: +31, "T", and at least the threshold: T
 *
 * TAGE: tables with tags for the last 4, 9, 20, 45, 100 and 222 outcomes, as in tage06. A branch that goes one way with 60% is what it does badly: its
 * entries follow each exception. The corrector is a sum of counters indexed by the branch and what was said, and by 4, 10 and 21 outcomes.
 *
 * The rules, with the sections of the paper (2014; 2016 keeps them):
 *   new entries (2.1)  on a mispredict of TAGE in the first table with a longer history than the provider's whose entry is not useful, and in the next
 *                      but one; not if the provider was weak, and right. A counter falls with each entry that is made and rises with each
 *                      table that had none; at 1023 all useful counters are halved
 *   loops (2.3)        loops.h; believed if loops have been right lately where TAGE said otherwise (7 bits)
 *   corrector (2.2)    if its sum has another sign and at least the threshold, it is believed. Trained when wrong or below the threshold, which rises when
 *                      the corrector was wrong against the others, and falls when it was right
 * Otherwise than published: no path; no local histories and no counter of the innermost loop (IMLI); the useful counters have two bits; sizes differ.
 *
 * Storage: 2 * 4096 + 6 * 512 * 16 (3-bit counter, 10-bit tag, 2 bits useful, filled) + 4 * 256 * 6 + 16 * 36 + 222 + 4 + 10 + 6 + 7 = 64,313.
 * Source: A. Seznec, TAGE-SC-L branch predictors again, 5th Championship Branch Prediction, 2016; TAGE-SC-L branch predictors, 4th, 2014. */
#include "sim/bpred/folded.h"
#include "sim/bpred/loops.h"

#define PREDICTOR "tagescl"
#define PREDICTOR_INIT 1
#define PREDICTOR_BITS 2 * 4096 + TABLES * 512 * 16 + SUMS * 256 * 6 + LOOP_STORAGE + 222 + 4 + 10 + 6 + 7

enum { TABLES = 6, BASE_BITS = 12, INDEX_BITS = 9, TAG_BITS = 10, FILLED = 1 << TAG_BITS, TRUST_MAX = 15, TRUST_HALF = 8, SHORTAGE_MAX = 1023 };
enum { SUMS = 4, SUM_BITS = 8, WEIGHT_MAX = 31, THRESHOLD_LEAST = 4, THRESHOLD_MOST = 63, LOOPS_HELP_MAX = 63 };

static const unsigned lengths[TABLES] = {4, 9, 20, 45, 100, 222}, sum_lengths[SUMS] = {0, 4, 10, 21};
static uint8_t base[1 << BASE_BITS];
static struct entry {
    int8_t counter; /* -4 to 3; taken from 0 on */
    uint8_t useful;
    uint16_t tag;   /* with FILLED once the entry is valid */
} tables[TABLES][1 << INDEX_BITS];
static struct {
    unsigned index, tag, tag2; /* the outcomes of a table's length, folded to INDEX_BITS, TAG_BITS, TAG_BITS - 1 */
} folded[TABLES];
static int8_t weights[SUMS][1 << SUM_BITS]; /* -32 to 31 */
static unsigned trust_alternative, shortage, threshold;
static int loops_help; /* -64 to 63 */
static uint64_t recent; /* outcomes, the newest lowest */

/* Of the last prediction, for the update that follows it. */
static struct entry *entry[TABLES];
static unsigned tag[TABLES], by_provider, by_alternative, by_tage, by_loop, before_sum;
static int provider, sum; /* provider -1: the bimodal table */
static int8_t *weight[SUMS];

static void branchsim_BC_init(const struct sim_config *config)
{
    (void)config;
    trust_alternative = TRUST_HALF;
    threshold = 12;
}

static inline bool is_weak(const struct entry *e) { return e->counter == 0 || e->counter == -1; }

static void predict_tage(uint64_t pc)
{
    provider = -1;
    by_provider = by_alternative = two_bit_taken(base[pc & low_bits(BASE_BITS)]);
    for (unsigned t = 0; t < TABLES; t++) {
        entry[t] = &tables[t][(pc ^ pc >> (INDEX_BITS - t) ^ folded[t].index) & low_bits(INDEX_BITS)];
        tag[t] = (((unsigned)pc ^ folded[t].tag ^ folded[t].tag2 << 1) & low_bits(TAG_BITS)) | FILLED;
        if (entry[t]->tag != tag[t])
            continue;
        by_alternative = by_provider;
        by_provider = entry[t]->counter >= 0;
        provider = (int)t;
    }
    by_tage = provider >= 0 && is_weak(entry[provider]) && !entry[provider]->useful && trust_alternative >= TRUST_HALF ? by_alternative : by_provider;
}

static unsigned branchsim_BC_predict(uint64_t pc)
{
    predict_tage(pc);
    by_loop = loop_is_sure(loop_of(pc)) ? loop_says(loop_of(pc)) : by_tage;
    before_sum = loops_help >= 0 ? by_loop : by_tage;
    sum = 0;
    for (unsigned s = 0; s < SUMS; s++) {
        uint64_t h = recent & low_bits(sum_lengths[s]);

        weight[s] = &weights[s][(s ? pc ^ h ^ h >> SUM_BITS ^ h >> 2 * SUM_BITS : pc << 1 | before_sum) & low_bits(SUM_BITS)];
        sum += 2 * *weight[s] + 1;
    }
    return (sum >= 0) != before_sum && (unsigned)(sum < 0 ? -sum : sum) >= threshold ? !before_sum : before_sum;
}

static void train_sum(unsigned taken)
{
    bool wrong = (sum >= 0) != taken;

    if ((sum >= 0) != before_sum)
        threshold = wrong ? threshold + (threshold < THRESHOLD_MOST) : threshold - (threshold > THRESHOLD_LEAST);
    for (unsigned s = 0; s < SUMS && (wrong || (unsigned)(sum < 0 ? -sum : sum) < threshold); s++)
        *weight[s] = (int8_t)(taken ? *weight[s] + (*weight[s] < WEIGHT_MAX) : *weight[s] - (*weight[s] > -WEIGHT_MAX - 1));
}

static void train_tage(uint64_t pc, unsigned taken)
{
    struct entry *e = provider >= 0 ? entry[provider] : NULL;
    bool differ = by_provider != by_alternative, spared = e && is_weak(e) && by_provider == taken;
    unsigned t = (unsigned)(provider + 1), made = 0;

    if (!e)
        two_bit_train(&base[pc & low_bits(BASE_BITS)], taken);
    if (e && differ && is_weak(e) && !e->useful)
        trust_alternative = by_alternative == taken ? trust_alternative + (trust_alternative < TRUST_MAX) : trust_alternative - (trust_alternative > 0);
    if (e)
        e->counter = (int8_t)(taken ? e->counter + (e->counter < 3) : e->counter - (e->counter > -4));
    if (e && differ)
        e->useful = (uint8_t)(by_provider == taken ? e->useful + (e->useful < 3) : e->useful - (e->useful > 0));
    for (; by_tage != taken && !spared && t < TABLES && made < 2; t++) {
        shortage = entry[t]->useful ? shortage + (shortage < SHORTAGE_MAX) : shortage - (shortage > 0);
        if (entry[t]->useful)
            continue;
        *entry[t] = (struct entry){taken ? 0 : -1, 0, (uint16_t)tag[t]};
        t++; /* the next one is left out */
        made++;
    }
    for (unsigned i = 0; shortage == SHORTAGE_MAX && i < TABLES << INDEX_BITS; i++)
        tables[i >> INDEX_BITS][i & low_bits(INDEX_BITS)].useful /= 2;
    shortage = shortage == SHORTAGE_MAX ? 0 : shortage;
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    train_sum(taken);
    if (by_loop != by_tage)
        loops_help = by_loop == taken ? loops_help + (loops_help < LOOPS_HELP_MAX) : loops_help - (loops_help > -LOOPS_HELP_MAX - 1);
    loop_train(pc, taken, by_tage != taken);
    train_tage(pc, taken);
    history_add(taken);
    recent = recent << 1 | taken;
    for (unsigned t = 0; t < TABLES; t++) {
        folded[t].index = history_fold(folded[t].index, INDEX_BITS, lengths[t]);
        folded[t].tag = history_fold(folded[t].tag, TAG_BITS, lengths[t]);
        folded[t].tag2 = history_fold(folded[t].tag2, TAG_BITS - 1, lengths[t]);
    }
}
