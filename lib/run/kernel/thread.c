/* lib/run/kernel/thread.c - the lock, of which the running guest thread is the owner; starts and ends guest threads.
 *
 * The context of the running thread is qn_ctx; the contexts of the others are in struct qn_thread.  The engine treats the
 * threads of a process that shares this memory, while its parent runs or waits (vfork), as threads of this process with another pid.
 */
#include "run/kernel/kernel.h"
#include "sim/contract.h"

#define THREAD_CHUNK (128ull << 10)
#define ENGINE_STACK (64u << 10)
#define SIGNAL_STACK (32u << 10)
#define THREADS_MAX 32768

static struct qn_thread *all[THREADS_MAX];
static unsigned nall;
static volatile uint32_t count;
static unsigned strangers; /* processes that ever shared our memory with their parent */

unsigned qn_thread_count(void) { return count; }
bool qn_thread_strangers(void) { return strangers; }

/* ---- the lock: one guest thread runs at a time ----
 *
 * It is a ticket lock, so it is fair.  A thread releases it during each system call.  After some time, a waiting thread asks the owner to
 * release it at the next block boundary, so a thread that spins cannot starve the thread for which it waits.
 *
 *   serving   2 * ticket       the thread that drew this ticket may take the lock
 *             2 * ticket + 1   it has taken it
 *
 * Threads of one process end together, or release the lock first.  But a process that shares this memory (process.c) may be killed at any
 * moment, or stopped by a debugger that shares it, too.  Then a waiting thread skips its ticket.  A process that was only stopped finds
 * that its ticket was skipped, and draws another.
 */

#define PATIENCE_NS 300000l /* a waiter asks for the lock after this long */
#define HOLDERS 65536u      /* tickets that may be drawn at a time; more than there can be threads */
#define LOOK_EVERY 8u       /* after so many time-outs, the state of the owner is checked */

#define LOOKS 50u           /* with --cores, of the thread that is next */
#define PAUSES 100u         /* between two of them */
#define TURNS_MOST 8u       /* one after the other, */
#define QUIET_TURNS 32u     /* ... after so many in which nothing was shared */

enum { SIG_TRAP = 5, SI_QUEUE_ = -1 };

struct qn_thread *qn_self;

static volatile uint32_t tickets, serving;
static volatile uint32_t asked;            /* the owner has been asked to yield */
static struct qn_thread *volatile holders[HOLDERS]; /* by ticket */

static struct qn_thread *holder_of(uint32_t word) { return holders[word / 2 % HOLDERS]; }

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

    if (who && who != (uint32_t)t->tid && is_dead(qn_proc_state(who)))
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
    qn_sys3(__NR_futex, (long)&owner->kicker, FUTEX_WAKE_PRIVATE, 1);
}

static void wait_for_kicker(struct qn_thread *t)
{
    const struct { int64_t sec, nsec; } patience = {0, PATIENCE_NS};
    uint32_t tid = t->kicker;

    if (tid && qn_sys4(__NR_futex, (long)&t->kicker, FUTEX_WAIT_PRIVATE, tid, (long)&patience) == -ETIMEDOUT)
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
        if (qn_sys4(__NR_futex, (long)&qn_arena->caller, FUTEX_WAIT, who, (long)&patience) == -ETIMEDOUT && is_dead(qn_proc_state(who)))
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
    char state = t && t->tid ? qn_proc_state((uint32_t)t->tid) : 'R';

    if (is_dead(state) || ((state == 't' || state == 'T') && !(word & 1)))
        if (__atomic_compare_exchange_n(&serving, &(uint32_t){word}, (word | 1) + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            qn_sys6(__NR_futex, (long)&serving, FUTEX_WAKE_BITSET_PRIVATE, 0x7fffffff, 0, 0, -1);
}

static long turn_bit(uint32_t ticket) { return 1l << ticket % 32; }

/* ---- turns (--cores) ----
 *
 * The order in which threads run must follow from the program alone, so that counts repeat.  Then a turn ends after so many instructions
 * (observe/interval.c), not when somebody has waited for some time; a call that cannot wait keeps the lock (turns.c); and a ticket is drawn
 * by the thread that runs: for itself, for a thread that it starts, for one that it wakes (futex.c).  Only a thread that has waited for
 * something outside, as input or the clock, draws its own when it comes back.  To change threads costs more than a turn takes, so a thread that
 * shares nothing has several turns at a time, unless the caches are not simulated (a recorder) or --quantum=each:N is given.
 */

static bool has_turns(void) { return qn_cfg()->quantum; }

/* While threads share nothing, nothing depends on when the others run: then a thread has several turns one after the other. */
static unsigned turns_alone; /* that the thread has had so */
static uint32_t turns_quiet; /* since a core has asked for a line that several have used */

static void draw(struct qn_thread *t)
{
    t->ticket = __atomic_fetch_add(&tickets, 1, __ATOMIC_ACQ_REL);
    holders[t->ticket % HOLDERS] = t;
}

void qn_turn_draw(struct qn_thread *t)
{
    draw(t);
    __atomic_store_n(&t->drawn, 1, __ATOMIC_RELEASE);
    qn_sys3(__NR_futex, (long)&t->drawn, FUTEX_WAKE_PRIVATE, 1);
}

void qn_turn_wait(struct qn_thread *t)
{
    while (!__atomic_load_n(&t->drawn, __ATOMIC_ACQUIRE))
        qn_sys4(__NR_futex, (long)&t->drawn, FUTEX_WAIT_PRIVATE, 0, 0);
}

static uint64_t cores_owned; /* config.core_for_each: a bit for each */

/* The first core that no thread has; without one it shares that of its number. */
static void take_core(struct qn_thread *t)
{
    uint64_t left;

    if (!qn_cfg()->core_for_each)
        return;
    left = ~cores_owned & ((1ull << qn_cfg()->cores) - 1);
    t->owns_core = left;
    t->core = left ? (uint32_t)__builtin_ctzll(left) : t->number % qn_cfg()->cores;
    cores_owned |= 1ull << t->core;
}

/* The core of this thread: of those that it may run on, the one with its number, modulo how many they are. */
uint32_t qn_core_of(const struct qn_thread *t)
{
    uint64_t mask = t->processors & qn_processors_all();
    uint32_t n = 0;

    if (qn_cfg()->pins)
        return qn_cfg()->pin[t->number % qn_cfg()->pins];
    if (qn_cfg()->core_for_each && mask == qn_processors_all())
        return t->core;
    for (uint64_t left = mask; left; left &= left - 1)
        n++;
    for (n = t->number % (n ? n : 1); n; n--)
        mask &= mask - 1;
    return mask ? (uint32_t)__builtin_ctzll(mask) % qn_cfg()->cores : 0;
}

/* Waits until `serving` is no longer `word`.  Returns true after a time-out.  Only the next thread in turn has a time-out, so that a
 * thousand waiting threads do not use the processors; if that thread may have been killed, all have one. */
static bool wait_for_turn(uint32_t word, uint32_t mine)
{
    struct { int64_t sec, nsec; } until;

    if ((mine - word / 2 > 1 || has_turns()) && !strangers) {
        qn_sys6(__NR_futex, (long)&serving, FUTEX_WAIT_BITSET_PRIVATE, (long)word, 0, 0, turn_bit(mine));
        return false;
    }
    qn_sys2(__NR_clock_gettime, 1, (long)&until);
    until.nsec += PATIENCE_NS;
    until.sec += until.nsec / 1000000000;
    until.nsec %= 1000000000;
    return qn_sys6(__NR_futex, (long)&serving, FUTEX_WAIT_BITSET_PRIVATE, (long)word, (long)&until, 0, turn_bit(mine)) == -ETIMEDOUT;
}

/* The thread that is next looks for its turn for as long as some turns take before it sleeps: to be woken takes longer than a turn.  It
 * leaves the processor to whoever else wants it, since the thread that runs may be among those. */
static uint32_t look_for_turn(uint32_t word, uint32_t mine)
{
    for (unsigned i = 0; i < LOOKS && mine - word / 2 == 1; i++) {
        for (unsigned pauses = 0; pauses < PAUSES && __atomic_load_n(&serving, __ATOMIC_RELAXED) == word; pauses++)
            __builtin_ia32_pause();
        if (__atomic_load_n(&serving, __ATOMIC_RELAXED) == word)
            qn_sys1(__NR_sched_yield, 0);
        word = __atomic_load_n(&serving, __ATOMIC_ACQUIRE);
    }
    return word;
}

/* false: the ticket was skipped. */
static bool take_turn(const struct qn_thread *me, uint32_t mine)
{
    uint32_t word, times = 0;

    while ((word = __atomic_load_n(&serving, __ATOMIC_ACQUIRE)) != 2 * mine) {
        if ((int32_t)(word - 2 * mine) > 0)
            return false;
        if (has_turns() && look_for_turn(word, mine) != word)
            continue;
        if (!wait_for_turn(word, mine))
            continue;
        if (!has_turns())
            kick_owner(word, me);
        if (strangers && (!(word & 1) || ++times % LOOK_EVERY == 0))
            pass_over(word);
    }
    return __atomic_compare_exchange_n(&serving, &(uint32_t){2 * mine}, 2 * mine + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static bool notice_sharing(void)
{
    bool shared = qn_sim_turn_shared();

    turns_quiet = shared ? 0 : turns_quiet;
    return shared;
}

static void begin_turn(void)
{
    qn_countdown = (int64_t)qn_cfg()->quantum;
    notice_sharing();
    turns_alone = 0;
}

/* ---- acquire and release ---- */

void qn_lock_acquire(struct qn_thread *t)
{
    uint64_t clock;

    if (qn_thread_count() <= 1 && qn_self == t) {
        can_be_called(t);
        return;
    }
    if (!t->drawn)
        draw(t);
    t->drawn = 0;
    while (!take_turn(t, t->ticket))
        draw(t);
    clock = qn_ctx.now; /* one clock for all threads */
    qn_ctx = t->ctx;
    qn_ctx.now = clock;
    qn_ctx.in_cache = 0; /* the owner before may have been killed in the code cache */
    qn_self = t;
    qn_sim_turn(t->number, has_turns() ? qn_core_of(t) : 0);
    if (has_turns())
        begin_turn();
    asked = 0;
    QN_TELL(thread, t);
    can_be_called(t);
}

static void pass_on(void)
{
    uint32_t next = (serving | 1) + 1;

    __atomic_exchange_n(&serving, next, __ATOMIC_SEQ_CST); /* before `kicker` is read, so that one of the two sees the other */
    if (2 * __atomic_load_n(&tickets, __ATOMIC_ACQUIRE) != next)
        qn_sys6(__NR_futex, (long)&serving, FUTEX_WAKE_BITSET_PRIVATE, 0x7fffffff, 0, 0, turn_bit(next / 2) | (has_turns() ? 0 : turn_bit(next / 2 + 1)));
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

bool qn_turn_goes_on(void)
{
    if (qn_cfg()->quantum_each || qn_sim_records || qn_countdown <= 0 || notice_sharing() || ++turns_quiet <= QUIET_TURNS || ++turns_alone == TURNS_MOST)
        return false;
    qn_countdown = (int64_t)qn_cfg()->quantum;
    return true;
}

void qn_turn_end(void)
{
    struct qn_thread *t = qn_self;

    begin_turn();
    if (qn_thread_count() <= 1 || 2 * __atomic_load_n(&tickets, __ATOMIC_ACQUIRE) == (serving | 1) + 1) {
        turns_quiet = 0;
        return; /* nobody waits */
    }
    bar_calls();
    draw(t);
    t->drawn = 1;
    give_back(t);
    qn_lock_acquire(t);
}

void qn_turn_call_begin(void) { bar_calls(); }
void qn_turn_call_end(struct qn_thread *t) { can_be_called(t); }

/* The parent of a vfork child continues: the child has released the lock, or was killed while it held it. */
static void steal_lock(const struct qn_thread *dead, struct qn_thread *t)
{
    if (qn_self == dead) {
        qn_self = NULL;
        pass_on();
    }
    qn_lock_acquire(t);
}

static void reset_lock(void)
{
    tickets = 1;
    serving = 1;
    holders[0] = qn_self;
    asked = 0;
    can_be_called(qn_self);
}

/* ---- threads ---- */

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
    take_core(qn_self);
    count = 1;
    reset_lock();
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
struct qn_thread *qn_thread_of(int32_t tid)
{
    for (unsigned i = 0; i < nall; i++)
        if (all[i]->used == QN_THREAD_LIVES && all[i]->tid == tid)
            return all[i];
    return NULL;
}

/* ---- the start of a thread ---- */

/* First code of a new kernel thread, on its engine stack, all signals blocked. */
void qn_thread_main(struct qn_thread *t)
{
    take_ids(t);
    qn_sys2(__NR_arch_prctl, ARCH_SET_FS, (long)t->ctx.fs_base);
    if (t->awaited)
        qn_turn_wait(t);
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
    if (r->a.flags & CLONE_SETTLS)
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
    t->altstack = (r->a.flags & CLONE_VFORK) ? me->altstack : (struct qn_stack){.flags = 2};
    t->clear_handlers = (r->a.flags & CLONE_CLEAR_SIGHAND) != 0;
    qn_region_inherit(&t->regions, &me->regions);
    t->pending = t->waited = t->stepping = t->flags_wait.blocks = t->on_guest_stack = 0;
    t->trap_flag = me->trap_flag;
    t->trap_shadow = false;
    t->held = 0;
    t->step_return = 0;
    t->calls_stack = 0;
    t->drawn = 0;
    t->clear_tid = r->a.flags & CLONE_CHILD_CLEARTID ? r->a.child_tid : 0;
    t->awaited = has_turns() && (r->a.flags & CLONE_THREAD);
    t->core = me->core;
    t->owns_core = false;
    if (r->a.flags & CLONE_THREAD) {
        take_core(t);
        qn_region_of_thread(&t->regions, t->number);
        t->pid = me->pid;
        t->actions = me->actions;
        t->shares = me->shares;
    } else {
        t->pid = 0;
        t->shares = r->a.flags & CLONE_VFORK ? QN_SHARES_VFORK : QN_SHARES_BESIDE;
        strangers++;
    }
}

/* Starts t as a kernel thread with the caller's guest state.  Signals are blocked until it is ready for them.  A caller that is suspended
 * meanwhile (vfork) releases the lock. */
long qn_thread_start(struct qn_thread *t, const struct qn_clone_request *r)
{
    qn_sigset old;
    bool suspends = r->a.flags & CLONE_VFORK, own_process = !(r->a.flags & CLONE_THREAD);
    struct qn_thread *me = qn_self;
    long tid;

    inherit(t, r);
    old = qn_signal_block_all();
    __atomic_add_fetch(&count, 1, __ATOMIC_ACQ_REL);
    qn_arena->stats.threads += !own_process;
    if (suspends)
        qn_lock_release();
    tid = qn_clone_call(r, r->a.flags & ~(CLONE_SETTLS | CLONE_CLEAR_SIGHAND), t);
    if (t->awaited && !qn_sys_failed(tid))
        qn_turn_draw(t);
    if (suspends)
        steal_lock(t, me);
    if (qn_sys_failed(tid) || (suspends && own_process)) {
        __atomic_sub_fetch(&count, 1, __ATOMIC_ACQ_REL);
        t->used = QN_THREAD_FREE;
    }
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&old, 0, 8);
    return tid;
}

/* ---- its end ---- */

/* The lock has been released.  As soon as the struct is free, another thread may use it, and with it this stack. */
_Noreturn void qn_thread_gone(struct qn_thread *t, bool free, long nr, int code)
{
    static volatile uint32_t nobody;

    __atomic_sub_fetch(&count, 1, __ATOMIC_ACQ_REL);
    qn_thread_end(free ? &t->used : &nobody, nr, code);
}

_Noreturn void qn_thread_exit(int code)
{
    struct qn_thread *t = qn_self;

    qn_signal_block_all();
    t->used = QN_THREAD_SIDE_EXITS;
    QN_TELL(thread_end);
    cores_owned &= t->owns_core ? ~(1ull << t->core) : ~0ull;
    if (has_turns())
        qn_futex_thread_ends(t);
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
    cores_owned = 1ull << qn_self->core;
    qn_futex_forget();
    qn_self->shares = QN_SHARES_NOTHING;
    qn_self->leash = false;
    qn_self->held = 0; /* held signals are those of the parent */
    take_ids(qn_self);
    reset_lock();
    qn_self->user_dispatch.on = false;
}
