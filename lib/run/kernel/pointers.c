/* lib/run/kernel/pointers.c - pointers of the program into the engine.
 *
 * At the engine's addresses nothing is mapped natively, but here the kernel would read and write the engine's memory.  So if an argument of a
 * system call points there, it is replaced by a pointer to a page without access, and the kernel answers as natively (mostly EFAULT).
 *
 *   read(3, 0x70001000, 8)   ->   read(3, a guard page, 8)
 *
 * For ioctl, fcntl and prctl the request tells which argument is a pointer.  Pointers in structures: vectors.c. */
#include "run/kernel/kernel.h"

#define CALLS 470

/* Which arguments are pointers. */
enum { A0 = 1 << 0, A1 = 1 << 1, A2 = 1 << 2, A3 = 1 << 3, A4 = 1 << 4, A01 = 1 << 0 | 1 << 1, A02 = 1 << 0 | 1 << 2,
       A03 = 1 << 0 | 1 << 3, A04 = 1 << 0 | 1 << 4, A12 = 1 << 1 | 1 << 2, A13 = 1 << 1 | 1 << 3, A14 = 1 << 1 | 1 << 4,
       A23 = 1 << 2 | 1 << 3, A24 = 1 << 2 | 1 << 4, A34 = 1 << 3 | 1 << 4, A012 = 1 << 0 | 1 << 1 | 1 << 2,
       A023 = 1 << 0 | 1 << 2 | 1 << 3, A034 = 1 << 0 | 1 << 3 | 1 << 4, A123 = 1 << 1 | 1 << 2 | 1 << 3,
       A134 = 1 << 1 | 1 << 3 | 1 << 4, A145 = 1 << 1 | 1 << 4 | 1 << 5, A234 = 1 << 2 | 1 << 3 | 1 << 4,
       A345 = 1 << 3 | 1 << 4 | 1 << 5, A0124 = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4, A1234 = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4,
       A12345 = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 };

static const uint8_t pointers[CALLS] = {
    [__NR_read] = A1, [__NR_write] = A1, [__NR_open] = A0, [__NR_stat] = A01, [__NR_fstat] = A1, [__NR_lstat] = A01,
    [__NR_poll] = A0, [__NR_rt_sigaction] = A12, [__NR_rt_sigprocmask] = A12, [__NR_pread64] = A1, [__NR_pwrite64] = A1,
    [__NR_readv] = A1, [__NR_writev] = A1, [__NR_access] = A0, [__NR_pipe] = A0, [__NR_select] = A1234, [__NR_mincore] = A2,
    [__NR_shmctl] = A2, [__NR_nanosleep] = A01, [__NR_getitimer] = A1, [__NR_setitimer] = A12, [__NR_sendfile] = A2,
    [__NR_connect] = A1, [__NR_accept] = A12, [__NR_sendto] = A14, [__NR_recvfrom] = A145, [__NR_sendmsg] = A1, [__NR_recvmsg] = A1,
    [__NR_bind] = A1, [__NR_getsockname] = A12, [__NR_getpeername] = A12, [__NR_socketpair] = A3, [__NR_setsockopt] = A3,
    [__NR_getsockopt] = A34, [__NR_clone] = A23, [__NR_execve] = A012, [__NR_wait4] = A13, [__NR_uname] = A0, [__NR_semop] = A1,
    [__NR_msgsnd] = A1, [__NR_msgrcv] = A1, [__NR_msgctl] = A2, [__NR_truncate] = A0, [__NR_getdents] = A1, [__NR_getcwd] = A0,
    [__NR_chdir] = A0, [__NR_rename] = A01, [__NR_mkdir] = A0, [__NR_rmdir] = A0, [__NR_creat] = A0, [__NR_link] = A01,
    [__NR_unlink] = A0, [__NR_symlink] = A01, [__NR_readlink] = A01, [__NR_chmod] = A0, [__NR_chown] = A0, [__NR_lchown] = A0,
    [__NR_gettimeofday] = A01, [__NR_getrlimit] = A1, [__NR_getrusage] = A1, [__NR_sysinfo] = A0, [__NR_times] = A0,
    [__NR_syslog] = A1, [__NR_getgroups] = A1, [__NR_setgroups] = A1, [__NR_getresuid] = A012, [__NR_getresgid] = A012,
    [__NR_capget] = A01, [__NR_capset] = A01, [__NR_rt_sigpending] = A0, [__NR_rt_sigtimedwait] = A012, [__NR_rt_sigqueueinfo] = A2,
    [__NR_rt_sigsuspend] = A0, [__NR_sigaltstack] = A01, [__NR_utime] = A01, [__NR_mknod] = A0, [__NR_uselib] = A0,
    [__NR_ustat] = A1, [__NR_statfs] = A01, [__NR_fstatfs] = A1, [__NR_sched_setparam] = A1, [__NR_sched_getparam] = A1,
    [__NR_sched_setscheduler] = A2, [__NR_sched_rr_get_interval] = A1, [__NR_modify_ldt] = A1, [__NR_pivot_root] = A01,
    [__NR_adjtimex] = A0, [__NR_setrlimit] = A1, [__NR_chroot] = A0, [__NR_acct] = A0, [__NR_settimeofday] = A01,
    [__NR_mount] = A0124, [__NR_umount2] = A0, [__NR_swapon] = A0, [__NR_swapoff] = A0, [__NR_reboot] = A3, [__NR_sethostname] = A0,
    [__NR_setdomainname] = A0, [__NR_init_module] = A02, [__NR_delete_module] = A0, [__NR_quotactl] = A13, [__NR_setxattr] = A012,
    [__NR_lsetxattr] = A012, [__NR_fsetxattr] = A12, [__NR_getxattr] = A012, [__NR_lgetxattr] = A012, [__NR_fgetxattr] = A12,
    [__NR_listxattr] = A01, [__NR_llistxattr] = A01, [__NR_flistxattr] = A1, [__NR_removexattr] = A01, [__NR_lremovexattr] = A01,
    [__NR_fremovexattr] = A1, [__NR_time] = A0, [__NR_futex] = A034, [__NR_sched_setaffinity] = A2, [__NR_sched_getaffinity] = A2,
    [__NR_io_setup] = A1, [__NR_io_getevents] = A34, [__NR_io_submit] = A2, [__NR_io_cancel] = A12, [__NR_lookup_dcookie] = A1,
    [__NR_getdents64] = A1, [__NR_set_tid_address] = A0, [__NR_semtimedop] = A13, [__NR_timer_create] = A12,
    [__NR_timer_settime] = A23, [__NR_timer_gettime] = A1, [__NR_clock_settime] = A1, [__NR_clock_gettime] = A1,
    [__NR_clock_getres] = A1, [__NR_clock_nanosleep] = A23, [__NR_epoll_wait] = A1, [__NR_epoll_ctl] = A3, [__NR_utimes] = A01,
    [__NR_mbind] = A3, [__NR_set_mempolicy] = A1, [__NR_get_mempolicy] = A01, [__NR_mq_open] = A03, [__NR_mq_unlink] = A0,
    [__NR_mq_timedsend] = A14, [__NR_mq_timedreceive] = A134, [__NR_mq_notify] = A1, [__NR_mq_getsetattr] = A12,
    [__NR_kexec_load] = A2, [__NR_waitid] = A24, [__NR_add_key] = A012, [__NR_request_key] = A012, [__NR_inotify_add_watch] = A1,
    [__NR_migrate_pages] = A23, [__NR_openat] = A1, [__NR_mkdirat] = A1, [__NR_mknodat] = A1, [__NR_fchownat] = A1,
    [__NR_futimesat] = A12, [__NR_newfstatat] = A12, [__NR_unlinkat] = A1, [__NR_renameat] = A13, [__NR_linkat] = A13,
    [__NR_symlinkat] = A02, [__NR_readlinkat] = A12, [__NR_fchmodat] = A1, [__NR_faccessat] = A1, [__NR_pselect6] = A12345,
    [__NR_ppoll] = A023, [__NR_set_robust_list] = A0, [__NR_get_robust_list] = A12, [__NR_splice] = A13, [__NR_vmsplice] = A1,
    [__NR_move_pages] = A234, [__NR_utimensat] = A12, [__NR_epoll_pwait] = A14, [__NR_signalfd] = A1, [__NR_timerfd_settime] = A23,
    [__NR_timerfd_gettime] = A1, [__NR_accept4] = A12, [__NR_signalfd4] = A1, [__NR_pipe2] = A0, [__NR_preadv] = A1,
    [__NR_pwritev] = A1, [__NR_rt_tgsigqueueinfo] = A3, [__NR_perf_event_open] = A0, [__NR_recvmmsg] = A14,
    [__NR_fanotify_mark] = A4, [__NR_prlimit64] = A23, [__NR_name_to_handle_at] = A123, [__NR_open_by_handle_at] = A1,
    [__NR_clock_adjtime] = A1, [__NR_sendmmsg] = A1, [__NR_getcpu] = A012, [__NR_process_vm_readv] = A13,
    [__NR_process_vm_writev] = A13, [__NR_finit_module] = A1, [__NR_sched_setattr] = A1, [__NR_sched_getattr] = A1,
    [__NR_renameat2] = A13, [__NR_seccomp] = A2, [__NR_getrandom] = A0, [__NR_memfd_create] = A0, [__NR_kexec_file_load] = A3,
    [__NR_bpf] = A1, [__NR_execveat] = A123, [__NR_copy_file_range] = A13, [__NR_preadv2] = A1, [__NR_pwritev2] = A1,
    [__NR_statx] = A14, [__NR_io_pgetevents] = A345, [__NR_rseq] = A0, [__NR_pidfd_send_signal] = A2, [__NR_io_uring_setup] = A1,
    [__NR_io_uring_enter] = A4, [__NR_io_uring_register] = A2, [__NR_open_tree] = A1, [__NR_move_mount] = A13, [__NR_fsopen] = A0,
    [__NR_fsconfig] = A23, [__NR_fspick] = A1, [__NR_clone3] = A0, [__NR_openat2] = A12, [__NR_faccessat2] = A1,
    [__NR_process_madvise] = A1, [__NR_epoll_pwait2] = A134, [__NR_mount_setattr] = A13, [__NR_quotactl_fd] = A3,
    [__NR_landlock_create_ruleset] = A0, [__NR_landlock_add_rule] = A2, [__NR_futex_waitv] = A03, [451 /* cachestat */] = A12,
    [452 /* fchmodat2 */] = A1, [454 /* futex_wake */] = A0, [455 /* futex_wait */] = A04, [456 /* futex_requeue */] = A0,
    [457 /* statmount */] = A01, [458 /* listmount */] = A01, [459 /* lsm_get_self_attr */] = A12,
    [460 /* lsm_set_self_attr */] = A1, [461 /* lsm_list_modules */] = A01,
    [463 /* setxattrat */] = A134, [464 /* getxattrat */] = A134, [465 /* listxattrat */] = A13, [466 /* removexattrat */] = A13,
    [467 /* open_tree_attr */] = A13, [468 /* file_getattr */] = A12, [469 /* file_setattr */] = A12,
};

static bool is_near_engine(uint64_t at) { return at - QN_COUNTERS_BASE < QN_LOW_TABLES_END - QN_COUNTERS_BASE || at >= QN_HIGH_BASE; }

static bool is_inside(uint64_t at) { return QN_UNLIKELY(is_near_engine(at)) && qn_is_engine_range(at, 1); }

static uint64_t hidden_pointer(uint64_t at) { return is_inside(at) ? (uint64_t)(uintptr_t)qn_stack_guard_low : at; }

/* Bits 16 to 29 of an ioctl's number are the size of the argument's target.  Numbers of terminals and of sockets are older and lack them; their
 * arguments that are no pointers are small numbers, which do no harm here. */
static bool ioctl_has_pointer(uint64_t request)
{
    enum { TERMINALS = 0x54, SOCKETS = 0x89 };
    uint64_t kind = request >> 8 & 0xff;

    return (request >> 16 & 0x3fff) || (!(request >> 16) && (kind == TERMINALS || kind == SOCKETS));
}

static unsigned fcntl_pointers(uint64_t command)
{
    switch (command) {
    case 5: case 6: case 7:                        /* F_GETLK, F_SETLK, F_SETLKW */
    case 15: case 16: case 17:                     /* F_SETOWN_EX, F_GETOWN_EX, F_GETOWNER_UIDS */
    case 36: case 37: case 38:                     /* F_OFD_... */
    case 1035: case 1036: case 1037: case 1038:    /* F_GET_RW_HINT, ... */
        return A2;
    default: return 0;
    }
}

static unsigned prctl_pointers(uint64_t option)
{
    switch (option) {
    case 2: case 5: case 9: case 11: case 15: case 16: /* PR_GET_PDEATHSIG, PR_GET_UNALIGN, _FPEMU, _FPEXC, PR_SET_NAME, PR_GET_NAME */
    case 19: case 25: case 37: case 40:            /* PR_GET_ENDIAN, _TSC, _CHILD_SUBREAPER, _TID_ADDRESS */
        return A1;
    case 22: return A2;                            /* PR_SET_SECCOMP */
    case 59: case 62: case 0x53564d41: return A4; /* PR_SET_SYSCALL_USER_DISPATCH, PR_SCHED_CORE, the name of PR_SET_VMA */
    default: return 0;
    }
}

static unsigned pointers_of(long nr, const long *a)
{
    switch (nr) {
    case __NR_ioctl: return ioctl_has_pointer((uint32_t)a[1]) ? A2 : 0;
    case __NR_fcntl: return fcntl_pointers((uint32_t)a[1]);
    case __NR_prctl: return prctl_pointers((uint32_t)a[0]);
    case __NR_arch_prctl: return a[0] == 0x1003 || a[0] == 0x1004 ? A1 : 0; /* ARCH_GET_FS, ARCH_GET_GS */
    default: return (unsigned long)nr < CALLS ? pointers[nr] : 0;
    }
}

/* ---- pointers of the program into the engine, in a struct iovec or a struct msghdr ----
 *
 *   readv(3, {{buffer, 8}, {0x70001000, 8}}, 2)   ->   readv(3, a copy: {{buffer, 8}, {a guard page, 8}}, 2)
 *
 * In:  a system call and its arguments
 * Out: the same, but a structure with a pointer into the engine is replaced by a copy, in which that pointer is one to a guard page.  The
 *      result then is that of a native run: the kernel transfers the vectors before it, or returns EFAULT.
 *
 * Not done: the other process's addresses in process_vm_readv and process_vm_writev; sendmmsg and recvmmsg, aio, io_uring.
 */

enum { VECTORS_MAX = 1024, PART = 16 }; /* the kernel's maximum (UIO_MAXIOV); vectors read at a time */

struct vector { uint64_t base, len; };

struct message { /* struct msghdr */
    uint64_t name;
    uint32_t name_len, unused;
    uint64_t vectors, n;
    uint64_t control, control_len;
    uint32_t flags, unused_too;
};

struct qn_pointer_copies {
    struct vector vectors[VECTORS_MAX];
    struct message message;
};

/* Each thread has copies of its own, because other threads make calls while it waits in the kernel. */
static struct qn_pointer_copies *copies(void)
{
    if (!qn_self->copies)
        qn_self->copies = qn_engine_alloc(sizeof *qn_self->copies);
    return qn_self->copies;
}

static bool any_inside(uint64_t at, uint64_t n)
{
    struct vector part[PART];

    for (uint64_t done = 0; done < n; done += PART) {
        uint64_t now = n - done < PART ? n - done : PART;

        if (!qn_read_guest(at + done * sizeof *part, part, now * sizeof *part))
            return false;
        for (uint64_t i = 0; i < now; i++)
            if (part[i].len && is_inside(part[i].base))
                return true;
    }
    return false;
}

/* The address that the kernel gets for the program's n vectors: theirs, or that of a copy. */
static uint64_t hide_vectors(uint64_t at, uint64_t n)
{
    struct vector *to;

    if (n > VECTORS_MAX || !any_inside(at, n))
        return at;
    to = copies()->vectors;
    if (!qn_read_guest(at, to, n * sizeof *to))
        return at;
    for (uint64_t i = 0; i < n; i++)
        to[i].base = hidden_pointer(to[i].base);
    return (uint64_t)(uintptr_t)to;
}

static uint64_t hide_message(uint64_t at)
{
    struct message m, hidden;

    if (!qn_read_guest(at, &m, sizeof m))
        return at;
    hidden = m;
    hidden.name = hidden_pointer(m.name);
    hidden.control = hidden_pointer(m.control);
    hidden.vectors = hide_vectors(hidden_pointer(m.vectors), m.n);
    if (hidden.name == m.name && hidden.control == m.control && hidden.vectors == m.vectors)
        return at;
    copies()->message = hidden;
    return (uint64_t)(uintptr_t)&copies()->message;
}

static void hide_structures(long nr, long *a)
{
    switch (nr) {
    case __NR_readv: case __NR_writev: case __NR_preadv: case __NR_pwritev: case __NR_preadv2: case __NR_pwritev2:
    case __NR_vmsplice: case __NR_process_vm_readv: case __NR_process_vm_writev: case __NR_process_madvise:
        a[1] = (long)hide_vectors((uint64_t)a[1], (uint64_t)a[2]);
        break;
    case __NR_sendmsg: case __NR_recvmsg: a[1] = (long)hide_message((uint64_t)a[1]); break;
    default: break;
    }
}

void qn_pointers_hide(long nr, long *a)
{
    unsigned which = pointers_of(nr, a);

    for (long *p = a; which; which >>= 1, p++)
        if (which & 1)
            *p = (long)hidden_pointer((uint64_t)*p);
    hide_structures(nr, a);
}

/* Copies to the program's struct msghdr what recvmsg has written into the copy (____sys_recvmsg in the kernel). */
void qn_pointers_tell(long nr, uint64_t at, const long *a, long r)
{
    const struct qn_pointer_copies *c = qn_self->copies;
    struct message m;

    if (nr != __NR_recvmsg || r < 0 || !c || (uint64_t)a[1] != (uint64_t)(uintptr_t)&c->message || !qn_read_guest(at, &m, sizeof m))
        return;
    m.name_len = c->message.name_len;
    m.control_len = c->message.control_len;
    m.flags = c->message.flags;
    qn_write_guest(at, &m, sizeof m);
}
