/* lib/run/run.h - the engine's state, and the functions that the files of lib/run call of each other.
 *
 * main.c starts the engine; translate.c makes translations; dispatch.c executes them.  memory.c, syscall.c, process.c, signal.c and
 * thread.c handle the guest's calls of the kernel.  core/references/variable.c is called from translated code.
 */
#ifndef QN_RUN_H
#define QN_RUN_H

#include "base/base.h"
#include "base/context.h"
#include "base/syscall.h"
#include "cost/arena.h"
#include "cost/count.h"
#include "cost/messages.h"
#include "run/observe/observe.h"

/* ---- kernel structures, as the x86-64 ABI has them ---- */

#define QN_NSIG 64
#define QN_SYNC_SIGNALS 12 /* signals that faults raise have smaller numbers */
typedef uint64_t qn_sigset;

struct qn_sigaction {
    uint64_t handler, flags, restorer;
    qn_sigset mask;
};

struct qn_siginfo {
    int32_t signo, err, code, pad;
    union {
        struct { uint64_t addr; } fault;
        struct { int32_t pid, uid; uint64_t value; } queue;
        uint64_t words[14];
    };
};

struct qn_stack {
    uint64_t sp;
    int32_t flags, pad;
    uint64_t size;
};

struct qn_mcontext {
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15, di, si, bp, bx, dx, ax, cx, sp, ip, flags;
    uint16_t cs, gs, fs, ss;
    uint64_t err, trapno, oldmask, cr2;
    uint64_t fpstate;
    uint64_t reserved[8];
};

struct qn_ucontext {
    uint64_t flags, link;
    struct qn_stack stack;
    struct qn_mcontext mc;
    qn_sigset mask;
};

/* ---- threads ---- */

enum qn_shares { QN_SHARES_NOTHING, QN_SHARES_BESIDE /* CLONE_VM */, QN_SHARES_VFORK /* its parent is suspended */ };

struct qn_sim_part;       /* sim/contract.h */
struct qn_alloc_calls;    /* observe/data/data_allocs.c */
struct qn_user_dispatch { /* seccomp.c */
    bool on;
    uint64_t offset, size, selector;
};

/* A signal that waits until all status flags have the program's values (precise.c).  `unknown` is set each time that translated code is
 * entered, and when a signal arrives there; the other members are valid while `blocks` is not 0. */
struct qn_flags_wait {
    uint32_t blocks;   /* blocks for which it has waited so far */
    uint64_t from;     /* address of the last of these */
    uint8_t unsettled; /* flags that still have other values */
    uint8_t unknown;   /* flags with other values at the block boundary where the signal arrived */
#define QN_FLAGS_BY_BLOCK 0x80 /* it arrived before a block was executed: the block at rip decides */
};

struct qn_pointer_copies;

struct qn_thread {
    struct qn_ctx ctx;         /* while it does not hold the lock */
    int32_t pid, tid;          /* 0: not running yet */
    uint32_t number;           /* in the order of creation, from 0: sim_thread in sim/module.h */
    volatile uint32_t used;    /* QN_THREAD_* of kernel.h */
    qn_sigset mask;            /* the guest's view */
    struct qn_stack altstack;  /* the guest's */
    uint64_t stack, stack_size;/* engine stack */
    uint64_t sigstack;         /* host alternate signal stack */
    uint64_t dispatcher_sp;    /* the stack pointer with which the dispatcher can start again */
    uint64_t guard;            /* QN_THREAD_GUARD inaccessible bytes at the end of `stack` */
    volatile uint32_t pending; /* 1: a signal is pending, 2: a fault; the host mask then blocks all others */
    uint32_t pending_fault;    /* it is a synchronous fault */
    struct qn_siginfo info;    /* the asynchronous one */
    struct qn_siginfo fault_info;
    uint64_t fault_err, fault_trap, fault_cr2;
    qn_sigset waiting_mask;    /* the mask of an rt_sigsuspend, ppoll ... that the signal has ended */
    uint32_t waited;           /* waiting_mask is valid */
    bool waits;                /* ... and the call goes on */
    qn_sigset held;            /* fault signals sent by processes, until they can be delivered */
    struct qn_siginfo held_info[QN_SYNC_SIGNALS];
    uint64_t call_again;       /* address of a syscall instruction that has been counted, but not executed; 0 = none */
    uint32_t stepping;         /* trap flag set until the next block boundary */
    bool trap_flag;            /* the guest's trap flag, which is in no other place (core/dispatch.c) */
    bool trap_shadow;          /* its last instruction has loaded ss, and has not trapped for that reason */
    struct qn_flags_wait flags_wait;
    uint32_t calls_stack;      /* --calls: the stack of frames that it runs on; 0: none yet */
    uint64_t step_return;      /* host address of a temporary breakpoint, 0 = none */
    uint8_t step_byte;         /* the byte that it replaced */
    struct qn_sigaction *actions; /* of its process */
    struct qn_sigaction *own_actions; /* memory for them, if this is the first thread of a process */
    uint32_t on_guest_stack;   /* a signal frame is being written or read: a fault kills the guest, as in the kernel */
    struct qn_region_state regions;
    struct qn_alloc_calls *alloc_calls; /* --data: calls of allocators that have not returned; NULL: there was none */
    struct qn_user_dispatch user_dispatch;
    bool leash;                /* config.leash */
    struct qn_limit space[2];  /* as config.space, of a process that shares our memory */
    uint32_t fixed_places;     /* personality(ADDR_NO_RANDOMIZE), as the guest has it */
    uint64_t processors;       /* a bit for each that it may run on, with config.processors */
    uint32_t shares;           /* enum qn_shares: this process shares the memory of the arena's process, and counts there until it
                                  executes a program or exits */
    uint32_t seccomp;          /* mode: 0, strict, filter */
    const struct qn_seccomp_filter *filters; /* seccomp.c; the newest first */
    struct qn_pointer_copies *copies; /* pointers.c; NULL: none were needed so far */
    uint32_t clear_handlers;   /* CLONE_CLEAR_SIGHAND: before it begins */
    bool has_clock;            /* with --stats: it may read the time stamp counter, prctl(PR_SET_TSC) */
    volatile uint32_t kicker;  /* thread.c: the thread that is about to kick it; its own number: it must not be kicked */
    volatile uint32_t kicked;  /* a kick was sent and has not arrived */
    /* with --cores */
    uint32_t ticket;           /* the one that it has drawn last */
    volatile uint32_t drawn;   /* ... or that was drawn for it, and which it has not used yet */
    bool awaited;              /* whoever starts it draws its first */
    bool owns_core;            /* config.core_for_each: no other thread has it */
    uint32_t core;             /* ... unless it may not run on all processors */
    struct {
        struct qn_thread *next; /* of those that wait */
        uint64_t address;
        uint32_t bits, state;
    } futex;                   /* futex.c */
    uint64_t clear_tid;        /* the word that is cleared when it ends (CLONE_CHILD_CLEARTID); 0: none */
};

extern struct qn_thread *qn_self; /* the thread that holds the lock */

/* ---- arena (main.c, arena.c) ---- */

extern struct qn_arena_header *qn_arena;
extern int qn_arena_fd, qn_socket_fd;

static inline struct qn_config *qn_cfg(void) { return &qn_arena->config; }

static inline void *qn_arena_at(uint64_t offset) { return (void *)(uintptr_t)(QN_ARENA_ALIAS_BASE + offset); } /* not in the counters */
static inline uint64_t *qn_arena_counters(void) { return (uint64_t *)QN_COUNTERS_BASE; }
static inline const char *qn_arena_text(uint32_t string) { return (const char *)qn_arena_at(QN_ARENA_STRINGS_OFF) + string; }
static inline const struct qn_map_rec *qn_arena_map_rec(uint32_t map) { return (const struct qn_map_rec *)qn_arena_at(QN_ARENA_MAPS_OFF) + map; }
static inline const struct qn_block_rec *qn_arena_block(uint32_t i) { return (const struct qn_block_rec *)qn_arena_at(QN_ARENA_BLOCKS_OFF) + i; }
static inline const struct qn_side_exit *qn_arena_side_exit(uint64_t i) { return (const struct qn_side_exit *)qn_arena_at(QN_ARENA_SIDE_EXITS_OFF) + i; }

/* QN_INSN_* of the block's instructions. */
static inline const qn_insn_desc *qn_arena_descs(const struct qn_block_rec *b)
{
    return (const qn_insn_desc *)qn_arena_at(QN_ARENA_INSNS_OFF) + b->first_insn;
}

void qn_arena_attach(int fd);
uint32_t qn_arena_string(const char *text);
bool qn_arena_unsupported(const char *text); /* adds a line to the profile; false: it is there already, or there is no room */
void qn_unsupported(const char *text);       /* the same, and a line for the user */
uint32_t qn_arena_map_of(uint64_t pc);
/* The counters of a block: index of its execution counter; event counter k has the index centre + k. */
struct qn_cost_place {
    uint32_t record, counter, centre;
};
#define QN_ARENA_EXECUTIONS 512u /* counters, one page: those of the first 512 blocks follow each other, then those of the next 512 ... */
struct qn_cost_place qn_arena_add_block(uint64_t pc, unsigned ninsns, const qn_insn_desc *desc, uint32_t ncounters,
                                        uint32_t region);
void qn_arena_leave(uint32_t record, unsigned insn);
void qn_translate_save_traffic(void); /* for --stats: the number of calls of the simulators so far */
void qn_arena_sum(int64_t sum[QN_COST_EVENTS]); /* what has been counted so far */
#define QN_INSN_COUNTERS_MAX 24u /* more than qn_insn_counters can be */
/* Adds what n instructions count that are executed so many times and do not miss. */
void qn_arena_add_executed(const qn_insn_desc *desc, unsigned n, uint64_t times, int64_t sum[QN_COST_EVENTS]);
uint32_t qn_arena_insn_counters(uint32_t record, unsigned insn); /* index of its first counter */
void qn_arena_undo_misses(uint32_t record, unsigned insn);
void qn_complex_undo(const struct qn_sim_part *part); /* the references of a masked instruction, or of xsave, that faulted */

/* ---- giving up (die.c) ---- */

_Noreturn void qn_die_fatal(enum qn_fatal kind, uint64_t pc, const char *text);
_Noreturn void qn_die_bad_insn(uint64_t pc);
_Noreturn void qn_die_load(int err);
_Noreturn void qn_die_linked(uint64_t start, uint64_t end);
_Noreturn void qn_exit_group(int code);
void qn_coverage_save(void); /* called before this process ends; does nothing except in an engine of `make coverage` */

/* ---- memory (memory.c) ---- */

void qn_memory_reserve(void); /* before anything is mapped */
void qn_memory_init(void);
void *qn_map_shared(uint64_t at, uint64_t size, int prot, int fd, uint64_t offset);
void *qn_engine_alloc(uint64_t bytes);
void *qn_engine_alloc_low(uint64_t bytes); /* the same below 2 GiB, within reach of emitted code */
void *qn_engine_try_alloc_low(uint64_t bytes); /* NULL: no room there */
bool qn_is_engine_range(uint64_t start, uint64_t size);
bool qn_is_brk(uint64_t addr);
uint64_t qn_low_address(uint64_t size); /* a free address range within reach of the code cache, 0 = none */
bool qn_is_mapped(uint64_t addr);
void qn_make_stack_executable(uint64_t sp);
bool qn_learn_code(uint64_t pc); /* asks the kernel whether there is code; true: the translator knows it now */
void qn_code_changed(uint64_t start, uint64_t end);
void qn_code_advised(uint64_t start, uint64_t end, long advice); /* madvise: it may be gone */

/* ---- translation and dispatch ---- */

void qn_translate_init(void);
uint32_t qn_translate(uint64_t pc, unsigned space); /* block index; QN_NO_BLOCK: pc is not executable */
struct qn_cost_place qn_translate_centre(uint64_t pc, unsigned n, unsigned scope);
_Noreturn void qn_dispatch(void);
void qn_enter(volatile uint32_t *pending); /* comes straight back if *pending */
extern char qn_enter_clock[]; /* by register: code that loads the clock into it and jumps to ctx.tmp */
#define QN_ENTER_CLOCK_BYTES 16u
extern void qn_leave(void), qn_leave_step(void), qn_leave_saved(void);
/* Helpers called from translated code. */
QN_NCSR qn_slow_call qn_run_string, qn_run_complex, qn_run_verify;
void qn_string_done(uint64_t pc, uint32_t record, unsigned insn, bool complete); /* counts the repetitions that were executed */

/* ---- system calls ---- */

void qn_syscall(void);
long qn_syscall_pass(long nr, const long *a); /* to the kernel, while other threads run */
bool qn_is_engine_fd(long fd);
void qn_emulate(void);
void qn_emulate_after(uint64_t pc); /* behind the instruction at pc, for which QN_END_AFTER ended the block */
bool qn_vsyscall(void); /* if rip is in the vsyscall page, makes the call and returns true */
long qn_guest_syscall(long nr, const long *args, volatile uint32_t *pending);
extern char qn_syscall_begin[], qn_syscall_commit[], qn_syscall_abort[];
#define QN_ERESTART 512   /* it has not begun */
#define QN_ERESTARTED 513 /* the kernel makes it again */
#define QN_SYSCALL_INSN_LEN 2 /* bytes */

/* ---- processes (process.c) ---- */

bool qn_ask_fork(int fds[2]); /* asks the collector for an arena and a socket for a new process */
bool qn_copy_string(uint64_t guest, char *to, size_t size); /* false: unreadable or too long; `to` has the readable part that fits */
_Noreturn void qn_process_exit(int code);
void qn_message_note(uint32_t kind, const char *text); /* QN_MESSAGE_NOTE, QN_MESSAGE_PRINT; a text that is too long is truncated */
/* Asks the collector about a number and waits for its answer: QN_MESSAGE_RESOLVE (a mapping: names, functions, variables), QN_MESSAGE_TYPE
 * (--data: an object, for the type of blocks that this caller allocates), QN_MESSAGE_FRAME (--data: a frame, for its function and the location
 * of its caller's frame). */
void qn_message_ask(uint32_t kind, uint32_t what);
void qn_message_part(int what, const char *text); /* enum qn_part: ends a part of the run; returns when it is written.  Only in the dispatcher */
void qn_message_file(int file);

/* ---- threads (thread.c) ---- */

#define QN_THREAD_GUARD 16384u
void qn_thread_init(void);
void qn_thread_main(struct qn_thread *t);
_Noreturn void qn_thread_exit(int code);
_Noreturn void qn_thread_gone(struct qn_thread *t, bool free, long nr, int code);
bool qn_thread_is_last(void); /* of its process */
void qn_lock_release(void);   /* before a system call that may block */
void qn_lock_acquire(struct qn_thread *t);
void qn_lock_yield_if_asked(void);
void qn_turn_end(void);       /* with --cores: the next thread runs */
bool qn_turn_goes_on(void);   /* ... a turn's instructions have run: has the same thread another turn? */

/* ---- signals (signal.c, signal_frame.c) ---- */

bool qn_read_guest(uint64_t from, void *to, uint64_t size);
bool qn_write_guest(uint64_t to, const void *from, uint64_t size);

void qn_guard(uint64_t start, uint64_t bytes); /* makes the range inaccessible */
void qn_signal_init(void);
void qn_signal_thread_start(struct qn_thread *t);
void qn_signal_clear_handlers(void);
void qn_signal_deliver(void);            /* delivers the pending signal, unless it is blocked */
void qn_signal_release_held(void);       /* makes a held signal pending that is no longer blocked */
bool qn_signal_release(qn_sigset mask);  /* the same under another mask; true: one is pending now */
unsigned qn_precise_variant(unsigned at_most); /* a signal is pending: the variant of the block that has to run first; 0 = none */
bool qn_precise_always(void);              /* all translations keep all flags, because handlers of faults may read them */
void qn_precise_set_always(void);
extern bool qn_precise_loses;              /* code may destroy any flag between blocks (countdowns to samples) */
void qn_signal_raise(int sig, int code, uint64_t addr); /* a fault at ctx.rip */
void qn_signal_raise_step(bool resumes); /* SIGTRAP of the guest's trap flag; resumes: between two repetitions */
void qn_signal_raise_noted(void); /* the same, for the fault that is recorded in the thread */
void qn_signal_force(int sig); /* a signal that cannot be blocked or ignored, like the kernel's force_sig */
void qn_sys_sigreturn(void);
void qn_signal_observer(void);          /* this process calls analyses only: its faults are theirs */
qn_sigset qn_signal_block_all(void); /* returns the kernel's mask before */
void qn_signal_exec(bool before);       /* execve: sets dispositions and mask as the guest has them; before = false: undoes that */
uint32_t qn_frame_fpu_bytes(void);      /* bytes of x87 and vector state in a signal frame */
void qn_frame_push(int sig, const struct qn_siginfo *info, const struct qn_sigaction *act);
void qn_sigreturn(void);
uint64_t qn_fpu_guest_ip(uint64_t ip);
struct qn_insn;
void qn_fpu_save(void *, uint64_t), qn_fpu_save_legacy(void *), qn_fpu_restore(const void *, uint64_t), qn_fpu_restore_legacy(const void *);

/* ---- tracing ---- */

void qn_trace_line(const char *line);
void qn_format_syscall(char *line, size_t size, long nr, const long *a, long r);
bool qn_tracing(uint32_t what);
void qn_trace_emit(uint32_t index);

static inline size_t qn_strlen(const char *s)
{
    size_t n = 0;

    while (s[n])
        n++;
    return n;
}

static inline bool qn_streq(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

#endif
