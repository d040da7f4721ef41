/* lib/trace/recorder.c - see recorder.h. */
#define _GNU_SOURCE
#include "trace/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/record.h"

enum { MEMORY, THEIRS, OURS, DONE, FDS };

struct qn_trace_recorder {
    int fd[FDS];          /* the ring's memory; the program's end of the socket; ours; an eventfd: the program has ended */
    struct ring *ring;
    struct qn_trace_writer *to;
    pthread_t thread;
    bool good;
};

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Takes words up to `head`, at most to the ring's end and an eighth of it; wakes the recorder.  false: the writer failed. */
static bool take(struct qn_trace_recorder *r, uint64_t head)
{
    uint64_t tail = r->ring->tail, at = tail % RING_WORDS, n = smaller(head - tail, smaller(RING_WORDS - at, RING_WORDS / 8));

    if (!qn_trace_write(r->to, ring_words(r->ring) + at, n))
        return false;
    RING_STORE(r->ring->tail, tail + n);
    if (RING_LOAD(r->ring->recorder_waits) && RING_TAKE(r->ring->recorder_waits))
        send(r->fd[OURS], "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    return true;
}

/* Waits until there are more words (false) or the program has ended (true). */
static bool sleep_on(struct qn_trace_recorder *r)
{
    struct pollfd p[] = {{r->fd[OURS], POLLIN, 0}, {r->fd[DONE], POLLIN, 0}};
    char bytes[64];

    RING_STORE(r->ring->reader_sleeps, 1);
    if (RING_LOAD(r->ring->head) != r->ring->tail)
        return false;
    poll(p, 2, -1);
    if ((p[0].revents & POLLIN) && recv(r->fd[OURS], bytes, sizeof bytes, MSG_DONTWAIT) < 0)
        return false;
    return p[1].revents & POLLIN;
}

static void *read_ring(void *data)
{
    struct qn_trace_recorder *r = data;
    bool ended = false;

    r->good = true;
    for (;;) {
        uint64_t head = RING_LOAD(r->ring->head);

        if (head != r->ring->tail) {
            r->good = take(r, head);
            if (!r->good)
                break;
        } else if (ended) {
            break;
        } else {
            ended = sleep_on(r);
        }
    }
    if (!r->good)
        RING_STORE(r->ring->refused, 1);
    shutdown(r->fd[OURS], SHUT_RDWR); /* a recorder that waits for room wakes and sees that the reader has ended */
    return NULL;
}

static void release(struct qn_trace_recorder *r)
{
    for (unsigned i = 0; i < FDS; i++)
        if (r->fd[i] >= 0)
            close(r->fd[i]);
    if (r->ring && r->ring != MAP_FAILED)
        munmap(r->ring, RING_BYTES);
    free(r);
}

static bool open_all(struct qn_trace_recorder *r)
{
    int pair[2];

    r->fd[MEMORY] = memfd_create("quern-trace", 0);
    if (r->fd[MEMORY] < 0 || ftruncate(r->fd[MEMORY], RING_BYTES) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return false;
    r->fd[THEIRS] = pair[0];
    r->fd[OURS] = pair[1];
    fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    r->fd[DONE] = eventfd(0, EFD_CLOEXEC);
    r->ring = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd[MEMORY], 0);
    return r->fd[OURS] >= 0 && r->fd[DONE] >= 0 && r->ring != MAP_FAILED;
}

struct qn_trace_recorder *qn_trace_open_recorder(struct qn_trace_writer *to)
{
    struct qn_trace_recorder *r = calloc(1, sizeof *r);
    int error;

    if (!r)
        return NULL;
    for (unsigned i = 0; i < FDS; i++)
        r->fd[i] = -1;
    r->to = to;
    if (open_all(r)) {
        errno = pthread_create(&r->thread, NULL, read_ring, r);
        if (!errno)
            return r;
    }
    error = errno;
    release(r);
    errno = error;
    return NULL;
}

const int *qn_trace_recorder_fds(const struct qn_trace_recorder *r) { return r->fd; }

bool qn_trace_close_recorder(struct qn_trace_recorder *r, bool *begun)
{
    bool good;

    eventfd_write(r->fd[DONE], 1);
    pthread_join(r->thread, NULL);
    good = r->good;
    *begun = RING_LOAD(r->ring->head) > 0;
    release(r);
    return good;
}
