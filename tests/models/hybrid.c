/* tests/models/hybrid.c - predictors made of several parts, slowly, from their papers: yags, 2bcgskew, hashed, loop. */
#include <stdlib.h>
#include <string.h>

#include "predict.h"

/* ---- yags: what is known of a place of a cache is its counter (state) and tag (value) ---- */

static bool yags(uint64_t pc, bool taken)
{
    static struct node *biases, *usual_taken, *usual_not;
    unsigned bits = (unsigned)option("yags-cache", 10);
    struct node *bias = at(&biases, pc % two_to(option("yags-choice", 12)));
    bool mostly = says(bias, 2), said = mostly;
    struct node *exception = at(mostly ? &usual_taken : &usual_not, (pc % two_to(bits)) ^ recent(&past, bits));
    bool known = exception->value == pc % 64;

    if (known) {
        said = says(exception, 2);
        move(exception, taken, 3);
    } else if (mostly != taken) {
        exception->value = pc % 64;
        exception->state = taken ? 2 : 1;
    }
    if (mostly == taken || said != taken)
        move(bias, taken, 3);
    return said;
}

/* ---- 2bcgskew: H moves the bits y[n] ... y[1] to y[n]^y[1], y[n], ..., y[2]; its inverse is found by trying all ---- */

static unsigned long_bits;

static uint64_t mixed(uint64_t y)
{
    uint64_t lowest = y % 2, highest = y / two_to(long_bits - 1);

    return y / 2 + (lowest != highest) * two_to(long_bits - 1);
}

static uint64_t unmixed(uint64_t y)
{
    static uint64_t *from;

    if (!from) {
        from = calloc(two_to(long_bits), sizeof *from);
        for (uint64_t x = 0; x < two_to(long_bits); x++)
            from[mixed(x)] = x;
    }
    return from[y];
}

/* The last n outcomes, each at its age modulo the bits of an index. */
static uint64_t wrapped(unsigned n)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n; i++)
        value ^= before(&past, i) * two_to(i % long_bits);
    return value;
}

static bool two_bc_gskew(uint64_t pc, bool taken)
{
    static struct node *lists[4];
    uint64_t v2, keys[4];
    struct node *bim, *g0, *g1, *meta;
    bool b, s0, s1, vote, choice, said;

    long_bits = (unsigned)option("gskew-bits", 12);
    v2 = pc % two_to(long_bits);
    keys[0] = v2;
    keys[1] = mixed(wrapped(13)) ^ unmixed(v2) ^ v2;
    keys[2] = mixed(wrapped(21)) ^ unmixed(v2) ^ wrapped(21);
    keys[3] = unmixed(wrapped(15)) ^ mixed(v2) ^ v2;
    bim = at(&lists[0], keys[0]), g0 = at(&lists[1], keys[1]), g1 = at(&lists[2], keys[2]), meta = at(&lists[3], keys[3]);
    b = says(bim, 2), s0 = says(g0, 2), s1 = says(g1, 2);
    vote = (b && s0) || (b && s1) || (s0 && s1);
    choice = says(meta, 2);
    said = choice ? vote : b;
    if (said == taken && b == s0 && b == s1)
        return said;
    if (b != vote)
        move(meta, vote == taken, 3);
    choice = says(meta, 2);
    if ((choice ? vote : b) != taken) { /* still wrong */
        move(bim, taken, 3);
        move(g0, taken, 3);
        move(g1, taken, 3);
    } else if (!choice) {
        move(bim, taken, 3);
    } else {
        if (b == taken)
            move(bim, taken, 3);
        if (s0 == taken)
            move(g0, taken, 3);
        if (s1 == taken)
            move(g1, taken, 3);
    }
    return said;
}

/* ---- hashed: y = sum of one weight of each table ---- */

static bool hashed(uint64_t pc, bool taken)
{
    static struct node *tables[16];
    unsigned n = (unsigned)option("hashed-tables", 8), length = (unsigned)option("hashed-segment", 7);
    struct node *weight[16];
    int y = 0;

    for (unsigned t = 0; t < n; t++) {
        uint64_t part = 0;

        for (unsigned i = 0; t > 0 && i < length; i++)
            part += before(&past, (t - 1) * length + i) * two_to(i);
        weight[t] = at(&tables[t], (pc ^ part) % two_to(option("hashed-bits", 10)));
        y += weight[t]->state;
    }
    if ((y >= 0) != taken || abs(y) <= (int)(1.93 * (n - 1) + 14))
        for (unsigned t = 0; t < n; t++) {
            weight[t]->state += taken ? 1 : -1;
            weight[t]->state = weight[t]->state > 127 ? 127 : weight[t]->state < -128 ? -128 : weight[t]->state;
        }
    return y >= 0;
}

/* ---- loop: each entry has the lengths of the runs since it knows nothing ---- */

struct runs {
    uint64_t tag;
    unsigned now, age, n, length[4]; /* the first runs, all alike */
};

static void reset(struct runs *r)
{
    r->n = 0;
    r->age = 0;
}

static void see(struct runs *r, bool taken, bool base)
{
    bool sure = r->n == 4, last = sure && r->now + 1 == r->length[0];

    if (sure && last == taken) {
        reset(r);
        r->now = 0;
        return;
    }
    if (sure && base != taken && r->age < 255)
        r->age++;
    r->now = (r->now + 1) % 16384;
    if (taken) {
        if (r->n > 0 && r->now >= r->length[0])
            reset(r);
        return;
    }
    if (r->n > 0 && r->length[0] != r->now)
        reset(r);
    else if (r->n < 4)
        r->length[r->n++] = r->now;
    if (r->n > 0 && r->now < 3)
        reset(r);
    r->now = 0;
}

static bool loop(uint64_t pc, bool taken)
{
    static struct runs sets[1024][4];
    static struct node *list;
    uint64_t nsets = two_to(option("loop-sets", 4)), tag = pc / nsets % 16384;
    struct runs *set = sets[pc % nsets], *mine = NULL, *old = NULL;
    bool base = counter(&list, pc % two_to(option("bits", 12)), taken), said = base;

    for (int i = 3; i >= 0; i--) {
        mine = set[i].tag == tag ? &set[i] : mine;
        old = set[i].age == 0 ? &set[i] : old;
    }
    if (mine) {
        if (mine->n == 4)
            said = mine->now + 1 != mine->length[0];
        see(mine, taken, base);
    } else if (base && !taken) {
        if (old)
            *old = (struct runs){.tag = tag, .age = 255};
        for (int i = 0; i < 4 && !old; i++)
            set[i].age--;
    }
    return said;
}

bool predict_hybrid(const char *name, uint64_t pc, bool taken, bool *said)
{
    static const struct {
        const char *name;
        bool (*say)(uint64_t pc, bool taken);
    } all[] = {{"yags", yags}, {"2bcgskew", two_bc_gskew}, {"hashed", hashed}, {"loop", loop}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(name, all[i].name)) {
            *said = all[i].say(pc, taken);
            return true;
        }
    return false;
}
