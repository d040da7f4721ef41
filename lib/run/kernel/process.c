/* lib/run/kernel/process.c - exit, execve, fork and their kin: each process has an arena and a collector of its own. */
#include "base/format.h"
#include "guest/exec_map.h"
#include "run/core/core.h"
#include "run/kernel/kernel.h"
#include "run/observe/observe.h"
#include "sim/contract.h"

enum { S_IFMT_ = 0170000, S_IFREG_ = 0100000, S_ISUID_ = 04000, S_ISGID_ = 02000 };
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
    qn_beside_end(false);
    QN_TELL(finish);
    qn_sim_end_utilization();
    qn_mode_note_time();
    qn_arena->exit_code = code;
    qn_arena->exited = 1;
    if (qn_thread_count() == 1)
        qn_message_send(qn_socket_fd, QN_MESSAGE_EXIT, code);
    qn_exit_group(code);
}

/* ---- execveat: a path for a program that is given by a descriptor, or by a name relative to one ----
 *
 *   execveat(5, "", ..., AT_EMPTY_PATH)      5 is /bin/true         ->  /bin/true
 *   execveat(7, "bin/true", ...)             7 is /usr              ->  /usr/bin/true
 *
 * The new engine opens its program by that path, because the descriptor may be closed by then.  There is none if no path leads to the same
 * file (memory, a deleted file, a folder that may not be searched), nor for scripts: the kernel gives them a name in /dev/fd, which is
 * gone once the descriptor is closed.
 */


static bool is_script(const char *path)
{
    static struct qn_script script;
    long fd = qn_sys3(__NR_open, (long)path, O_CLOEXEC, 0);
    int err;

    if (qn_sys_failed(fd))
        return false;
    err = qn_elf_read_script((int)fd, &script);
    qn_sys1(__NR_close, fd);
    return err == 0;
}

/* Is the file that the call names a regular one, and the same as the one at this path? */
static bool leads_there(int dirfd, const char *name, int flags, const char *path)
{
    struct stat meant, found;

    return !qn_sys4(__NR_newfstatat, dirfd, (long)name, (long)&meant, flags) && (meant.st_mode & S_IFMT_) == S_IFREG_ &&
           !qn_sys4(__NR_newfstatat, AT_FDCWD, (long)path, (long)&found, 0) && meant.st_dev == found.st_dev && meant.st_ino == found.st_ino;
}

/* Replaces a name relative to dirfd by a path to the same file.  false: `path` is unchanged, and the kernel has to resolve it.  `path` has
 * room for QN_PATH_MAX bytes. */
static bool find_path(int dirfd, char *path, int flags)
{
    static char name[QN_PATH_MAX];
    long n, room;

    if (flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) || (!path[0] && !(flags & AT_EMPTY_PATH)))
        return false;
    if (dirfd == AT_FDCWD || path[0] == '/')
        return !(flags & AT_SYMLINK_NOFOLLOW) || leads_there(AT_FDCWD, path, flags, path);
    qn_format(name, sizeof name, "%s", path);
    n = qn_proc_fd_path(dirfd, path, QN_PATH_MAX);
    room = QN_PATH_MAX - n;
    if (n > 0 && path[0] == '/' && (long)qn_strlen(name) + 2 <= room) {
        if (name[0])
            qn_format(path + n, (size_t)room, "/%s", name);
        if (leads_there(dirfd, name, flags, path) && !is_script(path))
            return true;
    }
    qn_format(path, QN_PATH_MAX, "%s", name);
    return false;
}

/* ---- personality ----
 *
 * For the program itself, --aslr decides whether addresses vary.  For programs that it executes and that are not traced, its own call
 * decides, which gdb and setarch need.
 */

#define ASK 0xffffffffu

/* The personality that the program has chosen. */
static uint32_t personality(void)
{
    uint32_t host = (uint32_t)qn_sys1(__NR_personality, ASK);

    return (host & ~ADDR_NO_RANDOMIZE) | (qn_self->fixed_places ? ADDR_NO_RANDOMIZE : 0);
}

long qn_sys_personality(long nr, const long *a)
{
    uint32_t wanted = (uint32_t)a[0], before = personality();
    long r;

    if (wanted == ASK)
        return before;
    r = qn_sys1(nr, qn_cfg()->aslr ? wanted : wanted | ADDR_NO_RANDOMIZE);
    if (qn_sys_failed(r))
        return r;
    qn_self->fixed_places = (wanted & ADDR_NO_RANDOMIZE) != 0;
    return before;
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
    struct stat st = {0};
    long fd;
    int err;

    qn_format(name, sizeof name, "%s", path);
    for (unsigned depth = 0; depth <= QN_SCRIPT_DEPTH; depth++) {
        fd = qn_sys3(__NR_open, (long)name, 02000000, 0);
        if (qn_sys_failed(fd))
            return -1; /* missing or unreadable: the kernel returns the right error */
        qn_sys2(__NR_fstat, fd, (long)&st);
        err = (st.st_mode & 0111) ? qn_elf_read_script((int)fd, &script) : -1;
        if (st.st_mode & (S_ISUID_ | S_ISGID_))
            say_untraced(name, "a set-uid program");
        if (err == -1 || (st.st_mode & (S_ISUID_ | S_ISGID_)) || (st.st_mode & S_IFMT_) != S_IFREG_) {
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
    return ELOOP;
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
            return -EFAULT;
        for (uint64_t i = 0; i < bytes / sizeof *part; i++, n++) {
            if (!part[i])
                return n;
            if (to)
                to[n] = part[i];
        }
        argv += bytes;
    }
    return n > most ? -E2BIG : n;
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
    if (!t->shares)
        qn_beside_end(false);
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
    qn_sys1(__NR_personality, personality());
    qn_limits_exec(true);
    if (dirfd == AT_FDCWD && !flags) /* a debugger can tell the two calls apart */
        r = make_call(__NR_execve, (const long[6]){a[0], a[1], a[2]}, true);
    else
        r = make_call(__NR_execveat, (const long[6]){dirfd, a[0], a[1], a[2], flags}, true);
    qn_limits_exec(false);
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

    return r == -EACCES || r == -ENOENT ? make_call(__NR_execve, (const long[6]){(long)"/proc/self/exe", (long)argv, envp}, false) : r;
}

static long traced_exec(const char *path, const long *a)
{
    const char **argv;
    long r, n = read_argv((uint64_t)a[1], ARGS_MAX, NULL);
    int arena, sock;

    if (n < 0)
        return n;
    if (!fresh_arena(&arena, &sock) || !name_program(arena, path))
        return -EAGAIN;
    argv = engine_argv((uint64_t)a[1], n, arena, sock);
    if (!argv)
        return -EFAULT;
    qn_sys3(__NR_fcntl, arena, F_SETFD, 0);
    qn_sys3(__NR_fcntl, sock, F_SETFD, 0);
    r = execute_engine(argv, a[2]);
    qn_message_send(sock, QN_MESSAGE_EXEC_FAILED, (int)-r);
    qn_sys1(__NR_close, arena);
    sock != qn_socket_fd ? qn_sys1(__NR_close, sock) : qn_sys3(__NR_fcntl, sock, F_SETFD, 1);
    return r;
}

/* execve, execveat; a: for execveat the folder; path, argv, envp; for execveat flags */
long qn_sys_execve(long nr, const long *a)
{
    static char path[QN_PATH_MAX];
    bool at = nr == __NR_execveat;
    int err, dirfd = at ? (int)a[0] : AT_FDCWD, flags = at ? (int)a[4] : 0;
    const char *exe;

    if (!qn_copy_string((uint64_t)a[at], path, sizeof path))
        return qn_syscall_pass(nr, a); /* fails: the kernel knows whether the name is too long or lies nowhere */
    a += at;
    exe = qn_proc_exe(dirfd, (uint64_t)a[0]);
    if (exe) {
        qn_format(path, sizeof path, "%s", exe);
        dirfd = AT_FDCWD;
    }
    if (!qn_cfg()->trace_children || !find_path(dirfd, path, flags)) {
        long b[3] = {(long)path, a[1], a[2]};

        return untraced_exec(dirfd, b, flags);
    }
    err = check_target(path);
    if (err > 0)
        return -err;
    if (err == 0 && qn_external_writes_is_debugged()) {
        say_untraced(path, "debugged by a program under quern");
        err = -1;
    }
    return err < 0 ? untraced_exec(dirfd, a, flags) : traced_exec(path, a);
}

/* ---- fork, vfork, clone, clone3 ----
 *
 *   CLONE_THREAD               a thread
 *   CLONE_VM                   a process that shares our memory: for the engine, one more thread.  With CLONE_VFORK the parent
 *                              waits until the child executes a program or exits; otherwise both run in turns, as threads do
 *   neither                    a process with a copy of our memory, an arena and a collector of its own
 *
 * Flags are passed to the kernel unchanged, except for two: the engine sets the thread pointer itself, and it removes the child's
 * handlers itself (CLONE_CLEAR_SIGHAND), because the kernel has the engine's handlers.
 */

enum { EXIT_SIGNAL = 0xff };
#define ARGS_FIRST 64u   /* bytes: CLONE_ARGS_SIZE_VER0 */
#define STACK_ROOM 64u   /* bytes at the top of an engine stack that a new thread leaves free */

static void read_clone(const long *a, struct qn_clone_request *r)
{
    *r = (struct qn_clone_request){.a = {.flags = (uint64_t)a[0] & ~(uint64_t)EXIT_SIGNAL, .exit_signal = (uint64_t)a[0] & EXIT_SIGNAL,
                                         .stack = (uint64_t)a[1], .parent_tid = (uint64_t)a[2], .child_tid = (uint64_t)a[3],
                                         .tls = (uint64_t)a[4]}};
}

/* Members that this engine does not support must be zero, as for a kernel that is older than the program.  Returns 0 or -errno. */
static int check_rest(uint64_t from, uint64_t bytes)
{
    uint64_t word;

    for (; bytes; from += 8, bytes -= bytes < 8 ? bytes : 8) {
        word = 0;
        if (!qn_read_guest(from, &word, bytes < 8 ? bytes : 8))
            return EFAULT;
        if (word)
            return E2BIG;
    }
    return 0;
}

static int read_clone3(uint64_t from, uint64_t size, struct qn_clone_request *r)
{
    uint64_t known = size < sizeof r->a ? size : sizeof r->a;
    int err;

    *r = (struct qn_clone_request){.size = known};
    if (size < ARGS_FIRST)
        return EINVAL;
    if (size > QN_PAGE)
        return E2BIG;
    err = check_rest(from + known, size - known);
    if (err)
        return err;
    if (!qn_read_guest(from, &r->a, known))
        return EFAULT;
    return !r->a.stack != !r->a.stack_size ? EINVAL : 0;
}

long qn_clone_call(const struct qn_clone_request *r, uint64_t flags, struct qn_thread *t)
{
    struct clone_args a = r->a;
    uint64_t top = t ? t->stack + t->stack_size - STACK_ROOM : 0;
    const long clone[5] = {(long)(flags | a.exit_signal), (long)top, (long)a.parent_tid, (long)a.child_tid, 0};
    const long clone3[5] = {(long)&a, (long)r->size};

    a.flags = flags;
    a.stack = t ? t->stack : 0;
    a.stack_size = top - a.stack;
    a.tls = 0;
    return r->size ? qn_clone_raw(__NR_clone3, clone3, t) : qn_clone_raw(__NR_clone, clone, t);
}

/* Closes the descriptors, unless parent and child share a table of descriptors. */
static void close_both(const struct qn_clone_request *r, int arena, int socket)
{
    if (r->a.flags & CLONE_FILES)
        return;
    qn_sys1(__NR_close, arena);
    qn_sys1(__NR_close, socket);
}

static void become_child(int fds[2], const struct qn_clone_request *r)
{
    int old_arena = qn_arena_fd, old_socket = qn_socket_fd;

    qn_arena_attach(fds[0]);
    qn_socket_fd = fds[1];
    close_both(r, old_arena, old_socket);
    qn_thread_only_self();
    qn_memory_forked();
    if (r->a.stack)
        qn_ctx.gpr[4] = r->a.stack + r->a.stack_size;
    if (r->a.flags & CLONE_SETTLS) {
        qn_sys2(__NR_arch_prctl, ARCH_SET_FS, (long)r->a.tls);
        qn_ctx.fs_base = r->a.tls;
    }
    if (r->a.flags & CLONE_CLEAR_SIGHAND)
        qn_signal_clear_handlers();
    qn_arena->guest_pid = qn_self->pid;
    qn_beside_forked();
    qn_mode_forked();
    qn_message_send(qn_socket_fd, QN_MESSAGE_HELLO, 0);
}

/* A pending signal of the parent would be copied to the child.  So it is delivered first, and the guest's call is made again. */
static long prepare_fork(int fds[2])
{
    if (qn_self->pending)
        return -QN_ERESTART;
    return qn_ask_fork(fds) ? 0 : -EAGAIN;
}

static long make_fork(const struct qn_clone_request *r, int fds[2])
{
    long pid = qn_clone_call(r, r->a.flags & ~(CLONE_SETTLS | CLONE_CLEAR_SIGHAND), NULL);

    if (pid == 0)
        become_child(fds, r);
    else if (qn_sys_failed(pid))
        close_both(&(struct qn_clone_request){.size = 0}, fds[0], fds[1]);
    else
        close_both(r, fds[0], fds[1]);
    return pid;
}

static long plain_fork(const struct qn_clone_request *r)
{
    qn_sigset old = qn_signal_block_all();
    int fds[2];
    long pid;

    qn_memory_forks();
    pid = prepare_fork(fds);
    if (pid == 0)
        pid = make_fork(r, fds);
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&old, 0, 8);
    return pid;
}

/* A separate process has signal dispositions of its own, at first the same ones. */
static void copy_actions(struct qn_thread *t)
{
    uint64_t bytes = sizeof(struct qn_sigaction) * (QN_NSIG + 1);

    if (!t->own_actions || qn_thread_uses(t->own_actions, t))
        t->own_actions = qn_engine_alloc(bytes);
    __builtin_memcpy(t->own_actions, qn_self->actions, bytes);
    t->actions = t->own_actions;
}

static long share(const struct qn_clone_request *r)
{
    struct qn_thread *t = qn_thread_new();

    if (!t)
        return -EAGAIN;
    if (!(r->a.flags & CLONE_SIGHAND))
        copy_actions(t);
    else
        t->actions = qn_self->actions;
    return qn_thread_start(t, r);
}

/* fork, vfork, clone, clone3 */
long qn_sys_clone(long nr, const long *a)
{
    enum { FORK = 17 /* SIGCHLD */, VFORK = FORK | CLONE_VM | CLONE_VFORK };
    const long flags[5] = {nr == __NR_fork ? FORK : VFORK};
    struct qn_clone_request r;
    int err = 0;

    if (nr == __NR_clone3)
        err = read_clone3((uint64_t)a[0], (uint64_t)a[1], &r);
    else
        read_clone(nr == __NR_clone ? a : flags, &r);
    if (err)
        return -err;
    if (r.a.flags & CLONE_VFORK && qn_kernel_is_emulated()) /* qemu-user makes it a fork */
        r.a.flags &= ~(uint64_t)(CLONE_VFORK | CLONE_VM);
    return r.a.flags & (CLONE_THREAD | CLONE_VM) ? share(&r) : plain_fork(&r);
}

/* ---- a debugger that shares our memory, such as LeakSanitizer ---- */

struct user_regs { /* sys/user.h */
    uint64_t r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss, fs_base, gs_base,
        ds, es, fs, gs;
};

enum { NT_PRSTATUS_ = 1 };

static void put_guest_registers(struct user_regs *u, const struct qn_ctx *c)
{
    const uint64_t *g = c->gpr;

    u->ax = g[0], u->cx = g[1], u->dx = g[2], u->bx = g[3], u->sp = g[4], u->bp = g[5], u->si = g[6], u->di = g[7];
    u->r8 = g[8], u->r9 = g[9], u->r10 = g[10], u->r11 = g[11], u->r12 = g[12], u->r13 = g[13], u->r14 = g[14], u->r15 = g[15];
    u->ip = c->rip;
    u->flags = c->rflags;
}

/* For a process that shares our memory, keeps the lock during the call, so that no thread is stopped in the code cache, and the registers of
 * our threads are in their structs. */
long qn_sys_ptrace(long nr, const long *a)
{
    const struct qn_thread *t = qn_thread_of((int32_t)a[1]);
    uint64_t iov[2] = {(uint64_t)a[3], sizeof(struct user_regs)};
    struct user_regs u;
    bool set = a[0] == PTRACE_GETREGSET && a[2] == NT_PRSTATUS_;
    long r;

    qn_external_writes_ptrace(a);
    r = qn_self->shares ? qn_guest_syscall(nr, a, &qn_self->pending) : qn_syscall_pass(nr, a);
    if (r || !qn_self->shares || !t || t == qn_self || !(set || a[0] == PTRACE_GETREGS) || (set && !qn_read_guest((uint64_t)a[3], iov, sizeof iov)) ||
        iov[1] < sizeof u || !qn_read_guest(iov[0], &u, sizeof u))
        return r;
    put_guest_registers(&u, &t->ctx);
    return qn_write_guest(iov[0], &u, sizeof u) ? r : -EFAULT;
}

/* ---- parents ---- */

/* For the first process, the kernel's parent-death signal is SIGKILL for the collector's death (lib/collect/launch.c).  The signal that the
 * program sets itself, by prctl(PR_SET_PDEATHSIG), is for the death of the collector's parent; the collector sends it. */
long qn_sys_death_signal(long nr, const long *a)
{
    int32_t *sig = &qn_cfg()->death_signal;

    if (!qn_self->leash)
        return qn_syscall_pass(nr, a);
    if (a[0] == PR_GET_PDEATHSIG)
        return qn_write_guest((uint64_t)a[1], sig, sizeof *sig) ? 0 : -EFAULT;
    if ((uint64_t)a[1] > QN_NSIG)
        return -EINVAL;
    *sig = (int32_t)a[1];
    return 0;
}

/* The collector stands between the first process and its parent. */
long qn_sys_getppid(long nr, const long *a)
{
    long parent = qn_sys1(nr, a[0]);

    return parent == qn_cfg()->collector ? qn_cfg()->parent : parent;
}
