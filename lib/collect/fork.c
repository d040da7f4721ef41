/* lib/collect/fork.c - collectors for forked guests.
 *
 * The guest is about to fork and waits.  Its collector copies the used part of the arena (the child
 * inherits the counts so far), makes a socket and forks a sub-collector that serves the child-to-be:
 *
 *   guest      -- FORK -->     collector
 *   guest     <-- FORK_OK --   collector      arena copy and socket of the sub-collector
 *   new guest  -- HELLO -->    sub-collector
 *
 * A sub-collector lives as long as its guest, in a session of its own, so a signal to the whole group does not reach it.  Two pipes
 * connect all sub-collectors with the main collector:
 *   drain: closed by the main collector when its guest has ended.  A sub-collector whose guest still
 *          runs (a daemon) then closes the terminal and `done`, and continues alone;
 *   done:  read by the main collector until every sub-collector has closed its end, so that the
 *          profiles of all processes that ended before the main one are there when quern returns.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cost/part.h"
#include "cost/messages.h"
#include "collect/collect.h"
#include "collect/part.h"
#include "collect/answer.h"

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

bool qn_collect_make_pipes(struct qn_collect *r)
{
    return pipe2(r->drain, O_CLOEXEC) == 0 && pipe2(r->done, O_CLOEXEC) == 0;
}

/* In the new process: takes the copy of the arena and closes what belongs to the parent's guest. */
static void become_sub(struct qn_collect *r, const struct qn_cost_store *copy, int socket)
{
    close_fd(&r->drain[1]);
    close_fd(&r->done[0]);
    close_fd(&r->socket);
    close_fd(&r->pidfd);
    close_fd(&r->control);
    qn_collect_forget_questions(r);
    qn_cost_close(&r->store);
    qn_cost_close(&r->fresh);
    r->store = *copy;
    r->socket = socket;
    r->is_main = r->hello = r->leaves = r->ended = r->exec_out = r->replaced = false;
    r->guest = 0;
    r->log.size = 0;
    if (r->merger >= 0) { /* the counts up to here are the parent's */
        qn_collect_forget_parts(r);
        r->parts = 0;
        if (qn_cost_take_part(&r->zero, &r->store))
            r->zero.fd = -1;
    }
}

/* Waits until the sub-collector has a session of its own, and with --merge-children a copy of the counts so far.  Only then may the guest
 * fork: otherwise a signal that ends the whole group would end the child's collector, too, and its counts would be lost. */
static void wait_for_session(int ready[2])
{
    char byte;

    close_fd(&ready[1]);
    while (read(ready[0], &byte, 1) < 0 && errno == EINTR)
        ;
    close_fd(&ready[0]);
}

/* Returns twice, as fork does: 0 in the sub-collector, else its pid, or -1 and errno. */
static pid_t fork_sub(struct qn_collect *r, struct qn_cost_store *copy, int pair[2])
{
    int error = qn_cost_copy(copy, &r->store), ready[2];
    pid_t pid;

    if (error) {
        errno = error;
        return -1;
    }
    if (!qn_collect_make_pair(pair) || pipe2(ready, O_CLOEXEC))
        return -1;
    r->has_forked = true;
    pid = fork();
    if (pid == 0) {
        setsid();
        close_fd(&pair[1]);
        become_sub(r, copy, pair[0]);
        close_fd(&ready[0]);
        close_fd(&ready[1]);
    } else {
        wait_for_session(ready);
    }
    return pid;
}

void qn_collect_serve_fork(struct qn_collect *r)
{
    struct qn_cost_store copy = { .fd = -1 };
    int pair[2] = { -1, -1 };
    pid_t pid = fork_sub(r, &copy, pair);

    if (pid == 0)
        return;
    if (pid < 0)
        qn_collect_answer(r, QN_MESSAGE_FORK_ERR, errno, NULL, 0);
    else
        qn_collect_answer(r, QN_MESSAGE_FORK_OK, 0, (int[]){ copy.fd, pair[1] }, 2);
    close_fd(&pair[0]);
    close_fd(&pair[1]);
    qn_cost_close(&copy);
}

void qn_collect_wait_for_subs(struct qn_collect *r)
{
    char byte;

    close_fd(&r->drain[1]);
    close_fd(&r->done[1]);
    qn_collect_wait_for(r, r->done[0]); /* a signal ends what they read, not what they write then */
    while (read(r->done[0], &byte, 1) < 0 && errno == EINTR)
        ;
}

void qn_collect_detach(struct qn_collect *r)
{
    close_fd(&r->done[1]);
    close_fd(&r->drain[0]);
    if (r->log.shared)
        close_fd(&r->log.fd);
    close_fd(&r->log.errors);
}
