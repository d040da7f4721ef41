/* lib/lab/models/model_cache.c - see models.h.  Ways are filled in the order 0, 1, 2; a victim is asked for in a
 * full set only. */
#include "lab/models/models.h"

#include <stdlib.h>

#include "base/grow.h"

#define TIMES 64 /* between two uses: lines that come in between others have times of their own */

struct entry {
    bool valid, recent;  /* recent: nru's bit */
    uint64_t line, came, used, next;
    unsigned rrpv, chances;
};

struct qn_lab_cache {
    enum qn_lab_policy policy;
    struct qn_lab_variant rules;
    unsigned sets, ways;
    uint64_t now, queue;     /* fifo: the last place in a queue that was given */
    struct entry *entries;   /* set by set */
    unsigned *next_way;      /* nru, of each set: behind the last victim */
    bool *older_right;       /* plru: of set s, node n (1 is the root, 2n and 2n+1 its children): s * ways + n */
};

struct qn_lab_cache *qn_lab_new_cache(enum qn_lab_policy policy, unsigned sets, unsigned ways)
{
    struct qn_lab_cache *c = QN_NEEDED(calloc(1, sizeof *c));

    *c = (struct qn_lab_cache){ .policy = policy, .rules = qn_lab_standard(), .sets = sets, .ways = ways };
    c->entries = QN_NEEDED(calloc((size_t)sets * ways, sizeof *c->entries));
    c->older_right = QN_NEEDED(calloc((size_t)sets * ways, sizeof *c->older_right));
    c->next_way = QN_NEEDED(calloc(sets, sizeof *c->next_way));
    return c;
}

struct qn_lab_cache *qn_lab_new_variant_cache(enum qn_lab_policy policy, unsigned sets, unsigned ways, const struct qn_lab_variant *v)
{
    struct qn_lab_cache *c = qn_lab_new_cache(policy, sets, ways);

    c->rules = *v;
    return c;
}

static unsigned rule(const struct qn_lab_cache *c, enum qn_lab_parameter p) { return c->rules.value[p]; }

/* Of re-reference prediction: a victim; a new line has one less. */
static unsigned distant(const struct qn_lab_cache *c) { return (1u << rule(c, QN_LAB_SRRIP_BITS)) - 1; }

void qn_lab_free_cache(struct qn_lab_cache *c)
{
    free(c->entries);
    free(c->older_right);
    free(c->next_way);
    free(c);
}

/* ---- what a use does ---- */

/* The leaf of a way, and the way of a leaf, in a variant's order of leaves. */
static unsigned reversed(const struct qn_lab_cache *c, unsigned way)
{
    unsigned leaf = 0;

    for (unsigned half = c->ways / 2; half >= 1; half /= 2, way /= 2)
        leaf += way % 2 ? half : 0;
    return leaf;
}

static unsigned way_of(const struct qn_lab_cache *c, unsigned leaf)
{
    switch (rule(c, QN_LAB_PLRU_ORDER)) {
    case 0: return leaf;
    case 1: return reversed(c, leaf);
    default: return (leaf + 1) % c->ways;
    }
}

static unsigned leaf_of(const struct qn_lab_cache *c, unsigned way)
{
    unsigned leaf = 0;

    while (way_of(c, leaf) != way)
        leaf++;
    return leaf;
}

/* Makes every node on the way's path point away from it; in a variant, a fill does not change some of them. */
static void point_away(struct qn_lab_cache *c, unsigned set, unsigned way, bool fill)
{
    unsigned node = 1, leaf = leaf_of(c, way), rules = fill ? rule(c, QN_LAB_PLRU_FILL) : 0;

    for (unsigned half = c->ways / 2; half >= 1; half /= 2) {
        bool right = (leaf & half) != 0;

        if (rules == 0 || (rules == 1 && half == 1) || (rules == 2 && node != 1))
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
    for (unsigned i = 0; all && i < c->ways && rule(c, QN_LAB_NRU_CLEAR) < 2; i++)
        set[i].recent = i == way && !rule(c, QN_LAB_NRU_CLEAR);
}

/* The time of a line that is filled: now, or (in a variant) a time such that `place` lines are newer. */
static uint64_t time_of_new(const struct qn_lab_cache *c, const struct entry *set, unsigned way, unsigned place)
{
    uint64_t time = 0;

    for (unsigned n = 0; n < place; n++) { /* the next older than what was found */
        uint64_t next = UINT64_MAX;

        for (unsigned i = 0; i < c->ways; i++)
            if (i != way && set[i].valid && set[i].used > time && set[i].used < next)
                next = set[i].used;
        if (next == UINT64_MAX)
            return c->now * TIMES;
        time = next;
    }
    return place ? time + 1 : c->now * TIMES;
}

/* Frees a time between two uses: a line that has this time gets the next one. */
static void make_room(const struct qn_lab_cache *c, struct entry *set, uint64_t time)
{
    for (unsigned i = 0; i < c->ways; i++)
        if (set[i].valid && set[i].used == time) {
            make_room(c, set, time + 1);
            set[i].used++;
        }
}

static void use(struct qn_lab_cache *c, unsigned number, unsigned way, uint64_t next, bool hit)
{
    struct entry *set = &c->entries[(size_t)number * c->ways];
    uint64_t time = hit ? c->now * TIMES : time_of_new(c, set, way, rule(c, QN_LAB_LRU_PLACE));

    set[way].used = 0;
    make_room(c, set, time);
    set[way].used = time;
    set[way].next = next;
    if (c->policy == QN_LAB_PLRU)
        point_away(c, number, way, !hit);
    mark_recent(c, set, way);
}

/* ---- the victim ---- */

static unsigned follow_tree(const struct qn_lab_cache *c, unsigned set)
{
    unsigned node = 1;

    while (node < c->ways)
        node = 2 * node + c->older_right[set * c->ways + node];
    return way_of(c, node - c->ways);
}

static unsigned first_distant(const struct qn_lab_cache *c, struct entry *set)
{
    for (;;) {
        for (unsigned n = 0; n < c->ways; n++) {
            unsigned i = rule(c, QN_LAB_SRRIP_DOWN) ? c->ways - 1 - n : n;

            if (set[i].rrpv >= distant(c))
                return i;
        }
        for (unsigned i = 0; i < c->ways; i++)
            set[i].rrpv++;
    }
}

/* The victim of nru: the first way whose bit is clear, or in a variant the last, or the first behind the last victim. */
static unsigned find_not_recent(struct qn_lab_cache *c, struct entry *set, unsigned number)
{
    unsigned kind = rule(c, QN_LAB_NRU_WAY), from = kind == 2 ? c->next_way[number] : 0;

    for (unsigned n = 0; n < c->ways; n++) {
        unsigned i = kind == 1 ? c->ways - 1 - n : (from + n) % c->ways;

        if (!set[i].recent) {
            c->next_way[number] = (i + 1) % c->ways;
            return i;
        }
    }
    if (rule(c, QN_LAB_NRU_CLEAR) < 2 || c->ways == 1)
        return c->ways - 1; /* one way: its bit is always set */
    for (unsigned i = 0; i < c->ways; i++)
        set[i].recent = false;
    return find_not_recent(c, set, number);
}

/* The line with the smallest worth is the victim. */
static uint64_t worth(const struct qn_lab_cache *c, const struct entry *e)
{
    unsigned horizon = rule(c, QN_LAB_OPT_HORIZON);

    if (c->policy != QN_LAB_OPT)
        return c->policy == QN_LAB_FIFO ? e->came : e->used;
    return horizon && e->next - (c->now - 1) > horizon ? 0 : ~e->next; /* now: the number of this reference, from 1 */
}

/* The victim of fifo with chances: the oldest line without one left; older lines lose a chance and move to the end, in order. */
static unsigned first_without_chance(struct qn_lab_cache *c, struct entry *set)
{
    for (;;) {
        unsigned first = 0;

        for (unsigned i = 1; i < c->ways; i++)
            if (set[i].came < set[first].came)
                first = i;
        if (!set[first].chances)
            return first;
        set[first].chances--;
        set[first].came = ++c->queue;
    }
}

static unsigned find_victim(struct qn_lab_cache *c, unsigned number)
{
    struct entry *set = &c->entries[(size_t)number * c->ways];
    unsigned least = 0;

    if (c->policy == QN_LAB_PLRU)
        return follow_tree(c, number);
    if (c->policy == QN_LAB_NRU)
        return find_not_recent(c, set, number);
    if (c->policy == QN_LAB_SRRIP)
        return first_distant(c, set);
    if (c->policy == QN_LAB_FIFO)
        return first_without_chance(c, set);
    for (unsigned i = 1; i < c->ways; i++)
        if (worth(c, &set[i]) < worth(c, &set[least]))
            least = i;
    return least;
}

static bool path_points_away(const struct qn_lab_cache *c, unsigned set, unsigned way)
{
    unsigned node = 1, leaf = leaf_of(c, way);

    for (unsigned half = c->ways / 2; half >= 1; half /= 2) {
        bool right = (leaf & half) != 0;

        if (c->older_right[set * c->ways + node] == right)
            return false;
        node = 2 * node + right;
    }
    return true;
}

/* Does a hit change nothing of the policy's state? */
static bool is_settled(const struct qn_lab_cache *c, unsigned number, unsigned way)
{
    const struct entry *set = &c->entries[(size_t)number * c->ways];

    switch (c->policy) {
    case QN_LAB_FIFO: return set[way].chances == rule(c, QN_LAB_FIFO_CHANCES);
    case QN_LAB_SRRIP: return !set[way].rrpv;
    case QN_LAB_NRU: return set[way].recent;
    case QN_LAB_PLRU: return path_points_away(c, number, way);
    case QN_LAB_OPT: return false;
    default:
        for (unsigned i = 0; i < c->ways; i++)
            if (set[i].valid && set[i].used > set[way].used)
                return false;
        return true;
    }
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
    result.settled = result.hit && is_settled(c, number, way);
    if (result.hit) {
        set[way].rrpv = rule(c, QN_LAB_SRRIP_DOWN) && set[way].rrpv ? set[way].rrpv - 1 : 0;
        set[way].chances += set[way].chances < rule(c, QN_LAB_FIFO_CHANCES);
    } else {
        if (way == c->ways) {
            way = find_victim(c, number);
            result.evicted = true;
            result.victim = set[way].line;
        }
        set[way] = (struct entry){ .valid = true, .line = line, .came = ++c->queue, .rrpv = distant(c) - 1 };
    }
    use(c, number, way, next, result.hit);
    return result;
}

bool qn_lab_line_in(const struct qn_lab_cache *c, unsigned set, unsigned way, uint64_t *line)
{
    const struct entry *e = &c->entries[(size_t)set * c->ways + way];

    *line = e->line;
    return e->valid;
}
