/* lib/run/kernel/syscall.c - the guest's system calls.
 *
 * Most are passed to the kernel unchanged, since guest addresses are host addresses.  The engine handles the calls that
 * concern what it manages: the address space, signals, threads and processes, its own descriptors, its name. */
#include "run/core/core.h"
#include "run/kernel/kernel.h"
#include "run/kernel/signal.h"
#include "run/observe/observe.h"
#include "tcache/tcache.h"

enum { NR_futex_waitv = 449, NR_futex_wake = 454, NR_futex_wait, NR_futex_requeue, NR_mseal = 462, CALLS = NR_mseal + 1, IORING_ENTER_EXT_ARG_ = 8 };

static const long *args(long a[6])
{
    const uint64_t *g = qn_ctx.gpr;

    a[0] = (long)g[7];
    a[1] = (long)g[6];
    a[2] = (long)g[2];
    a[3] = (long)g[10];
    a[4] = (long)g[8];
    a[5] = (long)g[9];
    return a;
}

/* Hand the call to the kernel, letting other guest threads run meanwhile. */
long qn_syscall_pass(long nr, const long *a)
{
    struct qn_thread *t = qn_self;
    long r;

    if (qn_cfg()->quantum && !qn_turn_waits(nr, a)) {
        qn_turn_call_begin();
        r = qn_guest_syscall(nr, a, &t->pending);
        qn_turn_call_end(t);
        return r;
    }
    qn_lock_release();
    r = qn_guest_syscall(nr, a, &t->pending);
    qn_lock_acquire(t);
    return r;
}

/* Does the call wait under another signal mask?  Then *mask is that. */
static bool waiting_mask(long nr, const long *a, qn_sigset *mask)
{
    uint64_t at[2] = {0, 0};

    switch (nr) {
    case __NR_rt_sigsuspend: at[0] = (uint64_t)a[0], at[1] = (uint64_t)a[1]; break;
    case __NR_ppoll: at[0] = (uint64_t)a[3], at[1] = (uint64_t)a[4]; break;
    case __NR_epoll_pwait:
    case __NR_epoll_pwait2: at[0] = (uint64_t)a[4], at[1] = (uint64_t)a[5]; break;
    case __NR_io_uring_enter:
        if (!(a[3] & IORING_ENTER_EXT_ARG_))
            at[0] = (uint64_t)a[4], at[1] = (uint64_t)a[5];
        else if (!qn_read_guest((uint64_t)a[4], at, sizeof at))
            return false;
        at[1] = (uint32_t)at[1];
        break;
    default: /* pselect6 */
        if (!a[5] || !qn_read_guest((uint64_t)a[5], at, sizeof at))
            return false;
    }
    return at[0] && at[1] == sizeof *mask && qn_read_guest(at[0], mask, sizeof *mask);
}

/* Makes such a call.  A handler that interrupts it runs under that mask. */
static long waiting_call(long nr, const long *a)
{
    struct qn_thread *t = qn_self;
    qn_sigset mask = 0;
    bool masked = waiting_mask(nr, a, &mask);
    long r;

    t->waiting_mask = mask & ~UNBLOCKABLE;
    t->waits = masked;
    r = masked && qn_signal_release(t->waiting_mask) ? -EINTR : qn_syscall_pass(nr, a);
    t->waits = false;
    t->waited = masked && r == -EINTR && (t->pending & 1);
    return r;
}

bool qn_is_engine_fd(long fd)
{
    return fd >= 0 && (fd == qn_arena_fd || fd == qn_socket_fd || (qn_cfg()->trace_fd > 2 && fd == qn_cfg()->trace_fd));
}

/* Closes what lies between the engine's descriptors. */
static long close_range_call(long nr, const long *a)
{
    uint64_t last = (uint32_t)a[1];
    long r = 0;

    if ((uint32_t)a[0] > last)
        return -EINVAL;
    for (uint64_t from = (uint32_t)a[0]; from <= last && r == 0;) {
        uint64_t stop = last + 1;

        for (int i = 0; i < 3; i++) {
            long fd = i == 0 ? qn_arena_fd : i == 1 ? qn_socket_fd : qn_cfg()->trace_fd;

            if (qn_is_engine_fd(fd) && (uint64_t)fd >= from && (uint64_t)fd < stop)
                stop = (uint64_t)fd;
        }
        if (stop > from)
            r = qn_sys3(nr, (long)from, (long)stop - 1, a[2]);
        from = stop + 1;
    }
    return r;
}

static long arch_prctl_call(long nr, const long *a)
{
    long r;

    if (a[0] == ARCH_SET_CPUID && !a[1]) /* would make cpuid fault, but the engine needs cpuid: answers as on a processor that cannot do this */
        return -ENODEV;
    r = qn_sys2(nr, a[0], a[1]);
    if (r == 0 && a[0] == ARCH_SET_FS)
        qn_ctx.fs_base = (uint64_t)a[1];
    if (r == 0 && a[0] == ARCH_SET_GS)
        qn_ctx.gs_base = (uint64_t)a[1];
    return r;
}

/* A call that names a range of memory, which may be the engine's. */
static long range_call(long nr, const long *a)
{
    bool ours = qn_is_engine_range((uint64_t)a[0], (uint64_t)a[1]);
    long r;

    if (nr == NR_mseal && ours)
        return qn_syscall_pass(nr, (const long[6]){0, a[1], a[2]}); /* a kernel before 6.10 does not know it */
    if (ours) /* natively there is nothing */
        return nr == __NR_mbind ? -EFAULT : nr == __NR_remap_file_pages ? -EINVAL : -ENOMEM;
    r = qn_syscall_pass(nr, a);
    if (nr == __NR_madvise && !r)
        qn_code_advised((uint64_t)a[0], (uint64_t)a[0] + (uint64_t)a[1], a[2]);
    return r;
}

/* a: process, ranges, their number, advice */
static long advise_process(long nr, const long *a)
{
    long r = qn_syscall_pass(nr, a);
    uint64_t range[2];

    for (long i = 0; !qn_sys_failed(r) && i < a[2] && qn_read_guest((uint64_t)a[1] + (uint64_t)i * sizeof range, range, sizeof range); i++)
        qn_code_advised(range[0], range[0] + range[1], a[3]);
    return r;
}

/* Linux refuses some of it while another process shares the memory. */
static long unshare_call(long nr, const long *a)
{
    qn_beside_end(true);
    return qn_syscall_pass(nr, a);
}

static long descriptor_call(long nr, const long *a)
{
    bool target = nr == __NR_dup2 || nr == __NR_dup3;

    if (qn_is_engine_fd((int)a[0]) || (target && qn_is_engine_fd((int)a[1])))
        return -EBADF;
    return qn_syscall_pass(nr, a);
}

/* With --stats, the engine reads the time stamp counter; notes whether it may. */
static long set_tsc(long nr, const long *a)
{
    long r = qn_syscall_pass(nr, a);

    if (!r)
        qn_self->has_clock = (uint32_t)a[1] == PR_TSC_ENABLE;
    return r;
}

static long prctl_call(long nr, const long *a)
{
    switch (a[0]) {
    case PR_SET_PDEATHSIG:
    case PR_GET_PDEATHSIG: return qn_sys_death_signal(nr, a);
    case PR_SET_SYSCALL_USER_DISPATCH: return qn_sys_user_dispatch(nr, a);
    case PR_GET_SECCOMP: return qn_self->seccomp;
    case PR_SET_SECCOMP: return qn_sys_prctl_seccomp(nr, a);
    case PR_SET_TSC: return set_tsc(nr, a);
    default: return qn_syscall_pass(nr, a);
    }
}

static long refused_call(long nr, const long *a) { return (void)nr, (void)a, -ENOSYS; }

static long exit_call(long nr, const long *a)
{
    if (nr == __NR_exit_group || qn_thread_is_last())
        qn_process_exit((int)a[0]);
    qn_thread_exit((int)a[0]);
}

/* The calls that are not passed to the kernel as they are. */
static qn_call_handler *const handlers[CALLS] = {
    [__NR_mmap] = qn_sys_mmap, [__NR_munmap] = qn_sys_munmap, [__NR_mprotect] = qn_sys_mprotect, [__NR_pkey_mprotect] = qn_sys_mprotect,
    [__NR_mremap] = qn_sys_mremap, [__NR_brk] = qn_sys_brk, [__NR_shmat] = qn_sys_shmat, [__NR_shmdt] = qn_sys_shmdt,
    [__NR_madvise] = range_call, [__NR_process_madvise] = advise_process, [__NR_msync] = range_call, [__NR_mincore] = range_call, [__NR_mlock] = range_call,
    [__NR_mlock2] = range_call, [__NR_munlock] = range_call, [__NR_mbind] = range_call, [__NR_remap_file_pages] = range_call,
    [NR_mseal] = range_call, [__NR_mlockall] = qn_sys_mlockall, [__NR_munlockall] = qn_sys_mlockall,
    [__NR_rt_sigaction] = qn_sys_sigaction, [__NR_rt_sigprocmask] = qn_sys_sigprocmask, [__NR_sigaltstack] = qn_sys_sigaltstack,
    [__NR_rt_sigpending] = qn_sys_sigpending, [__NR_rt_sigtimedwait] = qn_sys_sigtimedwait,
    [__NR_rt_sigsuspend] = waiting_call, [__NR_ppoll] = waiting_call, [__NR_pselect6] = waiting_call, [__NR_epoll_pwait] = waiting_call,
    [__NR_epoll_pwait2] = waiting_call, [__NR_io_uring_enter] = waiting_call,
    [__NR_fork] = qn_sys_clone, [__NR_vfork] = qn_sys_clone, [__NR_clone] = qn_sys_clone, [__NR_clone3] = qn_sys_clone,
    [__NR_execve] = qn_sys_execve, [__NR_execveat] = qn_sys_execve, [__NR_exit] = exit_call, [__NR_exit_group] = exit_call,
    [__NR_ptrace] = qn_sys_ptrace, [__NR_getppid] = qn_sys_getppid, [__NR_personality] = qn_sys_personality,
    [__NR_close] = descriptor_call, [__NR_dup] = descriptor_call, [__NR_dup2] = descriptor_call, [__NR_dup3] = descriptor_call,
    [__NR_close_range] = close_range_call,
    [__NR_readlink] = qn_sys_readlink, [__NR_readlinkat] = qn_sys_readlink, [__NR_creat] = qn_sys_open, [__NR_open] = qn_sys_open,
    [__NR_openat] = qn_sys_open, [__NR_openat2] = qn_sys_open, [__NR_stat] = qn_sys_stat, [__NR_newfstatat] = qn_sys_stat,
    [__NR_statx] = qn_sys_stat, [__NR_access] = qn_sys_stat, [__NR_faccessat] = qn_sys_stat, [__NR_faccessat2] = qn_sys_stat,
    [__NR_getdents64] = qn_sys_getdents,
    [__NR_prlimit64] = qn_sys_limit, [__NR_getrlimit] = qn_sys_limit, [__NR_setrlimit] = qn_sys_limit,
    [__NR_sched_getaffinity] = qn_sys_processors, [__NR_sched_setaffinity] = qn_sys_processors, [__NR_getcpu] = qn_sys_processors,
    [__NR_arch_prctl] = arch_prctl_call, [__NR_prctl] = prctl_call, [__NR_seccomp] = qn_sys_seccomp, [__NR_rseq] = refused_call,
    [__NR_unshare] = unshare_call, [__NR_futex] = qn_sys_futex, [NR_futex_waitv] = qn_sys_futex_new,
    [NR_futex_wake] = qn_sys_futex_new, [NR_futex_wait] = qn_sys_futex_new, [NR_futex_requeue] = qn_sys_futex_new,
    [__NR_set_tid_address] = qn_sys_set_tid_address, [__NR_sched_yield] = qn_sys_yield,
};

static long dispatch_call(long nr, const long *a)
{
    qn_call_handler *handler = (unsigned long)nr < CALLS ? handlers[nr] : NULL;

    return (handler ? handler : qn_syscall_pass)(nr, a);
}

static void trace(long nr, const long *a, long r)
{
    char line[200];

    qn_format_syscall(line, sizeof line, nr, a, r);
    qn_trace_line(line);
}

/* A call that a signal interrupted before it began, or that the kernel would restart, is made again after the handler: rip goes back to the
 * syscall instruction.  Before it began, the instruction was not executed, but it has been counted. */
static bool restarts(long r)
{
    if (r == -QN_ERESTART)
        qn_self->call_again = qn_ctx.rip - QN_SYSCALL_INSN_LEN;
    return r == -QN_ERESTART || r == -QN_ERESTARTED;
}

/* Such a call is made again: a block of the syscall instruction alone has been executed. */
static void count_once(void)
{
    uint64_t pc = qn_ctx.rip - QN_SYSCALL_INSN_LEN;
    uint32_t index;

    if (QN_LIKELY(qn_self->call_again != pc))
        return;
    qn_self->call_again = 0;
    index = qn_tcache_find(pc, qn_mode);
    if (index != QN_NO_BLOCK && qn_tcache_block(index)->instrumented)
        qn_arena_leave(qn_tcache_block(index)->record, 0);
}

void qn_syscall(void)
{
    uint64_t *g = qn_ctx.gpr, given;
    long nr = (long)g[0], a[6], r;

    qn_arena->stats.syscalls++;
    count_once();
    g[1] = qn_ctx.rip;
    g[11] = qn_ctx.rflags | (qn_self->trap_flag ? FLAG_TF : 0);
    if (qn_user_dispatch_takes(nr))
        return;
    if (QN_UNLIKELY(qn_self->seccomp) && !qn_seccomp_allows(nr, args(a), &r)) {
        g[0] = (uint64_t)r;
        return;
    }
    if (nr == __NR_rt_sigreturn) {
        qn_sys_sigreturn();
        qn_toggle_leave();
        return;
    }
    args(a);
    given = (uint64_t)a[1];
    qn_pointers_hide(nr, a);
    r = dispatch_call(nr, a);
    if (QN_UNLIKELY((uint64_t)a[1] != given))
        qn_pointers_tell(nr, given, a, r);
    if (qn_tracing(QN_TRACE_SYSCALL))
        trace(nr, a, r);
    if (restarts(r)) {
        qn_ctx.rip -= QN_SYSCALL_INSN_LEN;
        return;
    }
    g[0] = (uint64_t)r;
}

/* ---- the vsyscall page: three system calls at fixed addresses, which old static programs call ----
 *
 * The page cannot be read: the kernel executes the call when a program jumps there (arch/x86/entry/vsyscall).  So does the engine, on a
 * kernel that has the page.  No instruction is counted, because there is none.
 */

#define PAGE_START 0xffffffffff600000ull
#define ENTRY_DISTANCE 0x400u

static bool find_vsyscall(void *found, const struct qn_mapping *m)
{
    *(bool *)found |= qn_streq(m->path, "[vsyscall]");
    return true;
}

static bool kernel_has_it(void)
{
    static bool asked, has_it;

    if (!asked)
        qn_maps_each(find_vsyscall, &has_it);
    asked = true;
    return has_it;
}

bool qn_vsyscall(void)
{
    static const uint16_t calls[] = {__NR_gettimeofday, __NR_time, __NR_getcpu};
    uint64_t at = qn_ctx.rip - PAGE_START, *g = qn_ctx.gpr, back;
    long r;

    if (at % ENTRY_DISTANCE || at / ENTRY_DISTANCE >= QN_ARRAY_LEN(calls) || !kernel_has_it() || !qn_read_guest(g[4], &back, 8))
        return false;
    r = calls[at / ENTRY_DISTANCE] == __NR_getcpu ? qn_sys_processors(__NR_getcpu, (const long[6]){(long)g[7], (long)g[6], (long)g[2]})
                                                  : qn_sys3(calls[at / ENTRY_DISTANCE], (long)g[7], (long)g[6], (long)g[2]);
    if (r == -14 /* EFAULT */)
        return false; /* the kernel raises SIGSEGV */
    g[0] = (uint64_t)r;
    g[4] += 8;
    qn_ctx.rip = back;
    return true;
}
