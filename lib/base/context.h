/* lib/base/context.h - where things lie below 2 GiB, and the context of the running guest thread.
 *
 *   0x54000000  counters of the arena           so that  inc qword [abs32]  reaches them
 *   0x60000000  code cache
 *   0x68000000  position-independent programs, dynamic linker, libraries (natively at 0x555555554000 and 0x7ffff7fff000)
 *   0x70000000  the engine: text, data, context, code-line records
 *   0x78000000  tables of the engine (indirect-branch tables: one for each region; filter rows), from the top down
 *   >= 4 GiB    everything that only C code touches
 *
 * One guest thread runs at a time, so the context sits at one fixed address (qn_ctx, linked below 2 GiB) and
 * emitted code reaches it RIP-relative, without a base register.
 */
#ifndef QN_BASE_CONTEXT_H
#define QN_BASE_CONTEXT_H

#include "base/base.h"

#define QN_COUNTERS_BASE 0x54000000ull
#define QN_CODE_BASE 0x60000000ull
#define QN_CODE_MAX (128ull << 20)
#define QN_CODE_FIXED (2ull << 20) /* a huge page at the beginning: stubs, which are never evicted, and a segment large enough for short programs */
#define QN_CODE_STUBS (1ull << 20)
#define QN_ENGINE_BASE 0x70000000ull
#define QN_ENGINE_END 0x78000000ull
#define QN_LOW_TABLES QN_ENGINE_END
#define QN_LOW_TABLES_END 0x7ff00000ull
/* Where all sanitizers expect memory of the program's (ThreadSanitizer stops at a mapping anywhere else), and below what the kernel
 * takes for stack and libraries even when it puts them at random. */
#define QN_HIGH_BASE 0x7e8000000000ull
#define QN_HEAP_BASE 0x7e8800000000ull       /* the engine's own memory, grows up */
#define QN_ARENA_ALIAS_BASE 0x7ec000000000ull /* everything of the arena but the counters */
#define QN_HIGH_END 0x7ef000000000ull

#define QN_IBL_BITS 16
#define QN_IBL_ENTRIES (1u << QN_IBL_BITS)

/* Registers that instrumentation prefers, because compilers use them least (static share in cc1, python, libc: r11
 * 1.0%, r10 1.4%, r9 1.8%).  A block that uses one of them gets another. */
#define QN_PREF_NOW 9
#define QN_PREF_S1 10
#define QN_PREF_S3 8
#define QN_PREF_S2 11

enum qn_exit_kind { /* why translated code came back to the dispatcher; low byte of exit_id for non-link exits */
    QN_EXIT_LINK,       /* a direct exit that is not linked yet: exit_id = block * 2 + which */
    QN_EXIT_IBL,        /* indirect branch: rip is the target */
    QN_EXIT_SYSCALL,    /* rip is behind the syscall instruction */
    QN_EXIT_EMULATE,    /* rip is at an instruction that the engine runs itself (cpuid, ...) */
    QN_EXIT_BAD,        /* rip is at an undecodable or unsupported instruction */
    QN_EXIT_STALE,      /* the code of the block changed since translation: rip is its start */
    QN_EXIT_COUNTDOWN,  /* the interval or turn ends before the end of the block at rip: nothing of it has been executed */
    QN_EXIT_SAMPLE,     /* a sample begins at the block at rip, or behind it: nothing of it has been executed */
    QN_EXIT_STEP,       /* behind the instruction at rip of code that is left before each: the next is at `entry` */
    QN_EXIT_REQUEST,    /* rip is at the marker of a client request */
    QN_EXIT_ENTER,      /* --toggle, --dump-before, ...: rip is at the entry of a function; nothing of it has been executed */
    QN_EXIT_RETURN,     /* the same: an indirect branch to rip has left the stack of the function */
    QN_EXIT_AFTER,      /* behind the instruction at arg_pc, for which QN_END_AFTER ends a block (block/block.h) */
    QN_EXIT_OBSERVE,    /* rip is at a block that has to be observed in another variant; nothing of it has been executed */
    QN_EXIT_SIGNAL      /* a host signal handler wants the dispatcher */
};

#define QN_CALLED_TAIL (1u << 31)

struct qn_ctx {
    uint64_t gpr[16];      /* the guest's registers while out of the cache; inside, the slots of those that
                              instrumentation borrowed */
    uint64_t rip;          /* guest */
    uint64_t rflags;       /* guest, valid out of the cache */
    uint64_t now;          /* clock of the instruction cache: ticks per line touched */
    uint64_t tmp;          /* a register parked for a few instructions */
    uint64_t saved_flags;  /* AH = SF ZF AF PF CF (lahf), AL = OF (seto) */
    uint64_t fs_base, gs_base;
    uint64_t arg_addr;     /* arguments of a slow call */
    uint64_t arg_site;
    uint64_t arg_pc;
    uint64_t arg_aux;
    uint64_t entry;        /* host address to enter */
    uint64_t engine_sp;    /* stack of the dispatcher of this thread */
    uint64_t guest_sp;     /* the guest's rsp during a slow call */
    uint32_t exit_kind, exit_id;
    uint64_t rep[6];       /* rcx, rsi, rdi before; rcx, rsi, rdi after a repeated string instruction */
    uint64_t result;       /* --check: outcome of the filtered path */
    uint64_t kmask;        /* AVX-512 mask of a masked reference */
    uint8_t vmask[64] __attribute__((aligned(64)));
    uint8_t vindex[64] __attribute__((aligned(64)));
    volatile uint32_t pending; /* a signal waits */
    uint32_t in_cache;     /* 1 while translated code runs */
    uint64_t toggle_sp;    /* --toggle and others: rsp at the entry of the innermost function that is to be seen leaving */
    uint64_t calls_sp;     /* --calls: that of the frame on top; 0 if there is none */
    uint64_t calls_old;    /* --calls: rsp at the entry of a block that loads rsp */
    uint32_t called, pad;  /* --calls: record + 1 of the last block that called, jumped or returned; QN_CALLED_TAIL: no call; 0: none */
};

extern struct qn_ctx qn_ctx;
extern uint8_t qn_slow_stack_top[];  /* slow calls run on this stack; one at a time */
#define QN_STACK_GUARD 65536u        /* bytes below each stack of the engine that nothing may touch */
extern uint8_t qn_stack_guard_low[], qn_stack_guard_high[];

/* Where code that runs at host address `host` is written. */
static inline uint8_t *qn_code_at(uint64_t host) { return (uint8_t *)(uintptr_t)host; }

#endif
