/* lib/run/kernel/syscall.c - the guest's system calls.
 *
 * Most are passed to the kernel unchanged, since guest addresses are host addresses.  The engine handles the calls that
 * concern what it manages: the address space, signals, threads and processes, its own descriptors, its name. */
#include "run/core/core.h"
#include "run/kernel/files.h"
#include "run/kernel/locked.h"
#include "run/kernel/outside.h"
#include "run/kernel/pointers.h"
#include "run/kernel/processors.h"
#include "run/kernel/procfs.h"
#include "run/kernel/seccomp/seccomp.h"
#include "run/kernel/signal/signal.h"
#include "tcache/tcache.h"

enum { E_BADF = 9, E_INTR = 4, E_NOSYS = 38, E_INVAL = 22, E_NOMEM = 12, E_FAULT = 14 };
enum { ARCH_SET_GS_ = 0x1001, ARCH_SET_FS_ = 0x1002, ARCH_SET_CPUID_ = 0x1012, E_NODEV = 19, AT_FDCWD_ = -100 };
enum { NR_mseal = 462, MADV_DONTNEED_ = 4, IORING_ENTER_EXT_ARG_ = 8, PR_SET_SYSCALL_USER_DISPATCH_ = 59 };

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
    long r = qn_syscall_pass(nr, a);

    t->waited = masked && r == -E_INTR && (t->pending & 1);
    t->waiting_mask = mask & ~UNBLOCKABLE;
    return r;
}

bool qn_is_engine_fd(long fd)
{
    return fd >= 0 && (fd == qn_arena_fd || fd == qn_socket_fd || (qn_cfg()->trace_fd > 2 && fd == qn_cfg()->trace_fd));
}

/* close_range over the engine's descriptors: close what lies between them. */
static long close_range(uint64_t first, uint64_t last, long flags)
{
    long r = 0;

    last = last > 0xfffffffful ? 0xffffffff : last;
    if (first > last)
        return -E_INVAL;
    for (uint64_t from = first; from <= last && r == 0;) {
        uint64_t stop = last + 1;

        for (int i = 0; i < 3; i++) {
            long fd = i == 0 ? qn_arena_fd : i == 1 ? qn_socket_fd : qn_cfg()->trace_fd;

            if (qn_is_engine_fd(fd) && (uint64_t)fd >= from && (uint64_t)fd < stop)
                stop = (uint64_t)fd;
        }
        if (stop > from)
            r = qn_sys3(__NR_close_range, (long)from, (long)stop - 1, flags);
        from = stop + 1;
    }
    return r;
}

static long set_base(long code, uint64_t addr, const long *a)
{
    long r;

    if (code == ARCH_SET_CPUID_ && !addr) /* would make cpuid fault, but the engine needs cpuid: answers as on a processor that cannot do this */
        return -E_NODEV;
    r = qn_sys2(__NR_arch_prctl, a[0], a[1]);
    if (r == 0 && code == ARCH_SET_FS_)
        qn_ctx.fs_base = addr;
    if (r == 0 && code == ARCH_SET_GS_)
        qn_ctx.gs_base = addr;
    return r;
}

static long exec_call(long nr, const long *a)
{
    return nr == __NR_execve ? qn_sys_execve(AT_FDCWD_, a, 0) : qn_sys_execve((int)a[0], a + 1, (int)a[4]);
}

static long process_call(long nr, const long *a)
{
    enum { FORK = 17 /* SIGCHLD */, VFORK = FORK | 0x4100 /* CLONE_VM | CLONE_VFORK */ };

    switch (nr) {
    case __NR_fork: return qn_sys_fork(FORK);
    case __NR_vfork: return qn_sys_fork(VFORK);
    case __NR_clone: return qn_sys_clone(a, false);
    default: return qn_sys_clone(a, true);
    }
}

static long memory_call(long nr, const long *a)
{
    switch (nr) {
    case __NR_mmap: return qn_sys_mmap(a);
    case __NR_munmap: return qn_sys_munmap((uint64_t)a[0], (uint64_t)a[1]);
    case __NR_mprotect:
    case __NR_pkey_mprotect: return qn_sys_mprotect(nr, a);
    case __NR_mremap: return qn_sys_mremap(a);
    case __NR_brk: return qn_sys_brk((uint64_t)a[0]);
    case __NR_shmat: return qn_sys_shmat(a);
    case __NR_shmdt: return qn_sys_shmdt((uint64_t)a[0]);
    default: break;
    }
    if (nr == NR_mseal && qn_is_engine_range((uint64_t)a[0], (uint64_t)a[1]))
        return qn_syscall_pass(nr, (const long[6]){0, a[1], a[2]}); /* a kernel before 6.10 does not know it */
    if (qn_is_engine_range((uint64_t)a[0], (uint64_t)a[1])) /* natively there is nothing */
        return nr == __NR_mbind ? -E_FAULT : nr == __NR_remap_file_pages ? -E_INVAL : -E_NOMEM;
    if (nr == __NR_madvise && a[2] == MADV_DONTNEED_)
        qn_code_changed((uint64_t)a[0], (uint64_t)a[0] + (uint64_t)a[1]);
    return qn_syscall_pass(nr, a);
}

static long signal_call(long nr, const long *a)
{
    switch (nr) {
    case __NR_rt_sigaction: return qn_sys_sigaction((int)a[0], (uint64_t)a[1], (uint64_t)a[2], (uint64_t)a[3]);
    case __NR_rt_sigprocmask: return qn_sys_sigprocmask((int)a[0], (uint64_t)a[1], (uint64_t)a[2], (uint64_t)a[3]);
    default: return qn_sys_sigaltstack((uint64_t)a[0], (uint64_t)a[1]);
    }
}

static long descriptor_call(long nr, const long *a)
{
    bool target = nr == __NR_dup2 || nr == __NR_dup3;

    if (nr == __NR_close_range)
        return close_range((uint32_t)a[0], (uint32_t)a[1], a[2]);
    if (qn_is_engine_fd((int)a[0]) || (target && qn_is_engine_fd((int)a[1])))
        return -E_BADF;
    return qn_syscall_pass(nr, a);
}

/* With --stats, the engine reads the time stamp counter; notes whether it may. */
static long set_tsc(const long *a)
{
    long r = qn_syscall_pass(__NR_prctl, a);

    if (!r)
        qn_self->has_clock = (uint32_t)a[1] == 1; /* PR_TSC_ENABLE */
    return r;
}

static long prctl_call(const long *a)
{
    enum { SET_DEATH_SIGNAL = 1, GET_DEATH_SIGNAL = 2, GET_SECCOMP = 21, SET_SECCOMP = 22, SET_TSC = 26 };

    switch (a[0]) {
    case SET_DEATH_SIGNAL:
    case GET_DEATH_SIGNAL: return qn_sys_death_signal(a);
    case PR_SET_SYSCALL_USER_DISPATCH_: return qn_sys_user_dispatch(a);
    case GET_SECCOMP: return qn_self->seccomp;
    case SET_SECCOMP: return qn_sys_prctl_seccomp(a);
    case SET_TSC: return set_tsc(a);
    default: return qn_syscall_pass(__NR_prctl, a);
    }
}

static long dispatch_call(long nr, const long *a)
{
    switch (nr) {
    case __NR_mmap: case __NR_munmap: case __NR_mprotect: case __NR_pkey_mprotect: case __NR_mremap: case __NR_brk:
    case __NR_madvise: case __NR_shmat: case __NR_shmdt: case __NR_msync: case __NR_mincore: case __NR_mlock: case __NR_mlock2:
    case __NR_munlock: case __NR_mbind: case __NR_remap_file_pages: case NR_mseal:
        return memory_call(nr, a);
    case __NR_mlockall: return qn_sys_mlockall(a[0]);
    case __NR_munlockall: return qn_sys_munlockall();
    case __NR_rt_sigaction: case __NR_rt_sigprocmask: case __NR_sigaltstack:
        return signal_call(nr, a);
    case __NR_rt_sigsuspend: case __NR_ppoll: case __NR_pselect6: case __NR_epoll_pwait: case __NR_epoll_pwait2:
    case __NR_io_uring_enter:
        return waiting_call(nr, a);
    case __NR_fork: case __NR_vfork: case __NR_clone: case __NR_clone3:
        return process_call(nr, a);
    case __NR_execve: case __NR_execveat:
        return exec_call(nr, a);
    case __NR_close: case __NR_dup: case __NR_dup2: case __NR_dup3: case __NR_close_range:
        return descriptor_call(nr, a);
    case __NR_readlink: case __NR_readlinkat: case __NR_creat: case __NR_open: case __NR_openat: case __NR_openat2: case __NR_getdents64:
    case __NR_stat: case __NR_newfstatat: case __NR_statx: case __NR_access: case __NR_faccessat: case __NR_faccessat2:
        return qn_proc_call(nr, a);
    case __NR_prlimit64: case __NR_getrlimit: case __NR_setrlimit:
        return qn_sys_limit(nr, a);
    case __NR_arch_prctl: return set_base(a[0], (uint64_t)a[1], a);
    case __NR_seccomp: return qn_sys_seccomp(a);
    case __NR_prctl: return prctl_call(a);
    case __NR_personality: return qn_sys_personality((uint32_t)a[0]);
    case __NR_getppid: return qn_sys_getppid();
    case __NR_sched_getaffinity: case __NR_sched_setaffinity: case __NR_getcpu: return qn_sys_processors(nr, a);
    case __NR_rseq: return -E_NOSYS;
    case __NR_ptrace:
        qn_outside_ptrace(a);
        return qn_self->shares ? qn_sys_ptrace(a) : qn_syscall_pass(nr, a);
    case __NR_exit_group: qn_process_exit((int)a[0]);
    case __NR_exit:
        if (qn_thread_is_last())
            qn_process_exit((int)a[0]);
        qn_thread_exit((int)a[0]);
    default: return qn_syscall_pass(nr, a);
    }
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
    qn_vectors_hide(nr, a);
    r = dispatch_call(nr, a);
    if (QN_UNLIKELY((uint64_t)a[1] != given))
        qn_vectors_tell(nr, given, a, r);
    if (qn_tracing(QN_TRACE_SYSCALL))
        trace(nr, a, r);
    if (restarts(r)) {
        qn_ctx.rip -= QN_SYSCALL_INSN_LEN;
        return;
    }
    g[0] = (uint64_t)r;
}
