/* lib/collect/finish.c - from the arena to the profile file and the summary.
 *
 * Another process does the work, with limits on time and memory, because it reads debug information: a damaged ELF file may crash a
 * library or make it loop for ever.  The reader is asked first (reader.c).  If it is gone, a child of the collector does the work.  If the
 * child dies, too, the guard in shared memory says which file it was reading, and a new child starts again without that file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/collect.h"
#include "collect/part.h"
#include "collect/reader.h"

#define FOLD_SECONDS 600                 /* processor time of one attempt */
#define FOLD_BYTES (16ull << 30)         /* more address space: debug files, tables */
#define FOLD_ATTEMPTS 8                  /* the last one reads no debug information at all */
#define FOLD_WRITTEN 10                  /* exit statuses of the child; any other means that it died */
#define FOLD_NOT_WRITTEN 11

/* Address space in use, in bytes. */
static uint64_t used_space(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f) {
        if (fscanf(f, "%lu", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void qn_collect_limit_folding(void)
{
    uint64_t bytes = used_space() + FOLD_BYTES;

    setrlimit(RLIMIT_CPU, &(struct rlimit){ FOLD_SECONDS, FOLD_SECONDS });
    setrlimit(RLIMIT_AS, &(struct rlimit){ bytes, bytes });
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

/* Folds in a child process; if there can be none, in this one.  0: written; 1: not written; -1: the child died. */
static int attempt(struct qn_collect *r, struct qn_collect_guard *guard)
{
    pid_t pid = fork();
    int status;

    if (pid < 0)
        return !qn_collect_fold(r, guard, qn_cost_new_library());
    if (pid == 0) {
        qn_collect_limit_folding();
        _exit(qn_collect_fold(r, guard, qn_cost_new_library()) ? FOLD_WRITTEN : FOLD_NOT_WRITTEN);
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != FOLD_WRITTEN && WEXITSTATUS(status) != FOLD_NOT_WRITTEN))
        return -1;
    return WEXITSTATUS(status) != FOLD_WRITTEN;
}

bool qn_collect_finish(struct qn_collect *r)
{
    struct qn_collect_guard *guard;
    int asked;

    qn_collect_end_parts(r);
    asked = qn_collect_ask_reader(r);
    if (asked >= 0)
        return asked == 0;
    guard = mmap(NULL, sizeof *guard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (guard == MAP_FAILED) {
        qn_collect_fail(r, "no profile: no memory");
        return false;
    }
    for (int i = 0; i < FOLD_ATTEMPTS; i++) {
        uint32_t current;
        int status = attempt(r, guard);

        if (status >= 0)
            return status == 0;
        current = guard->modules.current;
        if (current && current <= QN_COST_MODULES_MAX && i < FOLD_ATTEMPTS - 2)
            guard->modules.avoid[current - 1] = 1;
        else {
            memset(guard->modules.avoid, 1, sizeof guard->modules.avoid);
            guard->avoid_all = true;
        }
        guard->modules.current = 0;
    }
    qn_collect_fail(r, "no profile: folding the counts failed %d times", FOLD_ATTEMPTS);
    return false;
}
