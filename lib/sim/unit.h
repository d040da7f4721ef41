/* lib/sim/unit.h - a module in a slot, as the engine sees it: a unit of its own, reached through a table of functions.
 *
 *   unit_D1.c        compiles a module's file, as slot D1 of the simulator:  const struct qn_unit qn_unit_D1_srrip
 *   twin_D1.c        compiles it once more, with data of its own:            const struct qn_unit qn_twin_D1_srrip
 *   slots.h          which unit is in which slot
 *   adapt/           what turns a policy, a level, a prefetcher, a predictor or an analysis module into a unit
 *
 * The second copy is the twin of --check, or the second simulator of --versus.
 * Functions on the path of references keep all registers, so that neither side has to save those that it does not use.
 */
#ifndef QN_SIM_UNIT_H
#define QN_SIM_UNIT_H

#include "sim/at_work.h"
#include "sim/contract.h"
#include "sim/module.h"

#define QN_SIM_NCSR QN_NCSR

#ifdef QN_SIM_TWIN
#define QN_UP(name) qn_twin_up_##name
#else
#define QN_UP(name) qn_up_##name
#endif

/* Outcome of a reference to a unit. */
enum { QN_UNIT_MISS = 1, QN_UNIT_NEXT_DONE = 2, QN_UNIT_NEXT_MISS = 4 };

/* What a unit tells at its start. */
struct qn_unit_facts {
    struct qn_filter filter;   /* D1 */
    enum qn_hit hit;           /* I1 */
    bool repeat_is_noop;       /* I1: a second hit directly after a reference changes nothing */
    bool wants_evictions;      /* LL: needs I1 and D1 that tell what they give up ... */
    bool tells_evictions;      /* I1, D1: ... as this one does */
    bool back_invalidates;     /* LL: takes lines out of I1 and D1 ... */
    bool can_drop;             /* I1, D1: ... which this one can give */
    bool kinds;                /* wants to know reads from writes */
    bool wants_pc;             /* wants sim_pc */
    bool returns;              /* BI: wants to know calls and returns */
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
typedef void qn_unit_refs(const struct qn_log_entry *entry, uint32_t n); /* tells each miss by QN_UP(missed) */
typedef void qn_unit_conds(const struct qn_branch_entry *entry, uint32_t n, uint8_t *wrong);
typedef QN_NCSR_TYPE void qn_unit_seen(const struct sim_ref *ref);
typedef QN_NCSR_TYPE void qn_unit_miss(const struct sim_miss *miss);
typedef QN_NCSR_TYPE void qn_unit_line(const struct sim_line *line);
typedef QN_NCSR_TYPE void qn_unit_far(const struct sim_far *far);

struct qn_unit {
    const char *slot;          /* "D1" */
    const char *name;          /* of the file, and its hash: "srrip:50b34235a5a88360" */
    void (*init)(const struct sim_config *, struct qn_unit_facts *);
    void (*finish)(void);
    /* I1, D1, LL */
    qn_unit_ref *ref;
    qn_unit_drop *drop;        /* an inclusive LL takes this line away: the address of its first byte */
    qn_unit_show *show;        /* the lines in the set of this one; how many */
    qn_unit_state *state;      /* a policy's own of the ways of this line's set, `most` at most, and of the set; NULL: it has none to show */
    qn_unit_refs *refs;        /* D1: n references in order, as many `ref` without a filter; NULL: it cannot */
    void (*forget)(void);      /* D1: what it has let pass its filter may pass no more */
    /* BC, BI: true = it was mispredicted; what became of it has been learnt */
    qn_unit_cond *cond;
    qn_unit_conds *conds;      /* n branches in order, as many `cond` */
    qn_unit_indirect *indirect;
    qn_unit_call *call;
    qn_unit_return *returned;
    void (*shown)(uint64_t pc, unsigned kind); /* in a replay: what this branch uses; NULL: the module does not tell */
    /* AN: what it asks for; `seen` is for where the others cannot be told */
    qn_unit_seen *seen;
    qn_unit_miss *miss;
    qn_unit_line *line;
    qn_unit_far *far;
    bool (*wants_far)(const struct sim_config *);
    bool only_data;            /* `seen` is to be told of data only */
    bool loads;                /* told of misses, it will ask for sim_keep_loads */
    void (*insns)(const struct sim_insn *, unsigned n);
    const struct qn_log_consumer *(*log)(void); /* a recorder, if it is asked to be one; else NULL.  Before `init` */
};

/* Stands in an engine beside each unit whose analysis module observes instructions. */
#define QN_SIM_OBSERVES_MARK "quern-sim-observes: "

/* From a unit up to engine.c or twin.c. */
QN_SIM_NCSR bool QN_UP(next)(uint64_t addr, uint32_t size, enum sim_kind kind);
/* Of `refs`: this entry missed (QN_UNIT_*), or is a fetch that missed the I1; before it: whose reference it is. */
void QN_UP(missed)(const struct qn_log_entry *entry, unsigned outcome);
void QN_UP(set_pc)(uint32_t site);
void QN_UP(charge)(uint32_t site); /* what was counted since is the events of this one */
QN_SIM_NCSR void QN_UP(back_invalidate)(uint64_t line, uint32_t bytes);
extern bool QN_UP(wants_evictions);
extern bool sim_branch_backward; /* of the conditional branch being predicted: its target lies below it */
struct qn_code_line *QN_UP(code_line)(uint64_t line); /* its record: found, or made */

#endif
