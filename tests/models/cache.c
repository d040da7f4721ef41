/* tests/models/cache.c - a set-associative cache, slowly: each set is a linked list of lines that know everything about
 * themselves (when they came, when they were used, how often); a policy is one question about that. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

struct line {
    struct line *next;
    uint64_t block;       /* address / line size */
    unsigned slot;        /* which of the set's places it has, 0 first */
    uint64_t born, used, uses;
    int rrpv;
    bool referenced;
    unsigned by;          /* ship: signature of the instruction that brought it */
};

struct set {
    struct line *lines;
    unsigned count;
    bool *turn;           /* plru: does node (as an interval of places) point right? index lo * ways + hi */
};

struct cache {
    const char *policy;
    unsigned sets, ways, line;
    struct set *set;
    uint64_t now, random;
    uint64_t touching;    /* block being touched: of a reference over several, the rest is still to come */
    int duel;
    int *hopes;           /* ship: by signature, will its lines be used again? */
    struct queued *queued; /* policies of queues.c */
    struct shipped *shipped; /* of newest.c */
};

struct cache *cache_make(const char *policy, unsigned size, unsigned ways, unsigned line, uint64_t seed)
{
    struct cache *c = calloc(1, sizeof *c);

    *c = (struct cache){.policy = policy, .sets = size / ways / line, .ways = ways, .line = line, .duel = 511};
    c->set = calloc(c->sets, sizeof *c->set);
    for (unsigned i = 0; i < c->sets; i++)
        c->set[i].turn = calloc((size_t)(ways + 1) * (ways + 1), 1);
    c->hopes = malloc(16384 * sizeof *c->hopes);
    for (unsigned i = 0; i < 16384; i++)
        c->hopes[i] = 1;
    c->random = (seed + 1) * 0x9e3779b97f4a7c15;
    c->random |= 1;
    c->queued = queued_make(policy, c->sets, ways, &c->random);
    c->shipped = shipped_make(policy, c->sets, ways);
    return c;
}

/* The policies' generator, as their documentation defines it: xorshift64*, upper half times n. */
unsigned random_of(uint64_t *state, unsigned n)
{
    *state = *state ^ (*state >> 12);
    *state = *state ^ (*state << 25);
    *state = *state ^ (*state >> 27);
    return (unsigned)(((*state * 2685821657736338717u) / 4294967296u) * n / 4294967296u);
}

static unsigned random_below(struct cache *c, unsigned n) { return random_of(&c->random, n); }

static bool is(const struct cache *c, const char *name) { return !strcmp(c->policy, name); }

/* Turn every interval that contains the place away from it. */
static void turn_away(struct set *s, unsigned ways, unsigned lo, unsigned hi, unsigned place)
{
    unsigned mid = (lo + hi) / 2;

    if (hi - lo < 2)
        return;
    s->turn[lo * (ways + 1) + hi] = place < mid;
    if (place < mid)
        turn_away(s, ways, lo, mid, place);
    else
        turn_away(s, ways, mid, hi, place);
}

static unsigned follow(const struct set *s, unsigned ways, unsigned lo, unsigned hi)
{
    unsigned mid = (lo + hi) / 2;

    return hi - lo < 2 ? lo : s->turn[lo * (ways + 1) + hi] ? follow(s, ways, mid, hi) : follow(s, ways, lo, mid);
}

/* Ways of a tree: the largest power of two that divides their number. */
static unsigned tree_of(unsigned ways)
{
    unsigned tree = 1;

    while (ways % (2 * tree) == 0)
        tree *= 2;
    return tree;
}

static struct line *at_slot(const struct set *s, unsigned slot)
{
    struct line *l = s->lines;

    while (l && l->slot != slot)
        l = l->next;
    return l;
}

/* ---- use ---- */

static void use(struct cache *c, struct set *s, struct line *l)
{
    l->used = ++c->now;
    l->uses += l->uses < 255;
    unsigned tree = tree_of(c->ways), lo = l->slot / tree * tree;

    turn_away(s, c->ways, lo, lo + tree, l->slot);
    l->referenced = true;
    for (unsigned i = 0; i < c->ways; i++) {
        const struct line *other = at_slot(s, i);

        if (!other || !other->referenced)
            return;
    }
    for (struct line *o = s->lines; o; o = o->next)
        o->referenced = o == l;
}

static bool long_this_time(struct cache *c, unsigned set)
{
    unsigned period = c->sets < 32 ? c->sets : 32, second = c->sets < 32 ? c->sets - 1 : 1;
    bool srrip = is(c, "srrip");

    if (is(c, "drrip")) {
        srrip = c->duel <= 511;
        if (set % period == 0) {
            srrip = true;
            c->duel += c->duel < 1023;
        } else if (set % period == second) {
            srrip = false;
            c->duel -= c->duel > 0;
        }
    }
    return srrip || random_below(c, 32) == 0;
}

/* ---- victims ---- */

static uint64_t next_use(const struct cache *c, uint64_t block, size_t now, const struct trace_ops *future, bool code)
{
    for (size_t i = now; i < future->n; i++) {
        const struct op_record *o = &future->ops[i];

        if (i == now && block <= c->touching)
            continue;
        if (o->op < OP_COND && (o->op == OP_FETCH) == code && block >= o->addr / c->line &&
            block <= (o->addr + o->size - 1) / c->line)
            return i * 1000 + (block - o->addr / c->line);
    }
    return UINT64_MAX;
}

static unsigned oldest_prediction(struct cache *c, struct set *s)
{
    for (;;) {
        for (unsigned i = 0; i < c->ways; i++)
            if (at_slot(s, i)->rrpv >= 3)
                return i;
        for (struct line *l = s->lines; l; l = l->next)
            l->rrpv++;
    }
}

/* The instruction that makes the reference: the last one fetched. */
static uint64_t instruction(const struct trace_ops *t, size_t now)
{
    while (now > 0 && t->ops[now].op != OP_FETCH)
        now--;
    return t->ops[now].op == OP_FETCH ? t->ops[now].addr : 0;
}

static unsigned signature(const struct trace_ops *t, size_t now)
{
    uint64_t pc = instruction(t, now);

    return (unsigned)(pc % 16384 ^ pc / 16384 % 16384);
}

static void hope(struct cache *c, const struct line *l, int more)
{
    int *h = &c->hopes[l->by];

    *h += more;
    *h = *h > 7 ? 7 : *h < 0 ? 0 : *h;
}

static uint64_t worth(const struct cache *c, const struct line *l)
{
    return is(c, "lru") ? l->used : is(c, "fifo") ? l->born : l->uses;
}

/* The time at which a line of this tree was used last. */
static uint64_t tree_used(const struct set *s, unsigned lo, unsigned tree)
{
    uint64_t used = 0;

    for (const struct line *l = s->lines; l; l = l->next)
        if (l->slot >= lo && l->slot < lo + tree && l->used > used)
            used = l->used;
    return used;
}

static unsigned point_at(const struct cache *c, const struct set *s)
{
    unsigned tree = tree_of(c->ways), oldest = 0;

    for (unsigned lo = tree; lo < c->ways; lo += tree)
        if (tree_used(s, lo, tree) < tree_used(s, oldest, tree))
            oldest = lo;
    return follow(s, c->ways, oldest, oldest + tree);
}

static unsigned victim(struct cache *c, struct set *s, size_t now, const struct trace_ops *future, bool code)
{
    unsigned best = 0;

    if (is(c, "random"))
        return random_below(c, c->ways);
    if (is(c, "plru"))
        return point_at(c, s);
    if (strstr(c->policy, "rrip") || is(c, "ship"))
        return oldest_prediction(c, s);
    for (unsigned i = 0; i < c->ways; i++) {
        if (is(c, "nru") && !at_slot(s, i)->referenced)
            return i;
        if (is(c, "opt")) {
            if (next_use(c, at_slot(s, i)->block, now, future, code) > next_use(c, at_slot(s, best)->block, now, future, code))
                best = i;
        } else if (worth(c, at_slot(s, i)) < worth(c, at_slot(s, best))) {
            best = i;
        }
    }
    return is(c, "nru") ? c->ways - 1 : best;
}

static bool touch_block(struct cache *c, uint64_t block, size_t now, const struct trace_ops *future, bool code)
{
    unsigned number = (unsigned)(block % c->sets);
    struct set *s = &c->set[number];
    struct line *l;

    for (l = s->lines; l; l = l->next)
        if (l->block == block) {
            use(c, s, l);
            l->rrpv = 0;
            hope(c, l, 1);
            return false;
        }
    if (s->count < c->ways) {
        l = calloc(1, sizeof *l);
        l->slot = s->count++;
        l->next = s->lines;
        s->lines = l;
    } else {
        l = at_slot(s, victim(c, s, now, future, code));
        if (is(c, "opt") && option("opt-bypass", 0) && next_use(c, block, now, future, code) > next_use(c, l->block, now, future, code))
            return true;
        l->referenced = false;
        if (l->uses == 1) /* that which brought it */
            hope(c, l, -1);
    }
    l->block = block;
    l->born = c->now + 1;
    l->uses = 0;
    use(c, s, l);
    if (strstr(c->policy, "rrip"))
        l->rrpv = long_this_time(c, number) ? 2 : 3;
    l->by = signature(future, now);
    if (is(c, "ship"))
        l->rrpv = c->hopes[l->by] ? 2 : 3;
    return true;
}

bool cache_touch(struct cache *c, uint64_t addr, unsigned bytes, size_t now, const struct trace_ops *future, bool code)
{
    bool miss = false;

    for (uint64_t b = addr / c->line; b <= (addr + bytes - 1) / c->line; b++) {
        c->touching = b;
        miss |= c->shipped ? shipped_touch(c->shipped, b, instruction(future, now), false)
                : c->queued ? queued_touch(c->queued, b, instruction(future, now)) : touch_block(c, b, now, future, code);
    }
    return miss;
}
