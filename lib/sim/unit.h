/* lib/sim/unit.h - the engine's interface to a module in a slot: a unit is a table of functions.
 *
 *   unit.c           compiles a module's file for slot D1:           const struct qn_unit qn_unit_D1_srrip
 *                    and again, with data of its own:                const struct qn_unit qn_shadow_D1_srrip
 *   slots.h          which unit is in which slot
 *   adapt/           adapters, which make a unit of a policy, a level, a prefetcher, a predictor or an analysis module
 *
 * The second copy is the shadow model of --check, or the second simulator of --versus.
 * Functions that are called for references preserve all registers, so that the caller saves none.
 */
#ifndef QN_SIM_UNIT_H
#define QN_SIM_UNIT_H

#include "sim/current_module.h"
#include "sim/contract.h"
#include "sim/module.h"

#define QN_SIM_NCSR QN_NCSR

/* Does the module define this macro, with any value?  A constant. */
#define QN_DEFINES_TEXT(macro) #macro
#define QN_DEFINES_AS(macro, name) (__builtin_strcmp(QN_DEFINES_TEXT(macro), name) != 0)
#define QN_DEFINES(macro) QN_DEFINES_AS(macro, #macro)

#ifdef QN_SIM_SHADOW
#define QN_UP(name) qn_shadow_up_##name
#else
#define QN_UP(name) qn_up_##name
#endif

/* The table of the hit filter (adapt/filter.h) of the D1, and of its shadow model: units in slot D1 share it. */
#define QN_FILTER_ENTRIES (1u << 17)
extern struct qn_filter_entry qn_sim_filter_entries[2][QN_FILTER_ENTRIES];

/* Outcome of a reference to a unit, as in struct sim_result. */
enum { QN_UNIT_MISS = 1, QN_UNIT_NEXT_DONE = 2, QN_UNIT_NEXT_MISS = 4 };

/* What a unit says about itself at the start. */
struct qn_unit_facts {
    struct qn_filter filter;   /* D1 */
    enum qn_hit hit;           /* I1 */
    bool repeat_is_noop;       /* I1: a second hit directly after a reference changes nothing */
    bool wants_evictions;      /* LL: needs the evictions of I1 and D1 */
    bool tells_evictions;      /* I1, D1: reports its evictions */
    bool tells_writebacks;     /* D1: reports its dirty victims */
    bool back_invalidates;     /* LL: removes lines from I1 and D1 */
    bool can_drop;             /* I1, D1: lines can be removed from it */
    bool kinds;                /* distinguishes reads from writes */
    bool wants_pc;             /* wants sim_pc */
    bool wants_site;           /* wants sim_reference.site */
    bool returns;              /* BI: predicts returns, so it needs calls and returns */
    bool observes;             /* AN: instructions, not references */
    enum qn_show shows;        /* D1: how `show` lists a set */
    const char *way_state, *set_state; /* D1: what `state` shows of a way and of the set, "RRPV"; NULL: nothing */
    const char *name;          /* of the module, for people: "srrip" */
    uint64_t bits;             /* storage of a predictor, 0 = not said */
    uint64_t (*reference)(void); /* number of the reference being made, for messages */
};

typedef QN_NCSR_TYPE unsigned qn_unit_ref(uint64_t addr, uint32_t size, enum sim_kind kind); /* QN_UNIT_* */
typedef QN_NCSR_TYPE void qn_unit_drop(uint64_t line);
typedef QN_NCSR_TYPE unsigned qn_unit_show(uint64_t line, uint64_t *lines);
typedef QN_NCSR_TYPE void qn_unit_state(uint64_t line, uint64_t *ways, unsigned most, uint64_t *set);
typedef QN_NCSR_TYPE bool qn_unit_cond(uint64_t pc, bool taken);
typedef QN_NCSR_TYPE bool qn_unit_indirect(uint64_t pc, uint64_t target);
typedef QN_NCSR_TYPE void qn_unit_call(uint64_t next);
typedef QN_NCSR_TYPE bool qn_unit_return(uint64_t target);
typedef QN_NCSR_TYPE void qn_unit_path(uint64_t pc, uint64_t target, enum sim_ref_kind kind);
typedef QN_NCSR_TYPE void qn_unit_outcome(uint64_t pc, bool taken);
typedef void qn_unit_refs(const struct qn_log_entry *entry, uint32_t n); /* calls QN_UP(missed) for each miss; of the LL, QN_UP(seen_below) for each entry */
typedef void qn_unit_conds(const struct qn_branch_entry *entry, uint32_t n, uint8_t *wrong);
typedef QN_NCSR_TYPE void qn_unit_seen(const struct sim_ref *ref);
/* What the engine keeps of a site for modules that want sim_pc: the address of the instruction, and above it the kind of the reference. */
#define QN_SITE_KIND_SHIFT 60

static inline uint64_t qn_site_of(uint64_t pc, enum qn_log_kind kind) { return pc | (uint64_t)kind << QN_SITE_KIND_SHIFT; }
static inline uint64_t qn_site_pc(uint64_t site) { return site & ((1ull << QN_SITE_KIND_SHIFT) - 1); }

static inline enum sim_kind qn_sim_kind(enum qn_log_kind kind)
{
    static const uint8_t kinds[] = {[QN_LOG_READ] = SIM_READ, [QN_LOG_WRITE] = SIM_WRITE, [QN_LOG_FETCH] = SIM_FETCH,
                                    [QN_LOG_MODIFY] = SIM_MODIFY};

    return (enum sim_kind)kinds[kind];
}

static inline enum sim_kind qn_site_kind(uint64_t site) { return qn_sim_kind((enum qn_log_kind)(site >> QN_SITE_KIND_SHIFT)); }

struct qn_unit {
    const char *slot;          /* "D1" */
    const char *name;          /* of the file, and its hash: "srrip:50b34235a5a88360" */
    void (*init)(const struct sim_config *, struct qn_unit_facts *);
    void (*finish)(void);
    void (*turn)(uint32_t core); /* what follows is this core's; NULL: the unit knows no cores, or serves all of them */
    /* I1, D1, LL */
    qn_unit_ref *ref;
    qn_unit_drop *drop;        /* removes this line, for an inclusive LL; line: address of its first byte */
    qn_unit_show *show;        /* writes the lines of this line's set; returns their number */
    qn_unit_state *state;      /* the policy's state of the ways of this line's set, `most` at most, and of the set; NULL: none is shown */
    qn_unit_refs *refs;        /* D1, LL: the same as n calls of `ref` without a filter, in order; NULL: not supported */
    void (*forget)(void);      /* D1: empties the hit filter */
    uint64_t (*shared)(void);    /* D1: requests so far about lines that several cores have used */
    qn_unit_ref *L2;             /* D1: what missed D1 or I1 of the core that runs is looked up in its L2: 1 = missed */
    /* BC, BI: predict, learn the outcome, return true on a mispredict */
    qn_unit_cond *cond;
    qn_unit_conds *conds;      /* the same as n calls of `cond`, in order */
    qn_unit_indirect *indirect;
    qn_unit_call *call;
    qn_unit_return *returned;
    /* For histories of branches that the other slot predicts, in program order.  NULL: the module does not ask for them. */
    qn_unit_path *path;        /* BC: indirect jumps and calls, calls, returns */
    qn_unit_outcome *outcome;  /* BI: conditional branches */
    void (*shown)(uint64_t pc, unsigned kind); /* in a replay: shows the state that this branch uses; NULL: not supported */
    /* AN: one of these three */
    unsigned records;          /* what it asks for, SIM_MISSES ... */
    void (*observe)(const struct sim_record *record, uint32_t n);
    uint32_t (*recent)(const struct sim_config *); /* with SIM_USES: at most so many recent lines; else NULL */
    qn_unit_seen *seen;
    bool only_data;            /* `seen` is called for data references only */
    void (*insns)(const struct sim_insn *, unsigned n);
    qn_log_words *log;    /* of a recorder; else NULL */
};

/* An engine contains this text for each unit whose analysis module observes instructions; tools search for it. */
#define QN_SIM_OBSERVES_MARK "quern-sim-observes: "

/* Calls from a unit to engine.c or shadow.c. */
QN_SIM_NCSR bool QN_UP(next)(uint64_t addr, uint32_t size, enum sim_kind kind);
QN_SIM_NCSR bool QN_UP(beyond)(uint64_t addr, uint32_t size, enum sim_kind kind); /* slot LL: memory, or the LL below a module at the L2 */
/* Called by `refs`: this entry missed (QN_UNIT_*), or is a fetch that missed the I1. */
void QN_UP(missed)(const struct qn_log_entry *entry, unsigned outcome);
void QN_UP(seen_below)(const struct qn_log_entry *entry, unsigned outcome); /* this entry missed level 1, and this is its outcome (QN_UNIT_*) in slot LL */
void QN_UP(set_pc)(const struct qn_log_entry *entry); /* called by `refs` before a reference: sets sim_pc */
void QN_UP(refer)(uint32_t site); /* what analyses change until the next call belongs to this site's reference */
void QN_UP(charge)(uint32_t site); /* charges the events counted since the last call to this site */
QN_SIM_NCSR void QN_UP(back_invalidate)(uint64_t line, uint32_t bytes);
extern bool QN_UP(wants_evictions), QN_UP(wants_writebacks);
extern bool sim_branch_backward; /* of the conditional branch being predicted: its target lies below it */
struct qn_code_line *QN_UP(code_line)(uint64_t line); /* finds the line's record, or makes one */

#if defined(QN_SLOT_I1) || defined(QN_SLOT_D1) || defined(QN_SLOT_LL)
/* ---- in the unit of a cache: calls to the levels above and below ---- */

#ifdef QN_SLOT_LL
enum { UNIT_IS_LL = 1 };
static inline bool sim_next(uint64_t addr, uint32_t size, enum sim_kind kind) { return QN_UP(beyond)(addr, size, kind); }
static inline bool sim_wants_evictions(void) { return false; }
static inline bool sim_wants_writebacks(void) { return false; }
static inline void sim_back_invalidate(uint64_t line, uint32_t bytes) { QN_UP(back_invalidate)(line, bytes); }
#else
enum { UNIT_IS_LL = 0 };
static inline bool sim_next(uint64_t addr, uint32_t size, enum sim_kind kind) { return QN_UP(next)(addr, size, kind); }
static inline bool sim_wants_evictions(void) { return QN_UP(wants_evictions); }
static inline bool sim_wants_writebacks(void) { return QN_UP(wants_writebacks); }
static inline void sim_back_invalidate(uint64_t line, uint32_t bytes) { (void)line, (void)bytes; }
#endif
#endif

#endif
