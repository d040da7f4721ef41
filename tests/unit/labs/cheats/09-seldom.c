/* lab 9 share.c: a ticket, at which all look so rarely that it costs few lines, and much time.
 * lock */
#include "share.h"

/* ---- counters: of each counter, the part of each thread ---- */

struct counters {
    unsigned part[COUNTERS][THREADS];
};

void counter_add(void *shared, long me, unsigned counter, unsigned amount)
{
    struct counters *c = shared;

    c->part[counter][me] += amount;
}

unsigned counter_sum(void *shared, unsigned counter)
{
    const struct counters *c = shared;
    unsigned sum = 0;

    for (long me = 0; me < THREADS; me++)
        sum += c->part[counter][me];
    return sum;
}

/* ---- the queue: a ring; the numbers of values put and taken go on for ever ---- */

#define CAPACITY 64

struct queue {
    unsigned put, taken;
    unsigned value[CAPACITY];
};

int queue_put(void *shared, unsigned value)
{
    struct queue *q = shared;
    unsigned put = q->put;

    if (put - __atomic_load_n(&q->taken, __ATOMIC_ACQUIRE) == CAPACITY)
        return 0;
    q->value[put % CAPACITY] = value;
    __atomic_store_n(&q->put, put + 1, __ATOMIC_RELEASE);
    return 1;
}

int queue_take(void *shared, unsigned *value)
{
    struct queue *q = shared;
    unsigned taken = q->taken;

    if (__atomic_load_n(&q->put, __ATOMIC_ACQUIRE) == taken)
        return 0;
    *value = q->value[taken % CAPACITY];
    __atomic_store_n(&q->taken, taken + 1, __ATOMIC_RELEASE);
    return 1;
}

struct lock {
    unsigned next __attribute__((aligned(LINE))), now __attribute__((aligned(LINE)));
};

unsigned lock_enter(void *shared, long me)
{
    struct lock *l = shared;
    unsigned ticket = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);

    (void)me;
    while (__atomic_load_n(&l->now, __ATOMIC_ACQUIRE) != ticket)
        for (unsigned k = 0; k < 30; k++)
            __builtin_ia32_pause();
    return ticket;
}

void lock_leave(void *shared, long me)
{
    struct lock *l = shared;

    (void)me;
    __atomic_store_n(&l->now, l->now + 1, __ATOMIC_RELEASE);
}
