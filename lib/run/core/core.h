/* lib/run/core/core.h - the processor, guarded execution of the guest's instructions, truncated mappings, and execution modes. */
#ifndef QN_RUN_CORE_H
#define QN_RUN_CORE_H

#include "emit/emit.h"
#include "event/event.h"
#include "run/run.h"

/* ---- the processor (cpu.c) ---- */

/* The features of the processor that the engine uses. */
enum qn_host_feature { QN_HOST_XSAVE, QN_HOST_AVX, QN_HOST_BMI1, QN_HOST_AVX2, QN_HOST_BMI2, QN_HOST_AVX512F, QN_HOST_AVX512BW, QN_HOST_AVX512VL };

bool qn_host_has(enum qn_host_feature f);    /* may the engine use it? */
bool qn_host_serves(enum qn_host_feature f); /* may the guest or the engine use it? */
enum qn_vectors qn_host_vectors(void);       /* the vector instructions that the engine may use */
uint64_t qn_host_state(void);                /* components of XCR0 with registers that the guest may use; 0: no xsave, only x87 and SSE */

void qn_cpu_init(void); /* before the first block */
uint64_t qn_cpu_state(void); /* XCR0 as the guest sees it */
uint32_t qn_cpu_state_bytes(uint64_t components, bool compact); /* the size of the area that xsave, or xsavec, writes for these */
uint64_t qn_cpu_hwcap(unsigned word, uint64_t hwcap); /* AT_HWCAP, AT_HWCAP2 (word 1, 2) as the kernel gave them */

/* ---- guarded execution (guarded.c) ---- */

enum qn_guarded { QN_GUARDED_FNSTENV16, QN_GUARDED_FNSAVE16, QN_GUARDED_XSAVE, QN_GUARDED_XSAVE64, QN_GUARDED_XSAVEC, QN_GUARDED_XSAVEC64,
                  QN_GUARDED_XRSTOR, QN_GUARDED_XRSTOR64, QN_GUARDED_FXRSTOR64,
                  QN_GUARDED_PROBE /* writes a byte back: can the guest write there? */ };

/* Executes the instruction with the guest's memory at this address (any address) as its operand; components: edx:eax, for the xsave
 * family.  false: it faulted, and nothing has changed except bytes that the processor has stored before the fault. */
bool qn_guarded_insn(enum qn_guarded what, uint64_t at, uint64_t components);

/* Copies bytes, of which some may be inaccessible.  false: it has faulted on the way. */
bool qn_guarded_copy(uint64_t to, uint64_t from, uint64_t size);

/* The processor executes what is at this address, with the guest's registers.  true: one instruction was completed, and may have changed
 * anything but general registers; false: it faulted. */
bool qn_guarded_code(uint64_t at);

/* The same for n bytes of the guest's, of which the processor finds no more than these: n is below QN_INSN_MAX_LEN where memory behind
 * them cannot be fetched. */
bool qn_guarded_bytes(const uint8_t *bytes, unsigned n);

/* After a fault: raises the same fault for the guest, at ctx.rip. */
void qn_guarded_raise(void);

/* The fault of the last guarded execution. */
struct qn_fault {
    struct qn_siginfo info;
    uint64_t ip, err, trap, cr2; /* cr2: if it is a page fault */
};
extern struct qn_fault qn_guarded_fault;

/* For the signal handler: did guarded execution fault here?  Then it returns. */
bool qn_guarded_takes(const struct qn_siginfo *info, struct qn_ucontext *uc);

/* ---- code whose file has become shorter than its mapping (guest_memory.c) ---- */

void qn_truncated_reading(bool on);                              /* the translator begins or ends reading code; it can be restarted meanwhile */
bool qn_truncated_take(struct qn_ucontext *uc, uint64_t addr);   /* a SIGBUS or SIGSEGV in the engine; true: it was handled, and the dispatcher restarts */
bool qn_truncated_fetch(uint64_t pc);                            /* control reached an address without code; true: this was the cause, and it was handled */

/* ---- execution modes (mode.c) ---- */

enum { QN_SCOPE_OFF, QN_SCOPE_ON }; /* from QN_SCOPE_ON on, one for each region; then, with samples: */
enum { QN_SCOPE_ASIDE = 253, QN_SCOPE_BATCH, QN_SCOPE_REST };
#define QN_VARIANT_INSIDE 255u    /* the entry of a function of --toggle (in QN_SCOPE_OFF) or --dump-before (in all) as any other block */

struct qn_mode_rules {
    struct qn_emit_rules emit;
    struct qn_event_rules event;
};

extern unsigned qn_mode; /* the scope in which the running thread executes */

bool qn_mode_has_room(unsigned scope); /* false: there are too many scopes for another region's */
void qn_mode_choose(unsigned scope);
const struct qn_mode_rules *qn_mode_rules(unsigned mode);
void qn_mode_note_time(void); /* updates the arena's times */
void qn_mode_forked(void);    /* the arena is that of a new process */
bool qn_mode_simulating(void); /* have the simulators been set up? */

#endif
