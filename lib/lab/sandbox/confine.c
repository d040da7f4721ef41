/* lib/lab/sandbox/confine.c - confines a process: its user, limits, Landlock, a filter of system calls.  See sandbox.h. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "lab/sandbox/sandbox.h"

static bool refuse_calls(bool may_fork, bool may_split);
static bool can_refuse_calls(void);

#define NOBODY 65534       /* the kernel's own overflow user */
#define PROCESSES_MAX 64   /* where a process may fork at all */
#define STACK_BYTES (64ull << 20)

/* ---- Landlock: the kernel's interface (linux/landlock.h may be older than the kernel) ---- */

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#define RULESET_VERSION 1u
#define RULE_PATH_BENEATH 1
enum { FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3, FS_REFER = 1 << 13,
       FS_TRUNCATE = 1 << 14, FS_IOCTL = 1 << 15 };
#define FS_FIRST_ABI 0x1fffull /* bits 0 to 12 */
#define NET_TCP 3ull
#define SCOPE_ALL 3ull         /* abstract sockets, signals */
#define ABI_REFER 2
#define ABI_TRUNCATE 3
#define ABI_NET 4
#define ABI_IOCTL 5
#define ABI_SCOPE 6

struct ruleset {
    uint64_t fs, net, scoped;
};

struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static long landlock_abi(void) { return syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION); }

static uint64_t all_file_rights(long abi)
{
    return FS_FIRST_ABI | (abi >= ABI_REFER ? FS_REFER : 0) | (abi >= ABI_TRUNCATE ? FS_TRUNCATE : 0)
           | (abi >= ABI_IOCTL ? FS_IOCTL : 0);
}

static bool allow(int rules, const char *path, uint64_t rights)
{
    struct path_rule rule = { rights, open(path, O_PATH | O_CLOEXEC) };
    struct stat st;
    bool good;

    if (rule.parent < 0)
        return errno == ENOENT || errno == EACCES; /* a path that cannot be reached needs no permission */
    if (fstat(rule.parent, &st) == 0 && !S_ISDIR(st.st_mode))
        rule.allowed &= FS_EXECUTE | FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE;
    good = syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent);
    return good;
}

static bool restrict_files(const struct qn_lab_paths *paths)
{
    long abi = landlock_abi();
    uint64_t all = all_file_rights(abi);
    struct ruleset set = { all, abi >= ABI_NET ? NET_TCP : 0, abi >= ABI_SCOPE ? SCOPE_ALL : 0 };
    size_t size = abi >= ABI_SCOPE ? sizeof set : abi >= ABI_NET ? 2 * sizeof set.fs : sizeof set.fs;
    bool good = true;
    int rules;

    if (abi < 1)
        return true; /* qn_lab_weaknesses has reported it */
    rules = (int)syscall(SYS_landlock_create_ruleset, &set, size, 0);
    if (rules < 0)
        return false;
    for (const char *const *p = paths->read; p && *p; p++)
        good = good && allow(rules, *p, FS_EXECUTE | FS_READ_FILE | FS_READ_DIR);
    for (const char *const *p = paths->write; p && *p; p++)
        good = good && allow(rules, *p, all);
    good = good && allow(rules, "/dev/null", FS_READ_FILE | FS_WRITE_FILE)
           && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return good;
}

/* ---- who it is, and how much it may use ---- */

static bool stays_root; /* nobody cannot reach what has to be run */

unsigned qn_lab_user(void) { return geteuid() == 0 && !stays_root ? NOBODY : geteuid(); }

static bool become_nobody(void)
{
    if (qn_lab_user() == geteuid())
        return true;
    return setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 && setresuid(NOBODY, NOBODY, NOBODY) == 0;
}

bool qn_lab_choose_user(const char *program, const char *scratch)
{
    int status = 1;
    pid_t child;

    if (geteuid() != 0)
        return true;
    stays_root = false;
    child = fork();
    if (child == 0)
        _exit(!become_nobody() || access(program, X_OK) || access(scratch, X_OK));
    stays_root = child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
    return !stays_root;
}

/* Drops all capabilities, even if the process stays root; "no new privileges" prevents exec from restoring them. */
static bool drop_capabilities(void)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0, 0, 0 } };

    return syscall(SYS_capset, &head, none) == 0;
}

static bool limit(int what, uint64_t soft, uint64_t hard)
{
    struct rlimit r = { soft, hard };

    return setrlimit((__rlimit_resource_t)what, &r) == 0;
}

static bool limit_resources(const struct qn_lab_limits *l)
{
    return limit(RLIMIT_CPU, l->cpu_seconds, l->cpu_seconds + 1) && limit(RLIMIT_CORE, 0, 0)
           && (!l->memory_bytes || limit(RLIMIT_AS, l->memory_bytes, l->memory_bytes))
           && (!l->data_bytes || limit(RLIMIT_DATA, l->data_bytes, l->data_bytes))
           && limit(RLIMIT_STACK, STACK_BYTES, STACK_BYTES)
           && limit(RLIMIT_FSIZE, l->file_bytes, l->file_bytes) && limit(RLIMIT_NOFILE, l->files, l->files);
}

/* The limit counts all processes of a user, so it is only set for user nobody, not for our own user. */
static bool limit_processes(void)
{
    return qn_lab_user() == geteuid() || limit(RLIMIT_NPROC, PROCESSES_MAX, PROCESSES_MAX);
}

const char *qn_lab_confine(const struct qn_lab_limits *limits, const struct qn_lab_paths *paths)
{
    if (!limit_resources(limits) || !limit_processes())
        return "limits";
    if (!become_nobody())
        return "user";
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || !drop_capabilities())
        return "no new privileges";
    if (!restrict_files(paths))
        return "Landlock";
    if (!refuse_calls(limits->may_fork, limits->may_split))
        return "seccomp";
    return NULL;
}

void qn_lab_weaknesses(void (*say)(void *data, const char *line), void *data)
{
    long abi = landlock_abi();

    if (abi < 1)
        say(data, "this kernel has no Landlock: the code could read any file that its user can, and create files");
    else if (abi < ABI_SCOPE)
        say(data, "Landlock is older than 6: compiler and quern could signal other processes of their user");
    if (!can_refuse_calls())
        say(data, "this kernel has no seccomp: the code could use the network and start processes");
    if (QN_LAB_SANITIZED)
        say(data, "this quern is built with AddressSanitizer: compilers and quern itself may use any amount of memory");
    if (geteuid() != 0)
        say(data, "not started as root: the code runs as the user who grades, and compilers may start any number of "
                  "processes");
    else if (stays_root)
        say(data, "nobody cannot reach quern's files, or those of the check: the code runs as root, without any of its "
                  "powers");
}

/* ---- the seccomp filter: the system calls of a list fail with EPERM, all others are allowed ----
 *
 *   load the architecture; not x86-64 -> kill
 *   load the number; with the x32 bit -> kill
 *   one comparison for each call of the list; equal -> EPERM
 *   tgkill: to itself (abort does that) -> allowed, else EPERM
 *
 * The list has what is refused, not what is allowed: only the network, other processes and what outlives the process have to
 * be refused here; Landlock, limits and the user do the rest.
 */

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

static bool can_refuse_calls(void)
{
    unsigned action = SECCOMP_RET_ERRNO;

    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static bool refuse_calls(bool may_fork, bool may_split)
{
    struct code c = { .n = 0 };
    struct sock_fprog program;

    if (!can_refuse_calls())
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
