/* share.c - lab 9, a solution for variants.  UNIT, SHIFT, CAPACITY, LOW and TIMES are defined before it. */
#include "share.h"

/* ---- counters: those of a thread are one line ---- */

struct counters {
    unsigned count[COUNTERS];
} __attribute__((aligned(LINE)));

void counter_add(void *shared, long me, unsigned counter, unsigned amount)
{
    struct counters *part = shared;

    part[me].count[(counter + SHIFT) % COUNTERS] += amount / UNIT;
}

unsigned counter_sum(void *shared, unsigned counter)
{
    const struct counters *part = shared;
    unsigned sum = 0;

    for (long me = 0; me < THREADS; me++)
        sum += part[me].count[counter];
    return sum;
}

/* ---- the queue: each side has its line, with what it last knew of the other's, and asks again only when that is not enough.  A value that takes its
 * place tells that it is there: the taker asks no number ---- */

struct queue {
    struct {
        unsigned mine, other; /* values put and taken, as far as this side knows */
        unsigned told;        /* of `mine`, what the other side is told */
        unsigned most;        /* values that may be there before the next one */
    } put __attribute__((aligned(LINE))), take __attribute__((aligned(LINE)));
    unsigned value[CAPACITY] __attribute__((aligned(LINE)));
};

int queue_put(void *shared, unsigned value)
{
    struct queue *q = shared;

    if (!q->put.most)
        q->put.most = CAPACITY - 1;
    if (q->put.mine - q->put.other > q->put.most) {
        q->put.other = __atomic_load_n(&q->take.told, __ATOMIC_ACQUIRE);
        if (q->put.mine - q->put.other > q->put.most) {
            q->put.most = LOW;
            return 0;
        }
    }
    q->put.most = CAPACITY - 1;
    q->value[q->put.mine++ % CAPACITY] = value;
    __atomic_store_n(&q->put.told, q->put.mine, __ATOMIC_RELEASE);
    return 1;
}

int queue_take(void *shared, unsigned *value)
{
    struct queue *q = shared;

    if (q->take.mine == q->take.other) {
        q->take.other = __atomic_load_n(&q->put.told, __ATOMIC_ACQUIRE);
        if (q->take.mine == q->take.other)
            return 0;
    }
    *value = q->value[q->take.mine++ % CAPACITY];
    __atomic_store_n(&q->take.told, q->take.mine, __ATOMIC_RELEASE);
    return 1;
}

/* ---- the lock: a queue of those who wait, each at a line of its own (Mellor-Crummey and Scott 1991) ---- */

struct node {
    struct node *next;
    unsigned waits, deep;     /* deep: how often it has entered and not left */
} __attribute__((aligned(LINE)));

struct lock {
    struct node *last __attribute__((aligned(LINE)));
    unsigned entries __attribute__((aligned(LINE)));
    struct node node[THREADS];
};

unsigned lock_enter(void *shared, long me)
{
    struct lock *l = shared;
    struct node *mine = &l->node[me], *before;

    if (mine->deep++)
        return TIMES * l->entries++;
    mine->next = 0;
    mine->waits = 1;
    before = __atomic_exchange_n(&l->last, mine, __ATOMIC_ACQ_REL);
    if (before) {
        __atomic_store_n(&before->next, mine, __ATOMIC_RELEASE);
        while (__atomic_load_n(&mine->waits, __ATOMIC_ACQUIRE))
            __builtin_ia32_pause();
    }
    return TIMES * l->entries++;
}

void lock_leave(void *shared, long me)
{
    struct lock *l = shared;
    struct node *mine = &l->node[me], *expected = mine, *next;

    if (--mine->deep)
        return;
    next = __atomic_load_n(&mine->next, __ATOMIC_ACQUIRE);
    if (!next) {
        if (__atomic_compare_exchange_n(&l->last, &expected, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return;
        while (!(next = __atomic_load_n(&mine->next, __ATOMIC_ACQUIRE)))
            __builtin_ia32_pause();
    }
    __atomic_store_n(&next->waits, 0, __ATOMIC_RELEASE);
}
