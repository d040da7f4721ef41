/* lib/run/kernel/user_dispatch.c - prctl(PR_SET_SYSCALL_USER_DISPATCH): a program that has its own system calls come back as SIGSYS.
 *
 * The kernel would go by the address of the call, and the engine makes them all: so the engine does what the kernel would
 * (Documentation/admin-guide/syscall-user-dispatch.rst, kernel/entry/syscall_user_dispatch.c):
 *
 *   a call from outside [offset, offset + size), while the byte at `selector` says so (or there is none):
 *   SIGSYS, with the address behind the call, its number, all registers as they were. */
#include "run/kernel/signal.h"

enum { E_INVAL = 22, MODE_OFF = 0, MODE_ON = 1, ALLOW = 0, BLOCK = 1 };
enum { SYS_USER_DISPATCH_ = 2 };

/* a: option, mode, offset, size, selector */
long qn_sys_user_dispatch(const long *a)
{
    struct qn_user_dispatch *d = &qn_self->user_dispatch;
    uint64_t offset = (uint64_t)a[2], size = (uint64_t)a[3], selector = (uint64_t)a[4];

    if (a[1] == MODE_OFF && !offset && !size && !selector) {
        d->on = false;
        return 0;
    }
    if (a[1] != MODE_ON || (offset && offset + size <= offset))
        return -E_INVAL;
    *d = (struct qn_user_dispatch){true, offset, size, selector};
    return 0;
}

/* Is the call that the guest is about to make not for the kernel?  Then a signal is on its way. */
bool qn_user_dispatch_takes(long nr)
{
    const struct qn_user_dispatch *d = &qn_self->user_dispatch;
    uint8_t state = BLOCK;

    if (QN_LIKELY(!d->on) || qn_ctx.rip - d->offset < d->size)
        return false;
    if (d->selector && !qn_read_guest(d->selector, &state, 1)) {
        qn_signal_raise(SIG_SEGV, SI_KERNEL_, 0); /* the kernel does not say where */
        return true;
    }
    if (state == ALLOW)
        return false;
    if (state != BLOCK)
        qn_self->actions[SIG_SYS].handler = HANDLER_DFL; /* a byte without a meaning: there is no handling that */
    qn_signal_raise_call(SYS_USER_DISPATCH_, 0, nr);
    return true;
}
