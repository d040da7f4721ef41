/* vectors.c - system calls with struct iovec and struct msghdr, good and bad pointers in them; ioctl, fcntl and prctl with bad ones.
 * The first of the bad addresses are where quern lies. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

static const uint64_t bad[] = {0x54001000, 0x60001000, 0x70001000, 0x70300000, 0x78001000, 0x7e8800000000, 0x7ec000000000,
                               8, 0xdeadbeef, 0x8000000000000000};
static char first[8], last[8];
static int file, pair[2];

static void tell(const char *what, long r) { printf(" %s %ld %s\n", what, r, r < 0 ? strerrorname_np(errno) : ""); }

static void files(struct iovec *v, int n)
{
    pwrite(file, "abcdefghijklmnopqrstuvwxyz", 26, 0);
    lseek(file, 0, SEEK_SET);
    memset(first, '.', 8), memset(last, '.', 8);
    tell("readv", readv(file, v, n));
    printf("  %.8s %.8s at %ld\n", first, last, (long)lseek(file, 0, SEEK_CUR));
    tell("preadv", preadv(file, v, n, 3));
    tell("preadv2", preadv2(file, v, n, 20, 0));
    tell("writev", writev(file, v, n));
    tell("pwritev", pwritev(file, v, n, 1));
    tell("pwritev2", pwritev2(file, v, n, 1, 0));
    tell("process_vm_readv", process_vm_readv(getpid(), v, n, &(struct iovec){last, 4}, 1, 0));
    tell("process_vm_writev", process_vm_writev(getpid(), v, n, &(struct iovec){last, 4}, 1, 0));
}

static void sockets(struct iovec *v, int n, void *name, void *control)
{
    struct msghdr m = {.msg_name = name, .msg_namelen = name ? 16 : 0, .msg_iov = v, .msg_iovlen = (size_t)n,
                       .msg_control = control, .msg_controllen = control ? 64 : 0};

    tell("sendmsg", sendmsg(pair[0], &m, MSG_DONTWAIT));
    send(pair[0], "0123456789", 10, 0);
    memset(first, '.', 8);
    tell("recvmsg", recvmsg(pair[1], &m, MSG_DONTWAIT));
    printf("  %.8s name %u control %zu flags %x\n", first, m.msg_namelen, m.msg_controllen, m.msg_flags);
    while (recv(pair[1], last, 8, MSG_DONTWAIT) >= 0)
        ;
}

static void requests(void *at)
{
    tell("FIONREAD", ioctl(pair[0], FIONREAD, at));
    tell("TCGETS", ioctl(0, TCGETS, at));
    tell("SIOCGIFCONF", ioctl(pair[0], 0x8912, at));
    tell("F_GETLK", fcntl(file, F_GETLK, at));
    tell("F_GETOWN_EX", fcntl(file, F_GETOWN_EX, at));
    tell("PR_SET_NAME", prctl(PR_SET_NAME, at));
    tell("PR_GET_NAME", prctl(PR_GET_NAME, at));
    tell("PR_GET_PDEATHSIG", prctl(PR_GET_PDEATHSIG, at));
    tell("PR_GET_CHILD_SUBREAPER", prctl(PR_GET_CHILD_SUBREAPER, at));
    tell("PR_SET_SECCOMP", prctl(PR_SET_SECCOMP, 2, at));
    tell("ARCH_GET_FS", syscall(SYS_arch_prctl, 0x1003, at));
}

static void try(void *at)
{
    struct iovec last_bad[] = {{first, 8}, {at, 8}}, first_bad[] = {{at, 8}, {first, 8}}, empty_bad[] = {{first, 8}, {at, 0}};
    static struct iovec many[1024];

    for (int i = 0; i < 1024; i++)
        many[i] = (struct iovec){i == 1000 ? at : first, i == 1000 || i < 3};
    files(last_bad, 2);
    files(first_bad, 2);
    files(empty_bad, 2);
    files(many, 1024);
    files(at, 2);
    sockets(last_bad, 2, NULL, NULL);
    sockets(first_bad, 2, NULL, NULL);
    sockets(at, 1, NULL, NULL);
    sockets(empty_bad, 2, at, NULL);
    sockets(empty_bad, 2, NULL, at);
    tell("sendmsg itself", sendmsg(pair[0], at, 0));
    requests(at);
}

int main(void)
{
    file = memfd_create("x", 0);
    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &(int){1}, sizeof(int));
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        printf("%u\n", i);
        try((void *)(uintptr_t)bad[i]);
    }
    sockets(&(struct iovec){last, 8}, 1, NULL, first);
    return 0;
}
