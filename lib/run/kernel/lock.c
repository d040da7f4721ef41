/* lib/run/kernel/lock.c - the lock: one guest thread runs at a time.
 *
 * It is a ticket lock, so it is fair.  A thread releases it during each system call.  After some time, a waiting thread asks the owner to
 * release it at the next block boundary, so a thread that spins cannot starve the thread for which it waits.
 *
 *   serving   2 * ticket       the thread that drew this ticket may take the lock
 *             2 * ticket + 1   it has taken it
 *
 * Threads of one process end together, or release the lock first.  But a process that shares this memory (clone.c) may be killed at any
 * moment, or stopped by a debugger that shares it, too.  Then a waiting thread skips its ticket.  A process that was only stopped finds
 * that its ticket was skipped, and draws another.
 */
#include "base/format.h"
#include "run/observe/calls/calls.h"
#include "run/kernel/thread.h"
#include "sim/contract.h"

#define PATIENCE_NS 300000l /* a waiter asks for the lock after this long */
#define HOLDERS 65536u      /* tickets that may be drawn at a time; more than there can be threads */
#define LOOK_EVERY 8u       /* after so many time-outs, the state of the owner is checked */

enum { FUTEX_WAIT_SHARED = 0, FUTEX_WAIT_ = 0 | 128, FUTEX_WAKE_ = 1 | 128, FUTEX_WAIT_BITSET_ = 9 | 128, FUTEX_WAKE_BITSET_ = 10 | 128 };
enum { SIG_TRAP = 5, SI_QUEUE_ = -1, E_TIMEDOUT = 110, E_SRCH = 3 };

struct qn_thread *qn_self;

static volatile uint32_t tickets, serving;
static volatile uint32_t asked;            /* the owner has been asked to yield */
static struct qn_thread *volatile holders[HOLDERS]; /* by ticket */

static struct qn_thread *holder_of(uint32_t word) { return holders[word / 2 % HOLDERS]; }

/* ---- states of threads ---- */

/* The letter of /proc/TID/stat: R running, S asleep, t stopped by a debugger, Z dead; 0 = no such thread. */
static char state_of(uint32_t tid)
{
    char path[64], text[128];
    long fd, n;

    qn_format(path, sizeof path, "/proc/%u/stat", tid);
    fd = qn_sys3(__NR_open, (long)path, 02000000, 0);
    if (qn_sys_failed(fd))
        return qn_sys2(__NR_tkill, tid, 0) == -E_SRCH ? 0 : 'R';
    n = qn_sys3(__NR_read, fd, (long)text, sizeof text);
    qn_sys1(__NR_close, fd);
    for (long i = n - 3; i > 0; i--)
        if (text[i] == ')')
            return text[i + 2];
    return 'R';
}

static bool is_dead(char state) { return state == 0 || state == 'Z' || state == 'X'; }

/* ---- kicks ----
 *
 * A kick is a SIGTRAP that the engine sends to the running thread.  It must not arrive late: it would interrupt a system call (EINTR), and
 * it would kill a program that has just been executed.  So `kicker` is the thread that is about to kick, and `kicked` says that a kick was
 * sent and has not arrived.  A thread that releases the lock waits until both are 0.  A thread that executes a program then sets `kicker`
 * to itself, so that nobody can kick it. */

static bool change_kicker(struct qn_thread *t, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&t->kicker, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Clears `kicker` if it is a process that was killed while it kicked. */
static void forget_dead_kicker(struct qn_thread *t)
{
    uint32_t who = t->kicker;

    if (who && who != (uint32_t)t->tid && is_dead(state_of(who)))
        change_kicker(t, who, 0);
}

static void kick_owner(uint32_t word, const struct qn_thread *me)
{
    struct qn_siginfo info = {.signo = SIG_TRAP, .code = SI_QUEUE_};
    struct qn_thread *owner = holder_of(word);
    uint32_t my = (uint32_t)me->tid;

    info.queue.value = QN_KICK_VALUE;
    asked = 1;
    if (!(word & 1) || !owner || !qn_ctx.in_cache)
        return; /* it is in the dispatcher, where it will see `asked` */
    if (!change_kicker(owner, 0, my)) {
        forget_dead_kicker(owner);
        return;
    }
    if (__atomic_load_n(&serving, __ATOMIC_SEQ_CST) == word) {
        owner->kicked = 1;
        qn_sys4(__NR_rt_tgsigqueueinfo, owner->pid, owner->tid, SIG_TRAP, (long)&info);
    }
    change_kicker(owner, my, 0);
    qn_sys3(__NR_futex, (long)&owner->kicker, FUTEX_WAKE_, 1);
}

static void wait_for_kicker(struct qn_thread *t)
{
    const struct { int64_t sec, nsec; } patience = {0, PATIENCE_NS};
    uint32_t tid = t->kicker;

    if (tid && qn_sys4(__NR_futex, (long)&t->kicker, FUTEX_WAIT_, tid, (long)&patience) == -E_TIMEDOUT)
        forget_dead_kicker(t);
}

/* Takes the last kick: it arrives at the return from a system call, unless another SIGTRAP has replaced it. */
static void take_kick(struct qn_thread *t)
{
    qn_sys1(__NR_sched_yield, 0);
    t->kicked = 0;
}

/* ---- calls by the collector: see QN_KICK_VALUE ---- */

static void can_be_called(const struct qn_thread *t)
{
    __atomic_exchange_n(&qn_arena->runner, (uint64_t)(uint32_t)t->pid << 32 | (uint32_t)t->tid, __ATOMIC_SEQ_CST); /* before `wish` is read */
}

static void wait_for_caller(void)
{
    const struct { int64_t sec, nsec; } patience = {0, PATIENCE_NS};
    uint32_t who;

    while ((who = __atomic_load_n(&qn_arena->caller, __ATOMIC_SEQ_CST)) != 0)
        if (qn_sys4(__NR_futex, (long)&qn_arena->caller, FUTEX_WAIT_SHARED, who, (long)&patience) == -E_TIMEDOUT && is_dead(state_of(who)))
            __atomic_compare_exchange_n(&qn_arena->caller, &who, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void bar_calls(void)
{
    __atomic_exchange_n(&qn_arena->runner, 0, __ATOMIC_SEQ_CST); /* before `caller` is read, so that one of the two sees the other */
    if (QN_LIKELY(!qn_arena->caller && !qn_arena->called))
        return;
    wait_for_caller();
    if (qn_arena->called)
        qn_sys1(__NR_sched_yield, 0); /* the signal arrives at its return */
    qn_arena->called = 0;
}

void qn_lock_bar_kicks(struct qn_thread *t)
{
    bar_calls();
    while (!change_kicker(t, 0, (uint32_t)t->tid))
        wait_for_kicker(t);
    take_kick(t);
}

void qn_lock_allow_kicks(struct qn_thread *t)
{
    change_kicker(t, (uint32_t)t->tid, 0);
    can_be_called(t);
}

/* Skips a ticket whose holder was killed or stopped.  A stopped owner keeps the lock, because its registers are in use. */
static void pass_over(uint32_t word)
{
    const struct qn_thread *t = holder_of(word);
    char state = t && t->tid ? state_of((uint32_t)t->tid) : 'R';

    if (is_dead(state) || ((state == 't' || state == 'T') && !(word & 1)))
        if (__atomic_compare_exchange_n(&serving, &(uint32_t){word}, (word | 1) + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            qn_sys6(__NR_futex, (long)&serving, FUTEX_WAKE_BITSET_, 0x7fffffff, 0, 0, -1);
}

static long turn_bit(uint32_t ticket) { return 1l << ticket % 32; }

/* Waits until `serving` is no longer `word`.  Returns true after a time-out.  Only the next thread in turn has a time-out, so that a
 * thousand waiting threads do not use the processors; if that thread may have been killed, all have one. */
static bool wait_for_turn(uint32_t word, uint32_t mine)
{
    struct { int64_t sec, nsec; } until;

    if (mine - word / 2 > 1 && !qn_thread_strangers()) {
        qn_sys6(__NR_futex, (long)&serving, FUTEX_WAIT_BITSET_, (long)word, 0, 0, turn_bit(mine));
        return false;
    }
    qn_sys2(__NR_clock_gettime, 1, (long)&until);
    until.nsec += PATIENCE_NS;
    until.sec += until.nsec / 1000000000;
    until.nsec %= 1000000000;
    return qn_sys6(__NR_futex, (long)&serving, FUTEX_WAIT_BITSET_, (long)word, (long)&until, 0, turn_bit(mine)) == -E_TIMEDOUT;
}

/* false: the ticket was skipped. */
static bool take_turn(const struct qn_thread *me, uint32_t mine)
{
    uint32_t word, times = 0;

    while ((word = __atomic_load_n(&serving, __ATOMIC_ACQUIRE)) != 2 * mine) {
        if ((int32_t)(word - 2 * mine) > 0)
            return false;
        if (!wait_for_turn(word, mine))
            continue;
        kick_owner(word, me);
        if (qn_thread_strangers() && (!(word & 1) || ++times % LOOK_EVERY == 0))
            pass_over(word);
    }
    return __atomic_compare_exchange_n(&serving, &(uint32_t){2 * mine}, 2 * mine + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* ---- acquire and release ---- */

void qn_lock_acquire(struct qn_thread *t)
{
    uint32_t mine;
    uint64_t clock;

    if (qn_thread_count() <= 1 && qn_self == t) {
        can_be_called(t);
        return;
    }
    do {
        mine = __atomic_fetch_add(&tickets, 1, __ATOMIC_ACQ_REL);
        holders[mine % HOLDERS] = t;
    } while (!take_turn(t, mine));
    clock = qn_ctx.now; /* one clock for all threads */
    qn_ctx = t->ctx;
    qn_ctx.now = clock;
    qn_ctx.in_cache = 0; /* the owner before may have been killed in the code cache */
    qn_self = t;
    sim_thread = t->number;
    asked = 0;
    qn_calls_thread(t);
    can_be_called(t);
}

static void pass_on(void)
{
    uint32_t next = (serving | 1) + 1;

    __atomic_exchange_n(&serving, next, __ATOMIC_SEQ_CST); /* before `kicker` is read, so that one of the two sees the other */
    if (2 * __atomic_load_n(&tickets, __ATOMIC_ACQUIRE) != next)
        qn_sys6(__NR_futex, (long)&serving, FUTEX_WAKE_BITSET_, 0x7fffffff, 0, 0, turn_bit(next / 2) | turn_bit(next / 2 + 1));
}

static void give_back(struct qn_thread *t)
{
    t->ctx = qn_ctx;
    qn_self = NULL;
    pass_on();
}

void qn_lock_release(void)
{
    struct qn_thread *t = qn_self;

    bar_calls();
    if (qn_thread_count() <= 1)
        return;
    give_back(t);
    if (QN_LIKELY(!t->kicker && !t->kicked))
        return;
    while (t->kicker && t->kicker != (uint32_t)t->tid)
        wait_for_kicker(t);
    take_kick(t);
}

void qn_lock_yield_if_asked(void)
{
    struct qn_thread *t = qn_self;

    if (QN_LIKELY(!asked) || qn_thread_count() <= 1)
        return;
    bar_calls();
    give_back(t);
    qn_lock_acquire(t);
}

/* The parent of a vfork child continues: the child has released the lock, or was killed while it held it. */
void qn_lock_steal(const struct qn_thread *dead, struct qn_thread *t)
{
    if (qn_self == dead) {
        qn_self = NULL;
        pass_on();
    }
    qn_lock_acquire(t);
}

void qn_lock_reset(void)
{
    tickets = 1;
    serving = 1;
    holders[0] = qn_self;
    asked = 0;
    can_be_called(qn_self);
}
