/* lib/collect/loop.c - waits for the guest's end; meanwhile handles messages of the engine and commands of the user.
 *
 * The main collector learns of the end by waitpid.  A sub-collector's guest is not its child: it
 * watches a pidfd, and the socket, whose end of file means that no engine holds the other end.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collect/collect.h"
#include "collect/control.h"
#include "sim/at_work.h"

#define LOOK_MS 500 /* between two checks of whether a module hangs */

static void reap(struct qn_collect *r)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (pid == r->progress_pid)
            r->progress_pid = 0;
        if (!r->is_main || pid != r->guest)
            continue; /* a sub-collector has ended */
        if (WIFSTOPPED(status)) {
            qn_collect_mirror_stop(r, WSTOPSIG(status));
        } else {
            r->ended = true;
            r->status = status;
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
    char path[64], text[1024], *p;
    unsigned long long user, system;
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "re");
    if (f) {
        n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[n] = 0;
    p = strrchr(text, ')');
    if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) != 2)
        return 0;
    return user + system;
}

/* A module hangs if it is in the same call as SIM_STUCK_SECONDS of processor time ago.  In a call that lasts the engine is asked where the
 * module stands: at a kick it notes that (run/core/die.c). */
static void check_modules(struct qn_collect *r)
{
    static uint64_t before, since;
    struct qn_arena_header *h = qn_cost_header(&r->store);
    volatile uint64_t *at_work = h->sim_output.at_work;
    uint64_t call = at_work[2], now;

    h->sim_output.stays_in = 0;
    if (!at_work[0] || sim_at_work_slot(call) >= SLOTS) {
        before = 0;
        return;
    }
    now = cpu_time(r->guest);
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
    if (at_work[0] != call) { /* the outermost call asks other modules again and again */
        at_work[0] = call;
        at_work[1] = SIM_IN_DOREF;
    }
    h->fatal = QN_FATAL_STUCK;
    kill(r->guest, SIGKILL);
}

static int64_t milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static void wait_until(struct qn_collect *r, const bool *end)
{
    int64_t looked = milliseconds();

    while (!r->ended && !*end) {
        struct pollfd p[] = {
            { r->socket, POLLIN, 0 },
            { r->signals, POLLIN, 0 },
            { r->is_main ? -1 : r->pidfd, POLLIN, 0 },
            { r->is_main ? -1 : r->drain[0], POLLIN, 0 },
            { r->control, POLLIN, 0 },
        };

        int ready = poll(p, sizeof p / sizeof p[0], LOOK_MS);

        if (milliseconds() - looked >= LOOK_MS) {
            looked = milliseconds();
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

void qn_collect_wait(struct qn_collect *r)
{
    wait_until(r, &r->leaves);
    if (r->is_main)
        serve_socket(r);
}

void qn_collect_wait_for_end(struct qn_collect *r) { wait_until(r, &r->ended); }
