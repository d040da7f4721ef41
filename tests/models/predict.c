/* tests/models/predict.c - branch predictors, slowly: every branch and every history is an object found by walking a list.
 *
 * What the modules index with bits of an address is here a list of pairs (key, state); keys are worked out by division.
 * Only the default sizes are modelled. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

struct node {
    struct node *next;
    uint64_t key;
    int state;
    uint64_t value;
};

/* The node with this key; a new one is all zero. */
static struct node *at(struct node **list, uint64_t key)
{
    for (struct node **n = list; *n; n = &(*n)->next)
        if ((*n)->key == key) {
            struct node *found = *n; /* to the front: the walk stays short */

            *n = found->next;
            found->next = *list;
            return *list = found;
        }
    struct node *made = calloc(1, sizeof *made);

    made->key = key;
    made->next = *list;
    return *list = made;
}

static char past[1 << 20]; /* past[0]: the first outcome ever; '1' or '0' */
static size_t npast;

/* The last n outcomes as a number, the latest in the lowest place. */
static uint64_t recent(const char *outcomes, size_t have, unsigned n)
{
    uint64_t value = 0;

    for (unsigned i = n; i > 0; i--)
        value = value * 2 + (have >= i && outcomes[have - i] == '1');
    return value;
}

/* A counter that stops at 0 and `top`. */
static bool says(const struct node *n, int half) { return n->state >= half; }

static void move(struct node *n, bool up, int top)
{
    n->state += up ? 1 : -1;
    n->state = n->state < 0 ? 0 : n->state > top ? top : n->state;
}

static bool counter(struct node **list, uint64_t key, bool taken)
{
    struct node *n = at(list, key);
    bool said = says(n, 2);

    move(n, taken, 3);
    return said;
}

/* ---- the predictors: what each says; they learn at once ---- */

static struct node *tables[8];

struct own {
    struct own *next;
    uint64_t key;
    size_t n;
    char outcomes[1 << 16];
};

static struct own *own_history(uint64_t key)
{
    static struct own *list;

    for (struct own *o = list; o; o = o->next)
        if (o->key == key)
            return o;
    struct own *made = calloc(1, sizeof *made);

    made->key = key;
    made->next = list;
    return list = made;
}

static bool local(uint64_t pc, bool taken)
{
    struct own *o = own_history(pc % 1024);
    bool said = counter(&tables[0], recent(o->outcomes, o->n, 10), taken);

    o->outcomes[o->n++] = taken ? '1' : '0';
    return said;
}

static bool tournament(uint64_t pc, bool taken)
{
    struct own *o = own_history(pc % 1024);
    uint64_t global_key = recent(past, npast, 12);
    struct node *mine = at(&tables[1], recent(o->outcomes, o->n, 10)), *all = at(&tables[2], global_key);
    struct node *choice = at(&tables[3], global_key);
    bool a = says(mine, 4), b = says(all, 2), said = says(choice, 2) ? b : a;

    if (a != b)
        move(choice, b == taken, 3);
    move(all, taken, 3);
    move(mine, taken, 7);
    o->outcomes[o->n++] = taken ? '1' : '0';
    return said;
}

static bool perceptron(uint64_t pc, bool taken)
{
    enum { H = 24 };
    static int w[256][H + 1];
    int *mine = w[pc % 256], x[H + 1], sum = 0, threshold = (int)(1.93 * H + 14);

    x[0] = 1;
    for (unsigned i = 1; i <= H; i++)
        x[i] = npast >= i && past[npast - i] == '1' ? 1 : -1;
    for (unsigned i = 0; i <= H; i++)
        sum += mine[i] * x[i];
    if ((sum >= 0) != taken || abs(sum) <= threshold)
        for (unsigned i = 0; i <= H; i++) {
            mine[i] += (taken ? 1 : -1) * x[i];
            mine[i] = mine[i] > 127 ? 127 : mine[i] < -128 ? -128 : mine[i];
        }
    return sum >= 0;
}

/* ---- tage ---- */

struct tagged {
    int counter, useful;
    unsigned tag;
};

static const unsigned lengths[4] = {5, 15, 44, 130};
static struct tagged tagged[4][1024];

static unsigned folded(unsigned n, unsigned bits)
{
    bool sum[16] = {false};
    unsigned value = 0;

    for (unsigned i = 0; i < n; i++)
        if (npast > i && past[npast - 1 - i] == '1')
            sum[i % bits] = !sum[i % bits];
    for (unsigned i = 0; i < bits; i++)
        value += sum[i] ? 1u << i : 0;
    return value;
}

static bool tage(uint64_t pc, bool taken)
{
    struct tagged *entry[4];
    unsigned tag[4];
    struct node *base = at(&tables[4], pc % 4096);
    bool said = says(base, 2), other = said;
    int from = -1, t;

    for (t = 0; t < 4; t++) {
        entry[t] = &tagged[t][((pc ^ pc / 1024) ^ folded(lengths[t], 10)) % 1024];
        tag[t] = (unsigned)((pc ^ folded(lengths[t], 9) ^ folded(lengths[t], 8) * 2) % 512);
        if (tag[t] && entry[t]->tag == tag[t]) {
            other = said;
            said = entry[t]->counter >= 0;
            from = t;
        }
    }
    if (from < 0) {
        move(base, taken, 3);
    } else {
        struct tagged *e = entry[from];

        e->counter += taken ? 1 : -1;
        e->counter = e->counter > 3 ? 3 : e->counter < -4 ? -4 : e->counter;
        if (said != other)
            e->useful += said == taken ? e->useful < 3 : -(e->useful > 0);
    }
    if (said != taken) {
        for (t = from + 1; t < 4 && entry[t]->useful; t++)
            continue;
        if (t < 4)
            *entry[t] = (struct tagged){taken ? 0 : -1, 0, tag[t]};
        else
            for (t = from + 1; t < 4; t++)
                entry[t]->useful--;
    }
    return said;
}

static bool say(const char *name, const struct op_record *op)
{
    uint64_t pc = op->addr, history = 0;

    if (!strcmp(name, "taken"))
        return true;
    if (!strcmp(name, "btfn"))
        return op->backward;
    if (!strcmp(name, "onebit")) {
        struct node *n = at(&tables[0], pc % 16384);
        bool said = n->state;

        n->state = op->taken;
        return said;
    }
    if (!strcmp(name, "bimodal"))
        return counter(&tables[0], pc % 16384, op->taken);
    if (!strcmp(name, "local"))
        return local(pc, op->taken);
    if (!strcmp(name, "global"))
        return counter(&tables[0], recent(past, npast, 10) * 16 + pc % 16, op->taken);
    history = recent(past, npast, 12);
    if (!strcmp(name, "gshare"))
        return counter(&tables[0], (pc % 16384) ^ history * 4, op->taken);
    if (!strcmp(name, "tournament"))
        return tournament(pc, op->taken);
    if (!strcmp(name, "perceptron"))
        return perceptron(pc, op->taken);
    if (!strcmp(name, "tage"))
        return tage(pc, op->taken);
    return counter(&tables[0], recent(past, npast, 7) * 128 + pc % 128, op->taken);
}

bool predict_cond(const char *name, const struct op_record *op)
{
    bool said = say(name, op);

    past[npast++] = op->taken ? '1' : '0';
    return said != op->taken;
}

/* btb: 128 sets of 4, least recently used, by time of use; cachegrind: 512 last targets. */
bool predict_indirect(const char *name, const struct op_record *op)
{
    static struct { uint64_t pc, to, used; } btb[128][4];
    static uint64_t now, targets[512];
    unsigned set = (unsigned)(op->addr % 128), way = 0;
    bool wrong;

    if (strcmp(name, "btb")) {
        wrong = targets[op->addr % 512] != op->target;
        targets[op->addr % 512] = op->target;
        return wrong;
    }
    for (unsigned i = 0; i < 4; i++)
        if (btb[set][i].pc == op->addr)
            way = i, i = 4;
        else if (btb[set][i].used < btb[set][way].used)
            way = i;
    wrong = btb[set][way].pc != op->addr || btb[set][way].to != op->target;
    btb[set][way].pc = op->addr;
    btb[set][way].to = op->target;
    btb[set][way].used = ++now;
    return wrong;
}
