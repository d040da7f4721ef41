/* lib/run/kernel/signal.h - signal numbers, kernel constants and shared functions of signal.c, signal_frame.c and core/precise.c. */
#ifndef QN_RUN_SIGNAL_H
#define QN_RUN_SIGNAL_H

#include "run/run.h"

enum { SIG_ILL = 4, SIG_TRAP = 5, SIG_BUS = 7, SIG_FPE = 8, SIG_KILL = 9, SIG_SEGV = 11, SIG_STOP = 19, SIG_SYS = 31 };
enum { SA_NOCLDSTOP_ = 1, SA_NOCLDWAIT_ = 2, SA_SIGINFO_ = 4, SA_RESTORER_ = 0x04000000, SA_ONSTACK_ = 0x08000000,
       SA_RESTART_ = 0x10000000, SA_NODEFER_ = 0x40000000 };
#define SA_RESETHAND_ 0x80000000u
#define SA_EXPOSE_TAGBITS_ 0x800u
#define KNOWN_FLAGS (SA_NOCLDSTOP_ | SA_NOCLDWAIT_ | SA_SIGINFO_ | SA_RESTORER_ | SA_ONSTACK_ | SA_RESTART_ | SA_NODEFER_ | SA_RESETHAND_ | SA_EXPOSE_TAGBITS_)
enum { SS_ONSTACK_ = 1, SS_DISABLE_ = 2 };
#define SS_AUTODISARM_ (1u << 31)
enum { SI_KERNEL_ = 0x80, TRAP_BRKPT_ = 1, TRAP_TRACE_ = 2, SEGV_MAPERR_ = 1, SEGV_ACCERR_ = 2, FPE_INTOVF_ = 2 };
#define HANDLER_DFL 0
#define HANDLER_IGN 1
enum { DIVIDE_ERROR = 0, DEBUG_TRAP = 1, UNDEFINED_OPCODE = 6, GENERAL_PROTECTION = 13, PAGE_FAULT = 14, MATH_FAULT = 16 }; /* vectors */
#define ERR_FETCH 0x10u /* of a page fault's error code */
#define FLAG_ZF 0x40u
#define FLAG_TF 0x100u
#define FLAG_DF 0x400u
#define FLAG_RF 0x10000u
#define FLAG_AC 0x40000u

static inline qn_sigset sig_bit(int sig) { return 1ull << (sig - 1); }

/* Signals that faults raise.  A fault whose signal is blocked kills, so when the guest blocks these, they are blocked in the kernel, too,
 * except SIGTRAP, which the engine needs. */
#define SYNC_SIGNALS ((1ull << (SIG_ILL - 1)) | (1ull << (SIG_TRAP - 1)) | (1ull << (SIG_BUS - 1)) | \
                      (1ull << (SIG_FPE - 1)) | (1ull << (SIG_SEGV - 1)))
#define UNBLOCKABLE ((1ull << (SIG_KILL - 1)) | (1ull << (SIG_STOP - 1)))

static inline bool is_sync(int sig) { return (SYNC_SIGNALS >> (sig - 1)) & 1; }

/* As the kernel's __on_sig_stack, with the same bounds; a stack with SS_AUTODISARM is never in use. */
static inline bool on_altstack(const struct qn_thread *t, uint64_t sp)
{
    const struct qn_stack *s = &t->altstack;

    return !(s->flags & (SS_DISABLE_ | (int32_t)SS_AUTODISARM_)) && sp > s->sp && sp - s->sp <= s->size;
}

bool qn_signal_set_altstack(const struct qn_stack *given, int *err); /* sp: the guest's */

/* core/precise.c: fill qn_ctx with the guest's state at a host context inside the code cache. */
struct qn_recovered {
    uint32_t block;   /* index */
    unsigned insn;    /* guest instruction in whose code the host is, or about to start */
};
bool qn_recover_fault(struct qn_ucontext *uc, bool after);
uint64_t qn_recover_pc(uint64_t host);
bool qn_recover_is_behind_int3(uint64_t host); /* is `host` directly after a copied int3? */
/* At a block boundary?  If so fills qn_ctx and returns true. */
bool qn_recover_boundary(struct qn_ucontext *uc);
void qn_signal_set_host_mask(qn_sigset guest);
void qn_signal_raise_call(int code, int err, long nr); /* SIGSYS instead of this call, at ctx.rip */
void qn_signal_die(const struct qn_siginfo *info); /* takes the default action of a fault's signal, which cannot be blocked */
/* Reads the guest's word at this address; false: not all of it can be read (core/guarded.c). */
bool qn_peek(uint64_t address, uint64_t *word);
void qn_signal_no_frame(int sig); /* there is no room for the frame of a handler */

/* die.c: ends the run, because the engine itself, or a module, has faulted. */
_Noreturn void qn_die_of_fault(const struct qn_siginfo *info, const struct qn_ucontext *uc);
/* die.c: if a module is being called, notes where it stands. */
void qn_note_places(const struct qn_ucontext *uc);

#endif
