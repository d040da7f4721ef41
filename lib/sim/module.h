/* lib/sim/module.h - all that the author of a simulator module needs.
 *
 * A module is one C file for one slot: I1, D1, LL (caches), BC, BI (predictors) or AN (analysis).  It says which kind
 * it is by one #define, and defines the functions of that kind; doc/modules.md has an example of each.
 *
 *   #define POLICY "srrip"        policy_hit(set, way)  policy_fill(set, way)  policy_victim(set)  policy_settled(set, way)
 *   #define PREFETCHER "nextline" prefetcher_ref(addr, size, kind, miss), which calls sim_prefetch(address)
 *   #define LEVEL "victim"        cachesim_X_initcache(config)  cachesim_X_doref(addr, size, kind, result)
 *   #define PREDICTOR "gshare"    branchsim_BC_predict(pc)  branchsim_BC_update(pc, taken)
 *                                 branchsim_BI_target(pc)   branchsim_BI_learn(pc, target)
 *                                 branchsim_BI_call(next)   branchsim_BI_return()             with PREDICTOR_RETURNS
 *                                 predictor_show(pc, kind)  for `quern watch`, with PREDICTOR_SHOWS
 *   #define ANALYSIS "interval"   analysis_init(config)  analysis_ref(ref)  analysis_finish()
 *                                 analysis_ref of references to data only               with ANALYSIS_DATA
 *                                 analysis_miss(miss) in place of analysis_ref          with ANALYSIS_MISSES
 *                                 analysis_line(line) and all of these                  with ANALYSIS_LINES
 *                                 analysis_far(far) in place of analysis_ref            with ANALYSIS_FAR
 *                                 analysis_insn(insn) in place of analysis_ref          with ANALYSIS_OBSERVES
 *
 * The same file is compiled into the engine, which has no libc (memset and memcpy exist), and into the hosted program of
 * `quern replay`, where printf, gdb and sanitizers work.  Every slot is a compilation unit of its own, so a
 * file may define what it likes, as static; and each unit exists twice, because --check runs an unfiltered twin.
 */
#ifndef QN_SIM_MODULE_H
#define QN_SIM_MODULE_H

#include "base/base.h"

#ifdef QN_SIM_HOSTED
#include <stdio.h>
#endif

/* SIM_MODIFY is a read-modify-write (inc m): one reference, which reads and leaves the line written.
 * SIM_EVICT: a level above gives up this line (only if the level asks for it, see sim_wants_evictions);
 * SIM_WRITEBACK: the same, and the line is dirty. */
enum sim_kind { SIM_READ, SIM_WRITE, SIM_MODIFY, SIM_FETCH, SIM_PREFETCH, SIM_EVICT, SIM_WRITEBACK };

static inline bool sim_writes(enum sim_kind kind) { return kind == SIM_WRITE || kind == SIM_MODIFY; }

struct sim_config {
    const char *slot;          /* "D1" */
    uint32_t size, ways, line; /* bytes, lines per set, bytes */
    uint32_t sets;             /* a power of two; so is line */
    uint32_t line_bits;
    uint64_t seed;             /* --seed */
    bool misses;               /* AN: analysis_miss is called (and analysis_line, analysis_far), not analysis_ref */
    uint32_t near;             /* AN: lines that analysis_far is not told of */
    uint32_t LL_sets, LL_line_bits; /* AN: of the last level; all else is of the D1 */
};

/* What became of a reference.  miss: the level did not have it all; the engine then asks the next level with the same range,
 * unless next_done says that the level has done so itself (by sim_next), with next_miss as the answer. */
struct sim_result {
    bool miss, next_done, next_miss;
};

#define SIM_NO_LINE (~0ull) /* the number of no line: address / bytes per line is smaller */

/* For LEVEL_SLOTS: where a level may stand.  Elsewhere it is refused at the start. */
#define LEVEL_IN_I1 1
#define LEVEL_IN_D1 2
#define LEVEL_IN_LL 4

/* ---- services ---- */

#define SIM_EVENTS_MAX 32

/* Zeroed memory.  Never fails: a module that asks for too much is stopped and named. */
void *sim_alloc(uint64_t bytes);

/* The number given by --sim-opt=key=value; SLOT.key=value (as in D1.key=4) sets it for one slot only. */
uint64_t sim_option(const char *slot, const char *key, uint64_t otherwise);
/* The same; anything but least to most stops the run with a line that says so. */
uint64_t sim_option_within(const char *slot, const char *module, const char *key, uint64_t otherwise, uint64_t least,
                           uint64_t most);

/* A line for the user, with the summary or, in analysis_finish, after it.  Conversions: %s %c %d %u, %D %U (64 bits), %x
 * (64 bits, hexadecimal), %%. */
void sim_print(const char *format, ...);

/* ---- tables: lines that are printed however the run ends, also where the program is killed ----
 *
 *   uint64_t *hits = sim_cells(64);
 *   sim_row(&(struct sim_term){.cells = hits, .n = 64, .times = 1}, 1, "AN: hits of the first %u: %%U", 64);
 *
 * To be declared at init; later the module counts in its cells.  In the line stands each number that is wanted as %%U (%%x: hexadecimal): the
 * sum of a term, or of several.  The lines follow those of sim_print, in the order in which they were declared. */
enum sim_sum {
    SIM_SUM_CELLS,
    SIM_SUM_LOADS, SIM_SUM_LOADS_L1, SIM_SUM_LOADS_LL, /* totals of a run: references that read, of these those that missed; 0 in a replay */
    SIM_SUM_LINES      /* of a run: lines that data has touched, a reference to two lines counting twice; 0 in a replay */
};

struct sim_term {
    const uint64_t *cells; /* from this one on, ... */
    uint64_t n;            /* ... so many */
    int64_t times;         /* a factor */
    uint8_t of;            /* enum sim_sum */
    bool plus;             /* the next one is added to the same number */
    bool needed;           /* where the number is 0 the line is left out */
    bool hidden;           /* and it does not stand in the line */
};

/* Zeroed; too many stop the run with a line. */
uint64_t *sim_cells(uint64_t n);
void sim_row(const struct sim_term *terms, unsigned n, const char *format, ...);
/* n lines, each of two cells that follow each other: a number, and its count.  The largest count stands first, of equals the smaller number;
 * those with count 0 are left out.  To put another number in a place, first set the count to 0. */
#define SIM_LIST_MAX 64
void sim_list(const uint64_t *pairs, unsigned n, const char *format, ...);
/* These cells have the misses of a cache by set: in a run with --interval, PROFILE.sets.csv tells of each interval.  At init. */
void sim_sets_by_time(const char *cache, const uint64_t *misses, uint64_t sets);

/* Declare an event of this module (at init): a column SLOT.name of the profile, and a total after the summary.  Letters,
 * digits, - and _; SLOT.name has at most SIM_EVENT_NAME_MAX bytes.  sim_count adds to it on behalf of the instruction whose
 * reference is being made. */
#define SIM_EVENT_NAME_MAX 31
unsigned sim_event(const char *slot, const char *name, const char *text);
extern uint64_t *sim_event_counts;                   /* of all references before this one */
extern uint64_t sim_event_new[2 * SIM_EVENTS_MAX];   /* of this reference, not charged to its instruction yet ... */
extern uint64_t sim_events_new;                      /* ... and which events: a bit each */
/* The second half of sim_event_new has all that the unfiltered twin of --check has counted. */
static inline void sim_count(unsigned event, uint64_t n)
{
    sim_event_new[event] += n;
    sim_events_new |= 1ull << event;
}
/* The same on behalf of an earlier reference to data, whose sim_ref had this site. */
void sim_count_for(uint32_t site, unsigned event, uint64_t n);
static inline uint64_t sim_counted(unsigned event) { return sim_event_counts[event] + sim_event_new[event]; }

/* Stop the run: a mistake in the module.  Says slot, module, function, and the number of the reference. */
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

/* 0 .. n-1; n is far below 2^32, so the bias is nil. */
static inline uint32_t sim_random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((sim_random_next(state) >> 32) * n >> 32);
}

/* A state that is never 0, different for each seed. */
static inline uint64_t sim_random_seed(uint64_t seed) { return (seed + 1) * 0x9e3779b97f4a7c15ull | 1; }

/* ---- of this slot (defined by the unit that includes the module) ---- */

/* Address of the instruction whose reference is being made; of a fetch its own.  For modules with #define WANTS_PC 1. */
extern uint64_t sim_pc;

/* The thread that makes the reference (executes the branch, the instruction): 0 is the first, the others are numbered as they are created.
 * No number is used again.  One thread runs at a time; the system and the program decide when another one does, so the order of
 * references of two threads differs from run to run.  A forked process goes on with the number of the thread that called fork.  For modules
 * with #define WANTS_THREAD 1; there are none in a replay, which refuses such a module. */
extern uint32_t sim_thread;

#ifdef QN_SIM_UNIT
static struct sim_config sim __attribute__((unused)); /* geometry of this slot */
static uint64_t sim_random_state __attribute__((unused));

static inline __attribute__((unused)) uint32_t sim_random(uint32_t n) { return sim_random_below(&sim_random_state, n); }

#define SIM_NCSR QN_SIM_NCSR

/* Of what is declared here no kind of module has all.  (gcc looks at the end of the file, so this holds for the rest of it.) */
#pragma GCC diagnostic ignored "-Wunused-function"

/* Where there is no slot (an editor's compiler), these are only declared. */
#if defined(QN_SLOT) || defined(QN_SLOT_LL)
#define SIM_OF_SLOT static inline
#else
#define SIM_OF_SLOT
#endif

/* References to the next level, for levels that do not leave this to the engine.  Returns whether it missed.  In slot LL
 * there is none: memory, always a miss. */
SIM_OF_SLOT bool sim_next(uint64_t addr, uint32_t size, enum sim_kind kind);
/* The next level wants SIM_EVICT and SIM_WRITEBACK of every line that leaves this one (it is exclusive). */
SIM_OF_SLOT bool sim_wants_evictions(void);
/* Slot LL: take the line out of I1 and D1 (it is inclusive). */
SIM_OF_SLOT void sim_back_invalidate(uint64_t line, uint32_t bytes);
/* Slot D1, LEVEL_SETTLED: this line left the level, or its next hit would change something. */
SIM_OF_SLOT void sim_dropped(uint64_t line);
/* A prefetcher: bring the line of this address, if it is not there. */
SIM_OF_SLOT void sim_prefetch(uint64_t addr);

/* ---- state of a policy: storage comes from the level, zeroed ----
 * #define POLICY_WAY_STATE and POLICY_SET_STATE to the types wanted.  `quern watch` shows them where POLICY_WAY_SHOWS and POLICY_SET_SHOWS
 * say what they are: #define POLICY_WAY_SHOWS "RRPV"; another number for a way: #define policy_show_way(set, way). */
static void *sim_way_memory __attribute__((unused)), *sim_set_memory __attribute__((unused));
#define way_state(set, way) (((POLICY_WAY_STATE *)sim_way_memory)[(uint64_t)(set) * sim.ways + (way)])
#define set_state(set) (((POLICY_SET_STATE *)sim_set_memory)[set])

/* A policy: the address of the first byte of the line that is being referenced; in policy_victim and policy_fill of the one
 * that comes in. */
static uint64_t sim_line __attribute__((unused));
/* A policy: this line, of any set, was settled and may no longer be so. */
SIM_OF_SLOT void sim_unsettled(unsigned set, unsigned way);

/* Policy `opt` and its like, in replay only: when the line of the reference being made is referenced next.  */
uint64_t sim_next_use_in(const char *slot);
static inline __attribute__((unused)) uint64_t sim_next_use(void) { return sim_next_use_in(sim.slot); }

/* Outcome and direction, for predictors: is the target of this conditional branch below it? */
extern bool sim_branch_backward;

/* A module in a slot that uses the address, or the thread, without having asked for it is not linked. */
#ifdef QN_SLOT
static void WANTS_PC_is_missing(void);
#else
static inline void WANTS_PC_is_missing(void) {}
#endif
#define sim_pc (WANTS_PC_is_missing(), sim_pc)

#ifdef QN_SLOT
static void WANTS_THREAD_is_missing(void);
#else
static inline void WANTS_THREAD_is_missing(void) {}
#endif
#define sim_thread (WANTS_THREAD_is_missing(), sim_thread)

/* ---- what modules define, whole as each kind needs it ---- */

#include "sim/adapt/declare.h"
#endif

/* ---- analysis ---- */

enum { SIM_L1_MISS = 1, SIM_LL_MISS = 2, SIM_TAKEN = 1, SIM_MISPREDICT = 2 };
/* Calls and returns come after the branches; analysis modules that do not know them must pass them over. */
enum sim_ref_kind { SIM_REF_FETCH = 16, SIM_REF_COND, SIM_REF_INDIRECT, SIM_REF_CALL, SIM_REF_RETURN };

struct sim_ref {
    uint64_t addr;     /* data or code; the pc of a branch */
    uint64_t pc;       /* the instruction; with WANTS_PC only */
    uint64_t target;   /* indirect branches, returns; of a call: where it will return */
    uint32_t size;     /* bytes */
    uint8_t kind;      /* SIM_READ, SIM_WRITE, SIM_MODIFY, SIM_REF_* */
    uint8_t outcome;   /* SIM_L1_MISS | SIM_LL_MISS; branches: SIM_TAKEN | SIM_MISPREDICT */
    uint8_t backward;  /* conditional branches: target below the branch */
    uint32_t site;     /* of data: for sim_count_for */
};

/* ---- what a predictor holds, for `quern watch` (#define PREDICTOR_SHOWS 1) ----
 * predictor_show(pc, kind) is called before a branch is predicted: SIM_REF_COND; in slot BI SIM_REF_INDIRECT, with PREDICTOR_RETURNS
 * SIM_REF_RETURN, too.  It names what this branch uses, in the order in which it is to be shown, and changes nothing.  In a replay only.
 * Names are letters, digits and minuses. */
#define SIM_SHOWN_MAX 16    /* calls for a branch */
#define SIM_SHOWN_NAME 24   /* bytes of a name, with its NUL */
#define SIM_SHOWN_WEIGHTS 64
void sim_show_number(const char *name, int64_t number);                 /* an index, a table, a sum */
void sim_show_bits(const char *name, uint64_t bits, unsigned n);        /* outcomes, the newest lowest */
void sim_show_address(const char *name, uint64_t address);
/* A counter from `least` to `most` in one byte, signed or not; weights from -128 to 127.  Both are looked at again when the predictor has
 * learnt the outcome, so that it is seen how they moved. */
void sim_show_counter(const char *name, const void *byte, int least, int most);
void sim_show_weights(const char *name, const int8_t *weights, unsigned n);

/* ---- misses (#define ANALYSIS_MISSES 1) ----
 * What passes a filter hits, so nothing else than misses need come to C.  With ANALYSIS_LOADS, too, the module asks for
 * sim_keep_loads; where nothing is counted (in a replay) it has analysis_ref called instead, which it then needs. */

struct sim_miss {
    uint64_t addr, pc; /* pc: with WANTS_PC only */
    uint32_t size;     /* bytes */
    uint8_t kind;      /* SIM_READ, SIM_WRITE, SIM_MODIFY: with WANTS_PC; else SIM_READ */
    uint8_t outcome;   /* SIM_L1_MISS, or that and SIM_LL_MISS */
};

/* In analysis_miss: of all later misses of the same reference nothing is told but the address, which is written there.  Nothing changes
 * where other analyses are told of misses, too. */
void sim_miss_to(uint64_t *address);

/* With ANALYSIS_LINES: a line that has come into the D1, told before the miss that brought it; of a reference to several lines each line,
 * in order, those that were there, too.  Times grow with each use of a line, by data; 0 is before all of them.  Where the D1 keeps no
 * times, analysis_ref is called instead. */
struct sim_line {
    uint64_t line;        /* address of its first byte */
    uint64_t now;         /* the time of this use */
    uint64_t used;        /* it was there, last used at that time; 0: it was not */
    uint64_t victim;      /* the line that left for it, ... */
    uint64_t victim_used; /* ... and when that was used last; 0: there was a free place */
    bool first, several;  /* of its reference; the reference is to several lines */
};

/* With ANALYSIS_LINES_ONLY, too, the miss is not told. */

/* In analysis_line: how many places of the D1 hold a line last used at this time or before, or none.  Stops counting at `enough`. */
uint32_t sim_older_places(uint64_t time, uint32_t enough);
/* The same of those at this time or before; and of those later how many by time, 2^shift times together, all that are too late in the last
 * count. */
#define SIM_PLACE_COUNTS 256u
uint32_t sim_count_places(uint64_t time, uint32_t shift, uint32_t counts[SIM_PLACE_COUNTS]);

/* With ANALYSIS_FAR: data has touched a line that was not among the config->near lines touched last.  Told in the order of the program.  The
 * one of these that was touched last the longest time ago has left them for it.  `bool analysis_wants_far(config)` says, before
 * analysis_init, whether the module can do with this; else, and where it cannot be told, analysis_ref is called. */
struct sim_far {
    uint64_t line; /* address of its first byte */
    uint64_t left; /* the same; SIM_NO_LINE: there was room */
    bool more;     /* another line of the same reference was told before */
    uint8_t kind;  /* as of struct sim_miss */
};
/* In analysis_finish, with ANALYSIS_FAR: how many lines data has touched, a reference to two lines counting twice. */
uint64_t sim_lines_touched(void);

/* In analysis_init, with ANALYSIS_LOADS, where config->misses is set: findings D, L, M and cycles are made of the counters of the run, of each
 * instruction that reads memory: how many of its loads the D1, the LL and memory served, and what they took if one takes so many cycles.
 * Their value is that of the row `load` of the instruction, if the module has kept one. */
void sim_keep_loads(const uint64_t cycles[3]);

/* ---- observed instructions: what an instruction did, told after it has been executed (#define ANALYSIS_OBSERVES 1) ----
 * Of the run all instructions are observed, or windows of some that follow each other (run --sample=N/M). */

enum sim_flow { SIM_FLOW_ON, SIM_FLOW_COND, SIM_FLOW_JUMP, SIM_FLOW_CALL, SIM_FLOW_RETURN };

#define SIM_ACCESSES_MAX 3
#define SIM_NO_REG 255

struct sim_access {
    uint64_t addr;
    uint64_t value;    /* the bytes there afterwards, at most the first eight, little-endian */
    uint32_t size;     /* bytes; of a repeated string instruction those of all its steps */
    uint8_t kind;      /* SIM_READ, SIM_WRITE, SIM_MODIFY */
};

struct sim_insn {
    uint64_t pc, next; /* where it is; where control went */
    void **memo;       /* a word of this instruction's for the module: NULL at first, and again at any time.  NULL: it has none */
    uint64_t result;   /* what `reg` holds afterwards, of an operand of 8 or 16 bits no more than that */
    uint8_t reg;       /* general register that it wrote, as the processor numbers them; SIM_NO_REG: none.  Not rsp, which every
                          push writes, nor the pointers and the counter of a string instruction */
    uint8_t flow;      /* enum sim_flow */
    uint8_t indirect;  /* JUMP, CALL: where to was computed */
    uint8_t first;     /* of a window: those before are not its neighbours */
    uint8_t accesses;
    struct sim_access access[SIM_ACCESSES_MAX]; /* in order; not those of masked, gathering and scattering ones, and of xsave */
};

/* What a module has found out about an instruction: a row of the table that run writes beside the profile, in which annotate
 * --values looks.  To be called from analysis_finish; the rows of an instruction in the order in which they are to be shown. */
#define SIM_FINDING_NAME 8 /* bytes of a name, with its NUL: letters, digits, - */

struct sim_finding {
    uint64_t pc;       /* the instruction */
    uint64_t value;
    uint64_t other;    /* another instruction, 0 = none */
    uint64_t count, of; /* so many times, of so many */
    char what[SIM_FINDING_NAME]; /* what has the value: a register's name, "load" ... */
};

void sim_find(const struct sim_finding *finding);

/* The same at any time: a row in which the module counts until the end, so that it stands in the table also where the program is killed.
 * Those of an instruction that have the same name are sorted by count, the largest first, and their `of` is the sum.  NULL: no room. */
struct sim_finding *sim_keep(const struct sim_finding *finding);

/* A row of the table of memory that threads share, PROFILE.sharing.csv: what an instruction did with a line on behalf of a thread.  The
 * module counts in it until the end, as in the rows of sim_keep.  NULL: no room. */
struct sim_shared {
    uint64_t line;     /* of memory: address of its first byte */
    uint64_t address;  /* of a byte of it that is referenced: the object that it belongs to is named */
    uint64_t pc;
    uint64_t thread;
    uint64_t reads, writes;     /* references; a modify is one of each */
    uint64_t read, written;     /* which bytes: a bit for each, or for 1/64 of the line where it is longer than 64 bytes */
    uint64_t misses_true, misses_false, cold, upgrades; /* see analysis/sharing.c */
};
struct sim_shared *sim_keep_shared(const struct sim_shared *row);

#endif
