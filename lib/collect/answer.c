/* lib/collect/answer.c - answers the engine's messages.  The protocol is in cost/messages.h.
 *
 * In:  a message of struct qn_message
 * Out: the answer, with descriptors where it has any; the state of struct qn_collect
 *
 * Invariants: it never waits, except until a part of the run is written (part.c); an invalid message is ignored.
 */
#define _GNU_SOURCE
#include "cost/messages.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/collect.h"
#include "collect/control.h"
#include "collect/descriptors.h"
#include "collect/part.h"
#include "collect/reader.h"
#include "collect/answer.h"

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

static void drop_fresh(struct qn_collect *r)
{
    qn_cost_close(&r->fresh);
}

static void adopt_fresh(struct qn_collect *r)
{
    qn_cost_close(&r->store);
    r->store = r->fresh;
    r->fresh = (struct qn_cost_store){ .fd = -1 };
    r->replaced = true;
    qn_collect_forget_parts(r);
    qn_collect_show_image(r);
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
        if (r->pidfd < 0)
            r->ended = true; /* the guest is gone already */
        qn_collect_open_control(r, r->guest);
    }
    r->hello = true;
}

static void serve_exec(struct qn_collect *r)
{
    int error;

    drop_fresh(r);
    error = qn_cost_create_like(&r->fresh, &r->store);
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
        qn_collect_serve_fork(r);
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
        drop_fresh(r);
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

/* Receives a message; m->pid becomes the sender's pid in our namespace, *file the descriptor that came with it,
 * or -1. */
static ssize_t receive(int socket, struct qn_message *m, int *file)
{
    struct iovec part = { m, sizeof *m };
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    ssize_t n = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct ucred sender;

    *file = -1;
    if (n >= 0)
        memset((char *)m + n, 0, sizeof *m - (size_t)n);
    for (struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&message) : NULL; c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET)
            continue;
        if (c->cmsg_type == SCM_RIGHTS)
            memcpy(file, CMSG_DATA(c), sizeof *file);
        if (c->cmsg_type != SCM_CREDENTIALS)
            continue;
        memcpy(&sender, CMSG_DATA(c), sizeof sender);
        m->pid = sender.pid;
    }
    return n;
}

bool qn_collect_serve(struct qn_collect *r)
{
    struct qn_message m;
    int file;

    for (;;) {
        ssize_t n = receive(r->socket, &m, &file);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (n <= 0) /* end of file, or a reset */
            return false;
        serve_one(r, &m);
        if (file < 0)
            continue;
        if (m.kind == QN_MESSAGE_FILE)
            qn_collect_give_reader(r, file);
        close(file);
    }
}
