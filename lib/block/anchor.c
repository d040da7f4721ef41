/* lib/block/anchor.c - see qn_block_is_anchor in block.h.
 *
 * A direct branch backwards is none if every path from its target soon comes to an indirect branch, which is an anchor, or to a
 * return: it cannot close a cycle by itself.  So are the way back from code that the compiler moved out of the way, the call of a stub
 * of the PLT, and that of a short function that calls nothing.
 */
#include "block/block.h"
#include "guest/exec_map.h"

#define LOOK_INSNS 16 /* on all paths together */

/* Does every path from pc come to an indirect branch or a return, without a direct call and without going back?  `left`: instructions that may
 * be looked at. */
static bool comes_to_end(uint64_t pc, int *left)
{
    struct qn_insn in;

    for (; --*left >= 0; pc += in.len) {
        const struct qn_exec_range *range = qn_exec_find(pc);
        uint64_t target;

        if (!range || range->writable ||
            qn_block_decode((const uint8_t *)(uintptr_t)pc, qn_exec_avail(pc, QN_INSN_MAX_LEN), &in) != QN_DEC_OK)
            return false;
        switch (in.cls) {
        case QN_CLS_OTHER: break;
        case QN_CLS_RET:
        case QN_CLS_JMP_IND:
        case QN_CLS_CALL_IND: return true;
        case QN_CLS_JMP:
        case QN_CLS_JCC:
            target = qn_decode_target(&in, pc);
            if (target <= pc)
                return false;
            if (in.cls == QN_CLS_JMP)
                return comes_to_end(target, left);
            if (!comes_to_end(target, left))
                return false;
            break;
        default: return false;
        }
    }
    return false;
}

static bool closes_cycles(uint64_t target)
{
    int left = LOOK_INSNS;

    return !comes_to_end(target, &left);
}

bool qn_block_is_anchor(const struct qn_block *b)
{
    switch (b->end) {
    case QN_END_JCC:
    case QN_END_JMP:
    case QN_END_CALL: return b->target < b->next && closes_cycles(b->target);
    case QN_END_LOOP: return b->target < b->next;
    case QN_END_JMP_IND:
    case QN_END_CALL_IND: return true;
    default: return false;
    }
}
