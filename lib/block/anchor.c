/* lib/block/anchor.c - see qn_block_anchor in block.h. */
#include "block/block.h"
#include "block/order.h"

enum qn_anchor qn_block_anchor(const struct qn_block *b, bool (*is_counted)(uint64_t pc))
{
    uint32_t position = qn_order_position(b->pc, is_counted);
    bool branches = false, goes_on = false;

    switch (b->end) {
    case QN_END_RET:
    case QN_END_BAD: break;
    case QN_END_JMP_IND: goes_on = true; break;
    case QN_END_CALL_IND:
        qn_order_leads_back(position, b->next);
        goes_on = true;
        break;
    case QN_END_JMP: branches = qn_order_leads_back(position, b->target); break;
    case QN_END_CALL: /* a loop around a call may close at the return, which is no anchor: so the call is */
        branches = qn_order_leads_back(position, b->target);
        branches |= qn_order_leads_back(position, b->next);
        break;
    case QN_END_JCC:
    case QN_END_LOOP:
    case QN_END_XBEGIN:
        branches = qn_order_leads_back(position, b->target);
        goes_on = qn_order_leads_back(position, b->next);
        break;
    default: goes_on = qn_order_leads_back(position, b->next);
    }
    return goes_on || qn_order_is_source(position) ? QN_ANCHOR : branches ? QN_ANCHOR_IF_TAKEN : QN_NO_ANCHOR;
}
