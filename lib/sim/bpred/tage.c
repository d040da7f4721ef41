/* bpred/tage.c - tagged tables with geometrically growing history lengths: the table with the longest history whose tag matches
 * predicts.
 *
 * A bimodal table, and four tables with tags whose histories grow geometrically: 5, 15, 44, 130 outcomes. The longest history that has
 * an entry with the right tag decides. A mispredict allocates an entry with a longer history, in place of one that was not useful.
 *
 *   N N N, then T    x     table 1 gets an entry for "five N"
 *   N N N N N T      .     it knows better than the base, and becomes useful
 *
 * Otherwise than published: of several tables with room the one with the shortest history takes the new entry, where the design draws
 * one at random; every 2^18 branches all useful counters are halved, where the design clears their high bits and their low bits in
 * turn; the choice between a new entry and its alternative is left out.
 *
 * Storage: 2 * 4096 + 4 * 1024 * 15 (3-bit counter, 9-bit tag, 2 bits useful, a bit that says that the entry is filled) + 130 =
 * 69,762.
 * Source: A. Seznec, P. Michaud, A case for (partially) tagged geometric history length branch prediction, Journal of
 * Instruction-Level Parallelism 8, 2006. */
#include "sim/bpred/table.h"

#define PREDICTOR "tage"
#define PREDICTOR_SHOWS 1
#define PREDICTOR_BITS 2 * 4096 + TABLES * 1024 * 15 + 130

enum { TABLES = 4, BASE_BITS = 12, INDEX_BITS = 10, TAG_BITS = 9, FILLED = 1 << TAG_BITS, HISTORY = 256, AGE_PERIOD = 1 << 18 };

struct entry {
    int8_t counter; /* -4 to 3; taken from 0 on */
    uint8_t useful; /* 0 to 3 */
    uint16_t tag;   /* with FILLED once the entry is valid */
};

static const unsigned lengths[TABLES] = {5, 15, 44, 130};
static uint8_t base[1 << BASE_BITS];
static struct entry tables[TABLES][1 << INDEX_BITS];
static uint8_t outcomes[HISTORY]; /* ring: outcomes[(newest + i) % HISTORY] = i branches ago */
static unsigned newest, branches;

/* A loop over the tables, unrolled so that the lengths are constants. */
#define EACH_TABLE(t) _Pragma("GCC unroll 4") for (unsigned t = 0; t < TABLES; t++)

/* The history of a table, folded by exclusive or: outcome i goes to bit i mod the number of bits.  It is updated
 * incrementally, because folding 130 outcomes at each branch would be slow. */
static struct folded {
    unsigned index, tag, tag2; /* INDEX_BITS, TAG_BITS, TAG_BITS - 1 bits */
} folded[TABLES];

/* Rotates the folded history by one bit, adds the newest outcome and removes the oldest. */
static inline unsigned fold(unsigned value, unsigned bits, unsigned length, unsigned in, unsigned out)
{
    value = value << 1 | value >> (bits - 1);
    return (value ^ in ^ out << length % bits) & (unsigned)low_bits(bits);
}

static void remember(unsigned taken)
{
    EACH_TABLE(t) {
        unsigned out = outcomes[(newest + lengths[t] - 1) % HISTORY];
        struct folded *f = &folded[t];

        f->index = fold(f->index, INDEX_BITS, lengths[t], taken, out);
        f->tag = fold(f->tag, TAG_BITS, lengths[t], taken, out);
        f->tag2 = fold(f->tag2, TAG_BITS - 1, lengths[t], taken, out);
    }
    newest = (newest + HISTORY - 1) % HISTORY;
    outcomes[newest] = (uint8_t)taken;
}

static inline struct entry *entry_of(uint64_t pc, unsigned t, unsigned *tag)
{
    unsigned index = (unsigned)(pc ^ pc >> INDEX_BITS) ^ folded[t].index;

    *tag = (((unsigned)pc ^ folded[t].tag ^ folded[t].tag2 << 1) & low_bits(TAG_BITS)) | FILLED;
    return &tables[t][index & low_bits(INDEX_BITS)];
}

struct lookup {
    struct entry *entry[TABLES];
    unsigned tag[TABLES];
    int provider;              /* the table that predicts, -1 = base */
    unsigned said, otherwise;  /* predictions: of the provider; of the table with the next longest matching history */
};

static inline void look_up(uint64_t pc, struct lookup *l)
{
    l->said = l->otherwise = two_bit_taken(base[pc & low_bits(BASE_BITS)]);
    l->provider = -1;
    EACH_TABLE(t) {
        l->entry[t] = entry_of(pc, t, &l->tag[t]);
        if (l->entry[t]->tag != l->tag[t])
            continue;
        l->otherwise = l->said;
        l->said = l->entry[t]->counter >= 0;
        l->provider = (int)t;
    }
}

static struct lookup last; /* of the last prediction, for the update that follows it */

static unsigned branchsim_BC_predict(uint64_t pc)
{
    look_up(pc, &last);
    return last.said;
}

static void train(struct entry *e, unsigned taken)
{
    if (taken)
        e->counter = (int8_t)(e->counter + (e->counter < 3));
    else
        e->counter = (int8_t)(e->counter - (e->counter > -4));
}

static void allocate(const struct lookup *l, unsigned taken)
{
    for (unsigned t = (unsigned)(l->provider + 1); t < TABLES; t++)
        if (l->entry[t]->useful == 0) {
            *l->entry[t] = (struct entry){taken ? 0 : -1, 0, (uint16_t)l->tag[t]};
            return;
        }
    for (unsigned t = (unsigned)(l->provider + 1); t < TABLES; t++)
        l->entry[t]->useful--;
}

static void age(void)
{
    if (++branches % AGE_PERIOD)
        return;
    for (unsigned t = 0; t < TABLES; t++)
        for (unsigned i = 0; i < 1 << INDEX_BITS; i++)
            tables[t][i].useful /= 2;
}

static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    const struct lookup *l = &last;

    if (l->provider < 0) {
        two_bit_train(&base[pc & low_bits(BASE_BITS)], taken);
    } else {
        struct entry *e = l->entry[l->provider];

        train(e, taken);
        if (l->said != l->otherwise)
            e->useful = (uint8_t)(l->said == taken ? e->useful + (e->useful < 3) : e->useful - (e->useful > 0));
    }
    if (l->said != taken)
        allocate(l, taken);
    remember(taken);
    age();
}

/* For `quern watch`.  Table 0 is the base. */
static void predictor_show(uint64_t pc, unsigned kind)
{
    struct lookup l;
    uint64_t history = 0;
    unsigned n;

    (void)kind;
    look_up(pc, &l);
    sim_show_number("table", l.provider + 1);
    if (l.provider < 0) {
        sim_show_number("index", (int64_t)(pc & low_bits(BASE_BITS)));
        sim_show_counter("counter", &base[pc & low_bits(BASE_BITS)], 0, 3);
        return;
    }
    n = lengths[l.provider] < 64 ? lengths[l.provider] : 64;
    for (unsigned i = n; i-- > 0;)
        history = history << 1 | outcomes[(newest + i) % HISTORY];
    sim_show_bits("history", history, n);
    sim_show_number("index", l.entry[l.provider] - tables[l.provider]);
    sim_show_number("tag", l.tag[l.provider] & (int64_t)low_bits(TAG_BITS));
    sim_show_counter("counter", &l.entry[l.provider]->counter, -4, 3);
    sim_show_counter("useful", &l.entry[l.provider]->useful, 0, 3);
    sim_show_number("otherwise", l.otherwise);
}
