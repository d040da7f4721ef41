/* lib/collect/launch.c - finds the program, makes the arena and starts the guest under the engine.
 *
 * In:  struct qn_collect with options, geometry, program, engine
 * Out: the guest runs; r->store, r->socket, r->guest are set; our own standard descriptors are closed
 *
 * The guest inherits exactly what quern has inherited: descriptors, environment, signal mask and dispositions, umask, directory,
 * process group, timers.  Only three descriptors are added, with numbers as high as possible:
 *
 *   0 ... soft limit - 1        the guest's
 *   from the soft limit on      arena, socket, traces, and what the engine opens for a moment
 *
 * For that the soft limit is raised temporarily; then it is the program's again, and the kernel enforces it (lib/run/kernel/limits.c).
 * If the hard limit is less than 8 above it, the program's descriptors end 8 below the hard limit (at half of it, if that is below 16).  The
 * engine's descriptors are never above 65536, because a fork copies the table of descriptors up to the highest one.
 *
 * The child waits at a gate until the banner is printed, so that it comes before the guest's output, and until the reader is running.
 */
#define _GNU_SOURCE

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/base.h"
#include "collect/collect.h"
#include "engines/engines.h"

/* ---- finding the program, and refusing files that cannot run ----
 *
 * In:  argv[0] as typed, PATH
 * Out: the file's path; or one line `quern: run: PATH: what` and the exit status, 127 for what is
 *      not there, 126 for what cannot be executed
 *
 * The engine follows #! lines itself; here only the first file is looked at: it must be an ELF64
 * x86-64 executable whose segments lie inside the file, or begin with #!.
 */

#define DEFAULT_PATH "/usr/local/bin:/bin:/usr/bin" /* if PATH is not set, as execvp */
#define PHDRS_MAX 512 /* headers that are read */

static int refuse(const char *path, const char *what, int status)
{
    qn_collect_complain("%s: %s", path, what);
    return status;
}

static int refuse_errno(const char *path)
{
    return refuse(path, strerror(errno),
                  errno == ENOENT || errno == ENOTDIR ? QN_EXIT_NOT_FOUND : QN_EXIT_NOT_EXECUTABLE);
}

bool qn_collect_is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* As execvp searches: an empty element is the current directory. */
static char *search_path(const char *name)
{
    const char *p = getenv("PATH");

    for (p = p ? p : DEFAULT_PATH;; p++) {
        size_t n = strcspn(p, ":");
        char *path;

        if (asprintf(&path, "%.*s%s%s", (int)n, p, n ? "/" : "./", name) < 0)
            return NULL;
        if (qn_collect_is_program(path))
            return path;
        free(path);
        p += n;
        if (!*p)
            return NULL;
    }
}

static const char *check_segments(int fd, const Elf64_Ehdr *h, uint64_t size)
{
    if (h->e_phnum == 0 || h->e_phentsize != sizeof(Elf64_Phdr))
        return "ELF file without program headers";
    if (h->e_phoff > size || (size - h->e_phoff) / sizeof(Elf64_Phdr) < h->e_phnum)
        return "truncated ELF file";
    for (int i = 0; i < h->e_phnum && i < PHDRS_MAX; i++) {
        Elf64_Phdr p;

        if (pread(fd, &p, sizeof p, (off_t)(h->e_phoff + (uint64_t)i * sizeof p)) != sizeof p)
            return "truncated ELF file";
        if ((p.p_type == PT_LOAD || p.p_type == PT_INTERP) && (p.p_offset > size || p.p_filesz > size - p.p_offset))
            return "truncated ELF file";
    }
    return NULL;
}

/* Returns what is wrong with the file; NULL: it may run. */
static const char *check_elf(int fd, const Elf64_Ehdr *h, ssize_t n, uint64_t size)
{
    if (n < EI_NIDENT)
        return "truncated ELF file";
    if (h->e_ident[EI_CLASS] == ELFCLASS32)
        return "32-bit program; only 64-bit x86-64 programs can be run";
    if (n < (ssize_t)sizeof *h)
        return "truncated ELF file";
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_X86_64)
        return "program for another machine; only x86-64 programs can be run";
    if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
        return h->e_type == ET_REL ? "object file, not linked" : "ELF file that is not a program";
    return check_segments(fd, h, size);
}

static int check_content(const char *path, uint64_t size)
{
    Elf64_Ehdr h;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    const char *what = NULL;

    if (fd < 0)
        return errno == EACCES ? 0 : refuse_errno(path); /* executable but not readable: the engine will see */
    memset(&h, 0, sizeof h);
    n = pread(fd, &h, sizeof h, 0);
    if (n < 0)
        what = strerror(errno);
    else if (n == 0)
        what = "empty file";
    else if (n >= SELFMAG && !memcmp(h.e_ident, ELFMAG, SELFMAG))
        what = check_elf(fd, &h, n, size);
    else if (n < 2 || memcmp(h.e_ident, "#!", 2))
        what = "neither an ELF program nor a script that begins with #!";
    close(fd);
    return what ? refuse(path, what, QN_EXIT_NOT_EXECUTABLE) : 0;
}

int qn_collect_find_program(struct qn_collect *r)
{
    const char *name = r->options.argv[0];
    struct stat st;

    if (!name[0])
        return refuse("''", "no such program", QN_EXIT_NOT_FOUND);
    r->program = strchr(name, '/') ? strdup(name) : search_path(name);
    if (!r->program)
        return refuse(name, access(name, X_OK) ? "not found in PATH" : "not found in PATH; but it is here: put ./ before it", QN_EXIT_NOT_FOUND);
    if (stat(r->program, &st))
        return refuse_errno(r->program);
    if (S_ISDIR(st.st_mode))
        return refuse(r->program, "is a directory", QN_EXIT_NOT_EXECUTABLE);
    if (!S_ISREG(st.st_mode))
        return refuse(r->program, "not a regular file", QN_EXIT_NOT_EXECUTABLE);
    if (access(r->program, X_OK))
        return refuse_errno(r->program);
    return check_content(r->program, (uint64_t)st.st_size);
}

/* ---- starting it ---- */

#define OWN_DESCRIPTORS 8    /* arena, socket, traces; another arena and socket; what it opens for a moment */
#define DESCRIPTOR_TOP 65536 /* never place descriptors above: fork copies a table up to the highest */

extern char **environ;

static void fill_config(struct qn_collect *r)
{
    const struct qn_collect_options *o = &r->options;
    struct qn_config *c = &r->config;

    *c = (struct qn_config){
        .cpu = c->cpu, .engine_cpu = c->engine_cpu, .space = { c->space[0], c->space[1] },
        .I1 = r->geometry[QN_COLLECT_I1], .D1 = r->geometry[QN_COLLECT_D1], .LL = r->geometry[QN_COLLECT_LL], .L2 = r->geometry[QN_COLLECT_L2],
        .counting = (uint8_t)o->counting, .cache_sim = o->cache_sim, .branch_sim = o->branch_sim,
        .instr_at_start = o->instr_at_start, .trace_children = o->trace_children, .aslr = o->aslr,
        .check = o->check || o->versus, .versus = o->versus != NULL, .stats = o->stats, .filter = o->filter, .vdso = o->vdso, .processors = (uint32_t)(o->processors ? o->processors : o->cores),
        .data = (uint8_t)o->data, .batch = (uint8_t)o->batch, .vectors = (uint8_t)o->vectors,
        .cores = (uint32_t)o->cores, .quantum = o->cores ? o->quantum : 0, .quantum_is_refs = o->quantum_is_refs, .quantum_each = o->quantum_each,
        .core_for_each = o->core_for_each, .by_thread = o->separate_threads, .pins = o->pin.count,
        .requests = (uint32_t)o->requests, .calls = (uint32_t)o->calls, .calls_room = o->calls_room, .calls_depth = o->calls_depth,
        .trace = o->trace, .trace_fd = -1, .trace_first = o->trace_blocks.first, .trace_last = o->trace_blocks.last,
        .observes = r->observes, .sample_count = o->sample.count, .sample_of = o->sample.of,
        .interval = o->interval, .interval_rows = o->interval_auto ? QN_COLLECT_INTERVAL_ROWS : 0, .toggle = o->toggle.count > 0,
        .aside = o->turn.count && !r->geometry[QN_COLLECT_L2].line && !o->sim && !o->analysis && !o->versus && !o->data && !o->interval && !r->observes && !o->explain.count && !o->watch,
        .triggers = o->turn.count || o->dump_before.count || o->dump_after.count || o->zero_before.count,
        .explain = o->explain.count > 0 || o->watch, .explain_first = o->explain_first, .explain_every = o->explain_every,
        .watch_count = o->watch, .watch_from = o->watch && !o->watch_from && !o->explain.count && !o->watch_region && !o->cores ? 1 : o->watch_from,
        .watch_parallel = o->cores && !o->watch_from && !o->explain.count && !o->watch_region,
        .tcache_bytes = o->tcache_size, .seed = o->seed, .block_max = (uint32_t)o->block_max,
    };
    memcpy(c->pin, o->pin.core, sizeof c->pin);
    c->engine_path = qn_cost_put_string(&r->store, r->engine);
    c->guest_path = qn_cost_put_string(&r->store, r->program);
    c->watch_region = qn_cost_put_string(&r->store, o->watch_region ? o->watch_region : "");
    c->sim_opt = qn_cost_put_string(&r->store, o->sim_opt ? o->sim_opt : "");
    c->sim_slots = qn_cost_put_string(&r->store, r->sims.slots);
    c->versus_slots = qn_cost_put_string(&r->store, r->sims.other);
    qn_cost_header(&r->store)->config = *c;
}

/* Raises the soft limit to the hard limit; *its becomes the limit that the program will have.  Returns the lowest descriptor that is ours,
 * also in *fd_limit; -1: the limit cannot be read. */
static int set_limit(struct rlimit *its, uint64_t *fd_limit)
{
    struct rlimit mine;
    rlim_t own = OWN_DESCRIPTORS;

    if (getrlimit(RLIMIT_NOFILE, its))
        return -1;
    mine = (struct rlimit){ its->rlim_max, its->rlim_max };
    setrlimit(RLIMIT_NOFILE, &mine);
    if (own > its->rlim_max / 2)
        own = its->rlim_max / 2;
    if (its->rlim_cur > its->rlim_max - own && its->rlim_cur <= DESCRIPTOR_TOP) /* above that, ours lie among the program's */
        its->rlim_cur = its->rlim_max - own;
    *fd_limit = its->rlim_cur < DESCRIPTOR_TOP - own ? its->rlim_cur : DESCRIPTOR_TOP - own;
    return (int)*fd_limit;
}

void qn_collect_allow_descriptors(void)
{
    struct rlimit limit;

    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Limits of memory are the program's alone (lib/run/kernel/limits.c).  Where ours cannot be raised, they hold for all that we are. */
void qn_collect_take_space_limits(struct qn_config *c)
{
    static const int which[] = { RLIMIT_AS, RLIMIT_DATA };
    struct rlimit its, mine;

    for (size_t i = 0; i < QN_ARRAY_LEN(which); i++) {
        if (getrlimit(which[i], &its))
            its = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
        c->space[i] = (struct qn_limit){ its.rlim_cur, its.rlim_max };
        mine = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
        if (setrlimit(which[i], &mine)) {
            mine = (struct rlimit){ its.rlim_max, its.rlim_max };
            setrlimit(which[i], &mine);
        }
    }
}

static int move_up(int fd, int base)
{
    return fd < 0 ? -1 : fcntl(fd, F_DUPFD, base); /* without FD_CLOEXEC */
}

static char **make_argv(const struct qn_collect *r, int arena, int socket)
{
    char **guest = r->options.argv, **argv;
    size_t n = 0;

    while (guest[n])
        n++;
    argv = calloc(n + 4, sizeof *argv);
    if (!argv || asprintf(&argv[1], "%d", arena) < 0 || asprintf(&argv[2], "%d", socket) < 0)
        _exit(QN_EXIT_SOFTWARE);
    argv[0] = (char *)"quern-engine";
    memcpy(argv + 3, guest, n * sizeof *guest);
    return argv;
}

/* Writes down our parent, which the program sees as its own, and asks the kernel for a signal when that dies (signals.c). */
static void take_parent(struct qn_collect *r)
{
    struct qn_config *c = &qn_cost_header(&r->store)->config;
    int sig = 0;

    prctl(PR_GET_PDEATHSIG, &sig);
    prctl(PR_SET_PDEATHSIG, QN_COLLECT_PARENT_DIED);
    c->collector = getpid();
    c->parent = getppid();
    c->death_signal = sig;
}

/* In the child: becomes the engine. */
static void become_engine(struct qn_collect *r, int socket, int trace, int gate, const struct itimerval *timer)
{
    struct qn_config *config = &qn_cost_header(&r->store)->config;
    struct rlimit its;
    int base = set_limit(&its, &config->fd_limit), persona = personality(0xffffffffu); /* -1: refused */
    int arena_fd = move_up(r->store.fd, base), socket_fd = move_up(socket, base);
    char byte;

    config->leash = true;
    config->trace_fd = move_up(trace, base);
    config->fd_hard = its.rlim_max;
    setrlimit(RLIMIT_NOFILE, &its);
    config->fixed_places = persona >= 0 && persona & ADDR_NO_RANDOMIZE;
    if (!r->options.aslr && persona >= 0)
        personality((unsigned)persona | ADDR_NO_RANDOMIZE);
    while (read(gate, &byte, 1) < 0 && errno == EINTR)
        ;
    setitimer(ITIMER_REAL, timer, NULL);
    qn_collect_restore_signals(r);
    execve(r->engine, make_argv(r, arena_fd, socket_fd), environ);
    r->shared->exec_errno = errno;
    _exit(QN_EXIT_SOFTWARE);
}

static int open_trace(struct qn_collect *r)
{
    if (!r->options.trace)
        return -1;
    if (!r->options.trace_file)
        return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    return qn_collect_open_text(r, "trace-file", r->options.trace_file, QN_EXIT_FAILED);
}

static bool cannot(const char *what, int error)
{
    qn_collect_complain("cannot %s: %s", what, strerror(error));
    return false;
}

static bool make_arena(struct qn_collect *r)
{
    int error = qn_cost_create_first(&r->store);

    if (error)
        return cannot("make the counts arena", error);
    r->shared = mmap(NULL, sizeof *r->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r->shared == MAP_FAILED)
        return cannot("make the counts arena", errno);
    fill_config(r);
    error = qn_cost_map_sections(&r->store, qn_sections_of(&r->config));
    return !error || cannot("make the counts arena", error);
}

/* Closes all descriptors but our own: the reader of a pipe that the guest writes to must see the end when
 * the guest closes it. */
static void close_inherited(const struct qn_collect *r, int gate)
{
    const int own[] = { r->log.fd, r->log.errors, r->store.fd, r->socket, r->signals, r->ends, r->hurry,
                        r->drain[0], r->drain[1], r->done[0], r->done[1], gate };
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; fd < 3; fd++)
        if (null >= 0)
            dup3(null, fd, O_CLOEXEC);
    qn_collect_keep_only(own, sizeof own / sizeof own[0]);
}

/* Writes a byte, because closing is not enough: the reader may have the gate open, too, until it runs. */
static void open_gate(int gate)
{
    while (write(gate, "", 1) < 0 && errno == EINTR)
        ;
    close(gate);
}

bool qn_collect_launch(struct qn_collect *r)
{
    struct itimerval timer = { 0 }, off = { 0 };
    int pair[2], gate[2], trace;
    pid_t collector;

    if (!make_arena(r))
        return false;
    trace = open_trace(r);
    if (r->options.trace && trace < 0)
        return false;
    if (!qn_collect_make_pair(pair) || !qn_collect_make_pipes(r) || pipe2(gate, O_CLOEXEC))
        return cannot("make a socket", errno);
    setitimer(ITIMER_REAL, &off, &timer);
    take_parent(r);
    collector = getpid();
    r->guest = fork();
    if (r->guest == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* the program shall not continue without the collector, because its counts would be lost */
        if (getppid() != collector)
            _exit(QN_EXIT_SOFTWARE);
        close(gate[1]);
        become_engine(r, pair[1], trace, gate[0], &timer);
    }
    if (r->guest < 0)
        return cannot("fork", errno);
    qn_collect_allow_descriptors(); /* each process of the program has a collector, which needs a dozen */
    r->root = r->guest;
    r->socket = pair[0];
    if (!qn_collect_open_log(r) || !qn_collect_check_outputs(r)) {
        kill(r->guest, SIGKILL);
        return false;
    }
    qn_collect_print_banner(r);
    qn_collect_flush(r);
    close_inherited(r, gate[1]);
    if (r->options.merge_children)
        qn_collect_start_merger(r);
    if (r->options.data || r->options.calls || r->named_count)
        qn_collect_start_finder(r);
    qn_collect_start_reader(r); /* before the program begins, so that the profile is not lost if both of us are killed */
    qn_collect_open_control(r, getpid());
    open_gate(gate[1]);
    r->engine_hash = qn_engines_hash_engine(r->engine); /* now, while the program starts */
    return true;
}
