/* lib/run/kernel/signal.c - signals between the kernel and the guest.
 *
 * The kernel calls the engine's handler for every signal for which the guest has a handler.  The handler only records the signal.  After a
 * fault inside the code cache it recovers the guest's state and goes to the dispatcher.  Any other signal is pending, with all signals
 * blocked, until the guest is at a block boundary.  To get there from inside a block, the engine single-steps to the block's end by the
 * processor's trap flag; it passes a slow call on the way by a breakpoint at the return address.  Then the dispatcher delivers the pending
 * signal (deliver.c) and pushes the frame (frame.c).
 */
#include "run/kernel/signal.h"

#include <linux/audit.h>

#include "base/format.h"
#include "block/block.h"
#include "run/core/core.h"
#include "run/kernel/kernel.h"
#include "tcache/tcache.h"

#define THREAD_CHUNK (128ull << 10) /* threads and their stacks are aligned to this (thread.c) */
#define INT3 0xcc
#define PUSHF 0x9c
#define INT1 0xf1
#define OVERFLOW_TRAP 4 /* vector of int $4 */
#define BREAKPOINT_TRAP 3

extern char qn_enter_end[];

static struct qn_sigaction process_actions[QN_NSIG + 1];

/* ---- masks ---- */

/* The mask that the kernel gets for this mask of the guest. */
static qn_sigset host_mask(qn_sigset guest) { return guest & ~sig_bit(SIG_TRAP); }

/* While a signal is pending, no other may come. */
void qn_signal_set_host_mask(qn_sigset guest)
{
    qn_sigset host = qn_self->pending & 1 ? ~SYNC_SIGNALS : host_mask(guest);

    qn_sys4(__NR_rt_sigprocmask, 2, (long)&host, 0, 8);
}

qn_sigset qn_signal_block_all(void)
{
    qn_sigset all = ~0ull, old;

    qn_sys4(__NR_rt_sigprocmask, 2, (long)&all, (long)&old, 8);
    return old;
}

/* ---- stepping to a block boundary ---- */

static bool in_code_cache(uint64_t ip) { return ip >= QN_CODE_BASE && ip < QN_CODE_BASE + QN_CODE_MAX; }

static bool in_enter(uint64_t ip) { return ip >= (uint64_t)(uintptr_t)qn_enter && ip < (uint64_t)(uintptr_t)qn_enter_end; }

static bool in_leave(uint64_t ip)
{
    return ip >= (uint64_t)(uintptr_t)qn_leave && ip < (uint64_t)(uintptr_t)qn_guest_syscall;
}

static void stop_stepping(struct qn_thread *t, struct qn_ucontext *uc)
{
    t->stepping = 0;
    uc->mc.flags &= ~(uint64_t)FLAG_TF;
    if (t->step_return) {
        *qn_code_at(t->step_return) = t->step_byte;
        t->step_return = 0;
    }
}

/* Continues without single steps to this address in the code cache. */
static void break_at(struct qn_thread *t, struct qn_ucontext *uc, uint64_t at)
{
    uc->mc.flags &= ~(uint64_t)FLAG_TF;
    if (!in_code_cache(at) || t->step_return)
        return;
    t->step_return = at;
    t->step_byte = *qn_code_at(at);
    *qn_code_at(at) = INT3;
}

/* A slow call is running: stops at its return address. */
static void break_at_return(struct qn_thread *t, struct qn_ucontext *uc)
{
    uint64_t top = (uint64_t)(uintptr_t)qn_slow_stack_top;

    __asm__("" : "+r"(top)); /* to the compiler the symbol is an object with nothing in front of it */
    break_at(t, uc, *(uint64_t *)(uintptr_t)(top - 8));
}

/* Passes a repeated string instruction as a whole, because the trap flag would stop it after each element. */
static bool pass_repetition(struct qn_thread *t, struct qn_ucontext *uc, const struct qn_insn *in)
{
    if (!qn_is_repeated(in))
        return false;
    break_at(t, uc, uc->mc.ip + in->len);
    return true;
}

/* Executes a pushf in software, because it would show the engine's trap flag to the guest. */
static void step_over_pushf(struct qn_ucontext *uc, const struct qn_insn *in)
{
    uint64_t flags = uc->mc.flags & ~(uint64_t)FLAG_TF;

    if (in->map || in->opcode != PUSHF || !qn_write_guest(uc->mc.sp - in->opsize, &flags, in->opsize))
        return;
    uc->mc.sp -= in->opsize;
    uc->mc.ip += in->len;
}

/* A popf is about to be executed: does it set the guest's trap flag?  The engine's hides that. */
static void look_at_popf(struct qn_thread *t, const struct qn_ucontext *uc, const struct qn_insn *in)
{
    uint16_t flags;

    if ((in->attr & QN_ATTR_POPF) && qn_read_guest(uc->mc.sp, &flags, sizeof flags) && (flags & FLAG_TF))
        t->trap_flag = true;
}

/* Lets the processor execute the instruction at ip, and trap behind it. */
static void step_once(struct qn_thread *t, struct qn_ucontext *uc)
{
    struct qn_insn in;

    if (qn_block_decode((const uint8_t *)(uintptr_t)uc->mc.ip, QN_INSN_MAX_LEN, &in) != QN_DEC_OK)
        in = (struct qn_insn){0};
    if (pass_repetition(t, uc, &in))
        return;
    uc->mc.flags |= FLAG_TF;
    look_at_popf(t, uc, &in);
    step_over_pushf(uc, &in);
}

/* Uses the engine's stack pointer, because with a non-canonical one of the guest some hypervisors cannot return. */
static void go_to_dispatcher(struct qn_ucontext *uc)
{
    qn_ctx.exit_kind = QN_EXIT_SIGNAL;
    uc->mc.ip = (uint64_t)(uintptr_t)qn_leave_saved;
    uc->mc.sp = qn_ctx.engine_sp;
    uc->mc.flags &= ~(uint64_t)(FLAG_TF | FLAG_DF);
}

/* After a single step: continues stepping, or ends at the block boundary. */
static void step(struct qn_thread *t, struct qn_ucontext *uc)
{
    uint64_t ip = uc->mc.ip;

    t->stepping = 1;
    if (in_enter(ip)) { /* the guest's code has not begun, and a popf on the way would clear the trap flag */
        stop_stepping(t, uc);
        go_to_dispatcher(uc);
    } else if (in_leave(ip)) {
        stop_stepping(t, uc);
    } else if (!in_code_cache(ip)) {
        break_at_return(t, uc);
    } else if (qn_recover_boundary(uc)) {
        stop_stepping(t, uc);
        go_to_dispatcher(uc);
    } else {
        step_once(t, uc);
    }
}

/* ---- the engine's handler ---- */

static void kernel_action(int sig, uint64_t handler, uint64_t flags)
{
    struct qn_sigaction act = {handler, flags | SA_RESTORER_, (uint64_t)(uintptr_t)qn_sigreturn, ~0ull};

    qn_sys4(__NR_rt_sigaction, sig, (long)&act, 0, 8);
}

static struct qn_thread *thread_of_stack(void)
{
    return (struct qn_thread *)((uint64_t)(uintptr_t)__builtin_frame_address(0) & ~(THREAD_CHUNK - 1));
}

static bool holds_cache(const struct qn_thread *t) { return qn_self == t && qn_ctx.in_cache; }

static void block_all(struct qn_ucontext *uc) { uc->mask = ~SYNC_SIGNALS; }

/* Holds a signal of a kind that faults raise, sent by a process while another signal is pending.  The kernel does not block these kinds
 * then, and never blocks SIGTRAP. */
static bool hold(struct qn_thread *t, const struct qn_siginfo *info)
{
    qn_sigset mask = t->waits ? t->waiting_mask : t->mask;
    int sig = info->signo;

    if (!is_sync(sig) || (!t->pending && !(mask & sig_bit(sig))))
        return false;
    if (!(t->held & sig_bit(sig)))
        t->held_info[sig] = *info;
    t->held |= sig_bit(sig);
    return true;
}

/* The signal waits in the kernel again, since it is blocked. */
static void send_again(const struct qn_thread *t, const struct qn_siginfo *info)
{
    qn_sys4(__NR_rt_tgsigqueueinfo, t->pid, t->tid, info->signo, (long)info);
}

static void queue(struct qn_thread *t, const struct qn_siginfo *info, struct qn_ucontext *uc)
{
    if (hold(t, info))
        return;
    if (t->pending & 1) { /* the other one came just before the mask was set */
        send_again(t, info);
    } else {
        t->info = *info;
        t->pending |= 1;
    }
    block_all(uc);
    if (uc->mc.ip >= (uint64_t)(uintptr_t)qn_syscall_begin && uc->mc.ip <= (uint64_t)(uintptr_t)qn_syscall_commit)
        uc->mc.ip = (uint64_t)(uintptr_t)qn_syscall_abort;
    else if (holds_cache(t))
        step(t, uc);
}

/* The kernel has at most one pending SIGTRAP, so a kick that is pending when the guest executes an int3 replaces the signal of the int3.
 * Control is after a copied int3 at no other time. */
static bool swallowed_trap(const struct qn_thread *t, struct qn_siginfo *info, const struct qn_ucontext *uc)
{
    if (!holds_cache(t) || !in_code_cache(uc->mc.ip) || uc->mc.trapno != BREAKPOINT_TRAP || !qn_recover_is_behind_int3(uc->mc.ip))
        return false;
    *info = (struct qn_siginfo){.signo = SIG_TRAP, .code = SI_KERNEL_};
    return true;
}

static bool handle_trap(struct qn_thread *t, struct qn_siginfo *info, struct qn_ucontext *uc)
{
    /* First of all: the kernel has at most one pending SIGTRAP, so a kick that is pending when the breakpoint is hit replaces the
     * breakpoint's siginfo.  So only the address shows that it was hit. */
    if (t->step_return && uc->mc.ip == t->step_return + 1) {
        uc->mc.ip--;
        *qn_code_at(t->step_return) = t->step_byte;
        t->step_return = 0;
        step(t, uc);
        return true;
    }
    if (info->code < 0 && info->queue.value == QN_KICK_VALUE) {
        t->kicked = 0;
        qn_arena->called = 0;
        qn_note_places(uc);
        if (swallowed_trap(t, info, uc))
            return false;
        if (holds_cache(t))
            step(t, uc);
        return true;
    }
    if (info->code == TRAP_TRACE_ && (t->stepping || holds_cache(t))) {
        t->trap_flag |= !t->stepping; /* the guest's popf has just set it */
        step(t, uc);
        return true;
    }
    return false;
}

static bool sync_fault(const struct qn_siginfo *info)
{
    return is_sync(info->signo) && info->code > 0;
}

static void trace_fault(const struct qn_siginfo *info, uint64_t host)
{
    char line[160];

    qn_format(line, sizeof line, "signal %d code %d address %lx at guest %lx host %lx", info->signo, info->code,
              info->fault.addr, qn_ctx.rip, host);
    qn_trace_line(line);
}

/* Is it int1, with any prefixes? */
static bool is_int1(uint64_t ip)
{
    struct qn_insn in;

    return qn_block_decode((const uint8_t *)(uintptr_t)ip, QN_INSN_MAX_LEN, &in) == QN_DEC_OK && in.cls == QN_CLS_INT3 && in.opcode == INT1;
}

/* Is the host's pc after the instruction?  Yes for int $4, int3 and int1, except that some hypervisors leave it at int1.  (In translated
 * code, a jump follows each of these.) */
static bool is_behind(const struct qn_siginfo *info, const struct qn_ucontext *uc)
{
    if (uc->mc.trapno == OVERFLOW_TRAP)
        return true;
    if (info->signo != SIG_TRAP || info->code == TRAP_TRACE_)
        return false;
    return !is_int1(uc->mc.ip);
}

/* Records the fault for the guest's handler. */
static void note(struct qn_thread *t, const struct qn_siginfo *info, const struct qn_ucontext *uc)
{
    t->fault_info = *info;
    if (info->signo == SIG_ILL || info->signo == SIG_FPE || info->signo == SIG_TRAP)
        t->fault_info.fault.addr = info->fault.addr ? qn_ctx.rip : 0;
    t->fault_err = uc->mc.err;
    t->fault_trap = uc->mc.trapno;
    if (uc->mc.trapno == PAGE_FAULT) /* otherwise the kernel has that of the last page fault, which may be one of the engine's own */
        t->fault_cr2 = uc->mc.cr2;
}

static void fault(struct qn_thread *t, const struct qn_siginfo *info, struct qn_ucontext *uc)
{
    bool after;

    if (t->on_guest_stack) { /* there is no room for the frame: the fault is repeated, and kills the process */
        kernel_action(info->signo, HANDLER_DFL, 0);
        return;
    }
    if ((info->signo == SIG_BUS || info->signo == SIG_SEGV) && !holds_cache(t) && qn_self == t && qn_truncated_take(uc, info->fault.addr))
        return;
    if (!holds_cache(t) || !in_code_cache(uc->mc.ip))
        qn_die_of_fault(info, uc);
    if (t->stepping)
        stop_stepping(t, uc);
    after = is_behind(info, uc);
    if (!qn_recover_fault(uc, after))
        qn_die_of_fault(info, uc);
    note(t, info, uc);
    t->pending_fault = 1;
    t->pending |= 2;
    block_all(uc);
    if (qn_tracing(QN_TRACE_SIGNAL))
        trace_fault(info, uc->mc.ip);
    go_to_dispatcher(uc);
    qn_arena->stats.faults++;
}

/* The guest may have set AC, with which the kernel calls handlers; the engine's own accesses need not be aligned. */
static void clear_alignment_check(void)
{
    __asm__ volatile("sub $128, %%rsp\n pushfq\n andl %0, (%%rsp)\n popfq\n sub $-128, %%rsp" : : "i"(~FLAG_AC) : "cc", "memory");
}

/* qemu-user has no vector in the frame (all bits are set): the one that raises such a signal. */
static uint64_t vector_of(const struct qn_siginfo *info)
{
    bool by_kernel = info->code == SI_KERNEL_;

    switch (info->signo) {
    case SIG_ILL: return UNDEFINED_OPCODE;
    case SIG_TRAP: return by_kernel ? BREAKPOINT_TRAP : DEBUG_TRAP;
    case SIG_FPE: return info->code <= FPE_INTOVF_ ? DIVIDE_ERROR : MATH_FAULT;
    default: return by_kernel ? GENERAL_PROTECTION : PAGE_FAULT;
    }
}

/* A single step traps with TRAP_TRACE.  If the hypervisor stops the machine at that moment, the processor's record of the cause may be lost, and
 * the kernel says TRAP_BRKPT; the vector is that of a single step or of int1 all the same. */
static void restore_cause(struct qn_siginfo *info, struct qn_ucontext *uc)
{
    if (uc->mc.trapno == ~0ull)
        uc->mc.trapno = vector_of(info);
    if (info->signo != SIG_TRAP || info->code <= 0 || uc->mc.trapno != DEBUG_TRAP)
        return;
    if (!in_code_cache(uc->mc.ip) || (!is_int1(uc->mc.ip) && !qn_recover_is_behind_int3(uc->mc.ip)))
        info->code = TRAP_TRACE_;
}

static void host_handler(int sig, struct qn_siginfo *info, struct qn_ucontext *uc)
{
    struct qn_thread *t = thread_of_stack();

    (void)sig;
    clear_alignment_check();
    restore_cause(info, uc);
    if (sync_fault(info) && qn_guarded_takes(info, uc))
        return;
    if (info->signo == SIG_TRAP && handle_trap(t, info, uc))
        return;
    if (sync_fault(info))
        fault(t, info, uc);
    else
        queue(t, info, uc);
}

static void stand_in(int sig, uint64_t flags)
{
    kernel_action(sig, (uint64_t)(uintptr_t)host_handler, flags | SA_SIGINFO_ | SA_ONSTACK_);
}

/* Sets the kernel's action for a signal, according to the guest's action. */
static void install(int sig, const struct qn_sigaction *guest)
{
    uint64_t keep = guest->flags & (SA_NOCLDSTOP_ | SA_NOCLDWAIT_ | SA_RESTART_);

    if (sig == SIG_TRAP && guest->handler <= HANDLER_IGN)
        keep |= SA_RESTART_; /* the engine's kicks must not interrupt a system call */
    if (is_sync(sig) && guest->handler == HANDLER_IGN && sig != SIG_TRAP)
        kernel_action(sig, HANDLER_IGN, 0); /* discards those that are pending */
    if (is_sync(sig) || guest->handler > HANDLER_IGN)
        stand_in(sig, keep);
    else
        kernel_action(sig, guest->handler, keep);
}

/* ---- the process of the analyses (run/observe/beside.c) ---- */

static void observer_handler(int sig, struct qn_siginfo *info, struct qn_ucontext *uc)
{
    (void)sig;
    if (info->signo != SIG_TRAP || info->code > 0)
        qn_die_of_fault(info, uc);
    qn_note_places(uc); /* a kick */
}

void qn_signal_observer(void)
{
    const qn_sigset others = ~SYNC_SIGNALS;

    qn_sys4(__NR_rt_sigprocmask, 2, (long)&others, 0, 8);
    for (int sig = 1; sig <= QN_NSIG; sig++)
        if (is_sync(sig))
            kernel_action(sig, (uint64_t)(uintptr_t)observer_handler, SA_SIGINFO_);
}

/* ---- start and exec ---- */

void qn_signal_thread_start(struct qn_thread *t)
{
    struct qn_stack stack = {t->sigstack, 0, 0, t->guard - t->sigstack};

    qn_sys2(__NR_sigaltstack, (long)&stack, 0);
    qn_signal_set_host_mask(t->mask);
}

void qn_signal_init(void)
{
    struct qn_thread *t = qn_self;

    t->actions = process_actions;
    qn_sys4(__NR_rt_sigprocmask, 0, 0, (long)&t->mask, 8);
    for (int sig = 1; sig <= QN_NSIG; sig++) {
        qn_sys4(__NR_rt_sigaction, sig, 0, (long)&process_actions[sig], 8);
        if (is_sync(sig))
            install(sig, &process_actions[sig]);
    }
    qn_signal_thread_start(t);
}

void qn_signal_exec(bool before)
{
    struct qn_thread *t = qn_self;
    qn_sigset mask;

    if (before)
        qn_lock_bar_kicks(t);
    qn_signal_block_all();
    for (int sig = 1; sig <= QN_NSIG; sig++) {
        if (!is_sync(sig))
            continue;
        if (before && t->actions[sig].handler <= HANDLER_IGN)
            kernel_action(sig, t->actions[sig].handler, 0);
        else if (!before)
            install(sig, &t->actions[sig]);
    }
    mask = t->pending ? ~SYNC_SIGNALS : before ? t->mask : host_mask(t->mask); /* while a signal is pending, no other is taken */
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&mask, 0, 8);
    if (!before)
        qn_lock_allow_kicks(t);
}

/* ---- delivery of a pending signal, when the guest is at a block boundary ----
 *
 * In:  the thread's pending fault or signal (recorded above, or raised by the engine)
 * Out: the guest's handler with its frame pushed (signal_frame.c), or the default action, taken by the kernel
 */

/* Lets the kernel take the default action, so that the parent sees the right status. */
static void default_action(const struct qn_siginfo *info)
{
    int sig = info->signo;
    qn_sigset only = ~sig_bit(sig);

    qn_coverage_save();
    qn_sim_stream_sync(); /* a core dump ends the process of the analyses, too */
    kernel_action(sig, HANDLER_DFL, 0);
    qn_sys4(__NR_rt_tgsigqueueinfo, qn_sys1(__NR_getpid, 0), qn_sys1(__NR_gettid, 0), sig, (long)info);
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&only, 0, 8);
    if (is_sync(sig)) /* it did not kill, for example because a tracer suppressed it: installs the engine's handler again */
        stand_in(sig, 0);
}

/* Repeats the fault.  The first process of a PID namespace dies of a fault, but not of a signal that is sent, even by itself. */
static void fault_again(int sig)
{
    switch (sig) {
    case SIG_ILL: __asm__ volatile("ud2"); break;
    case SIG_TRAP: __asm__ volatile("int3"); break;
    case SIG_FPE: __asm__ volatile("xor %%ecx, %%ecx; div %%ecx" ::: "rax", "rcx", "rdx"); break;
    case SIG_BUS: __asm__ volatile("push %%rbp; mov $0x8000000000000000, %%rbp; mov (%%rbp), %%eax; pop %%rbp" ::: "rax"); break;
    case SIG_SEGV: __asm__ volatile("hlt"); break;
    default: qn_exit_group(128 + sig); /* the status that a shell reports for this signal */
    }
}

void qn_signal_die(const struct qn_siginfo *info)
{
    default_action(info);
    if (qn_sys1(__NR_getpid, 0) != 1)
        return;
    kernel_action(info->signo, HANDLER_DFL, 0);
    fault_again(info->signo);
}

/* As the kernel's force_sigsegv: raises SIGSEGV, whose handler may have a usable stack; or kills, if SIGSEGV's own frame has no room. */
void qn_signal_no_frame(int sig)
{
    struct qn_siginfo info = {.signo = SIG_SEGV, .code = SI_KERNEL_};
    struct qn_thread *t = qn_self;

    if (sig == SIG_SEGV || (t->mask & sig_bit(SIG_SEGV)) || t->actions[SIG_SEGV].handler <= HANDLER_IGN)
        qn_signal_die(&info);
    else
        qn_frame_push(SIG_SEGV, &info, &t->actions[SIG_SEGV]);
}

static void deliver(struct qn_siginfo *info, bool is_fault)
{
    struct qn_thread *t = qn_self;
    struct qn_sigaction act = t->actions[info->signo];
    bool blocked = is_fault && (t->mask & sig_bit(info->signo));

    qn_arena->stats.signals++;
    if (act.handler == HANDLER_IGN && !is_fault)
        return;
    if (act.handler <= HANDLER_IGN || blocked) {
        (is_fault ? qn_signal_die : default_action)(info);
        return;
    }
    qn_frame_push(info->signo, info, &act);
}

/* The mask of a fault's handler, or a call that was on its way, blocks the signal, which waits in the kernel again. */
static bool put_back(const struct qn_siginfo *info)
{
    struct qn_thread *t = qn_self;
    int sig = info->signo;

    if (t->waited || !(t->mask & sig_bit(sig)))
        return false;
    if (sig == SIG_TRAP) {
        t->held |= sig_bit(sig);
        t->held_info[sig] = *info;
    } else {
        send_again(t, info);
    }
    return true;
}

void qn_signal_deliver(void)
{
    struct qn_thread *t = qn_self;
    uint32_t what = t->pending;

    t->pending = 0;
    t->flags_wait.blocks = 0;
    if (what & 2) {
        t->pending_fault = 0;
        deliver(&t->fault_info, true);
    }
    if (what & 1) {
        struct qn_siginfo info = t->info;

        if (!put_back(&info))
            deliver(&info, false);
    }
    t->waited = 0;
    qn_signal_release_held();
    qn_signal_set_host_mask(t->mask);
}

bool qn_signal_release(qn_sigset mask)
{
    struct qn_thread *t = qn_self;
    qn_sigset ready = t->held & ~mask;
    int sig = ready ? 1 + __builtin_ctzll(ready) : 0;

    if (!sig || t->pending)
        return false;
    t->held &= ~sig_bit(sig);
    t->info = t->held_info[sig];
    t->pending = 1;
    return true;
}

void qn_signal_release_held(void) { qn_signal_release(qn_self->mask); }

/* The fault that is recorded in the thread is delivered at the next block boundary. */
static void make_pending(void)
{
    qn_self->pending_fault = 1;
    qn_self->pending |= 2;
}

void qn_signal_raise_noted(void)
{
    qn_ctx.rflags |= FLAG_RF;
    make_pending();
}

void qn_signal_raise(int sig, int code, uint64_t addr)
{
    struct qn_thread *t = qn_self;

    t->fault_info = (struct qn_siginfo){.signo = sig, .code = code, .fault.addr = addr};
    if (code == SI_KERNEL_) {
        t->fault_err = 0;
        t->fault_trap = GENERAL_PROTECTION;
    } else {
        t->fault_err = 0x14; /* user, instruction fetch */
        t->fault_trap = PAGE_FAULT;
        t->fault_cr2 = addr;
    }
    qn_signal_raise_noted();
}

void qn_signal_raise_step(bool resumes)
{
    struct qn_thread *t = qn_self;

    t->fault_info = (struct qn_siginfo){.signo = SIG_TRAP, .code = TRAP_TRACE_, .fault.addr = qn_ctx.rip};
    t->fault_err = 0;
    t->fault_trap = DEBUG_TRAP;
    if (resumes)
        qn_ctx.rflags |= FLAG_RF;
    make_pending();
}

void qn_signal_force(int sig)
{
    qn_self->fault_info = (struct qn_siginfo){.signo = sig, .code = SI_KERNEL_};
    make_pending();
}

/* Raises SIGSYS.  It is no fault, so the frame has the trap number and address of the last fault. */
void qn_signal_raise_call(int code, int err, long nr)
{
    qn_self->fault_info = (struct qn_siginfo){.signo = SIG_SYS, .err = err, .code = code,
                                              .words = {qn_ctx.rip, (uint32_t)nr | (uint64_t)AUDIT_ARCH_X86_64 << 32}};
    make_pending();
}

/* ---- calls about state that the engine keeps for the guest ---- */

#define ALTSTACK_MIN 2048u /* bytes: MINSIGSTKSZ */

/* a: signal, address of the new action or 0, of the old one or 0, bytes of a mask */
long qn_sys_sigaction(long nr, const long *a)
{
    int sig = (int)a[0];
    uint64_t act = (uint64_t)a[1], old = (uint64_t)a[2];
    struct qn_sigaction *slot, new;

    (void)nr;
    if (a[3] != sizeof(qn_sigset) || sig < 1 || sig > QN_NSIG || (act && (sig == SIG_KILL || sig == SIG_STOP)))
        return -EINVAL;
    slot = &qn_self->actions[sig];
    if (act && !qn_read_guest(act, &new, sizeof new))
        return -EFAULT;
    if (old && !qn_write_guest(old, slot, sizeof *slot))
        return -EFAULT;
    if (act) {
        new.mask &= ~UNBLOCKABLE;
        new.flags &= KNOWN_FLAGS;
        *slot = new;
        if (new.handler == HANDLER_IGN)
            qn_self->held &= ~sig_bit(sig);
        install(sig, &new);
        if (is_sync(sig) && new.handler > HANDLER_IGN && (new.flags & SA_SIGINFO_))
            qn_precise_set_always();
    }
    return 0;
}

/* a: how, address of a mask or 0, of the old one or 0, bytes of a mask */
long qn_sys_sigprocmask(long nr, const long *a)
{
    struct qn_thread *t = qn_self;
    uint64_t set = (uint64_t)a[1], old = (uint64_t)a[2];
    qn_sigset before = t->mask, given;

    (void)nr;
    if (a[3] != sizeof given)
        return -EINVAL;
    if (set) {
        if (!qn_read_guest(set, &given, 8))
            return -EFAULT;
        given &= ~UNBLOCKABLE;
        switch ((int)a[0]) {
        case 0: t->mask |= given; break;
        case 1: t->mask &= ~given; break;
        case 2: t->mask = given; break;
        default: return -EINVAL;
        }
        qn_signal_release_held();
        qn_signal_set_host_mask(t->mask);
    }
    return old && !qn_write_guest(old, &before, 8) ? -EFAULT : 0;
}

/* rt_sigpending; a: address of a set, its bytes.  A SIGTRAP that waits is not in the kernel. */
long qn_sys_sigpending(long nr, const long *a)
{
    qn_sigset set = 0;
    long r = qn_syscall_pass(nr, a);

    if (r || !qn_self->held || !qn_read_guest((uint64_t)a[0], &set, (uint64_t)a[1]))
        return r;
    set |= qn_self->held & qn_self->mask;
    return qn_write_guest((uint64_t)a[0], &set, (uint64_t)a[1]) ? 0 : -EFAULT;
}

/* a: address of a set, of a siginfo or 0, of a time or 0, bytes of the set */
long qn_sys_sigtimedwait(long nr, const long *a)
{
    struct qn_thread *t = qn_self;
    qn_sigset set = 0;
    int sig;

    if (!t->held || a[3] != sizeof set || !qn_read_guest((uint64_t)a[0], &set, sizeof set) || !(set & t->held))
        return qn_syscall_pass(nr, a);
    sig = 1 + __builtin_ctzll(set & t->held);
    t->held &= ~sig_bit(sig);
    return a[1] && !qn_write_guest((uint64_t)a[1], &t->held_info[sig], sizeof *t->held_info) ? -EFAULT : sig;
}

/* As the kernel's do_sigaltstack. */
bool qn_signal_set_altstack(const struct qn_stack *given, int *err)
{
    struct qn_thread *t = qn_self;
    uint32_t mode = (uint32_t)given->flags & ~SS_AUTODISARM_;
    bool same = given->sp == t->altstack.sp && given->size == t->altstack.size && given->flags == t->altstack.flags;

    *err = on_altstack(t, qn_ctx.gpr[4])                             ? EPERM
           : mode > SS_DISABLE_                                      ? EINVAL
           : same                                                    ? 0 /* also for the initial state, which could not be set */
           : mode != SS_DISABLE_ && given->size < ALTSTACK_MIN       ? ENOMEM
                                                                     : 0;
    if (*err)
        return false;
    t->altstack = *given; /* a frame has the flags as they were given */
    if (mode == SS_DISABLE_)
        t->altstack.sp = t->altstack.size = 0;
    return true;
}

/* a: address of the new stack or 0, of the old one or 0 */
long qn_sys_sigaltstack(long nr, const long *a)
{
    uint64_t ss = (uint64_t)a[0], old = (uint64_t)a[1];
    struct qn_thread *t = qn_self;
    struct qn_stack before = t->altstack, given;
    int err = 0;

    (void)nr;
    if (ss && !qn_read_guest(ss, &given, sizeof given))
        return -EFAULT;
    before.flags &= (int32_t)SS_AUTODISARM_;
    if (!before.size)
        before.flags |= SS_DISABLE_;
    else if (on_altstack(t, qn_ctx.gpr[4]))
        before.flags |= SS_ONSTACK_;
    if (ss)
        qn_signal_set_altstack(&given, &err);
    if (!err && old && !qn_write_guest(old, &before, sizeof before))
        return -EFAULT;
    return -err;
}

/* CLONE_CLEAR_SIGHAND: signals with a handler get the default action; ignored ones stay ignored. */
void qn_signal_clear_handlers(void)
{
    static const struct qn_sigaction none;

    for (int sig = 1; sig <= QN_NSIG; sig++)
        if (qn_self->actions[sig].handler > HANDLER_IGN) {
            qn_self->actions[sig] = none;
            install(sig, &none);
        }
}
