/* lib/lab/model_distance.c - see model_distance.h.
 *
 *   time      0 1 2 3 4
 *   line      a b c a b      reference 3 to a: between 0 and 3 lie the last uses of b and c, so its distance is 2,
 *   and a cache of
 *                            3 lines or more has it
 *
 * Each line has one mark, at the time of its last use; a Fenwick tree counts the marks between two times.
 * Source: B. T. Bennett, V. J. Kruskal, LRU stack processing, IBM J. Res. Dev. 19(4), 1975 (with P. Fenwick's tree,
 * 1994).
 */
#include "lab/model_distance.h"

#include <stdlib.h>

#include "lab/model_cache.h"

#define HASH_FACTOR 0x9e3779b97f4a7c15ull

unsigned long qn_lab_brute_misses(const struct qn_lab_trace *t, unsigned bits, unsigned lines)
{
    struct qn_lab_cache *cache = qn_lab_new_cache(QN_LAB_LRU, 1, lines);
    unsigned long misses = 0;

    for (size_t i = 0; i < t->n; i++)
        misses += !qn_lab_touch_line(cache, t->at[i].addr >> bits, 0).hit;
    qn_lab_free_cache(cache);
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

static unsigned distance(struct marks *m, uint64_t line, size_t now)
{
    size_t slot = find_slot(m, line);
    unsigned d = QN_LAB_FIRST_USE;

    if (m->line[slot]) {
        d = marks_before(m, now) - marks_before(m, m->time[slot] + 1);
        mark(m, m->time[slot], -1);
    }
    m->line[slot] = line + 1;
    m->time[slot] = now;
    mark(m, now, 1);
    return d;
}

void qn_lab_curve(const struct qn_lab_trace *t, unsigned bits, unsigned long *misses, unsigned max)
{
    struct marks m = { .n = t->n, .slots = 16 };

    while (m.slots < 2 * t->n)
        m.slots *= 2;
    m.sum = calloc(t->n + 1, sizeof *m.sum);
    m.line = calloc(m.slots, sizeof *m.line);
    m.time = calloc(m.slots, sizeof *m.time);
    if (!m.sum || !m.line || !m.time)
        abort();
    for (unsigned n = 0; n <= max; n++)
        misses[n] = 0;
    /* At first misses[d] counts references of distance d; a cache of n lines has those of d < n. */
    for (size_t i = 0; i < t->n; i++) {
        unsigned d = distance(&m, t->at[i].addr >> bits, i);

        misses[d < max ? d : max]++;
    }
    for (unsigned n = max; n-- > 0;)
        misses[n] += misses[n + 1];
    free(m.sum);
    free(m.line);
    free(m.time);
}
