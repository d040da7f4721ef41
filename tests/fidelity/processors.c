/* Processors that a program sees and sets: is all as natively?  With an argument, what it sees of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, long result) { printf("%s: %ld %s\n", what, result > 0 ? 1 : result, result < 0 ? strerrorname_np(errno) : ""); }

static void show(const char *who)
{
    uint64_t mask[128] = {0};
    unsigned cpu, node;

    syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    syscall(SYS_getcpu, &cpu, &node, NULL);
    printf("%s: may run on %lx, runs on one of them: %lu\n", who, mask[0], mask[0] >> cpu & 1);
    fflush(stdout);
}

static void *thread(void *of)
{
    cpu_set_t set;

    show("thread");
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    say("its first one", sched_setaffinity(0, sizeof set, &set));
    show("thread");
    say("the one that made it", sched_setaffinity(*(pid_t *)of, sizeof set, &set));
    return NULL;
}

static void mistakes(void)
{
    static const size_t sizes[] = {0, 1, 4, 7, 8, 12, 16, 128, 1024};
    uint64_t mask[128] = {~0ul};
    pid_t ended = fork();

    if (!ended)
        _exit(0);
    waitpid(ended, NULL, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        printf("%zu bytes: ", sizes[i]);
        say("get", syscall(SYS_sched_getaffinity, 0, sizes[i], mask));
        mask[0] = ~0ul;
        say("  set", syscall(SYS_sched_setaffinity, 0, sizes[i], mask));
    }
    say("get to nowhere", syscall(SYS_sched_getaffinity, 0, 8, 8));
    say("set from nowhere", syscall(SYS_sched_setaffinity, 0, 8, 8));
    say("get of none", syscall(SYS_sched_getaffinity, ended, 8, mask));
    say("set of none", syscall(SYS_sched_setaffinity, ended, 8, mask));
    say("negative", syscall(SYS_sched_getaffinity, -1, 8, mask));
    mask[0] = 0;
    say("set to none", syscall(SYS_sched_setaffinity, 0, 8, mask));
    mask[0] = 1ul << 63;
    say("set to what is not there", syscall(SYS_sched_setaffinity, 0, 8, mask));
    say("getcpu to nowhere", syscall(SYS_getcpu, 8, NULL, NULL));
    say("getcpu of nothing", syscall(SYS_getcpu, NULL, NULL, NULL));
    show("afterwards");
}

int main(int argc, char **argv)
{
    pid_t self = gettid(), child;
    pthread_t other;
    cpu_set_t set;

    show("begins");
    printf("online %ld, configured %ld\n", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF));
    if (argc > 1)
        return 0;
    mistakes();
    CPU_ZERO(&set);
    CPU_SET(1, &set);
    say("the second", sched_setaffinity(0, sizeof set, &set));
    show("bound");
    child = fork();
    if (!child) {
        show("child");
        _exit(0);
    }
    waitpid(child, NULL, 0);
    pthread_create(&other, NULL, thread, &self);
    pthread_join(other, NULL);
    show("set by the thread");
    fflush(stdout);
    execl("/proc/self/exe", argv[0], "x", (char *)NULL);
    return 1;
}
