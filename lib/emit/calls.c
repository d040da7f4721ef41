/* lib/emit/calls.c - the code that --calls adds to a block.  run/observe/calls/call_frames.c handles what it calls.
 *
 *   entry of a function:   movq $function, arg_aux ;  call call_enter        or the code of calls_stub.c; the same for a return
 *   each execution:        addq $n, sums+Ir ;  addq $r, sums+Dr ; ...
 *   end:                   movl $record+1, called                            by a call, a jump to a function, an indirect jump, a return
 *   return:                mov target, arg_addr ;  call call_return
 *   indirect jump:         cmp %rsp, calls_sp ;  jb cold: the same           unless it is a stub of a PLT
 */
#include "emit/internal.h"

#define SUM(event) (emit_rules.sums + 8ull * (event))

void emit_calls_begin(struct emitter *e)
{
    const struct qn_block_calls *c = &e->b->calls;

    if (c->moves)
        x_store(&e->hot, CTX(calls_old), QN_RSP);
    if (!c->entry)
        return;
    emit_need_flags(e, 0);
    if (emit_rules.calls) {
        emit_calls_enter(e);
        return;
    }
    x_store_imm(&e->hot, CTX(arg_aux), c->entry); /* 64 bits, because 64 are loaded: a load cannot be forwarded from a smaller store */
    emit_slow_call(&e->hot, emit_hooks.call_enter);
}

static void add_with_lea(struct emitter *e, uint64_t sum, unsigned n)
{
    unsigned r = e->borrowed ? e->s1 : QN_RCX;

    if (!e->borrowed)
        x_store(&e->hot, CTX(tmp), r);
    x_load(&e->hot, r, sum);
    x_lea(&e->hot, r, r, QN_REG_NONE, 1, (int32_t)n);
    x_store(&e->hot, sum, r);
    if (!e->borrowed)
        x_load(&e->hot, r, CTX(tmp));
}

static void add(struct emitter *e, uint64_t sum, unsigned n)
{
    if (n > INT8_MAX) {
        x_bytes(&e->hot, "\x48\x81", 2);
        x_rip(&e->hot, 0, sum, 4);
        x_u32(&e->hot, n);
    } else {
        x_bytes(&e->hot, "\x48\x83", 2);
        x_rip(&e->hot, 0, sum, 1);
        x_byte(&e->hot, n);
    }
}

void emit_calls_add(struct emitter *e)
{
    for (unsigned event = 0; emit_rules.sums && !emit_rules.aside && event < sizeof e->b->calls.adds; event++) {
        unsigned n = e->b->calls.adds[event];

        if (n && emit_flags_free(e, 0))
            add(e, SUM(event), n);
        else if (n)
            add_with_lea(e, SUM(event), n);
    }
}

/* cmp %rsp, calls_old ; ja cold ; cmp %rsp, calls_sp ; jb cold: call_move.  Otherwise the running function only frees room of its own frame. */
void emit_calls_end(struct emitter *e)
{
    const struct qn_block_calls *c = &e->b->calls;

    if (c->called)
        x_store32_imm(&e->hot, CTX(called), c->called);
    if (!c->moves)
        return;
    emit_need_flags(e, e->b->n - (e->b->end != QN_END_FALL));
    x_op_abs(&e->hot, 1, 0x39, QN_RSP, CTX(calls_old));
    x_jcc(&e->hot, X_CC_A, e->cold.exec);
    x_op_abs(&e->hot, 1, 0x39, QN_RSP, CTX(calls_sp));
    x_jcc(&e->hot, X_CC_B, e->cold.exec);
    emit_slow_call(&e->cold, emit_hooks.call_move);
    x_jmp(&e->cold, e->hot.exec);
}

void emit_calls_return_to_c(struct emitter *e, struct qn_code *c)
{
    x_store(c, CTX(arg_addr), QN_R11);
    x_store_imm(c, CTX(arg_aux), e->b->end != QN_END_JMP_IND ? 0 : e->b->calls.moves ? QN_CALL_MOVED : 1);
    emit_slow_call(c, emit_hooks.call_return);
}

void emit_calls_return(struct emitter *e)
{
    if (!e->b->calls.returns)
        return;
    emit_need_flags(e, e->b->n);
    if (e->b->end == QN_END_RET && !e->b->calls.moves && emit_rules.calls) {
        emit_calls_leave(e);
        return;
    }
    if (e->b->end == QN_END_RET || e->b->calls.moves) {
        emit_calls_return_to_c(e, &e->hot);
        return;
    }
    x_op_abs(&e->hot, 1, 0x39, QN_RSP, CTX(calls_sp)); /* cmp %rsp, calls_sp */
    x_jcc(&e->hot, X_CC_B, e->cold.exec);
    emit_calls_return_to_c(e, &e->cold);
    x_jmp(&e->cold, e->hot.exec);
}
