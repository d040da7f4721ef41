/* lib/lab/sandbox/confine_calls.c - the seccomp filter: the system calls of a list fail with EPERM, all others are allowed.
 *
 *   load the architecture; not x86-64 -> kill
 *   load the number; with the x32 bit -> kill
 *   one comparison for each call of the list; equal -> EPERM
 *   tgkill: to itself (abort does that) -> allowed, else EPERM
 *
 * The list has what is refused, not what is allowed: only the network, other processes and what outlives the process have to
 * be refused here; Landlock, limits and the user do the rest.
 */
#define _GNU_SOURCE
#include "lab/sandbox/confine_calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

#define X32_BIT 0x40000000u
#define CODE_MAX 256

static const unsigned always[] = {
    /* other machines */
    SYS_socket, SYS_connect, SYS_bind, SYS_listen,
    /* other processes */
    SYS_ptrace, SYS_pidfd_open, SYS_pidfd_send_signal, SYS_kcmp,
    /* what stays when the process is gone */
    SYS_shmget, SYS_msgget, SYS_semget, SYS_mq_open, SYS_add_key, SYS_request_key, SYS_keyctl,
    /* another view of the system, and large interfaces that nothing here needs */
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_bpf, SYS_perf_event_open,
    SYS_userfaultfd, SYS_io_uring_setup, SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_init_module,
    SYS_finit_module, SYS_kexec_load,
};

static const unsigned alone[] = {
    /* processes */
    SYS_vfork, SYS_clone, SYS_setsid, SYS_setpgid, SYS_kill, SYS_tkill, SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo, SYS_socketpair, SYS_personality, SYS_prlimit64, SYS_process_vm_readv, SYS_process_vm_writev,
    /* memory that no limit counts */
    SYS_memfd_create,
    /* what Landlock lets pass: its user's files could be changed without being opened */
    SYS_truncate, SYS_chmod, SYS_fchmod, SYS_fchmodat, SYS_fchmodat2, SYS_chown, SYS_lchown, SYS_fchown, SYS_fchownat,
    SYS_utime, SYS_utimes, SYS_futimesat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr,
};

struct code {
    struct sock_filter at[CODE_MAX];
    unsigned short n;
};

static void put(struct code *c, unsigned short op, unsigned k, unsigned char yes, unsigned char no)
{
    c->at[c->n++] = (struct sock_filter){ op, yes, no, k };
}

static void load(struct code *c, size_t offset) { put(c, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0); }
static void answer(struct code *c, unsigned what) { put(c, BPF_RET | BPF_K, what, 0, 0); }

/* If the loaded word is `value`, the filter returns `what`; otherwise it goes on. */
static void answer_if(struct code *c, unsigned value, unsigned what)
{
    put(c, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(c, what);
}

static void refuse(struct code *c, const unsigned *calls, size_t n)
{
    for (size_t i = 0; i < n; i++)
        answer_if(c, calls[i], SECCOMP_RET_ERRNO | EPERM);
}

/* clone3 fails with ENOSYS, so that the C library falls back to clone.  Signals are allowed to the process itself only. */
static void refuse_alone(struct code *c)
{
    refuse(c, alone, QN_ARRAY_LEN(alone));
    answer_if(c, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    put(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 4);
    load(c, offsetof(struct seccomp_data, args[0]));
    put(c, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 1, 0);
    answer(c, SECCOMP_RET_ERRNO | EPERM);
    answer(c, SECCOMP_RET_ALLOW);
}

bool qn_lab_can_refuse_calls(void)
{
    unsigned action = SECCOMP_RET_ERRNO;

    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool qn_lab_refuse_calls(bool may_fork, bool may_split)
{
    struct code c = { .n = 0 };
    struct sock_fprog program;

    if (!qn_lab_can_refuse_calls())
        return true;
    load(&c, offsetof(struct seccomp_data, arch));
    put(&c, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    answer(&c, SECCOMP_RET_KILL_PROCESS);
    load(&c, offsetof(struct seccomp_data, nr));
    put(&c, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    answer(&c, SECCOMP_RET_KILL_PROCESS);
    refuse(&c, always, QN_ARRAY_LEN(always));
    if (!may_fork && !may_split)
        answer_if(&c, SYS_fork, SECCOMP_RET_ERRNO | EPERM);
    if (!may_fork)
        refuse_alone(&c);
    answer(&c, SECCOMP_RET_ALLOW);
    program = (struct sock_fprog){ c.n, c.at };
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
