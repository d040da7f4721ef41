/* analysis/hotlist.h - the most frequent values of a stream, in constant space: counting samples.
 *
 *   hotlist_add(&h, n, value)      for each value of the stream; n: entries of the list
 *
 * A value that is in the list is counted.  Another value enters the list with probability 1/tau.  If the list is full, tau is raised, and
 * each value of the list is tested again.  It keeps its count with probability old tau/new tau.  Otherwise its count is decremented, and
 * decremented again with probability 1 - 1/new tau each time, until a test succeeds or the count is 0.  So the list always has the
 * distribution that it would have with the new tau from the start.  If all values fit, tau stays 1 and the counts are exact.  How often
 * each value occurred is estimated in cost/side_tables/findings.c.
 *
 * Source: P. B. Gibbons, Y. Matias, New sampling-based summary statistics for improving approximate query answers, SIGMOD 1998
 * (counting samples).
 */
#ifndef QN_SIM_ANALYSIS_HOTLIST_H
#define QN_SIM_ANALYSIS_HOTLIST_H

#include "sim/module.h"

#define HOTLIST_MAX 64 /* entries: QN_VALUE_ENTRIES_MAX */

struct hot {
    uint64_t value, count; /* count 0: free */
};

struct hotlist {
    uint64_t total; /* the length of the stream */
    uint64_t tau;   /* 0 means 1 */
    struct hot hot[];
};

static uint64_t hotlist_tau(const struct hotlist *h) { return h->tau ? h->tau : 1; }

/* Raises tau by an eighth.  It stays far below 2^32, even for a stream of 2^60 values. */
static void hotlist_raise(struct hotlist *h, unsigned n)
{
    uint64_t old = hotlist_tau(h);

    h->tau = old + old / 8 + 1;
    for (unsigned i = 0; i < n; i++) {
        struct hot *v = &h->hot[i];

        if (!v->count || sim_random((uint32_t)h->tau) < old)
            continue;
        while (--v->count && sim_random((uint32_t)h->tau))
            continue;
    }
}

static struct hot *hotlist_free_place(struct hotlist *h, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!h->hot[i].count)
            return &h->hot[i];
    return NULL;
}

static void hotlist_add(struct hotlist *h, unsigned n, uint64_t value)
{
    struct hot *place;

    h->total++;
    for (unsigned i = 0; i < n; i++)
        if (h->hot[i].count && h->hot[i].value == value) {
            h->hot[i].count++;
            return;
        }
    if (sim_random((uint32_t)hotlist_tau(h)))
        return;
    while (!(place = hotlist_free_place(h, n))) {
        uint64_t old = hotlist_tau(h);

        hotlist_raise(h, n);
        if (sim_random((uint32_t)h->tau) >= old) /* the new value is tested like the others */
            return;
    }
    *place = (struct hot){value, 1};
}

#endif
