/* lib/run/kernel/limits.c - limits that the engine would otherwise share with the program: of descriptors, the address space, data.
 *
 * The limit of descriptors (RLIMIT_NOFILE), and the numbers of the engine's own descriptors:
 *
 *   0 ... soft limit - 1          the program's: its soft limit is set in the kernel
 *   from config.fd_limit on       the engine's, above the soft limit where there is room (lib/collect/launch.c)
 *   hard limit                    the program's is stored here; the kernel's is not lowered, so that the engine can raise the soft
 *                                 limit for a moment
 */
#include <linux/capability.h>

#include "base/format.h"
#include "run/kernel/kernel.h"

enum { OWN_AT_LEAST = 8, TOP = 65536 };

static long limits(const struct qn_limit *set, struct qn_limit *get)
{
    return qn_sys4(__NR_prlimit64, 0, RLIMIT_NOFILE, (long)set, (long)get);
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
    long high = qn_sys3(__NR_fcntl, fd, F_DUPFD_CLOEXEC, (long)from);

    if (qn_sys_failed(high) && before->hard > OWN_AT_LEAST)
        high = qn_sys3(__NR_fcntl, fd, F_DUPFD_CLOEXEC, (long)before->hard - OWN_AT_LEAST);
    if (qn_sys_failed(high))
        return fd;
    qn_sys1(__NR_close, fd);
    return (int)high;
}

/* ---- limits of the address space and of data (RLIMIT_AS, RLIMIT_DATA): only what the program maps counts ----
 *
 * The kernel would count the engine's memory, too.  So these limits are kept here, and the kernel's stay as they were; a program that is
 * executed untraced gets its own back.  How much the program has is what the kernel counts less what the engine has; if that says that there
 * is no room, the list of mappings is read, which is exact.
 *
 * Not limited: growth of the stack, and memory that mprotect makes writable.
 */

enum { ADDRESS_SPACE = 0, DATA = 1, FIELD_TOTAL = 0, FIELD_DATA = 5 };
#define NO_LIMIT (~0ull)

static uint64_t engine_has[2]; /* bytes, when the list was last read */

/* The limit that the program sees; NULL: not one of those. */
static struct qn_limit *space_limit(int which)
{
    struct qn_limit *both = qn_self->shares ? qn_self->space : qn_cfg()->space;

    return which == RLIMIT_AS ? &both[ADDRESS_SPACE] : which == RLIMIT_DATA ? &both[DATA] : NULL;
}

/* What the kernel counts, the engine's included; data: with the stack. */
static uint64_t counted(unsigned what)
{
    char text[128];
    const char *p = text;
    uint64_t pages = 0;

    qn_proc_read("/proc/self/statm", text, sizeof text);
    for (unsigned i = 0; i <= (what ? FIELD_DATA : FIELD_TOTAL); i++) {
        p = qn_parse_decimal(p, &pages);
        while (*p == ' ')
            p++;
    }
    return pages * QN_PAGE;
}

struct usage {
    unsigned what;
    uint64_t from, to; /* does not count */
    uint64_t bytes;
};

static uint64_t common(uint64_t a, uint64_t b, uint64_t from, uint64_t to)
{
    uint64_t low = a > from ? a : from, high = b < to ? b : to;

    return low < high ? high - low : 0;
}

static bool take_mapping(void *data, const struct qn_mapping *m)
{
    struct usage *u = data;
    bool counts = u->what == ADDRESS_SPACE || ((m->flags & (QN_MAPS_WRITE | QN_MAPS_SHARED)) == QN_MAPS_WRITE && !qn_streq(m->path, "[stack]"));

    if (counts && (int64_t)m->start >= 0 && !qn_is_engine_range(m->start, m->end - m->start))
        u->bytes += m->end - m->start - common(m->start, m->end, u->from, u->to);
    return true;
}

static bool allows(unsigned what, uint64_t bytes, uint64_t at, bool over)
{
    uint64_t limit = (qn_self->shares ? qn_self->space : qn_cfg()->space)[what].soft, all;
    struct usage u = {.what = what, .from = over ? at : 0, .to = over ? at + bytes : 0};

    if (limit == NO_LIMIT)
        return true;
    all = counted(what);
    if (engine_has[what] && all - engine_has[what] + bytes <= limit)
        return true;
    if (!qn_maps_each(take_mapping, &u))
        return true;
    if (!over)
        engine_has[what] = all - u.bytes;
    return u.bytes + bytes <= limit;
}

bool qn_limits_allow(uint64_t bytes, bool data, uint64_t at, bool over)
{
    bytes = qn_round_up(bytes, QN_PAGE);
    return allows(ADDRESS_SPACE, bytes, at, over) && (!data || allows(DATA, bytes, at, over));
}

/* ---- the guest's calls ---- */

bool qn_is_capable(unsigned bit)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}, {0}};

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
        return -EINVAL;
    if (new->hard > old->hard && !qn_is_capable(CAP_SYS_RESOURCE))
        return -EPERM;
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
        return -EFAULT;
    if (from && new.soft > new.hard)
        return -EINVAL;
    if (from && new.hard > old.hard && !qn_is_capable(CAP_SYS_RESOURCE))
        return -EPERM;
    if (from)
        *kept = new;
    return to && !qn_write_guest(to, &old, sizeof old) ? -EFAULT : 0;
}

static long own_limit(int which, uint64_t from, uint64_t to)
{
    struct qn_limit old, new;
    uint64_t kernel_hard;
    long r = 0;

    if (which != RLIMIT_NOFILE)
        return kept_limit(space_limit(which), from, to);
    if (from && !qn_read_guest(from, &new, sizeof new))
        return -EFAULT;
    limits(NULL, &old);
    kernel_hard = old.hard;
    old.hard = qn_cfg()->fd_hard < kernel_hard ? qn_cfg()->fd_hard : kernel_hard;
    if (from)
        r = set(&new, &old, kernel_hard);
    return r ? r : to && !qn_write_guest(to, &old, sizeof old) ? -EFAULT : 0;
}

long qn_sys_limit(long nr, const long *a)
{
    bool prlimit = nr == __NR_prlimit64;
    int which = (int)a[prlimit];

    if ((which != RLIMIT_NOFILE && !space_limit(which)) || (prlimit && a[0] && (int)a[0] != (int)qn_sys1(__NR_getpid, 0)))
        return qn_syscall_pass(nr, a);
    return prlimit ? own_limit(which, (uint64_t)a[2], (uint64_t)a[3])
           : nr == __NR_setrlimit ? a[1] ? own_limit(which, (uint64_t)a[1], 0) : -EFAULT
                                  : a[1] ? own_limit(which, 0, (uint64_t)a[1]) : -EFAULT;
}

/* ---- execve ---- */

static void swap_files(bool before)
{
    static struct qn_limit ours;
    struct qn_limit its;

    if (before && !limits(NULL, &ours)) {
        its = (struct qn_limit){ours.soft, qn_cfg()->fd_hard < ours.hard ? qn_cfg()->fd_hard : ours.hard};
        if (its.hard < ours.hard)
            limits(&its, NULL);
    } else if (!before && qn_cfg()->fd_hard < ours.hard) {
        limits(&ours, NULL);
    }
}

static void swap_space(bool before)
{
    static const int which[] = {RLIMIT_AS, RLIMIT_DATA};
    static struct qn_limit ours[2];

    for (unsigned i = 0; i < 2; i++) {
        const struct qn_limit *its = space_limit(which[i]);

        if (its->soft == NO_LIMIT && its->hard == NO_LIMIT)
            continue;
        if (before)
            qn_sys4(__NR_prlimit64, 0, which[i], (long)its, (long)&ours[i]);
        else
            qn_sys4(__NR_prlimit64, 0, which[i], (long)&ours[i], 0);
    }
}

/* An untraced program gets its own limits, which are not those of the engine. */
void qn_limits_exec(bool before)
{
    swap_files(before);
    swap_space(before);
}
