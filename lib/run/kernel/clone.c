/* lib/run/kernel/clone.c - fork, vfork, clone, clone3: converts the request to the kernel's form, and creates a thread or a process.
 *
 *   CLONE_THREAD               a thread
 *   CLONE_VM                   a process that shares our memory: for the engine, one more thread.  With CLONE_VFORK the parent
 *                              waits until the child executes a program or exits; otherwise both run in turns, as threads do
 *   neither                    a process with a copy of our memory, an arena and a collector of its own
 *
 * Flags are passed to the kernel unchanged, except for two: the engine sets the thread pointer itself, and it removes the child's
 * handlers itself (CLONE_CLEAR_SIGHAND), because the kernel has the engine's handlers.
 */
#include "run/core/core.h"
#include "run/kernel/thread.h"

enum { E_AGAIN = 11, E_FAULT = 14, E_INVAL = 22, E_2BIG = 7 };
enum { ARCH_SET_FS_ = 0x1002, EXIT_SIGNAL = 0xff };
#define ARGS_FIRST 64u   /* bytes: CLONE_ARGS_SIZE_VER0 */
#define STACK_ROOM 64u   /* bytes at the top of an engine stack that a new thread leaves free */

/* ---- the request ---- */

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
            return E_FAULT;
        if (word)
            return E_2BIG;
    }
    return 0;
}

static int read_clone3(uint64_t from, uint64_t size, struct qn_clone_request *r)
{
    uint64_t known = size < sizeof r->a ? size : sizeof r->a;
    int err;

    *r = (struct qn_clone_request){.size = known};
    if (size < ARGS_FIRST)
        return E_INVAL;
    if (size > QN_PAGE)
        return E_2BIG;
    err = check_rest(from + known, size - known);
    if (err)
        return err;
    if (!qn_read_guest(from, &r->a, known))
        return E_FAULT;
    return !r->a.stack != !r->a.stack_size ? E_INVAL : 0;
}

/* ---- the call ---- */

/* Makes the guest's call with these flags, and on t's stack; t NULL: without a stack of its own. */
long qn_clone_call(const struct qn_clone_request *r, uint64_t flags, struct qn_thread *t)
{
    struct qn_clone_args a = r->a;
    uint64_t top = t ? t->stack + t->stack_size - STACK_ROOM : 0;
    const long clone[5] = {(long)(flags | a.exit_signal), (long)top, (long)a.parent_tid, (long)a.child_tid, 0};
    const long clone3[5] = {(long)&a, (long)r->size};

    a.flags = flags;
    a.stack = t ? t->stack : 0;
    a.stack_size = top - a.stack;
    a.tls = 0;
    return r->size ? qn_clone_raw(__NR_clone3, clone3, t) : qn_clone_raw(__NR_clone, clone, t);
}

/* ---- a copy of our memory ---- */

/* Closes the descriptors, unless parent and child share a table of descriptors. */
static void close_both(const struct qn_clone_request *r, int arena, int socket)
{
    if (r->a.flags & CLONE_FILES_)
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
    if (r->a.stack)
        qn_ctx.gpr[4] = r->a.stack + r->a.stack_size;
    if (r->a.flags & CLONE_SETTLS_) {
        qn_sys2(__NR_arch_prctl, ARCH_SET_FS_, (long)r->a.tls);
        qn_ctx.fs_base = r->a.tls;
    }
    if (r->a.flags & CLONE_CLEAR_SIGHAND_)
        qn_signal_clear_handlers();
    qn_arena->guest_pid = qn_self->pid;
    qn_mode_forked();
    qn_message_hello();
}

/* A pending signal of the parent would be copied to the child.  So it is delivered first, and the guest's call is made again. */
static long prepare_fork(int fds[2])
{
    if (qn_self->pending)
        return -QN_ERESTART;
    return qn_ask_fork(fds) ? 0 : -E_AGAIN;
}

static long make_fork(const struct qn_clone_request *r, int fds[2])
{
    long pid = qn_clone_call(r, r->a.flags & ~(CLONE_SETTLS_ | CLONE_CLEAR_SIGHAND_), NULL);

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

    pid = prepare_fork(fds);
    if (pid == 0)
        pid = make_fork(r, fds);
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&old, 0, 8);
    return pid;
}

/* ---- our own memory ---- */

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
        return -E_AGAIN;
    if (!(r->a.flags & CLONE_SIGHAND_))
        copy_actions(t);
    else
        t->actions = qn_self->actions;
    return qn_thread_start(t, r);
}

static long clone(const struct qn_clone_request *r)
{
    return r->a.flags & (CLONE_THREAD_ | CLONE_VM_) ? share(r) : plain_fork(r);
}

long qn_sys_fork(uint64_t flags)
{
    const struct qn_clone_request r = {.a = {.flags = flags & ~(uint64_t)EXIT_SIGNAL, .exit_signal = flags & EXIT_SIGNAL}};

    return clone(&r);
}

long qn_sys_clone(const long *args, bool clone3)
{
    struct qn_clone_request r;
    int err;

    if (!clone3) {
        read_clone(args, &r);
        return clone(&r);
    }
    err = read_clone3((uint64_t)args[0], (uint64_t)args[1], &r);
    return err ? -err : clone(&r);
}

/* ---- a debugger that shares our memory, such as LeakSanitizer ---- */

struct user_regs { /* sys/user.h */
    uint64_t r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss, fs_base, gs_base,
        ds, es, fs, gs;
};

enum { PTRACE_GETREGS_ = 12, PTRACE_GETREGSET_ = 0x4204, NT_PRSTATUS_ = 1 };

static void put_guest_registers(struct user_regs *u, const struct qn_ctx *c)
{
    const uint64_t *g = c->gpr;

    u->ax = g[0], u->cx = g[1], u->dx = g[2], u->bx = g[3], u->sp = g[4], u->bp = g[5], u->si = g[6], u->di = g[7];
    u->r8 = g[8], u->r9 = g[9], u->r10 = g[10], u->r11 = g[11], u->r12 = g[12], u->r13 = g[13], u->r14 = g[14], u->r15 = g[15];
    u->ip = c->rip;
    u->flags = c->rflags;
}

/* Keeps the lock during the call, so that no thread is stopped in the code cache, and the registers of our threads are in their structs. */
long qn_sys_ptrace(const long *a)
{
    const struct qn_thread *t = qn_thread_of((int32_t)a[1]);
    uint64_t iov[2] = {(uint64_t)a[3], sizeof(struct user_regs)};
    struct user_regs u;
    long r = qn_guest_syscall(__NR_ptrace, a, &qn_self->pending);
    bool set = a[0] == PTRACE_GETREGSET_ && a[2] == NT_PRSTATUS_;

    if (r || !t || t == qn_self || !(set || a[0] == PTRACE_GETREGS_) || (set && !qn_read_guest((uint64_t)a[3], iov, sizeof iov)) ||
        iov[1] < sizeof u || !qn_read_guest(iov[0], &u, sizeof u))
        return r;
    put_guest_registers(&u, &t->ctx);
    return qn_write_guest(iov[0], &u, sizeof u) ? r : -E_FAULT;
}
