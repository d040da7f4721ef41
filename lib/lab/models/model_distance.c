/* lib/lab/models/model_distance.c - see models.h.
 *
 *   time      0 1 2 3 4
 *   line      a b c a b      reference 3 to a: the last uses of b and c are between 0 and 3, so its distance is 2,
 *                            and a cache of 3 lines or more hits
 *
 * Each line has one mark, at the time of its last use; a Fenwick tree counts the marks between two times.
 * Source: B. T. Bennett, V. J. Kruskal, LRU stack processing, IBM J. Res. Dev. 19(4), 1975 (with P. Fenwick's tree,
 * 1994).
 */
#include "lab/models/models.h"

#include <stdlib.h>

#include "base/grow.h"

#define HASH_FACTOR 0x9e3779b97f4a7c15ull

struct kept {
    uint64_t line;
    size_t loaded; /* by reference so */
};

/* The lines of the cache, the most recently loaded one first. */
struct brute {
    struct kept *at;
    unsigned used, lines;
};

/* Removes lines that are too old, which are the last ones. */
static void give_up_old(struct brute *b, size_t now, unsigned age)
{
    while (age && b->used > 0 && now - b->at[b->used - 1].loaded > (size_t)age * b->lines)
        b->used--;
}

/* true: a hit. */
static bool look_up(struct brute *b, uint64_t line, size_t now, bool changes_nothing)
{
    unsigned place = 0;
    bool hit;

    while (place < b->used && b->at[place].line != line)
        place++;
    hit = place < b->used;
    if (changes_nothing)
        return hit;
    if (!hit && b->used < b->lines)
        b->used++;
    else if (!hit)
        place--;
    for (; place > 0; place--)
        b->at[place] = b->at[place - 1];
    b->at[0] = (struct kept){ line, now };
    return hit;
}

unsigned long qn_lab_brute_misses(const struct qn_lab_trace *t, unsigned bits, unsigned lines, const struct qn_lab_variant *rules)
{
    struct kept *at = QN_NEEDED(calloc(lines, sizeof *at));
    struct brute b = { at, 0, lines };
    unsigned long misses = 0;

    for (size_t i = 0; i < t->n; i++) {
        give_up_old(&b, i, rules->value[QN_LAB_MRC_AGE]);
        misses += !look_up(&b, t->at[i].addr >> bits, i, rules->value[QN_LAB_MRC_STORE] && t->at[i].op == 'S');
    }
    free(at);
    return misses;
}

struct marks {
    unsigned *sum;     /* Fenwick tree, from 1 */
    size_t n;
    uint64_t *line;    /* hash table of last uses: line + 1, 0 = free */
    size_t *time, slots;
};

static void mark(struct marks *m, size_t time, int by)
{
    for (size_t i = time + 1; i <= m->n; i += i & (0 - i))
        m->sum[i] += (unsigned)by;
}

/* Marks before this time. */
static unsigned marks_before(const struct marks *m, size_t time)
{
    unsigned sum = 0;

    for (size_t i = time; i > 0; i -= i & (0 - i))
        sum += m->sum[i];
    return sum;
}

static size_t find_slot(const struct marks *m, uint64_t line)
{
    size_t slot = (size_t)(line * HASH_FACTOR >> 20) & (m->slots - 1);

    while (m->line[slot] && m->line[slot] != line + 1)
        slot = (slot + 1) & (m->slots - 1);
    return slot;
}

/* The size of the smallest cache that hits; QN_LAB_FIRST_USE: none does. */
static unsigned least_cache(struct marks *m, uint64_t line, size_t now, unsigned age, bool changes_nothing)
{
    size_t slot = find_slot(m, line);
    unsigned least = QN_LAB_FIRST_USE;

    if (m->line[slot]) {
        least = 1 + marks_before(m, now) - marks_before(m, m->time[slot] + 1);
        if (age && (now - m->time[slot] + age - 1) / age > least)
            least = (unsigned)((now - m->time[slot] + age - 1) / age);
    }
    if (changes_nothing)
        return least;
    if (m->line[slot])
        mark(m, m->time[slot], -1);
    m->line[slot] = line + 1;
    m->time[slot] = now;
    mark(m, now, 1);
    return least;
}

void qn_lab_curve(const struct qn_lab_trace *t, unsigned bits, unsigned long *misses, unsigned max, const struct qn_lab_variant *rules)
{
    struct marks m = { .n = t->n, .slots = 16 };

    while (m.slots < 2 * t->n)
        m.slots *= 2;
    m.sum = QN_NEEDED(calloc(t->n + 1, sizeof *m.sum));
    m.line = QN_NEEDED(calloc(m.slots, sizeof *m.line));
    m.time = QN_NEEDED(calloc(m.slots, sizeof *m.time));
    for (unsigned n = 0; n <= max; n++)
        misses[n] = 0;
    /* At first misses[n] counts references on which a cache of n + 1 lines hits, and one of n lines misses. */
    for (size_t i = 0; i < t->n; i++) {
        unsigned least = least_cache(&m, t->at[i].addr >> bits, i, rules->value[QN_LAB_MRC_AGE],
                                     rules->value[QN_LAB_MRC_STORE] && t->at[i].op == 'S');

        misses[least - 1 < max ? least - 1 : max]++;
    }
    for (unsigned n = max; n-- > 0;)
        misses[n] += misses[n + 1];
    free(m.sum);
    free(m.line);
    free(m.time);
}
