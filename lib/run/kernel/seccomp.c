/* lib/run/kernel/seccomp.c - filters of system calls that the program installs.
 *
 * Installed in the kernel they would apply to the engine's own calls as well.  So the engine interprets them itself, before it handles a
 * call of the guest:
 *
 *   struct seccomp_data { nr, arch, rip after the call, six arguments }  -->  all filters  -->  the action of highest precedence
 *
 * The language is classic BPF, without the instructions that the kernel does not allow here (linux/filter.h, kernel/seccomp/seccomp.c).
 * Threads, forked processes and programs that are executed inherit filters.
 *
 * Only the kernel can notify a listener (SECCOMP_RET_USER_NOTIF): such a filter is installed in the kernel as well, after a prologue that
 * allows the engine's own calls.  For the guest's calls that the engine makes with other arguments (mmap, execve, ...) the listener cannot
 * be notified: the run ends.
 */
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/format.h"
#include "run/kernel/kernel.h"
#include "run/kernel/signal.h"

struct qn_seccomp_filter {
    const struct qn_seccomp_filter *older;
    uint32_t n;
    bool listens; /* it has a listener, so it is installed in the kernel, too */
    struct sock_filter insn[];
};

static long listen(const struct qn_seccomp_filter *f, uint64_t flags);

enum { ERRNO_MAX = 4095, SYS_SECCOMP_ = 1 };
enum { FLAGS_HARMLESS = SECCOMP_FILTER_FLAG_LOG | SECCOMP_FILTER_FLAG_SPEC_ALLOW, FLAGS_LISTENER = 8 | 16 | 32 /* NEW_LISTENER, TSYNC_ESRCH, WAIT_KILLABLE_RECV */ };

/* ---- the language: low three bits the class, then size and mode, or operation and source ---- */

static bool known_operation(unsigned op) { return (op <= BPF_NEG || op == BPF_XOR) && op % 16 == 0; }

static bool valid_insn(const struct sock_filter *i, uint32_t at, uint32_t n)
{
    unsigned mode = i->code & 0xe0, op = i->code & 0xf0;

    if (i->code > 0xff)
        return false;
    switch (i->code & 7) {
    case BPF_LD: return !(i->code & 0x18) && (mode == BPF_ABS ? i->k < sizeof(struct seccomp_data) && i->k % 4 == 0
                                          : mode == BPF_MEM ? i->k < BPF_MEMWORDS : mode == BPF_IMM || mode == BPF_LEN);
    case BPF_LDX: return !(i->code & 0x18) && (mode == BPF_MEM ? i->k < BPF_MEMWORDS : mode == BPF_IMM || mode == BPF_LEN);
    case BPF_ST:
    case BPF_STX: return i->code < 8 && i->k < BPF_MEMWORDS;
    case BPF_ALU: return known_operation(op) && !(op == BPF_DIV && !(i->code & BPF_X) && !i->k) &&
                     !((op == BPF_LSH || op == BPF_RSH) && !(i->code & BPF_X) && i->k > 31);
    case BPF_JMP: return op == BPF_JA ? i->code == BPF_JMP && i->k < n - at - 1 : op <= BPF_JSET && i->jt < n - at - 1 && i->jf < n - at - 1;
    case BPF_RET: return i->code == BPF_RET || i->code == (BPF_RET | BPF_A);
    default: return i->code == BPF_MISC || i->code == (BPF_MISC | BPF_TXA);
    }
}

static bool valid(const struct qn_seccomp_filter *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (!valid_insn(&f->insn[i], i, f->n))
            return false;
    return (f->insn[f->n - 1].code & 7) == BPF_RET;
}

static uint32_t compute(unsigned op, uint32_t a, uint32_t b)
{
    switch (op) {
    case BPF_ADD: return a + b;
    case BPF_SUB: return a - b;
    case BPF_MUL: return a * b;
    case BPF_DIV: return a / b; /* by zero: see run */
    case BPF_OR: return a | b;
    case BPF_AND: return a & b;
    case BPF_LSH: return a << (b & 31);
    case BPF_RSH: return a >> (b & 31);
    case BPF_NEG: return 0 - a;
    default: return a ^ b;
    }
}

static bool holds(unsigned op, uint32_t a, uint32_t b)
{
    return op == BPF_JEQ ? a == b : op == BPF_JGT ? a > b : op == BPF_JGE ? a >= b : (a & b) != 0;
}

static uint32_t load(const struct sock_filter *i, const struct seccomp_data *d, const uint32_t *memory)
{
    uint32_t word;

    switch (i->code & 0xe0) {
    case BPF_IMM: return i->k;
    case BPF_MEM: return memory[i->k];
    case BPF_LEN: return sizeof *d;
    default: __builtin_memcpy(&word, (const uint8_t *)d + i->k, sizeof word); return word;
    }
}

static uint32_t run(const struct qn_seccomp_filter *f, const struct seccomp_data *d)
{
    uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = {0};

    for (const struct sock_filter *i = f->insn;; i++) {
        uint32_t b = i->code & BPF_X ? x : i->k;

        switch (i->code & 7) {
        case BPF_LD: a = load(i, d, memory); break;
        case BPF_LDX: x = load(i, d, memory); break;
        case BPF_ST: memory[i->k] = a; break;
        case BPF_STX: memory[i->k] = x; break;
        case BPF_ALU:
            if ((i->code & 0xf0) == BPF_DIV && !b)
                return 0;
            a = compute(i->code & 0xf0, a, b);
            break;
        case BPF_JMP: i += (i->code & 0xf0) == BPF_JA ? i->k : holds(i->code & 0xf0, a, b) ? i->jt : i->jf; break;
        case BPF_RET: return i->code & BPF_A ? a : i->k;
        default: *(i->code & BPF_TXA ? &a : &x) = i->code & BPF_TXA ? x : a; break;
        }
    }
}

/* The action of highest precedence, which is the smallest as a signed number, and its filter. */
static uint32_t ask(const struct qn_seccomp_filter *f, const struct seccomp_data *d, const struct qn_seccomp_filter **whose)
{
    uint32_t answer = SECCOMP_RET_ALLOW;

    for (; f; f = f->older) {
        uint32_t r = run(f, d);

        if ((int32_t)(r & SECCOMP_RET_ACTION_FULL) < (int32_t)(answer & SECCOMP_RET_ACTION_FULL)) {
            answer = r;
            *whose = f;
        }
    }
    return answer;
}

/* ---- the decision about a call ---- */

static void die_of(int sig)
{
    const struct qn_siginfo info = {.signo = sig, .code = SI_KERNEL_};

    qn_signal_die(&info);
}

static bool strictly_allowed(long nr)
{
    return nr == __NR_read || nr == __NR_write || nr == __NR_exit || nr == __NR_rt_sigreturn;
}

/* Calls that the engine does not pass on unchanged. */
static bool is_engines(long nr)
{
    switch (nr) {
    case __NR_mmap: case __NR_munmap: case __NR_mprotect: case __NR_pkey_mprotect: case __NR_mremap: case __NR_brk: case __NR_shmat:
    case __NR_shmdt: case __NR_rt_sigaction: case __NR_rt_sigprocmask: case __NR_sigaltstack: case __NR_rt_sigreturn: case __NR_fork:
    case __NR_vfork: case __NR_clone: case __NR_clone3: case __NR_execve: case __NR_execveat: case __NR_close_range:
    case __NR_arch_prctl: case __NR_seccomp: case __NR_personality: case __NR_rseq: case __NR_exit: case __NR_exit_group:
        return true;
    default: return false;
    }
}

/* The kernel asks the listener when the call is made. */
static bool leave_to_listener(long nr)
{
    char text[160];

    if (!is_engines(nr))
        return true;
    qn_format(text, sizeof text, "system call %ld that a listener of a filter (SECCOMP_RET_USER_NOTIF) is to decide about", (int64_t)nr);
    qn_die_fatal(QN_FATAL_UNSUPPORTED, qn_ctx.rip - QN_SYSCALL_INSN_LEN, text);
}

bool qn_seccomp_allows(long nr, const long *a, long *r)
{
    struct qn_thread *t = qn_self;
    struct seccomp_data d = {.nr = (int32_t)nr, .arch = AUDIT_ARCH_X86_64, .instruction_pointer = qn_ctx.rip};
    const struct qn_seccomp_filter *whose = NULL;
    uint32_t answer;

    if (t->seccomp == SECCOMP_MODE_STRICT && !strictly_allowed(nr)) {
        qn_sys2(__NR_kill, qn_sys1(__NR_getpid, 0), SIG_KILL);
        return false;
    }
    __builtin_memcpy(d.args, a, sizeof d.args);
    answer = ask(t->filters, &d, &whose);
    *r = nr; /* as after a call that has not been made */
    switch (answer & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG: return true;
    case SECCOMP_RET_ERRNO: *r = -(long)((answer & ~SECCOMP_RET_ACTION_FULL) < ERRNO_MAX ? answer & ~SECCOMP_RET_ACTION_FULL : ERRNO_MAX); return false;
    case SECCOMP_RET_USER_NOTIF:
        if (whose->listens)
            return leave_to_listener(nr);
        /* fall through */
    case SECCOMP_RET_TRACE: *r = -ENOSYS; return false;
    case SECCOMP_RET_TRAP: qn_signal_raise_call(SYS_SECCOMP_, (int)(answer & ~SECCOMP_RET_ACTION_FULL), nr); return false;
    case SECCOMP_RET_KILL_THREAD:
        if (!qn_thread_is_last())
            qn_thread_exit(SIG_SYS);
        /* fall through */
    default: die_of(SIG_SYS); return false;
    }
}

/* ---- installing ---- */

static bool may_install(void)
{
    /* The kernel's check cannot be tried out: with an invalid pointer the call fails before it.  So it is made here. */
    return qn_sys6(__NR_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0, 0) == 1 || qn_is_capable(CAP_SYS_ADMIN);
}

static void in_thread(struct qn_thread *t, const void *filter)
{
    t->filters = filter;
    t->seccomp = SECCOMP_MODE_FILTER;
}

static long install(uint64_t flags, uint64_t from)
{
    struct qn_seccomp_filter *f;
    struct sock_fprog p;
    long listener = 0;

    if (flags & ~(uint64_t)(SECCOMP_FILTER_FLAG_TSYNC | FLAGS_HARMLESS | FLAGS_LISTENER) || qn_self->seccomp == SECCOMP_MODE_STRICT)
        return -EINVAL;
    if (!qn_read_guest(from, &p, sizeof p))
        return -EFAULT;
    if (!p.len || p.len > BPF_MAXINSNS || !p.filter)
        return -EINVAL;
    if (!may_install())
        return -EACCES;
    f = qn_engine_alloc(sizeof *f + p.len * sizeof f->insn[0]);
    f->n = p.len;
    f->older = qn_self->filters;
    if (!qn_read_guest((uint64_t)(uintptr_t)p.filter, f->insn, p.len * sizeof f->insn[0]))
        return -EFAULT;
    if (!valid(f))
        return -EINVAL;
    if (flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) {
        listener = listen(f, flags);
        if (qn_sys_failed(listener))
            return listener;
        f->listens = true;
    }
    if (flags & SECCOMP_FILTER_FLAG_TSYNC)
        qn_thread_each_of_process(in_thread, f);
    in_thread(qn_self, f);
    return listener;
}

static long strict(void)
{
    if (qn_self->seccomp == SECCOMP_MODE_FILTER)
        return -EINVAL;
    qn_self->seccomp = SECCOMP_MODE_STRICT;
    return 0;
}

long qn_sys_seccomp(long nr, const long *a)
{
    switch (a[0]) {
    case SECCOMP_SET_MODE_STRICT: return a[1] || a[2] ? -EINVAL : strict();
    case SECCOMP_SET_MODE_FILTER: return install((uint64_t)a[1], (uint64_t)a[2]);
    default: return qn_sys3(nr, a[0], a[1], a[2]);
    }
}

/* prctl(PR_SET_SECCOMP, ...) */
long qn_sys_prctl_seccomp(long nr, const long *a)
{
    (void)nr;
    return a[1] == SECCOMP_MODE_STRICT ? strict() : a[1] == SECCOMP_MODE_FILTER ? install(0, (uint64_t)a[2]) : -EINVAL;
}

/* ---- filters passed on: to a program that is executed, to the kernel ----
 *
 *   executed untraced   all of them are installed in the kernel
 *   executed traced     they are written to the new arena, and its engine begins with them (config.filters):
 *                       [number of filters] then of each, the oldest first: [instructions, bit 31: listens] [instruction] ...
 *   with a listener     the filter is installed in the kernel at once, after a prologue:
 *
 *       a call by the engine's code, but not on the guest's behalf?  allow : continue with the filter
 */

enum { AT_IP = 8, PROLOGUE = 8 };
#define LISTENS 0x80000000u

extern char _end[];

static long give_kernel_filter(const struct sock_filter *insn, uint32_t n, uint64_t flags)
{
    struct sock_fprog p = {(uint16_t)n, (struct sock_filter *)(uintptr_t)insn};

    return qn_sys3(__NR_seccomp, SECCOMP_SET_MODE_FILTER, (long)flags, (long)&p);
}

static long listen(const struct qn_seccomp_filter *f, uint64_t flags)
{
    uint32_t guest = (uint32_t)(uintptr_t)qn_syscall_commit + QN_SYSCALL_INSN_LEN, end = (uint32_t)(uintptr_t)_end;
    const struct sock_filter prologue[PROLOGUE] = {
        {BPF_LD | BPF_ABS, 0, 0, AT_IP + 4},             /* 0: the engine is not above 4 GiB: then to 7 */
        {BPF_JMP | BPF_JEQ, 0, 5, 0},
        {BPF_LD | BPF_ABS, 0, 0, AT_IP},
        {BPF_JMP | BPF_JGE, 0, 3, QN_ENGINE_BASE},
        {BPF_JMP | BPF_JGE, 2, 0, end},
        {BPF_JMP | BPF_JEQ, 1, 0, guest},
        {BPF_RET, 0, 0, SECCOMP_RET_ALLOW},
        {BPF_LD | BPF_IMM, 0, 0, 0},                     /* 7: the accumulator is 0, as at the beginning of a filter */
    };
    static struct sock_filter whole[BPF_MAXINSNS];

    if (f->n + PROLOGUE > BPF_MAXINSNS)
        return -EINVAL;
    __builtin_memcpy(whole, prologue, sizeof prologue);
    __builtin_memcpy(whole + PROLOGUE, f->insn, f->n * sizeof whole[0]);
    return give_kernel_filter(whole, f->n + PROLOGUE, flags);
}

/* Installs the filters in the kernel, the oldest first; those with a listener are there already. */
static void give_to_kernel(const struct qn_seccomp_filter *f)
{
    if (!f)
        return;
    give_to_kernel(f->older);
    if (!f->listens)
        give_kernel_filter(f->insn, f->n, 0);
}

void qn_seccomp_exec_untraced(const struct qn_thread *t) { give_to_kernel(t->filters); }

static uint32_t *put(uint32_t *to, const struct qn_seccomp_filter *f)
{
    if (!f)
        return to;
    to = put(to, f->older);
    *to++ = f->n | (f->listens ? LISTENS : 0);
    __builtin_memcpy(to, f->insn, f->n * sizeof f->insn[0]);
    return to + f->n * sizeof f->insn[0] / sizeof *to;
}

void qn_seccomp_save(const struct qn_seccomp_filter *filters, struct qn_arena_header *h)
{
    uint64_t at = qn_round_up(h->n_strings, sizeof(uint64_t)), bytes = sizeof(uint32_t);
    uint32_t *to = (uint32_t *)((uint8_t *)h + QN_ARENA_STRINGS_OFF + at), n = 0;

    h->config.filters = 0;
    for (const struct qn_seccomp_filter *f = filters; f; f = f->older, n++)
        bytes += sizeof n + f->n * sizeof f->insn[0];
    if (!n)
        return;
    if (at + bytes > QN_ARENA_STRINGS_SIZE) {
        qn_unsupported("the program's filters of system calls (seccomp) are too many to hold in the program that it executes");
        return;
    }
    *to = n;
    put(to + 1, filters);
    h->n_strings = at + bytes;
    h->config.filters = (uint32_t)at;
}

void qn_seccomp_restore(void)
{
    const uint32_t *from = (const uint32_t *)(uintptr_t)qn_arena_text(qn_cfg()->filters);

    if (!qn_cfg()->filters)
        return;
    for (uint32_t n = *from++; n; n--) {
        uint32_t count = *from & ~LISTENS;
        struct qn_seccomp_filter *f = qn_engine_alloc(sizeof *f + count * sizeof f->insn[0]);

        *f = (struct qn_seccomp_filter){.older = qn_self->filters, .n = count, .listens = (*from & LISTENS) != 0};
        __builtin_memcpy(f->insn, from + 1, count * sizeof f->insn[0]);
        qn_self->filters = f;
        qn_self->seccomp = SECCOMP_MODE_FILTER;
        from += 1 + count * sizeof f->insn[0] / sizeof *from;
    }
}

/* ---- prctl(PR_SET_SYSCALL_USER_DISPATCH): SIGSYS in place of system calls ----
 *
 * The kernel decides by the address of the call; since the engine makes all calls, it decides itself, by the kernel's rules
 * (Documentation/admin-guide/syscall-user-dispatch.rst, kernel/entry/syscall_user_dispatch.c):
 *
 *   a call from outside [offset, offset + size), while the byte at `selector` is BLOCK (or there is no selector):
 *   SIGSYS with the address after the call and its number; the registers do not change.
 */

enum { SYS_USER_DISPATCH_ = 2 };

/* a: option, mode, offset, size, selector */
long qn_sys_user_dispatch(long nr, const long *a)
{
    struct qn_user_dispatch *d = &qn_self->user_dispatch;
    uint64_t offset = (uint64_t)a[2], size = (uint64_t)a[3], selector = (uint64_t)a[4];

    (void)nr;
    if (a[1] == PR_SYS_DISPATCH_OFF && !offset && !size && !selector) {
        d->on = false;
        return 0;
    }
    if (a[1] != PR_SYS_DISPATCH_ON || (offset && offset + size <= offset))
        return -EINVAL;
    *d = (struct qn_user_dispatch){true, offset, size, selector};
    return 0;
}

bool qn_user_dispatch_takes(long nr)
{
    const struct qn_user_dispatch *d = &qn_self->user_dispatch;
    uint8_t state = SYSCALL_DISPATCH_FILTER_BLOCK;

    if (QN_LIKELY(!d->on) || qn_ctx.rip - d->offset < d->size)
        return false;
    if (d->selector && !qn_read_guest(d->selector, &state, 1)) {
        qn_signal_raise(SIG_SEGV, SI_KERNEL_, 0); /* the kernel does not say where */
        return true;
    }
    if (state == SYSCALL_DISPATCH_FILTER_ALLOW)
        return false;
    if (state != SYSCALL_DISPATCH_FILTER_BLOCK)
        qn_self->actions[SIG_SYS].handler = HANDLER_DFL; /* an invalid byte: as in the kernel, SIGSYS cannot be handled */
    qn_signal_raise_call(SYS_USER_DISPATCH_, 0, nr);
    return true;
}
