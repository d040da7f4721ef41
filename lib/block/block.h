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
    QN_END_FALL,     /* no branch: continues at next */
    QN_END_JCC, QN_END_LOOP, QN_END_JMP, QN_END_CALL, QN_END_JMP_IND, QN_END_CALL_IND, QN_END_RET,
    QN_END_SYSCALL,  /* last instruction is syscall */
    QN_END_EMULATE,  /* the engine runs the last instruction (cpuid, ...) */
    QN_END_AFTER,    /* the engine acts behind the last instruction: it corrects the FPU's instruction pointer that this has stored, or
                        learns the base of fs or gs that it has loaded */
    QN_END_TRAP,     /* last instruction raises a signal (ud2, int3, hlt) or falls through */
    QN_END_XBEGIN,   /* last instruction is xbegin: goes to its fallback */
    QN_END_REQUEST,  /* the block is the marker of a client request: no instructions, or one where requests count */
    QN_END_ENTER,    /* the block is the entry of a function whose calls the dispatcher handles: no instructions yet */
    QN_END_OBSERVE,  /* the block is observed in another variant, which the dispatcher enters: no instructions yet */
    QN_END_BAD       /* next instruction is undecodable or refused: nothing of it is executed */
};

enum qn_anchor {
    QN_NO_ANCHOR,
    QN_ANCHOR_IF_TAKEN, /* when its branch is taken (a call: and has returned) */
    QN_ANCHOR           /* at each execution */
};

/* --calls: what is counted of calls in a block (run/observe/calls/calls.h); qn_block_build sets all of it 0. */
struct qn_block_calls {
    uint32_t entry;               /* the function that begins here, QN_ENTRY_SYMBOL: by a symbol; 0: none does */
    uint32_t called;              /* ctx.called from its end on; 0 = as before */
    bool returns;                 /* its end is a return or an indirect jump that may leave frames */
    bool moves;                   /* it loads rsp, so that it may be on another stack at its end */
    uint8_t adds[13];             /* by enum qn_cost_event: what one execution counts, of the events for which that is constant */
};
#define QN_ENTRY_SYMBOL (1u << 31)

struct qn_block {
    uint64_t pc, next;            /* next: address behind the last instruction */
    uint64_t target;              /* JCC, LOOP, JMP, CALL, XBEGIN */
    unsigned n;                   /* instructions */
    enum qn_block_end end;
    enum qn_decode_status bad;    /* END_BAD: why */
    uint16_t used;                /* general registers read or written anywhere */
    uint8_t volatile_code;        /* from a writable mapping: may be modified at any time */
    enum qn_anchor anchor;        /* where samples may begin: set by the caller, with qn_block_anchor */
    uint32_t probe;               /* argument of emit_hooks.probe at the entry; 0 = none.  qn_block_build sets 0 */
    struct qn_block_calls calls;
    bool exact_flags;             /* all status flags are live everywhere */
    uint64_t at[QN_BLOCK_MAX + 1];
    uint8_t live[QN_BLOCK_MAX + 1]; /* status flags live before instruction i; [n]: at the end */
    uint8_t live_arm[2];            /* of a conditional branch: live where it is not taken, and where it is */
    struct qn_insn insn[QN_BLOCK_MAX];
};

/* Every cycle of a program contains an anchor.  Anchors are the blocks whose branch leads back in the order of order.c, those that end in an
 * indirect jump or call, and those first reached without a known predecessor by a branch that was not counted (is_counted).  Gives the block
 * its position in that order. */
enum qn_anchor qn_block_anchor(const struct qn_block *b, bool (*is_counted)(uint64_t pc));
void qn_order_init(uint32_t max); /* memory for the positions of `max` addresses (below 2^32).  Once, before the first anchor */

/* rol $3,%rdi; rol $13,%rdi; rol $61,%rdi; rol $51,%rdi; xchg %rbx,%rbx */
#define QN_MARKER_BYTES 19u

struct qn_block_rules {
    unsigned max;        /* instructions, 1..QN_BLOCK_MAX */
    unsigned keep_free;  /* registers that must stay unused (0 when nothing is borrowed) */
    bool end_at_repeats; /* a block ends behind a repeated string instruction */
    bool count_requests; /* the marker of a client request is an instruction, as it is to Cachegrind */
    bool exact_flags;    /* status flags must be exact at every instruction that may fault */
    bool (*begins)(uint64_t pc); /* a block begins here, so that one before it ends; NULL: nowhere */
    uint64_t sp;         /* the stack pointer: in code that may change, stores through it are looked at only if code lies there; 0: unknown */
};

/* The processor that the guest's instructions are for: the one that runs them.  Set once, before the first block. */
extern enum qn_machine qn_block_machine;

static inline enum qn_decode_status qn_block_decode(const uint8_t *bytes, size_t avail, struct qn_insn *in)
{
    return qn_decode_insn_for(qn_block_machine, bytes, avail, in);
}

/* The program sees fewer bits of XCR0 than are set (--cpu), so that the engine runs xgetbv, xsave and xrstor.  Set once, as above. */
extern bool qn_block_hides_state;

/* Is this instruction valid but not supported?  Far jumps, for example. */
bool qn_block_refuses(const struct qn_insn *in);

/* Decode the block at pc.  Bytes come from the guest's own memory; the exec map must know pc. */
void qn_block_build(struct qn_block *b, uint64_t pc, const struct qn_block_rules *rules);

/* How far beyond a block the analysis of liveness reads code. */
enum qn_look {
    QN_LOOK_NOWHERE,  /* all flags count as live at its end */
    QN_LOOK_ONE_WAY,  /* at its direct successors, up to a conditional branch */
    QN_LOOK_AT_TARGET /* at the target of its branch (of a jCC not at the fall-through), and beyond conditional branches
                         as well: takes more time, finds more dead flags */
};

/* Fills b->live by a backward pass from the flags that are live at the end. */
void qn_block_liveness(struct qn_block *b, enum qn_look look);

/* One line per instruction into out(line). */
void qn_block_dump(const struct qn_block *b, void (*out)(const char *line));

void *qn_engine_alloc(uint64_t bytes); /* supplied by run */

#endif
