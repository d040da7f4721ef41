/* lib/block/liveness.c - which status flags are live where.
 *
 * Instrumentation compares and so destroys the flags.  Where they are dead (written before they are read
 * again) it may do so freely.  At the end of a block the successors decide: direct ones are peeked at
 * for a few instructions; behind an indirect branch everything counts as live.  So the dead flags are those that are certainly
 * written within a few instructions, before anything that leaves translated code; run/core/settle.c builds on that.
 */
#include "block/block.h"
#include "guest/exec_map.h"

#define PEEK_INSNS 16

static uint8_t step_back(const struct qn_insn *in, uint8_t live_after)
{
    return (uint8_t)(((live_after & ~in->flags_written) | in->flags_read) & QN_FLAGS_STATUS);
}

static bool goes_on(const struct qn_insn *in)
{
    return in->cls == QN_CLS_OTHER && !(in->attr & QN_ATTR_FPUIP) && !qn_block_engine_runs(in); /* these end a block */
}

struct look {
    enum qn_look how;
    unsigned left; /* instructions */
};

/* Flags of `unknown` that code at pc may read before writing them. */
static uint8_t peek(uint64_t pc, uint8_t unknown, struct look *look);

/* Each way may take half of the instructions that are left, and the second what the first has not needed. */
static uint8_t peek_both(const struct qn_insn *jcc, uint64_t pc, uint8_t unknown, struct look *look)
{
    unsigned half = look->left / 2;
    uint8_t live;

    look->left -= half;
    live = peek(pc + jcc->len, unknown, look);
    look->left += half;
    return live | peek(qn_decode_target(jcc, pc), (uint8_t)(unknown & ~live), look);
}

static uint8_t peek(uint64_t pc, uint8_t unknown, struct look *look)
{
    uint8_t live = 0;
    struct qn_insn in;

    for (; unknown && look->left; look->left--) {
        const struct qn_tree_node *range = qn_exec_find(pc);

        if (!range || range->flag ||
            qn_block_decode((const uint8_t *)(uintptr_t)pc, qn_exec_avail(pc, QN_INSN_MAX_LEN), &in) != QN_DEC_OK)
            break;
        live |= in.flags_read & unknown;
        unknown &= (uint8_t)~(in.flags_written | live);
        if (in.cls == QN_CLS_JMP || in.cls == QN_CLS_CALL) {
            pc = qn_decode_target(&in, pc);
        } else if (in.cls == QN_CLS_JCC && look->how == QN_LOOK_AT_TARGET) {
            look->left--;
            return live | peek_both(&in, pc, unknown, look);
        } else if (goes_on(&in)) {
            pc += in.len;
        } else {
            break;
        }
    }
    return live | unknown;
}

static uint8_t live_at(uint64_t pc, enum qn_look how)
{
    struct look look = {how, PEEK_INSNS};

    return peek(pc, QN_FLAGS_STATUS, &look);
}

static uint8_t live_out(struct qn_block *b, enum qn_look look)
{
    if (b->volatile_code || look == QN_LOOK_NOWHERE)
        return QN_FLAGS_STATUS;
    switch (b->end) {
    case QN_END_JCC:
    case QN_END_LOOP: /* this one is counted down at its entry, where both ways matter */
        if (look != QN_LOOK_AT_TARGET || b->end == QN_END_LOOP)
            b->live_arm[0] = live_at(b->next, look);
        b->live_arm[1] = live_at(b->target, look);
        return b->live_arm[0] | b->live_arm[1];
    case QN_END_JMP:
    case QN_END_CALL: return live_at(b->target, look);
    case QN_END_FALL: return live_at(b->next, look);
    default: return QN_FLAGS_STATUS;
    }
}

void qn_block_liveness(struct qn_block *b, enum qn_look look)
{
    uint8_t live;

    b->live_arm[0] = b->live_arm[1] = QN_FLAGS_STATUS;
    if (b->exact_flags) {
        __builtin_memset(b->live, QN_FLAGS_STATUS, b->n + 1u);
        return;
    }
    live = live_out(b, look);
    b->live[b->n] = live;
    for (unsigned i = b->n; i-- > 0;) {
        live = step_back(&b->insn[i], live);
        b->live[i] = live;
    }
}
