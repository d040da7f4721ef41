/* lib/emit/slow.c - calling C from translated code.
 *
 * Nothing may be written below the guest's rsp, so a slow call switches to a stack of its own.  The callee keeps
 * all registers (no_caller_saved_registers) and uses no vector unit; only the status flags are lost.
 */
#include "emit/internal.h"

void emit_slow_stack_in(struct qn_code *c)
{
    x_store(c, CTX(guest_sp), QN_RSP);
    x_movi(c, QN_RSP, (uint64_t)(uintptr_t)qn_slow_stack_top);
}

void emit_slow_stack_out(struct qn_code *c) { x_load(c, QN_RSP, CTX(guest_sp)); }

void emit_slow_call_at(struct qn_code *c, uint64_t target)
{
    emit_slow_stack_in(c);
    x_call(c, target);
    emit_slow_stack_out(c);
}

/* If rbp is borrowed, it is in ctx.gpr already. */
void emit_frame_out(const struct emitter *e, struct qn_code *c)
{
    if (emit_hooks.place && e->now != QN_RBP && e->s1 != QN_RBP && e->s2 != QN_RBP && e->s3 != QN_RBP)
        x_store(c, CTX(gpr[QN_RBP]), QN_RBP);
}

void emit_slow_call(struct qn_code *c, qn_slow_call *fn) { emit_slow_call_at(c, (uint64_t)(uintptr_t)fn); }

/* mov $value, abs without a register, for any 64-bit value; does not change the flags. */
void emit_store_const(struct qn_code *c, uint64_t abs, uint64_t value)
{
    if (qn_fits_i32((int64_t)value)) {
        x_store_imm(c, abs, (uint32_t)value);
    } else {
        x_store32_imm(c, abs, (uint32_t)value);
        x_store32_imm(c, abs + 4, (uint32_t)(value >> 32));
    }
}
