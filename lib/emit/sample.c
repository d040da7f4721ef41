/* lib/emit/sample.c - the countdowns of blocks that are anchors, and code that is left before each instruction (run/sample.c).
 *
 * Each time that a cycle goes through an anchor its countdown is one less; at 0 it leaves for the dispatcher, exit_id = its address.
 * This is done where it costs least, and the block says where that is:
 *
 *   where it branches back   jNCC next ; decl countdown ; je cold ; jmp     if the flags are dead at the target
 *   at its entry             decl countdown ; je cold                       if they are dead there
 *   at an indirect branch    mov countdown, %ecx ; lea -1(%rcx), %ecx ; mov %ecx, countdown ; jrcxz 1f ; the branch ; 1: jmp cold
 *                            in standard state, where rcx is free: nobody knows whether the flags are dead
 *   else at its entry, the same with rcx parked, and over the jmp
 *
 * Code on the way to a sample is the same, but leaves there whatever the countdown is.
 */
#include "emit/internal.h"

#define DECL_OP 0xffu /* /1 */
#define JRCXZ "\xe3"

static void name_countdown(struct emitter *e) { x_store32_imm(&e->hot, CTX(exit_id), (uint32_t)e->sample); }

/* With the flags saved or not, as they are: what follows is not reached. */
static void leave_at(struct emitter *e, uint64_t pc)
{
    bool saved = e->flags_saved;

    emit_restore_flags(e);
    emit_service_exit(e, QN_EXIT_ANCHOR, pc);
    e->flags_saved = saved;
}

/* Sets rcx = the countdown, one less. */
static void count_in_rcx(struct emitter *e)
{
    x_load32(&e->hot, QN_RCX, e->sample);
    x_lea32(&e->hot, QN_RCX, QN_RCX, -1);
    x_store32(&e->hot, e->sample, QN_RCX);
}

static void count_live(struct emitter *e)
{
    x_store(&e->hot, CTX(tmp), QN_RCX);
    count_in_rcx(e);
    x_bytes(&e->hot, JRCXZ "\x02\xeb\x05", 4); /* over the jmp that is over the jmp to cold code */
    x_jmp(&e->hot, e->cold.exec);
    x_load(&e->hot, QN_RCX, CTX(tmp));
    emit_swap(e);
    x_load(&e->hot, QN_RCX, CTX(tmp));
    name_countdown(e);
    emit_service_exit(e, QN_EXIT_SAMPLE, e->b->pc);
    emit_swap(e);
}

static void count(struct emitter *e, uint64_t pc)
{
    if (emit_rules.anchors_leave) {
        leave_at(e, pc);
        return;
    }
    x_byte(&e->hot, DECL_OP);
    x_rip(&e->hot, 1, e->sample, 0);
    emit_leave_if(e, X_CC_E, QN_EXIT_SAMPLE, pc, name_countdown);
}

static bool is_indirect(const struct qn_block *b) { return b->end == QN_END_JMP_IND || b->end == QN_END_CALL_IND; }

/* Chooses the place; called at the entry.  A variant is left by the dispatcher's leave, not by a branch. */
void emit_sample_entry(struct emitter *e)
{
    const struct qn_block *b = e->b;

    if (!emit_rules.samples || QN_VARIANT(e->out.space) || !qn_block_is_anchor(b))
        return;
    e->out.turns = b->end == QN_END_JCC ? !b->live_arm[1] : is_indirect(b) && !emit_flags_free(e, 0);
    e->out.anchor = !e->out.turns;
    if (!emit_rules.anchors_leave)
        e->sample = emit_hooks.sample(e->index);
    if (e->out.turns)
        return;
    if (emit_rules.anchors_leave || emit_flags_free(e, 0))
        count(e, b->pc);
    else
        count_live(e);
}

/* The arm of the branch that is taken. */
void emit_sample_arm(struct emitter *e) { count(e, e->b->target); }

/* In standard state, rcx saved.  The branch follows, and then emit_sample_behind, to which jrcxz leads. */
struct qn_code emit_sample_indirect(struct emitter *e)
{
    if (emit_rules.anchors_leave) {
        emit_leave_standard_state(&e->hot, QN_EXIT_ANCHOR);
        return e->hot;
    }
    count_in_rcx(e);
    x_bytes(&e->hot, JRCXZ "\0", 2);
    return e->hot;
}

void emit_sample_behind(struct emitter *e, struct qn_code branch)
{
    if (emit_rules.anchors_leave)
        return;
    branch.p[-1] = (uint8_t)(e->hot.exec - branch.exec);
    x_jmp(&e->hot, e->cold.exec);
    x_load(&e->cold, QN_RCX, CTX_GPR(QN_RCX));
    x_store32_imm(&e->cold, CTX(exit_id), (uint32_t)e->sample);
    emit_leave_standard_state(&e->cold, QN_EXIT_SAMPLE);
}

/* Leaves before instruction i, which follows. */
void emit_step(struct emitter *e, unsigned i)
{
    emit_restore_flags(e);
    x_jmp(&e->hot, e->cold.exec);
    emit_swap(e);
    x_store_imm(&e->hot, CTX(entry), (uint32_t)e->cold.exec);
    emit_service_exit(e, QN_EXIT_STEP, e->b->at[i]);
    emit_swap(e);
}
