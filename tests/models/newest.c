/* tests/models/newest.c - tagescl, btb2 and shipplus, slowly, from their papers: histories are folded bit by bit, lines know what was done to them. */
#include <stdlib.h>
#include <string.h>

#include "predict.h"

static int kept(int n, int least, int most) { return n < least ? least : n > most ? most : n; }
static int step(int n, bool up, int least, int most) { return kept(n + (up ? 1 : -1), least, most); }

static unsigned folded(unsigned length, unsigned bits)
{
    unsigned value = 0;

    for (unsigned i = 0; i < length; i++)
        value ^= (unsigned)before(&past, i) << i % bits;
    return value;
}

/* ---- tagescl: loops ---- */

struct lap {
    uint64_t pc;
    int length, done, agreed, young; /* length 0: not known; laps of this length in a row */
    bool there, way;
};

static struct lap laps[16];

static bool lap_sure(const struct lap *l, uint64_t pc) { return l->there && l->pc / 16 % 1024 == pc / 16 % 1024 && l->agreed == 3; }
static bool lap_says(const struct lap *l) { return (l->done == l->length - 1) != l->way; }

static void run_lap(struct lap *l, uint64_t pc, bool taken, bool others_wrong)
{
    if (!l->there || l->pc / 16 % 1024 != pc / 16 % 1024) {
        if (others_wrong && l->young-- == 0)
            *l = (struct lap){.pc = pc, .there = true, .way = !taken, .young = 7};
        return;
    }
    if (lap_sure(l, pc) && lap_says(l) != taken) {
        memset(l, 0, sizeof *l);
        return;
    }
    l->done++;
    if (taken == l->way) {
        if (l->length && l->done >= l->length)
            l->length = l->agreed = 0;
        if (l->done == 1023)
            l->length = l->agreed = l->done = 0;
        return;
    }
    if (l->done == l->length) {
        l->agreed = kept(l->agreed + 1, 0, 3);
    } else {
        l->agreed = 0;
        l->length = l->length ? 0 : l->done;
    }
    l->done = 0;
}

/* ---- tagescl: all of it ---- */

bool predict_tagescl(uint64_t pc, bool taken)
{
    static const unsigned lengths[] = {4, 9, 20, 45, 100, 222}, sums[] = {0, 4, 10, 21};
    static struct { int counter, useful; unsigned tag; bool filled; } all[6][512], *e[6], *is;
    static struct node *bases;
    static int w[4][256], *mine[4], doubt = 8, bar = 12, help, tick;
    struct node *base = at(&bases, pc % 4096);
    struct lap *l = &laps[pc % 16];
    bool provided = says(base, 2), other = provided, tage, looped, inter, said, weak;
    unsigned tag[6], from = 0;
    int sum = 0;

    is = NULL;
    for (unsigned t = 0; t < 6; t++) {
        e[t] = &all[t][(pc ^ pc / two_to(9 - t) ^ folded(lengths[t], 9)) % 512];
        tag[t] = (unsigned)(pc % 1024) ^ folded(lengths[t], 10) ^ folded(lengths[t], 9) * 2 % 1024;
        if (!e[t]->filled || e[t]->tag != tag[t])
            continue;
        is = e[t];
        from = t + 1;
        other = provided;
        provided = is->counter >= 0;
    }
    weak = is && (is->counter == 0 || is->counter == -1);
    tage = weak && !is->useful && doubt >= 8 ? other : provided;
    looped = lap_sure(l, pc) ? lap_says(l) : tage;
    inter = help >= 0 ? looped : tage;
    for (int s = 0; s < 4; s++) {
        uint64_t h = recent(&past, sums[s]);

        mine[s] = &w[s][(s ? pc ^ h ^ h / 256 ^ h / 65536 : 2 * pc + inter) % 256];
        sum += 2 * *mine[s] + 1;
    }
    said = abs(sum) >= bar ? sum >= 0 : inter;

    if ((sum >= 0) != inter)
        bar = step(bar, (sum >= 0) != taken, 4, 63);
    if ((sum >= 0) != taken || abs(sum) < bar)
        for (int s = 0; s < 4; s++)
            *mine[s] = step(*mine[s], taken, -32, 31);
    if (looped != tage)
        help = step(help, looped == taken, -64, 63);
    run_lap(l, pc, taken, tage != taken);

    if (!is) {
        move(base, taken, 3);
    } else {
        if (weak && !is->useful && provided != other)
            doubt = step(doubt, other == taken, 0, 15);
        is->counter = step(is->counter, taken, -4, 3);
        if (provided != other)
            is->useful = step(is->useful, provided == taken, 0, 3);
    }
    for (unsigned t = from, made = 0; tage != taken && !(weak && provided == taken) && t < 6 && made < 2;) {
        bool free = !e[t]->useful;

        tick = step(tick, !free, 0, 1023);
        if (free) {
            e[t]->filled = true;
            e[t]->tag = tag[t];
            e[t]->counter = taken ? 0 : -1;
            made++;
        }
        t += free ? 2 : 1;
    }
    if (tick == 1023) {
        tick = 0;
        for (unsigned i = 0; i < 6 * 512; i++)
            all[i / 512][i % 512].useful /= 2;
    }
    return said;
}

/* ---- btb2: for each branch the time of its last use; of a set's branches those used last are known ---- */

static struct { uint64_t pc, to, used; } seen[100000];
static size_t nseen;

/* Is the branch among the `ways` of its set that were used last? */
static bool among(size_t branch, uint64_t sets, uint64_t ways)
{
    uint64_t later = 0;

    for (size_t i = 0; i < nseen; i++)
        later += seen[i].pc % sets == seen[branch].pc % sets && seen[i].used > seen[branch].used;
    return later < ways;
}

bool predict_btb2(uint64_t pc, uint64_t target)
{
    static uint64_t now;
    size_t i = 0;
    bool wrong;

    while (i < nseen && seen[i].pc != pc)
        i++;
    wrong = i == nseen || seen[i].to != target ||
            (!among(i, two_to(option("btb-sets", 4)), option("btb-ways", 4)) && !among(i, two_to(option("btb2-sets", 8)), option("btb2-ways", 4)));
    nseen += i == nseen;
    seen[i].pc = pc;
    seen[i].to = target;
    seen[i].used = ++now;
    return wrong;
}

/* ---- shipplus ---- */

struct shipped_line {
    uint64_t block;
    unsigned by;
    int rrpv;
    bool used, guessed, there;
};

struct shipped {
    unsigned sets, ways;
    struct shipped_line *lines; /* of set s from s * ways on */
    int hopes[16384];
};

struct shipped *shipped_make(const char *policy, unsigned sets, unsigned ways)
{
    struct shipped *s = calloc(1, sizeof *s);

    if (strcmp(policy, "shipplus")) {
        free(s);
        return NULL;
    }
    s->sets = sets;
    s->ways = ways;
    s->lines = calloc((size_t)sets * ways, sizeof *s->lines);
    for (int i = 0; i < 16384; i++)
        s->hopes[i] = 1;
    return s;
}

static struct shipped_line *shipped_room(struct shipped *s, struct shipped_line *set)
{
    for (unsigned w = 0; w < s->ways; w++)
        if (!set[w].there)
            return &set[w];
    for (;;) {
        for (unsigned w = 0; w < s->ways; w++)
            if (set[w].rrpv == 3)
                return &set[w];
        for (unsigned w = 0; w < s->ways; w++)
            set[w].rrpv++;
    }
}

bool shipped_touch(struct shipped *s, uint64_t block, uint64_t pc, bool guess)
{
    struct shipped_line *set = &s->lines[block % s->sets * s->ways], *l = NULL;
    unsigned by = (unsigned)((pc ^ pc / 8192) % 8192 * 2 + guess);

    for (unsigned w = 0; w < s->ways; w++)
        l = set[w].there && set[w].block == block ? &set[w] : l;
    if (l) {
        if (guess && l->guessed)
            return false;
        l->rrpv = l->guessed ? 3 : 0;
        l->guessed = false;
        s->hopes[l->by] = kept(s->hopes[l->by] + !l->used, 0, 7);
        l->used = true;
        return false;
    }
    l = shipped_room(s, set);
    if (l->there && !l->used)
        s->hopes[l->by] = kept(s->hopes[l->by] - 1, 0, 7);
    *l = (struct shipped_line){block, by, s->hopes[by] == 0 ? 3 : s->hopes[by] < 7 ? 2 : guess ? 1 : 0, false, guess, true};
    return true;
}
