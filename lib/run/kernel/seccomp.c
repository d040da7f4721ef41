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
#include "base/format.h"
#include "run/kernel/kernel.h"
#include "run/kernel/signal.h"

/* The language, linux/filter.h: low three bits the class, then size and mode, or operation and source. */
struct qn_bpf_insn { uint16_t code; uint8_t jt, jf; uint32_t k; };
struct qn_bpf_program { uint16_t n; uint64_t insns; };
enum { LD, LDX, ST, STX, ALU, JMP, RET, MISC };
enum { IMM = 0x00, ABS = 0x20, JEQ = 0x10, JGE = 0x30 };
#define QN_BPF_MAX 4096u         /* instructions */
#define RET_ALLOW 0x7fff0000u

struct qn_seccomp_filter {
    const struct qn_seccomp_filter *older;
    uint32_t n;
    bool listens;                /* it has a listener, so it is installed in the kernel, too */
    struct qn_bpf_insn insn[];
};

static long listen(const struct qn_seccomp_filter *f, uint64_t flags);

enum { CAP_SYS_ADMIN_ = 21 };
enum { ERRNO_MAX = 4095 };
enum { SET_STRICT = 0, SET_FILTER = 1, FLAG_TSYNC = 1, FLAGS_HARMLESS = 2 | 4, FLAGS_LISTENER = 8 | 16 | 32, FLAG_NEW_LISTENER = 8 };
enum { MODE_STRICT = 1, MODE_FILTER = 2 };
enum { SYS_SECCOMP_ = 1 };
#define RET_KILL_THREAD 0u
#define RET_TRAP 0x30000u
#define RET_ERRNO 0x50000u
#define RET_USER_NOTIF 0x7fc00000u
#define RET_TRACE 0x7ff00000u
#define RET_LOG 0x7ffc0000u
#define RET_ACTION 0xffff0000u

/* ---- the language: low three bits the class, then size and mode, or operation and source ---- */

enum { MEM = 0x60, LEN = 0x80 };
enum { ADD = 0x00, SUB = 0x10, MUL = 0x20, DIV = 0x30, OR = 0x40, AND = 0x50, LSH = 0x60, RSH = 0x70, NEG = 0x80, XOR = 0xa0 };
enum { JA = 0x00, JGT = 0x20, JSET = 0x40 };
enum { SRC_X = 0x08, RET_A = 0x10, TXA = 0x80, MEMORY = 16 };

struct data { int32_t nr; uint32_t arch; uint64_t ip, args[6]; };

static bool known_operation(unsigned op) { return (op <= NEG || op == XOR) && op % 16 == 0; }

static bool valid_insn(const struct qn_bpf_insn *i, uint32_t at, uint32_t n)
{
    unsigned mode = i->code & 0xe0, op = i->code & 0xf0;

    if (i->code > 0xff)
        return false;
    switch (i->code & 7) {
    case LD: return !(i->code & 0x18) && (mode == ABS ? i->k < sizeof(struct data) && i->k % 4 == 0
                                          : mode == MEM ? i->k < MEMORY : mode == IMM || mode == LEN);
    case LDX: return !(i->code & 0x18) && (mode == MEM ? i->k < MEMORY : mode == IMM || mode == LEN);
    case ST:
    case STX: return i->code < 8 && i->k < MEMORY;
    case ALU: return known_operation(op) && !(op == DIV && !(i->code & SRC_X) && !i->k) &&
                     !((op == LSH || op == RSH) && !(i->code & SRC_X) && i->k > 31);
    case JMP: return op == JA ? i->code == JMP && i->k < n - at - 1 : op <= JSET && i->jt < n - at - 1 && i->jf < n - at - 1;
    case RET: return i->code == RET || i->code == (RET | RET_A);
    default: return i->code == MISC || i->code == (MISC | TXA);
    }
}

static bool valid(const struct qn_seccomp_filter *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (!valid_insn(&f->insn[i], i, f->n))
            return false;
    return (f->insn[f->n - 1].code & 7) == RET;
}

static uint32_t compute(unsigned op, uint32_t a, uint32_t b)
{
    switch (op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case DIV: return a / b; /* by zero: see run */
    case OR: return a | b;
    case AND: return a & b;
    case LSH: return a << (b & 31);
    case RSH: return a >> (b & 31);
    case NEG: return 0 - a;
    default: return a ^ b;
    }
}

static bool holds(unsigned op, uint32_t a, uint32_t b)
{
    return op == JEQ ? a == b : op == JGT ? a > b : op == JGE ? a >= b : (a & b) != 0;
}

static uint32_t load(const struct qn_bpf_insn *i, const struct data *d, const uint32_t *memory)
{
    uint32_t word;

    switch (i->code & 0xe0) {
    case IMM: return i->k;
    case MEM: return memory[i->k];
    case LEN: return sizeof *d;
    default: __builtin_memcpy(&word, (const uint8_t *)d + i->k, sizeof word); return word;
    }
}

static uint32_t run(const struct qn_seccomp_filter *f, const struct data *d)
{
    uint32_t a = 0, x = 0, memory[MEMORY] = {0};

    for (const struct qn_bpf_insn *i = f->insn;; i++) {
        uint32_t b = i->code & SRC_X ? x : i->k;

        switch (i->code & 7) {
        case LD: a = load(i, d, memory); break;
        case LDX: x = load(i, d, memory); break;
        case ST: memory[i->k] = a; break;
        case STX: memory[i->k] = x; break;
        case ALU:
            if ((i->code & 0xf0) == DIV && !b)
                return 0;
            a = compute(i->code & 0xf0, a, b);
            break;
        case JMP: i += (i->code & 0xf0) == JA ? i->k : holds(i->code & 0xf0, a, b) ? i->jt : i->jf; break;
        case RET: return i->code & RET_A ? a : i->k;
        default: *(i->code & TXA ? &a : &x) = i->code & TXA ? x : a; break;
        }
    }
}

/* The action of highest precedence, which is the smallest as a signed number, and its filter. */
static uint32_t ask(const struct qn_seccomp_filter *f, const struct data *d, const struct qn_seccomp_filter **whose)
{
    uint32_t answer = RET_ALLOW;

    for (; f; f = f->older) {
        uint32_t r = run(f, d);

        if ((int32_t)(r & RET_ACTION) < (int32_t)(answer & RET_ACTION)) {
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
    qn_format(text, sizeof text, "system call %D that a listener of a filter (SECCOMP_RET_USER_NOTIF) is to decide about", (int64_t)nr);
    qn_die_fatal(QN_FATAL_UNSUPPORTED, qn_ctx.rip - QN_SYSCALL_INSN_LEN, text);
}

bool qn_seccomp_allows(long nr, const long *a, long *r)
{
    struct qn_thread *t = qn_self;
    struct data d = {.nr = (int32_t)nr, .arch = ARCH_X86_64, .ip = qn_ctx.rip};
    const struct qn_seccomp_filter *whose = NULL;
    uint32_t answer;

    if (t->seccomp == MODE_STRICT && !strictly_allowed(nr)) {
        qn_sys2(__NR_kill, qn_sys1(__NR_getpid, 0), SIG_KILL);
        return false;
    }
    __builtin_memcpy(d.args, a, sizeof d.args);
    answer = ask(t->filters, &d, &whose);
    *r = nr; /* as after a call that has not been made */
    switch (answer & RET_ACTION) {
    case RET_ALLOW:
    case RET_LOG: return true;
    case RET_ERRNO: *r = -(long)((answer & ~RET_ACTION) < ERRNO_MAX ? answer & ~RET_ACTION : ERRNO_MAX); return false;
    case RET_USER_NOTIF:
        if (whose->listens)
            return leave_to_listener(nr);
        /* fall through */
    case RET_TRACE: *r = -ENOSYS; return false;
    case RET_TRAP: qn_signal_raise_call(SYS_SECCOMP_, (int)(answer & ~RET_ACTION), nr); return false;
    case RET_KILL_THREAD:
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
    return qn_sys6(__NR_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0, 0) == 1 || qn_is_capable(CAP_SYS_ADMIN_);
}

static void in_thread(struct qn_thread *t, const void *filter)
{
    t->filters = filter;
    t->seccomp = MODE_FILTER;
}

static long install(uint64_t flags, uint64_t from)
{
    struct qn_seccomp_filter *f;
    struct qn_bpf_program p;
    long listener = 0;

    if (flags & ~(uint64_t)(FLAG_TSYNC | FLAGS_HARMLESS | FLAGS_LISTENER) || qn_self->seccomp == MODE_STRICT)
        return -EINVAL;
    if (!qn_read_guest(from, &p, sizeof p))
        return -EFAULT;
    if (!p.n || p.n > QN_BPF_MAX || !p.insns)
        return -EINVAL;
    if (!may_install())
        return -EACCES;
    f = qn_engine_alloc(sizeof *f + p.n * sizeof f->insn[0]);
    f->n = p.n;
    f->older = qn_self->filters;
    if (!qn_read_guest(p.insns, f->insn, p.n * sizeof f->insn[0]))
        return -EFAULT;
    if (!valid(f))
        return -EINVAL;
    if (flags & FLAG_NEW_LISTENER) {
        listener = listen(f, flags);
        if (qn_sys_failed(listener))
            return listener;
        f->listens = true;
    }
    if (flags & FLAG_TSYNC)
        qn_thread_each_of_process(in_thread, f);
    in_thread(qn_self, f);
    return listener;
}

static long strict(void)
{
    if (qn_self->seccomp == MODE_FILTER)
        return -EINVAL;
    qn_self->seccomp = MODE_STRICT;
    return 0;
}

long qn_sys_seccomp(long nr, const long *a)
{
    switch (a[0]) {
    case SET_STRICT: return a[1] || a[2] ? -EINVAL : strict();
    case SET_FILTER: return install((uint64_t)a[1], (uint64_t)a[2]);
    default: return qn_sys3(nr, a[0], a[1], a[2]);
    }
}

/* prctl(PR_SET_SECCOMP, ...) */
long qn_sys_prctl_seccomp(long nr, const long *a)
{
    (void)nr;
    return a[1] == MODE_STRICT ? strict() : a[1] == MODE_FILTER ? install(0, (uint64_t)a[2]) : -EINVAL;
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

static long give_kernel_filter(const struct qn_bpf_insn *insn, uint32_t n, uint64_t flags)
{
    struct qn_bpf_program p = {(uint16_t)n, (uint64_t)(uintptr_t)insn};

    return qn_sys3(__NR_seccomp, SET_FILTER, (long)flags, (long)&p);
}

static long listen(const struct qn_seccomp_filter *f, uint64_t flags)
{
    uint32_t guest = (uint32_t)(uintptr_t)qn_syscall_commit + QN_SYSCALL_INSN_LEN, end = (uint32_t)(uintptr_t)_end;
    const struct qn_bpf_insn prologue[PROLOGUE] = {
        {LD | ABS, 0, 0, AT_IP + 4},             /* 0: the engine is not above 4 GiB: then to 7 */
        {JMP | JEQ, 0, 5, 0},
        {LD | ABS, 0, 0, AT_IP},
        {JMP | JGE, 0, 3, QN_ENGINE_BASE},
        {JMP | JGE, 2, 0, end},
        {JMP | JEQ, 1, 0, guest},
        {RET, 0, 0, RET_ALLOW},
        {LD | IMM, 0, 0, 0},                     /* 7: the accumulator is 0, as at the beginning of a filter */
    };
    static struct qn_bpf_insn whole[QN_BPF_MAX];

    if (f->n + PROLOGUE > QN_BPF_MAX)
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
        qn_self->seccomp = MODE_FILTER;
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

enum { MODE_OFF = 0, MODE_ON = 1, ALLOW = 0, BLOCK = 1 };
enum { SYS_USER_DISPATCH_ = 2 };

/* a: option, mode, offset, size, selector */
long qn_sys_user_dispatch(long nr, const long *a)
{
    struct qn_user_dispatch *d = &qn_self->user_dispatch;
    uint64_t offset = (uint64_t)a[2], size = (uint64_t)a[3], selector = (uint64_t)a[4];

    (void)nr;
    if (a[1] == MODE_OFF && !offset && !size && !selector) {
        d->on = false;
        return 0;
    }
    if (a[1] != MODE_ON || (offset && offset + size <= offset))
        return -EINVAL;
    *d = (struct qn_user_dispatch){true, offset, size, selector};
    return 0;
}

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
