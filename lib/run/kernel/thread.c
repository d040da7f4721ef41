/* lib/run/kernel/thread.c - starts and ends guest threads.
 *
 * The context of the running thread is qn_ctx; the contexts of the others are in struct qn_thread (lock.c).  The engine treats the
 * threads of a process that shares this memory, while its parent runs or waits (vfork), as threads of this process with another pid.
 */
#include "run/observe/calls/calls.h"
#include "run/kernel/processors.h"
#include "run/kernel/thread.h"

#define THREAD_CHUNK (128ull << 10)
#define ENGINE_STACK (64u << 10)
#define SIGNAL_STACK (32u << 10)
#define THREADS_MAX 32768

enum { ARCH_SET_FS_ = 0x1002 };

static struct qn_thread *all[THREADS_MAX];
static unsigned nall;
static volatile uint32_t count;
static unsigned strangers;

unsigned qn_thread_count(void) { return count; }

unsigned qn_thread_strangers(void) { return strangers; }

static struct qn_thread *reuse(void)
{
    for (unsigned i = 0; i < nall; i++)
        if (all[i]->used == QN_THREAD_FREE) {
            all[i]->used = QN_THREAD_LIVES;
            qn_lock_allow_kicks(all[i]);
            all[i]->tid = 0;
            all[i]->user_dispatch.on = false;
            return all[i];
        }
    return NULL;
}

/* The struct, the signal stack and the engine stack lie in one aligned chunk: the signal handler finds its thread from its
 * stack pointer. */
static struct qn_thread *make(void)
{
    struct qn_thread *t;
    uint64_t chunk;

    if (nall == THREADS_MAX)
        return NULL;
    chunk = (uint64_t)(uintptr_t)qn_engine_alloc(2 * THREAD_CHUNK);
    t = (struct qn_thread *)(uintptr_t)qn_round_up(chunk, THREAD_CHUNK);
    t->sigstack = (uint64_t)(uintptr_t)t + qn_round_up(sizeof *t, QN_PAGE);
    t->guard = t->sigstack + SIGNAL_STACK;
    t->stack = t->guard + QN_THREAD_GUARD;
    qn_guard(t->guard, QN_THREAD_GUARD);
    t->stack_size = ENGINE_STACK;
    t->used = QN_THREAD_LIVES;
    return all[nall++] = t;
}

struct qn_thread *qn_thread_new(void)
{
    static uint32_t born;
    struct qn_thread *t = reuse();

    if (!t)
        t = make();
    if (t)
        t->number = born++;
    return t;
}

static void take_ids(struct qn_thread *t)
{
    t->pid = (int32_t)qn_sys1(__NR_getpid, 0);
    t->tid = (int32_t)qn_sys1(__NR_gettid, 0);
}

void qn_thread_init(void)
{
    qn_self = qn_thread_new();
    take_ids(qn_self);
    qn_self->fixed_places = qn_cfg()->fixed_places;
    qn_self->processors = qn_cfg()->affinity ? qn_cfg()->affinity : qn_processors_all();
    qn_self->leash = qn_cfg()->leash;
    count = 1;
    qn_lock_reset();
}

bool qn_thread_is_last(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < nall; i++)
        n += all[i]->used == QN_THREAD_LIVES && all[i]->pid == qn_self->pid;
    return n <= 1;
}

void qn_thread_each_of_process(void (*act)(struct qn_thread *, const void *), const void *argument)
{
    for (unsigned i = 0; i < nall; i++)
        if (all[i]->used == QN_THREAD_LIVES && all[i]->pid == qn_self->pid)
            act(all[i], argument);
}

/* Does another thread than `but` use these signal dispositions? */
bool qn_thread_uses(const struct qn_sigaction *actions, const struct qn_thread *but)
{
    for (unsigned i = 0; i < nall; i++)
        if (all[i]->used == QN_THREAD_LIVES && all[i] != but && all[i]->actions == actions)
            return true;
    return false;
}

/* The thread with this tid that shares our memory; NULL: there is none. */
const struct qn_thread *qn_thread_of(int32_t tid)
{
    for (unsigned i = 0; i < nall; i++)
        if (all[i]->used == QN_THREAD_LIVES && all[i]->tid == tid)
            return all[i];
    return NULL;
}

/* ---- start ---- */

/* First code of a new kernel thread, on its engine stack, all signals blocked. */
void qn_thread_main(struct qn_thread *t)
{
    take_ids(t);
    qn_sys2(__NR_arch_prctl, ARCH_SET_FS_, (long)t->ctx.fs_base);
    qn_lock_acquire(t);
    if (t->clear_handlers)
        qn_signal_clear_handlers();
    qn_signal_thread_start(t);
    qn_dispatch();
}

static void inherit(struct qn_thread *t, const struct qn_clone_request *r)
{
    struct qn_thread *me = qn_self;

    t->ctx = qn_ctx;
    t->ctx.gpr[0] = 0;
    if (r->a.stack)
        t->ctx.gpr[4] = r->a.stack + r->a.stack_size;
    if (r->a.flags & CLONE_SETTLS_)
        t->ctx.fs_base = r->a.tls;
    t->mask = me->mask;
    t->seccomp = me->seccomp;
    t->filters = me->filters;
    t->fixed_places = me->fixed_places;
    t->processors = me->processors;
    __builtin_memcpy(t->space, me->shares ? me->space : qn_cfg()->space, sizeof t->space);
    t->has_clock = me->has_clock;
    t->leash = false; /* the kernel forgets it, too */
    /* The kernel's rule: a process that shares memory but does not suspend its parent has none. */
    t->altstack = (r->a.flags & CLONE_VFORK_) ? me->altstack : (struct qn_stack){.flags = 2};
    t->clear_handlers = (r->a.flags & CLONE_CLEAR_SIGHAND_) != 0;
    qn_region_inherit(&t->regions, &me->regions);
    t->pending = t->waited = t->stepping = t->flags_wait.blocks = t->on_guest_stack = 0;
    t->trap_flag = me->trap_flag;
    t->trap_shadow = false;
    t->held = 0;
    t->step_return = 0;
    t->calls_stack = 0;
    if (r->a.flags & CLONE_THREAD_) {
        t->pid = me->pid;
        t->actions = me->actions;
        t->shares = me->shares;
    } else {
        t->pid = 0;
        t->shares = r->a.flags & CLONE_VFORK_ ? QN_SHARES_VFORK : QN_SHARES_BESIDE;
        strangers++;
    }
}

/* Starts t as a kernel thread with the caller's guest state.  Signals are blocked until it is ready for them.  A caller that is suspended
 * meanwhile (vfork) releases the lock. */
long qn_thread_start(struct qn_thread *t, const struct qn_clone_request *r)
{
    qn_sigset old;
    bool suspends = r->a.flags & CLONE_VFORK_, own_process = !(r->a.flags & CLONE_THREAD_);
    struct qn_thread *me = qn_self;
    long tid;

    inherit(t, r);
    old = qn_signal_block_all();
    __atomic_add_fetch(&count, 1, __ATOMIC_ACQ_REL);
    qn_arena->stats.threads += !own_process;
    if (suspends)
        qn_lock_release();
    tid = qn_clone_call(r, r->a.flags & ~(CLONE_SETTLS_ | CLONE_CLEAR_SIGHAND_), t);
    if (suspends)
        qn_lock_steal(t, me);
    if (qn_sys_failed(tid) || (suspends && own_process)) {
        __atomic_sub_fetch(&count, 1, __ATOMIC_ACQ_REL);
        t->used = QN_THREAD_FREE;
    }
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&old, 0, 8);
    return tid;
}

/* ---- end ---- */

/* The lock has been released.  As soon as the struct is free, another thread may use it, and with it this stack. */
_Noreturn void qn_thread_gone(struct qn_thread *t, bool free, long nr, int code)
{
    static volatile uint32_t nobody;

    __atomic_sub_fetch(&count, 1, __ATOMIC_ACQ_REL);
    qn_gone(free ? &t->used : &nobody, nr, code);
}

_Noreturn void qn_thread_exit(int code)
{
    struct qn_thread *t = qn_self;

    qn_signal_block_all();
    t->used = QN_THREAD_LEAVES;
    qn_calls_thread_end();
    qn_lock_release(); /* while it still counts */
    qn_thread_gone(t, true, __NR_exit, code);
}

void qn_thread_only_self(void)
{
    for (unsigned i = 0; i < nall; i++) {
        if (all[i] != qn_self)
            all[i]->used = QN_THREAD_FREE;
        all[i]->kicker = 0;
    }
    count = 1;
    strangers = 0;
    qn_self->shares = QN_SHARES_NOTHING;
    qn_self->leash = false;
    qn_self->held = 0; /* held signals are those of the parent */
    take_ids(qn_self);
    qn_lock_reset();
    qn_self->user_dispatch.on = false;
}
