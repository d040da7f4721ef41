/* lib/run/kernel/futex.c - with --cores: futexes among the threads of this process.
 *
 *   thread 2: FUTEX_WAIT at A     waits on a word of its own, and is the last in the list
 *   thread 1: FUTEX_WAKE at A, 1  wakes the first in the list, and draws its ticket: it runs after those that wait for a turn already
 *
 * In the kernel, which thread runs first would depend on which processor is quicker.  Processes that share memory wait in the kernel, since
 * they may be killed alone: so are futexes with priority inheritance the kernel's.
 */
#include "run/kernel/kernel.h"

enum {
    OP_WAIT, OP_WAKE, OP_REQUEUE = 3, OP_CMP_REQUEUE, OP_WAKE_OP, OP_WAIT_BITSET = 9, OP_WAKE_BITSET,
    OP_PRIVATE = 128, OP_CLOCK = 256, OP_MASK = 127,
    ALL_BITS = -1
};

enum { ASLEEP = 1, WOKEN, GONE };

static struct qn_thread *first; /* those that wait, in their order; by next_asleep */

/* Removes t from the list.  The lock is held. */
static void remove_from_list(struct qn_thread *t)
{
    struct qn_thread **at = &first;

    while (*at && *at != t)
        at = &(*at)->futex.next;
    if (*at)
        *at = t->futex.next;
}

static void append(struct qn_thread *t)
{
    struct qn_thread **at = &first;

    while (*at)
        at = &(*at)->futex.next;
    t->futex.next = NULL;
    *at = t;
}

/* Wakes up to `most` of those at this address for one of these bits, and moves up to `moved` others to another address.  Returns how many of both. */
static long wake(uint64_t address, uint32_t most, uint32_t bits, uint32_t moved, uint64_t to)
{
    long n = 0;

    for (struct qn_thread *t = first, *next; t && (most || moved); t = next) {
        next = t->futex.next;
        if (t->futex.address != address || !(t->futex.bits & bits))
            continue;
        if (!most) {
            t->futex.address = to;
            remove_from_list(t); /* it is the last of those there */
            append(t);
            moved--, n++;
            continue;
        }
        remove_from_list(t);
        if (!__atomic_compare_exchange_n(&t->futex.state, &(uint32_t){ASLEEP}, WOKEN, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue; /* its time is over, or a signal came */
        most--, n++;
        qn_turn_draw(t);
        qn_sys3(__NR_futex, (long)&t->futex.state, FUTEX_WAKE_PRIVATE, 1);
    }
    return n;
}

static long wait_for(const long *a, uint32_t op)
{
    struct qn_thread *t = qn_self;
    uint32_t value;
    long r, call[6] = {(long)&t->futex.state, (a[1] & OP_CLOCK) | OP_PRIVATE | (long)op, ASLEEP, a[3], 0, ALL_BITS};

    if (op == OP_WAIT_BITSET && !(uint32_t)a[5])
        return -EINVAL;
    if (a[0] & 3)
        return -EINVAL;
    if (!qn_read_guest((uint64_t)a[0], &value, sizeof value))
        return -EFAULT;
    if (value != (uint32_t)a[2])
        return -EAGAIN;
    t->futex.address = (uint64_t)a[0];
    t->futex.bits = op == OP_WAIT_BITSET ? (uint32_t)a[5] : (uint32_t)ALL_BITS;
    t->futex.state = ASLEEP;
    append(t);
    qn_lock_release();
    do
        r = qn_guest_syscall(__NR_futex, call, &t->pending);
    while ((r == 0 || r == -EAGAIN) && t->futex.state == ASLEEP); /* woken for no reason */
    if (__atomic_compare_exchange_n(&t->futex.state, &(uint32_t){ASLEEP}, GONE, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        qn_lock_acquire(t);
        remove_from_list(t);
        return r;
    }
    qn_turn_wait(t); /* who woke it draws its ticket */
    qn_lock_acquire(t);
    return 0;
}

/* FUTEX_WAKE_OP: changes the second word, and compares what it was. */
static long wake_op(const long *a)
{
    uint32_t code = (uint32_t)a[5], was, value, argument = code >> 12 & 0xfff, other = code & 0xfff;
    long r;
    bool holds;

    if (!qn_read_guest((uint64_t)a[4], &was, sizeof was))
        return -EFAULT;
    argument = argument & 0x800 ? argument | ~0xfffu : argument;
    other = other & 0x800 ? other | ~0xfffu : other;
    argument = code >> 31 ? 1u << (argument & 31) : argument;
    switch (code >> 28 & 7) {
    case 0: value = argument; break;
    case 1: value = was + argument; break;
    case 2: value = was | argument; break;
    case 3: value = was & ~argument; break;
    case 4: value = was ^ argument; break;
    default: return -ENOSYS;
    }
    if (!qn_write_guest((uint64_t)a[4], &value, sizeof value))
        return -EFAULT;
    switch (code >> 24 & 15) {
    case 0: holds = was == other; break;
    case 1: holds = was != other; break;
    case 2: holds = (int32_t)was < (int32_t)other; break;
    case 3: holds = (int32_t)was <= (int32_t)other; break;
    case 4: holds = (int32_t)was > (int32_t)other; break;
    case 5: holds = (int32_t)was >= (int32_t)other; break;
    default: return -ENOSYS;
    }
    r = wake((uint64_t)a[0], (uint32_t)a[2], (uint32_t)ALL_BITS, 0, 0);
    return r + (holds ? wake((uint64_t)a[4], (uint32_t)a[3], (uint32_t)ALL_BITS, 0, 0) : 0);
}

static bool is_word_of_thread;

static void look_at_thread(struct qn_thread *t, const void *address) { is_word_of_thread |= t->clear_tid == *(const uint64_t *)address; }

/* Is this where a thread of the process says that it has ended?  Such a futex is not private. */
static bool says_end(uint64_t address)
{
    is_word_of_thread = false;
    qn_thread_each_of_process(look_at_thread, &address);
    return is_word_of_thread;
}

/* Those that wait in the kernel are woken, too, as far as there may be any. */
static long wake_both(long nr, const long *a, long n)
{
    long r;

    if ((a[1] & OP_PRIVATE && !qn_thread_strangers()) || n >= (uint32_t)a[2])
        return n;
    r = qn_sys6(nr, a[0], a[1], (uint32_t)a[2] - n, a[3], a[4], a[5]);
    return qn_sys_failed(r) ? n : n + r;
}

long qn_sys_futex(long nr, const long *a)
{
    uint32_t op = (uint32_t)a[1] & OP_MASK, value;
    bool own = a[1] & OP_PRIVATE;

    if (!qn_cfg()->quantum)
        return qn_syscall_pass(nr, a);
    switch (op) {
    case OP_WAIT:
    case OP_WAIT_BITSET: return !qn_self->shares && (own || says_end((uint64_t)a[0])) ? wait_for(a, op) : qn_syscall_pass(nr, a);
    case OP_WAKE: return wake_both(nr, a, wake((uint64_t)a[0], (uint32_t)a[2], (uint32_t)ALL_BITS, 0, 0));
    case OP_WAKE_BITSET: return a[5] ? wake_both(nr, a, wake((uint64_t)a[0], (uint32_t)a[2], (uint32_t)a[5], 0, 0)) : -EINVAL;
    default: break;
    }
    if (!own || qn_self->shares)
        return qn_syscall_pass(nr, a);
    switch (op) {
    case OP_CMP_REQUEUE:
        if (!qn_read_guest((uint64_t)a[0], &value, sizeof value))
            return -EFAULT;
        if (value != (uint32_t)a[5])
            return -EAGAIN;
        return wake((uint64_t)a[0], (uint32_t)a[2], (uint32_t)ALL_BITS, (uint32_t)a[3], (uint64_t)a[4]);
    case OP_REQUEUE: {
        long n = wake((uint64_t)a[0], (uint32_t)a[2], (uint32_t)ALL_BITS, (uint32_t)a[3], (uint64_t)a[4]);

        return n < (uint32_t)a[2] ? n : (uint32_t)a[2]; /* those that it woke only */
    }
    case OP_WAKE_OP: return wake_op(a);
    default: return qn_syscall_pass(nr, a);
    }
}

/* futex_waitv, futex_wake, futex_wait, futex_requeue: a kernel before 5.16, or 6.7, does not know them. */
long qn_sys_futex_new(long nr, const long *a) { return qn_cfg()->quantum ? -ENOSYS : qn_syscall_pass(nr, a); }

long qn_sys_set_tid_address(long nr, const long *a)
{
    qn_self->clear_tid = (uint64_t)a[0];
    return qn_syscall_pass(nr, a);
}

/* After fork: the threads that waited are the parent's. */
void qn_futex_forget(void) { first = NULL; }

/* The kernel would clear the word and wake who waits for it, some time later, when another thread may have the memory. */
void qn_futex_thread_ends(struct qn_thread *t)
{
    static uint32_t nobody, zero;

    if (!t->clear_tid)
        return;
    qn_sys1(__NR_set_tid_address, (long)&nobody);
    if (qn_write_guest(t->clear_tid, &zero, sizeof zero)) {
        wake(t->clear_tid, 1, (uint32_t)ALL_BITS, 0, 0);
        qn_sys3(__NR_futex, (long)t->clear_tid, FUTEX_WAKE, 1); /* a process that shares the memory */
    }
    t->clear_tid = 0;
}

long qn_sys_yield(long nr, const long *a)
{
    if (!qn_cfg()->quantum)
        return qn_syscall_pass(nr, a);
    qn_turn_end();
    return 0;
}
