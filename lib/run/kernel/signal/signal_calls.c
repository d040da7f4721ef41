/* lib/run/kernel/signal/signal_calls.c - sigaction, sigprocmask, sigaltstack, getppid and the parent-death signal: calls about state that the
 * engine keeps for the guest. */
#include "run/kernel/signal/signal.h"

enum { E_INVAL = 22, E_FAULT = 14, E_PERM = 1, E_NOMEM = 12 };
enum { PR_GET_PDEATHSIG_ = 2 };
#define ALTSTACK_MIN 2048u /* bytes: MINSIGSTKSZ */

long qn_sys_sigaction(int sig, uint64_t act, uint64_t old, uint64_t size)
{
    struct qn_sigaction *slot, new;

    if (size != 8 || sig < 1 || sig > QN_NSIG || (act && (sig == SIG_KILL || sig == SIG_STOP)))
        return -E_INVAL;
    slot = &qn_self->actions[sig];
    if (act && !qn_read_guest(act, &new, sizeof new))
        return -E_FAULT;
    if (old && !qn_write_guest(old, slot, sizeof *slot))
        return -E_FAULT;
    if (act) {
        new.mask &= ~UNBLOCKABLE;
        *slot = new;
        qn_signal_install(sig, &new);
        if (is_sync(sig) && new.handler > HANDLER_IGN && (new.flags & SA_SIGINFO_))
            qn_precise_set_always();
    }
    return 0;
}

long qn_sys_sigprocmask(int how, uint64_t set, uint64_t old, uint64_t size)
{
    struct qn_thread *t = qn_self;
    qn_sigset before = t->mask, given;

    if (size != 8)
        return -E_INVAL;
    if (set) {
        if (!qn_read_guest(set, &given, 8))
            return -E_FAULT;
        given &= ~UNBLOCKABLE;
        switch (how) {
        case 0: t->mask |= given; break;
        case 1: t->mask &= ~given; break;
        case 2: t->mask = given; break;
        default: return -E_INVAL;
        }
        qn_signal_set_host_mask(t->mask);
        qn_signal_release_held();
    }
    return old && !qn_write_guest(old, &before, 8) ? -E_FAULT : 0;
}

/* As the kernel's do_sigaltstack. */
bool qn_signal_set_altstack(const struct qn_stack *given, int *err)
{
    struct qn_thread *t = qn_self;
    uint32_t mode = (uint32_t)given->flags & ~SS_AUTODISARM_;
    bool same = given->sp == t->altstack.sp && given->size == t->altstack.size && given->flags == t->altstack.flags;

    *err = on_altstack(t, qn_ctx.gpr[4])                             ? E_PERM
           : mode > SS_DISABLE_                                      ? E_INVAL
           : same                                                    ? 0 /* also for the initial state, which could not be set */
           : mode != SS_DISABLE_ && given->size < ALTSTACK_MIN       ? E_NOMEM
                                                                     : 0;
    if (*err)
        return false;
    t->altstack = *given;
    t->altstack.flags &= ~SS_ONSTACK_;
    if (mode == SS_DISABLE_)
        t->altstack.sp = t->altstack.size = 0;
    return true;
}

long qn_sys_sigaltstack(uint64_t ss, uint64_t old)
{
    struct qn_thread *t = qn_self;
    struct qn_stack before = t->altstack, given;
    int err = 0;

    if (ss && !qn_read_guest(ss, &given, sizeof given))
        return -E_FAULT;
    if (!before.size)
        before.flags |= SS_DISABLE_;
    else if (on_altstack(t, qn_ctx.gpr[4]))
        before.flags |= SS_ONSTACK_;
    if (ss)
        qn_signal_set_altstack(&given, &err);
    if (!err && old && !qn_write_guest(old, &before, sizeof before))
        return -E_FAULT;
    return -err;
}

/* For the first process, the kernel's parent-death signal is SIGKILL for the collector's death (lib/collect/launch.c).  The signal that the
 * program sets itself is for the death of the collector's parent; the collector sends it. */
long qn_sys_death_signal(const long *a)
{
    int32_t *sig = &qn_cfg()->death_signal;

    if (!qn_self->leash)
        return qn_syscall_pass(__NR_prctl, a);
    if (a[0] == PR_GET_PDEATHSIG_)
        return qn_write_guest((uint64_t)a[1], sig, sizeof *sig) ? 0 : -E_FAULT;
    if ((uint64_t)a[1] > QN_NSIG)
        return -E_INVAL;
    *sig = (int32_t)a[1];
    return 0;
}

/* The collector stands between the first process and its parent. */
long qn_sys_getppid(void)
{
    long parent = qn_sys1(__NR_getppid, 0);

    return parent == qn_cfg()->collector ? qn_cfg()->parent : parent;
}

/* CLONE_CLEAR_SIGHAND: signals with a handler get the default action; ignored ones stay ignored. */
void qn_signal_clear_handlers(void)
{
    static const struct qn_sigaction none;

    for (int sig = 1; sig <= QN_NSIG; sig++)
        if (qn_self->actions[sig].handler > HANDLER_IGN) {
            qn_self->actions[sig] = none;
            qn_signal_install(sig, &none);
        }
}
