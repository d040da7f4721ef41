/* lib/run/kernel/signal/signal.c - signals between the kernel and the guest.
 *
 * The kernel calls the engine's handler for every signal for which the guest has a handler.  The handler only records the signal.  After a
 * fault inside the code cache it recovers the guest's state and goes to the dispatcher.  Any other signal is pending, with all signals
 * blocked, until the guest is at a block boundary.  To get there from inside a block, the engine single-steps to the block's end by the
 * processor's trap flag; it passes a slow call on the way by a breakpoint at the return address.  Then the dispatcher delivers the pending
 * signal (deliver.c) and pushes the frame (frame.c).
 */
#include "run/core/core.h"
#include "run/kernel/signal/signal.h"
#include "run/kernel/thread.h"

#include "base/format.h"
#include "block/block.h"
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

void qn_signal_set_host_mask(qn_sigset guest)
{
    qn_sigset host = host_mask(guest);

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
    if (!(in->attr & QN_ATTR_STRING) || !(in->attr & (QN_ATTR_REP | QN_ATTR_REPNE)))
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

void qn_signal_kernel_action(int sig, uint64_t handler, uint64_t flags)
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
    int sig = info->signo;

    if (!is_sync(sig) || (!t->pending && !(t->mask & sig_bit(sig))))
        return false;
    if (!(t->held & sig_bit(sig)))
        t->held_info[sig] = *info;
    t->held |= sig_bit(sig);
    return true;
}

static void queue(struct qn_thread *t, const struct qn_siginfo *info, struct qn_ucontext *uc)
{
    if (hold(t, info))
        return;
    t->info = *info;
    t->pending |= 1;
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

    qn_format(line, sizeof line, "signal %d code %d address %x at guest %x host %x", info->signo, info->code,
              info->fault.addr, qn_ctx.rip, host);
    qn_trace_line(line);
}

/* Is the host's pc after the instruction?  Yes for int $4, int3 and int1, except that some hypervisors leave it at int1.  (In translated
 * code, a jump follows each of these.) */
static bool is_behind(const struct qn_siginfo *info, const struct qn_ucontext *uc)
{
    struct qn_insn in;

    if (uc->mc.trapno == OVERFLOW_TRAP)
        return true;
    if (info->signo != SIG_TRAP || info->code == TRAP_TRACE_)
        return false;
    return qn_block_decode((const uint8_t *)(uintptr_t)uc->mc.ip, QN_INSN_MAX_LEN, &in) != QN_DEC_OK ||
           in.cls != QN_CLS_INT3 || in.opcode != INT1;
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
        qn_signal_kernel_action(info->signo, HANDLER_DFL, 0);
        return;
    }
    if (uc->mc.trapno == ALIGNMENT_CHECK && !in_code_cache(uc->mc.ip)) { /* translated code has called the engine with it */
        uc->mc.flags &= ~(uint64_t)FLAG_AC;
        return;
    }
    if (info->signo == SIG_BUS && !holds_cache(t) && qn_self == t && qn_truncated_take(uc, info->fault.addr))
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

static void host_handler(int sig, struct qn_siginfo *info, struct qn_ucontext *uc)
{
    struct qn_thread *t = thread_of_stack();

    (void)sig;
    clear_alignment_check();
    if (sync_fault(info) && qn_guarded_takes(info, uc))
        return;
    if (info->signo == SIG_TRAP && handle_trap(t, info, uc))
        return;
    if (sync_fault(info))
        fault(t, info, uc);
    else
        queue(t, info, uc);
}

void qn_signal_stand_in(int sig, uint64_t flags)
{
    qn_signal_kernel_action(sig, (uint64_t)(uintptr_t)host_handler, flags | SA_SIGINFO_ | SA_ONSTACK_);
}

/* Sets the kernel's action for a signal, according to the guest's action. */
void qn_signal_install(int sig, const struct qn_sigaction *guest)
{
    uint64_t keep = guest->flags & (SA_NOCLDSTOP_ | SA_NOCLDWAIT_ | SA_RESTART_);

    if (sig == SIG_TRAP && guest->handler <= HANDLER_IGN)
        keep |= SA_RESTART_; /* the engine's kicks must not interrupt a system call */
    if (is_sync(sig) || guest->handler > HANDLER_IGN)
        qn_signal_stand_in(sig, keep);
    else
        qn_signal_kernel_action(sig, guest->handler, keep);
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
            qn_signal_install(sig, &process_actions[sig]);
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
            qn_signal_kernel_action(sig, t->actions[sig].handler, 0);
        else if (!before)
            qn_signal_install(sig, &t->actions[sig]);
    }
    mask = t->pending ? ~SYNC_SIGNALS : before ? t->mask : host_mask(t->mask); /* while a signal is pending, no other is taken */
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&mask, 0, 8);
    if (!before)
        qn_lock_allow_kicks(t);
}
