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

/* ---- client requests (request.c) ---- */

void qn_request(void); /* the marker at ctx.rip, with rax and rdx */

/* ---- analyses beside the program (beside.c) ---- */

void qn_beside_begin(const struct qn_config *config); /* after the start of the simulation */
void qn_beside_end(bool waits);                       /* the program ends, or executes another one; waits: until the process has ended */
void qn_beside_forked(void);                          /* in the child, with an arena of its own */

/* ---- regions (region.c) ---- */

struct qn_thread;

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

/* --toggle, --dump-before, ...: control is at the entry of a function, rsp at its return address; it may have left the function. */
void qn_toggle_enter(void);
void qn_toggle_leave(void);

/* ---- intervals (interval.c) ---- */

/* Instructions of the current interval that are left; 0 or less: it ends before the next one that is counted. */
extern int64_t qn_interval_left;

void qn_interval_init(void);

/* The next block would cross the interval's end.  Returns how many of its instructions the interval still has, after recording it if it has
 * none; 0: the next interval has begun, look again. */
unsigned qn_interval_cut(void);

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
bool qn_probes_enters(uint64_t pc); /* a function of any of these options begins here */
/* Does a function of --toggle begin here?  Is it one that returns the address of the function that is meant? */
bool qn_probes_toggle(uint64_t pc);
bool qn_probes_chooses(uint64_t pc);
/* That function has returned pc. */
void qn_probes_chosen(uint64_t chooser, uint64_t pc);

/* ---- observed instructions (insns.c) ---- */

extern bool qn_sample_steps; /* the next block is run instruction by instruction */
extern bool qn_sample_links; /* all is observed, and blocks lead from one to the next: qn_sample_enters stands between them */
extern bool qn_sample_between; /* a signal has stopped the program between two blocks; only if qn_sample_links */

void qn_sample_init(void);

/* Where may a sample begin in the block, which is to be translated? */
enum qn_anchor qn_sample_anchor(const struct qn_block *b);
bool qn_sample_has_anchors(void);

/* The scope that code is taken from where `scope` is the one that counts. */
unsigned qn_sample_scope(unsigned scope);

/* Before and after a block of the variant QN_VARIANT_STEPS is run, which is told by its index; it is run to its end. */
void qn_sample_before(uint32_t block);
void qn_sample_after(uint32_t block);

/* Entry of a recording block; the previous block is complete.  And: translated code has returned. */
qn_slow_call qn_sample_enters;
void qn_sample_left(void);

/* Translated code came back because a countdown has come to its end. */
void qn_sample_begin(void);

/* For the emitter: address of the countdown of the block, an anchor, that is being translated. */
uint64_t qn_sample_countdown(uint32_t index);

/* The register whose value is the instruction's result, the lowest that it writes; SIM_NO_REG: none. */
unsigned qn_step_result(const struct qn_insn *in);
/* Writes what is known of a block's instructions to an address that is a multiple of QN_STEPS_ALIGN.  Returns its bytes. */
unsigned qn_step_write(const struct qn_block *b, uint8_t *to);

#endif
