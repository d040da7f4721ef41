/* lib/run/observe/observe.h - what decides which part of a run counts for what: client requests, regions, intervals, probe points, observed
 * instructions. */
#ifndef QN_RUN_OBSERVE_H
#define QN_RUN_OBSERVE_H

#include "base/base.h"
#include "base/context.h"
#include "block/block.h"
#include "sim/contract.h"

/* Simulates what is logged, because it belongs to the code that has run: counts are read, or objects change. */
static inline void qn_drain_logs(void)
{
    if (QN_LIKELY(!qn_sim_log_on && !qn_sim_branches.next))
        return;
    if (!qn_sim_log_is_empty())
        qn_sim_log_drain();
    if (qn_sim_branches.next && !qn_sim_branches_are_empty())
        qn_sim_branches_drain();
}

/* ---- slices: features that look on ----
 *
 *   QN_TELL(thread, t);                each slice that has `thread` in its table is called
 *   at_most = QN_ASK(variant);         the first answer that is not 0
 *
 * The engine tells of moments, and does not know who wants to hear of them.  slices.c has the list; qn_slices are those that the run's options
 * need, so a run without options asks nobody.  Functions that a slice does without are NULL.
 */

struct qn_thread;
struct qn_emit_hooks;
struct qn_emit_rules;
struct qn_block_rec;
struct qn_shared_row;

struct qn_slice {
    /* the run */
    void (*configure)(struct qn_emit_hooks *h);  /* before the first block: what emitted code calls */
    void (*start)(const struct qn_config *c);    /* the simulators are set up, and nothing has been counted yet */
    void (*finish)(void);                        /* the process ends, and has counted all it will */
    void (*counting)(bool on);                   /* what runs from here on is counted, or not */

    /* a translation */
    void (*rules)(struct qn_emit_rules *r, unsigned mode); /* what emitted code of this mode has to do */
    void (*code)(uint64_t pc);                   /* code at pc is about to be translated */
    void (*learn)(void);                         /* the collector has told what it knows of a mapping */
    bool (*begins)(uint64_t pc);                 /* does a block have to begin at pc, even if the code before it runs on into it? */
    bool (*enters)(uint64_t pc, unsigned mode);  /* does the dispatcher have to see control at pc? */
    void (*marks)(struct qn_block *b, const struct qn_emit_rules *r); /* a block was built: what emitted code does for it */
    void (*counted)(struct qn_block *b, uint32_t record, const qn_insn_desc *desc); /* it is counted as this record of the arena */
    void (*centre)(const struct qn_block_rec *b, uint32_t end); /* the arena has a new record, with counters up to `end` */

    /* the dispatcher */
    unsigned (*variant)(void);                   /* the variant that the next block has to run in */
    unsigned (*scope)(unsigned scope);           /* the scope from which code is taken where this one counts */
    void (*arrives)(void);                       /* control is at rip */
    void (*before)(uint32_t block, bool steps);  /* and after: translated code is entered at this block, and has returned; steps: in */
    void (*after)(uint32_t block, bool steps);   /* QN_VARIANT_STEPS.  `after` is called with QN_NO_BLOCK where there is no code */
    unsigned (*act)(uint32_t kind);              /* it has come back for this reason; returns what to run next, as act_on_exit */
    void (*stopped)(void);                       /* a signal has stopped it between two blocks */

    /* what did not happen */
    void (*undone)(const struct qn_block_rec *b, unsigned insn); /* control left the block before this instruction */
    void (*miss_undone)(uint32_t site, unsigned ll); /* the newest miss of this site */

    /* what is counted */
    void (*shared_row)(struct qn_shared_row *to); /* a line that threads share has a row: what is known of it */

    /* the program */
    void (*thread)(struct qn_thread *t);         /* t runs from here on */
    void (*thread_end)(void);                    /* the running one ends */
    void (*signal)(uint64_t sp);                 /* the registers are those of a handler's first instruction; sp: what rsp was before */
    void (*sigreturn)(void);
    void (*unmapped)(uint64_t start, uint64_t end); /* or mapped anew: what lay there is gone */
};

extern const struct qn_slice *qn_slices[]; /* NULL behind the last */

#define QN_TELL(what, ...)                                   \
    for (const struct qn_slice *const *s_ = qn_slices; *s_; s_++) \
        if ((*s_)->what)                                     \
    (*s_)->what(__VA_ARGS__)

#define QN_ASK(what, ...)                                                       \
    ({                                                                          \
        unsigned answer_ = 0;                                                   \
        for (const struct qn_slice *const *s_ = qn_slices; *s_ && !answer_; s_++) \
            if ((*s_)->what)                                                    \
                answer_ = (*s_)->what(__VA_ARGS__);                             \
        answer_;                                                                \
    })

void qn_slices_choose(const struct qn_config *c); /* once */
bool qn_slices_begin(uint64_t pc);    /* does a block have to begin there for any of them? */
unsigned qn_slices_scope(void);       /* the scope that code of the running thread is taken from now */

extern const struct qn_slice qn_toggle_slice, qn_explain_slice, qn_sample_slice, qn_interval_slice, qn_turns_slice;

/* ---- client requests (request.c) ---- */

void qn_request(void); /* the marker at ctx.rip, with rax and rdx */

/* ---- analyses beside the program (beside.c) ---- */

void qn_beside_begin(const struct qn_config *config); /* after the start of the simulation */
void qn_beside_end(bool waits);                       /* the program ends, or executes another one; waits: until the process has ended */
void qn_beside_forked(void);                          /* in the child, with an arena of its own */

/* ---- regions (region.c) ---- */

#define QN_REGION_DEPTH 256 /* regions open at a time in one thread */
#define QN_ENTERED_MAX 128  /* different functions of --dump-before, --dump-after and --zero-before at a time */

/* What a thread counts for. */
struct qn_region_state {
    uint16_t region;   /* index into the arena's regions; 0 = none */
    uint16_t depth;    /* regions that this thread has begun and not ended */
    uint32_t lost;     /* begun beyond QN_REGION_DEPTH */
    struct {
        uint8_t outer, name; /* region before; number of the name */
    } open[QN_REGION_DEPTH];
    bool turned;       /* --toggle-collect: counting is what it would not be */
    unsigned entered;  /* functions of --toggle, --dump-before, ... that have not returned, each once: the last one is the innermost */
    struct qn_entered {
        uint64_t sp, pc; /* rsp at its entry; the entry */
        unsigned kinds;  /* 1 << enum qn_probe_what */
    } function[QN_ENTERED_MAX];
};

void qn_region_begin(const char *name);
void qn_region_end(const char *name);
void qn_region_inherit(struct qn_region_state *to, const struct qn_region_state *from); /* a new thread */
void qn_region_of_thread(struct qn_region_state *s, uint32_t number); /* of this number: with --separate-threads, a region of its own */

/* `quern ctl` has asked. */
void qn_region_obey(void);
/* START and STOP of the whole process. */
void qn_region_collect(bool on);
bool qn_region_collects(void);

/* The scope (run/core/core.h) that the running thread's code belongs to now. */
unsigned qn_region_scope(void);

/* --toggle, --dump-before, ...: control may have left the function. */
void qn_toggle_leave(void);

/* ---- intervals (interval.c) ---- */

/* Instructions (data references) of the current interval or turn that are left; 0 or less: it ends before the next one that is counted. */
extern int64_t qn_countdown;

/* ---- probe points: the addresses of source lines and functions that options name (probes.c) ---- */

/* Code at pc is about to be translated: find out what the user has named there. */
void qn_probes_learn(uint64_t pc);

/* Of the lines that are explained, which is the instruction's, from 1; 0: none. */
unsigned qn_probes_explain(uint64_t pc);

/* Does an allocator begin here (--data)?  As QN_ALLOC_OF, + 1; 0: none. */
uint32_t qn_probes_alloc(uint64_t pc);
uint64_t qn_probes_alloc_end(uint64_t pc); /* where its code ends */

/* Kinds (1 << enum qn_probe_what) of options other than --toggle whose function begins here. */
unsigned qn_probes_triggers(uint64_t pc);
/* Does a function of --toggle begin here?  Is it one that returns the address of the function that is meant? */
bool qn_probes_toggle(uint64_t pc);
bool qn_probes_chooses(uint64_t pc);
/* That function has returned pc. */
void qn_probes_chosen(uint64_t chooser, uint64_t pc);

/* ---- observed instructions (insns.c) ---- */

/* The register whose value is the instruction's result, the lowest that it writes; SIM_NO_REG: none. */
unsigned qn_step_result(const struct qn_insn *in);
/* Writes what is known of a block's instructions to an address that is a multiple of QN_STEPS_ALIGN.  Returns its bytes. */
unsigned qn_step_write(const struct qn_block *b, uint8_t *to);

#endif
