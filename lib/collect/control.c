/* lib/collect/control.c - handles commands for a running program: `quern ctl`, SIGUSR1, --progress.
 *
 * A fork of the collector handles each command, so the program never waits for it.  The fork copies the arena, which takes some
 * milliseconds, while the program runs: each count is that of some moment during the copy, as in the profile of a program that was killed.
 *
 *   dump     writes PROFILE.dump1, .dump2, ...: the first of these names that is free
 *   status   command, time, events so far
 *   start    switches counting on, as QUERN_START; stop: off, as QUERN_STOP
 *   zero     discards the counts so far, as CALLGRIND_ZERO_STATS
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/collect.h"
#include "sim/current_module.h"
#include "cost/fold.h"

#define WAITING_MAX 8          /* connections that wait */
#define PATIENCE_S 5           /* for a command, and for its answer to be taken */
#define DUMPS_MAX 100000
#define COMMAND_MAX 65536
#define PROGRESS_NS QN_NS_PER_SECOND
#define MILLION 1e6
#define WISH_LOOK_MS 10          /* the program ends such a wait earlier, unless it has not seen who waits */
#define WISH_LOOKS 150           /* waits before giving up */

socklen_t qn_control_address(struct sockaddr *address, size_t size, pid_t pid)
{
    struct sockaddr_un *a = (struct sockaddr_un *)address;
    int n;

    memset(a, 0, size);
    a->sun_family = AF_UNIX; /* sun_path[0] is 0: no name in the file system */
    n = snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "quern-run-%d", (int)pid);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

bool qn_control_is_own(int socket, struct ucred *who)
{
    socklen_t size = sizeof *who;

    return !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, who, &size) && (who->uid == geteuid() || who->uid == 0 || geteuid() == 0);
}

void qn_collect_open_control(struct qn_collect *r, pid_t pid)
{
    struct sockaddr_un address;
    socklen_t size = qn_control_address((struct sockaddr *)&address, sizeof address, pid);

    r->control = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (r->control >= 0 && !bind(r->control, (struct sockaddr *)&address, size) && !listen(r->control, WAITING_MAX))
        return;
    if (r->control >= 0)
        close(r->control);
    r->control = -1;
}

/* ---- in the child: the counts as they are now ---- */

static bool take_counts(struct qn_collect *r)
{
    struct qn_cost_store copy;

    if (!qn_cost_header(&r->store)->started || qn_cost_copy(&copy, &r->store))
        return false;
    r->store = copy;
    qn_collect_begin_part(r);
    return true;
}

static void ignore_note(void *data, const char *text) { (void)data, (void)text; }

/* Sums up all events; reads no debug information. */
static bool sum(struct qn_collect *r, struct qn_cost_event_set *events, struct qn_cost_result *result)
{
    static struct qn_cost_guard guard;
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_cost_modules *modules;
    struct qn_prof_table *table;

    memset(guard.avoid, 1, sizeof guard.avoid);
    qn_collect_choose_events(r, events);
    modules = qn_cost_new_modules(&r->store, qn_cost_new_library(), &guard, ignore_note, NULL);
    table = qn_prof_new_table(events->count);
    return qn_cost_fold(&r->store, events, modules, QN_COST_ALL_REGIONS, table, result, &err) == QN_TEXT_OK;
}

static double seconds(const struct qn_collect *r) { return (double)(qn_collect_now() - r->start_ns) / (double)QN_NS_PER_SECOND; }

static bool status(struct qn_collect *r, FILE *out)
{
    struct qn_cost_event_set events;
    struct qn_cost_result result = { .program = NULL };
    double time = seconds(r);
    char command[COMMAND_MAX] = ""; /* of the program that runs now */

    qn_cost_get_string(&r->store, qn_cost_header(&r->store)->cmd, command, sizeof command);
    fprintf(out, "pid: %d\ncommand: %s\nseconds: %.1f\n", (int)r->guest, *command ? command : r->command, time);
    if (!take_counts(r))
        return fprintf(out, "nothing is counted yet\n"), true;
    if (!sum(r, &events, &result))
        return fprintf(out, "no memory\n"), false;
    fprintf(out, "instructions per second: %.0f\n", time > 0 ? (double)result.totals[QN_COST_IR] / time : 0);
    for (int i = 0; i < events.count; i++)
        fprintf(out, "%s: %" PRId64 "\n", events.names[i], result.totals[events.which[i]]);
    return true;
}

/* ---- a profile ---- */

/* Creates the first of PROFILE.dump1, .dump2, ... that does not exist, and returns its name; NULL: *why. */
static char *claim(struct qn_collect *r, const char **why)
{
    char *profile = qn_collect_name_file(r, QN_COLLECT_PROFILE), *path;
    int fd;

    *why = "no memory";
    if (profile && qn_collect_is_device(profile)) {
        *why = "that of the run goes to a device";
        return NULL;
    }
    for (unsigned i = 1; profile && i < DUMPS_MAX && asprintf(&path, "%s.dump%u", profile, i) > 0; i++) {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        *why = strerror(errno);
        if (fd >= 0)
            return close(fd), path;
        free(path);
        if (errno != EEXIST)
            break;
    }
    return NULL;
}

static bool dump(struct qn_collect *r, FILE *out)
{
    const char *why;
    char *path;

    qn_collect_limit_reading();
    if (!take_counts(r))
        return fprintf(out, "nothing is counted yet\n"), false;
    path = claim(r, &why);
    if (!path)
        return fprintf(out, "no profile can be written: %s\n", why), false;
    if (qn_collect_write_now(r, path))
        return fprintf(out, "%s\n", path), true;
    unlink(path);
    return fprintf(out, "no profile could be written\n"), false;
}

/* ---- on and off ---- */

/* Takes the lock h->caller.  false: somebody has held it for longer than any call takes; the arena may be damaged. */
static bool take_caller(struct qn_arena_header *h)
{
    const struct timespec patience = { 0, WISH_LOOK_MS * (QN_NS_PER_SECOND / 1000) };
    uint32_t who = 0;

    for (int i = 0; i < WISH_LOOKS; i++) {
        if (__atomic_compare_exchange_n(&h->caller, &who, (uint32_t)getpid(), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return true;
        if (kill((pid_t)who, 0) && errno == ESRCH) /* it was killed while it called */
            __atomic_compare_exchange_n(&h->caller, &who, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        else
            syscall(SYS_futex, &h->caller, FUTEX_WAIT, who, &patience, NULL, 0);
        who = 0;
    }
    return false;
}

/* Kicks the running thread, so that it reads the wish.  `called` is set after the signal is sent: if it were set before, an earlier kick of the
 * thread itself would clear it.  If the signal arrives before it is set, a thread that is no longer the runner yields once in vain (thread.c).
 *
 * A running thread comes to the dispatcher and reads the wish; a thread that waits in the kernel is not disturbed, and reads it when it goes on
 * (QN_KICK_VALUE).  A process that shares the guest's memory for a while (vfork) is not kicked. */
void qn_collect_kick(const struct qn_collect *r)
{
    struct qn_arena_header *h = qn_cost_header(&r->store);
    siginfo_t info = { .si_signo = SIGTRAP, .si_code = SI_QUEUE };
    uint64_t runner;

    info.si_value.sival_ptr = (void *)(uintptr_t)QN_KICK_VALUE;
    if (h->beside.pid && sim_current_slot(h->sim_output.current_module[0]) == SLOT_AN)
        syscall(SYS_rt_sigqueueinfo, h->beside.pid, SIGTRAP, &info);
    if (!take_caller(h))
        return;
    runner = __atomic_load_n(&h->runner, __ATOMIC_SEQ_CST);
    if ((pid_t)(runner >> 32) == r->guest && !syscall(SYS_rt_tgsigqueueinfo, r->guest, (pid_t)(uint32_t)runner, SIGTRAP, &info))
        __atomic_store_n(&h->called, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&h->caller, 0, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &h->caller, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static bool wish(struct qn_collect *r, enum qn_wish what, FILE *out)
{
    const struct timespec patience = { 0, WISH_LOOK_MS * (QN_NS_PER_SECOND / 1000) };
    struct qn_arena_header *h = qn_cost_header(&r->store);

    if (!h->started)
        return fprintf(out, "the program does not run yet\n"), false;
    if (what == QN_WISH_ZERO && qn_collect_never_divides(r))
        return fprintf(out, "not supported with %s\n", qn_collect_never_divides(r)), false;
    __atomic_store_n(&h->wish, what, __ATOMIC_SEQ_CST);
    qn_collect_kick(r);
    for (int i = 0; i < WISH_LOOKS && __atomic_load_n(&h->wish, __ATOMIC_SEQ_CST) == what; i++)
        syscall(SYS_futex, &h->wish, FUTEX_WAIT, what, &patience, NULL, 0);
    fprintf(out, __atomic_load_n(&h->wish, __ATOMIC_SEQ_CST) ? "asked; it does so when it goes on\n" : "done\n");
    return true;
}

/* ---- commands ---- */

static void answer_command(struct qn_collect *r, int socket)
{
    const struct timeval patience = { PATIENCE_S, 0 };
    char word[QN_CONTROL_WORD_MAX + 1] = "", *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ssize_t n;
    bool good = false;

    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    n = recv(socket, word, QN_CONTROL_WORD_MAX, 0);
    if (!out || n <= 0)
        _exit(1);
    if (!strcmp(word, "dump"))
        good = dump(r, out);
    else if (!strcmp(word, "status"))
        good = status(r, out);
    else if (!strcmp(word, "start") || !strcmp(word, "stop"))
        good = wish(r, word[2] == 'a' ? QN_WISH_START : QN_WISH_STOP, out);
    else if (!strcmp(word, "zero"))
        good = wish(r, QN_WISH_ZERO, out);
    else
        fprintf(out, "this quern does not know '%s'\n", word);
    fclose(out);
    dprintf(socket, "%d %s", !good, text);
    _exit(0);
}

void qn_collect_serve_control(struct qn_collect *r)
{
    int socket = accept4(r->control, NULL, NULL, SOCK_CLOEXEC);
    struct ucred who;

    if (socket < 0)
        return;
    if (qn_control_is_own(socket, &who) && fork() == 0)
        answer_command(r, socket);
    close(socket);
}

void qn_collect_dump(struct qn_collect *r)
{
    FILE *out;

    if (fork())
        return;
    out = fopen("/dev/null", "w");
    _exit(!out || !dump(r, out));
}

/* ---- progress ---- */

static void print_progress(struct qn_collect *r)
{
    struct qn_cost_event_set events;
    struct qn_cost_result result = { .program = NULL };
    double time = seconds(r);
    int64_t *t = result.totals, data;
    bool terminal = isatty(r->log.errors);

    if (!take_counts(r) || !sum(r, &events, &result))
        _exit(1);
    data = t[QN_COST_DR] + t[QN_COST_DW];
    dprintf(r->log.errors, "%squern: %.0f s, %.0f million instructions, %.0f million a second", terminal ? "\r\33[K" : "", time,
            (double)t[QN_COST_IR] / MILLION, time > 0 ? (double)t[QN_COST_IR] / time / MILLION : 0);
    if (r->config.cache_sim)
        dprintf(r->log.errors, ", D1 misses %.2f%%, LL misses %.2f%%", data ? 100.0 * (double)(t[QN_COST_D1MR] + t[QN_COST_D1MW]) / (double)data : 0,
                data ? 100.0 * (double)(t[QN_COST_DLMR] + t[QN_COST_DLMW]) / (double)data : 0);
    dprintf(r->log.errors, "%s", terminal ? "" : "\n");
    _exit(0);
}

void qn_collect_show_progress(struct qn_collect *r)
{
    uint64_t ns = qn_collect_now();

    if (!r->options.progress || !r->is_main || r->progress_pid > 0 || ns - r->progress_ns < PROGRESS_NS)
        return;
    r->progress_ns = ns;
    r->progress_pid = fork();
    if (r->progress_pid == 0)
        print_progress(r);
}

void qn_collect_end_progress(struct qn_collect *r)
{
    if (!r->options.progress)
        return;
    while (r->progress_pid > 0 && waitpid(r->progress_pid, NULL, 0) < 0 && errno == EINTR)
        ;
    r->progress_pid = 0;
    if (r->progress_ns && isatty(r->log.errors))
        dprintf(r->log.errors, "\r\33[K");
}
