/* tests/models/predict.c - branch predictors, slowly: every branch and every history is an object found by walking a list.
 *
 * What the modules index with bits of an address is here a list of pairs (key, state); keys are worked out by division.
 * Sizes are those of the modules' options (opt=bits=10). */
#include <stdlib.h>
#include <string.h>

#include "predict.h"

/* The node with this key; a new one is all zero. */
struct node *at(struct node **list, uint64_t key)
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

struct past past;

void append(struct past *p, bool taken)
{
    if (p->n == p->room) {
        p->room = p->room ? 2 * p->room : 64;
        p->taken = realloc(p->taken, p->room);
    }
    p->taken[p->n++] = taken;
}

/* Was the branch i before the last one taken?  Before the first: no. */
bool before(const struct past *p, size_t i) { return i < p->n && p->taken[p->n - 1 - i]; }

/* The last n outcomes as a number, the latest in the lowest place. */
uint64_t recent(const struct past *p, unsigned n)
{
    uint64_t value = 0;

    while (n-- > 0)
        value = value * 2 + before(p, n);
    return value;
}

uint64_t two_to(uint64_t bits) { return bits ? 2 * two_to(bits - 1) : 1; }

/* A counter that stops at 0 and `top`. */
bool says(const struct node *n, int half) { return n->state >= half; }

void move(struct node *n, bool up, int top)
{
    n->state += up ? 1 : -1;
    n->state = n->state < 0 ? 0 : n->state > top ? top : n->state;
}

bool counter(struct node **list, uint64_t key, bool taken)
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
    struct past past;
};

static struct past *own_past(uint64_t key)
{
    static struct own *list;
    struct own *o = list;

    while (o && o->key != key)
        o = o->next;
    if (!o) {
        o = calloc(1, sizeof *o);
        o->key = key;
        o->next = list;
        list = o;
    }
    return &o->past;
}

static bool local(uint64_t pc, bool taken)
{
    struct past *own = own_past(pc % two_to(option("local-branches", 10)));
    bool said = counter(&tables[0], recent(own, (unsigned)option("local-history", 10)), taken);

    append(own, taken);
    return said;
}

static bool global(uint64_t pc, bool taken)
{
    uint64_t branches = two_to(option("global-branches", 4));

    return counter(&tables[0], recent(&past, (unsigned)option("global-history", 10)) * branches + pc % branches, taken);
}

static bool gshare(uint64_t pc, bool taken)
{
    unsigned bits = (unsigned)option("bits", 14), history = (unsigned)option("gshare-history", 12);

    return counter(&tables[0], pc % two_to(bits) ^ recent(&past, history) * two_to(bits - history), taken);
}

static bool tournament(uint64_t pc, bool taken)
{
    struct past *own = own_past(pc % 1024);
    uint64_t global_key = recent(&past, 12);
    struct node *mine = at(&tables[1], recent(own, 10)), *all = at(&tables[2], global_key);
    struct node *choice = at(&tables[3], global_key);
    bool a = says(mine, 4), b = says(all, 2), said = says(choice, 2) ? b : a;

    if (a != b)
        move(choice, b == taken, 3);
    move(all, taken, 3);
    move(mine, taken, 7);
    append(own, taken);
    return said;
}

/* y = w0 + sum of wi * xi, xi = 1 if the branch i ago was taken, else -1. */
static bool perceptron(uint64_t pc, bool taken)
{
    static int weights[4096][64];
    unsigned n = (unsigned)option("perceptron-history", 24);
    int *w = weights[pc % two_to(option("perceptrons", 8))], x[64] = {1}, y = 0, threshold = (int)(1.93 * n + 14);

    for (unsigned i = 1; i <= n; i++)
        x[i] = before(&past, i - 1) ? 1 : -1;
    for (unsigned i = 0; i <= n; i++)
        y += w[i] * x[i];
    if ((y >= 0) != taken || abs(y) <= threshold)
        for (unsigned i = 0; i <= n; i++) {
            w[i] += (taken ? 1 : -1) * x[i];
            w[i] = w[i] > 127 ? 127 : w[i] < -128 ? -128 : w[i];
        }
    return y >= 0;
}

/* ---- tage ---- */

struct tagged {
    int counter, useful;
    unsigned tag;
    bool filled;
};

static const unsigned lengths[4] = {5, 15, 44, 130};
static struct tagged tagged[4][1024];

static unsigned folded(unsigned n, unsigned bits)
{
    bool sum[16] = {false};
    unsigned value = 0;

    for (unsigned i = 0; i < n; i++)
        sum[i % bits] ^= before(&past, i);
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
        if (entry[t]->filled && entry[t]->tag == tag[t]) {
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
    if (said != taken) { /* before the tables age */
        for (t = from + 1; t < 4 && entry[t]->useful; t++)
            continue;
        if (t < 4)
            *entry[t] = (struct tagged){taken ? 0 : -1, 0, tag[t], true};
        else
            for (t = from + 1; t < 4; t++)
                entry[t]->useful--;
    }
    if ((past.n + 1) % 262144 == 0)
        for (t = 0; t < 4; t++)
            for (unsigned i = 0; i < 1024; i++)
                tagged[t][i].useful /= 2;
    return said;
}

static bool say(const char *name, const struct op_record *op)
{
    uint64_t pc = op->addr, bits = option("bits", 14);
    bool said;

    if (!strcmp(name, "taken"))
        return true;
    if (!strcmp(name, "btfn"))
        return op->backward;
    if (!strcmp(name, "onebit")) {
        struct node *n = at(&tables[0], pc % two_to(bits));
        bool said = n->state;

        n->state = op->taken;
        return said;
    }
    if (!strcmp(name, "bimodal"))
        return counter(&tables[0], pc % two_to(bits), op->taken);
    if (!strcmp(name, "local"))
        return local(pc, op->taken);
    if (!strcmp(name, "global"))
        return global(pc, op->taken);
    if (!strcmp(name, "gshare"))
        return gshare(pc, op->taken);
    if (!strcmp(name, "tournament"))
        return tournament(pc, op->taken);
    if (!strcmp(name, "perceptron"))
        return perceptron(pc, op->taken);
    if (!strcmp(name, "tage"))
        return tage(pc, op->taken);
    if (!strcmp(name, "tage06"))
        return predict_tage06(pc, op->taken);
    if (!strcmp(name, "tagescl"))
        return predict_tagescl(pc, op->taken);
    if (predict_hybrid(name, pc, op->taken, &said))
        return said;
    return counter(&tables[0], recent(&past, 7) * 128 + pc % 128, op->taken);
}

bool predict_cond(const char *name, const struct op_record *op)
{
    bool said = say(name, op);

    append(&past, op->taken);
    return said != op->taken;
}

/* ---- indirect branches ---- */

static bool last_target(uint64_t slot, uint64_t target)
{
    struct node *n = at(&tables[5], slot);
    bool wrong = n->value != target;

    n->value = target;
    return wrong;
}

/* A target buffer: of each set's branches, those used last are known. */
static bool target_buffer(uint64_t pc, uint64_t target)
{
    static struct { uint64_t pc, to, used; } known[100000];
    static uint64_t nknown, now;
    uint64_t sets = two_to(option("btb-sets", 7)), mine = UINT64_MAX, oldest = UINT64_MAX, there = 0;
    bool wrong;

    for (uint64_t i = 0; i < nknown; i++) {
        if (known[i].pc % sets != pc % sets)
            continue;
        there++;
        oldest = oldest == UINT64_MAX || known[i].used < known[oldest].used ? i : oldest;
        mine = known[i].pc == pc ? i : mine;
    }
    wrong = mine == UINT64_MAX || known[mine].to != target;
    if (mine == UINT64_MAX)
        mine = there < option("btb-ways", 4) ? nknown++ : oldest;
    known[mine].pc = pc;
    known[mine].to = target;
    known[mine].used = ++now;
    return wrong;
}

/* ---- calls and returns: of those calls that have not returned yet, the latest are known ---- */

static uint64_t pending[100000];
static size_t npending;

void predict_call(const struct op_record *op)
{
    size_t depth = option("ras-depth", 16);

    if (npending == depth) /* the oldest is forgotten */
        memmove(pending, pending + 1, --npending * sizeof *pending);
    pending[npending++] = op->target;
}

bool predict_return(const struct op_record *op)
{
    uint64_t said = npending ? pending[--npending] : 0;

    return said != op->target;
}

bool predict_indirect(const char *name, const struct op_record *op)
{
    if (!strcmp(name, "ittage"))
        return predict_ittage(op->addr, op->target);
    if (!strcmp(name, "btb2"))
        return predict_btb2(op->addr, op->target);
    if (!strcmp(name, "btb"))
        return target_buffer(op->addr, op->target);
    return last_target(op->addr % (strcmp(name, "ras") ? 512 : two_to(option("bits", 9))), op->target);
}
