/* tests/models/tagged.c - tage06 and ittage, slowly, from their papers: histories are folded bit by bit, at each branch anew. */
#include <stdlib.h>
#include <string.h>

#include "predict.h"

struct known {
    unsigned table, tag;
    int counter, useful;
    uint64_t target;
    bool filled;
};

static struct known all[4][1024]; /* one of the two predictors has them */

static struct known *known(unsigned table, uint64_t place)
{
    all[table][place].table = table;
    return &all[table][place];
}

static unsigned folded(const struct past *p, unsigned length, unsigned bits)
{
    unsigned value = 0;

    for (unsigned i = 0; i < length; i++)
        if (before(p, i))
            value ^= 1u << i % bits;
    return value;
}

static int at_least(int n, int least) { return n < least ? least : n; }
static int at_most(int n, int most) { return n > most ? most : n; }

/* ---- tage06 ---- */

static struct past route; /* the low address bit of each branch */

static unsigned chosen(unsigned n, uint64_t *random)
{
    unsigned shares = (1u << n) - 1, drawn = random_of(random, shares), of = 0;

    for (unsigned share = 1u << (n - 1);; share /= 2, of++) {
        if (drawn < share)
            return of;
        drawn -= share;
    }
}

bool predict_tage06(uint64_t pc, bool taken)
{
    static const unsigned lengths[] = {5, 15, 44, 130};
    static struct node *bases;
    static int doubt = 8, count;
    static uint64_t random;
    struct known *k[4], *is = NULL, *free_ones[4];
    struct node *base = at(&bases, pc % 4096);
    bool provided = says(base, 2), other = provided, said, fresh;
    unsigned tag[4], from = 0, n = 0;

    random = random ? random : ((model_seed() + 1) * 0x9e3779b97f4a7c15) | 1;
    for (unsigned t = 0; t < 4; t++) {
        uint64_t way = recent(&route, lengths[t] < 16 ? lengths[t] : 16);

        k[t] = known(t, (pc ^ pc / two_to(10 - t) ^ folded(&past, lengths[t], 10) ^ way ^ way / 1024) % 1024);
        tag[t] = (unsigned)(pc % 512) ^ folded(&past, lengths[t], 9) ^ folded(&past, lengths[t], 8) * 2;
        if (!k[t]->filled || k[t]->tag != tag[t])
            continue;
        is = k[t];
        from = t + 1;
        other = provided;
        provided = is->counter >= 0;
    }
    fresh = is && !is->useful && (is->counter == 0 || is->counter == -1);
    said = fresh && doubt >= 8 ? other : provided;
    if (!is) {
        move(base, taken, 3);
    } else {
        if (fresh && provided != other)
            doubt = at_most(at_least(doubt + (other == taken ? 1 : -1), 0), 15);
        is->counter = at_most(at_least(is->counter + (taken ? 1 : -1), -4), 3);
        if (provided != other)
            is->useful = at_most(at_least(is->useful + (provided == taken ? 1 : -1), 0), 3);
    }
    if (said != taken) {
        for (unsigned t = from; t < 4; t++)
            if (!k[t]->useful)
                free_ones[n++] = k[t];
        for (unsigned t = from; !n && t < 4; t++)
            k[t]->useful--;
        if (n) {
            struct known *new = free_ones[chosen(n, &random)];

            new->filled = true;
            new->tag = tag[new->table];
            new->counter = taken ? 0 : -1;
        }
    }
    if (++count % 262144 == 0)
        for (unsigned i = 0; i < 4096; i++) {
            struct known *e = &all[i / 1024][i % 1024];

            e->useful = count / 262144 % 2 ? e->useful % 2 : e->useful / 2 * 2;
        }
    return said;
}

/* ---- ittage ---- */

static struct past events; /* outcomes, and two bits of each target */

bool predict_ittage(uint64_t pc, uint64_t target)
{
    static const unsigned lengths[] = {4, 10, 25, 60};
    static struct node *bases;
    struct known *k[4], *is = NULL, *second = NULL;
    struct node *base = at(&bases, pc % 512);
    uint64_t said, other;
    unsigned tag[4], from = 0, t;

    for (t = 0; t < 4; t++) {
        k[t] = known(t, (pc ^ pc / two_to(9 - t) ^ folded(&events, lengths[t], 9)) % 512);
        tag[t] = (unsigned)(pc % 512) ^ folded(&events, lengths[t], 8) * 2;
        if (!k[t]->filled || k[t]->tag != tag[t])
            continue;
        second = is;
        is = k[t];
        from = t + 1;
    }
    other = second ? second->target : base->value;
    said = is ? is->target : base->value;
    if (second && !is->counter && second->counter)
        said = other;
    if (!is) {
        base->value = target;
    } else if (is->target == target) {
        is->counter = at_most(is->counter + 1, 3);
        is->useful = is->useful || other != target;
    } else if (is->counter) {
        is->counter--;
    } else {
        is->target = target;
    }
    for (t = from; said != target && t < 4 && k[t]->useful; t++)
        continue;
    if (said != target && t < 4) {
        k[t]->filled = true;
        k[t]->tag = tag[t];
        k[t]->target = target;
        k[t]->counter = 0;
    } else if (said != target) {
        for (t = from; t < 4; t++)
            k[t]->useful = 0;
    }
    return said != target;
}

void predict_pass(const struct op_record *op)
{
    append(&route, op->addr % 2);
    if (op->op == OP_COND)
        append(&events, op->taken);
    if (op->op == OP_INDIRECT) {
        append(&events, (op->target / 4 + op->target / 32) % 2);
        append(&events, (op->target / 8 + op->target / 16) % 2);
    }
}
