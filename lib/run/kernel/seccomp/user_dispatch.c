/* lib/run/kernel/seccomp/user_dispatch.c - prctl(PR_SET_SYSCALL_USER_DISPATCH): the program gets SIGSYS in place of its own system calls.
 *
 * The kernel decides by the address of the call; since the engine makes all calls, it decides itself, by the kernel's rules
 * (Documentation/admin-guide/syscall-user-dispatch.rst, kernel/entry/syscall_user_dispatch.c):
 *
 *   a call from outside [offset, offset + size), while the byte at `selector` is BLOCK (or there is no selector):
 *   SIGSYS with the address after the call and its number; the registers do not change. */
#include "run/kernel/signal/signal.h"

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

/* Decides about the call that the guest is about to make.  true: it is not made, and a signal is pending. */
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
        qn_self->actions[SIG_SYS].handler = HANDLER_DFL; /* an invalid byte: as in the kernel, SIGSYS cannot be handled */
    qn_signal_raise_call(SYS_USER_DISPATCH_, 0, nr);
    return true;
}
