/* pthreads.c - every primitive of pthreads, with results that do not depend on who was first. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 300 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t semaphore;
static long counter, queue[16], queued, taken, sum;
static atomic_long atomic, onces, destroyed, serial;
static _Thread_local long own;

static void all(const char *what, void *(*run)(void *))
{
    pthread_t t[THREADS];
    long total = 0;
    void *r;

    counter = atomic = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, run, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], &r);
        total += (long)(intptr_t)r;
    }
    printf("%s: %ld %ld %ld\n", what, counter, (long)atomic, total);
}

static void *use_mutex(void *p)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        if (i % 50 == 0)
            sched_yield();
        pthread_mutex_unlock(&mutex);
    }
    return p;
}

static void *use_trylock(void *p)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (pthread_mutex_trylock(&mutex) == EBUSY)
            sched_yield();
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return p;
}

static void *use_spin(void *p)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_spin_lock(&spin);
        counter++;
        pthread_spin_unlock(&spin);
    }
    return p;
}

static void *use_rwlock(void *p)
{
    long seen = 0;

    for (int i = 0; i < ROUNDS; i++)
        if (i % 3 == 0) {
            pthread_rwlock_wrlock(&rwlock);
            counter += 2;
            pthread_rwlock_unlock(&rwlock);
        } else {
            pthread_rwlock_rdlock(&rwlock);
            seen |= counter & 1;
            pthread_rwlock_unlock(&rwlock);
        }
    return seen ? NULL : p;
}

static void *use_barrier(void *p)
{
    for (int i = 0; i < ROUNDS / 3; i++) {
        atomic++;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            counter += atomic == (long)(i + 1) * THREADS;
        pthread_barrier_wait(&barrier);
    }
    return p;
}

/* Odd ones produce, even ones consume. */
static void *use_condition(void *p)
{
    bool produces = (intptr_t)p & 1;

    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        while (produces ? queued - taken == 16 : queued == taken)
            pthread_cond_wait(&cond, &mutex);
        if (produces)
            queue[queued++ % 16] = i;
        else
            sum += queue[taken++ % 16];
        pthread_cond_broadcast(&cond);
        pthread_mutex_unlock(&mutex);
    }
    return p;
}

static void *use_semaphore(void *p)
{
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&semaphore);
        counter++;
        sem_post(&semaphore);
    }
    return p;
}

static void initialise(void) { onces++; }

static void *use_once(void *p)
{
    pthread_once(&once, initialise);
    atomic += onces == 1;
    return p;
}

static void destroy(void *value) { destroyed += (long)(intptr_t)value; }

static void *use_keys(void *p)
{
    pthread_setspecific(key, p);
    own = (long)(intptr_t)p * 100;
    sched_yield();
    atomic += pthread_getspecific(key) == p && own == (long)(intptr_t)p * 100;
    return p;
}

static void *timed(void *p)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 2000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&m);
    atomic += pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT;
    atomic += pthread_mutex_timedlock(&m, &until) == ETIMEDOUT;
    return p;
}

/* ---- kinds of mutexes ---- */

static void *dies_with_it(void *m)
{
    pthread_mutex_lock(m);
    return NULL;
}

static void kinds(void)
{
    pthread_mutexattr_t a;
    pthread_mutex_t m;
    pthread_t t;
    int r;

    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &a);
    printf("recursive: %d", pthread_mutex_lock(&m) | pthread_mutex_lock(&m) | pthread_mutex_unlock(&m) | pthread_mutex_unlock(&m));
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &a);
    pthread_mutex_lock(&m);
    printf(", checking: %d", pthread_mutex_lock(&m));
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &a);
    pthread_create(&t, NULL, dies_with_it, &m);
    pthread_join(t, NULL);
    r = pthread_mutex_lock(&m);
    printf(", robust: %d", r == EOWNERDEAD);
    pthread_mutex_consistent(&m);
    pthread_mutex_unlock(&m);
    pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&m, &a);
    printf(", inheriting: %d\n", pthread_mutex_lock(&m) | pthread_mutex_unlock(&m));
}

static void between_processes(void)
{
    struct { pthread_mutex_t m; pthread_cond_t c; pthread_barrier_t b; sem_t s; long n; } *p;
    pthread_mutexattr_t ma;
    pthread_condattr_t ca;
    pthread_barrierattr_t ba;
    int status = 0;

    p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&ma), pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
    pthread_condattr_init(&ca), pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED);
    pthread_barrierattr_init(&ba), pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&p->m, &ma), pthread_cond_init(&p->c, &ca), pthread_barrier_init(&p->b, &ba, 2), sem_init(&p->s, 1, 0);
    pid_t child = fork();

    pthread_barrier_wait(&p->b);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&p->m);
        while (p->n % 2 != (child == 0))
            pthread_cond_wait(&p->c, &p->m);
        p->n++;
        pthread_cond_signal(&p->c);
        pthread_mutex_unlock(&p->m);
    }
    if (child == 0) {
        sem_post(&p->s);
        _exit(5);
    }
    sem_wait(&p->s);
    waitpid(child, &status, 0);
    printf("between processes: %ld %x\n", p->n, (unsigned)status);
}

/* ---- cancellation, clean-up, fork handlers ---- */

static void clean(void *p) { atomic += (intptr_t)p; }

static void *waits_for_ever(void *p)
{
    pthread_cleanup_push(clean, p);
    sem_post(&semaphore);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return NULL;
}

static void *computes_for_ever(void *p)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cleanup_push(clean, p);
    sem_post(&semaphore);
    for (volatile long i = 0;; i++)
        ;
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancel(void *(*run)(void *), const char *what)
{
    pthread_t t;
    void *r;

    atomic = 0;
    for (int i = 0; i < 20; i++) {
        sem_init(&semaphore, 0, 0);
        pthread_create(&t, NULL, run, (void *)1);
        sem_wait(&semaphore);
        pthread_cancel(t);
        pthread_join(t, &r);
        atomic += r == PTHREAD_CANCELED;
    }
    printf("%s: %ld\n", what, (long)atomic);
}

static void before_fork(void) { serial = serial * 10 + 1; }
static void in_parent(void) { serial = serial * 10 + 2; }
static void in_child(void) { serial = serial * 10 + 3; }

static void *forks(void *p)
{
    for (int i = 0; i < 5; i++) {
        int status = 0;
        pid_t child = fork();

        if (child == 0)
            _exit((int)(intptr_t)p);
        waitpid(child, &status, 0);
        atomic += WEXITSTATUS(status);
    }
    return p;
}

static void *nothing(void *p) { return p; }

int main(void)
{
    int status = 0;

    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_key_create(&key, destroy);
    all("mutex", use_mutex);
    all("trylock", use_trylock);
    all("spin", use_spin);
    all("rwlock", use_rwlock);
    all("barrier", use_barrier);
    all("condition", use_condition);
    printf("queue: %ld %ld %ld\n", queued, taken, sum);
    sem_init(&semaphore, 0, 1);
    all("semaphore", use_semaphore);
    all("once", use_once);
    all("keys", use_keys);
    printf("destroyed: %ld\n", (long)destroyed);
    all("timed", timed);
    kinds();
    between_processes();
    cancel(waits_for_ever, "cancelled where it may be");
    cancel(computes_for_ever, "cancelled anywhere");
    all("fork from threads", forks);
    pthread_atfork(before_fork, in_parent, in_child);
    if (fork() == 0)
        _exit((int)(serial % 100));
    wait(&status);
    printf("fork handlers: %ld %d\n", (long)serial, WEXITSTATUS(status));
    for (int i = 0; i < 2000; i++) {
        pthread_t t;

        if (pthread_create(&t, NULL, nothing, NULL))
            return 1;
        pthread_join(t, NULL);
    }
    printf("2000 more\n");
    return 0;
}
