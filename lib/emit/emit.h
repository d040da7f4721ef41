/* lib/emit/emit.h - emits the translation of a basic block and its event list.
 *
 *   ind_entry:  for indirect branches: checks that this is the right block (r11 = the target's guest pc)
 *   entry:      borrows three registers: clock, S1, S2                 <- partial links, dispatcher
 *   entry2:     body: events, and the guest's own instructions          <- full links
 *   exits:      give the registers back, jump to the next block or to a stub
 *
 * The guest's instructions are copied unchanged; only control flow, RIP-relative operands and a handful of special instructions
 * are rewritten.  The events are emitted between them: each is a check of the filter, with its slow call in the cold code.
 *
 * State at ind_entry ("standard state"): r11 = target; r10, rcx free; rcx, r10, r11 of the guest in ctx.gpr; with
 * caches also r9 = clock and the guest's r9 in ctx.gpr.
 */
#ifndef QN_EMIT_H
#define QN_EMIT_H

#include "block/block.h"
#include "event/event.h"
#include "sim/module.h"
#include "tcache/tcache.h"

#define QN_CALL_MOVED 2

/* --calls: data for entries and returns in emitted code (calls.c). */
struct qn_emit_calls {
    uint64_t edges, functions; /* addresses of rows 0 (cost/calls/call_records.h) */
    uint64_t last;             /* address of a struct qn_call_last for each block */
    uint64_t left;             /* address below 2 GiB of a number that a return sets to 0 */
    uint32_t row;              /* bytes */
    const uint8_t *events;     /* the events that emitted code handles */
    uint32_t n_events;
    qn_slow_call *note_rare, *add_rare; /* handle the other events, of the top frame */
};

struct qn_emit_rules {
    bool caches, branches, counts; /* counts: execution counters (off: run only) */
    bool check, filter;
    bool versus;                   /* with check: the shadow model is another simulator, which may need more facts than the first one */
    bool log_all;                  /* each data reference is logged, see log.c */
    bool log_misses;               /* what misses the default I1 and D1 is logged, see lru_stub.c */
    bool record;                   /* data references, blocks and branches are logged, and nothing is simulated: see log.c */
    bool batch;                    /* references are logged without a jump, see log.c */
    bool has_bmi2;                 /* rorx may be used */
    bool serves_avx, serves_avx512; /* the guest's instructions that need them can be executed; otherwise they fault */
    bool stats;                    /* --stats: the stubs count their work */
    bool leaves;                   /* indirect branches check whether they leave the function of --toggle */
    bool sees;                     /* every data reference calls qn_sim_see_data */
    bool samples;                  /* blocks that are anchors count down to the next sample */
    bool steps;                    /* observed: instructions are recorded (observe.c), or control leaves before each instruction but the first */
    bool observes;                 /* observed: instructions are recorded, and processed when the next block begins */
    uint64_t sums;                 /* --calls: address of the running stack's counts, below 2 GiB; 0: calls are not counted */
    bool aside;                    /* calls are seen, but nothing is added to the sums */
    const struct qn_emit_calls *calls; /* NULL: C is called at each entry and return */
    int64_t *countdown;            /* instructions left of the interval or turn, below 2 GiB; NULL: none are counted */
    bool turns;                    /* it is a turn, which pause ends */
    uint64_t turn_refs;            /* ... of so many data references; 0: of instructions */
};

struct qn_emit_stats {
    uint64_t data, fetch, flag_saves, hoisted;
};
extern struct qn_emit_stats qn_emit_stats;

#define QN_STEPS_MAX 104u /* bytes for each instruction */
#define QN_STEPS_FRAME 16u /* bytes for the block */
#define QN_STEPS_ALIGN 8u

/* What an observed instruction does, indexed by its position in the block: emitted code (observe.c) writes the result (the whole register), and
 * the address and the value of each access. */
extern struct sim_insn qn_emit_trace[QN_BLOCK_MAX];

/* Can emitted code record all instructions of the block, and continue with the next block without the dispatcher? */
bool qn_emit_can_observe(const struct qn_block *b);

/* Is this operand recorded as an access?  Not for masked instructions, gathers, scatters and xsave. */
static inline bool qn_emit_is_observed(const struct qn_insn *in, unsigned k)
{
    return !(in->attr & (QN_ATTR_MASKED | QN_ATTR_GATHER | QN_ATTR_SCATTER | QN_ATTR_XSAVE)) && in->mem[k].access != QN_ACC_NONE &&
           in->mem[k].size;
}

/* Addresses in the engine that emitted code jumps to or calls; set by run. */
struct qn_emit_hooks {
    void (*leave)(void);       /* saves all guest registers and returns to the dispatcher */
    void (*leave_step)(void);  /* the same with QN_EXIT_STEP */
    unsigned (*steps)(const struct qn_block *b, uint8_t *to); /* writes data that lies before the cold code of a block with `steps`, at a multiple
                                   of QN_STEPS_ALIGN; returns its bytes, at most QN_STEPS_FRAME + QN_STEPS_MAX for each instruction */
    unsigned (*result)(const struct qn_insn *in); /* the register with the result of an observed instruction; QN_NO_REG: none */
    qn_slow_call *string_done; /* after a repeated string instruction: arg_pc, arg_site = counter, ctx.rep */
    qn_slow_call *verify;      /* arg_aux = block index: ctx.result = 1 if its bytes have changed */
    unsigned (*which)(uint64_t pc); /* number of the explained source line of this instruction, from 1; 0: none.  NULL: nothing is explained */
    uint64_t (*sample)(uint32_t index); /* address of the 32-bit countdown of the block with this index, below 2 GiB */
    qn_slow_call *observed;    /* at the entry of a block that records its instructions: arg_aux = address of the data of `steps` */
    qn_slow_call *probe;       /* at the entry of a block with a probe: arg_pc, arg_aux = the probe; all registers except rsp in ctx.gpr */
    qn_slow_call *call_enter;  /* at the entry of a function: arg_aux = block.calls.entry */
    qn_slow_call *call_return; /* after a return or an indirect jump: arg_addr = target, arg_aux = 1: a jump, QN_CALL_MOVED: a jump after a load of rsp */
    qn_slow_call *call_move;   /* before the last instruction of a block that has loaded rsp */
    void (*place)(uint32_t site, uint64_t pc, uint64_t at); /* called at translation: the reference of the instruction at pc is checked before the
                                  instruction at `at`, with rbp in ctx.gpr; NULL: not needed */
    qn_slow_call *complex_ref; /* before a masked/gather/xsave reference: arg_pc, arg_addr, arg_site = counter */
};

extern const struct qn_tcache_shuffles qn_emit_shuffles;
void qn_emit_init(const struct qn_emit_hooks *hooks);
void qn_emit_set_rules(const struct qn_emit_rules *rules); /* for all following translations */
/* The stub at which every unused entry of a scope's table of indirect branches points; under the scope's rules. */
uint32_t qn_emit_add_miss_stub(unsigned scope, const uint64_t *table, bool second); /* see tcache/tcache.h */
/* Emits the translation and commits it.  counter: index of the block's execution counter; centre: event counter k is at centre + k;
 * record: its index in the arena.  Returns the block index. */
uint32_t qn_emit_block(const struct qn_block *b, const struct qn_event_list *events, uint32_t counter, uint32_t centre,
                       uint32_t record, unsigned mode);
/* For the block emitted last: a line for each reference or branch without a short form, with the reason. */
void qn_emit_diagnose(const struct qn_block *b, const struct qn_event_list *list, void (*out)(const char *line));

#endif
