/* lib/run/core/die.c - ends the run after a fatal error: the reason goes into the arena, for the collector; the counts are kept. */
#include "base/format.h"
#include "decode/decode.h"
#include "run/kernel/signal.h"
#include "run/run.h"
#include "sim/module.h"
#include "sim/service.h"
#include "sim/shadow.h"
#include "tcache/tcache.h"

#define EXIT_UNSUPPORTED 70 /* EX_SOFTWARE of sysexits.h */

/* tests/coverage/engine.c has another, which is linked instead. */
__attribute__((weak)) void qn_coverage_save(void) {}

_Noreturn void qn_exit_group(int code)
{
    qn_coverage_save();
    for (;;)
        qn_sys1(__NR_exit_group, code);
}

static void write_stderr(const char *text)
{
    qn_sys3(__NR_write, 2, (long)text, (long)qn_strlen(text));
}

_Noreturn void qn_die_fatal(enum qn_fatal kind, uint64_t pc, const char *text)
{
    if (!qn_arena) { /* before the arena is mapped there is only the terminal */
        write_stderr("quern-engine: ");
        write_stderr(text);
        write_stderr("\n");
        qn_exit_group(EXIT_UNSUPPORTED);
    }
    if (kind == QN_FATAL_UNSUPPORTED)
        qn_arena_unsupported(text);
    qn_arena->fatal_pc = pc;
    qn_format(qn_arena->fatal_text, sizeof qn_arena->fatal_text, "%s", text);
    qn_arena->fatal = kind;
    qn_exit_group(EXIT_UNSUPPORTED);
}

/* A line for the profile: the bytes of the instruction and their address. */
static void note_bad_insn(uint64_t pc, unsigned n)
{
    char text[160];
    size_t used = qn_format(text, sizeof text, "instruction at %lx:", pc);

    for (unsigned i = 0; i < n; i++)
        used += qn_format(text + used, sizeof text - used, " %02x", qn_arena->fatal_bytes[i]);
    qn_arena_unsupported(text);
}

_Noreturn void qn_die_bad_insn(uint64_t pc)
{
    unsigned n = QN_INSN_MAX_LEN;

    while (n && !qn_read_guest(pc, qn_arena->fatal_bytes, n))
        n--;
    qn_arena->fatal_len = (int32_t)n;
    note_bad_insn(pc, n);
    qn_die_fatal(QN_FATAL_INSN, pc, "undecodable or unsupported instruction");
}

_Noreturn void qn_die_load(int err)
{
    qn_arena->fatal_errno = err;
    qn_die_fatal(QN_FATAL_LOAD, 0, "cannot load the program");
}

/* The program is linked at these addresses, where there is something already. */
_Noreturn void qn_die_linked(uint64_t start, uint64_t end)
{
    char text[240];
    bool low = start < QN_LOW_TABLES_END, ours = qn_is_engine_range(start, end - start);

    qn_format(text, sizeof text, "it is linked at 0x%lx to 0x%lx, and %s 0x%llx to 0x%llx (doc/limits.md): link it elsewhere, or position-independent",
              start, end, ours ? "quern's own memory is at" : "other memory lies there; quern's own is at",
              low ? QN_COUNTERS_BASE : QN_HIGH_BASE, low ? QN_LOW_TABLES_END : QN_HIGH_END);
    qn_die_fatal(QN_FATAL_LOAD, 0, text);
}

_Noreturn void qn_engine_die(const char *what, uint64_t a, uint64_t b)
{
    char text[200];

    qn_format(text, sizeof text, "%s (%lx, %lx)", what, a, b);
    qn_die_fatal(QN_FATAL_INTERNAL, qn_ctx.rip, text);
}

_Noreturn void qn_engine_check_failed(const char *what)
{
    qn_die_fatal(QN_FATAL_CHECK, qn_ctx.arg_pc, what);
}

/* ---- faults of the engine and of modules ---- */

extern const char __executable_start[], etext[]; /* the linker's: the engine's code lies between them */

static bool is_code(uint64_t address)
{
    return address - (uint64_t)(uintptr_t)__executable_start < (uint64_t)(uintptr_t)etext - (uint64_t)(uintptr_t)__executable_start;
}

static void note_places(uint64_t pc, uint64_t sp)
{
    struct qn_sim_output *o = &qn_arena->sim_output;
    uint64_t words[QN_PAGE / 8];
    struct { uint64_t base, len; } to = {(uint64_t)(uintptr_t)words, sizeof words}, from = {sp, sizeof words};
    struct qn_sim_culprit c;
    uint32_t n = 0;
    long got;

    if (!qn_sim_current_module(&c))
        return;
    got = qn_sys6(__NR_process_vm_readv, qn_sys1(__NR_getpid, 0), (long)&to, 1, (long)&from, 1, 0); /* up to the stack's end, without a fault */
    o->places[n++] = pc;
    for (long i = 0; i < got / 8 && n < QN_PLACES_MAX; i++)
        if (is_code(words[i]))
            o->places[n++] = words[i];
    o->n_places = n;
}

void qn_note_places(const struct qn_ucontext *uc) { note_places(uc->mc.ip, uc->mc.sp); }

static bool crashed;

_Noreturn void qn_engine_module_failed(const char *line)
{
    if (!crashed)
        note_places((uint64_t)(uintptr_t)__builtin_return_address(0), (uint64_t)(uintptr_t)__builtin_frame_address(0));
    qn_die_fatal(QN_FATAL_MODULE, 0, line);
}

/* Is it an address in a guard below one of the engine's stacks (switch.S, thread.c)? */
static bool on_guard(uint64_t addr)
{
    return addr - (uint64_t)(uintptr_t)qn_stack_guard_low < QN_STACK_GUARD ||
           addr - (uint64_t)(uintptr_t)qn_stack_guard_high < QN_STACK_GUARD || addr - qn_self->guard < QN_THREAD_GUARD;
}

static const char *crash(const struct qn_siginfo *info)
{
    if (info->signo == SIG_SEGV && on_guard(info->fault.addr))
        return "its stack is full: a recursion without end?";
    return info->signo == SIG_SEGV || info->signo == SIG_BUS ? SIM_CRASHED "an access out of bounds"
           : info->signo == SIG_FPE                          ? SIM_CRASHED "a division by zero"
                                                             : SIM_CRASHED SIM_TRAPPED;
}

_Noreturn void qn_die_of_fault(const struct qn_siginfo *info, const struct qn_ucontext *uc)
{
    struct qn_sim_culprit c;

    qn_note_places(uc);
    crashed = true;
    if (qn_sim_current_module(&c))
        sim_fail(c.slot, c.module, c.function, c.reference, crash(info));
    qn_engine_die(info->signo == SIG_SEGV ? "the engine itself faulted (pc, address)" : "the engine itself trapped (pc, address)",
                  uc->mc.ip, info->fault.addr);
}
