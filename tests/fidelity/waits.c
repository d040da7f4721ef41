/* waits.c - beside threads that only compute: waits in the kernel that no signal ends, programs that are executed and end as they say. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BESIDE = 2, THREADS = 3, WAITS = 80, SPAWNS = 100, EXECS = 40, MS = 1000000 };

static atomic_bool ends;
static atomic_int whole, interrupted, spawned, killed;

static void *compute(void *p)
{
    while (!ends)
        ;
    return p;
}

/* Long enough that the others want to compute, too; never the same. */
static void compute_a_while(int i)
{
    for (volatile int k = i * 7919 % 600000; k < 600000; k++)
        ;
}

static void *wait_often(void *p)
{
    struct timespec t = {0, 3 * MS};
    int set = epoll_create1(0);
    struct epoll_event e;

    for (int i = 0; i < 4 * WAITS; i++) {
        compute_a_while(i);
        if ((i % 4 == 0 && nanosleep(&t, NULL)) || (i % 4 == 1 && poll(NULL, 0, 3)) || (i % 4 == 2 && epoll_wait(set, &e, 1, 3)) ||
            (i % 4 == 3 && pselect(0, NULL, NULL, NULL, &t, NULL)))
            interrupted++;
        else
            whole++;
    }
    close(set);
    return p;
}

static void note(int status)
{
    if (WIFSIGNALED(status))
        killed++;
    else
        spawned += WEXITSTATUS(status) == 0;
}

static void *spawn_often(void *p)
{
    char *const argv[] = {"true", NULL}, *const empty[] = {NULL};
    int status;
    pid_t pid;

    for (int i = 0; i < SPAWNS; i++)
        if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, empty) || waitpid(pid, &status, 0) != pid)
            perror("posix_spawn");
        else
            note(status);
    return p;
}

/* A process with several threads becomes another program. */
static void exec_beside(void)
{
    pthread_t t;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        for (int i = 0; i < BESIDE; i++)
            pthread_create(&t, NULL, compute, NULL);
        for (int i = 0; i < 3; i++)
            compute_a_while(0);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    note(status);
}

static void all_do(void *what(void *))
{
    pthread_t t[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, what, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

int main(void)
{
    pthread_t t[BESIDE];

    for (int i = 0; i < EXECS; i++)
        exec_beside();
    printf("executed: %d, killed: %d\n", spawned, killed);
    spawned = killed = 0;
    for (int i = 0; i < BESIDE; i++)
        pthread_create(&t[i], NULL, compute, NULL);
    all_do(spawn_often);
    printf("spawned: %d, killed: %d\n", spawned, killed);
    all_do(wait_often); /* behind a spawn: what shared the memory once */
    printf("waits: %d, interrupted: %d\n", whole, interrupted);
    ends = true;
    for (int i = 0; i < BESIDE; i++)
        pthread_join(t[i], NULL);
    return 0;
}
