/* io_uring.c - io_uring by its system calls: rings that the kernel shares, reads into code, a handler that ends a wait, a mask that
 * holds while it waits, the kernel's own thread that submits.  Status 77: the kernel has none. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "code.h"

struct ring {
    int fd;
    unsigned *sq_head, *sq_tail, *sq_mask, *sq_array, *sq_flags, *cq_head, *cq_tail, *cq_mask;
    struct io_uring_sqe *sqes;
    struct io_uring_cqe *cqes;
};

static int setup(struct ring *r, unsigned flags)
{
    struct io_uring_params p = {.flags = flags, .sq_thread_idle = 1000};
    uint8_t *sq, *cq;

    r->fd = (int)syscall(SYS_io_uring_setup, 8, &p);
    if (r->fd < 0)
        return -1;
    sq = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQ_RING);
    cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof *r->cqes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_CQ_RING);
    r->sqes = mmap(NULL, p.sq_entries * sizeof *r->sqes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, IORING_OFF_SQES);
    if (sq == MAP_FAILED || cq == MAP_FAILED || r->sqes == MAP_FAILED)
        return -1;
    r->sq_head = (unsigned *)(sq + p.sq_off.head);
    r->sq_tail = (unsigned *)(sq + p.sq_off.tail);
    r->sq_mask = (unsigned *)(sq + p.sq_off.ring_mask);
    r->sq_flags = (unsigned *)(sq + p.sq_off.flags);
    r->sq_array = (unsigned *)(sq + p.sq_off.array);
    r->cq_head = (unsigned *)(cq + p.cq_off.head);
    r->cq_tail = (unsigned *)(cq + p.cq_off.tail);
    r->cq_mask = (unsigned *)(cq + p.cq_off.ring_mask);
    r->cqes = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
    return 0;
}

static void put(struct ring *r, int op, int fd, const void *addr, unsigned len, uint64_t data)
{
    unsigned tail = *r->sq_tail, at = tail & *r->sq_mask;
    struct io_uring_sqe *s = &r->sqes[at];

    memset(s, 0, sizeof *s);
    s->opcode = (uint8_t)op;
    s->fd = fd;
    s->addr = (uint64_t)(uintptr_t)addr;
    s->len = len;
    s->user_data = data;
    s->off = op == IORING_OP_READ || op == IORING_OP_WRITE ? (uint64_t)-1 : 0;
    if (op == IORING_OP_POLL_ADD)
        s->poll32_events = POLLIN;
    if (op == IORING_OP_TIMEOUT)
        s->off = 0;
    r->sq_array[at] = at;
    __atomic_store_n(r->sq_tail, tail + 1, __ATOMIC_RELEASE);
}

static long enter(struct ring *r, unsigned submit, unsigned wait, const sigset_t *mask)
{
    return syscall(SYS_io_uring_enter, r->fd, submit, wait, wait ? IORING_ENTER_GETEVENTS : 0, mask, mask ? 8 : 0);
}

/* The next completion. */
static int take(struct ring *r, uint64_t *data)
{
    unsigned head = *r->cq_head;
    struct io_uring_cqe c;

    if (head == __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE))
        return -9999;
    c = r->cqes[head & *r->cq_mask];
    __atomic_store_n(r->cq_head, head + 1, __ATOMIC_RELEASE);
    if (data)
        *data = c.user_data;
    return c.res;
}

static void copies(struct ring *r)
{
    char to[16] = "";
    int p[2], n;
    uint64_t data[3], all = 0;

    if (pipe(p))
        return;
    put(r, IORING_OP_NOP, -1, NULL, 0, 1);
    put(r, IORING_OP_WRITE, p[1], "through", 8, 2);
    printf("submitted %ld\n", enter(r, 2, 2, NULL));
    for (int i = 0; i < 2; i++)
        n = take(r, &data[i]), all += data[i] * 100 + (uint64_t)n;
    put(r, IORING_OP_READ, p[0], to, sizeof to, 3);
    enter(r, 1, 1, NULL);
    n = take(r, &data[2]);
    printf("copied %d %llu %s %llu\n", n, (unsigned long long)data[2], to, (unsigned long long)all);
    put(r, IORING_OP_READ, 9999, to, 1, 4);
    enter(r, 1, 1, NULL);
    printf("no such descriptor: %d\n", take(r, NULL));
    close(p[0]);
    close(p[1]);
}

/* The kernel writes where translated code comes from. */
static void into_code(struct ring *r, const char *what, int asks)
{
    uint8_t *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), buf[sizeof template];
    struct iovec iov = {x, sizeof buf};
    int p[2], sum = 0, n;

    if (pipe(p))
        return;
    for (int i = 1; i <= 50; i++) {
        put_code(buf, i);
        if (i % 2)
            put(r, IORING_OP_READ, p[0], x, sizeof buf, 0);
        else
            put(r, IORING_OP_READV, p[0], &iov, 1, 0);
        if (asks)
            enter(r, 1, 0, NULL);
        else if (__atomic_load_n(r->sq_flags, __ATOMIC_SEQ_CST) & IORING_SQ_NEED_WAKEUP)
            syscall(SYS_io_uring_enter, r->fd, 0, 0, IORING_ENTER_SQ_WAKEUP, NULL, 0);
        if (write(p[1], buf, sizeof buf) != sizeof buf)
            return;
        if (asks)
            enter(r, 0, 1, NULL);
        while ((n = take(r, NULL)) == -9999)
            ;
        sum += n == sizeof buf ? call(x) : -100000;
    }
    printf("%s: %d\n", what, sum);
    close(p[0]);
    close(p[1]);
}

static volatile int handled, mask_inside;
static void on_alarm(int sig)
{
    sigset_t now;

    handled += sig == SIGALRM;
    sigprocmask(SIG_BLOCK, NULL, &now);
    mask_inside = sigismember(&now, SIGUSR1);
}

static void signals(struct ring *r)
{
    struct itimerval soon = {.it_value = {0, 20000}};
    sigset_t waiting, now, blocked;
    int p[2];
    long r1;

    if (pipe(p))
        return;
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
    put(r, IORING_OP_POLL_ADD, p[0], NULL, 0, 5);
    setitimer(ITIMER_REAL, &soon, NULL);
    enter(r, 1, 0, NULL);
    r1 = enter(r, 0, 1, NULL);
    printf("interrupted: %ld %d, handled %d\n", r1, errno, handled);
    /* Blocked, but not while it waits; and another signal the other way round. */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGALRM);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    sigemptyset(&waiting);
    sigaddset(&waiting, SIGUSR1);
    setitimer(ITIMER_REAL, &soon, NULL);
    r1 = enter(r, 0, 1, &waiting);
    printf("with a mask: %ld %d", r1, errno);
    sigprocmask(SIG_SETMASK, NULL, &now);
    printf(", handled %d, its mask in the handler %d, behind it %d %d\n", handled, mask_inside, sigismember(&now, SIGALRM), sigismember(&now, SIGUSR1));
    sigemptyset(&blocked);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    if (write(p[1], "x", 1) == 1)
        enter(r, 0, 1, NULL);
    printf("poll: %d\n", take(r, NULL));
    close(p[0]);
    close(p[1]);
}

static void notified(struct ring *r)
{
    struct __kernel_timespec soon = {0, 1000000};
    int event = eventfd(0, 0);
    uint64_t n = 0;

    printf("registered %ld\n", syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_EVENTFD, &event, 1));
    put(r, IORING_OP_TIMEOUT, -1, &soon, 1, 6);
    enter(r, 1, 0, NULL);
    if (read(event, &n, sizeof n) != sizeof n)
        return;
    printf("notified %llu: %d\n", (unsigned long long)n, take(r, NULL));
    close(event);
}

int main(void)
{
    struct ring r, own;

    setvbuf(stdout, NULL, _IONBF, 0);
    if (setup(&r, 0)) {
        printf("no io_uring: %s\n", strerror(errno));
        return 77;
    }
    copies(&r);
    into_code(&r, "reads into code", 1);
    signals(&r);
    notified(&r);
    close(r.fd);
    if (setup(&own, IORING_SETUP_SQPOLL) == 0)
        into_code(&own, "by the kernel's thread", 0);
    return 0;
}
