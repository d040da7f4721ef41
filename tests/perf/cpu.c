/* cpu.c - run a command and say what it cost.  The benchmark's stop watch.
 *
 *   cpu RECORD COMMAND...     appends "user+system wall status" to RECORD: microseconds, microseconds, exit status
 *
 * The times are those of the command and of all of its descendants, also of those that nobody else waited for (we
 * adopt them): for quern, the collector and whatever helps it.  The wall time ends with the command itself.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long microseconds(struct timeval t) { return t.tv_sec * 1000000ll + t.tv_usec; }

static long long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000ll + t.tv_nsec / 1000;
}

/* The command's own status; its orphans are waited for too. */
static int wait_for_all(pid_t pid, long long *end)
{
    int status, own = -1;
    pid_t ended;

    while ((ended = wait(&status)) > 0)
        if (ended == pid) {
            own = status;
            *end = now();
        }
    return own;
}

int main(int argc, char **argv)
{
    long long start = now(), end = start;
    struct rusage used;
    int status;
    FILE *record;
    pid_t pid;

    if (argc < 3) {
        fprintf(stderr, "usage: cpu RECORD COMMAND...\n");
        return 2;
    }
    if (prctl(PR_SET_CHILD_SUBREAPER, 1)) {
        perror("cpu");
        return 1;
    }
    pid = fork();
    if (pid == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (pid < 0 || (status = wait_for_all(pid, &end)) < 0 || getrusage(RUSAGE_CHILDREN, &used) ||
        !(record = fopen(argv[1], "a"))) {
        perror("cpu");
        return 1;
    }
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    fprintf(record, "%lld %lld %d\n", microseconds(used.ru_utime) + microseconds(used.ru_stime), end - start, status);
    return fclose(record) ? 1 : status;
}
