/* lib/emit/emit.h - from a block and its event list to host code.
 *
 *   ind_entry:  the target of an indirect branch checks that it is the right one (r11 = guest pc wanted)
 *   entry:      borrow three registers: clock, S1, S2                  <- partial links, dispatcher
 *   entry2:     body: events, then the guest's own instructions         <- full links
 *   exits:      give back, jmp to the next block or to a stub
 *
 * The guest's instructions are copied verbatim; only control flow, RIP-relative operands and a handful of
 * special instructions are rewritten.  Between them stand the events: a filter check each, whose slow
 * call lies in the cold part.
 *
 * State at ind_entry ("standard state"): r11 = target; r10, rcx free; rcx, r10, r11 of the guest in ctx.gpr; with
 * caches also r9 = clock and the guest's r9 in ctx.gpr.
 */
#ifndef QN_EMIT_H
#define QN_EMIT_H

#include "block/block.h"
#include "event/event.h"
#include "tcache/tcache.h"

#define QN_CALL_MOVED 2

/* --calls: what most entries and returns need (calls_stub.c). */
struct qn_emit_calls {
    uint64_t edges, functions; /* addresses of rows 0 (cost/call_records.h) */
    uint64_t last;             /* address of a struct qn_call_last for each block */
    uint64_t left;             /* a number that a return sets 0; below 2 GiB */
    uint32_t row;              /* bytes */
    const uint8_t *events;     /* those that are looked at each time */
    uint32_t n_events;
    qn_slow_call *note_rare, *add_rare; /* the others, of the frame on top */
};

struct qn_emit_rules {
    bool caches, branches, counts; /* counts: execution counters (off: run only) */
    bool check, filter;
    bool versus;                   /* with check: the twin is another simulator, which may ask for more than this one */
    bool log_all;                  /* each reference to data is written down, see log.c */
    bool record;                   /* so are blocks and branches, and nothing is simulated: see record.c */
    bool batch;                    /* references are written down without a jump, see log.c */
    bool has_bmi2;                 /* rorx may be used */
    bool serves_avx, serves_avx512; /* instructions of the program's that need them can be executed; else they fault */
    bool stats;                    /* --stats: count what the stubs do */
    bool leaves;                   /* indirect branches look whether they leave the function of --toggle */
    bool sees;                     /* every data reference is told to qn_sim_see_data */
    bool samples;                  /* blocks that are anchors count down to the next sample */
    bool steps;                    /* observed: what instructions do is written down, or it leaves for the dispatcher before each but the first */
    bool observes;                 /* observed: what instructions do is written down, and looked at when the next block begins */
    uint64_t sums;                 /* --calls: address of the running stack's counts, below 2 GiB; 0: calls are not counted */
    const struct qn_emit_calls *calls; /* NULL: C is called at each entry and return */
    int64_t *countdown;            /* instructions left of the interval, below 2 GiB; NULL: none are counted */
};

struct qn_emit_stats {
    uint64_t data, fetch, flag_saves, hoisted;
};
extern struct qn_emit_stats qn_emit_stats;

#define QN_STEPS_MAX 96u /* bytes of an instruction */
#define QN_STEPS_FRAME 16u /* and of the block */
#define QN_STEPS_ALIGN 8u

/* What an instruction of a block that is observed did, by its place in the block (slots.c); the first member first. */
#define QN_SLOT_ACCESSES 3
struct qn_emit_slot {
    uint64_t result;          /* the register that it wrote, whole */
    uint64_t addr[QN_SLOT_ACCESSES], value[QN_SLOT_ACCESSES], pad; /* at most eight bytes */
};
extern struct qn_emit_slot qn_emit_slots[QN_BLOCK_MAX];

/* Can the block write down all that its instructions do, and lead to the next by itself? */
bool qn_emit_can_observe(const struct qn_block *b);

/* Is this operand an access that is told?  Not those of masked, gathering and scattering instructions and of xsave. */
static inline bool qn_emit_is_observed(const struct qn_insn *in, unsigned k)
{
    return !(in->attr & (QN_ATTR_MASKED | QN_ATTR_GATHER | QN_ATTR_SCATTER | QN_ATTR_XSAVE)) && in->mem[k].access != QN_ACC_NONE &&
           in->mem[k].size;
}

/* Addresses in the engine that emitted code jumps to or calls; set by run. */
struct qn_emit_hooks {
    void (*leave)(void);       /* saves all guest registers and returns to the dispatcher */
    void (*leave_step)(void);  /* the same with QN_EXIT_STEP */
    unsigned (*steps)(const struct qn_block *b, uint8_t *to); /* what is to lie in front of the cold code of a block that is left before
                                   each instruction, at a multiple of QN_STEPS_ALIGN; returns its bytes, at most QN_STEPS_FRAME and QN_STEPS_MAX for each instruction */
    unsigned (*result)(const struct qn_insn *in); /* the register that has its result when it is observed; QN_NO_REG: none */
    qn_slow_call *string_done; /* after a repeated string instruction: arg_pc, arg_site = counter, ctx.rep */
    qn_slow_call *verify;      /* arg_aux = block index: ctx.result = 1 if its bytes have changed */
    unsigned (*which)(uint64_t pc); /* of the lines that are explained is the instruction's, from 1; 0 none */
    uint64_t (*sample)(uint32_t index); /* address of the 32-bit countdown of the block with this index, below 2 GiB */
    qn_slow_call *observed;    /* at the entry of a block that writes down what its instructions do: arg_aux = address of what `steps` has written for it */
    qn_slow_call *probe;       /* at the entry of a block with a probe: arg_pc, arg_aux = the probe; all registers in ctx.gpr but rsp */
    qn_slow_call *call_enter;  /* at the entry of a function: arg_aux = block.calls.entry */
    qn_slow_call *call_return; /* behind a return or an indirect jump: arg_addr = target, arg_aux = 1: it was a jump, QN_CALL_MOVED: which had loaded rsp */
    qn_slow_call *call_move;   /* before the last instruction of a block that has loaded rsp */
    void (*place)(uint32_t site, uint64_t pc, uint64_t at); /* the reference of the instruction at pc is checked before that at `at`, and whoever
                                  is told of its miss finds rbp in ctx.gpr; NULL: nobody asks */
    qn_slow_call *complex_ref; /* before a masked/gather/xsave reference: arg_pc, arg_addr, arg_site = counter */
};

extern const struct qn_tcache_bridges qn_emit_bridges;
void qn_emit_init(const struct qn_emit_hooks *hooks);
void qn_emit_set_rules(const struct qn_emit_rules *rules); /* for what is translated from here on */
/* The stub at which every unused entry of a home's table of indirect branches points; under the home's rules. */
uint32_t qn_emit_add_miss_stub(unsigned home, const uint64_t *table, bool second); /* see tcache/tcache.h */
/* Translate and commit.  counter: index of the block's execution counter; centre: event counter k is at centre + k;
 * record: its index in the arena.  Returns the block index. */
uint32_t qn_emit_block(const struct qn_block *b, const struct qn_event_list *events, uint32_t counter, uint32_t centre,
                       uint32_t record, unsigned space);
/* Of the block that was emitted last: why references and branches got no short form, a line for each that did not. */
void qn_emit_why(const struct qn_block *b, const struct qn_event_list *list, void (*out)(const char *line));
/* Register that a RIP-relative rewrite of this instruction would park. */
unsigned qn_emit_fix_register(const struct qn_insn *in);

#endif
