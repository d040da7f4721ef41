/* lib/lab/sandbox/confine.c - see confine.h.  The system calls that are refused are in confine_calls.c. */
#define _GNU_SOURCE
#include "lab/sandbox/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/sandbox/confine_calls.h"

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
    if (!qn_lab_refuse_calls(limits->may_fork, limits->may_split))
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
    if (!qn_lab_can_refuse_calls())
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
