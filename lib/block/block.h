/* lib/block/block.h - the basic block: the unit of translation and of counting.
 *
 *   401000: push %rbp / mov %rsp,%rbp / call 401100     ->  3 instructions, end CALL, next 401006
 *
 * A block ends at the first branch, system call or instruction that the engine must run itself, before
 * bytes that are no instruction, at the size limit, or where too few registers would stay free for
 * instrumentation.
 */
#ifndef QN_BLOCK_H
#define QN_BLOCK_H

#include "base/base.h"
#include "decode/decode.h"

#define QN_BLOCK_MAX 64           /* instructions */
#define QN_BORROWED 3             /* registers that instrumentation needs: clock, two scratch */
/* Registers that may be borrowed: all but rsp (addresses the guest's stack) and rax (lahf, setcc). */
#define QN_BORROWABLE 0xffeeu

enum qn_block_end {
    QN_END_FALL,     /* limit reached: goes on at next */
    QN_END_JCC, QN_END_LOOP, QN_END_JMP, QN_END_CALL, QN_END_JMP_IND, QN_END_CALL_IND, QN_END_RET,
    QN_END_SYSCALL,  /* last instruction is syscall */
    QN_END_EMULATE,  /* the engine runs the last instruction (cpuid, wrfsbase, ...) */
    QN_END_FPU,      /* last instruction stores the FPU's instruction pointer, which the engine puts right */
    QN_END_TRAP,     /* last instruction raises a signal (ud2, int3, hlt) or falls through */
    QN_END_XBEGIN,   /* last instruction is xbegin: goes to its fallback */
    QN_END_REQUEST,  /* the block is the marker of a client request: no instructions, or one where requests count */
    QN_END_ENTER,    /* the block is the entry of a function that the dispatcher wants to see: no instructions yet */
    QN_END_OBSERVE,  /* the block is observed in another variant, which the dispatcher enters: no instructions yet */
    QN_END_BAD       /* next instruction is undecodable or refused: nothing of it is executed */
};

enum qn_anchor {
    QN_NO_ANCHOR,
    QN_ANCHOR_IF_TAKEN, /* where it branches (a call: and comes back) */
    QN_ANCHOR           /* wherever it goes on */
};

/* --calls: what is counted of calls in a block (run/observe/calls.h); qn_block_build sets all of it 0. */
struct qn_block_calls {
    uint32_t entry;               /* the function that begins here, QN_ENTRY_SYMBOL: by a symbol; 0: none does */
    uint32_t called;              /* ctx.called from its end on; 0 = as before */
    bool returns;                 /* its end is a return or an indirect jump that may leave frames */
    bool moves;                   /* it loads rsp, so that it may be on another stack at its end */
    uint8_t adds[13];             /* what the block counts of each event (enum qn_cost_event) whose number is known beforehand */
};
#define QN_ENTRY_SYMBOL (1u << 31)

struct qn_block {
    uint64_t pc, next;            /* next: address behind the last instruction */
    uint64_t target;              /* JCC, LOOP, JMP, CALL, XBEGIN */
    unsigned n;                   /* instructions */
    enum qn_block_end end;
    enum qn_decode_status bad;    /* END_BAD: why */
    uint16_t used;                /* general registers read or written anywhere */
    uint8_t volatile_code;        /* from a writable mapping: may change without notice */
    enum qn_anchor anchor;        /* where samples may begin: see qn_block_anchor, which qn_block_build does not ask */
    uint32_t probe;               /* handed on to emit_hooks.probe at the entry; 0 = nothing is there to see.  qn_block_build sets 0 */
    struct qn_block_calls calls;
    bool exact_flags;             /* all status flags are live everywhere */
    uint64_t at[QN_BLOCK_MAX + 1];
    uint8_t live[QN_BLOCK_MAX + 1]; /* status flags live before instruction i; [n]: at the end */
    uint8_t live_arm[2];            /* of a conditional branch: live where it is not taken, and where it is */
    struct qn_insn insn[QN_BLOCK_MAX];
};

/* Every cycle of a program leads through an anchor: a block whose end leads back in the order of order.h, where its place is chosen now,
 * or jumps or calls indirectly; or a block that was first reached by an unmatched return, or with no known predecessor (is_counted:
 * see qn_order_place). */
enum qn_anchor qn_block_anchor(const struct qn_block *b, bool (*is_counted)(uint64_t pc));

/* rol $3,%rdi; rol $13,%rdi; rol $61,%rdi; rol $51,%rdi; xchg %rbx,%rbx */
#define QN_MARKER_BYTES 19u

struct qn_block_rules {
    unsigned max;        /* instructions, 1..QN_BLOCK_MAX */
    unsigned keep_free;  /* registers that must stay unused (0 when nothing is borrowed) */
    bool end_at_repeats; /* a block ends behind a repeated string instruction */
    bool count_requests; /* the marker of a client request is an instruction, as it is to Cachegrind */
    bool exact_flags;    /* somebody looks at the status flags wherever the block is left by a fault */
    bool (*begins)(uint64_t pc); /* a block begins here, so that one before it ends; NULL: nowhere */
};

/* The processor that the guest's instructions are for: the one that runs them.  Set once, before the first block. */
extern enum qn_machine qn_block_machine;

static inline enum qn_decode_status qn_block_decode(const uint8_t *bytes, size_t avail, struct qn_insn *in)
{
    return qn_decode_insn_for(qn_block_machine, bytes, avail, in);
}

/* The program is shown less of XCR0 than there is (--cpu), so that the engine runs what would tell.  Set once, as above. */
extern bool qn_block_hides_state;

/* One that the engine runs itself: the last of its block. */
bool qn_block_engine_runs(const struct qn_insn *in);

/* An instruction that is valid and that the engine does not run: far jumps and their like. */
bool qn_block_refuses(const struct qn_insn *in);

/* Decode the block at pc.  Bytes come from the guest's own memory; the exec map must know pc. */
void qn_block_build(struct qn_block *b, uint64_t pc, const struct qn_block_rules *rules);

/* How far behind a block its liveness is looked for. */
enum qn_look {
    QN_LOOK_NOWHERE,  /* all flags count as live at its end */
    QN_LOOK_ONE_WAY,  /* at its direct successors, up to a conditional branch */
    QN_LOOK_AT_TARGET /* where it branches to (a jCC that ends it: not where it goes on), and behind conditional branches
                         as well: takes time, finds more that are dead */
};

/* Fill b->live by a backward pass, having looked for the flags that are live at the end. */
void qn_block_liveness(struct qn_block *b, enum qn_look look);

/* One line per instruction into out(line). */
void qn_block_dump(const struct qn_block *b, void (*out)(const char *line));

#endif
