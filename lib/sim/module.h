/* lib/sim/module.h - the interface for authors of simulator modules.
 *
 * A module is one C file for one slot: I1, D1, L2, LL (caches), BC, BI (predictors) or AN (analysis).  It names its kind by
 * one #define, and defines the functions of that kind; doc/modules.md has an example of each.
 *
 *   #define POLICY "srrip"        policy_hit(set, way)  policy_fill(set, way)  policy_victim(set)  policy_settled(set, way)
 *                                 policy_bypass(set)        with POLICY_BYPASSES
 *   #define PREFETCHER "nextline" prefetcher_ref(addr, size, kind, miss), which calls sim_prefetch(address)
 *   #define LEVEL "victim"        cachesim_X_initcache(config)  cachesim_X_doref(addr, size, kind, result)
 *   #define BESIDE "tlb"          beside_init(config)  beside_ref(addr, size, kind)  beside_settled(line)
 *   #define COHERENCE "mesi"      coherence_access[][], coherence_reply[][]: the protocol that keeps the D1s of several cores coherent
 *   #define PREDICTOR "gshare"    branchsim_BC_predict(pc)  branchsim_BC_update(pc, taken)
 *                                 branchsim_BI_target(pc)   branchsim_BI_learn(pc, target)
 *                                 branchsim_BI_call(next)   branchsim_BI_return()             with PREDICTOR_RETURNS
 *                                 branchsim_BC_path(pc, target, kind)                         with PREDICTOR_PATH
 *                                 branchsim_BI_outcome(pc, taken)                             with PREDICTOR_OUTCOMES
 *                                 predictor_show(pc, kind)  for `quern watch`, with PREDICTOR_SHOWS
 *   #define ANALYSIS "interval"   analysis_init(config)  analysis_ref(ref)  analysis_finish()
 *                                 analysis_ref, called for data references only         with ANALYSIS_DATA
 *                                 analysis_observe(records, n) in place of analysis_ref with ANALYSIS_RECORDS
 *                                 analysis_insn(insn) in place of analysis_ref          with ANALYSIS_OBSERVES
 *
 * The same file is compiled into the engine, which has no libc (memset and memcpy exist), and into the hosted program of
 * `quern replay`, where printf, gdb and sanitizers work.  Each slot is a compilation unit of its own, so a module may define
 * any static names but those of <stdio.h>.  Each unit is compiled twice, because --check runs an unfiltered shadow.  With --cores, what a
 * module in I1, BC or BI, or one beside the D1, remembers in static variables and memory of sim_alloc is that of the core that runs
 * (bank.h), but for what is SIM_SHARED.
 */
#ifndef QN_SIM_MODULE_H
#define QN_SIM_MODULE_H

#include "base/base.h"

#ifdef QN_SIM_HOSTED
#include <stdio.h>
#endif
void *memset(void *to, int byte, size_t n);
void *memcpy(void *to, const void *from, size_t n);

/* Of a static variable: with --cores, all cores share it. */
#define SIM_SHARED __attribute__((section(".bss.shared")))

/* SIM_MODIFY: a read-modify-write (inc m), which is one reference.
 * SIM_EVICT: the level above has evicted this line (only if this level asks for evictions, see sim_wants_evictions);
 * SIM_WRITEBACK: the same, and the line is dirty. */
enum sim_kind { SIM_READ, SIM_WRITE, SIM_MODIFY, SIM_FETCH, SIM_PREFETCH, SIM_EVICT, SIM_WRITEBACK };
#define SIM_EACH_LINE(line, last) for (bool sim_more = (line) <= (last); sim_more; sim_more = (line)++ != (last)) /* up to ~0, too */
/* What else a module may be told of.  An analysis module that does not use calls and returns must ignore these kinds. */
enum sim_ref_kind { SIM_REF_FETCH = 16, SIM_REF_COND, SIM_REF_INDIRECT, SIM_REF_CALL, SIM_REF_RETURN };
static inline bool sim_writes(enum sim_kind kind) { return kind == SIM_WRITE || kind == SIM_MODIFY; }

struct sim_config {
    const char *slot;          /* "D1" */
    uint32_t size, ways, line; /* bytes, lines per set, bytes */
    uint32_t sets;             /* I1, D1: a power of two, as line always is; L2, LL: any number */
    uint32_t line_bits;
    uint64_t seed;             /* --seed */
    uint32_t cores;            /* a coherence protocol: the number of cores, up to 64, */
    uint32_t L2_sets, L2_ways; /* ... and the L2 of each, with lines as the D1's; ways 0: none */
    bool victims;              /* AN: records have victims (SIM_VICTIMS) */
    uint32_t LL_sets, LL_line_bits; /* AN: of the last level; all other fields describe the D1 */
};

/* The outcome of a reference.  miss: a line of it was not in the level.  The engine then looks the same range up in the next
 * level.  next_done: the level has called sim_next itself, with next_miss as the result. */
struct sim_result {
    bool miss, next_done, next_miss;
};

#define SIM_NO_LINE (~0ull) /* not a line number: every address / bytes per line is smaller */

/* For LEVEL_SLOTS: the slots that a level may be in.  In another slot the run is refused at the start. */
#define LEVEL_IN_I1 1
#define LEVEL_IN_D1 2
#define LEVEL_IN_LL 4

/* ---- coherence protocols (slot D1, --cores): two tables ---- */

enum sim_bus { SIM_BUS_NONE, SIM_BUS_READ, SIM_BUS_READ_OWN, SIM_BUS_READ_UPDATE, SIM_BUS_UPGRADE, SIM_BUS_UPDATE, SIM_BUS_REQUESTS };

/* coherence_access[state][writes]: what a core asks of the others when it refers to a line that it has in this state, and the state that it
 * then has if another core (still) has the line, or if none has.  State 0: it does not have the line. */
struct sim_bus_access {
    enum sim_bus request;
    uint8_t shared, alone;
};

/* coherence_reply[state][request]: the state of a core that has the line after another one's request, and what it does. */
#define SIM_SUPPLIES 1   /* it gives the line to the other core */
#define SIM_WRITES_BACK 2 /* it writes the line back to the next level */
struct sim_bus_reply {
    uint8_t state, does;
};

/* ---- services ---- */

#define SIM_EVENTS_MAX 32

/* Zeroed memory.  Never returns NULL: if there is too little memory, the run stops with a message that names the module. */
void *sim_alloc(uint64_t bytes);

/* The value of --sim-opt=key=value, or `otherwise`.  SLOT.key=value (as in D1.key=4) sets it for one slot only. */
uint64_t sim_option(const char *slot, const char *key, uint64_t otherwise);
/* The same; a value outside least to most stops the run with a message. */
uint64_t sim_option_within(const char *slot, const char *module, const char *key, uint64_t otherwise, uint64_t least, uint64_t most);

/* Prints a line for the user, with the summary or, in analysis_finish, after it.  Conversions: those of printf
 * but floating point, as %lu for uint64_t. */
void sim_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- tables: lines that are printed even if the program is killed ----
 *
 *   uint64_t *hits = sim_cells(64);
 *   sim_row(&(struct sim_term){.cells = hits, .n = 64, .times = 1}, 1, "AN: hits of the first %u: %%U", 64);
 *
 * The init function declares the rows; later the module counts in the cells.  Each %%U (%%x: hexadecimal) of the format is replaced
 * by the sum of a term, or of several; %%P by the percentage of two sums, with two decimals, %%R with four.  The lines follow those of sim_print, in the order of their declaration. */
enum sim_sum {
    SIM_SUM_CELLS,
    SIM_SUM_LOADS, SIM_SUM_LOADS_L1, SIM_SUM_LOADS_LL, /* totals of a run: reads; those that missed the L1; the LL; 0 in a replay */
    SIM_SUM_REFERENCES, SIM_SUM_MISSES, /* totals: data references; those that missed the L1 */
    SIM_SUM_ROOT,      /* of a number in two cells, the lower half first: its square root */
    SIM_SUM_INSTRUCTIONS, SIM_SUM_STORES
};

struct sim_term {
    const uint64_t *cells; /* the first cell */
    uint64_t n;            /* the number of cells */
    int64_t times;         /* a factor */
    uint8_t of;            /* enum sim_sum */
    uint8_t shift;         /* the sum of the cells is divided by 2^shift */
    bool plus;             /* the next term is added to the same number */
    bool needed;           /* if the number is 0, the line is not printed */
    bool hidden;           /* the number is not printed; for a row that is needed only if it is not 0 */
};

/* n zeroed cells.  If there are too few, the run stops with a message. */
uint64_t *sim_cells(uint64_t n);
void sim_row(const struct sim_term *terms, unsigned n, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A list of n pairs of adjacent cells: a number and its count.  It is printed as n lines at most, the largest count first, among equal
 * counts the smaller number first; pairs with count 0 are left out.  To replace a number, first set its count to 0. */
#define SIM_LIST_MAX 64
void sim_list(const uint64_t *pairs, unsigned n, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Begins a table of results.  In each row that is declared next, and each line of a list, what stands between braces is a cell:
 *
 *   sim_table(sim.slot, "sizes", "size reads writes");
 *   sim_row(terms, 2, "AN: {%lu} bytes: {%%U} reads, {%%U} writes missed", size);
 *
 * The line is printed without the braces.  A row of nothing but cells is not printed.  The table becomes PROFILE.sizes.csv, or PREFIX.sizes.csv of
 * `quern replay --tables=PREFIX`; of a module in another slot than AN, PROFILE.D1.sizes.csv.  Names as those of events. */
void sim_table(const char *slot, const char *name, const char *columns);
/* In the finish function: a number with a name, as those of events; printed, and a row of PROFILE.totals.csv. */
void sim_total(const char *slot, const char *name, uint64_t count, const char *text);
/* Call this before a word changes because of the reference being simulated.  If the reference never happens, because its instruction or an
 * earlier one of the block faults, the word gets its old value back.  For counts only: the simulated caches keep their lines, and a module
 * what it knows about them. */
#define SIM_UNDO_MAX 2048u /* more than the references of one execution of a block can change */
extern struct sim_undo {
    uint64_t *word, old, site, execution;
} sim_undo[SIM_UNDO_MAX], sim_reference; /* sim_reference: site and execution of the one being simulated */
extern uint64_t sim_undo_count;
static inline void sim_undoable(uint64_t *word)
{
    sim_undo[sim_undo_count++ % SIM_UNDO_MAX] = (struct sim_undo){word, *word, sim_reference.site, sim_reference.execution};
}
/* These cells count the misses of a cache by set.  With --interval, PROFILE.sets.csv lists them by interval.  Only at init. */
void sim_sets_by_time(const char *cache, const uint64_t *misses, uint64_t sets);

/* Declares an event of this module (only at init): a column SLOT.name of the profile, and a total after the summary.  A name has
 * letters, digits, - and _; SLOT.name has at most SIM_EVENT_NAME_MAX bytes.  sim_count charges n events to the instruction
 * whose reference is being simulated. */
#define SIM_EVENT_NAME_MAX 31
unsigned sim_event(const char *slot, const char *name, const char *text);
extern uint64_t *sim_event_counts;                   /* of all references before this one */
extern uint64_t sim_event_new[2 * SIM_EVENTS_MAX];   /* of this reference, not charged to its instruction yet */
extern uint64_t sim_events_new;                      /* a bit for each event that is not 0 there */
/* The second half of sim_event_new has the events that the unfiltered shadow model of --check has counted. */
static inline void sim_count(unsigned event, uint64_t n)
{
    sim_event_new[event] += n;
    sim_events_new |= 1ull << event;
}
/* The same, charged to an earlier data reference: `site` of its sim_ref. */
void sim_count_for(uint32_t site, unsigned event, uint64_t n);
static inline uint64_t sim_counted(unsigned event) { return sim_event_counts[event] + sim_event_new[event]; }

/* Stops the run because of an error in the module.  The message has slot, module, function, and the number of the reference. */
_Noreturn void sim_fail(const char *slot, const char *module, const char *function, uint64_t reference, const char *what);

/* xorshift64* (Vigna 2016): reproducible from --seed. */
static inline uint64_t sim_random_next(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1dull;
}

/* 0 to n-1.  The bias is below n / 2^32. */
static inline uint32_t sim_random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((sim_random_next(state) >> 32) * n >> 32);
}

/* A state that is never 0, different for each seed. */
static inline uint64_t sim_random_seed(uint64_t seed) { return (seed + 1) * 0x9e3779b97f4a7c15ull | 1; }

/* ---- of this slot (defined by the unit that includes the module) ---- */

/* Address of the instruction that makes the reference.  For modules with #define WANTS_PC 1. */
extern uint64_t sim_pc;

/* The thread that makes the reference or executes the branch.  0 is the first thread; the others are numbered in the order of
 * their creation.  No number is reused.  One thread runs at a time.  The kernel and the program decide when another thread
 * runs, so the order of references of two threads differs from run to run.  A forked process keeps the number of the thread
 * that called fork.  For modules with #define WANTS_THREAD 1.  A trace has no threads, so a replay refuses such a module. */
extern uint32_t sim_thread;

#ifdef QN_SIM_UNIT
static struct sim_config sim __attribute__((unused)); /* geometry of this slot */
static uint64_t sim_random_state __attribute__((unused));

static inline __attribute__((unused)) uint32_t sim_random(uint32_t n) { return sim_random_below(&sim_random_state, n); }

#define SIM_NCSR QN_SIM_NCSR

/* No kind of module uses all functions that are declared here.  (gcc warns at the end of the file, so this applies to all of it.) */
#pragma GCC diagnostic ignored "-Wunused-function"

/* Where there is no slot (an editor's compiler), these are only declared. */
#if defined(QN_SLOT) || defined(QN_SLOT_LL)
#define SIM_OF_SLOT static inline
#else
#define SIM_OF_SLOT
#endif

/* A reference to the next level, by a level that does not leave this to the engine.  Returns true on a miss.  In slot LL the
 * next level is memory: always true; in slot L2 it is the LL. */
SIM_OF_SLOT bool sim_next(uint64_t addr, uint32_t size, enum sim_kind kind);
/* Does the next level want SIM_EVICT or SIM_WRITEBACK for each victim of this level?  (An exclusive level does.) */
SIM_OF_SLOT bool sim_wants_evictions(void);
/* Slot D1, LEVEL_TELLS_WRITEBACKS: does anybody want SIM_WRITEBACK for each dirty victim?  (The default L2 and LL do.) */
SIM_OF_SLOT bool sim_wants_writebacks(void);
/* Slot LL: removes the line from I1 and D1, for an inclusive level.  line: address of its first byte; bytes: its size. */
SIM_OF_SLOT void sim_back_invalidate(uint64_t line, uint32_t bytes);
/* Slot D1, LEVEL_SETTLED: this line was evicted, or is no longer settled. */
SIM_OF_SLOT void sim_dropped(uint64_t line);
/* For a prefetcher: fetches the line of this address.  false: it is in the cache already. */
SIM_OF_SLOT bool sim_prefetch(uint64_t addr);

/* ---- state of a policy: zeroed memory ----
 * #define POLICY_WAY_STATE and POLICY_SET_STATE to the types of the state of a way and of a set.  `quern watch` shows them if
 * POLICY_WAY_SHOWS and POLICY_SET_SHOWS name them: #define POLICY_WAY_SHOWS "RRPV".  To show another number,
 * #define policy_show_way(set, way) or policy_show_set(set). */
static void *sim_way_memory __attribute__((unused)), *sim_set_memory __attribute__((unused));
#define way_state(set, way) (((POLICY_WAY_STATE *)sim_way_memory)[(uint64_t)(set) * sim.ways + (way)])
#define set_state(set) (((POLICY_SET_STATE *)sim_set_memory)[set])

/* For a policy: the address of the first byte of the line that is referenced.  In policy_victim and policy_fill, this is the
 * line to be filled. */
static uint64_t sim_line __attribute__((unused));
/* For a policy with WANTS_KIND: the kind of the reference to sim_line.  In the LL also SIM_PREFETCH, which a prefetcher above makes. */
static enum sim_kind sim_kind_of_line __attribute__((unused));
#define sim_line_kind (WANTS_KIND_is_missing(), sim_kind_of_line)
/* For a policy: this line, of any set, may no longer be settled. */
SIM_OF_SLOT void sim_unsettled(unsigned set, unsigned way);

/* For policies like `opt`, in a replay only: the number of the next reference to the line that is referenced now; UINT64_MAX: none. */
uint64_t sim_next_use_in(const char *slot);
static inline __attribute__((unused)) uint64_t sim_next_use(void) { return sim_next_use_in(sim.slot); }

extern bool sim_branch_backward; /* for predictors: does this conditional branch have a target below it? */

/* A module that uses sim_pc without WANTS_PC, sim_thread without WANTS_THREAD, or sim_line_kind without WANTS_KIND does not link. */
#ifdef QN_SLOT
static void WANTS_PC_is_missing(void), WANTS_THREAD_is_missing(void), WANTS_KIND_is_missing(void);
#else
static inline void WANTS_PC_is_missing(void) {}
static inline void WANTS_THREAD_is_missing(void) {}
static inline void WANTS_KIND_is_missing(void) {}
#endif
#define sim_pc (WANTS_PC_is_missing(), sim_pc)
#define sim_thread (WANTS_THREAD_is_missing(), sim_thread)

/* ---- the functions that each kind of module defines ----
 * They are declared, so that the compiler reports a wrong type at the author's line, and the linker a missing function.  doc/modules.md says which of
 * them a module may leave out. */

/* X is the slot: a module may write its name or X, which fits any slot. */
#ifdef QN_SLOT
#define CAT2_(a, b) a##b
#define CAT2(a, b) CAT2_(a, b)
#define CAT3(a, b, c) CAT2(CAT2(a, b), c)
#define cachesim_X_initcache CAT3(cachesim_, QN_SLOT, _initcache)
#define cachesim_X_doref CAT3(cachesim_, QN_SLOT, _doref)
#define cachesim_X_finish CAT3(cachesim_, QN_SLOT, _finish)
#define cachesim_X_drop CAT3(cachesim_, QN_SLOT, _drop)
#define cachesim_X_settled CAT3(cachesim_, QN_SLOT, _settled)
#define branchsim_X_init CAT3(branchsim_, QN_SLOT, _init)
#define branchsim_X_finish CAT3(branchsim_, QN_SLOT, _finish)
#endif

/* POLICY */
static const char *policy_init(void);            /* POLICY_INIT: NULL, or an error text if the policy does not support the geometry */
static void policy_hit(unsigned set, unsigned way);         /* this and policy_settled not with POLICY_HIT_IS_NOOP */
static void policy_fill(unsigned set, unsigned way);
static unsigned policy_victim(unsigned set);
static bool policy_bypass(unsigned set);         /* POLICY_BYPASSES: before policy_victim; true: the line is not brought into the cache */
static bool policy_settled(unsigned set, unsigned way);
static void policy_finish(void);                 /* POLICY_FINISH */

/* PREFETCHER */
static void prefetcher_init(const struct sim_config *config); /* PREFETCHER_INIT */
static void prefetcher_ref(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss);

/* LEVEL */
static void cachesim_X_initcache(const struct sim_config *config);
static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result);
static bool cachesim_X_settled(uint64_t line);   /* LEVEL_SETTLED */
static void cachesim_X_drop(uint64_t line);      /* LEVEL_DROP */
static void cachesim_X_finish(void);             /* LEVEL_FINISH */

/* BESIDE */
static void beside_init(const struct sim_config *config);
static void beside_ref(uint64_t addr, uint32_t size, enum sim_kind kind);
static bool beside_settled(uint64_t line);       /* would one more reference to this line change nothing?  When that ends: sim_dropped(line) */

/* PREDICTOR */
static void branchsim_BC_init(const struct sim_config *config); /* PREDICTOR_INIT */
static unsigned branchsim_BC_predict(uint64_t pc);
static void branchsim_BC_update(uint64_t pc, unsigned taken);
static void branchsim_BC_path(uint64_t pc, uint64_t target, enum sim_ref_kind kind); /* PREDICTOR_PATH */
static void branchsim_BC_finish(void);           /* PREDICTOR_FINISH */
static void branchsim_BI_init(const struct sim_config *config); /* PREDICTOR_INIT */
static uint64_t branchsim_BI_target(uint64_t pc);
static void branchsim_BI_learn(uint64_t pc, uint64_t target);
static void branchsim_BI_call(uint64_t next);    /* PREDICTOR_RETURNS */
static uint64_t branchsim_BI_return(void);       /* PREDICTOR_RETURNS */
static void branchsim_BI_outcome(uint64_t pc, unsigned taken); /* PREDICTOR_OUTCOMES */
static void branchsim_BI_finish(void);           /* PREDICTOR_FINISH */
static void predictor_show(uint64_t pc, unsigned kind); /* PREDICTOR_SHOWS */

/* ANALYSIS */
struct sim_ref;
struct sim_insn;
struct sim_record;
static void analysis_init(const struct sim_config *config);
static void analysis_ref(const struct sim_ref *ref);
static void analysis_observe(const struct sim_record *record, uint32_t n);       /* ANALYSIS_RECORDS */
static uint32_t analysis_recent(const struct sim_config *config);                /* SIM_USES */
static void analysis_insn(const struct sim_insn *insn); /* ANALYSIS_OBSERVES */
static void analysis_finish(void);
#endif

/* ---- analysis ---- */

enum { SIM_L1_MISS = 1, SIM_LL_MISS = 2, SIM_TAKEN = 1, SIM_MISPREDICT = 2 };
/* Instructions executed so far that had no fetch: further repetitions of string instructions.  Ir counts them, too. */
extern uint64_t sim_repetitions;

struct sim_ref {
    uint64_t addr;     /* data or code; the pc of a branch */
    uint64_t pc;       /* the instruction; with WANTS_PC only */
    uint64_t target;   /* of indirect branches and returns; of a call: its return address */
    uint32_t size;     /* bytes */
    uint8_t kind;      /* SIM_READ, SIM_WRITE, SIM_MODIFY, SIM_REF_* */
    uint8_t outcome;   /* SIM_L1_MISS | SIM_LL_MISS; branches: SIM_TAKEN | SIM_MISPREDICT */
    uint8_t backward;  /* of conditional branches: the target lies below the branch */
    uint32_t site;     /* of data references: for sim_count_for */
};

/* ---- the state of a predictor, for `quern watch` (#define PREDICTOR_SHOWS 1) ----
 * In a replay, predictor_show(pc, kind) is called before each prediction.  kind: SIM_REF_COND; in slot BI SIM_REF_INDIRECT and,
 * with PREDICTOR_RETURNS, SIM_REF_RETURN.  It shows the state that this branch uses, in the order of the calls, and changes
 * nothing.  Names consist of letters, digits and minus signs. */
#define SIM_SHOWN_MAX 16    /* calls for a branch */
#define SIM_SHOWN_NAME 24   /* bytes of a name, with its NUL */
#define SIM_SHOWN_WEIGHTS 64
void sim_show_number(const char *name, int64_t number);                 /* an index, a table, a sum */
void sim_show_bits(const char *name, uint64_t bits, unsigned n);        /* outcomes, the newest lowest */
void sim_show_address(const char *name, uint64_t address);
/* A counter from `least` to `most` in one byte, signed or not; weights from -128 to 127.  Both are read again after the
 * predictor has learnt the outcome, so that old and new value are shown. */
void sim_show_counter(const char *name, const void *byte, int least, int most);
void sim_show_weights(const char *name, const int8_t *weights, unsigned n);

/* ---- the stream of records (#define ANALYSIS_RECORDS SIM_MISSES) ----
 *
 *   program    A B A C A D | E        four lines are recent at most; when there are so many (|), those not used since that was last so no
 *   stream     use A, use B, use C, use D, B left, E      longer are
 *
 * Data references leave records, in program order.  analysis_observe(record, n) is called for many of them at a time, some time later.
 * ANALYSIS_RECORDS is the sum of those that the module needs; it must ignore others, which another analysis of the run may have asked for.
 *
 * Recent lines were used later than all other lines, so the stream has all that an LRU stack needs, and hits on recent lines cost nothing.
 * analysis_recent(config) says how many there may be, at most.  There may be fewer, down to one.  The records are the same for any module in
 * slot D1, but only the default one says which lines leave it. */
#define SIM_MISSES 1  /* references that miss the D1 */
#define SIM_VICTIMS 2 /* the same, and the line that each of them evicts, if config->victims is set */
#define SIM_USES 4    /* uses of lines that are not recent, and when a line ceases to be; of a reference to several lines, all */
#define SIM_HITS 8    /* in a replay, all references (in a run, see sim_keep_loads) */

/* What a record says: SIM_L1_MISS, SIM_LL_MISS: the outcome of its reference, in its last record; and */
enum {
    SIM_MORE = 4,          /* the next record that is a use is of the same reference, which uses several lines */
    SIM_RECENT = 8,        /* the line was recent, and is */
    SIM_LEFT = 16,         /* no use: the line is no longer recent.  It was used later than all that left before */
    SIM_FILLED = 32,       /* the line was not in the D1 */
    SIM_UNDONE = 64        /* the line was used, but nothing counts: the instruction faulted */
};

struct sim_record {
    uint64_t addr;         /* of the first byte of the reference */
    uint64_t line;         /* of the first byte of the line */
    uint64_t victim;       /* SIM_VICTIMS, SIM_FILLED: the line that was evicted; SIM_NO_LINE: there was room */
    uint64_t execution;    /* for the engine */
    uint64_t pc;           /* of the instruction, with WANTS_PC; kind, too: else it is SIM_READ */
    uint32_t site;         /* of the reference, for sim_count_for */
    uint16_t size;         /* bytes */
    uint8_t what, kind;    /* kind: SIM_READ, SIM_WRITE, SIM_MODIFY */
    uint64_t user, last_user; /* for the engine */
};

/* In analysis_init.  Returns false in a replay.  In a run, the collector then makes findings D, L, M and cycles out of the run's
 * counters, for each instruction that reads memory: the numbers of loads that the D1, the LL and memory served, and their
 * sum weighted by cycles[0 to 2].  Their `value` is that of the instruction's row `load`, if the module has made one (sim_keep). */
bool sim_keep_loads(const uint64_t cycles[3]);

/* ---- observed instructions: analysis_insn is called after each instruction (#define ANALYSIS_OBSERVES 1) ----
 * All instructions of the run are observed, or, with run --sample=N/M, windows of consecutive ones. */

enum sim_flow { SIM_FLOW_ON, SIM_FLOW_COND, SIM_FLOW_JUMP, SIM_FLOW_CALL, SIM_FLOW_RETURN };

#define SIM_ACCESSES_MAX 3
#define SIM_NO_REG 255

struct sim_access {
    uint64_t addr;
    uint64_t value;    /* the memory after the access, at most its first eight bytes, little-endian */
    uint32_t size;     /* bytes; of a repeated string instruction, the bytes of all repetitions */
    uint8_t kind;      /* SIM_READ, SIM_WRITE, SIM_MODIFY */
};

struct sim_insn {
    uint64_t pc, next; /* its address; the address of the instruction executed next */
    void **memo;       /* a word in which the module may cache a pointer for this instruction; the engine may reset *memo to NULL
                          at any time.  NULL: there is none */
    uint64_t result;   /* the value of `reg` after the instruction; of an operand of 8 or 16 bits only these */
    uint8_t reg;       /* the general register that it wrote, by the processor's number; SIM_NO_REG: none.  Not rsp, which each
                          push writes, nor the pointers and the counter of a string instruction */
    uint8_t flow;      /* enum sim_flow */
    uint8_t indirect;  /* JUMP, CALL: it is indirect */
    uint8_t first;     /* the first of a window: the instruction observed before was not executed directly before it */
    uint8_t accesses;
    struct sim_access access[SIM_ACCESSES_MAX]; /* in order; masked accesses, gathers, scatters and xsave have none */
};

/* A finding: a row about an instruction in the table that `quern run` writes beside the profile and `annotate --values` reads.
 * Call sim_find from analysis_finish only, for the rows of an instruction in the order in which they are shown. */
#define SIM_FINDING_NAME 8 /* bytes of a name, with its NUL: letters, digits, - */
struct sim_finding {
    uint64_t pc;       /* the instruction */
    uint64_t value;
    uint64_t other;    /* another instruction, 0 = none */
    uint64_t count, of; /* the finding was made count times out of `of` */
    char what[SIM_FINDING_NAME]; /* the kind of the value: the name of a register, "load" ... */
};

void sim_find(const struct sim_finding *finding);

/* Makes a row at any time.  The module counts in it until the end, so it is in the table even if the program is killed.  Rows of an instruction
 * with the same name are sorted by count, the largest first; their `of` is set to the sum of the counts.  NULL: the table is full. */
struct sim_finding *sim_keep(const struct sim_finding *finding);
/* The same, but `of` is set to the number in this cell (sim_cells). */
struct sim_finding *sim_keep_of(const struct sim_finding *finding, const uint64_t *cell);
/* A list of the frequent values of an instruction (analysis/values.c), which the collector sorts and makes findings of: pc, `what`, a
 * word of the engine's, and a struct hotlist with so many entries, in all lists the same.  Each list follows the one made before. */
void *sim_keep_values(uint64_t pc, const char *what, unsigned entries);

/* A row of the table of memory that threads share, PROFILE.sharing.csv: the references of one instruction to one line in one
 * thread.  The module counts in it until the end, as in the rows of sim_keep.  NULL: the table is full. */
struct sim_shared {
    uint64_t line;     /* address of its first byte */
    uint64_t address;  /* of a byte of the line that is referenced: the table names the object at this address */
    uint64_t pc;
    uint64_t thread;
    uint64_t reads, writes;     /* references; a read-modify-write counts as one of each */
    uint64_t read, written;     /* a bit for each byte; in a line longer than 64 bytes, for each 1/64 of the line */
    uint64_t misses_true, misses_false, cold, upgrades; /* see analysis/sharing.c */
};
struct sim_shared *sim_keep_shared(const struct sim_shared *row);

#endif
