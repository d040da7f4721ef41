/* lib/emit/sample.c - the countdowns of blocks that are anchors (run/sample.c).
 *
 * Each time that a cycle goes through the block its countdown is one less; at 0 it leaves for the dispatcher, exit_id = block.  This is
 * done where it costs least, and the block says where that is:
 *
 *   where it branches back   jNCC next ; decl countdown ; je cold ; jmp     if the flags are dead at the target
 *   at its entry             decl countdown ;  je cold                       if they are dead there
 *   at an indirect branch    mov countdown, %ecx ; lea -1(%rcx), %ecx ; mov %ecx, countdown ; jrcxz cold
 *                            in standard state, where rcx is free: nobody knows whether the flags are dead
 *   else at its entry, the same with rcx parked
 */
#include "emit/internal.h"

#define DECL_OP 0xffu /* /1 */
#define JRCXZ "\xe3"

static void name_block(struct emitter *e) { x_store32_imm(&e->hot, CTX(exit_id), e->index); }

/* Sets rcx = the countdown, one less. */
static void count_in_rcx(struct qn_code *c, uint64_t countdown)
{
    x_load32(c, QN_RCX, countdown);
    x_lea32(c, QN_RCX, QN_RCX, -1);
    x_store32(c, countdown, QN_RCX);
}

static void decrement(struct emitter *e, uint64_t pc)
{
    x_byte(&e->hot, DECL_OP);
    x_rip(&e->hot, 1, e->sample, 0);
    emit_leave_if(e, X_CC_E, QN_EXIT_SAMPLE, pc, name_block);
}

/* jrcxz 1f ;  jmp 2f ;  1: jmp cold ;  2: mov tmp, %rcx            cold: mov tmp, %rcx ;  leave */
static void count_live(struct emitter *e)
{
    struct qn_code hot;

    x_store(&e->hot, CTX(tmp), QN_RCX);
    count_in_rcx(&e->hot, e->sample);
    x_bytes(&e->hot, JRCXZ "\x02\xeb\x05", 4);
    x_jmp(&e->hot, e->cold.exec);
    x_load(&e->hot, QN_RCX, CTX(tmp));
    hot = e->hot;
    e->hot = e->cold;
    x_load(&e->hot, QN_RCX, CTX(tmp));
    name_block(e);
    emit_service_exit(e, QN_EXIT_SAMPLE, e->b->pc);
    e->cold = e->hot;
    e->hot = hot;
}

static bool is_indirect(const struct qn_block *b) { return b->end == QN_END_JMP_IND || b->end == QN_END_CALL_IND; }

/* Chooses the place; called at the entry.  A variant is left by the dispatcher's leave, not by a branch. */
void emit_sample_entry(struct emitter *e)
{
    const struct qn_block *b = e->b;

    e->sample = 0;
    if (!emit_rules.samples || QN_VARIANT(e->out.space) || !qn_block_is_anchor(b))
        return;
    e->sample = emit_hooks.sample(e->index);
    e->out.turns = b->end == QN_END_JCC ? !b->live_arm[1] : is_indirect(b) && !emit_flags_free(e, 0);
    e->out.anchor = !e->out.turns;
    if (e->out.turns)
        return;
    if (emit_flags_free(e, 0))
        decrement(e, b->pc);
    else
        count_live(e);
}

/* The arm of the branch that is taken. */
void emit_sample_arm(struct emitter *e) { decrement(e, e->b->target); }

/* In standard state, rcx saved. */
void emit_sample_indirect(struct emitter *e, void (*leave)(struct qn_code *c, enum qn_exit_kind kind))
{
    count_in_rcx(&e->hot, e->sample);
    x_bytes(&e->hot, JRCXZ "\x02\xeb\x05", 4);
    x_jmp(&e->hot, e->cold.exec);
    x_load(&e->cold, QN_RCX, CTX_GPR(QN_RCX));
    x_store32_imm(&e->cold, CTX(exit_id), e->index);
    leave(&e->cold, QN_EXIT_SAMPLE);
}
