/* lib/collect/reader.c - a process that reads debug information while the guest runs, and folds on demand.
 *
 *   main collector --fork--> reader          reads the ELF files that the arena names, as they appear
 *   collector      --request--> reader       { pid, ... } with descriptors: arena, reply, errors, log; or the descriptor
 *                                            of a file that a guest has mapped, so that it stays readable
 *   reader         --fork--> folder          has everything that was read; folds, writes, prints.  For the last possible
 *                                            request, the reader does this itself
 *   folder         --byte--> reply           0 written, 1 not written; end of file: it died
 *   main collector --killed-->               the reader waits until the guest is dead, too, and writes its profile
 *
 * So the profile of a short program does not wait for the debug information of its libraries, and the thousandth child of a shell does
 * not read it again.  The reader does nothing else: if it dies (a damaged ELF file may crash a library), collectors do the work
 * themselves, see finish.c.
 *
 * Invariants: the reader holds no descriptor of the user; it ends when there is no collector any more; before the program begins, it is in
 * a process group of its own, so a signal to the program's group does not reach it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ready.h"
#include "cost/data/data.h"
#include "cost/places/modules.h"
#include "collect/collect.h"
#include "collect/descriptors.h"
#include "collect/reader.h"

#define HEAP_READY (3 << 20) /* bytes for the symbols and lines of the C library and a small profile */
#define HEAP_LARGE (32 << 20)
#define WATCH_FIRST_MS 1 /* pause between two looks at the arena, doubled while nothing is new */
#define WATCH_LAST_MS 64 /* with longer pauses it waits for requests only */

struct request {
    uint64_t engine_hash; /* computed after the reader has started */
    int32_t pid;
    uint8_t replaced, fds; /* how many descriptors: 1 file or image; else 2, or 4 with errors and log */
    bool last, image;
    uint32_t parts;
};

/* Does the work of the collector that asked. */
_Noreturn static void fold_for(struct qn_collect *r, const struct request *q, const int fds[QN_COLLECT_FDS_MAX],
                     struct qn_cost_library *library)
{
    uint8_t failed;

    r->guest = r->log.pid = q->pid;
    r->replaced = q->replaced;
    r->engine_hash = q->engine_hash;
    r->parts = q->parts;
    r->log.errors = q->fds > 2 ? fds[2] : -1;
    r->log.fd = q->fds > 3 ? fds[3] : -1;
    r->log.size = 0;
    qn_collect_limit_reading();
    failed = !qn_collect_fold(r, NULL, library);
    while (write(fds[1], &failed, 1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

static void serve_request(struct qn_collect *r, int socket, const struct request *q, int fds[QN_COLLECT_FDS_MAX],
                          struct qn_cost_library *library)
{
    r->store.fd = fds[0];
    if (qn_cost_map(&r->store)) {
        qn_collect_limit_reading();
        if (!q->last)
            qn_cost_preload(library, &r->store);
        if (!q->last && r->config.data)
            qn_cost_preload_data(library, &r->store);
        if (q->last || fork() == 0) {
            close(socket);
            fold_for(r, q, fds, library);
        }
        qn_cost_close(&r->store);
        fds[0] = -1;
    }
    for (int i = 0; i < q->fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* Takes a file or an image that a collector hands over; false: it is a request to fold. */
static bool take_file(struct qn_collect *r, const struct request *q, const int fds[QN_COLLECT_FDS_MAX], struct qn_cost_library *library)
{
    if (q->fds != 1)
        return false;
    if (q->image) {
        close(r->image);
        r->image = fds[0];
        r->replaced = true;
    } else {
        qn_cost_give_file(library, fds[0]);
    }
    return true;
}

/* Reads the debug information of files that the first guest loads, until it loads no more for a while.  1: there is a request; 0: there can
 * be none any more; -1: neither yet. */
static int watch(struct qn_collect *r, int socket, struct qn_cost_library *library, struct request *q, int fds[QN_COLLECT_FDS_MAX])
{
    struct pollfd p = { socket, POLLIN, 0 };
    uint64_t seen = 0;

    for (int pause = WATCH_FIRST_MS; pause <= WATCH_LAST_MS;) {
        struct qn_cost_extent e;

        if (poll(&p, 1, pause) != 0) {
            int got = qn_collect_receive(socket, q, sizeof *q, fds);

            if (!got || !take_file(r, q, fds, library))
                return got;
            pause = WATCH_FIRST_MS;
            continue;
        }
        e = qn_cost_get_extent(&r->store);
        pause = e.maps != seen ? WATCH_FIRST_MS : 2 * pause;
        seen = e.maps;
        qn_cost_preload(library, &r->store);
    }
    return -1;
}

/* Writes the profile after the main collector was killed.  A child waits for the guest's end, which may have survived, while the reader serves
 * others. */
static void write_of_killed(struct qn_collect *r, struct qn_cost_library *library)
{
    struct pollfd p = { r->pidfd, POLLIN, 0 };

    if (r->shared->alone || r->pidfd < 0)
        return;
    r->shared->alone = true;
    if (fork())
        return;
    while (poll(&p, 1, -1) < 0 && errno == EINTR)
        ;
    r->store.fd = r->image;
    if (!qn_cost_map(&r->store))
        _exit(1);
    r->engine_hash = qn_engines_hash_engine(r->engine);
    r->log.fd = r->log.errors = -1;
    _exit(!qn_collect_fold(r, NULL, library));
}

static int wait_for_request(struct qn_collect *r, int socket, struct qn_cost_library *library, struct request *q, int fds[QN_COLLECT_FDS_MAX])
{
    struct pollfd p[] = { { socket, POLLIN, 0 }, { r->collector, POLLIN, 0 } };
    int got;

    do {
        while (poll(p, 2, -1) < 0 && errno == EINTR)
            ;
        if (p[1].revents) {
            p[1].fd = r->collector = -1;
            write_of_killed(r, library);
        }
        if (!p[0].revents)
            continue;
        got = qn_collect_receive(socket, q, sizeof *q, fds);
        if (!got || !take_file(r, q, fds, library))
            return got;
    } while (true);
}

/* The first access to each page costs a page fault (base/ready.h), and a reader accesses hundreds.  So the heap's pages are allocated at once,
 * and freed memory is kept.  A profile with counts by instruction is large: more of the heap gets huge pages, when it is first used. */
static void make_heap_ready(bool large)
{
    const size_t page = 2 << 20;
    char *heap, *more = NULL;

    mallopt(M_MMAP_THRESHOLD, large ? 2 * HEAP_LARGE : 2 * HEAP_READY);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    heap = malloc(HEAP_READY);
    if (heap)
        qn_ready(heap, HEAP_READY);
    if (large && (more = malloc(HEAP_LARGE)))
        madvise(more + (page - (uintptr_t)more % page), HEAP_LARGE - page, MADV_HUGEPAGE);
    free(more);
    free(heap);
}

/* `program` is the file that the guest begins as, -1 if it cannot be opened. */
static void read_and_fold(struct qn_collect *r, int socket, int program)
{
    struct qn_cost_library *library = qn_cost_new_library();
    struct request q = { .fds = 0 };
    int fds[QN_COLLECT_FDS_MAX], got;

    make_heap_ready(r->options.dump_instr);
    if (program >= 0)
        qn_cost_give_file(library, program);
    qn_collect_limit_reading();
    qn_collect_allow_descriptors(); /* files that guests have mapped stay open here */
    got = watch(r, socket, library, &q, fds);
    qn_cost_close(&r->store);
    if (got < 0)
        got = wait_for_request(r, socket, library, &q, fds);
    for (; got; got = wait_for_request(r, socket, library, &q, fds)) {
        serve_request(r, socket, &q, fds, library);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
    write_of_killed(r, library);
    _exit(0);
}

/* The reader gets all that it needs to outlive the collector before the fork, because either may be killed before the reader first runs. */
void qn_collect_start_reader(struct qn_collect *r)
{
    int pair[2], its[4];
    pid_t pid;

    r->reader = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return;
    its[0] = pair[1];
    its[1] = open(r->program, O_RDONLY | O_CLOEXEC);
    its[2] = (int)syscall(SYS_pidfd_open, r->guest, 0);
    its[3] = (int)syscall(SYS_pidfd_open, getpid(), 0);
    pid = fork();
    if (pid == 0) {
        r->image = fcntl(r->store.fd, F_DUPFD_CLOEXEC, 3);
        r->pidfd = its[2];
        r->collector = its[3];
        qn_collect_keep_only((int[]){ its[0], its[1], its[2], its[3], r->store.fd, r->image, r->merger }, 7);
        r->is_main = false;
        read_and_fold(r, its[0], its[1]);
    }
    if (pid > 0)
        setpgid(pid, 0);
    for (size_t i = 0; i < QN_ARRAY_LEN(its); i++)
        if (its[i] >= 0)
            close(its[i]);
    r->reader_pid = pid;
    if (pid < 0)
        close(pair[0]);
    else
        r->reader = pair[0];
}

/* The reader ends when nobody can ask it any more: at once, whatever it reads, unless a sub-collector lives on. */
void qn_collect_end_reader(struct qn_collect *r)
{
    r->shared->alone = true;
    if (r->reader < 0)
        return;
    close(r->reader);
    r->reader = -1;
    if (!r->has_forked)
        qn_collect_end_process(r->reader_pid);
    while (!r->has_forked && waitpid(r->reader_pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

void qn_collect_give_reader(const struct qn_collect *r, int file)
{
    struct request q = { .fds = 1 };

    if (r->reader >= 0)
        qn_collect_send(r->reader, &q, sizeof q, &file, q.fds, MSG_DONTWAIT);
}

void qn_collect_show_image(const struct qn_collect *r)
{
    struct request q = { .fds = 1, .image = true };

    if (r->reader >= 0 && r->is_main)
        qn_collect_send(r->reader, &q, sizeof q, &r->store.fd, q.fds, MSG_DONTWAIT);
}

int qn_collect_ask_reader(struct qn_collect *r)
{
    struct request q = { r->engine_hash, r->guest, r->replaced, 2, r->is_main && !r->has_forked, false, r->parts };
    int reply[2], fds[QN_COLLECT_FDS_MAX] = { r->store.fd, -1, r->log.errors, r->log.fd }, status = -1;
    uint8_t failed;
    ssize_t n = 0;

    if (r->reader < 0 || pipe2(reply, O_CLOEXEC))
        return -1;
    fds[1] = reply[1];
    if (r->log.errors >= 0)
        q.fds = r->log.fd >= 0 ? 4 : 3;
    if (qn_collect_send(r->reader, &q, sizeof q, fds, q.fds, 0)) {
        close(reply[1]);
        if (qn_collect_wait_for(r, reply[0]))
            n = read(reply[0], &failed, 1);
        if (n == 1)
            status = failed;
    } else {
        close(reply[1]);
    }
    close(reply[0]);
    return status;
}
