/* lib/lab/model_cache.c - see model_cache.h.  Ways are filled in the order 0, 1, 2; a victim is asked for in a
 * full set only. */
#include "lab/model_cache.h"

#include <stdlib.h>

#define RRPV_LONG 2      /* two bits of re-reference prediction: a new line */
#define RRPV_DISTANT 3   /* a victim */

struct entry {
    bool valid, recent;  /* recent: nru's bit */
    uint64_t line, came, used, next;
    unsigned rrpv;
};

struct qn_lab_cache {
    enum qn_lab_policy policy;
    unsigned sets, ways;
    uint64_t now;
    struct entry *entries;   /* set by set */
    bool *older_right;       /* plru: of set s, node n (1 is the root, 2n and 2n+1 its children): s * ways + n */
};

struct qn_lab_cache *qn_lab_new_cache(enum qn_lab_policy policy, unsigned sets, unsigned ways)
{
    struct qn_lab_cache *c = calloc(1, sizeof *c);

    if (!c)
        abort();
    *c = (struct qn_lab_cache){ .policy = policy, .sets = sets, .ways = ways };
    c->entries = calloc((size_t)sets * ways, sizeof *c->entries);
    c->older_right = calloc((size_t)sets * ways, sizeof *c->older_right);
    if (!c->entries || !c->older_right)
        abort();
    return c;
}

void qn_lab_free_cache(struct qn_lab_cache *c)
{
    free(c->entries);
    free(c->older_right);
    free(c);
}

/* ---- what a use does ---- */

/* The tree points away from the way, at every node on its path. */
static void point_away(struct qn_lab_cache *c, unsigned set, unsigned way)
{
    unsigned node = 1;

    for (unsigned half = c->ways / 2; half >= 1; half /= 2) {
        bool right = (way & half) != 0;

        c->older_right[set * c->ways + node] = !right;
        node = 2 * node + right;
    }
}

/* When all bits would be set, the others are cleared. */
static void mark_recent(struct qn_lab_cache *c, struct entry *set, unsigned way)
{
    bool all = true;

    set[way].recent = true;
    for (unsigned i = 0; i < c->ways; i++)
        all = all && set[i].recent;
    for (unsigned i = 0; all && i < c->ways; i++)
        set[i].recent = i == way;
}

static void use(struct qn_lab_cache *c, unsigned number, unsigned way, uint64_t next)
{
    struct entry *set = &c->entries[(size_t)number * c->ways];

    set[way].used = c->now;
    set[way].next = next;
    if (c->policy == QN_LAB_PLRU)
        point_away(c, number, way);
    mark_recent(c, set, way);
}

/* ---- who has to go ---- */

static unsigned follow_tree(const struct qn_lab_cache *c, unsigned set)
{
    unsigned node = 1;

    while (node < c->ways)
        node = 2 * node + c->older_right[set * c->ways + node];
    return node - c->ways;
}

static unsigned first_distant(const struct qn_lab_cache *c, struct entry *set)
{
    for (;;) {
        for (unsigned i = 0; i < c->ways; i++)
            if (set[i].rrpv >= RRPV_DISTANT)
                return i;
        for (unsigned i = 0; i < c->ways; i++)
            set[i].rrpv++;
    }
}

static unsigned first_not_recent(const struct qn_lab_cache *c, const struct entry *set)
{
    for (unsigned i = 0; i < c->ways; i++)
        if (!set[i].recent)
            return i;
    return c->ways - 1; /* one way: its bit is always set */
}

/* Smaller goes first. */
static uint64_t worth(const struct qn_lab_cache *c, const struct entry *e)
{
    return c->policy == QN_LAB_FIFO ? e->came : c->policy == QN_LAB_OPT ? ~e->next : e->used;
}

static unsigned find_victim(struct qn_lab_cache *c, unsigned number)
{
    struct entry *set = &c->entries[(size_t)number * c->ways];
    unsigned least = 0;

    if (c->policy == QN_LAB_PLRU)
        return follow_tree(c, number);
    if (c->policy == QN_LAB_NRU)
        return first_not_recent(c, set);
    if (c->policy == QN_LAB_SRRIP)
        return first_distant(c, set);
    for (unsigned i = 1; i < c->ways; i++)
        if (worth(c, &set[i]) < worth(c, &set[least]))
            least = i;
    return least;
}

struct qn_lab_touch qn_lab_touch_line(struct qn_lab_cache *c, uint64_t line, uint64_t next)
{
    unsigned number = (unsigned)(line & (c->sets - 1)), way = 0;
    struct entry *set = &c->entries[(size_t)number * c->ways];
    struct qn_lab_touch result = { .hit = false };

    c->now++;
    while (way < c->ways && set[way].valid && set[way].line != line)
        way++;
    result.hit = way < c->ways && set[way].valid;
    if (result.hit) {
        set[way].rrpv = 0;
    } else {
        if (way == c->ways) {
            way = find_victim(c, number);
            result.evicted = true;
            result.victim = set[way].line;
        }
        set[way] = (struct entry){ .valid = true, .line = line, .came = c->now, .rrpv = RRPV_LONG };
    }
    use(c, number, way, next);
    return result;
}

bool qn_lab_line_in(const struct qn_lab_cache *c, unsigned set, unsigned way, uint64_t *line)
{
    const struct entry *e = &c->entries[(size_t)set * c->ways + way];

    *line = e->line;
    return e->valid;
}
