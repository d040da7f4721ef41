/* lib/collect/server.c - processes that read debug information for the collectors; from the arena to the profile file and the summary.
 *
 *   the reader   reads debug information while the guest runs, and folds on demand
 *   the finder   answers the engine's questions about debug information, while the program waits
 *   a child      does one piece of work
 *
 * Collectors do not read debug information themselves: a damaged ELF file may crash a library or make it loop for ever.  These processes have
 * limits on time and memory, and collectors survive their death.  One reader and one finder serve all collectors of a run, so the thousandth
 * child of a shell does not read the C library again.  They are two processes, so that no question waits for the reading ahead.
 *
 * Invariants: these processes hold no descriptor of the user; reader and finder end when the last collector has ended; signals to the
 * program's group do not reach them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/grow.h"
#include "base/ready.h"
#include "collect/collect.h"
#include "cost/calls/calls.h"
#include "cost/data/data.h"
#include "cost/data/frames.h"
#include "cost/messages.h"
#include "cost/places/places.h"

#define READ_SECONDS 120                 /* processor time of one attempt, of one question */
#ifdef __SANITIZE_ADDRESS__
#define READ_BYTES RLIM_INFINITY         /* AddressSanitizer reserves terabytes */
#else
#define READ_BYTES (4ull << 30)          /* memory of its own: what is unpacked, and tables; mapped files do not count */
#endif

#define DESCRIPTORS_MAX (1u << 20)       /* as many as Linux usually allows (fs.nr_open) */

/* ---- starting and limiting them ---- */

static void set_limit(__rlimit_resource_t which, rlim_t wanted)
{
    struct rlimit l;

    if (getrlimit(which, &l))
        return;
    l.rlim_cur = wanted < l.rlim_max ? wanted : l.rlim_max;
    setrlimit(which, &l);
}

void qn_collect_limit_reading(void)
{
    static const int ending[] = { SIGTERM, SIGXCPU };
    struct rusage used;
    sigset_t set;

    getrusage(RUSAGE_SELF, &used);
    set_limit(RLIMIT_CPU, (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + READ_SECONDS);
    set_limit(RLIMIT_DATA, READ_BYTES);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    sigemptyset(&set);
    for (size_t i = 0; i < QN_ARRAY_LEN(ending); i++) {
        struct sigaction a;

        if (!sigaction(ending[i], NULL, &a) && a.sa_handler == SIG_IGN)
            signal(ending[i], SIG_DFL);
        sigaddset(&set, ending[i]);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Linux has close_range since 5.9. */
static void close_between(unsigned first, unsigned last)
{
    if (close_range(first, last, 0))
        for (unsigned fd = first; fd <= last && fd < DESCRIPTORS_MAX; fd++)
            close((int)fd);
}

void qn_collect_keep_only(const int *fds, int count)
{
    int from = 3;

    for (;;) {
        int next = -1;

        for (int i = 0; i < count; i++)
            if (fds[i] >= from && (next < 0 || fds[i] < next))
                next = fds[i];
        if (next < 0)
            break;
        if (next > from)
            close_between((unsigned)from, (unsigned)next - 1);
        from = next + 1;
    }
    close_between((unsigned)from, ~0u);
}

void qn_collect_start_server(struct qn_collect *r, struct qn_collect_server *s, qn_collect_serve_all *serve)
{
    int pair[2];

    s->socket = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return;
    s->pid = fork();
    if (s->pid == 0) {
        setpgid(0, 0);
        serve(r, pair[1]);
    }
    close(pair[1]);
    if (s->pid < 0) {
        close(pair[0]);
        return;
    }
    setpgid(s->pid, 0); /* before the program begins */
    s->socket = pair[0];
}

int qn_collect_in_child(struct qn_collect *r, bool limited, qn_collect_work *work, void *data)
{
    int ends[2], status;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC))
        return -2;
    pid = fork();
    if (pid == 0) {
        close(ends[0]);
        if (limited) {
            if (r->guest > 0)
                setpgid(0, 0); /* signals to the program's group do not reach it */
            qn_collect_limit_reading();
        }
        _exit(work(r, data));
    }
    close(ends[1]);
    if (pid > 0 && limited && !qn_collect_wait_for(r, ends[0]))
        qn_collect_end_process(pid);
    close(ends[0]);
    if (pid < 0)
        return -2;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- the reader ----
 *
 *   main collector --fork--> reader          reads the ELF files that the arena names, as they appear
 *   collector      --request--> reader       { pid, ... } with descriptors: arena, reply, errors, log; or the descriptor
 *                                            of a file that a guest has mapped, so that it stays readable
 *   reader         --fork--> folder          has everything that was read; folds, writes, prints.  For the last possible
 *                                            request, the reader does this itself
 *   folder         --byte--> reply           0 written, 1 not written; end of file: it died
 *   main collector --TAKE_IMAGE--> reader    the arena of the program that the first process is about to execute
 *   main collector --killed-->               the reader waits until the guest is dead, too, and writes its profile
 *
 * So the profile of a short program does not wait for the debug information of its libraries.  If the reader dies, collectors do the work
 * themselves (qn_collect_finish).
 */

#define HEAP_READY (4 << 20) /* bytes for the symbols and lines of the C library and a small profile: two huge pages */
#define HEAP_ROOM (8 << 20)
#define HEAP_LARGE (24 << 20) /* malloc takes no more than 32 MB from the heap */
#define WATCH_FIRST_MS 1 /* pause between two looks at the arena, doubled while nothing is new */
#define WATCH_LAST_MS 64 /* with longer pauses it waits for requests only */

struct request {
    enum { FOLD, TAKE_FILE, TAKE_IMAGE } kind;
    uint64_t engine_hash; /* computed after the reader has started */
    int32_t pid;
    uint8_t replaced, fds; /* how many descriptors: 2, or 4 with errors and log; for TAKE_FILE and TAKE_IMAGE one */
    bool last;
    uint32_t parts;
};

struct reader {
    struct qn_collect *run;
    int socket;
    struct qn_cost_library *library;
    int pause;     /* ms until the next look at the first guest's arena; -1: none */
    uint64_t seen; /* maps in it */
};

/* Does the work of the collector that asked. */
_Noreturn static void fold_for(struct reader *d, const struct request *q, const int fds[QN_COLLECT_FDS_MAX])
{
    struct qn_collect *r = d->run;
    uint8_t failed;

    close(d->socket);
    r->guest = r->log.pid = q->pid;
    r->replaced = q->replaced;
    r->engine_hash = q->engine_hash;
    r->parts = q->parts;
    r->log.errors = q->fds > 2 ? fds[2] : -1;
    r->log.fd = q->fds > 3 ? fds[3] : -1;
    r->log.size = 0;
    qn_collect_limit_reading();
    failed = !qn_collect_fold(r, NULL, d->library);
    while (write(fds[1], &failed, 1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

static void end_reading_ahead(struct reader *d)
{
    if (d->pause >= 0)
        qn_cost_close(&d->run->store);
    d->pause = -1;
}

static void serve_fold(struct reader *d, const struct request *q, int fds[QN_COLLECT_FDS_MAX])
{
    struct qn_collect *r = d->run;

    end_reading_ahead(d);
    r->store.fd = fds[0];
    if (qn_cost_map(&r->store)) {
        qn_collect_limit_reading();
        if (!q->last)
            qn_cost_preload(d->library, &r->store);
        if (!q->last && r->config.data)
            qn_cost_preload_data(d->library, &r->store);
        if (q->last || fork() == 0)
            fold_for(d, q, fds);
        qn_cost_close(&r->store);
        fds[0] = -1;
    }
    for (int i = 0; i < q->fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* The next program of the first process has begun, unless its execve has failed: its arena is that of the process then. */
static void take_begun(struct qn_collect *r)
{
    struct qn_cost_store s = { .fd = r->next };

    if (r->next < 0)
        return;
    if (qn_cost_map(&s) && (qn_cost_header(&s)->started || qn_cost_header(&s)->fatal)) {
        close(r->image);
        r->image = fcntl(s.fd, F_DUPFD_CLOEXEC, 3);
        r->replaced = true;
    }
    qn_cost_close(&s);
    r->next = -1;
}

static void serve_request(struct reader *d, const struct request *q, int fds[QN_COLLECT_FDS_MAX])
{
    struct qn_collect *r = d->run;

    if (q->kind == FOLD) {
        serve_fold(d, q, fds);
        return;
    }
    if (q->kind == TAKE_FILE) {
        qn_cost_give_file(d->library, fds[0]);
    } else {
        take_begun(r);
        r->next = fds[0];
    }
    if (d->pause >= 0)
        d->pause = WATCH_FIRST_MS;
}

/* Reads the debug information of files that the first guest has loaded, until it loads no more for a while. */
static void read_ahead(struct reader *d)
{
    struct qn_cost_extent e = qn_cost_get_extent(&d->run->store);

    d->pause = e.maps != d->seen ? WATCH_FIRST_MS : 2 * d->pause;
    d->seen = e.maps;
    qn_cost_preload(d->library, &d->run->store);
    if (d->pause > WATCH_LAST_MS)
        end_reading_ahead(d);
}

/* Writes the profile after the main collector was killed.  A child waits for the end of the guest, which may have survived; the reader
 * serves others meanwhile. */
static void write_of_killed(struct reader *d)
{
    struct qn_collect *r = d->run;
    struct pollfd p = { r->pidfd, POLLIN, 0 };

    if (r->shared->alone || r->pidfd < 0)
        return;
    r->shared->alone = true;
    if (fork())
        return;
    while (poll(&p, 1, -1) < 0 && errno == EINTR)
        ;
    take_begun(r);
    r->store.fd = r->image;
    if (!qn_cost_map(&r->store))
        _exit(1);
    r->engine_hash = qn_engines_hash_engine(r->engine);
    r->log.fd = r->log.errors = -1;
    _exit(!qn_collect_fold(r, NULL, d->library));
}

/* The first access to each page costs a page fault (base/ready.h), and a reader accesses a thousand.  So the heap begins at a huge page, two
 * of them are there at once, and freed memory is kept.  A profile with counts by instruction is large: it gets more huge pages when it
 * first uses them.  What lies before the first huge page is not touched. */
static void make_heap_ready(bool large)
{
    static char *kept;
    const size_t huge = 2 << 20, room = large ? HEAP_LARGE : HEAP_ROOM;
    char *first;

    mallopt(M_MMAP_THRESHOLD, (int)(room + 2 * huge));
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    kept = malloc(room + huge);
    if (!kept)
        return;
    first = kept + (huge - (uintptr_t)kept % huge);
    madvise(first, room, MADV_HUGEPAGE);
    qn_ready(first, HEAP_READY);
    kept = QN_NEEDED(realloc(kept, (size_t)(first - kept)));
}

static _Noreturn void read_and_fold(struct qn_collect *r, int socket)
{
    struct reader d = { .run = r, .socket = socket, .library = qn_cost_new_library(), .pause = WATCH_FIRST_MS };
    /* The main collector first: if it is dead by then, all that it has sent is seen behind it. */
    struct pollfd p[] = { { r->collector, POLLIN, 0 }, { socket, POLLIN, 0 } };
    int fds[QN_COLLECT_FDS_MAX], program = r->beginning;
    struct request q;

    r->image = fcntl(r->store.fd, F_DUPFD_CLOEXEC, 3);
    r->next = -1;
    qn_collect_keep_only((int[]){ socket, program, r->pidfd, r->collector, r->store.fd, r->image, r->merger.socket }, 7);
    r->is_main = false;
    r->hurry = r->ends = -1;
    make_heap_ready(r->options.dump_instr);
    if (program >= 0)
        qn_cost_give_file(d.library, program);
    qn_collect_limit_reading();
    qn_collect_allow_descriptors(); /* files that guests have mapped stay open here */
    for (;;) {
        int ready = poll(p, 2, d.pause);

        if (ready == 0)
            read_ahead(&d);
        if (ready > 0 && p[1].revents) {
            if (!qn_collect_receive(socket, &q, sizeof q, fds))
                break;
            serve_request(&d, &q, fds);
        } else if (ready > 0 && p[0].revents) {
            p[0].fd = -1;
            write_of_killed(&d);
        }
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
    write_of_killed(&d);
    _exit(0);
}

/* The reader gets all that it needs to outlive the collector before the fork, because either may be killed before the reader first runs. */
void qn_collect_start_reader(struct qn_collect *r)
{
    int *const its[] = { &r->beginning, &r->pidfd, &r->collector };

    r->beginning = open(r->program, O_RDONLY | O_CLOEXEC);
    r->pidfd = (int)syscall(SYS_pidfd_open, r->guest, 0);
    r->collector = (int)syscall(SYS_pidfd_open, getpid(), 0);
    qn_collect_start_server(r, &r->reader, read_and_fold);
    for (size_t i = 0; i < QN_ARRAY_LEN(its); i++) {
        if (*its[i] >= 0)
            close(*its[i]);
        *its[i] = -1;
    }
}

/* The reader ends when nobody can ask it any more: at once, whatever it reads, unless a sub-collector lives on. */
void qn_collect_end_reader(struct qn_collect *r)
{
    r->shared->alone = true;
    if (r->reader.socket < 0)
        return;
    close(r->reader.socket);
    r->reader.socket = -1;
    if (!r->has_forked)
        qn_collect_end_process(r->reader.pid);
    while (!r->has_forked && waitpid(r->reader.pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

void qn_collect_give_reader(const struct qn_collect *r, int file)
{
    struct request q = { .kind = TAKE_FILE, .fds = 1 };

    if (r->reader.socket >= 0)
        qn_collect_send(r->reader.socket, &q, sizeof q, &file, q.fds, MSG_DONTWAIT);
}

void qn_collect_show_image(const struct qn_collect *r)
{
    struct request q = { .kind = TAKE_IMAGE, .fds = 1 };

    if (r->reader.socket >= 0 && r->is_main)
        qn_collect_send(r->reader.socket, &q, sizeof q, &r->fresh.fd, q.fds, 0);
}

/* Asks the reader to fold.  0: profile written; 1: not written, and a message said why; -1: no answer. */
static int ask_reader(struct qn_collect *r)
{
    struct request q = { FOLD, r->engine_hash, r->guest, r->replaced, 2, r->is_main && !r->has_forked, r->parts };
    int reply[2], fds[QN_COLLECT_FDS_MAX] = { r->store.fd, -1, r->log.errors, r->log.fd }, status = -1;
    uint8_t failed;
    bool sent;

    if (r->reader.socket < 0 || pipe2(reply, O_CLOEXEC))
        return -1;
    fds[1] = reply[1];
    if (r->log.errors >= 0)
        q.fds = r->log.fd >= 0 ? 4 : 3;
    sent = qn_collect_send(r->reader.socket, &q, sizeof q, fds, q.fds, 0);
    close(reply[1]);
    if (sent && qn_collect_wait_for(r, reply[0]) && read(reply[0], &failed, 1) == 1)
        status = failed;
    close(reply[0]);
    return status;
}

/* ---- the finder ----
 *
 *   engine      -- RESOLVE map -->    collector   -- question -->   finder   writes into the arena: --explain, --toggle, --calls, --data
 *   engine      -- TYPE object -->    ...                                    the size of an element of a block
 *   engine      -- FRAME number -->   ...                                    the layout of a stack frame, when it is first missed on
 *   engine     <-- the answer --      collector   <-- done --
 *
 * Each collector hands it its arena and a socket of its own.  If it dies, each collector that needs one starts a finder for itself, once.
 */

struct question {
    uint32_t kind; /* QN_MESSAGE_RESOLVE, QN_MESSAGE_TYPE, QN_MESSAGE_FRAME */
    uint32_t number;
};

struct client { /* a collector */
    int socket;
    struct qn_cost_store store;
    struct qn_cost_frames *frames;
};

struct finder {
    const struct qn_collect *run;
    struct qn_cost_library *library;
    int sockets; /* epoll: where clients introduce themselves, and those of all clients */
    size_t clients;
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
    struct client *c = QN_NEEDED(calloc(1, sizeof *c));

    c->socket = socket;
    c->store.fd = arena;
    if (qn_cost_map(&c->store) && !epoll_ctl(f->sockets, EPOLL_CTL_ADD, socket, &(struct epoll_event){ EPOLLIN, { .ptr = c } })) {
        c->frames = qn_cost_new_frames();
        f->clients++;
        c->store.fd = -1;
    } else {
        close(socket);
        free(c);
    }
    close(arena);
}

static void remove_client(struct finder *f, struct client *c)
{
    close(c->socket);
    qn_cost_close(&c->store);
    qn_cost_free_frames(c->frames);
    free(c);
    f->clients--;
}

static _Noreturn void answer_all(struct qn_collect *r, int introduced)
{
    struct finder f = { .run = r, .library = qn_cost_new_library() };
    bool open = true;

    qn_collect_keep_only(&introduced, 1);
    qn_collect_allow_descriptors();
    f.sockets = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_ctl(f.sockets, EPOLL_CTL_ADD, introduced, &(struct epoll_event){ EPOLLIN, { .ptr = NULL } }))
        _exit(1);
    while (open || f.clients) {
        int fds[QN_COLLECT_FDS_MAX];
        struct epoll_event e;
        struct question q;
        struct client *c;
        char byte;

        if (epoll_wait(f.sockets, &e, 1, -1) != 1)
            continue;
        c = e.data.ptr;
        if (c && recv(c->socket, &q, sizeof q, 0) == (ssize_t)sizeof q) {
            answer(&f, c, &q);
            qn_collect_send(c->socket, &q, sizeof q, NULL, 0, 0);
        } else if (c) {
            remove_client(&f, c);
        } else if (qn_collect_receive(introduced, &byte, 1, fds)) {
            add_client(&f, fds[0], fds[1]);
        } else {
            open = false;
            close(introduced);
        }
    }
    _exit(0);
}

void qn_collect_start_finder(struct qn_collect *r) { qn_collect_start_server(r, &r->finder, answer_all); }

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

    if (r->finder.socket < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return false;
    sent = qn_collect_send(r->finder.socket, "", 1, (int[]){ r->store.fd, pair[1] }, 2, 0);
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
        qn_collect_end_process(r->finder.pid);
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
    if (r->finder.socket >= 0)
        close(r->finder.socket);
    r->finder.socket = -1;
    if (!r->finder_replaced)
        qn_collect_start_finder(r);
    r->finder_replaced = true;
}

void qn_collect_serve_question(struct qn_collect *r, uint32_t kind, uint32_t number)
{
    const struct question q = { kind, number };

    if (!ask(r, q) && (r->finder.socket >= 0 || !r->finder_replaced)) {
        replace_finder(r);
        if (r->finder.socket < 0 || !ask(r, q)) {
            replace_finder(r);
            qn_collect_note(r, "debug information cannot be read: what --explain, --toggle, --calls or --data look for is not found from now on");
        }
    }
    qn_collect_answer(r, kind == QN_MESSAGE_RESOLVE ? QN_MESSAGE_RESOLVED : QN_MESSAGE_TYPED, 0, NULL, 0);
}

/* ---- from the arena to the profile file and the summary ----
 *
 * The reader is asked first.  If it is gone, a child of the collector does the work.  If the
 * child dies, too, the guard in shared memory says which file it was reading, and a new child starts again without that file.  A signal
 * that asks quern to end while they read (signals.c) ends them: the counts are written without names.
 */

#define FOLD_ATTEMPTS 8                  /* the last one reads no debug information at all */
#define FOLD_WRITTEN 10                  /* exit statuses of the child; any other means that it died */
#define FOLD_NOT_WRITTEN 11

static int fold(struct qn_collect *r, void *guard)
{
    return qn_collect_fold(r, guard, qn_cost_new_library()) ? FOLD_WRITTEN : FOLD_NOT_WRITTEN;
}

/* Folds in a child process; if there can be none, in this one. */
static int attempt(struct qn_collect *r, struct qn_collect_guard *guard)
{
    int status = qn_collect_in_child(r, !guard->avoided, fold, guard); /* nothing that is left to do without debug information may last */

    return status == -2 ? fold(r, guard) : status;
}

static void avoid_all(struct qn_collect_guard *guard, const char *why)
{
    memset(guard->modules.avoid, 1, sizeof guard->modules.avoid);
    guard->avoided = why;
}

bool qn_collect_finish(struct qn_collect *r)
{
    struct qn_collect_guard *guard;
    int asked;

    qn_collect_end_parts(r);
    qn_collect_forward_ends(r); /* those that the program has ended by */
    asked = ask_reader(r);
    if (asked >= 0)
        return asked == 0;
    guard = mmap(NULL, sizeof *guard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (guard == MAP_FAILED) {
        qn_collect_fail(r, "no profile: no memory");
        return false;
    }
    for (int i = 0; i < FOLD_ATTEMPTS; i++) {
        uint32_t current;
        int status;

        if (qn_collect_is_hurried(r))
            avoid_all(guard, "a signal has ended the reading of debug information");
        status = attempt(r, guard);
        if (status == FOLD_WRITTEN || status == FOLD_NOT_WRITTEN)
            return status == FOLD_WRITTEN;
        current = guard->modules.current;
        if (current && current <= QN_COST_MODULES_MAX && i < FOLD_ATTEMPTS - 2)
            guard->modules.avoid[current - 1] = 1;
        else
            avoid_all(guard, "debug information cannot be read");
        guard->modules.current = 0;
    }
    qn_collect_fail(r, "no profile: folding the counts failed %d times", FOLD_ATTEMPTS);
    return false;
}
