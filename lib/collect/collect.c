/* lib/collect/collect.c - `quern run` after option parsing: starts a program under the engine, waits, folds, ends with the same status.
 *
 * In:  quern run --branch-sim=yes -- ./prog arg
 * Out: the guest's own output; a summary on stderr; cachegrind.out.PID; the guest's exit status
 *
 * This process, the collector, creates the counts arena in shared memory and forks.  The child executes the engine, which loads the
 * program and counts in the arena.  Even if the guest is killed, the arena stays, and the collector makes a profile of it.
 *
 * Exit status: the guest's (a fatal signal is raised again on ourselves); 1 if the guest succeeded
 * but its profile could not be written; 2 usage; 70 the engine gave up; 126, 127 no such program.
 */
#define _GNU_SOURCE
#include "collect/collect.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/context.h"
#include "debug/debug.h"
#include "sim/current_module.h"
#include "text/error.h"

/* ---- waiting for the guest's end; meanwhile messages of the engine and commands of the user ----
 *
 * The main collector learns of the end by waitpid.  A sub-collector's guest is not its child: it
 * watches a pidfd, and the socket, whose end of file means that no engine holds the other end.
 */

#define LOOK_MS 500 /* between two checks of whether a module hangs */

/* Tells the one that waits for this word that the other has ended. */
static void tell_ended(uint32_t *word)
{
    __atomic_fetch_or(word, QN_BESIDE_ENDED, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* All is counted when the guest and the process that calls its analyses (run/observe/beside.c) have ended. */
static void observer_or_guest_ended(struct qn_collect *r, pid_t pid)
{
    struct qn_beside *b = &qn_cost_header(&r->store)->beside;

    if (pid == b->pid) {
        b->pid = 0;
        tell_ended(&b->done);
    } else {
        r->gone = true;
        tell_ended(&b->posted);
    }
    r->ended = r->gone && !b->pid;
}

static void reap(struct qn_collect *r)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (pid == r->progress_pid)
            r->progress_pid = 0;
        if (!r->is_main || (pid != r->guest && pid != qn_cost_header(&r->store)->beside.pid))
            continue; /* a sub-collector has ended */
        if (!WIFSTOPPED(status)) {
            r->status = pid == r->guest ? status : r->status;
            observer_or_guest_ended(r, pid);
        } else if (pid == r->guest) {
            qn_collect_mirror_stop(r, WSTOPSIG(status));
        }
    }
}

static void serve_socket(struct qn_collect *r)
{
    if (r->socket < 0 || qn_collect_serve(r))
        return;
    close(r->socket);
    r->socket = -1;
    if (!r->is_main)
        r->ended = true;
}

static void end_of_guest(struct qn_collect *r)
{
    /* Read the socket once more: the guest may have announced an exec just before its end. */
    serve_socket(r);
    r->ended = true;
}

/* The main guest has ended.  Detaches, unless our guest has ended, too. */
static void drain(struct qn_collect *r)
{
    struct pollfd p = { r->pidfd, POLLIN, 0 };

    if (r->pidfd >= 0 && poll(&p, 1, 0) > 0)
        end_of_guest(r);
    else
        qn_collect_detach(r);
}

/* ---- modules that hang ---- */

/* Processor time of the guest in clock ticks: fields 14 and 15 of /proc/PID/stat, behind the name in parentheses. */
static uint64_t cpu_time(pid_t pid)
{
    char text[QN_COLLECT_STAT_MAX];
    unsigned long long user, system;

    if (sscanf(qn_collect_read_stat(pid, text), " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) != 2)
        return 0;
    return user + system;
}

/* A module hangs if it is in the same call as SIM_STUCK_SECONDS of processor time ago.  In a call that lasts the engine is asked where the
 * module stands: at a kick it notes that (run/core/die.c). */
static void check_modules(struct qn_collect *r)
{
    static uint64_t before, since;
    struct qn_arena_header *h = qn_cost_header(&r->store);
    volatile uint64_t *current_module = h->sim_output.current_module;
    uint64_t call = current_module[2], now;

    h->sim_output.stays_in = 0;
    if (!current_module[0] || sim_current_slot(call) >= SLOTS) {
        before = 0;
        return;
    }
    now = cpu_time(r->guest) + (h->beside.pid ? cpu_time(h->beside.pid) : 0);
    if (call != before)
        since = now;
    else
        h->sim_output.stays_in = call;
    before = call;
    if (!h->sim_output.stays_in)
        return;
    qn_collect_kick(r);
    if (now - since < sim_stuck_seconds(getenv(SIM_STUCK_VARIABLE)) * (uint64_t)sysconf(_SC_CLK_TCK))
        return;
    if (current_module[0] != call) { /* the outermost call asks other modules again and again */
        current_module[0] = call;
        current_module[1] = SIM_IN_DOREF;
    }
    h->fatal = QN_FATAL_STUCK;
    if (h->beside.pid)
        kill(h->beside.pid, SIGKILL);
    kill(r->guest, SIGKILL);
}

uint64_t qn_collect_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * QN_NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static void wait_until(struct qn_collect *r, const bool *end)
{
    uint64_t looked = qn_collect_now();

    while (!r->ended && !*end) {
        struct pollfd p[] = {
            { r->socket, POLLIN, 0 },
            { r->signals, POLLIN, 0 },
            { r->is_main ? -1 : r->pidfd, POLLIN, 0 },
            { r->is_main ? -1 : r->drain[0], POLLIN, 0 },
            { r->control, POLLIN, 0 },
        };

        int ready = poll(p, sizeof p / sizeof p[0], LOOK_MS);

        if (qn_collect_now() - looked >= LOOK_MS * (QN_NS_PER_SECOND / 1000)) {
            looked = qn_collect_now();
            check_modules(r);
            qn_collect_show_progress(r);
        }
        if (ready <= 0)
            continue;
        if (p[0].revents)
            serve_socket(r);
        if (p[1].revents) {
            qn_collect_read_signals(r);
            reap(r);
        }
        if (p[2].revents)
            end_of_guest(r);
        if (p[3].revents && !r->ended)
            drain(r);
        if (p[4].revents && !r->ended)
            qn_collect_serve_control(r);
    }
}

/* ---- the run ---- */

/* If a standard descriptor is closed, opens it, so that no file of ours gets its number.  The guest finds it closed. */
static void fill_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd < 3);
    if (fd >= 0)
        close(fd);
}

static char *join_arguments(char **argv)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (size_t i = 0; out && argv[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", argv[i]);
    if (out)
        fclose(out);
    return text;
}

#define TCACHE_MIN (512u << 10) /* bytes: an eighth of it has room for the longest block */

static bool check_options(const struct qn_collect_options *o)
{
    _Static_assert(QN_PROCESSORS_MAX == 64 && QN_CODE_MAX - QN_CODE_FIXED == 126u << 20, "the messages say so");
    const struct {
        const char *name;
        uint64_t got, least, most;
        const char *wanted;
    } bounds[] = {
        { "cores", o->cores, 0, QN_PROCESSORS_MAX, "at most 64" },
        { "quantum", o->quantum, 1, INT32_MAX, "1 to 2147483647 instructions or references" },
        { "processors", o->processors, 0, QN_PROCESSORS_MAX, "at most 64" },
        { "block-max", o->block_max, 0, UINT32_MAX, "a number below 2^32" },
        { "tcache-size", o->tcache_size ? o->tcache_size : TCACHE_MIN, TCACHE_MIN, QN_CODE_MAX - QN_CODE_FIXED, "512K to 126M" },
        { "log-fd", o->log_fd, 0, INT32_MAX, "an open descriptor" },
        { "interval", o->interval_given ? o->interval : 1, 1, INT64_MAX, "at least 1 instruction" },
        { "calls-room", o->calls ? o->calls_room : 1, 1, UINT64_MAX, "at least 1" },
        { "calls-depth", o->calls ? o->calls_depth : 1, 1, UINT64_MAX, "at least 1" },
    };

    for (size_t i = 0; i < QN_ARRAY_LEN(bounds); i++)
        if (bounds[i].got < bounds[i].least || bounds[i].got > bounds[i].most) {
            qn_collect_complain("--%s: got %llu, wanted %s", bounds[i].name, (unsigned long long)bounds[i].got, bounds[i].wanted);
            return false;
        }
    for (unsigned i = 0; i < o->pin.count; i++)
        if (o->pin.core[i] >= o->cores) {
            qn_collect_complain("--pin: got core %u, wanted one of 0 to %llu (--cores)", o->pin.core[i], (unsigned long long)o->cores - 1);
            return false;
        }
    if (o->cores && o->explain.count && !o->watch) {
        qn_collect_complain("--explain: not with --cores");
        return false;
    }
    if (o->watch > QN_NOTES_MAX) {
        qn_collect_complain("--watch: got %llu, wanted at most %llu references", (unsigned long long)o->watch, (unsigned long long)QN_NOTES_MAX);
        return false;
    }
    if (o->versus && !o->cache_sim && !o->branch_sim) {
        qn_collect_complain("--versus: nothing is simulated that could be compared");
        return false;
    }
    return qn_collect_check_patterns(o);
}

static int end_main(struct qn_collect *r)
{
    bool written = true;
    int status;

    if (qn_collect_adopt_dead_image(r))
        r->exec_out = false;
    if (r->shared->exec_errno)
        qn_collect_fail(r, "%s: the engine cannot be executed: %s", r->engine, strerror(r->shared->exec_errno));
    else if (r->exec_out)
        qn_collect_note(r, "The program became another one, which is not followed (--trace-children=no): no profile."); /* with -q, too */
    else
        written = qn_collect_finish(r);
    qn_collect_flush(r);
    wait_until(r, &r->ended);
    qn_collect_wait_for_subs(r);
    written = qn_collect_finish_merge(r) && written;
    qn_collect_end_reader(r);
    qn_engines_remove_scratch(&r->sims);
    status = r->exec_out ? 0 : qn_collect_fatal_status(r);
    if (status)
        return status;
    if (!written && WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0)
        return QN_EXIT_FAILED;
    qn_collect_mirror_end(r->status);
}

static int run(struct qn_collect *r)
{
    if (!qn_collect_take_signals(r)) {
        perror("quern: run: signalfd");
        return QN_EXIT_SOFTWARE;
    }
    r->start_ns = qn_collect_now();
    r->start_tsc = __rdtsc();
    if (!qn_collect_launch(r))
        return r->refused ? r->refused : QN_EXIT_SOFTWARE;
    wait_until(r, &r->leaves); /* all is counted */
    if (r->is_main)
        serve_socket(r);
    if (!r->is_main) { /* the guest of a sub-collector has ended, or never was */
        bool dead = qn_collect_adopt_dead_image(r), counted = r->hello && !r->exec_out;

        _exit((counted || dead) && !qn_collect_finish(r));
    }
    qn_collect_end_progress(r);
    return end_main(r);
}

int qn_collect_run(const struct qn_collect_options *options)
{
    static struct qn_collect r;
    int status;

    r.options = *options;
    if (!check_options(&r.options) || !qn_collect_take_names(&r))
        return QN_EXIT_USAGE;
    qn_debug_configure(&(struct qn_debug_settings){ .inlines = (enum qn_debug_inlines)r.options.inlines, .keep_names = !r.options.demangle,
                                                    .extra_root = r.options.debug_root });
    r.is_main = true;
    r.pidfd = r.store.fd = r.fresh.fd = r.zero.fd = r.control = r.questions = r.hurry = r.ends = -1;
    r.finder.socket = r.merger.socket = r.reader.socket = -1;
    fill_standard_descriptors();
    qn_collect_take_space_limits(&r.config);
    if (!qn_collect_choose_geometry(&r.options, r.geometry, r.origin))
        return QN_EXIT_USAGE;
    if (r.options.cores && r.geometry[QN_COLLECT_L2].line && r.geometry[QN_COLLECT_L2].line != r.geometry[QN_COLLECT_D1].line) {
        qn_collect_complain("--cores: got L2 lines of %u bytes, wanted %u as in the D1, with which it is kept coherent", r.geometry[QN_COLLECT_L2].line,
                            r.geometry[QN_COLLECT_D1].line);
        return QN_EXIT_USAGE;
    }
    if (r.options.data == QN_DATA_USE && r.geometry[1].line > QN_USE_LINE_MAX) {
        qn_collect_complain("--data=use: got D1 lines of %u bytes, wanted at most %u", r.geometry[1].line, QN_USE_LINE_MAX);
        return QN_EXIT_USAGE;
    }
    if ((r.options.cpu && !qn_collect_choose_cpu(r.options.cpu, &r.config.cpu)) ||
        !qn_collect_choose_engine_cpu(r.options.vectors, &r.config.engine_cpu))
        return QN_EXIT_USAGE;
    if ((status = qn_collect_find_program(&r)) || (status = qn_collect_check_names(&r)) || (status = qn_collect_set_up_sims(&r)))
        return status;
    r.command = join_arguments(r.options.argv);
    status = run(&r);
    qn_engines_remove_scratch(&r.sims);
    return status;
}
