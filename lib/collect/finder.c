/* lib/collect/finder.c - finds what the engine asks for in debug information, while the program waits.
 *
 *   engine      -- RESOLVE map -->    collector   -- question -->   finder   writes into the arena: --explain, --toggle, --calls, --data
 *   engine      -- TYPE object -->    ...                                    the size of an element of a block
 *   engine      -- FRAME number -->   ...                                    the layout of a stack frame, when it is first missed on
 *   engine     <-- the answer --      collector   <-- done --
 *
 * The finder is one process for the whole run, because reading debug information takes time: the thousandth child of a shell does not
 * read the C library again.  Each collector hands it its arena and a socket of its own.  A damaged file may crash a library or make it
 * loop: then each collector that needs one starts a finder for itself, once.
 *
 * Invariants: the finder holds no descriptor of the user; it ends when no collector can ask it any more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/grow.h"
#include "collect/collect.h"
#include "collect/descriptors.h"
#include "collect/reader.h"
#include "collect/answer.h"
#include "cost/calls/calls.h"
#include "cost/data/allocators.h"
#include "cost/data/frames.h"
#include "cost/messages.h"

#define CLIENTS_FIRST 16

struct question {
    uint32_t kind; /* QN_MESSAGE_RESOLVE, QN_MESSAGE_TYPE, QN_MESSAGE_FRAME */
    uint32_t number;
};

/* ---- the finder ---- */

struct client {
    struct qn_cost_store store;
    struct qn_cost_frames *frames;
};

struct finder {
    const struct qn_collect *run;
    struct qn_cost_library *library;
    struct pollfd *sockets; /* the first is where clients introduce themselves; then one for each client */
    struct client *clients;
    size_t count, room, clients_room;
};

static void answer(struct finder *f, struct client *c, const struct question *q)
{
    const struct qn_collect *r = f->run;

    qn_collect_limit_reading();
    if (q->kind == QN_MESSAGE_TYPE)
        qn_cost_find_element(&c->store, f->library, q->number);
    else if (q->kind == QN_MESSAGE_FRAME)
        qn_cost_find_frame(c->frames, &c->store, f->library, q->number);
    else {
        if (r->named_count)
            qn_cost_find_named(&c->store, f->library, q->number, r->named, r->named_count);
        if (r->options.calls)
            qn_cost_find_calls(&c->store, f->library, q->number);
        if (r->options.data)
            qn_cost_find_data(&c->store, f->library, q->number, r->allocators, r->options.alloc.count);
    }
}

static void add_client(struct finder *f, int arena, int socket)
{
    struct client c = { .store = { .fd = arena } };

    if (!qn_cost_map(&c.store)) {
        close(arena);
        close(socket);
        return;
    }
    close(arena);
    c.store.fd = -1;
    c.frames = qn_cost_new_frames();
    if (!QN_GROW(f->sockets, f->count, f->room, CLIENTS_FIRST) || !QN_GROW(f->clients, f->count, f->clients_room, CLIENTS_FIRST))
        qn_no_memory();
    f->clients[f->count] = c;
    f->sockets[f->count++] = (struct pollfd){ .fd = socket, .events = POLLIN };
}

static void remove_client(struct finder *f, size_t i)
{
    close(f->sockets[i].fd);
    qn_cost_close(&f->clients[i].store);
    qn_cost_free_frames(f->clients[i].frames);
    f->sockets[i] = f->sockets[--f->count];
    f->clients[i] = f->clients[f->count];
}

static void close_all_but(int fd)
{
    qn_collect_keep_only(&fd, 1);
    for (int nowhere = 0; nowhere <= STDERR_FILENO; nowhere++) /* so no message is written into a file of debug information */
        close(nowhere);
    for (int nowhere = 0; nowhere >= 0 && nowhere <= STDERR_FILENO;)
        nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
}

static _Noreturn void answer_all(const struct qn_collect *r, int introduced)
{
    struct finder f = { .run = r, .library = qn_cost_new_library() };
    int fds[QN_COLLECT_FDS_MAX];
    struct question q;
    char byte;

    close_all_but(introduced);
    qn_collect_allow_descriptors();
    f.room = f.clients_room = CLIENTS_FIRST;
    f.sockets = QN_NEEDED(calloc(f.room, sizeof *f.sockets));
    f.clients = QN_NEEDED(calloc(f.room, sizeof *f.clients));
    f.sockets[f.count++] = (struct pollfd){ .fd = introduced, .events = POLLIN };
    while (f.count > 1 || f.sockets[0].fd >= 0) {
        if (poll(f.sockets, f.count, -1) < 0)
            continue;
        for (size_t i = f.count - 1; i > 0; i--) {
            if (!f.sockets[i].revents)
                continue;
            if (recv(f.sockets[i].fd, &q, sizeof q, 0) != (ssize_t)sizeof q) {
                remove_client(&f, i);
                continue;
            }
            answer(&f, &f.clients[i], &q);
            qn_collect_send(f.sockets[i].fd, &q, sizeof q, NULL, 0, 0);
        }
        if (f.sockets[0].revents && !qn_collect_receive(introduced, &byte, 1, fds))
            f.sockets[0].fd = -1;
        else if (f.sockets[0].revents)
            add_client(&f, fds[0], fds[1]);
    }
    _exit(0);
}

/* ---- the collectors ---- */

void qn_collect_start_finder(struct qn_collect *r)
{
    int pair[2];
    pid_t pid;

    r->finder = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return;
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0); /* signals to the program's group do not reach it */
        answer_all(r, pair[1]);
    }
    close(pair[1]);
    if (pid < 0)
        close(pair[0]);
    else
        r->finder = pair[0];
    r->finder_pid = pid;
}

void qn_collect_forget_questions(struct qn_collect *r)
{
    if (r->questions >= 0)
        close(r->questions);
    r->questions = -1;
}

static bool introduce(struct qn_collect *r)
{
    int pair[2];
    bool sent;

    if (r->finder < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return false;
    sent = qn_collect_send(r->finder, "", 1, (int[]){ r->store.fd, pair[1] }, 2, 0);
    close(pair[1]);
    r->questions = pair[0];
    r->questions_of = r->store.base;
    return sent;
}

static bool ask(struct qn_collect *r, struct question q)
{
    ssize_t n;

    if (r->questions >= 0 && r->questions_of != r->store.base) /* exec: another arena */
        qn_collect_forget_questions(r);
    if ((r->questions < 0 && !introduce(r)) || !qn_collect_send(r->questions, &q, sizeof q, NULL, 0, 0))
        return false;
    if (!qn_collect_wait_for(r, r->questions)) { /* end what it reads; there is no other that would read it again */
        qn_collect_end_process(r->finder_pid);
        r->finder_replaced = true;
        return false;
    }
    n = recv(r->questions, &q, sizeof q, 0);
    return n == (ssize_t)sizeof q;
}

/* Another finder, for this collector, in place of the one that has died. */
static void replace_finder(struct qn_collect *r)
{
    qn_collect_forget_questions(r);
    if (r->finder >= 0)
        close(r->finder);
    r->finder = -1;
    if (!r->finder_replaced)
        qn_collect_start_finder(r);
    r->finder_replaced = true;
}

void qn_collect_serve_question(struct qn_collect *r, uint32_t kind, uint32_t number)
{
    const struct question q = { kind, number };

    if (!ask(r, q) && (r->finder >= 0 || !r->finder_replaced)) {
        replace_finder(r);
        if (r->finder < 0 || !ask(r, q)) {
            replace_finder(r);
            qn_collect_note(r, "debug information cannot be read: what --explain, --toggle, --calls or --data look for is not found from now on");
        }
    }
    qn_collect_answer(r, kind == QN_MESSAGE_RESOLVE ? QN_MESSAGE_RESOLVED : QN_MESSAGE_TYPED, 0, NULL, 0);
}
