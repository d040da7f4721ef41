/* lib/lab/models/model_branch.c - see models.h.  An entry per remainder of the index; all begin at 0. */
#include "lab/models/models.h"

struct predictor {
    enum qn_lab_predictor model;
    const struct qn_lab_variant *rules;
    uint8_t table[1u << QN_LAB_PREDICTOR_BITS_MAX], before[1u << QN_LAB_PREDICTOR_BITS_MAX]; /* before: the last outcome but one */
    unsigned bits, history;
};

static unsigned rule(const struct predictor *p, enum qn_lab_parameter which) { return p->rules->value[which]; }

static unsigned index_of(const struct predictor *p, uint64_t pc)
{
    uint64_t key = rule(p, QN_LAB_INDEX_FOLD) ? pc >> rule(p, QN_LAB_INDEX_SHIFT) ^ pc >> rule(p, QN_LAB_INDEX_FOLD) : pc;

    return (unsigned)((p->model == QN_LAB_GSHARE ? key ^ p->history : key) % (1u << p->bits));
}

static bool predict(const struct predictor *p, uint64_t pc)
{
    unsigned i = index_of(p, pc);

    if (p->model == QN_LAB_ONE_BIT)
        return rule(p, QN_LAB_ONEBIT_BEFORE) ? p->before[i] : p->table[i];
    return p->table[i] > rule(p, QN_LAB_COUNTER_MAX) / 2;
}

static void update(struct predictor *p, uint64_t pc, bool taken)
{
    uint8_t *entry = &p->table[index_of(p, pc)];
    unsigned down = rule(p, QN_LAB_COUNTER_DOWN), bit = rule(p, QN_LAB_HISTORY_BIT);

    if (p->model == QN_LAB_ONE_BIT) {
        p->before[index_of(p, pc)] = *entry;
        *entry = taken;
    } else if (taken) {
        *entry += *entry < rule(p, QN_LAB_COUNTER_MAX);
    } else {
        *entry -= (uint8_t)(*entry > down ? down : *entry);
    }
    p->history = (2 * p->history + (taken ^ (bit ? pc >> bit & 1 : 0))) % (1u << p->bits);
}

unsigned long qn_lab_mispredicts(const struct qn_lab_branches *t, enum qn_lab_predictor model, unsigned bits,
                                 const struct qn_lab_variant *rules, unsigned char *wrong)
{
    struct predictor p = { .model = model, .rules = rules, .bits = bits };
    unsigned long n = 0;

    for (size_t i = 0; i < t->n; i++) {
        bool missed = predict(&p, t->at[i].pc) != t->at[i].taken;

        update(&p, t->at[i].pc, t->at[i].taken);
        if (wrong)
            wrong[i] = missed;
        n += missed;
    }
    return n;
}

void qn_lab_follow_entries(const struct qn_lab_branches *t, size_t n, enum qn_lab_predictor model, unsigned bits, const struct qn_lab_variant *rules,
                           struct qn_lab_entry *entries)
{
    struct predictor p = { .model = model, .rules = rules, .bits = bits };

    for (size_t i = 0; i < n; i++) {
        unsigned index = index_of(&p, t->at[i].pc);

        entries[i] = (struct qn_lab_entry){ index, p.table[index], predict(&p, t->at[i].pc) };
        update(&p, t->at[i].pc, t->at[i].taken);
    }
}

uint64_t qn_lab_find_sharer(const struct qn_lab_branches *t, enum qn_lab_predictor model, unsigned bits, const struct qn_lab_variant *rules, unsigned index,
                            uint64_t from)
{
    struct predictor p = { .model = model, .rules = rules, .bits = bits };

    for (size_t i = 0; i < t->n; i++)
        update(&p, t->at[i].pc, t->at[i].taken);
    while (index_of(&p, from) != index)
        from++;
    return from;
}
