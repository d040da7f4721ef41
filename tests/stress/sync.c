/* sync.c - primitives of pthreads, and what they are made of, under random timing. */
#include "stress.h"

#include <linux/futex.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

enum { THREADS = 4 };

static unsigned rounds;
static long counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static atomic_uint wrong, passed;

static int together(void *(*run)(void *))
{
    pthread_t t[THREADS];

    for (intptr_t i = 0; i < THREADS; i++)
        t[i] = start(run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    CHECK(wrong == 0);
    return 0;
}

static void *locks(void *p)
{
    for (unsigned i = 0; i < rounds; i++) {
        pause_a_while();
        pthread_mutex_lock(&mutex);
        long before = counter;

        pause_a_while();
        counter = before + 1;
        pthread_mutex_unlock(&mutex);
    }
    return p;
}

static int mutexes(unsigned n)
{
    rounds = n / THREADS + 1;
    CHECK(together(locks) == 0 && counter == (long)rounds * THREADS);
    return 0;
}

static void *tries(void *p)
{
    for (unsigned i = 0; i < rounds; i++) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 60;
        while (draw(2) ? pthread_mutex_trylock(&mutex) : pthread_mutex_timedlock(&mutex, &until))
            sched_yield();
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return p;
}

static int tried(unsigned n)
{
    rounds = n / THREADS + 1;
    CHECK(together(tries) == 0 && counter == (long)rounds * THREADS);
    return 0;
}

static void *spins(void *p)
{
    for (unsigned i = 0; i < rounds; i++) {
        pthread_spin_lock(&spin);
        counter++;
        pthread_spin_unlock(&spin);
        pause_a_while();
    }
    return p;
}

static int spin_locks(unsigned n)
{
    pthread_spin_init(&spin, 0);
    rounds = n / THREADS + 1;
    CHECK(together(spins) == 0 && counter == (long)rounds * THREADS);
    return 0;
}

static void *reads_or_writes(void *p)
{
    for (unsigned i = 0; i < rounds; i++) {
        pause_a_while();
        if (draw(3)) {
            pthread_rwlock_rdlock(&rwlock);
            long before = counter;

            pause_a_while();
            wrong += before != counter || before % 2;
        } else {
            pthread_rwlock_wrlock(&rwlock);
            counter++;
            pause_a_while();
            counter++;
        }
        pthread_rwlock_unlock(&rwlock);
    }
    return p;
}

static int read_write_locks(unsigned n)
{
    rounds = n / THREADS + 1;
    return together(reads_or_writes);
}

static void *meets(void *p)
{
    for (unsigned i = 0; i < rounds; i++) {
        pause_a_while();
        passed++;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            wrong += passed != (i + 1) * THREADS;
        pthread_barrier_wait(&barrier);
    }
    return p;
}

static int barriers(unsigned n)
{
    pthread_barrier_init(&barrier, NULL, THREADS);
    rounds = n / THREADS + 1;
    return together(meets);
}

static unsigned long ring[8], in, out;

static void *passes_on(void *p)
{
    bool producer = (intptr_t)p % 2;

    for (unsigned i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        while (producer ? in - out == 8 : in == out)
            pthread_cond_wait(&cond, &mutex);
        if (producer) {
            ring[in % 8] = in;
            in++;
        } else {
            wrong += ring[out % 8] != out;
            out++;
        }
        pthread_cond_broadcast(&cond);
        pthread_mutex_unlock(&mutex);
        pause_a_while();
    }
    return p;
}

static int conditions(unsigned n)
{
    rounds = n / THREADS + 1;
    CHECK(together(passes_on) == 0 && in == out && in == 2ul * rounds);
    return 0;
}

static void *times_out(void *p)
{
    for (unsigned i = 0; i < rounds; i++) {
        struct timespec until, now;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000 + draw(50000);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&mutex);
        while (pthread_cond_timedwait(&cond, &mutex, &until) != ETIMEDOUT)
            ;
        pthread_mutex_unlock(&mutex);
        clock_gettime(CLOCK_REALTIME, &now);
        wrong += now.tv_sec < until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec);
    }
    return p;
}

static int timeouts(unsigned n)
{
    rounds = n / 10 / THREADS + 1;
    return together(times_out);
}

static sem_t empty, full;
static unsigned long slot;

static void *through_semaphores(void *p)
{
    bool producer = p != NULL;

    for (unsigned i = 0; i < rounds; i++) {
        sem_wait(producer ? &empty : &full);
        if (producer)
            slot = i;
        else
            wrong += slot != i;
        pause_a_while();
        sem_post(producer ? &full : &empty);
    }
    return NULL;
}

static int semaphores(unsigned n)
{
    pthread_t t;

    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    rounds = n;
    t = start(through_semaphores, &slot);
    through_semaphores(NULL);
    pthread_join(t, NULL);
    CHECK(wrong == 0);
    return 0;
}

static atomic_uint word;

static void *plays(void *p)
{
    unsigned mine = p != NULL;

    for (unsigned i = 0; i < rounds; i++) {
        unsigned now;

        while ((now = word) % 2 != mine)
            syscall(SYS_futex, &word, FUTEX_WAIT, now, NULL, NULL, 0);
        pause_a_while();
        word++;
        syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
    return NULL;
}

static int futexes(unsigned n)
{
    pthread_t t;

    rounds = n;
    t = start(plays, &word);
    plays(NULL);
    pthread_join(t, NULL);
    CHECK(word == 2 * n);
    return 0;
}

static pthread_mutex_t robust;

static void *dies_holding(void *p)
{
    int r = pthread_mutex_lock(&robust);

    if (r == EOWNERDEAD)
        pthread_mutex_consistent(&robust);
    pause_a_while();
    return p;
}

static int robust_mutexes(unsigned n)
{
    pthread_mutexattr_t a;

    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &a);
    for (unsigned i = 0; i < n; i++) {
        pthread_join(start(dies_holding, NULL), NULL);
        CHECK(pthread_mutex_lock(&robust) == EOWNERDEAD && pthread_mutex_consistent(&robust) == 0);
        CHECK(pthread_mutex_unlock(&robust) == 0);
    }
    return 0;
}

static int events(unsigned n)
{
    int fd = eventfd(0, EFD_SEMAPHORE);
    uint64_t one;
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        for (unsigned i = 0; i < n; i++) {
            pause_a_while();
            one = 1;
            if (write(fd, &one, 8) != 8)
                _exit(1);
        }
        _exit(0);
    }
    for (unsigned i = 0; i < n; i++)
        CHECK(read(fd, &one, 8) == 8 && one == 1);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}

static _Thread_local unsigned own;
static pthread_key_t key;
static atomic_uint destroyed;

static void destroy(void *p) { destroyed += (unsigned)(uintptr_t)p; }

static void *keeps(void *p)
{
    own = (unsigned)(uintptr_t)p;
    pthread_setspecific(key, p);
    pause_a_while();
    wrong += own != (unsigned)(uintptr_t)p || pthread_getspecific(key) != p;
    return NULL;
}

static int thread_local_data(unsigned n)
{
    unsigned sum = 0;

    pthread_key_create(&key, destroy);
    for (unsigned i = 0; i < n / 2 + 1; i++) {
        pthread_t a = start(keeps, (void *)(uintptr_t)(i + 1)), b = start(keeps, (void *)(uintptr_t)(i + 2));

        sum += 2 * i + 3;
        pthread_join(a, NULL);
        pthread_join(b, NULL);
        CHECK(wrong == 0 && destroyed == sum);
    }
    return 0;
}

/* A thread that waits by spinning is not to keep the other from running. */
static atomic_uint flag;

static void *flips(void *p)
{
    unsigned mine = p != NULL;

    for (unsigned i = 0; i < rounds; i++) {
        while (flag % 2 != mine)
            ;
        flag++;
    }
    return NULL;
}

static int spinning(unsigned n)
{
    pthread_t t;

    rounds = n / 10 + 1;
    t = start(flips, &flag);
    flips(NULL);
    pthread_join(t, NULL);
    CHECK(flag == 2 * rounds);
    return 0;
}

const struct stress_test sync_tests[] = {
    {"mutexes", "pthread_mutex_lock", mutexes},
    {"tried", "trylock and timedlock", tried},
    {"spin_locks", "pthread_spin_lock", spin_locks},
    {"read_write_locks", "pthread_rwlock", read_write_locks},
    {"barriers", "pthread_barrier", barriers},
    {"conditions", "condition variables: nothing lost, in order", conditions},
    {"timeouts", "timed waits are not too short", timeouts},
    {"semaphores", "semaphores between two threads", semaphores},
    {"futexes", "futex, turn by turn", futexes},
    {"robust_mutexes", "owners that die", robust_mutexes},
    {"events", "eventfd between processes", events},
    {"thread_local_data", "thread-local data and keys", thread_local_data},
    {"spinning", "turn by turn without any call", spinning},
    {NULL, NULL, NULL},
};
