/* lib/run/core/attempt.c - executes an instruction of the guest in the engine, on the guest's memory, or tries whether it would fault.
 *
 *   qn_attempt(QN_ATTEMPT_FNSTENV16, at, 0)     the processor stores 14 bytes at this address: true
 *                                               it faults: false; qn_attempt_raise() makes SIGSEGV or SIGBUS pending
 *   qn_attempt_code(at)                         the processor fetches an instruction there and executes it: true
 *                                               page fault, #UD, ...: false, and qn_attempt_fault tells which
 *
 * The engine uses the same instruction as the guest, so a handler sees the processor's own fault (signal, code, address, error code).
 * The reported address, and the number of bytes stored before the fault, differ between processors.  While the engine runs, vector and
 * x87 state are the guest's; the general registers are not.
 */
#include "run/core/attempt.h"

#include "run/kernel/signal/signal.h"
#include "sim/service.h"

/* rdi: address, edx:eax: components; rax: 1, or after a fault 0. */
#define ATTEMPT(name, insn) ".globl " #name "\n" #name ": mov %esi, %eax\n " insn "\n mov $1, %eax\n ret\n"

__asm__("qn_attempt_begin:\n" /* clang-format off */
        ATTEMPT(qn_attempt_fnstenv16, ".byte 0x66; fnstenv (%rdi)")
        ATTEMPT(qn_attempt_fnsave16, ".byte 0x66; fnsave (%rdi)")
        ATTEMPT(qn_attempt_xsave, "xsave (%rdi)")
        ATTEMPT(qn_attempt_xsave64, "xsave64 (%rdi)")
        ATTEMPT(qn_attempt_xsavec, "xsavec (%rdi)")
        ATTEMPT(qn_attempt_xsavec64, "xsavec64 (%rdi)")
        ATTEMPT(qn_attempt_xrstor, "xrstor (%rdi)")
        ATTEMPT(qn_attempt_xrstor64, "xrstor64 (%rdi)")
        ATTEMPT(qn_attempt_fxrstor64, "fxrstor64 (%rdi)")
        ATTEMPT(qn_attempt_probe, "lock orb $0, (%rdi)")
        /* qn_peek(address, word) */
        ".globl qn_peek\n"
        "qn_peek: mov (%rdi), %rdi\n mov %rdi, (%rsi)\n mov $1, %eax\n ret\n" /* clang-format on */
        "qn_attempt_end:\n"
        "qn_attempt_failed: xor %eax, %eax\n"
        " ret\n"

        /* qn_attempt_jump(address, &sp): with the guest's registers; the trap flag is set, so that the processor traps in front of the
         * jump, before the first instruction there, and behind it.  Each trap or fault returns, by way of qn_attempt_takes: 1 or 0 in rax. */
        "qn_attempt_jump: push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
        " mov %rsp, (%rsi)\n"
        " mov %rdi, qn_attempt_target(%rip)\n"
        " mov qn_ctx+0, %rax\n mov qn_ctx+8, %rcx\n mov qn_ctx+16, %rdx\n mov qn_ctx+24, %rbx\n"
        " mov qn_ctx+40, %rbp\n mov qn_ctx+48, %rsi\n mov qn_ctx+56, %rdi\n mov qn_ctx+64, %r8\n"
        " mov qn_ctx+72, %r9\n mov qn_ctx+80, %r10\n mov qn_ctx+88, %r11\n mov qn_ctx+96, %r12\n"
        " mov qn_ctx+104, %r13\n mov qn_ctx+112, %r14\n mov qn_ctx+120, %r15\n"
        " pushfq\n orl $0x100, (%rsp)\n popfq\n"
        " mov qn_ctx+32, %rsp\n"
        "qn_attempt_leave: jmp *qn_attempt_target(%rip)\n"
        "qn_attempt_back: cld\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret");

extern char qn_attempt_begin[], qn_attempt_end[], qn_attempt_failed[], qn_attempt_leave[], qn_attempt_back[];
typedef bool attempt(uint64_t at, uint32_t low, uint32_t high);
attempt qn_attempt_fnstenv16, qn_attempt_fnsave16, qn_attempt_xsave, qn_attempt_xsave64, qn_attempt_xsavec, qn_attempt_xsavec64,
    qn_attempt_xrstor, qn_attempt_xrstor64, qn_attempt_fxrstor64, qn_attempt_probe;
bool qn_attempt_jump(uint64_t at, uint64_t *sp);

struct qn_fault qn_attempt_fault;
uint64_t qn_attempt_target; /* address of the code that is tried */
static uint64_t jump_sp;    /* 0: no code is tried */

bool qn_attempt(enum qn_attempt what, uint64_t at, uint64_t components)
{
    static attempt *const how[] = {qn_attempt_fnstenv16, qn_attempt_fnsave16, qn_attempt_xsave,
                                   qn_attempt_xsave64, qn_attempt_xsavec, qn_attempt_xsavec64,
                                   qn_attempt_xrstor, qn_attempt_xrstor64, qn_attempt_fxrstor64, qn_attempt_probe};

    return how[what](at, (uint32_t)components, (uint32_t)(components >> 32));
}

bool qn_attempt_code(uint64_t at) { return qn_attempt_jump(at, &jump_sp); }

bool qn_attempt_bytes(const uint8_t *bytes, unsigned n)
{
    enum { READ_WRITE_EXECUTE = 7, NOTHING = 0 };
    static uint8_t *page; /* the next one cannot be accessed */

    if (!page) {
        page = qn_engine_alloc(2 * QN_PAGE);
        if (qn_sys3(__NR_mprotect, (long)page, QN_PAGE, READ_WRITE_EXECUTE) || qn_sys3(__NR_mprotect, (long)page + QN_PAGE, QN_PAGE, NOTHING))
            qn_die_fatal(QN_FATAL_RESOURCE, qn_ctx.rip, "cannot make a page to try instructions");
    }
    __builtin_memcpy(page + QN_PAGE - n, bytes, n);
    return qn_attempt_code((uint64_t)(uintptr_t)page + QN_PAGE - n);
}

void qn_attempt_raise(void)
{
    struct qn_thread *t = qn_self;

    t->fault_info = qn_attempt_fault.info;
    t->fault_err = qn_attempt_fault.err;
    t->fault_trap = qn_attempt_fault.trap;
    if (qn_attempt_fault.trap == PAGE_FAULT)
        t->fault_cr2 = qn_attempt_fault.cr2;
    qn_signal_raise_noted();
}

static void note(const struct qn_siginfo *info, const struct qn_ucontext *uc)
{
    qn_attempt_fault = (struct qn_fault){*info, uc->mc.ip, uc->mc.err, uc->mc.trapno, uc->mc.cr2};
}

/* The code that is tried has trapped or faulted: goes back to qn_attempt_code. */
static bool jumped(const struct qn_siginfo *info, struct qn_ucontext *uc)
{
    bool trapped = info->signo == SIG_TRAP && info->code == TRAP_TRACE_;

    if (trapped && (uc->mc.ip == (uint64_t)(uintptr_t)qn_attempt_leave || uc->mc.ip == qn_attempt_target)) /* it has not been executed yet */
        return true;
    note(info, uc);
    uc->mc.ax = trapped;
    uc->mc.ip = (uint64_t)(uintptr_t)qn_attempt_back;
    uc->mc.sp = jump_sp;
    uc->mc.flags &= ~(uint64_t)FLAG_TF;
    jump_sp = 0;
    return true;
}

bool qn_attempt_takes(const struct qn_siginfo *info, struct qn_ucontext *uc)
{
    if (jump_sp)
        return jumped(info, uc);
    if (uc->mc.ip < (uint64_t)(uintptr_t)qn_attempt_begin || uc->mc.ip >= (uint64_t)(uintptr_t)qn_attempt_end)
        return false;
    note(info, uc);
    uc->mc.ip = (uint64_t)(uintptr_t)qn_attempt_failed;
    return true;
}
