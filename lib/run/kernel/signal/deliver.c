/* lib/run/kernel/signal/deliver.c - delivers a pending signal when the guest is at a block boundary.
 *
 * In:  the thread's pending fault or signal (recorded by signal.c, or raised by the engine)
 * Out: the guest's handler with its frame pushed (frame.c), or the default action, taken by the kernel
 */
#include "run/kernel/signal/signal.h"
#include "run/kernel/thread.h"

/* Lets the kernel take the default action, so that the parent sees the right status. */
static void default_action(const struct qn_siginfo *info)
{
    int sig = info->signo;
    qn_sigset only = ~sig_bit(sig);

    qn_coverage_save();
    qn_signal_kernel_action(sig, HANDLER_DFL, 0);
    qn_sys4(__NR_rt_tgsigqueueinfo, qn_sys1(__NR_getpid, 0), qn_sys1(__NR_gettid, 0), sig, (long)info);
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&only, 0, 8);
    if (is_sync(sig)) /* it did not kill, for example because a tracer suppressed it: installs the engine's handler again */
        qn_signal_stand_in(sig, 0);
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
    qn_signal_kernel_action(info->signo, HANDLER_DFL, 0);
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

        deliver(&info, false);
    }
    t->waited = 0;
    qn_signal_release_held();
    qn_signal_set_host_mask(t->mask);
}

void qn_signal_release_held(void)
{
    struct qn_thread *t = qn_self;
    qn_sigset ready = t->held & ~t->mask;
    int sig = ready ? 1 + __builtin_ctzll(ready) : 0;

    if (!sig || t->pending)
        return;
    t->held &= ~sig_bit(sig);
    t->info = t->held_info[sig];
    t->pending = 1;
}

void qn_signal_raise(int sig, int code, uint64_t addr)
{
    struct qn_thread *t = qn_self;

    t->fault_info = (struct qn_siginfo){.signo = sig, .code = code};
    t->fault_info.fault.addr = addr;
    if (code == SI_KERNEL_) {
        t->fault_err = 0;
        t->fault_trap = GENERAL_PROTECTION;
    } else {
        t->fault_err = 0x14; /* user, instruction fetch */
        t->fault_trap = PAGE_FAULT;
        t->fault_cr2 = addr;
    }
    qn_ctx.rflags |= FLAG_RF;
    t->pending_fault = 1;
    t->pending |= 2;
}

void qn_signal_raise_step(bool resumes)
{
    struct qn_thread *t = qn_self;

    t->fault_info = (struct qn_siginfo){.signo = SIG_TRAP, .code = TRAP_TRACE_};
    t->fault_info.fault.addr = qn_ctx.rip;
    t->fault_err = 0;
    t->fault_trap = DEBUG_TRAP;
    if (resumes)
        qn_ctx.rflags |= FLAG_RF;
    t->pending_fault = 1;
    t->pending |= 2;
}

void qn_signal_raise_noted(void)
{
    qn_ctx.rflags |= FLAG_RF;
    qn_self->pending_fault = 1;
    qn_self->pending |= 2;
}

void qn_signal_force(int sig)
{
    struct qn_thread *t = qn_self;

    t->fault_info = (struct qn_siginfo){.signo = sig, .code = SI_KERNEL_};
    t->pending_fault = 1;
    t->pending |= 2;
}

/* Raises SIGSYS.  It is no fault, so the frame has the trap number and address of the last fault. */
void qn_signal_raise_call(int code, int err, long nr)
{
    struct qn_thread *t = qn_self;

    t->fault_info = (struct qn_siginfo){.signo = SIG_SYS, .err = err, .code = code};
    t->fault_info.words[0] = qn_ctx.rip;
    t->fault_info.words[1] = (uint32_t)nr | (uint64_t)ARCH_X86_64 << 32;
    t->pending_fault = 1;
    t->pending |= 2;
}
