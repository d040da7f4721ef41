/* lib/lab/model_branch.c - see model_branch.h.  An entry per remainder of the index; all begin at 0. */
#include "lab/model_branch.h"

struct predictor {
    enum qn_lab_predictor model;
    uint8_t table[1u << QN_LAB_PREDICTOR_BITS_MAX];
    unsigned bits, history;
};

static unsigned index_of(const struct predictor *p, uint64_t pc)
{
    uint64_t key = p->model == QN_LAB_GSHARE ? pc ^ p->history : pc;

    return (unsigned)(key % (1u << p->bits));
}

static bool predict(const struct predictor *p, uint64_t pc)
{
    return p->model == QN_LAB_ONE_BIT ? p->table[index_of(p, pc)] != 0 : p->table[index_of(p, pc)] >= 2;
}

static void update(struct predictor *p, uint64_t pc, bool taken)
{
    uint8_t *entry = &p->table[index_of(p, pc)];

    if (p->model == QN_LAB_ONE_BIT)
        *entry = taken;
    else if (taken)
        *entry += *entry < 3;
    else
        *entry -= *entry > 0;
    p->history = (2 * p->history + taken) % (1u << p->bits);
}

unsigned long qn_lab_mispredicts(const struct qn_lab_branches *t, enum qn_lab_predictor model, unsigned bits,
                                 unsigned char *wrong)
{
    struct predictor p = { .model = model, .bits = bits };
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
