/* lib/cost/arena.h - the counts arena: the engine's counts in memory shared with the collector.
 *
 * It is one memfd, created and sealed (F_SEAL_SHRINK | F_SEAL_GROW) by the collector, and mapped by both processes.  The engine only
 * appends; a record is complete before its `n_*` is incremented, which makes it visible.  So at any moment, even after SIGKILL, the
 * arena holds a correct profile, except for the block being executed.  With batches (enum qn_batch), the misses of up to a thousand
 * logged references are missing, too; after SIGKILL from outside they are lost (doc/limits.md).  The collector does not trust the
 * content: it checks every index.
 *
 *   header | strings | maps | side exits | blocks | insns | counters | charges | intervals | probes | explain
 *   | findings | objects | data misses | frames | tables | uses | calls | values                                       (sparse; see QN_ARENA_*_OFF)
 *
 * A block record has the indexes of the block's instructions and of its cost centre.  The cost centre is one counter of executions
 * (those of many blocks lie side by side, because running code increments them) and, elsewhere, for each instruction in order, only the
 * counters that it needs:
 *
 *     [I1 misses][LL misses]                           if QN_INSN_IMISS
 *     [D1 misses][LL misses]  x nread, then x nwrite   one pair per data reference
 *     [extra Ir][iterations][extra Bc]                 if QN_INSN_VARIABLE
 *     [mispredicts]                                    if QN_INSN_BC
 *     [mispredicts]                                    if QN_INSN_BI
 *     [0]                                              if QN_INSN_STACK: a site for events of a return stack
 *
 * Ir, Dr, Dw, Bc, Bi have no counters.  They are computed for an instruction that was executed x times:
 *   Ir = x + extra Ir;  Dr = nread * r;  Dw = nwrite * r   with r = x, or `iterations` if VARIABLE (for Dr not if READS_ONCE);
 *   Bc = x + extra Bc if BC;  Bi = x if BI.
 * x = executions of the block, less the `count` of every leave of this block at or before this
 * instruction (a leave with insn k means: control left before instruction k completed).
 *
 * Events that simulator modules declare are charged to a site: the index of the first miss counter of the reference that caused them,
 * or of a branch's mispredicts; 0 = no reference.  Only sites that caused events have a row:
 *
 *     [site][count of event 0][count of event 1] ...   sim_output.events counts
 *
 * With config.interval, each interval that has ended has a row with its counts:
 *
 *     [Ir] ... [Bim][count of event 0] ...              enum qn_cost_event, then sim_output.events counts
 */
#ifndef QN_COST_ARENA_H
#define QN_COST_ARENA_H

#include <stdint.h>

#define QN_ARENA_MAGIC 0x3130616e72657571ull /* "querna01" */
#define QN_ARENA_VERSION 25
#define QN_CORES_MAX 64 /* --cores */
#define QN_PINS_MAX 64

/* File offsets and sizes in bytes. */
#define QN_ARENA_HEADER_OFF 0ull
#define QN_ARENA_STRINGS_OFF (1ull << 20)
#define QN_ARENA_STRINGS_SIZE (31ull << 20)
#define QN_ARENA_MAPS_OFF (32ull << 20)
#define QN_ARENA_MAPS_SIZE (32ull << 20)
#define QN_ARENA_SIDE_EXITS_OFF (64ull << 20)
#define QN_ARENA_SIDE_EXITS_SIZE (64ull << 20)
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
#define QN_ARENA_PROBES_OFF (2112ull << 20)
#define QN_ARENA_PROBES_SIZE (16ull << 20)
#define QN_ARENA_EXPLAIN_OFF (2128ull << 20)
#define QN_ARENA_EXPLAIN_SIZE (112ull << 20)
#define QN_ARENA_FINDINGS_OFF (2240ull << 20)
#define QN_ARENA_FINDINGS_SIZE (256ull << 20)
#define QN_ARENA_OBJECTS_OFF (2496ull << 20)
#define QN_ARENA_OBJECTS_SIZE (64ull << 20)
#define QN_ARENA_DATA_OFF (2560ull << 20)
#define QN_ARENA_DATA_SIZE (416ull << 20)
#define QN_ARENA_FRAMES_OFF (2976ull << 20)
#define QN_ARENA_FRAMES_SIZE (16ull << 20)
#define QN_ARENA_FRAME_VARIABLES_OFF (2992ull << 20)
#define QN_ARENA_FRAME_VARIABLES_SIZE (12ull << 20)
#define QN_ARENA_PAIRS_OFF (3004ull << 20)
#define QN_ARENA_PAIRS_SIZE (4ull << 20)
#define QN_EVICTED_MAX (1u << 23) /* capacity of the victim-to-evictor table */
#define QN_ARENA_TABLES_OFF (3008ull << 20) /* struct qn_table_head has the sizes of its parts */
#define QN_ARENA_TABLES_SIZE (480ull << 20)
#define QN_ARENA_USES_OFF (3488ull << 20) /* --data=use; a row for each row of data */
#define QN_ARENA_USES_SIZE (120ull << 20)
#define QN_ARENA_USED_LINES_OFF (3608ull << 20)
#define QN_ARENA_USED_LINES_SIZE (72ull << 20)
#define QN_ARENA_CALLS_OFF (3680ull << 20) /* --calls; cost/calls/call_records.h */
#define QN_ARENA_CALLS_SIZE (1216ull << 20)
#define QN_ARENA_VALUES_OFF (4896ull << 20) /* of analyses that observe instructions: struct qn_value_list */
#define QN_ARENA_VALUES_SIZE (1664ull << 20)
#define QN_ARENA_SIZE (6560ull << 20)

struct qn_geometry {
    uint32_t size;  /* bytes = sets * assoc * line */
    uint32_t assoc; /* ways */
    uint32_t line;  /* bytes */
};

enum qn_counting { QN_COUNTING_EXACT, QN_COUNTING_CACHEGRIND };
enum qn_vectors { QN_VECTORS_AUTO, QN_VECTORS_SCALAR, QN_VECTORS_AVX2, QN_VECTORS_AVX512 }; /* AUTO: the best that there is */
enum qn_batch { QN_BATCH_AUTO, QN_BATCH_NEVER, QN_BATCH_ALWAYS, QN_BATCH_OFTEN }; /* run/core/references/reference.c */

enum qn_data { QN_DATA_NO, QN_DATA_YES, QN_DATA_USE }; /* USE: which bytes of each line are used, too */
enum qn_calls { QN_CALLS_NO, QN_CALLS_YES, QN_CALLS_PATHS }; /* PATHS: by call path, too */

enum { /* trace bits */
    QN_TRACE_DECODE = 1, QN_TRACE_BLOCK = 2, QN_TRACE_EVENT = 4, QN_TRACE_EMIT = 8, QN_TRACE_SYSCALL = 16,
    QN_TRACE_SIGNAL = 32
};

/* --cpu: the processor that the guest sees.  Each leaf of CPUID has masks, by number of the register (eax, ecx, edx, ebx): bits that are
 * not in `keep` are 0.  fixed: all other values are the same on every machine (run/core/cpu.c). */
#define QN_CPU_LEAVES 12
#define QN_ENGINE_CPU_VARIABLE "QUERN_ENGINE_CPU" /* the features that the engine itself uses, for tests; with the words of --cpu */

struct qn_cpu {
    uint64_t state;          /* components of XCR0 that are shown */
    uint32_t leaves;
    uint8_t masked, fixed, pad[2];
    struct {
        uint32_t leaf, subleaf, keep[4];
    } leaf[QN_CPU_LEAVES];
};

/* The client requests that are obeyed, besides Valgrind's and quern's own: all, or those of one tool. */
enum qn_requests { QN_REQUESTS_ALL, QN_REQUESTS_CACHEGRIND, QN_REQUESTS_CALLGRIND };

#define QN_PROCESSORS_MAX 64u /* a bit for each in a word */

/* Written by the collector before the engine starts; afterwards it is only read. */
struct qn_limit { /* struct rlimit64 */
    uint64_t soft, hard;
};

struct qn_config {
    struct qn_geometry I1, D1, LL;
    struct qn_geometry L2;   /* line 0: there is none, and misses of level 1 go to the LL */
    uint8_t counting;        /* enum qn_counting */
    uint8_t cache_sim, branch_sim;
    uint8_t instr_at_start;  /* 0: run only, no instrumentation */
    uint8_t trace_children;
    uint8_t aslr;            /* 1: addresses vary from run to run */
    uint8_t fixed_places;    /* 1: the program was started with fixed addresses (setarch -R) */
    uint8_t check;           /* compares filtered and unfiltered simulation in lockstep */
    uint8_t stats;
    uint8_t filter;          /* 1 (default): use the hit filter; 0: call the simulator for each reference */
    uint8_t vdso;            /* 1: show the guest the vDSO */
    uint8_t explain;         /* --explain: some source lines are explained */
    uint8_t versus;          /* with check: the shadow model is another simulator, and differences are counted, not fatal */
    uint8_t toggle;          /* counts only inside functions that are probe points of the arena */
    uint8_t triggers;        /* the entry or return of functions that are probe points of the arena divides the run, or toggles counting */
    uint8_t aside;           /* --toggle-collect: what runs while counting is off is simulated, and counted for nothing */
    uint8_t observes;        /* the analysis module observes instructions: see sample_count */
    uint8_t batch;           /* enum qn_batch: when references are simulated in batches */
    uint8_t vectors;         /* enum qn_vectors: the instructions that the simulators may use */
    uint8_t data;            /* enum qn_data: misses are counted by the object that they are on */
    uint8_t leash;           /* 1: the kernel kills this first process when its collector dies (PR_SET_PDEATHSIG) */
    uint32_t trace;          /* QN_TRACE_* */
    int32_t trace_fd;        /* descriptor for traces (open in the engine), -1 none */
    uint64_t trace_first, trace_last; /* block numbers to trace, inclusive */
    uint64_t tcache_bytes;   /* code cache size; 0 = default */
    uint64_t seed;           /* AT_RANDOM and random policies */
    uint32_t block_max;      /* instructions per block; 0 = default */
    uint32_t engine_path;    /* string: absolute path of the engine, for execve */
    uint32_t guest_path;     /* string: program file as found (after PATH search) */
    uint32_t sim_opt;        /* string: key=value,... for modules */
    uint64_t interval;       /* instructions; 0 = none */
    uint64_t interval_rows;  /* 0 = no limit; otherwise, when there are so many rows, each pair becomes one and the interval doubles */
    uint64_t explain_first, explain_every; /* --explain describes the first explain_first accesses, then every explain_every-th (0 = none) */
    uint32_t watch_region;   /* string: --watch begins with the first reference in this region; "": no region */
    uint32_t requests;       /* enum qn_requests */
    uint32_t cores;          /* --cores: threads run on so many, each with caches of its own; 0: one for all */
    uint64_t quantum;        /* with cores: instructions of a thread's turn, */
    uint8_t quantum_is_refs; /* ... or data references */
    uint8_t quantum_each;    /* ... and never several turns in a row */
    uint8_t watch_parallel;  /* --watch begins when a thread runs on another core than the first */
    uint8_t by_thread;       /* --separate-threads: the outermost region is the thread */
    uint8_t core_for_each;   /* with cores: a thread has one of its own, while there are enough */
    uint8_t pins, pin[QN_PINS_MAX]; /* with cores: those of the first threads, and so on again; pins 0: not given */
    uint64_t watch_from, watch_count; /* --watch: the first data reference (0: the first explained one), and their number; 0 = none */
    uint64_t fd_limit;       /* the first descriptor of the engine: the guest's soft limit (RLIMIT_NOFILE) if there is room */
    uint64_t sample_count, sample_of; /* observes sample_count of every sample_of instructions; sample_of 0: all */
    struct qn_cpu cpu;
    uint32_t filters;        /* string: system call filters that were in force before execve (run/kernel/seccomp.c) */
    uint32_t sim_slots, versus_slots; /* strings: modules in the slots, of B too; see qn_sim_choose in sim/contract.h */
    uint32_t traced;         /* 1: a debugger has followed the program through execve (run/kernel/external_writes.c) */
    struct qn_cpu engine_cpu; /* the features that the engine uses (run/core/cpu.c), in the same form */
    uint64_t fd_hard;        /* hard limit as the guest sees it; the kernel's limit is not lower (run/kernel/limits.c) */
    struct qn_limit space[2]; /* of the address space and of data (RLIMIT_AS, RLIMIT_DATA), as the guest sees them (run/kernel/limits.c) */
    int32_t collector;       /* pid of `quern run`, the parent of the first process */
    int32_t parent;          /* pid of its parent, which the first process sees as its own parent; updated by the collector */
    int32_t death_signal;    /* the signal that the first process gets when that parent dies; 0 = none */
    uint32_t calls;          /* enum qn_calls: inclusive costs of calls are counted */
    uint32_t processors;     /* that the program sees, at most QN_PROCESSORS_MAX; 0 = those of the machine */
    uint64_t affinity;       /* a bit for each of them that it may run on; 0 = all */
    uint64_t calls_room, calls_depth; /* limits: edges, and contexts; calls that have not returned */
};

/* Sections of the arena.  Only the sections that a run uses are mapped: some always, others for certain options. */
enum qn_section { QN_SECTION_FIRST, QN_SECTION_INTERVALS, QN_SECTION_PROBES, QN_SECTION_EXPLAIN, QN_SECTION_FINDINGS, QN_SECTION_DATA, QN_SECTION_TABLES, QN_SECTION_USES,
               QN_SECTION_CALLS, QN_SECTION_VALUES, QN_SECTIONS };

static inline uint64_t qn_section_begin(unsigned section)
{
    static const uint64_t begin[QN_SECTIONS + 1] = {
        QN_ARENA_HEADER_OFF, QN_ARENA_INTERVALS_OFF, QN_ARENA_PROBES_OFF, QN_ARENA_EXPLAIN_OFF, QN_ARENA_FINDINGS_OFF, QN_ARENA_OBJECTS_OFF,
        QN_ARENA_TABLES_OFF, QN_ARENA_USES_OFF, QN_ARENA_CALLS_OFF, QN_ARENA_VALUES_OFF, QN_ARENA_SIZE,
    };

    return begin[section];
}

/* A bit for each section that this configuration uses. */
static inline unsigned qn_sections_of(const struct qn_config *c)
{
    unsigned sections = 1u << QN_SECTION_FIRST | 1u << QN_SECTION_PROBES | 1u << QN_SECTION_FINDINGS | 1u << QN_SECTION_TABLES;

    sections |= (c->interval != 0u) << QN_SECTION_INTERVALS | (c->explain != 0u) << QN_SECTION_EXPLAIN | (c->calls != 0u) << QN_SECTION_CALLS;
    sections |= (c->observes != 0u) << QN_SECTION_VALUES;
    return sections | (c->data != 0u) << QN_SECTION_DATA | (c->data != 0u) << QN_SECTION_USES;
}

enum qn_wish { QN_WISH_NONE, QN_WISH_START, QN_WISH_STOP, QN_WISH_ZERO };

/* A kick: a SIGTRAP with this value, which makes translated code return to the dispatcher.  It may only be sent to the thread in `runner`, which
 * holds the lock.  In another thread it could interrupt a system call (EINTR), or kill a program that has just been executed.
 *   threads of the process        use qn_thread.kicker, and the lock's own word (run/kernel/thread.c)
 *   the collector                 changes `caller` from 0 to its pid before it reads `runner`, and back to 0 afterwards.  A thread that is no
 *                                 longer runner waits for that and, if `called` is set, for the kick (lock.c; collect/control.c)
 *   another process under quern   waits until the kick has arrived (run/kernel/external_writes.c) */
#define QN_KICK_VALUE 0x7175657271756572ull

enum qn_fatal { /* the reason for a fatal error */
    QN_FATAL_NONE,
    QN_FATAL_LOAD,         /* the program could not be loaded: fatal_errno says why (ENOEXEC, EACCES, ...) */
    QN_FATAL_INSN,         /* undecodable instruction: fatal_pc, fatal_bytes */
    QN_FATAL_UNSUPPORTED,  /* unsupported instruction or system call: fatal_text says what */
    QN_FATAL_INTERNAL,     /* a bug in the engine: fatal_text */
    QN_FATAL_CHECK,        /* --check found a difference: fatal_text */
    QN_FATAL_RESOURCE,     /* arena or memory exhausted: fatal_text */
    QN_FATAL_MODULE,       /* an error in a simulator module: fatal_text */
    QN_FATAL_STUCK         /* set by the collector: a module does not come back */
};

struct qn_stats { /* all counts since start; --stats=yes prints them */
    uint64_t blocks, insns, guest_bytes, host_bytes, cold_bytes;
    uint64_t translate_tsc;      /* time stamp counter ticks spent in translation */
    uint64_t retranslations, evictions, flushes, links, unlinks;
    uint64_t dispatches, ibl_misses;
    uint64_t syscalls, signals, faults, threads;
    uint64_t i1_slow, d1_slow, bc_calls, bi_calls; /* references and branches that called the simulators */
    uint64_t events_d, events_i;  /* emitted checks */
    uint64_t flag_saves, hoisted;
    uint64_t smc_invalidations;
    uint64_t batches;        /* how often batches began */
    uint64_t full_links, line_links; /* links without giving back registers; those that also skip the check of the code line */
    uint64_t table_bytes, fixed_bytes; /* tables beside the code cache and the arena: those that grow, those of fixed size */
    uint64_t rorx, vectors, state_bytes; /* instructions that the engine uses; bytes of x87 and vector state in a signal frame */
    uint64_t reserved[7];
};

#define QN_SIM_TEXT_MAX 16384   /* bytes of lines that modules print */
#define QN_SIM_EVENTS_MAX 32    /* events that modules declare */
#define QN_SIM_EVENT_NAME 32    /* bytes of a name, with its NUL */
#define QN_SIM_EVENT_TEXT 64
#define QN_SIM_MODULES_MAX 256  /* bytes of their names */

/* How a slot is simulated. */
enum qn_sim_how {
    QN_HOW_NOT,          /* the slot is empty, or not simulated in this run */
    QN_HOW_EMITTED,      /* by emitted code, for the default file with the hash in sim/fast/proven */
    QN_HOW_FILTER,       /* behind a hit filter, which holds lines whose hits change nothing */
    QN_HOW_CALL,         /* each reference is a call */
    QN_HOW_MISSES        /* AN: reads records, but not of all references */
};
#define QN_SIM_SLOTS_MAX 8

/* Tables of modules (sim_row in sim/module.h): the collector prints their rows with the sums of cells, even if the run was killed. */
#define QN_TABLE_CELLS_OFF 0ull /* from the beginning of the tables */
#define QN_TABLE_CELLS_SIZE (32ull << 20)
#define QN_TABLE_TERMS_OFF (32ull << 20)
#define QN_TABLE_TERMS_SIZE (32ull << 20)
#define QN_TABLE_ROWS_OFF (64ull << 20)
#define QN_TABLE_ROWS_SIZE (16ull << 20)
#define QN_TABLE_TEXT_OFF (80ull << 20)
#define QN_TABLE_TEXT_SIZE (16ull << 20)
#define QN_TABLE_SETS_OFF (96ull << 20) /* --interval: misses by set, a row for each interval that has ended */
#define QN_TABLE_SETS_SIZE (256ull << 20)
#define QN_TABLE_SHARED_OFF (352ull << 20) /* struct qn_shared_row */
#define QN_TABLE_SHARED_SIZE (128ull << 20)

#define QN_SET_CACHES_MAX 4
#define QN_SET_GROUPS_MAX 256 /* groups of sets of a cache in a row: with more sets, several adjacent ones form a group */
#define QN_SET_CACHE_NAME 8

struct qn_set_cells { /* of a cache: misses by set */
    uint64_t first, sets;    /* cells */
    char name[QN_SET_CACHE_NAME];
};

static inline uint64_t qn_sets_together(uint64_t sets) { return (sets + QN_SET_GROUPS_MAX - 1) / QN_SET_GROUPS_MAX; }
static inline uint64_t qn_set_groups(uint64_t sets) { return sets ? (sets + qn_sets_together(sets) - 1) / qn_sets_together(sets) : 0; }

struct qn_table_head {
    uint64_t cells, terms, rows, text; /* in use; text in bytes */
    uint64_t set_rows;       /* rows at QN_TABLE_SETS_OFF: the groups of all caches, one after the other */
    uint64_t shared;         /* rows */
    uint64_t set_caches;
    struct qn_set_cells set_cells[QN_SET_CACHES_MAX];
};

/* The references of an instruction to a line of memory that threads share (struct sim_shared in sim/module.h). */
struct qn_shared_row {
    uint64_t line, address, pc, thread, reads, writes, read, written, misses_true, misses_false, cold, upgrades;
    uint64_t offset;         /* of the address in its object */
    uint32_t map, object;    /* map: of pc; object: index into objects with --data, else UINT32_MAX */
};
#define QN_SHARED_MAX (QN_TABLE_SHARED_SIZE / sizeof(struct qn_shared_row))

enum qn_sum { QN_SUM_CELLS, QN_SUM_LOADS, QN_SUM_LOADS_L1, QN_SUM_LOADS_LL, QN_SUM_REFERENCES, QN_SUM_MISSES, QN_SUM_ROOT, QN_SUM_INSTRUCTIONS, QN_SUM_STORES }; /* enum sim_sum */

struct qn_term {
    uint64_t first, count;   /* cells */
    int64_t times;
    uint8_t of;              /* enum qn_sum: the cells, or a total of the run */
    uint8_t plus, needed;    /* plus: the next term is added to the same number; needed: the row is left out if the number is 0 */
    uint8_t hidden, shift;   /* the number is not printed; the sum of the cells is divided by 2^shift */
    uint8_t pad[3];
};

struct qn_table_row {
    uint32_t text, first, count; /* a string of the text, %U, %x, %P or %R for each number; terms */
    uint32_t table;              /* the cells between braces are a row of: 0: nothing; n: the table that row n - 1 heads; QN_TABLE_*: ... */
    uint32_t list;               /* number of rows, from this one on, that are sorted together: the largest second number first, then the smallest first number */
};
#define QN_TABLE_TOTALS UINT32_MAX       /* ... the table "totals": name, count, text */
#define QN_TABLE_HEAD (UINT32_MAX - 1) /* ... none: this row heads a table; its text is the name, then the columns: "sizes size reads writes" */
#define QN_TABLE_LIST_MAX 64

#define QN_PLACES_MAX 32

/* Output of the simulator modules: lines for the user, and their own events. */
struct qn_sim_output {
    char modules[QN_SIM_MODULES_MAX]; /* "I1=lru D1=srrip:50b34235a5a88360 ...": name and hash of what is in each slot */
    uint64_t current_module[3];        /* the module that is being called; see sim/current_module.h */
    uint64_t places[QN_PLACES_MAX]; /* where it stood when it crashed or was kicked last: its pc, and words of its stack that point to code */
    uint32_t n_places, pad_places;
    uint64_t stays_in;          /* set by the collector: the call of a module (current_module[2]) that had not come back when it looked last; 0: none */
    uint32_t used;              /* bytes in text */
    uint32_t events;            /* all are declared before the first reference */
    uint64_t charges;           /* rows of QN_ARENA_CHARGES_OFF */
    uint8_t how[QN_SIM_SLOTS_MAX]; /* enum qn_sim_how: each slot, in the order I1 D1 LL BC BI AN */
    char text[QN_SIM_TEXT_MAX]; /* lines, each with its newline */
    char names[QN_SIM_EVENTS_MAX][QN_SIM_EVENT_NAME], texts[QN_SIM_EVENTS_MAX][QN_SIM_EVENT_TEXT];
    uint64_t counts[QN_SIM_EVENTS_MAX + 1]; /* the last: of the shadow model, not shown */
    struct qn_table_head tables;
    uint64_t load_cycles[3];    /* cycles of a load that the D1, the LL, and memory serve */
    uint32_t loads, pad_loads;  /* 1: the collector makes findings of all loads (sim_keep_loads) */
    uint64_t options_asked;     /* a bit for each option of sim_opt that a module has asked for (sim/option.h) */
};

/* run --versus: compares two simulators on the same references.  Misses of the second one are events of the arena. */
enum qn_versus_kind { QN_VERSUS_FETCH, QN_VERSUS_READ, QN_VERSUS_WRITE, QN_VERSUS_MODIFY, QN_VERSUS_COND, QN_VERSUS_INDIRECT,
                      QN_VERSUS_KINDS };

struct qn_versus {
    char modules[QN_SIM_MODULES_MAX];        /* of the second simulator */
    uint64_t references, different;          /* of all kinds: fetches, data, branches */
    uint64_t worse, better;                  /* of the different ones: the second missed more levels, fewer levels */
    uint64_t first, addr;                    /* the first different one: its number from 1 (0: none), its address */
    uint32_t site, size;
    uint8_t kind, a, b;                      /* kind: enum qn_versus_kind.  a, b, the outcomes: bit 0: level-1 miss or mispredict, bit 1: LL miss */
};

/* Regions that the program has named, as paths: region 0 is no region; the others have a parent. */
#define QN_REGION_ASIDE UINT16_MAX /* of blocks that run while counting is off; their counts are in no profile (qn_config.aside) */
#define QN_ARENA_REGIONS_MAX 250 /* with region 0; each has a home in the code cache (tcache.h) */
#define QN_REGION_THREAD "thread " /* and its number: the region of a thread, with --separate-threads */
#define QN_REGION_NAME 64        /* bytes of a name, with its NUL */

#define QN_UNSUPPORTED_MAX 16    /* different ones that a profile lists */

struct qn_region_rec {
    uint32_t parent, name;   /* region; string */
};

/* --calls: the head of the tables in cost/calls/call_records.h. */
struct qn_call_head {
    uint32_t columns;        /* counts of each row: enum qn_cost_event, then events of modules; 0: nothing was counted yet */
    uint32_t sums;           /* index of the counters of the running stack */
    uint32_t current;        /* the running stack */
    uint32_t stacks, functions, edges, frames, nodes; /* rows in use; 0 is none */
    uint32_t ranges, maps;   /* raised by the collector while the engine waits for QN_MESSAGE_RESOLVED */
    uint64_t lost_edges, lost_frames, lost_nodes, lost_stacks; /* calls, or stacks, that did not fit into the table */
};

/* Analyses that run beside the program, in a process that shares its memory (run/observe/beside.c). */
struct qn_beside {
    int32_t pid;           /* 0: there is none */
    uint32_t posted, done; /* futexes: the number of batches that were handed on; that were read.  QN_BESIDE_ENDED: the program has ended; the process */
    uint32_t n;            /* of the last batch: records */
    uint64_t first;        /* address of the first */
};
#define QN_BESIDE_ENDED 0x80000000u

struct qn_arena_header {
    uint64_t magic;
    uint32_t version;
    uint32_t started;        /* engine sets 1 just before the first guest instruction */
    struct qn_config config;
    uint64_t made;           /* the time of creation, set by the collector: ns since 1970 */
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
    uint64_t n_maps, n_side_exits, n_blocks, n_insns;
    uint64_t n_counters;     /* in 64-bit units */
    uint64_t n_intervals;
    uint64_t n_findings;
    uint64_t n_value_lists;
    uint64_t value_entries;  /* of each list */
    uint64_t n_objects;      /* raised by the collector, too, while the engine waits for QN_MESSAGE_RESOLVED */
    uint64_t n_data;
    uint64_t n_pairs;
    uint64_t evicted_lost;   /* --data: evictions of lines that are not known, because there are QN_EVICTED_MAX others */
    uint64_t n_used_lines;
    uint64_t used_lost;      /* --data=use: lines that did not fit into the table */
    uint64_t n_frames;       /* --data: addresses of code whose frames are known */
    uint64_t n_frame_variables; /* raised by the collector while the engine waits for QN_MESSAGE_TYPED */
    uint64_t data_lost[2];   /* misses of both levels that did not fit into the table */
    uint64_t n_probes;       /* raised by the collector while the engine waits for QN_MESSAGE_RESOLVED */
    uint64_t partly;         /* 1: parts of the run were not counted, by an option or a request */
    uint64_t time[2];        /* ns of processor time without and with counting; valid with `partly`, up to the last change or the
                                exit */
    uint64_t counted;        /* 1: something was counted */
    struct qn_stats stats;
    struct qn_sim_output sim_output;
    struct qn_versus versus;
    uint32_t n_regions, pad; /* with region 0, once there is any other */
    struct qn_region_rec region[QN_ARENA_REGIONS_MAX];
    uint32_t code_written;   /* set if another process may write into code; the dispatcher reads and clears it (run/kernel/external_writes.c) */
    uint32_t wish;           /* enum qn_wish, a command of `quern ctl`; the dispatcher executes it, clears it, and wakes the sender */
    uint32_t caller, called; /* see QN_KICK_VALUE */
    uint64_t runner;         /* process << 32 | thread; 0: none */
    uint32_t n_unsupported;  /* strings: features that the program used and that are not supported, or not as natively; each once */
    uint32_t unsupported[QN_UNSUPPORTED_MAX];
    struct qn_call_head calls;
    struct qn_beside beside;
};

struct qn_map_rec {          /* an executable mapping from which code was translated */
    uint64_t start, end;     /* addresses at that time */
    uint64_t offset;         /* file offset of start */
    uint64_t dev, ino;
    uint64_t mtime;          /* ns: the file's time of last modification; 0 = not a file */
    uint32_t path;           /* string; "" = anonymous, "[vdso]" = the vDSO */
    uint32_t flags;          /* QN_MAP_TYPES: debug information knows types; set by the collector, for --data */
};
#define QN_MAP_TYPES 1u

/* A range of guest addresses that the user has named, found in debug information when its mapping was first executed. */
enum qn_probe_what {
    QN_PROBE_EXPLAIN,
    QN_PROBE_TOGGLE,
    QN_PROBE_CHOOSER,        /* as TOGGLE; and what it returns is the address of another such function (IFUNC) */
    QN_PROBE_TURN,           /* --toggle-collect: its entry and its return toggle counting */
    QN_PROBE_DUMP_BEFORE, QN_PROBE_DUMP_AFTER, QN_PROBE_ZERO_BEFORE, /* options of these names */
    QN_PROBE_ALLOC           /* --data: a function that allocates or frees begins here; which: enum qn_alloc, see QN_ALLOC_OF */
};

struct qn_probe {
    uint64_t start, end;     /* guest addresses */
    uint32_t map;            /* index into maps */
    uint16_t what;           /* enum qn_probe_what */
    uint16_t which;          /* number of the option, among those of this kind, from 0 */
};

/* A finding of an analysis module about an instruction (sim_find and sim_keep in sim/module.h). */
#define QN_FINDING_NAME 8    /* bytes, with its NUL */

struct qn_finding {
    uint64_t pc, value, other, count, of;
    char what[QN_FINDING_NAME];
    uint32_t map, other_map; /* index into maps */
    uint32_t kept;           /* made by sim_keep: rows of an instruction are sorted by count, and `of` is set to their sum */
    uint32_t of_cell;        /* made by sim_keep_of: `of` is set to this cell of the tables; + 1 */
};

/* A list of frequent values (sim_keep_values in sim/module.h; sim/analysis/hotlist.h).  The collector makes a finding of each value. */
struct qn_value_list {
    uint64_t pc;
    char what[QN_FINDING_NAME];
    uint64_t map;            /* index into maps */
    uint64_t total, tau;     /* values of the stream; 1/tau: the probability with which a value enters the list, 0 means 1 */
    struct {
        uint64_t value, count; /* count 0: free */
    } hot[];                 /* value_entries of the header */
};
#define QN_VALUE_ENTRIES_MAX 64
static inline uint64_t qn_value_list_bytes(uint64_t entries) { return sizeof(struct qn_value_list) + entries * 2 * sizeof(uint64_t); }

/* --explain: the accesses of the source lines that are explained, at QN_ARENA_EXPLAIN_OFF; see sim/explain.c. */
enum qn_miss_class { QN_MISS_COMPULSORY, QN_MISS_CAPACITY, QN_MISS_CONFLICT, QN_MISS_CLASSES };

/* The order in which the lines of a set are shown. */
enum qn_show { QN_SHOW_NOTHING, QN_SHOW_WAYS, QN_SHOW_RECENT /* the line used last first */ };

#define QN_EXPLAIN_MAX 16    /* options */
#define QN_NOTE_WAYS 16      /* lines of a set that are shown */
#define QN_NOTE_LINES 2      /* lines of an access that are shown */
#define QN_NOTE_NONE 0x8000000000000000ull /* no line: no user address */

#define QN_STATE_NAME 32

struct qn_note_use {         /* a use or an eviction: its time and its site; number 0: never */
    uint64_t number;         /* of the data reference, from 1 */
    uint32_t site, pad;      /* its counters */
};

struct qn_note_line {        /* a line of the access */
    uint64_t line;           /* address of the first byte */
    struct qn_note_use used; /* its last use before this access */
    struct qn_note_use out;  /* its last eviction */
    uint64_t victim;         /* the line that was evicted for it, or QN_NOTE_NONE */
    struct qn_note_use victim_used;
    uint8_t hit, class, pad[2];
    uint32_t ways;           /* in `set`; 0: the module does not show its sets */
    uint64_t set[QN_NOTE_WAYS]; /* lines of the set before the access, QN_NOTE_NONE = free */
    uint64_t state[QN_NOTE_WAYS], set_state; /* the policy's state of each way, and of the set, before the access; --watch only */
};

struct qn_note {
    uint64_t number;         /* of the data reference in the run */
    uint64_t nth;            /* of the accesses of this source line, from 1 */
    uint64_t addr;
    uint32_t site, size;
    uint8_t kind;            /* enum sim_kind: read, write, modify */
    uint8_t outcome;         /* bit 0: D1 miss, bit 1: LL miss */
    uint8_t class;           /* of the miss */
    uint8_t which;
    uint32_t lines;          /* the number of lines; the first QN_NOTE_LINES are shown */
    uint32_t thread, core;   /* that made it */
    struct qn_note_line line[QN_NOTE_LINES];
};

#define QN_EVICTORS_MAX 1024

struct qn_explain_output {   /* the notes begin QN_NOTES_OFF bytes after its beginning */
    uint64_t references;     /* data references of the run */
    struct {
        uint64_t accesses, misses, ll_misses, classes[QN_MISS_CLASSES];
    } tally[QN_EXPLAIN_MAX]; /* by option */
    uint32_t order;          /* of the lines in `set`: enum qn_show */
    char way_state[QN_STATE_NAME], set_state[QN_STATE_NAME]; /* what these are, "RRPV"; "": nothing is shown */
    uint32_t evictors;
    struct {
        uint64_t count;
        uint32_t site, which;
    } evictor[QN_EVICTORS_MAX]; /* evictors of explained misses; the last entry: all others */
    uint64_t notes;
};
#define QN_NOTES_OFF (64ull << 10)
#define QN_NOTES_MAX ((QN_ARENA_EXPLAIN_SIZE - QN_NOTES_OFF) / sizeof(struct qn_note))

struct qn_side_exit {
    uint32_t block;          /* index into blocks */
    uint32_t insn;           /* leaves before this instruction (0..ninsns) */
    uint64_t count;
};

struct qn_block_rec {        /* 28 bytes: there are very many */
    uint64_t pc;             /* of the first instruction */
    uint32_t map;            /* index into maps */
    uint32_t first_insn;     /* index into insns */
    uint32_t counter;        /* index into counters of the execution count */
    uint32_t misses;         /* index of the other counters; 0 = they follow the execution count */
    uint16_t ninsns;
    uint16_t region;         /* its counts belong to this region */
} __attribute__((packed, aligned(4)));

/* Instruction descriptor: 16 bits, because there is one for each guest instruction; count.h has the last two. */
typedef uint16_t qn_insn_desc;
#define QN_INSN_LEN(d) ((d) & 15u)             /* bytes */
#define QN_INSN_IMISS (1u << 4)
#define QN_INSN_NREAD(d) (((d) >> 5) & 3u)
#define QN_INSN_NWRITE(d) (((d) >> 7) & 3u)
#define QN_INSN_VARIABLE (1u << 9)
#define QN_INSN_BC (1u << 10)
#define QN_INSN_BI (1u << 11)
#define QN_INSN_STACK (1u << 12)
#define QN_INSN_READS_ONCE (1u << 13) /* VARIABLE, but for its reads: one per execution */
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
    n += (d & QN_INSN_STACK) ? 1 : 0;
    return n;
}

#endif
