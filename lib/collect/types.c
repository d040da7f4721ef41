/* lib/collect/types.c - --data: finds the type of blocks when the engine first sees their allocation, and the layout of stack frames when
 * it first sees a miss on one.
 *
 *   engine      -- TYPE object -->    collector   -- object -->   a child that has read debug information
 *   engine     <-- TYPED --           collector   <-- done --     and has written the size of an element into the arena
 *   engine      -- FRAME number -->   ...                         and has filled in the frame's record
 *
 * A child process does this, because a damaged file may crash a library or make it loop.  There is one for the whole run, because reading
 * debug information takes time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collect/collect.h"
#include "collect/wire.h"
#include "cost/data/allocators.h"
#include "cost/data/frames.h"
#include "cost/wire.h"

#define SECONDS_MAX 60 /* processor time for the debug information of all files */

struct question {
    bool frame;              /* else it is an object */
    uint32_t number;
};

static void close_all_but(int fd)
{
    if (fd > 0)
        close_range(0, (unsigned)fd - 1, 0);
    close_range((unsigned)fd + 1, ~0u, 0);
    for (int nowhere = 0; nowhere >= 0 && nowhere <= STDERR_FILENO;) /* so no message is written into a file of debug information */
        nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
}

static _Noreturn void answer_all(const struct qn_collect *r, int fd)
{
    struct qn_cost_library *library = qn_cost_new_library();
    struct qn_cost_frames *frames = qn_cost_new_frames();
    struct question q;

    setrlimit(RLIMIT_CPU, &(struct rlimit){ SECONDS_MAX, SECONDS_MAX });
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    while (recv(fd, &q, sizeof q, 0) == (ssize_t)sizeof q) {
        if (q.frame)
            qn_cost_find_frame(frames, &r->store, library, q.number);
        else
            qn_cost_find_element(&r->store, library, q.number);
        if (send(fd, &q, sizeof q, MSG_NOSIGNAL) != (ssize_t)sizeof q)
            break;
    }
    _exit(0);
}

static bool start(struct qn_collect *r)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return false;
    r->types_pid = fork();
    if (r->types_pid == 0) {
        close_all_but(pair[1]);
        answer_all(r, pair[1]);
    }
    close(pair[1]);
    if (r->types_pid < 0) {
        close(pair[0]);
        return false;
    }
    r->types = pair[0];
    r->types_of = r->store.base;
    return true;
}

void qn_collect_forget_types(struct qn_collect *r)
{
    if (r->types_pid > 0)
        close(r->types);
    r->types_pid = 0;
}

static bool ask(const struct qn_collect *r, struct question q)
{
    ssize_t n;

    if (send(r->types, &q, sizeof q, MSG_NOSIGNAL) != (ssize_t)sizeof q)
        return false;
    while ((n = recv(r->types, &q, sizeof q, 0)) < 0 && errno == EINTR)
        continue;
    return n == (ssize_t)sizeof q;
}

static void serve(struct qn_collect *r, struct question q)
{
    if (r->types_pid > 0 && r->types_of != r->store.base) /* exec: another arena */
        qn_collect_forget_types(r);
    if (r->types_pid >= 0 && ((!r->types_pid && !start(r)) || !ask(r, q))) {
        qn_collect_forget_types(r);
        r->types_pid = -1;
        qn_collect_note(r, "debug information cannot be read: types of what is allocated from now on are not known");
    }
    qn_collect_answer(r, QN_WIRE_TYPED, 0, NULL, 0);
}

void qn_collect_serve_type(struct qn_collect *r, uint32_t object) { serve(r, (struct question){ .number = object }); }
void qn_collect_serve_frame(struct qn_collect *r, uint32_t frame) { serve(r, (struct question){ .frame = true, .number = frame }); }
