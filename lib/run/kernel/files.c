/* lib/run/kernel/files.c - the limit of the program's descriptors (RLIMIT_NOFILE), and the numbers of the engine's own.
 *
 *   0 ... soft limit - 1          the program's: its soft limit is set in the kernel
 *   from config.fd_limit on       the engine's, above the soft limit where there is room (lib/collect/launch.c)
 *   hard limit                    the program's is stored here; the kernel's is not lowered, so that the engine can raise the soft
 *                                 limit for a moment
 */
#include "run/kernel/files.h"
#include "run/kernel/space_limits.h"

enum { F_DUPFD_CLOEXEC_ = 1030, NOFILE = 7 /* RLIMIT_NOFILE */, OWN_AT_LEAST = 8, TOP = 65536 };
enum { E_PERM = 1, E_FAULT = 14, E_INVAL = 22, CAP_SYS_RESOURCE_ = 24, CAPABILITY_VERSION_3 = 0x20080522 };

static long limits(const struct qn_limit *set, struct qn_limit *get)
{
    return qn_sys4(__NR_prlimit64, 0, NOFILE, (long)set, (long)get);
}

static uint64_t hard_limit(void)
{
    return qn_cfg()->fd_hard;
}

void qn_files_go_beyond(struct qn_limit *before)
{
    struct qn_limit all;

    if (limits(NULL, before))
        return;
    all = (struct qn_limit){before->hard, before->hard};
    if (before->soft < before->hard)
        limits(&all, NULL);
}

void qn_files_go_back(const struct qn_limit *before)
{
    if (before->soft < before->hard)
        limits(before, NULL);
}

/* Moves a descriptor above those that the program may have; if that is impossible, as high as possible. */
int qn_files_move_up(int fd, const struct qn_limit *before)
{
    uint64_t from = before->soft > qn_cfg()->fd_limit ? before->soft : qn_cfg()->fd_limit;
    long high = qn_sys3(__NR_fcntl, fd, F_DUPFD_CLOEXEC_, (long)from);

    if (qn_sys_failed(high) && before->hard > OWN_AT_LEAST)
        high = qn_sys3(__NR_fcntl, fd, F_DUPFD_CLOEXEC_, (long)before->hard - OWN_AT_LEAST);
    if (qn_sys_failed(high))
        return fd;
    qn_sys1(__NR_close, fd);
    return (int)high;
}

void qn_files_exec(bool before)
{
    static struct qn_limit ours;
    struct qn_limit its;

    if (before && !limits(NULL, &ours)) {
        its = (struct qn_limit){ours.soft, hard_limit() < ours.hard ? hard_limit() : ours.hard};
        if (its.hard < ours.hard)
            limits(&its, NULL);
    } else if (!before && hard_limit() < ours.hard) {
        limits(&ours, NULL);
    }
}

/* ---- the guest's calls ---- */

bool qn_is_capable(unsigned bit)
{
    struct { uint32_t version; int32_t pid; } header = {CAPABILITY_VERSION_3, 0};
    struct { uint32_t effective, permitted, inheritable; } data[2] = {{0}, {0}};

    return !qn_sys2(__NR_capget, (long)&header, (long)data) && (data[bit / 32].effective >> bit % 32 & 1);
}

/* The program may have more descriptors than before: moves the engine's above them, but not so high that a fork would copy a long table. */
static void move_own(uint64_t soft)
{
    int *const own[] = {&qn_arena_fd, &qn_socket_fd, &qn_cfg()->trace_fd};
    struct qn_limit before;

    if (soft <= qn_cfg()->fd_limit || soft > TOP)
        return;
    qn_cfg()->fd_limit = soft;
    qn_files_go_beyond(&before);
    for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++)
        if (qn_is_engine_fd(*own[i]))
            *own[i] = qn_files_move_up(*own[i], &before);
    qn_files_go_back(&before);
}

/* old: the limit as the program sees it. */
static long set(const struct qn_limit *new, const struct qn_limit *old, uint64_t kernel_hard)
{
    struct qn_limit kernel = {new->soft, new->hard > kernel_hard ? new->hard : kernel_hard};
    long r;

    if (new->soft > new->hard)
        return -E_INVAL;
    if (new->hard > old->hard && !qn_is_capable(CAP_SYS_RESOURCE_))
        return -E_PERM;
    if (qn_self->shares) /* a process that shares our memory has no limits stored here: it will execute a program soon */
        return limits(new, NULL);
    r = limits(&kernel, NULL);
    if (r)
        return r;
    qn_cfg()->fd_hard = new->hard;
    move_own(new->soft);
    return 0;
}

/* A limit that is only kept here. */
static long kept_limit(struct qn_limit *kept, uint64_t from, uint64_t to)
{
    struct qn_limit old = *kept, new;

    if (from && !qn_read_guest(from, &new, sizeof new))
        return -E_FAULT;
    if (from && new.soft > new.hard)
        return -E_INVAL;
    if (from && new.hard > old.hard && !qn_is_capable(CAP_SYS_RESOURCE_))
        return -E_PERM;
    if (from)
        *kept = new;
    return to && !qn_write_guest(to, &old, sizeof old) ? -E_FAULT : 0;
}

static long own_limit(int which, uint64_t from, uint64_t to)
{
    struct qn_limit old, new;
    uint64_t kernel_hard;
    long r = 0;

    if (which != NOFILE)
        return kept_limit(qn_space_limit(which), from, to);
    if (from && !qn_read_guest(from, &new, sizeof new))
        return -E_FAULT;
    limits(NULL, &old);
    kernel_hard = old.hard;
    old.hard = hard_limit() < kernel_hard ? hard_limit() : kernel_hard;
    if (from)
        r = set(&new, &old, kernel_hard);
    return r ? r : to && !qn_write_guest(to, &old, sizeof old) ? -E_FAULT : 0;
}

long qn_sys_limit(long nr, const long *a)
{
    bool prlimit = nr == __NR_prlimit64;
    int which = (int)a[prlimit];

    if ((which != NOFILE && !qn_space_limit(which)) || (prlimit && a[0] && (int)a[0] != (int)qn_sys1(__NR_getpid, 0)))
        return qn_syscall_pass(nr, a);
    return prlimit ? own_limit(which, (uint64_t)a[2], (uint64_t)a[3])
           : nr == __NR_setrlimit ? a[1] ? own_limit(which, (uint64_t)a[1], 0) : -E_FAULT
                                  : a[1] ? own_limit(which, 0, (uint64_t)a[1]) : -E_FAULT;
}
