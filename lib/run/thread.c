/* lib/run/thread.c - guest threads: one runs at a time, under a fair lock.
 *
 * The running thread's context is qn_ctx; the others keep theirs in struct qn_thread.  The lock is a ticket lock, given
 * back round every system call.  A waiter that has waited a while asks the owner to come out at the next
 * block boundary, so a thread that spins cannot starve the one it waits for.
 */
#include "run/run.h"

#define THREAD_CHUNK (128ull << 10)
#define ENGINE_STACK (64u << 10)
#define SIGNAL_STACK (32u << 10)
#define PATIENCE_NS 300000l /* a waiter asks for the lock after this long */
#define THREADS_MAX 32768
#define CLONE_ARGS_MIN 64 /* bytes: CLONE_ARGS_SIZE_VER0 */

enum { FUTEX_WAIT_BITSET_ = 9 | 128, FUTEX_WAKE_BITSET_ = 10 | 128, SIG_TRAP = 5, SI_QUEUE_ = -1 };
enum { CLONE_VFORK_ = 0x4000, CLONE_SETTLS_ = 0x80000, CLONE_THREAD_ = 0x10000 };
enum { ARCH_SET_FS_ = 0x1002, E_INVAL = 22, E_AGAIN = 11 };

struct qn_thread *qn_self;

static struct qn_thread *all[THREADS_MAX];
static unsigned nall;
static volatile uint32_t count;            /* living guest threads */
static volatile uint32_t tickets, serving; /* the lock */
static volatile uint32_t asked;            /* somebody wants the owner to yield */
static volatile int32_t owner;             /* tid */

unsigned qn_thread_count(void) { return count; }

struct qn_thread *qn_thread_new(void)
{
    uint64_t chunk;

    for (unsigned i = 0; i < nall; i++)
        if (!all[i]->used) {
            all[i]->used = 1;
            return all[i];
        }
    if (nall == THREADS_MAX)
        return NULL;
    /* The struct, the signal stack and the engine stack lie in one aligned chunk: the signal handler finds its
     * thread from its stack pointer. */
    chunk = (uint64_t)(uintptr_t)qn_engine_alloc(2 * THREAD_CHUNK);
    all[nall] = (struct qn_thread *)(uintptr_t)qn_round_up(chunk, THREAD_CHUNK);
    all[nall]->sigstack = (uint64_t)(uintptr_t)all[nall] + qn_round_up(sizeof **all, QN_PAGE);
    all[nall]->guard = all[nall]->sigstack + SIGNAL_STACK;
    all[nall]->stack = all[nall]->guard + QN_THREAD_GUARD;
    qn_guard(all[nall]->guard, QN_THREAD_GUARD);
    all[nall]->stack_size = ENGINE_STACK;
    all[nall]->used = 1;
    return all[nall++];
}

void qn_thread_init(void)
{
    qn_self = qn_thread_new();
    qn_self->tid = (int32_t)qn_sys1(__NR_gettid, 0);
    qn_self->altstack.flags = 2; /* SS_DISABLE */
    count = 1;
    owner = qn_self->tid;
    tickets = 1;
}

/* ---- the lock ---- */

static void kick_owner(void)
{
    struct qn_siginfo info = {.signo = SIG_TRAP, .code = SI_QUEUE_};

    info.queue.value = QN_KICK_VALUE;
    asked = 1;
    if (!qn_ctx.in_cache)
        return; /* it will see the wish in the dispatcher */
    qn_sys4(__NR_rt_tgsigqueueinfo, qn_sys1(__NR_getpid, 0), owner, SIG_TRAP, (long)&info);
}

void qn_lock_acquire(struct qn_thread *t)
{
    uint32_t mine, now;
    uint64_t clock;

    if (count > 1 || qn_self != t) {
        mine = __atomic_fetch_add(&tickets, 1, __ATOMIC_ACQ_REL);
        while ((now = __atomic_load_n(&serving, __ATOMIC_ACQUIRE)) != mine) {
            struct { int64_t sec, nsec; } until;

            qn_sys2(__NR_clock_gettime, 1, (long)&until);
            until.nsec += PATIENCE_NS;
            until.sec += until.nsec / 1000000000;
            until.nsec %= 1000000000;
            if (qn_sys6(__NR_futex, (long)&serving, FUTEX_WAIT_BITSET_, (long)now, (long)&until, 0, 1l << mine % 32) == -110)
                kick_owner();
        }
        clock = qn_ctx.now; /* one clock for all threads */
        qn_ctx = t->ctx;
        qn_ctx.now = clock;
        qn_self = t;
        owner = t->tid;
        asked = 0;
    }
}

static void release_ticket(void)
{
    uint32_t next = __atomic_add_fetch(&serving, 1, __ATOMIC_ACQ_REL);

    if (__atomic_load_n(&tickets, __ATOMIC_ACQUIRE) != next)
        qn_sys6(__NR_futex, (long)&serving, FUTEX_WAKE_BITSET_, 0x7fffffff, 0, 0, 1l << next % 32);
}

void qn_lock_release(void)
{
    if (count <= 1)
        return;
    qn_self->ctx = qn_ctx;
    qn_self = NULL;
    release_ticket();
}

void qn_lock_yield_if_asked(void)
{
    struct qn_thread *t = qn_self;

    if (QN_LIKELY(!asked) || count <= 1)
        return;
    qn_lock_release();
    qn_lock_acquire(t);
}

/* ---- birth and death ---- */

/* First code of a new kernel thread, on its engine stack, all signals blocked. */
void qn_thread_main(struct qn_thread *t)
{
    t->tid = (int32_t)qn_sys1(__NR_gettid, 0);
    if (t->ctx.fs_base)
        qn_sys2(__NR_arch_prctl, ARCH_SET_FS_, (long)t->ctx.fs_base);
    qn_lock_acquire(t);
    qn_signal_thread_start(t);
    qn_dispatch();
}

static bool read_request(const long *a, bool clone3, struct qn_clone_request *r)
{
    const uint64_t *c = (const uint64_t *)a[0]; /* flags pidfd child_tid parent_tid exit_signal stack stack_size tls */

    if (!clone3) {
        *r = (struct qn_clone_request){(uint64_t)a[0], (uint64_t)a[1], (uint64_t)a[2], (uint64_t)a[3], (uint64_t)a[4],
                                       (uint64_t)a[2]};
        return true;
    }
    if ((uint64_t)a[1] < CLONE_ARGS_MIN)
        return false;
    *r = (struct qn_clone_request){c[0] | c[4], c[5] ? c[5] + c[6] : 0, c[3], c[2], c[7], c[1]};
    return true;
}

static void inherit(struct qn_thread *t, const struct qn_clone_request *r)
{
    struct qn_thread *me = qn_self;

    t->ctx = qn_ctx;
    t->ctx.gpr[0] = 0;
    if (r->stack)
        t->ctx.gpr[4] = r->stack;
    if (r->flags & CLONE_SETTLS_)
        t->ctx.fs_base = r->tls;
    t->mask = me->mask;
    t->altstack = (r->flags & CLONE_VFORK_) ? me->altstack : (struct qn_stack){.flags = 2};
    t->actions = me->actions;
    qn_region_inherit(&t->regions, &me->regions);
    t->pending = t->restore_mask = t->stepping = t->vfork_child = 0;
    t->step_return = 0;
}

/* Start t as a kernel thread (or vfork child) whose guest state is the caller's.  Signals are blocked until it is
 * ready for them. */
long qn_thread_start(struct qn_thread *t, const struct qn_clone_request *r)
{
    qn_sigset all_signals = ~0ull, old;
    uint64_t flags = r->flags & ~(uint64_t)CLONE_SETTLS_;
    struct qn_sigaction *actions = t->actions;
    struct qn_thread *me = qn_self;
    uint32_t vfork_child = t->vfork_child;
    long tid;

    inherit(t, r);
    if (vfork_child) {
        t->vfork_child = 1;
        t->actions = actions;
    }
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&all_signals, (long)&old, 8);
    count++;
    qn_arena->stats.threads++;
    if (vfork_child)
        qn_lock_release();
    tid = qn_clone_thread(flags, t->stack + t->stack_size - 64, r->ptid, r->ctid, 0, t);
    if (vfork_child) {
        qn_lock_steal(t, me);
        count--;
        t->used = 0;
    } else if (qn_sys_failed(tid)) {
        count--;
        t->used = 0;
    }
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&old, 0, 8);
    return tid;
}

/* The parent of a vfork child comes back: the child has released the lock, or died with it. */
void qn_lock_steal(struct qn_thread *dead, struct qn_thread *t)
{
    if (qn_self == dead) {
        qn_self = NULL;
        release_ticket();
    }
    qn_lock_acquire(t);
}

long qn_sys_clone(const long *args, bool clone3)
{
    struct qn_clone_request r;
    struct qn_thread *t;

    if (!read_request(args, clone3, &r))
        return -E_INVAL;
    if (!(r.flags & CLONE_THREAD_))
        return qn_sys_fork(&r);
    t = qn_thread_new();
    return t ? qn_thread_start(t, &r) : -E_AGAIN;
}

/* The end of the calling thread.  Another thread may run on while this one leaves: its engine stack is in use until the kernel has it. */
_Noreturn void qn_thread_exit(int code)
{
    struct qn_thread *t = qn_self;

    if (count > 1) {
        qn_sigset all_signals = ~0ull;

        qn_sys4(__NR_rt_sigprocmask, 2, (long)&all_signals, 0, 8);
        count--;
        qn_self = NULL;
        t->used = 2; /* never reused: cheap, and nobody can be on it */
        release_ticket();
    }
    for (;;)
        qn_sys1(__NR_exit, code);
}

void qn_thread_only_self(void)
{
    for (unsigned i = 0; i < nall; i++)
        if (all[i] != qn_self)
            all[i]->used = 0;
    count = 1;
    serving = 0;
    tickets = 1;
    asked = 0;
    qn_self->tid = (int32_t)qn_sys1(__NR_gettid, 0);
    owner = qn_self->tid;
}
