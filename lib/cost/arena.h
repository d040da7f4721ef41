/* lib/cost/arena.h - the counts arena: what the engine leaves for the collector.
 *
 * One memfd, created and sealed (F_SEAL_SHRINK | F_SEAL_GROW) by the collector, mapped by both.  The engine only
 * appends; everything that a reader needs is in place before the `n_*` that makes it visible is
 * raised.  So at any moment, even after SIGKILL, the arena holds a true profile except for the block
 * in flight.  The collector treats its content as hostile: every index is checked.
 *
 *   header | strings | maps | leaves | blocks | insns | counters | charges | intervals  (sparse; see QN_ARENA_*_OFF)
 *
 * A block record says where the block's instructions and its cost centre lie.  The cost centre is one counter of
 * executions (those of many blocks lie side by side, because they are what running code touches) and, elsewhere,
 * for each instruction, in order, only what it has:
 *
 *     [I1 misses][LL misses]                           if QN_INSN_IMISS
 *     [D1 misses][LL misses]  x nread, then x nwrite   one pair per data reference
 *     [extra Ir][iterations][extra Bc]                 if QN_INSN_VARIABLE
 *     [mispredicts]                                    if QN_INSN_BC
 *     [mispredicts]                                    if QN_INSN_BI
 *
 * Ir, Dr, Dw, Bc, Bi are not counted one by one.  For an instruction executed x times:
 *   Ir = x + extra Ir;  Dr = nread * r;  Dw = nwrite * r   with r = x, or `iterations` if VARIABLE;
 *   Bc = x + extra Bc if BC;  Bi = x if BI.
 * x = executions of the block, less the `count` of every leave of this block at or before this
 * instruction (a leave with insn k means: control left before instruction k completed).
 *
 * Events that simulator modules declare are charged to a site: the index of the first miss counter of the reference
 * that caused them, or of a branch's mispredicts; 0 = no reference did.  Only sites that caused any have a row:
 *
 *     [site][count of event 0][count of event 1] ...   sim_output.events counts
 *
 * With config.interval, a row for each interval that has ended: what was counted in it.
 *
 *     [Ir] ... [Bim][count of event 0] ...              enum qn_cost_event, then sim_output.events counts
 */
#ifndef QN_COST_ARENA_H
#define QN_COST_ARENA_H

#include <stdint.h>

#define QN_ARENA_MAGIC 0x3130616e72657571ull /* "quern a01" */
#define QN_ARENA_VERSION 2

/* File offsets and sizes in bytes. */
#define QN_ARENA_HEADER_OFF 0ull
#define QN_ARENA_STRINGS_OFF (1ull << 20)
#define QN_ARENA_STRINGS_SIZE (31ull << 20)
#define QN_ARENA_MAPS_OFF (32ull << 20)
#define QN_ARENA_MAPS_SIZE (32ull << 20)
#define QN_ARENA_LEAVES_OFF (64ull << 20)
#define QN_ARENA_LEAVES_SIZE (64ull << 20)
#define QN_ARENA_BLOCKS_OFF (128ull << 20)
#define QN_ARENA_BLOCKS_SIZE (384ull << 20)
#define QN_ARENA_INSNS_OFF (512ull << 20)
#define QN_ARENA_INSNS_SIZE (512ull << 20)
#define QN_ARENA_COUNTERS_OFF (1024ull << 20)
#define QN_ARENA_COUNTERS_SIZE (176ull << 20) /* mapped below 2 GiB by the engine */
#define QN_ARENA_CHARGES_OFF (1200ull << 20)
#define QN_ARENA_CHARGES_SIZE (400ull << 20)
#define QN_ARENA_INTERVALS_OFF (1600ull << 20)
#define QN_ARENA_INTERVALS_SIZE (512ull << 20)
#define QN_ARENA_SIZE (2112ull << 20)

struct qn_geometry {
    uint32_t size;  /* bytes = sets * assoc * line */
    uint32_t assoc; /* ways */
    uint32_t line;  /* bytes */
};

enum qn_counting { QN_COUNTING_EXACT, QN_COUNTING_CACHEGRIND };

enum { /* trace bits */
    QN_TRACE_DECODE = 1, QN_TRACE_BLOCK = 2, QN_TRACE_EVENT = 4, QN_TRACE_EMIT = 8, QN_TRACE_SYSCALL = 16,
    QN_TRACE_SIGNAL = 32
};

/* Written by the collector before the engine starts; read only afterwards. */
struct qn_config {
    struct qn_geometry I1, D1, LL;
    uint8_t counting;        /* enum qn_counting */
    uint8_t cache_sim, branch_sim;
    uint8_t instr_at_start;  /* 0: run only, no instrumentation */
    uint8_t trace_children;
    uint8_t aslr;            /* 1: addresses vary from run to run */
    uint8_t check;           /* filtered against unfiltered simulation in lockstep */
    uint8_t stats;
    uint8_t filter;          /* 1 (default): use the hit filter; 0: call the simulator for each reference */
    uint8_t vdso;            /* 1: show the guest the vDSO */
    uint8_t pad[6];
    uint32_t trace;          /* QN_TRACE_* */
    int32_t trace_fd;        /* where traces go (already open in the engine), -1 none */
    uint64_t trace_first, trace_last; /* block numbers to trace, inclusive */
    uint64_t tcache_bytes;   /* code cache size; 0 = default */
    uint64_t seed;           /* AT_RANDOM and random policies */
    uint32_t block_max;      /* instructions per block; 0 = default */
    uint32_t engine_path;    /* string: absolute path of the engine, for execve */
    uint32_t guest_path;     /* string: program file as found (after PATH search) */
    uint32_t sim_opt;        /* string: key=value,... for modules */
    uint64_t interval;       /* instructions; 0 = none */
    uint64_t fd_limit;       /* the guest's RLIMIT_NOFILE as it was; the engine's own descriptors lie above */
    uint64_t reserved[7];
};

enum qn_fatal { /* why the engine gave up */
    QN_FATAL_NONE,
    QN_FATAL_LOAD,         /* the program could not be loaded: fatal_errno says why (ENOEXEC, EACCES, ...) */
    QN_FATAL_INSN,         /* undecodable instruction: fatal_pc, fatal_bytes */
    QN_FATAL_UNSUPPORTED,  /* unsupported instruction or system call: fatal_text says what */
    QN_FATAL_INTERNAL,     /* our own bug: fatal_text */
    QN_FATAL_CHECK,        /* --check found a difference: fatal_text */
    QN_FATAL_RESOURCE,     /* arena or memory exhausted: fatal_text */
    QN_FATAL_MODULE        /* a simulator module made a mistake: fatal_text */
};

struct qn_stats { /* all counts since start; --stats=yes prints them */
    uint64_t blocks, insns, guest_bytes, host_bytes, cold_bytes;
    uint64_t translate_tsc;      /* time stamp counter ticks spent in translation */
    uint64_t retranslations, evictions, flushes, links, unlinks;
    uint64_t dispatches, ibl_misses;
    uint64_t syscalls, signals, faults, threads;
    uint64_t i1_slow, d1_slow, d1_slow_hit, ll_refs, bc_calls, bi_calls;
    uint64_t events_d, events_i;  /* emitted checks */
    uint64_t flag_saves, hoisted;
    uint64_t smc_invalidations;
    uint64_t full_links, line_links; /* of links: without giving back registers; also without touching the code line */
    uint64_t reserved[10];
};

#define QN_SIM_TEXT_MAX 16384   /* bytes of what modules say */
#define QN_SIM_EVENTS_MAX 32    /* events that modules declare */
#define QN_SIM_EVENT_NAME 32    /* bytes of a name, with its NUL */
#define QN_SIM_EVENT_TEXT 64
#define QN_SIM_MODULES_MAX 256  /* bytes of their names */

/* What the simulator modules leave: lines for the user, and their own events. */
struct qn_sim_output {
    char modules[QN_SIM_MODULES_MAX]; /* "I1=lru D1=srrip:50b34235a5a88360 ...": name and hash of what is in each slot */
    uint64_t at_work;           /* a module is being called: its number of calls << 8 | slot + 1; else 0 */
    uint32_t used;              /* bytes in text */
    uint32_t events;            /* all are declared before the first reference */
    uint64_t charges;           /* rows of QN_ARENA_CHARGES_OFF */
    char text[QN_SIM_TEXT_MAX]; /* lines, each with its newline */
    char names[QN_SIM_EVENTS_MAX][QN_SIM_EVENT_NAME], texts[QN_SIM_EVENTS_MAX][QN_SIM_EVENT_TEXT];
    uint64_t counts[QN_SIM_EVENTS_MAX + 1]; /* the last: of the twin, not shown */
};

struct qn_arena_header {
    uint64_t magic;
    uint32_t version;
    uint32_t started;        /* engine sets 1 just before the first guest instruction */
    struct qn_config config;
    /* Written by the engine. */
    int32_t guest_pid;
    uint32_t exited;         /* guest called exit_group: exit_code is valid */
    int32_t exit_code;
    uint32_t fatal;          /* enum qn_fatal */
    int32_t fatal_errno;
    uint32_t fatal_len;      /* bytes in fatal_bytes */
    uint64_t fatal_pc;
    uint8_t fatal_bytes[16];
    char fatal_text[256];
    uint32_t cmd;            /* string: command line of this image, arguments joined by blanks, as run */
    uint32_t exe;            /* string: absolute path of the executable */
    uint64_t n_strings;      /* bytes used; string 0 is "" */
    uint64_t n_maps, n_leaves, n_blocks, n_insns;
    uint64_t n_counters;     /* in 64-bit units */
    uint64_t n_intervals;
    uint64_t uninstrumented; /* block executions with collection off, if known */
    struct qn_stats stats;
    struct qn_sim_output sim_output;
};

struct qn_map_rec {          /* one executable mapping that code was translated from */
    uint64_t start, end;     /* addresses at that time */
    uint64_t offset;         /* file offset of start */
    uint64_t dev, ino;
    uint32_t path;           /* string; "" = anonymous, "[vdso]" = the vDSO */
    uint32_t flags;
};

struct qn_leave_rec {
    uint32_t block;          /* index into blocks */
    uint32_t insn;           /* leaves before this instruction (0..ninsns) */
    uint64_t count;
};

struct qn_block_rec {
    uint64_t pc;             /* of the first instruction */
    uint32_t map;            /* index into maps */
    uint32_t first_insn;     /* index into insns */
    uint32_t counter;        /* index into counters of the execution count */
    uint16_t ninsns;
    uint16_t flags;
    uint32_t misses;         /* index of the other counters; 0 = they follow the execution count */
    uint32_t pad;
};

/* Instruction descriptor, one 32-bit word. */
#define QN_INSN_LEN(d) ((d) & 15u)             /* bytes */
#define QN_INSN_IMISS (1u << 4)
#define QN_INSN_NREAD(d) (((d) >> 5) & 3u)
#define QN_INSN_NWRITE(d) (((d) >> 7) & 3u)
#define QN_INSN_VARIABLE (1u << 9)
#define QN_INSN_BC (1u << 10)
#define QN_INSN_BI (1u << 11)
#define QN_INSN_NREAD_SHIFT 5
#define QN_INSN_NWRITE_SHIFT 7

/* Number of counters that follow for one instruction. */
static inline uint32_t qn_insn_counters(uint32_t d)
{
    uint32_t n = 2 * (QN_INSN_NREAD(d) + QN_INSN_NWRITE(d));

    n += (d & QN_INSN_IMISS) ? 2 : 0;
    n += (d & QN_INSN_VARIABLE) ? 3 : 0;
    n += (d & QN_INSN_BC) ? 1 : 0;
    n += (d & QN_INSN_BI) ? 1 : 0;
    return n;
}

#endif
