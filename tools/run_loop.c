/* tools/run_loop.c - waits for the guest's end, serving engine and user meanwhile.
 *
 * The main collector learns of the end by waitpid.  A sub-collector's guest is not its child: it
 * watches a pidfd, and the socket, whose end of file means that no engine holds the other end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

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

void qn_run_wait(struct qn_run *r)
{
    while (!r->ended) {
        struct pollfd p[] = {
            { r->socket, POLLIN, 0 },
            { r->signals, POLLIN, 0 },
            { r->is_main ? -1 : r->pidfd, POLLIN, 0 },
            { r->is_main ? -1 : r->drain[0], POLLIN, 0 },
        };

        if (poll(p, sizeof p / sizeof p[0], -1) < 0)
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
