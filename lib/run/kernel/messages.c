/* lib/run/kernel/messages.c - messages between the engine and its collector (cost/messages.h), and descriptors that come with them. */
#include "run/kernel/kernel.h"

#include "base/format.h"

enum { SCM_RIGHTS_ = 1, SOL_SOCKET_ = 1, MSG_NOSIGNAL_ = 0x4000, MSG_CMSG_CLOEXEC_ = 0x40000000 };

struct iovec_ { void *base; uint64_t len; };
struct msghdr_ {
    void *name; uint32_t namelen, pad0;
    struct iovec_ *iov; uint64_t iovlen;
    void *control; uint64_t controllen;
    int32_t flags, pad1;
};
struct rights { uint64_t len; int32_t level, type; int32_t fds[4]; };

static void send(int fd, uint32_t kind, int value, const char *text)
{
    struct qn_message msg = {.kind = kind, .pid = (int32_t)qn_sys1(__NR_getpid, 0), .value = value};

    qn_format(msg.text, sizeof msg.text, "%s", text);
    qn_sys6(__NR_sendto, fd, (long)&msg, sizeof msg, MSG_NOSIGNAL_, 0, 0);
}

void qn_message_send(int fd, uint32_t kind, int value) { send(fd, kind, value, ""); }

/* Hands the collector a file whose code the guest has mapped. */
void qn_message_file(int file)
{
    struct qn_message msg = {.kind = QN_MESSAGE_FILE, .pid = (int32_t)qn_sys1(__NR_getpid, 0)};
    struct rights control = {.len = 16 + sizeof control.fds[0], .level = SOL_SOCKET_, .type = SCM_RIGHTS_, .fds = {file}};
    struct iovec_ iov = {&msg, sizeof msg};
    struct msghdr_ h = {.iov = &iov, .iovlen = 1, .control = &control, .controllen = 24};

    qn_sys3(__NR_sendmsg, qn_socket_fd, (long)&h, MSG_NOSIGNAL_);
}

/* Receive one answer and up to two descriptors (-1 where absent). */
static bool receive(int fd, struct qn_message *msg, int fds[2], const struct qn_limit *limit)
{
    struct rights control = {0};
    struct iovec_ iov = {msg, sizeof *msg};
    struct msghdr_ h = {.iov = &iov, .iovlen = 1, .control = &control, .controllen = sizeof control};
    long n;

    fds[0] = fds[1] = -1;
    do
        n = qn_sys3(__NR_recvmsg, fd, (long)&h, MSG_CMSG_CLOEXEC_);
    while (n == -4);
    if (n != (long)sizeof *msg)
        return false;
    if (h.controllen >= 16 && control.type == SCM_RIGHTS_ && control.level == SOL_SOCKET_) {
        unsigned got = (unsigned)((control.len - 16) / 4);

        for (unsigned i = 0; i < got && i < 2; i++)
            fds[i] = qn_files_move_up(control.fds[i], limit);
    }
    return true;
}

bool qn_message_receive(int fd, struct qn_message *msg, int fds[2])
{
    struct qn_limit limit;
    bool received;

    qn_files_go_beyond(&limit);
    received = receive(fd, msg, fds, &limit);
    qn_files_go_back(&limit);
    return received;
}

void qn_message_note(uint32_t kind, const char *text) { send(qn_socket_fd, kind, 0, text); }

void qn_message_ask(uint32_t kind, uint32_t what)
{
    struct qn_message msg;
    int fds[2];

    qn_message_send(qn_socket_fd, kind, (int)what);
    qn_message_receive(qn_socket_fd, &msg, fds);
}

void qn_message_part(int what, const char *text)
{
    struct qn_message msg;
    int fds[2];

    qn_sim_stream_sync();
    send(qn_socket_fd, QN_MESSAGE_PART, what, text);
    qn_message_receive(qn_socket_fd, &msg, fds);
}

bool qn_ask_fork(int fds[2])
{
    struct qn_message msg;

    qn_sim_stream_sync();
    qn_message_send(qn_socket_fd, QN_MESSAGE_FORK, 0);
    return qn_message_receive(qn_socket_fd, &msg, fds) && msg.kind == QN_MESSAGE_FORK_OK && fds[0] >= 0 && fds[1] >= 0;
}
