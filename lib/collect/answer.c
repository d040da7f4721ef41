/* lib/collect/answer.c - answers the engine's messages; collectors for forked guests.  The protocol is in cost/messages.h.
 *
 * In:  a message of struct qn_message
 * Out: the answer, with descriptors where it has any; the state of struct qn_collect
 *
 * Invariants: it never waits, except until a part of the run is written (part.c), or to send the reader an arena; an invalid message is ignored.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/collect.h"
#include "cost/messages.h"
#include "cost/part.h"

/* ---- sending and receiving: messages with descriptors, over a socket of packets (SCM_RIGHTS) ---- */

union control {
    char bytes[CMSG_SPACE(QN_COLLECT_FDS_MAX * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
    struct cmsghdr align;
};

bool qn_collect_send(int socket, const void *message, size_t size, const int *fds, size_t count, int flags)
{
    struct iovec part = { (void *)(unsigned long)message, size };
    union control control = { { 0 } };
    struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
    ssize_t n;

    if (count) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&header);

        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(c), fds, count * sizeof(int));
    }
    do
        n = sendmsg(socket, &header, MSG_NOSIGNAL | flags);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)size;
}

/* *sender stays as it is if the kernel does not say who has sent the message. */
static ssize_t receive(int socket, void *message, size_t size, int fds[QN_COLLECT_FDS_MAX], struct ucred *sender, int flags)
{
    struct iovec part = { message, size };
    union control control;
    struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes };
    ssize_t n;

    memset(fds, -1, QN_COLLECT_FDS_MAX * sizeof *fds);
    do
        n = recvmsg(socket, &header, flags | MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    for (struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&header) : NULL; c; c = CMSG_NXTHDR(&header, c)) {
        size_t bytes = c->cmsg_len - CMSG_LEN(0), most = QN_COLLECT_FDS_MAX * sizeof *fds;

        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            memcpy(fds, CMSG_DATA(c), bytes < most ? bytes : most);
        else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS)
            memcpy(sender, CMSG_DATA(c), sizeof *sender);
    }
    return n;
}

bool qn_collect_receive(int socket, void *message, size_t size, int fds[QN_COLLECT_FDS_MAX])
{
    struct ucred nobody;

    return receive(socket, message, size, fds, &nobody, 0) == (ssize_t)size;
}

bool qn_collect_make_pair(int pair[2])
{
    int on = 1;

    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0
           && setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0;
}

void qn_collect_answer(struct qn_collect *r, uint32_t kind, int value, const int *fds, size_t count)
{
    const struct qn_message m = { .kind = kind, .pid = (int32_t)getpid(), .value = value };

    qn_collect_send(r->socket, &m, sizeof m, fds, count, MSG_DONTWAIT);
}

/* ---- collectors for forked guests ----
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
    if (r->merger.socket >= 0) { /* the counts up to here are the parent's */
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

static void serve_fork(struct qn_collect *r)
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

/* ---- answers ---- */

static void adopt_fresh(struct qn_collect *r)
{
    qn_cost_close(&r->store);
    r->store = r->fresh;
    r->fresh = (struct qn_cost_store){ .fd = -1 };
    r->replaced = true;
    qn_collect_forget_parts(r);
}

static void become_out(struct qn_collect *r, bool out)
{
    r->exec_out = out;
    if (r->is_main)
        r->shared->alone = out;
}

bool qn_collect_adopt_dead_image(struct qn_collect *r)
{
    if (!r->fresh.base || !qn_cost_header(&r->fresh)->fatal)
        return false;
    adopt_fresh(r);
    return true;
}

static void take_hello(struct qn_collect *r, const struct qn_message *m)
{
    if (r->fresh.base)
        adopt_fresh(r);
    if (!r->hello && !r->is_main && m->pid > 0) {
        r->guest = m->pid;
        r->log.pid = m->pid;
        r->pidfd = (int)syscall(SYS_pidfd_open, m->pid, 0);
        r->ended = r->pidfd < 0 && errno == ESRCH; /* the guest is gone already */
        qn_collect_open_control(r, r->guest);
    }
    r->hello = true;
}

static void serve_exec(struct qn_collect *r)
{
    int error;

    qn_cost_close(&r->fresh);
    error = qn_cost_create_like(&r->fresh, &r->store);
    if (!error)
        qn_collect_show_image(r); /* before the program can begin: this collector may be killed at any time */
    qn_collect_answer(r, QN_MESSAGE_EXEC_OK, error, &r->fresh.fd, error ? 0 : 1);
}

static void make_printable(struct qn_message *m)
{
    m->text[sizeof m->text - 1] = 0;
    for (char *p = m->text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
}

/* Prints a message of the engine; with --quiet only text of the program itself (VALGRIND_PRINTF). */
static void take_note(struct qn_collect *r, struct qn_message *m)
{
    make_printable(m);
    if (m->kind == QN_MESSAGE_PRINT)
        qn_collect_print(r, "%s", m->text);
    else if (!r->log.quiet)
        qn_collect_note(r, "%s", m->text);
    qn_collect_flush(r);
}

static void serve_one(struct qn_collect *r, struct qn_message *m)
{
    switch (m->kind) {
    case QN_MESSAGE_HELLO:
        take_hello(r, m);
        break;
    case QN_MESSAGE_FORK:
        serve_fork(r);
        break;
    case QN_MESSAGE_EXEC_NEW:
        serve_exec(r);
        break;
    case QN_MESSAGE_EXEC_OUT:
        become_out(r, true);
        qn_collect_answer(r, QN_MESSAGE_EXEC_OK, 0, NULL, 0);
        break;
    case QN_MESSAGE_EXIT:
        r->leaves = r->hello && !r->exec_out;
        break;
    case QN_MESSAGE_EXEC_FAILED:
        qn_cost_close(&r->fresh);
        become_out(r, false);
        break;
    case QN_MESSAGE_RESOLVE:
    case QN_MESSAGE_TYPE:
    case QN_MESSAGE_FRAME:
        qn_collect_serve_question(r, m->kind, (uint32_t)m->value);
        break;
    case QN_MESSAGE_PART:
        make_printable(m);
        qn_collect_serve_part(r, m->value, m->text);
        break;
    case QN_MESSAGE_PRINT:
    case QN_MESSAGE_NOTE:
        take_note(r, m);
        break;
    }
}

bool qn_collect_serve(struct qn_collect *r)
{
    struct qn_message m;
    int fds[QN_COLLECT_FDS_MAX];

    for (;;) {
        struct ucred sender = { .pid = 0 };
        ssize_t n = receive(r->socket, &m, sizeof m, fds, &sender, MSG_DONTWAIT);

        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (n <= 0) /* end of file, or a reset */
            return false;
        memset((char *)&m + n, 0, sizeof m - (size_t)n);
        if (sender.pid)
            m.pid = sender.pid; /* in our namespace */
        serve_one(r, &m);
        if (m.kind == QN_MESSAGE_FILE && fds[0] >= 0)
            qn_collect_give_reader(r, fds[0]);
        for (int i = 0; i < QN_COLLECT_FDS_MAX; i++)
            if (fds[i] >= 0)
                close(fds[i]);
    }
}
