/* lib/run/seccomp.c - filters of system calls that the program installs.
 *
 * Given to the kernel they would hit the engine's own calls as well.  So the engine keeps them and asks them itself, before it
 * does anything about a call of the guest:
 *
 *   struct seccomp_data { nr, arch, rip behind the call, six arguments }  -->  all filters  -->  the gravest answer
 *
 * The language is the classic packet filter's, less what the kernel does not allow here (linux/filter.h, kernel/seccomp.c).
 * Threads and forked processes inherit filters; a program that is executed untraced gets them from the kernel, a traced one goes
 * without, and a line says so.  Not supported: SECCOMP_RET_USER_NOTIF, whose listener is refused with EINVAL.
 */
#include "run/seccomp.h"

#include "run/signal.h"
#include "run/thread.h"

enum { E_ACCES = 13, E_FAULT = 14, E_INVAL = 22, E_NOMEM = 12, E_NOSYS = 38, ERRNO_MAX = 4095 };
enum { SET_STRICT = 0, SET_FILTER = 1, FLAG_TSYNC = 1, FLAGS_HARMLESS = 2 | 4, FLAG_NEW_LISTENER = 8, PR_GET_NO_NEW_PRIVS_ = 39, MODE_STRICT = 1, MODE_FILTER = 2 };
enum { SIG_SYS = 31, SYS_SECCOMP_ = 1 };
#define ARCH_X86_64 0xc000003eu
#define PROGRAM_MAX 4096u        /* instructions */
#define RET_KILL_PROCESS 0x80000000u
#define RET_KILL_THREAD 0u
#define RET_TRAP 0x30000u
#define RET_ERRNO 0x50000u
#define RET_TRACE 0x7ff00000u
#define RET_LOG 0x7ffc0000u
#define RET_ALLOW 0x7fff0000u
#define RET_ACTION 0xffff0000u

/* ---- the language: low three bits the class, then size and mode, or operation and source ---- */

struct insn { uint16_t code; uint8_t jt, jf; uint32_t k; };

enum { LD, LDX, ST, STX, ALU, JMP, RET, MISC };
enum { IMM = 0x00, ABS = 0x20, MEM = 0x60, LEN = 0x80 };
enum { ADD = 0x00, SUB = 0x10, MUL = 0x20, DIV = 0x30, OR = 0x40, AND = 0x50, LSH = 0x60, RSH = 0x70, NEG = 0x80, XOR = 0xa0 };
enum { JA = 0x00, JEQ = 0x10, JGT = 0x20, JGE = 0x30, JSET = 0x40 };
enum { SRC_X = 0x08, RET_A = 0x10, TXA = 0x80, MEMORY = 16 };

struct data { int32_t nr; uint32_t arch; uint64_t ip, args[6]; };

struct qn_seccomp_filter {
    const struct qn_seccomp_filter *older;
    uint32_t n;
    struct insn insn[];
};

static bool known_operation(unsigned op) { return (op <= NEG || op == XOR) && op % 16 == 0; }

static bool valid_insn(const struct insn *i, uint32_t at, uint32_t n)
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

static uint32_t load(const struct insn *i, const struct data *d, const uint32_t *memory)
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

    for (const struct insn *i = f->insn;; i++) {
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

/* The gravest answer: actions are ordered as signed numbers. */
static uint32_t ask(const struct qn_seccomp_filter *f, const struct data *d)
{
    uint32_t answer = RET_ALLOW;

    for (; f; f = f->older) {
        uint32_t r = run(f, d);

        if ((int32_t)(r & RET_ACTION) < (int32_t)(answer & RET_ACTION))
            answer = r;
    }
    return answer;
}

/* ---- what becomes of a call ---- */

static void die_of(int sig)
{
    const struct qn_siginfo info = {.signo = sig, .code = SI_KERNEL_};

    qn_signal_default_action(&info);
}

static void trap(const struct data *d, uint32_t errno_value)
{
    struct qn_thread *t = qn_self;

    t->fault_info = (struct qn_siginfo){.signo = SIG_SYS, .err = (int32_t)errno_value, .code = SYS_SECCOMP_};
    t->fault_info.words[0] = d->ip;
    t->fault_info.words[1] = (uint32_t)d->nr | (uint64_t)d->arch << 32;
    t->pending_fault = 1;
    t->pending |= 2;
}

static bool strictly_allowed(long nr)
{
    return nr == __NR_read || nr == __NR_write || nr == __NR_exit || nr == __NR_rt_sigreturn;
}

bool qn_seccomp_allows(long nr, const long *a, long *r)
{
    struct qn_thread *t = qn_self;
    struct data d = {.nr = (int32_t)nr, .arch = ARCH_X86_64, .ip = qn_ctx.rip};
    uint32_t answer;

    if (t->seccomp == MODE_STRICT && !strictly_allowed(nr)) {
        qn_sys2(__NR_kill, qn_sys1(__NR_getpid, 0), SIG_KILL);
        return false;
    }
    __builtin_memcpy(d.args, a, sizeof d.args);
    answer = ask(t->filters, &d);
    *r = nr; /* as after a call that has not been made */
    switch (answer & RET_ACTION) {
    case RET_ALLOW:
    case RET_LOG: return true;
    case RET_ERRNO: *r = -(long)((answer & ~RET_ACTION) < ERRNO_MAX ? answer & ~RET_ACTION : ERRNO_MAX); return false;
    case RET_TRACE: *r = -E_NOSYS; return false;
    case RET_TRAP: trap(&d, answer & ~RET_ACTION); return false;
    case RET_KILL_THREAD:
        if (!qn_thread_is_last())
            qn_thread_exit(SIG_SYS);
        /* fall through */
    default: die_of(SIG_SYS); return false;
    }
}

/* ---- installing ---- */

struct program { uint16_t n; uint64_t insns; };

static bool may_install(void)
{
    /* With a pointer to nothing the kernel looks at privileges only where it comes to that: so ask for the bit, and for root. */
    return qn_sys6(__NR_prctl, PR_GET_NO_NEW_PRIVS_, 0, 0, 0, 0, 0) == 1 || qn_sys1(__NR_geteuid, 0) == 0;
}

static void in_thread(struct qn_thread *t, const void *filter)
{
    t->filters = filter;
    t->seccomp = MODE_FILTER;
}

static long install(uint64_t flags, uint64_t from)
{
    struct qn_seccomp_filter *f;
    struct program p;

    if (flags & FLAG_NEW_LISTENER)
        qn_unsupported("a listener for filters of system calls (SECCOMP_FILTER_FLAG_NEW_LISTENER) is refused");
    if (flags & ~(uint64_t)(FLAG_TSYNC | FLAGS_HARMLESS) || qn_self->seccomp == MODE_STRICT)
        return -E_INVAL;
    if (!qn_read_guest(from, &p, sizeof p))
        return -E_FAULT;
    if (!p.n || p.n > PROGRAM_MAX || !p.insns)
        return -E_INVAL;
    if (!may_install())
        return -E_ACCES;
    f = qn_engine_alloc(sizeof *f + p.n * sizeof f->insn[0]);
    f->n = p.n;
    f->older = qn_self->filters;
    if (!qn_read_guest(p.insns, f->insn, p.n * sizeof f->insn[0]))
        return -E_FAULT;
    if (!valid(f))
        return -E_INVAL;
    if (flags & FLAG_TSYNC)
        qn_thread_each_of_process(in_thread, f);
    in_thread(qn_self, f);
    return 0;
}

static long strict(void)
{
    if (qn_self->seccomp == MODE_FILTER)
        return -E_INVAL;
    qn_self->seccomp = MODE_STRICT;
    return 0;
}

long qn_sys_seccomp(const long *a)
{
    switch (a[0]) {
    case SET_STRICT: return a[1] || a[2] ? -E_INVAL : strict();
    case SET_FILTER: return install((uint64_t)a[1], (uint64_t)a[2]);
    default: return qn_sys3(__NR_seccomp, a[0], a[1], a[2]);
    }
}

long qn_sys_prctl_seccomp(const long *a)
{
    return a[1] == MODE_STRICT ? strict() : a[1] == MODE_FILTER ? install(0, (uint64_t)a[2]) : -E_INVAL;
}

/* ---- execve, untraced ---- */

static void give_to_kernel(const struct qn_seccomp_filter *f)
{
    struct program p;

    if (!f)
        return;
    give_to_kernel(f->older);
    p = (struct program){(uint16_t)f->n, (uint64_t)(uintptr_t)f->insn};
    qn_sys3(__NR_seccomp, SET_FILTER, 0, (long)&p);
}

void qn_seccomp_exec(const struct qn_thread *t, bool traced)
{
    if (!t->filters)
        return;
    if (traced)
        qn_unsupported("the program's filters of system calls (seccomp) do not hold in the program that it executes");
    else
        give_to_kernel(t->filters);
}
