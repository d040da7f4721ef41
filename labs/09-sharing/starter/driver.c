/* driver.c - threads that use the counters, the queue or the lock of share.c.
 *
 *   ./share counters 4 1000          four threads, 1,000 rounds each: prints "right" or "wrong"
 *   ./share lock 8 100 7             numbers drawn from seed 7
 *
 * Each thread does what workers.h says.  Results are compared with those of your variant's rules (rules.h).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"
#include "workers.h"

static const struct job *job;
static volatile long ready, go;

static void *begin(void *number)
{
    long me = (long)number;

    __atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
    while (!go)
        relax();
    job->work(me);
    return NULL;
}

static int wrong_counters(void)
{
    unsigned sum[COUNTERS] = { 0 };

    for (long me = 0; me < threads; me++) {
        uint64_t state = seed + (uint64_t)me;

        for (long i = 0; i < rounds; i++) {
            unsigned counter = (unsigned)draw(&state, COUNTERS);

            sum[(counter + SHIFT) % COUNTERS] += (unsigned)draw(&state, AMOUNTS) / UNIT;
        }
    }
    return memcmp(sum, out, sizeof sum);
}

static int wrong_queue(void)
{
    return out[0] != CAPACITY || out[1] != LOW || !out[2] || out[3] != rounds;
}

/* Who came in as which is in out; the hashes have to be those of this order. */
static int wrong_lock(void)
{
    uint64_t state[THREADS];
    uint32_t h = 0, numbers = 0, entered = 0;
    long at[THREADS] = { 0 };

    for (long me = 0; me < threads; me++)
        state[me] = seed + (uint64_t)me;
    for (long entry = 0; entry < threads * rounds; entry++) {
        long me = 0, deep;

        while (me < threads && (at[me] == rounds || out[1024 * (me + 1) + at[me]] != entry))
            me++;
        if (me == threads)
            return 1;
        at[me]++;
        for (deep = 1 + (long)draw(&state[me], DEPTH); deep > 0; deep--)
            numbers = HASH(numbers, TIMES * entered++);
        draw(&state[me], OUTSIDE);
        for (unsigned k = 0; k < INSIDE; k++)
            h = HASH(h, (uint32_t)me + k);
    }
    return out[0] != threads * rounds || out[1] != h || out[2] != numbers;
}

int main(int argc, char **argv)
{
    static int (*const wrong[])(void) = { wrong_counters, wrong_queue, wrong_lock };
    pthread_t thread[THREADS];
    long which = 3;

    while (which-- > 0 && (argc < 4 || strcmp(argv[1], jobs[which].name)))
        ;
    threads = argc > 3 ? atol(argv[2]) : 0;
    rounds = argc > 3 ? atol(argv[3]) : 0;
    if (which < 0 || threads < 1 || threads >= THREADS || (which == 1 && threads != 2) || rounds < 1 || (which == 2 && rounds > 1024))
        return fprintf(stderr, "usage: share counters THREADS ROUNDS [SEED] | queue 2 VALUES | lock THREADS ENTRIES, at most 15 and 1024\n"), 2;
    seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    depth = DEPTH;
    job = &jobs[which];
    job->begin();
    for (long me = 0; me < threads; me++)
        pthread_create(&thread[me], NULL, begin, (void *)me);
    while (ready < threads)
        relax();
    go = 1;
    for (long me = 0; me < threads; me++)
        pthread_join(thread[me], NULL);
    job->end();
    which = wrong[which]();
    puts(which ? "wrong" : "right");
    return which != 0;
}
