/* array/zcache.c - a zcache: each way has a hash function of its own, and lines are moved to their other places, so that a few ways offer many
 * victims.
 *
 * Each line has one place in each way. On a miss the lines in the W places of the new line are candidates, then the lines in the places to
 * which those could be moved, and so on. The one used longest ago leaves; the lines on the way to it are moved, and the new line has a place. Two
 * ways; the arrows say where a line could go:
 *
 *   X wants place 0 of way 0, where A is, or place 2 of way 1, where B is
 *     A  ->  place 1 of way 1, where C is
 *     B  ->  place 3 of way 0, where D is
 *   D was used longest ago: D leaves, B goes to its place, X to that of B
 *
 * The rules, with the sections of the paper:
 *   walk (3.1)           breadth first, `zcache-levels` deep: W candidates, then W (W - 1), then W (W - 1)^2; with 1 it is a skewed cache with
 *                        exact LRU. A place that the walk has met before is left out, and a free place ends it
 *   replacement (3.3)    the least recently used candidate, by the exact time; the paper counts time in coarser steps
 *   relocation (3.1)     the lines between the victim and the root move by one
 * Otherwise than published: hashes are products, not H3.
 * What it cannot show: the walk costs time and energy (section 3.2), which are not simulated; `relocations` counts the moves.
 *
 * Any line may be a victim, so in slot D1 each reference is a call.
 *
 * Options: `zcache-levels` (2; 1 to 4).
 * Events: `relocations`.
 * Storage: a time per line (8 bits in the paper) more than tags and data.
 * Source: D. Sanchez, C. Kozyrakis, The ZCache: decoupling ways and associativity, MICRO 2010. */
#include "sim/lines.h"

#define LEVEL "zcache"
#define LEVEL_DROP 1

enum { CANDIDATES_MAX = 512 };

struct place {
    uint64_t line, used; /* LINES_NONE: free; the number of the reference that used it last */
};

static struct place *places; /* way by way */
static struct candidate {
    struct place *place;
    int from; /* the candidate whose line would move here; -1: the new line */
} candidates[CANDIDATES_MAX];
static uint64_t now;
static unsigned levels, relocations, index_shift;

static void cachesim_X_initcache(const struct sim_config *c)
{
    uint64_t all = 0, more = c->ways;

    levels = (unsigned)sim_option_within(c->slot, LEVEL, "zcache-levels", 2, 1, 4);
    for (unsigned level = 0; level < levels && all <= CANDIDATES_MAX; level++, more *= c->ways - 1)
        all += more;
    if (!qn_is_pow2(c->sets) || all > CANDIDATES_MAX)
        sim_fail(c->slot, LEVEL, "zcache-levels", 0, "wants a power of two of sets, and at most 512 candidates: fewer ways or levels");
    for (index_shift = 64; 1ull << (64 - index_shift) < c->sets;)
        index_shift--;
    relocations = sim_event(c->slot, "relocations", "lines moved to another place");
    places = sim_alloc((uint64_t)c->sets * c->ways * sizeof *places);
    for (uint64_t i = 0; i < (uint64_t)c->sets * c->ways; i++)
        places[i].line = LINES_NONE;
}

static struct place *place_of(uint64_t line, unsigned way)
{
    uint64_t hash = ((line >> sim.line_bits) + way * 0x632be59bd9b4e019ull) * 0x9e3779b97f4a7c15ull;

    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93ull;
    return &places[(uint64_t)way * sim.sets + (index_shift < 64 ? hash >> index_shift : 0)];
}

static struct place *find(uint64_t line)
{
    for (unsigned way = 0; way < sim.ways; way++)
        if (place_of(line, way)->line == line)
            return place_of(line, way);
    return NULL;
}

/* Adds the places of the line that the walk has not met.  Returns the number of candidates. */
static int offer(int n, uint64_t line, int from)
{
    for (unsigned way = 0; way < sim.ways; way++) {
        struct place *p = place_of(line, way);
        int i = 0;

        while (i < n && candidates[i].place != p)
            i++;
        if (i == n)
            candidates[n++] = (struct candidate){p, from};
    }
    return n;
}

/* Walks, and returns the candidate whose line leaves. */
static int walk(uint64_t line)
{
    int n = offer(0, line, -1), seen = 0, best = 0;

    for (unsigned level = 0; level < levels; level++) {
        int end = n;

        for (; seen < end; seen++) {
            if (candidates[seen].place->line == LINES_NONE)
                return seen;
            if (candidates[seen].place->used < candidates[best].place->used)
                best = seen;
            if (level + 1 < levels)
                n = offer(n, candidates[seen].place->line, seen);
        }
    }
    return best;
}

static struct place *bring(uint64_t line)
{
    int at = walk(line);

    for (; candidates[at].from >= 0; at = candidates[at].from) {
        *candidates[at].place = *candidates[candidates[at].from].place;
        sim_count(relocations, 1);
    }
    candidates[at].place->line = line;
    return candidates[at].place;
}

static void cachesim_X_drop(uint64_t line)
{
    struct place *p = find(line);

    if (p)
        p->line = LINES_NONE;
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        struct place *p = find(line);

        result->miss |= !p;
        p = p ? p : bring(line);
        p->used = ++now;
    }
}
