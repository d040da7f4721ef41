/* lib/run/core/guarded.c - guarded execution: the engine executes an instruction of the guest, on the guest's memory, and a fault returns.
 *
 *   qn_guarded_insn(QN_GUARDED_FNSTENV16, at, 0)     the processor stores 14 bytes at this address: true
 *                                               it faults: false; qn_guarded_raise() makes SIGSEGV or SIGBUS pending
 *   qn_guarded_code(at)                         the processor fetches an instruction there and executes it: true
 *                                               page fault, #UD, ...: false, and qn_guarded_fault tells which
 *
 * The engine uses the same instruction as the guest, so a handler sees the processor's own fault (signal, code, address, error code).
 * The reported address, and the number of bytes stored before the fault, differ between processors.  While the engine runs, vector and
 * x87 state are the guest's; the general registers are not.
 */
#include "run/core/core.h"

#include "run/kernel/signal.h"
#include "sim/service.h"

/* rdi: address, edx:eax: components; rax: 1, or after a fault 0. */
#define GUARDED(name, insn) ".globl " #name "\n" #name ": mov %esi, %eax\n " insn "\n mov $1, %eax\n ret\n"

__asm__("qn_guarded_begin:\n" /* clang-format off */
        GUARDED(qn_guarded_fnstenv16, ".byte 0x66; fnstenv (%rdi)")
        GUARDED(qn_guarded_fnsave16, ".byte 0x66; fnsave (%rdi)")
        GUARDED(qn_guarded_xsave, "xsave (%rdi)")
        GUARDED(qn_guarded_xsave64, "xsave64 (%rdi)")
        GUARDED(qn_guarded_xsavec, "xsavec (%rdi)")
        GUARDED(qn_guarded_xsavec64, "xsavec64 (%rdi)")
        GUARDED(qn_guarded_xrstor, "xrstor (%rdi)")
        GUARDED(qn_guarded_xrstor64, "xrstor64 (%rdi)")
        GUARDED(qn_guarded_fxrstor64, "fxrstor64 (%rdi)")
        GUARDED(qn_guarded_probe, "lock orb $0, (%rdi)")
        /* qn_peek(address, word) */
        ".globl qn_peek\n"
        "qn_peek: mov (%rdi), %rdi\n mov %rdi, (%rsi)\n mov $1, %eax\n ret\n"
        ".globl qn_guarded_copy\n"
        "qn_guarded_copy: mov %rdx, %rcx\n rep movsb\n mov $1, %eax\n ret\n" /* clang-format on */
        "qn_guarded_end:\n"
        "qn_guarded_failed: xor %eax, %eax\n"
        " ret");

extern char qn_guarded_begin[], qn_guarded_end[], qn_guarded_failed[], qn_guarded_leave[], qn_guarded_back[];
typedef bool guarded(uint64_t at, uint32_t low, uint32_t high);
guarded qn_guarded_fnstenv16, qn_guarded_fnsave16, qn_guarded_xsave, qn_guarded_xsave64, qn_guarded_xsavec, qn_guarded_xsavec64,
    qn_guarded_xrstor, qn_guarded_xrstor64, qn_guarded_fxrstor64, qn_guarded_probe;
bool qn_guarded_jump(uint64_t at, uint64_t *sp);

struct qn_fault qn_guarded_fault;
uint64_t qn_guarded_target; /* address of the code that is tried */
static uint64_t jump_sp;    /* 0: no code is tried */

bool qn_guarded_insn(enum qn_guarded what, uint64_t at, uint64_t components)
{
    static guarded *const how[] = {qn_guarded_fnstenv16, qn_guarded_fnsave16, qn_guarded_xsave,
                                   qn_guarded_xsave64, qn_guarded_xsavec, qn_guarded_xsavec64,
                                   qn_guarded_xrstor, qn_guarded_xrstor64, qn_guarded_fxrstor64, qn_guarded_probe};

    return how[what](at, (uint32_t)components, (uint32_t)(components >> 32));
}

bool qn_guarded_code(uint64_t at) { return qn_guarded_jump(at, &jump_sp); }

bool qn_guarded_bytes(const uint8_t *bytes, unsigned n)
{
    enum { READ_WRITE_EXECUTE = 7, NOTHING = 0 };
    static uint8_t *page; /* the next one cannot be accessed */

    if (!page) {
        page = qn_engine_alloc(2 * QN_PAGE);
        if (qn_sys3(__NR_mprotect, (long)page, QN_PAGE, READ_WRITE_EXECUTE) || qn_sys3(__NR_mprotect, (long)page + QN_PAGE, QN_PAGE, NOTHING))
            qn_die_fatal(QN_FATAL_RESOURCE, qn_ctx.rip, "cannot make a page to try instructions");
    }
    __builtin_memcpy(page + QN_PAGE - n, bytes, n);
    return qn_guarded_code((uint64_t)(uintptr_t)page + QN_PAGE - n);
}

void qn_guarded_raise(void)
{
    struct qn_thread *t = qn_self;

    t->fault_info = qn_guarded_fault.info;
    t->fault_err = qn_guarded_fault.err;
    t->fault_trap = qn_guarded_fault.trap;
    if (qn_guarded_fault.trap == PAGE_FAULT)
        t->fault_cr2 = qn_guarded_fault.cr2;
    qn_signal_raise_noted();
}

static void note(const struct qn_siginfo *info, const struct qn_ucontext *uc)
{
    qn_guarded_fault = (struct qn_fault){*info, uc->mc.ip, uc->mc.err, uc->mc.trapno, uc->mc.cr2};
}

/* The code that is tried has trapped or faulted: goes back to qn_guarded_code. */
static bool jumped(const struct qn_siginfo *info, struct qn_ucontext *uc)
{
    bool trapped = info->signo == SIG_TRAP && info->code == TRAP_TRACE_;

    if (trapped && (uc->mc.ip == (uint64_t)(uintptr_t)qn_guarded_leave || uc->mc.ip == qn_guarded_target)) /* it has not been executed yet */
        return true;
    note(info, uc);
    uc->mc.ax = trapped;
    uc->mc.ip = (uint64_t)(uintptr_t)qn_guarded_back;
    uc->mc.sp = jump_sp;
    uc->mc.flags &= ~(uint64_t)FLAG_TF;
    jump_sp = 0;
    return true;
}

bool qn_guarded_takes(const struct qn_siginfo *info, struct qn_ucontext *uc)
{
    if (jump_sp)
        return jumped(info, uc);
    if (uc->mc.ip < (uint64_t)(uintptr_t)qn_guarded_begin || uc->mc.ip >= (uint64_t)(uintptr_t)qn_guarded_end)
        return false;
    note(info, uc);
    uc->mc.ip = (uint64_t)(uintptr_t)qn_guarded_failed;
    return true;
}
