/* analysis/hotlist.h - the most frequent values of a stream, in constant space: counting samples.
 *
 *   hotlist_add(&h, n, value)      for each value of the stream; n places
 *   hotlist_sort(&h, n)
 *   hotlist_estimate(&h, i)        how often the i-th of the list has come, about; 0: too seldom to tell
 *
 * A value that is in the list is counted.  Another one enters it with probability 1/tau.  When a place is wanted and there is none,
 * tau grows, and each value of the list proves itself again: it stays with its count with probability old tau/new tau, else it loses
 * one, and goes on losing them, each with probability 1 - 1/new tau, until one is kept or none is left.  So the list is
 * at any time what it would have been with the new tau from the start.  With as many places as there are values tau stays 1 and the
 * counts are exact.  Of a value in the list those that came before it entered are missing: 0.418 tau - 1 makes up for them.  A value
 * that came less than tau times was in the list by luck, and its count says nothing.
 *
 * Source: P. B. Gibbons, Y. Matias, New sampling-based summary statistics for improving approximate query answers, SIGMOD 1998
 * (counting samples; 0.418 and the bound tau from its hot lists).
 */
#ifndef QN_SIM_ANALYSIS_HOTLIST_H
#define QN_SIM_ANALYSIS_HOTLIST_H

#include "sim/module.h"

#define HOTLIST_MAX 64 /* places */

struct hot {
    uint64_t value, count; /* count 0: free */
};

struct hotlist {
    uint64_t total; /* values of the stream */
    uint64_t tau;   /* 0: as 1 */
    struct hot hot[];
};

static uint64_t hotlist_tau(const struct hotlist *h) { return h->tau ? h->tau : 1; }

/* About an eighth more each time; it stays far below 2^32, as a stream of 2^60 values would not bring it there. */
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
        if (sim_random((uint32_t)h->tau) >= old) /* the new value proves itself as the others do */
            return;
    }
    *place = (struct hot){value, 1};
}

static uint64_t hotlist_estimate(const struct hotlist *h, unsigned i)
{
    uint64_t tau = hotlist_tau(h), missing = tau * 418 / 1000, n = h->hot[i].count + (missing > 1 ? missing - 1 : 0);

    if (!h->hot[i].count || n < tau)
        return 0;
    return n < h->total ? n : h->total;
}

/* The largest first; free places last. */
static void hotlist_sort(struct hotlist *h, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        for (unsigned k = i; k && h->hot[k - 1].count < h->hot[k].count; k--) {
            struct hot other = h->hot[k];

            h->hot[k] = h->hot[k - 1];
            h->hot[k - 1] = other;
        }
}

#endif
