/* cpu.c - run a command and say what it cost.  The benchmark's stop watch.
 *
 *   cpu RECORD COMMAND...     appends "user+system wall status" to RECORD: microseconds, microseconds, exit status
 *
 * The times are those of the command and of every descendant that was waited for: for quern, the collector too.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
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

int main(int argc, char **argv)
{
    long long start = now();
    struct rusage used;
    int status;
    FILE *record;
    pid_t pid;

    if (argc < 3) {
        fprintf(stderr, "usage: cpu RECORD COMMAND...\n");
        return 2;
    }
    pid = fork();
    if (pid == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &used) != pid || !(record = fopen(argv[1], "a"))) {
        perror("cpu");
        return 1;
    }
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    fprintf(record, "%lld %lld %d\n", microseconds(used.ru_utime) + microseconds(used.ru_stime), now() - start, status);
    return fclose(record) ? 1 : status;
}
