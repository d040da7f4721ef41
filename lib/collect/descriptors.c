/* lib/collect/descriptors.c - messages with descriptors over a socket of packets (SCM_RIGHTS). */
#define _GNU_SOURCE
#include "collect/descriptors.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    char bytes[CMSG_SPACE(QN_COLLECT_FDS_MAX * sizeof(int))];
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

bool qn_collect_receive(int socket, void *message, size_t size, int fds[QN_COLLECT_FDS_MAX])
{
    struct iovec part = { message, size };
    union control control;
    struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes };
    struct cmsghdr *c;
    ssize_t n;

    memset(fds, -1, QN_COLLECT_FDS_MAX * sizeof *fds);
    do
        n = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    c = n == (ssize_t)size ? CMSG_FIRSTHDR(&header) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
    return n == (ssize_t)size;
}

void qn_collect_allow_descriptors(void)
{
    struct rlimit limit;

    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}
