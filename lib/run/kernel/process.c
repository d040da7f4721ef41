/* lib/run/kernel/process.c - execve, exit: each process has an arena and a collector of its own. */
#include "base/format.h"
#include "guest/elf.h"
#include "guest/exec_map.h"
#include "run/kernel/files.h"
#include "run/kernel/outside.h"
#include "run/kernel/procfs.h"
#include "run/kernel/space_limits.h"
#include "run/observe/calls/calls.h"
#include "run/observe/data/data.h"
#include "run/run.h"
#include "run/kernel/seccomp/seccomp.h"
#include "run/core/core.h"
#include "run/kernel/thread.h"
#include "run/kernel/messages.h"
#include "sim/contract.h"
#include "tcache/tcache.h"

enum { E_NOENT = 2, E_ACCES = 13, E_NOEXEC = 8, E_2BIG = 7, E_AGAIN = 11, E_FAULT = 14, E_LOOP = 40 };
enum { F_SETFD_ = 2 };
enum { AT_FDCWD_ = -100 };
enum { S_ISUID_ = 04000, S_ISGID_ = 02000 };
#define ARGS_MAX 131072

/* ---- exit ---- */

/* Ends a process that shares memory with others, which may wait for the lock, and reuse this thread's struct. */
static _Noreturn void sharer_exit(int code)
{
    struct qn_thread *t = qn_self;
    bool alone = qn_thread_is_last();

    qn_signal_block_all();
    if (alone)
        qn_lock_release();
    if (t->shares == QN_SHARES_VFORK)
        qn_exit_group(code); /* the parent frees its structs */
    qn_thread_gone(t, alone, __NR_exit_group, code);
}

_Noreturn void qn_process_exit(int code)
{
    if (qn_self->shares)
        sharer_exit(code);
    qn_translate_save_traffic();
    if (qn_mode_simulating())
        qn_sim_finish();
    qn_calls_finish();
    qn_uses_finish();
    qn_mode_note_time();
    qn_arena->exit_code = code;
    qn_arena->exited = 1;
    if (qn_thread_count() == 1)
        qn_message_send(qn_socket_fd, QN_MESSAGE_EXIT, code);
    qn_exit_group(code);
}

/* ---- execve ---- */

static void say_untraced(const char *name, const char *why)
{
    char text[160];

    qn_format(text, sizeof text, "%s is %s and runs untraced", name, why);
    qn_unsupported(text);
}

/* The outcome of execve: 0 = it will be traced; positive errno = it fails; negative = the kernel runs it untraced. */
static int check_target(const char *path)
{
    static char name[QN_PATH_MAX];
    struct qn_script script;
    struct qn_image image;
    uint32_t st[36] = {0}; /* struct stat, 144 bytes: mode at 24, */
    long fd;
    int err;

    qn_format(name, sizeof name, "%s", path);
    for (unsigned depth = 0; depth < 5; depth++) {
        fd = qn_sys3(__NR_open, (long)name, 02000000, 0);
        if (qn_sys_failed(fd))
            return -1; /* missing or unreadable: the kernel returns the right error */
        qn_sys2(__NR_fstat, fd, (long)st);
        err = (st[6] & 0111) ? qn_elf_read_script((int)fd, &script) : -1;
        if (st[6] & (S_ISUID_ | S_ISGID_))
            say_untraced(name, "a set-uid program");
        if (err == -1 || (st[6] & (S_ISUID_ | S_ISGID_)) || (st[6] & 0170000) != 0100000) {
            qn_sys1(__NR_close, fd);
            return -1;
        }
        if (err == 0) {
            qn_sys1(__NR_close, fd);
            __builtin_memcpy(name, script.interp, sizeof script.interp);
            continue;
        }
        err = qn_elf_check((int)fd, &image);
        qn_sys1(__NR_close, fd);
        if (!err && image.fixed && qn_is_engine_range(image.start, image.end - image.start)) {
            say_untraced(name, "linked at addresses of quern's own");
            return -1;
        }
        return err ? -1 : 0;
    }
    return E_LOOP;
}

static const char *decimal(char *buf, int value)
{
    char *p = buf + 12;

    *p = 0;
    do
        *--p = (char)('0' + value % 10);
    while (value /= 10);
    return p;
}

/* Reads the pointers of the guest's argv up to its NULL, about `most` of them, page by page, and returns their number.  to: NULL to only count;
 * otherwise it needs room for a page more.  Negative: -errno. */
static long read_argv(uint64_t argv, long most, const char **to)
{
    const char *part[QN_PAGE / sizeof(char *)];
    long n = 0;

    while (argv && n <= most) {
        uint64_t bytes = QN_PAGE - argv % QN_PAGE;

        bytes = bytes < sizeof *part ? sizeof *part : bytes & ~(sizeof *part - 1);
        if (!qn_read_guest(argv, part, bytes))
            return -E_FAULT;
        for (uint64_t i = 0; i < bytes / sizeof *part; i++, n++) {
            if (!part[i])
                return n;
            if (to)
                to[n] = part[i];
        }
        argv += bytes;
    }
    return n > most ? -E_2BIG : n;
}

/* argv of the engine: its own three, then the guest's n.  If n is 0, one empty string follows, as in Linux.  NULL: the guest's has changed
 * meanwhile. */
static const char **engine_argv(uint64_t argv, long n, int arena, int sock)
{
    static char numbers[2][16];
    const char **to = qn_engine_alloc(((uint64_t)n + QN_PAGE) * sizeof *to);

    to[0] = "quern-engine";
    to[1] = decimal(numbers[0], arena);
    to[2] = decimal(numbers[1], sock);
    if (n && read_argv(argv, n, to + 3) != n)
        return NULL;
    if (!n)
        to[3 + n++] = "";
    to[3 + n] = NULL;
    return to;
}

/* Writes the program's path into the new arena. */
static bool name_program(int arena, const char *path)
{
    uint64_t size = QN_ARENA_STRINGS_OFF + QN_ARENA_STRINGS_SIZE, at, len = qn_strlen(path) + 1;
    long r = qn_sys6(__NR_mmap, 0, (long)size, 3, 1, arena, 0);
    struct qn_arena_header *h = (struct qn_arena_header *)r;

    if (qn_sys_failed(r))
        return false;
    at = h->n_strings ? h->n_strings : 1;
    if (at + len <= QN_ARENA_STRINGS_SIZE) {
        __builtin_memcpy((char *)h + QN_ARENA_STRINGS_OFF + at, path, len);
        h->n_strings = at + len;
        h->config.guest_path = (uint32_t)at;
    }
    h->config.fixed_places = qn_self->fixed_places != 0;
    h->config.affinity = qn_self->processors;
    h->config.leash = qn_self->leash;
    h->config.fd_hard = qn_cfg()->fd_hard;
    if (qn_self->shares)
        __builtin_memcpy(h->config.space, qn_self->space, sizeof h->config.space);
    h->config.traced = qn_exec_are_all_writable();
    qn_seccomp_save(qn_self->filters, h);
    qn_sys2(__NR_munmap, r, (long)size);
    return true;
}

/* Makes the exec call.  A signal that is pending before it is delivered first, and the guest's call is then made again (-QN_ERESTART). */
static long make_call(long nr, const long a[6], bool untraced)
{
    struct qn_thread *t = qn_self;
    long r;

    qn_coverage_save();
    qn_signal_exec(true);
    if (t->shares)
        qn_lock_release();
    if (untraced)
        qn_seccomp_exec_untraced(t);
    r = qn_guest_syscall(nr, a, &t->pending);
    if (t->shares)
        qn_lock_acquire(t);
    qn_signal_exec(false);
    return r;
}

static long untraced_exec(int dirfd, const long *a, int flags)
{
    struct qn_thread *t = qn_self;
    struct qn_message msg;
    int fds[2];
    long r, persona = qn_sys1(__NR_personality, 0xffffffff);

    if (!t->shares) {
        qn_message_send(qn_socket_fd, QN_MESSAGE_EXEC_OUT, 0);
        qn_message_receive(qn_socket_fd, &msg, fds);
    }
    qn_sys1(__NR_personality, qn_personality());
    qn_files_exec(true);
    qn_space_limits_exec(true);
    if (dirfd == AT_FDCWD_ && !flags) /* a debugger can tell the two calls apart */
        r = make_call(__NR_execve, (const long[6]){a[0], a[1], a[2]}, true);
    else
        r = make_call(__NR_execveat, (const long[6]){dirfd, a[0], a[1], a[2], flags}, true);
    qn_space_limits_exec(false);
    qn_files_exec(false);
    qn_sys1(__NR_personality, persona);
    if (!t->shares)
        qn_message_send(qn_socket_fd, QN_MESSAGE_EXEC_FAILED, (int)-r);
    return r;
}

static bool fresh_arena(int *arena, int *sock)
{
    struct qn_message msg;
    int fds[2] = {-1, -1};

    *sock = qn_socket_fd;
    if (qn_self->shares) {
        if (!qn_ask_fork(fds))
            return false;
        qn_sys1(__NR_close, fds[0]);
        *sock = fds[1];
    }
    qn_message_send(*sock, QN_MESSAGE_EXEC_NEW, 0);
    if (!qn_message_receive(*sock, &msg, fds) || msg.kind != QN_MESSAGE_EXEC_OK || fds[0] < 0)
        return false;
    *arena = fds[0];
    return true;
}

/* Executes the engine by its path; if this user cannot reach that (or not from this root), by /proc/self/exe. */
static long execute_engine(const char **argv, long envp)
{
    long r = make_call(__NR_execve, (const long[6]){(long)qn_arena_text(qn_cfg()->engine_path), (long)argv, envp}, false);

    return r == -E_ACCES || r == -E_NOENT ? make_call(__NR_execve, (const long[6]){(long)"/proc/self/exe", (long)argv, envp}, false) : r;
}

static long traced_exec(const char *path, const long *a)
{
    const char **argv;
    long r, n = read_argv((uint64_t)a[1], ARGS_MAX, NULL);
    int arena, sock;

    if (n < 0)
        return n;
    if (!fresh_arena(&arena, &sock) || !name_program(arena, path))
        return -E_AGAIN;
    argv = engine_argv((uint64_t)a[1], n, arena, sock);
    if (!argv)
        return -E_FAULT;
    qn_sys3(__NR_fcntl, arena, F_SETFD_, 0);
    qn_sys3(__NR_fcntl, sock, F_SETFD_, 0);
    r = execute_engine(argv, a[2]);
    qn_message_send(sock, QN_MESSAGE_EXEC_FAILED, (int)-r);
    qn_sys1(__NR_close, arena);
    sock != qn_socket_fd ? qn_sys1(__NR_close, sock) : qn_sys3(__NR_fcntl, sock, F_SETFD_, 1);
    return r;
}

/* a: path, argv, envp */
long qn_sys_execve(int dirfd, const long *a, int flags)
{
    static char path[QN_PATH_MAX];
    struct qn_proc_file f;
    int err;

    if (!qn_copy_string((uint64_t)a[0], path, sizeof path))
        return -E_FAULT;
    if (qn_proc_find(dirfd, (uint64_t)a[0], &f) == QN_PROC_EXE) {
        qn_format(path, sizeof path, "%s", f.exe);
        dirfd = AT_FDCWD_;
    }
    if (!qn_cfg()->trace_children || !qn_exec_path(dirfd, path, flags)) {
        long b[3] = {(long)path, a[1], a[2]};

        return untraced_exec(dirfd, b, flags);
    }
    err = check_target(path);
    if (err > 0)
        return -err;
    if (err == 0 && qn_outside_is_debugged()) {
        say_untraced(path, "debugged by a program under quern");
        err = -1;
    }
    return err < 0 ? untraced_exec(dirfd, a, flags) : traced_exec(path, a);
}
