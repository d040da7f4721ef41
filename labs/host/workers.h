/* workers.h - what the threads do with the counters, the queue and the lock of share.c: for driver.c, and for the check's threads.c.
 *
 *   counters  each thread adds n amounts, to counters that are drawn; when all have ended, `end` asks for the sums
 *   queue     first one thread fills the queue and empties it; then thread 0 puts n values and thread 1 takes them
 *   lock      each thread enters n times and changes what the lock guards, slowly, so that others come while it is in
 *
 * All that a thread writes besides share.c's memory lies in lines of its own, but `guarded`.
 */
#include <stdint.h>

#include "share.h"

#define OUT_WORDS 16384
#define FILL_MOST 5000           /* values for a queue that is never full */
#define BURST 48                 /* values, at most */
#define REST 40                  /* turns of others, at most */
#define INSIDE 40                /* steps of a hash: how long a thread is in */
#define OUTSIDE (512 / (uint64_t)threads) /* steps of a loop, at most, before it comes again: two threads meet at any step of each other */
#define AMOUNTS 256              /* amounts are below this */
#define HASH(h, word) (((h) ^ (word)) * 16777619u) /* FNV */

static unsigned char shared[SHARED_BYTES] __attribute__((aligned(65536)));
static uint32_t out[OUT_WORDS] __attribute__((aligned(65536)));
static long threads, rounds, depth;
static uint64_t seed;

static struct {
    volatile uint32_t hash, numbers, entries;
} __attribute__((aligned(128))) guarded;

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state, uint64_t below)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % below;
}

static void relax(void) { __builtin_ia32_pause(); }

static void work_counters(long me)
{
    uint64_t state = seed + (uint64_t)me;

    for (long i = 0; i < rounds; i++) {
        unsigned counter = (unsigned)draw(&state, COUNTERS);

        counter_add(shared, me, counter, (unsigned)draw(&state, AMOUNTS));
    }
}

/* out: the sums. */
static void end_counters(void)
{
    for (unsigned i = 0; i < COUNTERS; i++)
        out[i] = counter_sum(shared, i);
}

/* out: 0: how many values the queue takes when it is empty; 1: how many are left when it takes another; 2: are they there again, in order, and no
 * others? */
static void begin_queue(void)
{
    unsigned value = 0, taken = 0;

    while (out[0] < FILL_MOST && queue_put(shared, 1000 + out[0]))
        out[0]++;
    out[1] = out[0], out[2] = 1;
    while (out[1] > 0 && (out[1] == out[0] || !queue_put(shared, 1000 + out[0]))) {
        out[2] &= queue_take(shared, &value) && value == 1000 + taken;
        taken++, out[1]--;
    }
    for (; taken <= out[0]; taken++)
        out[2] &= queue_take(shared, &value) && value == 1000 + taken;
    out[2] &= !queue_take(shared, &value);
}

static void rest(uint64_t turns)
{
    for (; turns > 0; turns--)
        relax();
}

/* Values come and go in bursts; who finds the queue full, or empty, does something else for a while.  out: 3: values taken that are right. */
static void work_queue(long me)
{
    uint64_t state = seed, chance = seed + 1 + (uint64_t)me, burst = 0;
    uint32_t right = 0;

    for (long i = 0; i < rounds; i++) {
        unsigned value = (unsigned)draw(&state, 1ull << 32), got;

        if (me == 0) {
            while (!queue_put(shared, value))
                rest(REST);
        } else {
            while (!queue_take(shared, &got))
                rest(REST);
            right += got == value;
        }
        if (burst-- == 0) {
            burst = draw(&chance, BURST);
            rest(draw(&chance, REST));
        }
    }
    if (me == 1)
        out[3] = right;
}

/* out, of each thread from 1024 * (me + 1) on: how many had come in before, each time. */
static void work_lock(long me)
{
    uint64_t state = seed + (uint64_t)me;
    uint32_t *mine = out + 1024 * (me + 1);

    for (long i = 0; i < rounds; i++) {
        long deep = 1 + (long)draw(&state, (uint64_t)depth);
        uint32_t h;

        for (long k = 0; k < deep; k++) {
            unsigned number = lock_enter(shared, me);

            guarded.numbers = HASH(guarded.numbers, number);
        }
        mine[i] = guarded.entries;
        h = guarded.hash;
        for (unsigned k = 0; k < INSIDE; k++)
            h = HASH(h, (uint32_t)me + k);
        guarded.hash = h;
        guarded.entries = mine[i] + 1;
        for (long k = 0; k < deep; k++)
            lock_leave(shared, me);
        for (uint64_t k = draw(&state, OUTSIDE); k > 0; k--)
            __asm__ volatile("" : : : "memory");
    }
}

/* out: 0: entries; 1: the hash that the lock guards; 2: that of the numbers that lock_enter gave. */
static void end_lock(void)
{
    out[0] = guarded.entries, out[1] = guarded.hash, out[2] = guarded.numbers;
}

static void nothing(void) {}

static const struct job {
    const char *name;
    void (*begin)(void), (*work)(long me), (*end)(void);
} jobs[] = {
    { "counters", nothing, work_counters, end_counters },
    { "queue", begin_queue, work_queue, nothing },
    { "lock", nothing, work_lock, end_lock },
};
