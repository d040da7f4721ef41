/* lib/emit/conditional.c - conditional branches, and the calls of predictors for branches.
 *
 *   jCC:   jCC taken ; jmp next                              without branch simulation
 *          jCC 1f ; learn "not taken" ; jmp next ; 1: ...    the predictor is in the arms (predict.c)
 *          setCC arg_aux ; call ; jCC taken ; jmp next       the predictor is a call
 */
#include "emit/internal.h"

const struct qn_event *emit_branch_event(const struct emitter *e, enum qn_event_kind kind)
{
    const struct qn_event *last = e->list->n ? &e->list->ev[e->list->n - 1] : NULL;

    return last && last->kind == kind && last->insn == e->b->n - 1 && !last->fixed ? last : NULL;
}

/* The call by which the twin of --check simulates the branch, too, and compares; NULL: fn belongs to the twin already. */
static qn_slow_call *twin_of(qn_slow_call *fn)
{
    return fn == qn_sim_cond       ? qn_sim_check_cond
           : fn == qn_sim_indirect ? qn_sim_check_indirect
           : fn == qn_sim_call     ? qn_sim_check_call
           : fn == qn_sim_return   ? qn_sim_check_return
                                   : NULL;
}

void emit_predict_call(struct emitter *e, struct qn_code *c, const struct qn_event *ev, qn_slow_call *fn)
{
    bool backward = ev->kind == QN_EV_COND && !ev->fixed && e->b->target <= e->b->at[ev->insn];

    emit_store_const(c, CTX(arg_pc), e->b->at[ev->insn]);
    x_store_imm(c, CTX(arg_site), (e->centre + ev->counter) | (backward ? QN_SITE_BACKWARD : 0));
    emit_slow_call(c, fn);
    emit_refs_ahead(e, c);
    if (emit_rules.check && twin_of(fn))
        emit_slow_call(c, twin_of(fn));
}

/* Pushes the return address of a call on the predictor's return address stack. */
void emit_call(struct emitter *e, const struct qn_event *ev)
{
    emit_store_const(&e->hot, CTX(arg_addr), ev->addr);
    emit_predict_call(e, &e->hot, ev, qn_sim_call);
}

/* ---- conditional branches ---- */

static unsigned setcc_s1(struct emitter *e, unsigned cond)
{
    x_byte(&e->hot, x_rex(0, 0, 0, e->s1)); /* setCC S1b */
    x_bytes(&e->hot, "\x0f", 1);
    x_byte(&e->hot, 0x90 | cond);
    x_byte(&e->hot, 0xc0 | (e->s1 & 7));
    x_byte(&e->hot, x_rex(0, e->s1, 0, e->s1)); /* movzbl S1b, S1d */
    x_bytes(&e->hot, "\x0f\xb6", 2);
    x_byte(&e->hot, 0xc0 | (e->s1 & 7) << 3 | (e->s1 & 7));
    return e->s1;
}

/* Passes the outcome to the predictor; returns the condition code with which the taken arm is chosen after it. */
static unsigned predict_outcome(struct emitter *e, const struct qn_event *ev, unsigned cond)
{
    bool live = e->b->live[e->b->n] != 0;

    if (e->borrowed) {
        setcc_s1(e, cond);
        x_store(&e->hot, CTX(arg_aux), e->s1);
    } else { /* mov $0, arg_aux ; setCC arg_aux */
        x_store_imm(&e->hot, CTX(arg_aux), 0);
        x_bytes(&e->hot, "\x0f", 1);
        x_byte(&e->hot, 0x90 | cond);
        x_rip(&e->hot, 0, CTX(arg_aux), 0);
    }
    if (live)
        emit_save_flags(e);
    emit_predict_call(e, &e->hot, ev, qn_sim_cond);
    if (live) {
        emit_restore_flags(e);
        return cond;
    }
    x_bytes(&e->hot, "\x83", 1); /* cmpl $0, arg_aux */
    x_rip(&e->hot, 7, CTX(arg_aux), 1);
    x_byte(&e->hot, 0);
    return X_CC_NE;
}

/* One arm of a conditional branch: the predictor learns the outcome. */
static void predicted_arm(struct emitter *e, const struct qn_event *ev, bool taken)
{
    if (e->b->live_arm[taken] && !emit_rules.record)
        emit_save_flags(e);
    if (emit_rules.record)
        emit_record_arm(e, taken);
    else
        emit_predict_arm(e, ev, taken);
    emit_restore_flags(e);
    emit_jump_out(e, taken ? e->b->target : e->b->next);
}

static void end_jcc_inline(struct emitter *e, const struct qn_event *ev, unsigned cond)
{
    uint64_t branch;

    x_jcc(&e->hot, cond, 0);
    branch = e->hot.exec;
    predicted_arm(e, ev, false);
    x_patch(branch, e->hot.exec);
    predicted_arm(e, ev, true);
}

/* A branch whose taken arm, exit 1, counts down to a sample. */
static void sampled_jcc(struct emitter *e, unsigned cond)
{
    x_jcc(&e->hot, cond ^ 1, 0);
    emit_direct_exit(e, e->b->next);
    emit_sample_jump(e);
}

void emit_jcc(struct emitter *e)
{
    const struct qn_event *ev = emit_branch_event(e, QN_EV_COND);
    unsigned cond = e->b->insn[e->b->n - 1].cond;

    emit_mark_side(e, e->b->n - 1, 0);
    if (emit_samples_branch(e)) {
        sampled_jcc(e, cond);
        return;
    }
    if (ev && emit_predicts(e)) {
        end_jcc_inline(e, ev, cond);
        return;
    }
    if (ev)
        cond = predict_outcome(e, ev, cond);
    x_jcc(&e->hot, cond, 0);
    emit_direct_exit(e, e->b->target);
    emit_jump_out(e, e->b->next);
}

static void predict_arm(struct emitter *e, const struct qn_event *ev, unsigned taken)
{
    bool live = e->b->live[e->b->n] != 0;

    if (!ev)
        return;
    if (live)
        emit_save_flags(e);
    x_store_imm(&e->hot, CTX(arg_aux), taken);
    emit_predict_call(e, &e->hot, ev, qn_sim_cond);
    emit_restore_flags(e);
}

/* loop and jrcxz reach only 127 bytes, and their outcome is in no flag, so each arm passes it to the predictor. */
void emit_loop(struct emitter *e)
{
    const struct qn_event *ev = emit_branch_event(e, QN_EV_COND);
    const struct qn_insn *in = &e->b->insn[e->b->n - 1];
    const uint8_t *from = (const uint8_t *)(uintptr_t)e->b->at[e->b->n - 1];
    uint64_t not_taken;

    emit_mark_side(e, e->b->n - 1, 0);
    x_bytes(&e->hot, from, in->opcode_off + 1u);
    x_byte(&e->hot, 5);
    x_jmp(&e->hot, 0);
    not_taken = e->hot.exec;
    predict_arm(e, ev, 1);
    emit_jump_out(e, e->b->target);
    x_patch(not_taken, e->hot.exec);
    predict_arm(e, ev, 0);
    emit_jump_out(e, e->b->next);
}

/* Cachegrind's retry branch after a locked instruction: a conditional branch that is never taken. */
void emit_fixed_cond(struct emitter *e, const struct qn_event *ev)
{
    x_store_imm(&e->hot, CTX(arg_aux), 0);
    emit_predict_call(e, &e->hot, ev, qn_sim_cond);
}
