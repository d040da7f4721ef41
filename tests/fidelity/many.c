/* many.c - 1,000 threads at a time, storms of posix_spawn, a reservation of 64 GiB and one of 16 TiB. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { THREADS = 1000, SPAWNERS = 4, SPAWNS = 25 };

static pthread_barrier_t barrier;
static atomic_long sum;

static void *wait_for_all(void *p)
{
    pthread_barrier_wait(&barrier);
    sum += (intptr_t)p;
    return p;
}

static void thousand_threads(void)
{
    static pthread_t t[THREADS];
    pthread_attr_t a;

    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 64 << 10);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], &a, wait_for_all, (void *)(intptr_t)i))
            exit(printf("thread %ld cannot be made\n", i) > 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("threads: %ld\n", (long)sum);
}

static void *spawn(void *p)
{
    char *const empty[] = {NULL}, *const argv[] = {"sh", "-c", "exit 3", NULL};
    int status;
    pid_t pid;

    for (int i = 0; i < SPAWNS; i++) {
        if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, empty) || waitpid(pid, &status, 0) != pid)
            return NULL;
        sum += WEXITSTATUS(status);
    }
    return p;
}

static void storm(void)
{
    pthread_t t[SPAWNERS];

    sum = 0;
    for (int i = 0; i < SPAWNERS; i++)
        pthread_create(&t[i], NULL, spawn, NULL);
    for (int i = 0; i < SPAWNERS; i++)
        pthread_join(t[i], NULL);
    printf("spawned: %ld\n", (long)sum);
}

static void reserve(size_t bytes)
{
    uint8_t *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED || mprotect(p + bytes / 2, 1 << 20, PROT_READ | PROT_WRITE)) {
        printf("%zu GiB: no\n", bytes >> 30);
        return;
    }
    p[bytes / 2] = 5;
    printf("%zu GiB: %d\n", bytes >> 30, p[bytes / 2]);
    munmap(p, bytes);
}

int main(void)
{
    reserve(64ull << 30);
    reserve(16ull << 40);
    thousand_threads();
    storm();
    return 0;
}
