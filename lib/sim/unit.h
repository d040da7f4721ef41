/* lib/sim/unit.h - between engine.c (or its twin) and the slots that are compiled as units of their own.
 *
 *   engine.c     qn_unit_D1_ref(addr, size, kind)   -> unit_D1.c, which includes the module's file
 *   twin.c       qn_twin_D1_ref(addr, size, kind)   -> twin_D1.c, the same file once more
 *   unit_D1.c    qn_next_D1(addr, size, kind)       -> engine.c, for a level that asks the next one itself
 *
 * Functions on the path of references keep all registers, so that neither side has to save those that it does not use.
 */
#ifndef QN_SIM_UNIT_H
#define QN_SIM_UNIT_H

#include "sim/at_work.h"
#include "sim/contract.h"
#include "sim/module.h"

#define QN_SIM_NCSR QN_NCSR

/* Where a simulator of many is all that is behind a call, it uses most registers anyway. */
#ifdef QN_SIM_MANY
#define QN_UNIT_REF
#else
#define QN_UNIT_REF QN_SIM_NCSR
#endif

#ifdef QN_SIM_TWIN
#define QN_UNIT(slot, name) qn_twin_##slot##_##name
#define QN_UP(name) qn_twin_up_##name
#else
#define QN_UNIT(slot, name) qn_unit_##slot##_##name
#define QN_UP(name) qn_up_##name
#endif

/* Outcome of a reference to a unit. */
enum { QN_UNIT_MISS = 1, QN_UNIT_NEXT_DONE = 2, QN_UNIT_NEXT_MISS = 4 };

/* What a unit tells at its start. */
struct qn_unit_facts {
    struct qn_filter filter;   /* D1 */
    enum qn_hit hit;           /* I1 */
    bool repeat_is_noop;       /* a second hit directly after a reference changes nothing */
    bool wants_evictions;      /* LL: needs I1 and D1 that tell what they give up ... */
    bool tells_evictions;      /* I1, D1: ... as this one does */
    bool back_invalidates;     /* LL: takes lines out of I1 and D1 ... */
    bool can_drop;             /* I1, D1: ... which this one can give */
    bool kinds;                /* wants to know reads from writes */
    bool returns;              /* BI: wants to know calls and returns */
    bool observes;             /* AN: instructions, not references */
    enum qn_show shows;        /* D1: how UNIT(show) lists a set */
    const char *name;          /* of the module */
    uint64_t bits;             /* storage of a predictor, 0 = not said */
    uint64_t (*reference)(void); /* number of the reference being made, for messages */
};

/* Stands in a simulator whose analysis module observes instructions. */
#define QN_SIM_OBSERVES_MARK "quern-sim-observes: "

typedef struct qn_code_line *qn_find_line(uint64_t line);

#define QN_CACHE_UNIT(slot)                                                                                    \
    void QN_UNIT(slot, init)(const struct sim_config *, struct qn_unit_facts *, qn_find_line *find);           \
    QN_UNIT_REF unsigned QN_UNIT(slot, ref)(uint64_t addr, uint32_t size, enum sim_kind kind);                 \
    QN_SIM_NCSR void QN_UNIT(slot, drop)(uint64_t line); /* back-invalidation */                               \
    QN_SIM_NCSR unsigned QN_UNIT(slot, show)(uint64_t line, uint64_t *lines); /* the set of this line */       \
    void QN_UNIT(slot, finish)(void);

QN_CACHE_UNIT(I1)
QN_CACHE_UNIT(D1)
QN_CACHE_UNIT(LL)

void QN_UNIT(BC, init)(const struct sim_config *, struct qn_unit_facts *);
QN_SIM_NCSR unsigned QN_UNIT(BC, predict)(uint64_t pc);
QN_SIM_NCSR void QN_UNIT(BC, update)(uint64_t pc, unsigned taken);
void QN_UNIT(BC, finish)(void);
void QN_UNIT(BI, init)(const struct sim_config *, struct qn_unit_facts *);
QN_SIM_NCSR uint64_t QN_UNIT(BI, target)(uint64_t pc);
QN_SIM_NCSR void QN_UNIT(BI, learn)(uint64_t pc, uint64_t target);
QN_SIM_NCSR void QN_UNIT(BI, call)(uint64_t next);
QN_SIM_NCSR bool QN_UNIT(BI, return)(uint64_t target); /* true: mispredicted */
void QN_UNIT(BI, finish)(void);
void QN_UNIT(AN, init)(const struct sim_config *D1, struct qn_unit_facts *);
QN_SIM_NCSR void QN_UNIT(AN, ref)(const struct sim_ref *);
void QN_UNIT(AN, insn)(const struct sim_insn *);
void QN_UNIT(AN, finish)(void);

/* From a unit up to engine.c or twin.c. */
QN_SIM_NCSR bool QN_UP(next)(uint64_t addr, uint32_t size, enum sim_kind kind);
QN_SIM_NCSR void QN_UP(back_invalidate)(uint64_t line, uint32_t bytes);
extern bool QN_UP(wants_evictions);

#endif
