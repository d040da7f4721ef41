/* tests/models/newest.c - tagescl, btb2, mockingjay and shipplus, slowly, from their papers: histories are folded bit by bit, lines know what was done to them. */
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

/* ---- mockingjay: all references to a set, the newest last ---- */

struct visit {
    uint64_t block;
    unsigned by;
    bool again;
};

struct mocked {
    unsigned sets, ways, every, window;
    struct visit **visits; /* by sampled set */
    size_t *n;
    unsigned *since; /* by set */
    struct { uint64_t block; int due; bool there; } *lines;
    int expected[2048]; /* -1: unknown */
};

static struct mocked *mocked_make(unsigned sets, unsigned ways)
{
    struct mocked *m = calloc(1, sizeof *m);
    unsigned sampled = sets < 32 ? sets : 32;

    *m = (struct mocked){.sets = sets, .ways = ways, .every = sets / sampled, .window = 8 * ways};
    m->visits = calloc(sets, sizeof *m->visits);
    m->n = calloc(sets, sizeof *m->n);
    m->since = calloc(sets, sizeof *m->since);
    m->lines = calloc((size_t)sets * ways, sizeof *m->lines);
    for (int i = 0; i < 2048; i++)
        m->expected[i] = -1;
    return m;
}

static unsigned mocked_signature(uint64_t pc, bool hit, bool guess)
{
    uint64_t x = pc * 4 + 2 * hit + guess;

    return (unsigned)(x % 2048 ^ x / 2048 % 2048 ^ x / 2048 / 2048 % 2048);
}

static void expect(struct mocked *m, unsigned by, int distance)
{
    int was = m->expected[by];

    if (was < 0)
        m->expected[by] = distance;
    else if (abs(distance - was) >= 16)
        m->expected[by] += distance > was ? 1 : -1;
}

static void mocked_visit(struct mocked *m, unsigned set, uint64_t block, unsigned by)
{
    struct visit *v;
    int never = (int)m->window - 1;

    if (set % m->every || set / m->every >= 32)
        return;
    v = m->visits[set] = realloc(m->visits[set], (m->n[set] + 1) * sizeof *v);
    for (size_t back = 1; back <= m->n[set] && back <= m->window; back++)
        if (v[m->n[set] - back].block == block) {
            expect(m, v[m->n[set] - back].by, (int)back < never ? (int)back : never);
            v[m->n[set] - back].again = true;
            break;
        }
    if (m->n[set] >= m->window && !v[m->n[set] - m->window].again)
        expect(m, v[m->n[set] - m->window].by, never);
    v[m->n[set]++] = (struct visit){block, by, false};
}

static bool mocked_touch(struct mocked *m, uint64_t block, uint64_t pc, bool guess)
{
    unsigned set = (unsigned)(block % m->sets), base = set * m->ways, way = m->ways, by, free = m->ways;
    int never = (int)m->window - 1, late = never - never / 6, most = (int)m->ways - 1;
    bool hit;

    for (unsigned w = m->ways; w-- > 0;) {
        way = m->lines[base + w].there && m->lines[base + w].block == block ? w : way;
        free = m->lines[base + w].there ? free : w;
    }
    hit = way < m->ways;
    by = mocked_signature(pc, hit, guess);
    if (!hit && free < m->ways) {
        way = free;
    } else if (!hit) {
        unsigned out = 0;
        int expected = m->expected[by];

        for (unsigned w = 1; w < m->ways; w++) {
            int a = m->lines[base + w].due, b = m->lines[base + out].due;

            if (2 * abs(a) + (a < 0) > 2 * abs(b) + (b < 0))
                out = w;
        }
        way = expected >= 0 && (expected > late || expected / 8 > abs(m->lines[base + out].due)) ? m->ways : out;
    }
    mocked_visit(m, set, block, by);
    if (m->since[set] == 8) {
        m->since[set] = 0;
        for (unsigned w = 0; w < m->ways; w++)
            if (w != way && abs(m->lines[base + w].due) < most)
                m->lines[base + w].due--;
    }
    m->since[set]++;
    if (way == m->ways)
        return true;
    m->lines[base + way].there = true;
    m->lines[base + way].block = block;
    m->lines[base + way].due = m->expected[by] < 0 ? 0 : m->expected[by] > late ? most : m->expected[by] / 8;
    return !hit;
}

/* ---- shipplus ---- */

struct shipped_line {
    uint64_t block;
    unsigned by;
    int rrpv;
    bool used, guessed, there;
};

struct shipped {
    struct mocked *mocked; /* mockingjay; NULL: shipplus */
    unsigned sets, ways;
    struct shipped_line *lines; /* of set s from s * ways on */
    int hopes[16384];
};

struct shipped *shipped_make(const char *policy, unsigned sets, unsigned ways)
{
    struct shipped *s = calloc(1, sizeof *s);

    if (!strcmp(policy, "mockingjay")) {
        s->mocked = mocked_make(sets, ways);
        return s;
    }
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
    struct shipped_line *set, *l = NULL;
    unsigned by = (unsigned)((pc ^ pc / 8192) % 8192 * 2 + guess);

    if (s->mocked)
        return mocked_touch(s->mocked, block, pc, guess);
    set = &s->lines[block % s->sets * s->ways];
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
