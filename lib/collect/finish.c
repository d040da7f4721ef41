/* lib/collect/finish.c - from the arena to the profile file and the summary.
 *
 * Another process does the work, with limits on time and memory, because it reads debug information: a damaged ELF file may crash a
 * library or make it loop for ever.  The reader is asked first (reader.c).  If it is gone, a child of the collector does the work.  If the
 * child dies, too, the guard in shared memory says which file it was reading, and a new child starts again without that file.  A signal
 * that asks quern to end while they read (signals.c) ends them: the counts are written without names.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "collect/collect.h"
#include "collect/part.h"
#include "collect/reader.h"

#define READ_SECONDS 120                 /* processor time of one attempt, of one question */
#define READ_BYTES (4ull << 30)          /* memory of its own: what is unpacked, and tables; mapped files do not count */
#define FOLD_ATTEMPTS 8                  /* the last one reads no debug information at all */
#define FOLD_WRITTEN 10                  /* exit statuses of the child; any other means that it died */
#define FOLD_NOT_WRITTEN 11

static void set_limit(__rlimit_resource_t which, rlim_t wanted)
{
    struct rlimit l;

    if (getrlimit(which, &l))
        return;
    l.rlim_cur = wanted < l.rlim_max ? wanted : l.rlim_max;
    setrlimit(which, &l);
}

void qn_collect_limit_reading(void)
{
    static const int ending[] = { SIGTERM, SIGXCPU };
    struct rusage used;
    sigset_t set;

    getrusage(RUSAGE_SELF, &used);
    set_limit(RLIMIT_CPU, (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + READ_SECONDS);
    set_limit(RLIMIT_DATA, READ_BYTES);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    sigemptyset(&set);
    for (size_t i = 0; i < QN_ARRAY_LEN(ending); i++) {
        struct sigaction a;

        if (!sigaction(ending[i], NULL, &a) && a.sa_handler == SIG_IGN)
            signal(ending[i], SIG_DFL);
        sigaddset(&set, ending[i]);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

pid_t qn_collect_fork_limited(int *end)
{
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC))
        return -1;
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0); /* signals to the program's group do not reach it */
        close(ends[0]);
        qn_collect_limit_reading();
        return 0;
    }
    close(ends[1]);
    *end = ends[0];
    if (pid < 0)
        close(ends[0]);
    return pid;
}

int qn_collect_wait_limited(struct qn_collect *r, pid_t pid, int end)
{
    int status;

    if (end >= 0 && !qn_collect_wait_for(r, end))
        qn_collect_end_process(pid);
    if (end >= 0)
        close(end);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Folds in a child process; if there can be none, in this one.  0: written; 1: not written; -1: the child died. */
static int attempt(struct qn_collect *r, struct qn_collect_guard *guard)
{
    int end = -1, status;
    pid_t pid = guard->avoided ? fork() : qn_collect_fork_limited(&end); /* nothing that is left to do may last */

    if (pid < 0)
        return !qn_collect_fold(r, guard, qn_cost_new_library());
    if (pid == 0)
        _exit(qn_collect_fold(r, guard, qn_cost_new_library()) ? FOLD_WRITTEN : FOLD_NOT_WRITTEN);
    status = qn_collect_wait_limited(r, pid, end);
    return status == FOLD_WRITTEN ? 0 : status == FOLD_NOT_WRITTEN ? 1 : -1;
}

static void avoid_all(struct qn_collect_guard *guard, const char *why)
{
    memset(guard->modules.avoid, 1, sizeof guard->modules.avoid);
    guard->avoided = why;
}

bool qn_collect_finish(struct qn_collect *r)
{
    struct qn_collect_guard *guard;
    int asked;

    qn_collect_end_parts(r);
    qn_collect_forward_ends(r); /* those that the program has ended by */
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
        int status;

        if (qn_collect_is_hurried(r))
            avoid_all(guard, "a signal has ended the reading of debug information");
        status = attempt(r, guard);
        if (status >= 0)
            return status == 0;
        current = guard->modules.current;
        if (current && current <= QN_COST_MODULES_MAX && i < FOLD_ATTEMPTS - 2)
            guard->modules.avoid[current - 1] = 1;
        else
            avoid_all(guard, "debug information cannot be read");
        guard->modules.current = 0;
    }
    qn_collect_fail(r, "no profile: folding the counts failed %d times", FOLD_ATTEMPTS);
    return false;
}
