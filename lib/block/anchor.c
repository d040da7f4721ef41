/* lib/block/anchor.c - see qn_block_is_anchor in block.h. */
#include "block/block.h"
#include "guest/exec_map.h"

#define PEEK_INSNS 2u /* endbr64 ; jmp *got(%rip) */

/* Does what stands there come to an indirect jump at once, as a stub of the PLT does?  That is an anchor already. */
static bool is_trampoline(uint64_t pc)
{
    struct qn_insn in;

    for (unsigned i = 0; i < PEEK_INSNS; i++, pc += in.len) {
        const struct qn_exec_range *range = qn_exec_find(pc);

        if (!range || range->writable ||
            qn_block_decode((const uint8_t *)(uintptr_t)pc, qn_exec_avail(pc, QN_INSN_MAX_LEN), &in) != QN_DEC_OK)
            return false;
        if (in.cls != QN_CLS_OTHER)
            return in.cls == QN_CLS_JMP_IND;
    }
    return false;
}

bool qn_block_is_anchor(const struct qn_block *b)
{
    switch (b->end) {
    case QN_END_JCC:
    case QN_END_LOOP:
    case QN_END_JMP: return b->target < b->next;
    case QN_END_CALL: return b->target < b->next && !is_trampoline(b->target);
    case QN_END_JMP_IND:
    case QN_END_CALL_IND: return true;
    default: return false;
    }
}
