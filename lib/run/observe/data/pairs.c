/* lib/run/observe/data/pairs.c - --data with an analysis of lines (3c, culprits): counts the pairs of objects that evict each other's lines.
 *
 *   a miss on object 7 fills a line; the victim is L of object 3       L: evicted by 7
 *   the next miss on L                                                 pair 3, 7: one more miss
 *
 * For a reference to several lines, the first line counts that was evicted before.  A line that was never in the cache has no pair, nor has
 * one whose eviction found no room (QN_EVICTED_MAX).
 */
#include "run/observe/data/data.h"
#include "run/run.h"
#include "sim/contract.h"

#define CAME_MAX 1024u       /* lines of one reference, which xsave with all states needs 11 KB for */
#define INDEX_FIRST 4096u
#define PAIRS_MAX (QN_ARENA_PAIRS_SIZE / sizeof(struct qn_data_pair))

static struct {
    uint64_t line, victim;
    bool evicts;
} came[CAME_MAX];            /* for the reference that is being simulated */
static uint32_t ncame;

/* Evicted lines, and pairs, each by hash; value 0 = free. */
struct entry {
    uint64_t key;
    uint32_t value;          /* object, or pair, + 1 */
};

struct index {
    struct entry *list;
    uint32_t size, n;        /* size: a power of two */
};

static struct index evicted, pairs;
static bool told;

static struct qn_data_pair *pair_at(uint64_t i) { return (struct qn_data_pair *)(QN_ARENA_ALIAS_BASE + QN_ARENA_PAIRS_OFF) + i; }

static struct entry *place_of(const struct index *x, uint64_t key)
{
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & (x->size - 1);

    while (x->list[at].value && x->list[at].key != key)
        at = (at + 1) & (x->size - 1);
    return &x->list[at];
}

static void enlarge(struct index *x)
{
    struct index old = *x;

    x->size = old.size ? 2 * old.size : INDEX_FIRST;
    x->list = qn_engine_alloc(x->size * sizeof *x->list);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.list[i].value)
            *place_of(x, old.list[i].key) = old.list[i];
}

/* The entry of the key.  NULL: there are `most` others. */
static struct entry *entry_of(struct index *x, uint64_t key, uint32_t most)
{
    struct entry *e;

    if (x->n >= x->size / 2)
        enlarge(x);
    e = place_of(x, key);
    if (!e->value && x->n == most)
        return NULL;
    if (!e->value) {
        x->n++;
        e->key = key;
    }
    return e;
}

/* + 1; 0: there is no room. */
static uint32_t pair_of(uint32_t object, uint32_t by)
{
    uint64_t n = qn_arena->n_pairs;
    struct entry *e;

    e = entry_of(&pairs, (uint64_t)object << 32 | by, PAIRS_MAX);
    if (!e)
        return 0;
    if (!e->value) {
        *pair_at(n) = (struct qn_data_pair){.object = object, .by = by};
        qn_arena->n_pairs = n + 1;
        e->value = (uint32_t)n + 1;
    }
    return e->value;
}

static void note_eviction(uint64_t line, uint32_t object)
{
    struct entry *e = entry_of(&evicted, line, QN_EVICTED_MAX);

    if (e)
        e->value = object + 1;
    else
        qn_arena->evicted_lost++;
}

static QN_NCSR void line_came(uint64_t line, uint64_t victim, bool evicts)
{
    if (ncame == CAME_MAX)
        return;
    came[ncame].line = line;
    came[ncame].victim = victim;
    came[ncame++].evicts = evicts;
}

uint32_t qn_pairs_miss(uint32_t object)
{
    uint32_t pair = 0, evictor = 0;

    if (QN_LIKELY(!told))
        return 0;
    for (uint32_t i = 0; i < ncame; i++) {
        const struct entry *e = evicted.size ? place_of(&evicted, came[i].line) : NULL;

        evictor = evictor || !e ? evictor : e->value;
        if (came[i].evicts)
            note_eviction(came[i].victim, object);
    }
    ncame = 0;
    if (evictor && (pair = pair_of(object, evictor - 1)))
        pair_at(pair - 1)->misses++;
    return pair;
}

void qn_pairs_add(uint32_t pair, int64_t misses, int64_t conflicts)
{
    if (!pair)
        return;
    pair_at(pair - 1)->misses += (uint64_t)misses;
    pair_at(pair - 1)->conflicts += (uint64_t)conflicts;
}

void qn_pairs_init(void) { told = qn_sim_tell_lines(line_came); }
