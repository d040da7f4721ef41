/* lib/emit/exits.c - how control leaves a translated block.
 *
 *   exit:   mov clock, now ; mov gpr[], borrowed registers ; jmp stub
 *   linked: the branch leads to entry2 of a block with the same triple, or to a bridge (bridge.c)
 *
 * Indirect exits are in indirect.c, conditional branches in conditional.c.
 */
#include "emit/internal.h"

struct emit_triple emit_borrowed(const struct emitter *e)
{
    return e->borrowed ? emit_triple_of(e->now, e->s1, e->s2, e->s3) : emit_triple_of(QN_NO_REG, 0, 0, 0);
}

void emit_give_back(struct emitter *e, struct qn_code *c)
{
    if (!e->borrowed)
        return;
    x_store(c, CTX(now), e->now);
    emit_bridge(c, emit_borrowed(e), (struct emit_triple){e->now, 0});
}

/* Writes the exit sequence for target in cold code.  The branch just written at the end of hot code leads to it, until a full
 * link makes that branch lead to the next block. */
void emit_direct_exit(struct emitter *e, uint64_t target)
{
    unsigned k = e->out.nexits++;
    struct qn_texit *x = &e->out.exit[k];

    x->target_low = (uint32_t)target;
    x->target_high = (uint16_t)(target >> 32);
    x->field = (uint16_t)(e->hot.exec - 4 - e->out.hot);
    x_patch(e->hot.exec, e->cold.exec);
    emit_exit(&e->cold, emit_borrowed(e), x, e->index * 2 + k);
}

void emit_jump_out(struct emitter *e, uint64_t target)
{
    x_jmp(&e->hot, 0);
    emit_direct_exit(e, target);
}

/* Leaves for the dispatcher with all registers native and rip = pc. */
void emit_service_exit(struct emitter *e, enum qn_exit_kind kind, uint64_t pc)
{
    emit_give_back(e, &e->hot);
    emit_store_const(&e->hot, CTX(rip), pc);
    x_store32_imm(&e->hot, CTX(exit_kind), kind);
    x_jmp(&e->hot, (uint64_t)(uintptr_t)emit_hooks.leave);
}

void emit_mark_side(struct emitter *e, unsigned i, unsigned state)
{
    e->side[i].host = (uint16_t)(e->hot.exec - qn_tblock_entry2(&e->out));
    e->side[i].state = (uint8_t)state;
}

void emit_push_const(struct emitter *e, uint64_t value)
{
    if (qn_fits_i32((int64_t)value)) {
        x_push_imm(&e->hot, (uint32_t)value);
    } else { /* push the constant from cold code */
        x_bytes(&e->hot, "\xff", 1);
        x_rip(&e->hot, 6, e->cold.exec, 0);
        x_u64(&e->cold, value);
    }
}

/* ---- the end of a block ---- */

static void end_jump(struct emitter *e)
{
    if (emit_samples_branch(e))
        emit_sample_jump(e);
    else
        emit_jump_out(e, e->b->target);
}

static void end_call(struct emitter *e)
{
    emit_mark_side(e, e->b->n - 1, 0);
    emit_push_const(e, e->b->next);
    end_jump(e);
}

static void end_trap(struct emitter *e)
{
    emit_give_back(e, &e->hot);
    e->borrowed = false;
    emit_copy(e, e->b->n - 1);
    e->side[e->b->n - 1].state |= QN_SIDE_NATIVE;
    emit_jump_out(e, e->b->next);
}

/* The engine acts behind the last instruction. */
static void end_after(struct emitter *e)
{
    unsigned last = e->b->n - 1;

    emit_give_back(e, &e->hot);
    e->borrowed = false;
    emit_copy(e, last);
    e->side[last].state |= QN_SIDE_NATIVE;
    emit_store_const(&e->hot, CTX(arg_pc), e->b->at[last]);
    emit_service_exit(e, QN_EXIT_AFTER, e->b->next);
}

static void end_xbegin(struct emitter *e)
{
    emit_mark_side(e, e->b->n - 1, 0);
    x_movi(&e->hot, QN_RAX, 0); /* aborted, not worth a retry; mov leaves the flags alone */
    emit_jump_out(e, e->b->target);
}

void emit_end(struct emitter *e)
{
    const struct qn_block *b = e->b;
    bool indirect = b->end == QN_END_RET || b->end == QN_END_JMP_IND || b->end == QN_END_CALL_IND;

    emit_log_flush(e);
    emit_record_end(e);
    emit_clock(e, &e->hot);
    emit_calls_end(e);
    if (!indirect)
        emit_restore_flags(e);
    switch (b->end) {
    case QN_END_JCC: emit_jcc(e); break;
    case QN_END_LOOP: emit_loop(e); break;
    case QN_END_JMP: emit_mark_side(e, b->n - 1, 0); end_jump(e); break;
    case QN_END_CALL: end_call(e); break;
    case QN_END_XBEGIN: end_xbegin(e); break;
    case QN_END_TRAP: end_trap(e); break;
    case QN_END_AFTER: end_after(e); break;
    case QN_END_FALL: emit_jump_out(e, b->next); break;
    case QN_END_SYSCALL: emit_service_exit(e, QN_EXIT_SYSCALL, b->next); break;
    case QN_END_EMULATE: emit_service_exit(e, QN_EXIT_EMULATE, b->at[b->n - 1]); break;
    case QN_END_BAD: emit_service_exit(e, QN_EXIT_BAD, b->pc); break;
    case QN_END_REQUEST: emit_service_exit(e, QN_EXIT_REQUEST, b->pc); break;
    case QN_END_OBSERVE: emit_service_exit(e, QN_EXIT_OBSERVE, b->pc); break;
    case QN_END_ENTER: emit_service_exit(e, QN_EXIT_ENTER, b->pc); break;
    case QN_END_JMP_IND:
    case QN_END_CALL_IND:
    case QN_END_RET: emit_indirect(e); break;
    }
}
