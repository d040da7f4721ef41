/* tests/models/queues.c - caches of dip, eaf, hawkeye and pdp, slowly, from their papers.
 *
 * What pdp protects is known by the reference up to which it does.  A set is a queue of blocks, the next victim of dip and eaf in front; each block knows its place.  What OPTgen of hawkeye holds is a list
 * of intervals of time, and how many lines it holds at a time is the number of intervals around it. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

struct block {
    uint64_t number, by;
    unsigned place;
    int age;
    uint64_t until; /* pdp: the first reference to the set that may evict it */
};

struct interval {
    size_t from, to;
};

struct group {
    struct block *queue;
    unsigned n;
    uint64_t *seen, *seen_by; /* hawkeye: all references of the set, in order */
    size_t nseen, room;
    struct interval *held;
    size_t nheld;
};

struct queued {
    const char *policy;
    unsigned sets, ways;
    uint64_t *random;
    struct group *group;
    int psel;
    char *filter;
    uint64_t filter_bits, in_filter;
    int trust[8192];
    uint64_t protects, touches, nsampled, ndistances, *distances; /* pdp: of the present period */
};

struct queued *queued_make(const char *policy, unsigned sets, unsigned ways, uint64_t *random)
{
    struct queued *q;

    if (strcmp(policy, "dip") && strcmp(policy, "eaf") && strcmp(policy, "hawkeye") && strcmp(policy, "pdp"))
        return NULL;
    q = calloc(1, sizeof *q);
    q->policy = policy, q->sets = sets, q->ways = ways, q->random = random, q->psel = 511;
    q->group = calloc(sets, sizeof *q->group);
    for (unsigned i = 0; i < sets; i++)
        q->group[i].queue = calloc(ways + 1, sizeof *q->group[i].queue);
    for (q->filter_bits = 64; q->filter_bits < 8ull * sets * ways; q->filter_bits *= 2)
        continue;
    q->filter = calloc(q->filter_bits, 1);
    for (unsigned i = 0; i < 8192; i++)
        q->trust[i] = 4;
    q->protects = option("pdp-distance", 0) ? option("pdp-distance", 0) : ways;
    q->distances = calloc(option("pdp-period", 524288) + 1, sizeof *q->distances);
    return q;
}

/* Takes a block out of the queue. */
static struct block take(struct group *g, unsigned at)
{
    struct block b = g->queue[at];

    memmove(&g->queue[at], &g->queue[at + 1], (--g->n - at) * sizeof b);
    return b;
}

static void put(struct group *g, struct block b, bool last)
{
    if (!last)
        memmove(&g->queue[1], &g->queue[0], g->n * sizeof b);
    g->queue[last ? g->n : 0] = b;
    g->n++;
}

/* ---- dip: of 32 sets one leads LRU, one BIP ---- */

static bool dip_last(struct queued *q, unsigned set)
{
    unsigned of = q->sets < 32 ? q->sets : 32;
    bool lru = q->psel <= 511;

    if (set % of == 0) {
        lru = true;
        q->psel = q->psel < 1023 ? q->psel + 1 : 1023;
    } else if (set % of == (of < 32 ? of - 1 : 1)) {
        lru = false;
        q->psel = q->psel > 0 ? q->psel - 1 : 0;
    }
    return lru || random_of(q->random, 32) == 0;
}

/* ---- eaf ---- */

static const uint64_t factors[4] = {11400714819323198485u, 13787848793156543929u, 10723151780598845931u, 15485907386658061715u};

static char *filter_bit(const struct queued *q, uint64_t number, unsigned i)
{
    return &q->filter[(number + 1) * factors[i] / 4294967296u % q->filter_bits];
}

static bool eaf_last(struct queued *q, uint64_t number, const struct block *evicted)
{
    bool back = true;

    for (unsigned i = 0; i < 4; i++)
        back = back && *filter_bit(q, number, i);
    for (unsigned i = 0; evicted && i < 4; i++)
        *filter_bit(q, evicted->number, i) = 1;
    if (evicted && ++q->in_filter == (uint64_t)q->sets * q->ways) {
        memset(q->filter, 0, q->filter_bits);
        q->in_filter = 0;
    }
    return back || random_of(q->random, 64) == 0;
}

/* ---- hawkeye ---- */

static void trust(struct queued *q, uint64_t pc, bool more)
{
    int *t = &q->trust[(pc % 8192) ^ (pc / 8192 % 8192)];

    if (more ? *t < 7 : *t > 0)
        *t += more ? 1 : -1;
}

/* Could an optimal cache keep the block from reference `from` to the present one? */
static bool room(const struct queued *q, const struct group *g, size_t from)
{
    for (size_t at = from; at < g->nseen; at++) {
        unsigned around = 0;

        for (size_t i = 0; i < g->nheld; i++)
            around += g->held[i].from <= at && at < g->held[i].to;
        if (around >= q->ways)
            return false;
    }
    return true;
}

static void see(struct group *g, uint64_t number, uint64_t pc)
{
    if (g->nseen + 1 >= g->room) {
        g->room = 2 * g->room + 64;
        g->seen = realloc(g->seen, g->room * sizeof *g->seen);
        g->seen_by = realloc(g->seen_by, g->room * sizeof *g->seen_by);
        g->held = realloc(g->held, g->room * sizeof *g->held);
    }
    g->seen[g->nseen] = number;
    g->seen_by[g->nseen++] = pc;
}

static void observe(struct queued *q, struct group *g, uint64_t number, uint64_t pc)
{
    size_t oldest = g->nseen > 8ul * q->ways ? g->nseen - 8ul * q->ways : 0, at = g->nseen;

    while (at > oldest && g->seen[at - 1] != number)
        at--;
    if (at > oldest) {
        bool kept = room(q, g, --at);

        trust(q, g->seen_by[at], kept);
        if (kept)
            g->held[g->nheld++] = (struct interval){at, g->nseen};
    }
    see(g, number, pc);
}

static bool friendly(const struct queued *q, uint64_t pc) { return q->trust[(pc % 8192) ^ (pc / 8192 % 8192)] > 3; }

/* The index in the queue, which here has no order of its own: the oldest, among equals the one with the lowest place. */
static unsigned hawkeye_victim(struct queued *q, struct group *g)
{
    unsigned best = 0;

    for (unsigned i = 1; i < g->n; i++)
        if (g->queue[i].age > g->queue[best].age || (g->queue[i].age == g->queue[best].age && g->queue[i].place < g->queue[best].place))
            best = i;
    if (g->queue[best].age != 7)
        trust(q, g->queue[best].by, false);
    return best;
}

/* ---- pdp ---- */

static void protect_anew(struct queued *q)
{
    unsigned __int128 best_hits = 0, best_room = 1;

    for (uint64_t d = 1; d <= 255; d++) {
        uint64_t hits = 0, room = 0;

        for (uint64_t i = 0; i < q->ndistances; i++) {
            hits += q->distances[i] <= d;
            room += q->distances[i] <= d ? q->distances[i] : 0;
        }
        room += (q->nsampled - hits) * (d + q->ways);
        if (hits * best_room > best_hits * room) {
            q->protects = d;
            best_hits = hits;
            best_room = room;
        }
    }
    q->nsampled = q->ndistances = 0;
}

static void note_distance(struct queued *q, const struct group *g, uint64_t number)
{
    size_t at = g->nseen;

    while (at > 0 && g->seen[at - 1] != number)
        at--;
    q->nsampled++;
    if (at > 0 && g->nseen - at + 1 <= 255)
        q->distances[q->ndistances++] = g->nseen - at + 1;
}

static bool pdp_touch(struct queued *q, unsigned set, uint64_t number)
{
    struct group *g = &q->group[set];
    unsigned every = q->sets <= 32 ? 1 : q->sets / 32, at = 0, best = q->ways;
    bool fixed = option("pdp-distance", 0), miss;

    while (at < g->n && g->queue[at].number != number)
        at++;
    miss = at == g->n;
    for (unsigned i = 0; miss && g->n == q->ways && i < g->n; i++)
        if (g->queue[i].until <= g->nseen && (best == q->ways || g->queue[i].place < g->queue[best].place))
            best = i;
    if (!fixed && set % every == 0)
        note_distance(q, g, number);
    see(g, number, 0);
    if (!fixed && ++q->touches % option("pdp-period", 524288) == 0)
        protect_anew(q);
    if (miss && g->n == q->ways && best == q->ways)
        return true;
    if (miss && g->n == q->ways)
        at = best;
    else if (miss)
        g->queue[g->n].place = g->n, g->n++;
    g->queue[at].number = number;
    g->queue[at].until = g->nseen + q->protects;
    return miss;
}

/* ---- references ---- */

bool queued_touch(struct queued *q, uint64_t number, uint64_t pc)
{
    unsigned set = (unsigned)(number % q->sets), at = 0;
    struct group *g = &q->group[set];
    bool eye = !strcmp(q->policy, "hawkeye"), last = true, full = false, miss;
    struct block b = {.number = number, .place = g->n}, old;

    if (!strcmp(q->policy, "pdp"))
        return pdp_touch(q, set, number);
    while (at < g->n && g->queue[at].number != number)
        at++;
    miss = at == g->n;
    if (!miss) {
        b = take(g, at);
    } else if (g->n == q->ways) {
        old = take(g, eye ? hawkeye_victim(q, g) : 0);
        b.place = old.place;
        full = true;
    }
    if (eye) {
        unsigned every = q->sets <= 64 ? 1 : q->sets / 64;

        if (set % every == 0)
            observe(q, g, number, pc);
        for (unsigned i = 0; miss && friendly(q, pc) && i < g->n; i++)
            g->queue[i].age += g->queue[i].age < 6;
        b.age = friendly(q, pc) ? 0 : 7;
        b.by = pc;
    } else if (miss) {
        last = !strcmp(q->policy, "dip") ? dip_last(q, set) : eaf_last(q, number, full ? &old : NULL);
    }
    put(g, b, last);
    return miss;
}
