/* tools/run_loop.c - waits for the guest's end, serving engine and user meanwhile.
 *
 * The main collector learns of the end by waitpid.  A sub-collector's guest is not its child: it
 * watches a pidfd, and the socket, whose end of file means that no engine holds the other end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

#define STUCK_MS 3000 /* a module may take so long for one reference */

static void reap(struct qn_run *r)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (!r->is_main || pid != r->guest)
            continue; /* a sub-collector has done its work */
        if (WIFSTOPPED(status)) {
            qn_run_mirror_stop(r, WSTOPSIG(status));
        } else {
            r->ended = true;
            r->status = status;
        }
    }
}

static void serve_socket(struct qn_run *r)
{
    if (r->socket < 0 || qn_run_serve(r))
        return;
    close(r->socket);
    r->socket = -1;
    if (!r->is_main)
        r->ended = true;
}

static void end_of_guest(struct qn_run *r)
{
    /* Between its last message and its end the guest may have said that it becomes another program. */
    serve_socket(r);
    r->ended = true;
}

/* The main guest has ended.  Ours may have too, a moment ago. */
static void drain(struct qn_run *r)
{
    struct pollfd p = { r->pidfd, POLLIN, 0 };

    if (r->pidfd >= 0 && poll(&p, 1, 0) > 0)
        end_of_guest(r);
    else
        qn_run_detach(r);
}

/* Is the guest running, not stopped?  Field 3 of /proc/PID/stat, behind the name in parentheses. */
static bool is_running(pid_t pid)
{
    char path[64], text[512], *end;
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "re");
    if (f) {
        n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[n] = 0;
    end = strrchr(text, ')');
    return end && end[1] == ' ' && end[2] == 'R';
}

/* A simulator module that is in the same call as STUCK_MS ago, and computing, does not come back. */
static void check_modules(struct qn_run *r)
{
    static const char *const slots[] = { "I1", "D1", "LL", "BC", "BI" };
    static uint64_t before;
    struct qn_arena_header *h = qn_cost_header(&r->store);
    uint64_t now = ((volatile struct qn_sim_output *)&h->sim_output)->at_work, slot = (now & 255) - 1;

    if (now && now == before && slot < sizeof slots / sizeof slots[0] && is_running(r->guest)) {
        snprintf(h->fatal_text, sizeof h->fatal_text, "module in slot %s, call %llu: does not come back, an endless loop?  (%.120s)",
                 slots[slot], (unsigned long long)(now >> 8), h->sim_output.modules);
        h->fatal = QN_FATAL_MODULE;
        kill(r->guest, SIGKILL);
    }
    before = now;
}

void qn_run_wait(struct qn_run *r)
{
    while (!r->ended) {
        struct pollfd p[] = {
            { r->socket, POLLIN, 0 },
            { r->signals, POLLIN, 0 },
            { r->is_main ? -1 : r->pidfd, POLLIN, 0 },
            { r->is_main ? -1 : r->drain[0], POLLIN, 0 },
        };

        int ready = poll(p, sizeof p / sizeof p[0], STUCK_MS);

        if (ready == 0)
            check_modules(r);
        if (ready <= 0)
            continue;
        if (p[0].revents)
            serve_socket(r);
        if (p[1].revents) {
            qn_run_read_signals(r);
            reap(r);
        }
        if (p[2].revents)
            end_of_guest(r);
        if (p[3].revents && !r->ended)
            drain(r);
    }
    if (r->is_main)
        serve_socket(r);
}
