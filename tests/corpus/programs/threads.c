/* threads.c - pthreads whose result does not depend on their order: mutex, condition, barrier, once, keys, thread-local
 * variables, atomics, join, detach, cancel, a signal to one thread, many short threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, TURNS = 20000, ITEMS = 2000, SHORT = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t semaphore;
static _Thread_local long mine = 5;
static atomic_long counter, signals, destroyed, spins;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static long plain, by_spinlock, onces, sums[WORKERS];
static int queue[16], head, tail;

static void first(void) { onces++; }
static void destroy(void *p) { destroyed += (long)p; }
static void handler(int n) { (void)n; signals++; }

static void *work(void *argument)
{
    long id = (long)argument;

    pthread_once(&once, first);
    pthread_setspecific(key, (void *)(id + 1));
    for (int i = 0; i < TURNS; i++) {
        mine += id;
        atomic_fetch_add(&counter, 1);
        if (i % 16 == 0) {
            pthread_mutex_lock(&mutex);
            plain++;
            pthread_mutex_unlock(&mutex);
        }
        if (i % 16 == 8) {
            while (atomic_flag_test_and_set(&lock))
                sched_yield();
            by_spinlock++;
            atomic_flag_clear(&lock);
        }
    }
    for (int round = 0; round < 10; round++) {
        sums[id] += round;
        pthread_barrier_wait(&barrier);
    }
    return (void *)mine;
}

static void *produce(void *unused)
{
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (head - tail == 16)
            pthread_cond_wait(&not_full, &mutex);
        queue[head++ % 16] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static long consume(void)
{
    long sum = 0;

    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (head == tail)
            pthread_cond_wait(&not_empty, &mutex);
        sum += queue[tail++ % 16] * (long)(i + 1);
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
    return sum;
}

static void *sleep_for_ever(void *unused)
{
    pthread_cleanup_push(destroy, (void *)100);
    sem_post(&semaphore);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return unused;
}

static void *spin_for_ever(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    sem_post(&semaphore);
    for (;;)
        spins++;
    return unused;
}

static void *brief(void *argument) { return (void *)((long)argument * 3); }

static void *detached(void *unused)
{
    sem_post(&semaphore);
    return unused;
}

static void cancel(void *(*body)(void *), const char *what)
{
    pthread_t t;
    void *result;

    pthread_create(&t, NULL, body, NULL);
    sem_wait(&semaphore);
    pthread_cancel(t);
    pthread_join(t, &result);
    printf("%s: %s\n", what, result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
}

static void signal_one(void)
{
    struct timespec pause = { 0, 1000000 };
    pthread_t t;

    signal(SIGUSR1, handler);
    pthread_create(&t, NULL, sleep_for_ever, NULL);
    sem_wait(&semaphore);
    for (int i = 1; i <= 20; i++) {
        pthread_kill(t, SIGUSR1);
        while (signals < i)
            nanosleep(&pause, NULL);
    }
    pthread_cancel(t);
    pthread_join(t, NULL);
    printf("signals %ld\n", signals);
}

int main(void)
{
    pthread_t threads[WORKERS], t;
    long sum = 0;
    void *result;

    pthread_barrier_init(&barrier, NULL, WORKERS);
    pthread_key_create(&key, destroy);
    sem_init(&semaphore, 0, 0);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], &result);
        printf("worker %d: %ld %ld\n", i, (long)result, sums[i]);
    }
    printf("%ld %ld %ld %ld %ld %ld\n", counter, plain, by_spinlock, onces, destroyed, mine);
    pthread_create(&t, NULL, produce, NULL);
    printf("consumed %ld\n", consume());
    pthread_join(t, NULL);
    for (long i = 0; i < SHORT; i++) {
        pthread_create(&t, NULL, brief, (void *)i);
        pthread_join(t, &result);
        sum += (long)result;
    }
    printf("short %ld\n", sum);
    for (int i = 0; i < 20; i++) {
        pthread_create(&t, NULL, detached, NULL);
        pthread_detach(t);
        sem_wait(&semaphore);
    }
    signal_one();
    cancel(sleep_for_ever, "asleep");
    cancel(spin_for_ever, "busy");
    printf("destroyed %ld\n", destroyed);
    return 8;
}
