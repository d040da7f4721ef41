/* lib/emit/touch.c - writes down that a line becomes near (sim/contract.h).
 *
 *   count == full?  call qn_sim_touches_end ;  list[count] = { line, execution, site, 0 } ;  count++
 */
#include "emit/internal.h"

/* line: a register with its address; the site is in ctx.  Destroys the three registers and the flags. */
void emit_touch(struct qn_code *c, unsigned line, const unsigned scratch[3])
{
    const uint64_t list = (uintptr_t)qn_sim_touches.list;
    const unsigned at = scratch[0], entry = scratch[1], n = scratch[2];
    uint64_t more;

    x_movi(c, at, (uintptr_t)qn_sim_touches.count);
    x_load_at(c, n, at);
    x_op_abs(c, 1, 0x3b, n, (uintptr_t)&qn_sim_touches.full); /* cmp full, n */
    x_jcc(c, X_CC_NE, 0);
    more = c->exec;
    x_call(c, (uint64_t)(uintptr_t)qn_sim_touches_end);
    x_load_at(c, n, at);
    x_patch(more, c->exec);
    x_imul32(c, entry, n, sizeof(struct qn_touch));
    x_lea(c, n, n, QN_REG_NONE, 1, 1);
    x_table(c, X_STORE, n, at, 0);
    x_table(c, X_STORE, line, entry, list + offsetof(struct qn_touch, line));
    x_load32(c, n, CTX(arg_site));
    x_table(c, X_STORE, n, entry, list + offsetof(struct qn_touch, site)); /* and `how`, 0 */
    x_alu_imm32(c, 0, X_AND, n, QN_SITE_COUNTER_MASK);
    emit_execution(c, at, n);
    x_table(c, X_STORE, at, entry, list + offsetof(struct qn_touch, execution));
}
