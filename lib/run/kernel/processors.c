/* lib/run/kernel/processors.c - --processors=N: the program sees N processors, on any machine and in a job that is bound to some.
 *
 * Which of them a thread may run on is kept here, so that it reads back what it has set; the kernel is told too, for programs that it
 * executes untraced, and may refuse.  A thread runs on the first one that it may, whatever getcpu would say: a program with an entry for each
 * processor must not be told of an (N + 1)th.  The files are made in procfs.c.
 */
#include "run/kernel/kernel.h"

#include "base/format.h"

enum { MASK_BYTES = 8, BYTE = 8 };

uint64_t qn_processors_all(void)
{
    uint32_t n = qn_cfg()->processors;

    return n ? ~0ull >> (64 - n) : 0;
}

/* The thread that a system call names; NULL: it is one of a process with memory of its own. */
static struct qn_thread *named(int32_t tid)
{
    return tid ? qn_thread_of(tid) : qn_self;
}

uint64_t qn_processors_of(int32_t tid)
{
    const struct qn_thread *t = named(tid);

    return t ? t->processors : qn_processors_all();
}

/* ---- as /proc writes them ---- */

/* 5 of 8 processors: "05" */
void qn_processors_mask(char text[QN_PROCESSORS_TEXT], uint64_t mask)
{
    static const char digits[] = "0123456789abcdef";
    unsigned n = (qn_cfg()->processors + 3) / 4;

    while (n--) {
        *text++ = digits[mask >> 4 * n & 15];
        if (n && n % 8 == 0)
            *text++ = ',';
    }
    *text = 0;
}

/* 0-1,3 */
void qn_processors_list(char text[QN_PROCESSORS_TEXT], uint64_t mask)
{
    size_t n = 0;

    *text = 0;
    for (uint32_t from = 0, to; from < 64; from = to + 1) {
        to = from;
        if (!(mask >> from & 1))
            continue;
        while (to < 63 && mask >> (to + 1) & 1)
            to++;
        n += qn_format(text + n, QN_PROCESSORS_TEXT - n, to > from ? "%s%u-%u" : "%s%u", n ? "," : "", from, to);
    }
}

/* ---- system calls ---- */

/* Is there such a thread?  0 or -errno. */
static long ask_kernel(long tid)
{
    uint64_t mask[1024 / BYTE];
    long r = qn_sys3(__NR_sched_getaffinity, tid, sizeof mask, (long)mask);

    return qn_sys_failed(r) && r != -EINVAL ? r : 0;
}

static long get_affinity(const long *a)
{
    uint64_t size = (uint32_t)a[1], mask;
    const struct qn_thread *t = named((int32_t)a[0]);
    long r;

    if (size * BYTE < qn_cfg()->processors || size % MASK_BYTES)
        return -EINVAL;
    if (!t && (r = ask_kernel(a[0])))
        return r;
    mask = t ? t->processors : qn_processors_all();
    return qn_write_guest((uint64_t)a[2], &mask, sizeof mask) ? (long)sizeof mask : -EFAULT;
}

static long set_affinity(const long *a)
{
    uint64_t size = (uint32_t)a[1], mask = 0;
    struct qn_thread *t = named((int32_t)a[0]);
    long r;

    if (!qn_read_guest((uint64_t)a[2], &mask, size < sizeof mask ? size : sizeof mask))
        return -EFAULT;
    if (!t && (r = ask_kernel(a[0])))
        return r;
    if (!(mask & qn_processors_all()))
        return -EINVAL;
    if (t)
        t->processors = mask & qn_processors_all();
    if (t == qn_self && qn_cfg()->cores)
        qn_sim_turn(t->number, qn_core_of(t));
    qn_sys3(__NR_sched_setaffinity, a[0], sizeof mask, (long)&mask);
    return 0;
}

static long get_cpu(const long *a)
{
    uint32_t processor = qn_cfg()->cores ? qn_core_of(qn_self) % qn_cfg()->processors : (uint32_t)__builtin_ctzll(qn_self->processors), node = 0;

    return (!a[0] || qn_write_guest((uint64_t)a[0], &processor, sizeof processor)) &&
           (!a[1] || qn_write_guest((uint64_t)a[1], &node, sizeof node)) ? 0 : -EFAULT;
}

long qn_sys_processors(long nr, const long *a)
{
    if (!qn_cfg()->processors)
        return qn_syscall_pass(nr, a);
    switch (nr) {
    case __NR_sched_getaffinity: return get_affinity(a);
    case __NR_sched_setaffinity: return set_affinity(a);
    default: return get_cpu(a);
    }
}
