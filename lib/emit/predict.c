/* lib/emit/predict.c - the default predictor of conditional branches, in both arms after the branch.
 *
 *   taken:  mov  history, S1d
 *           cmpb $2, counters+pc(S1) ;  jb wrong          ->  incq counter, in cold code
 *           movzbl counters+pc(S1), S2d ;  movzbl next(S2), S2d ;  mov S2b, counters+pc(S1)
 *           lea  taken(S1,S1), S1d ;  and $mask, S1d ;  mov S1d, history
 *
 * In an arm the outcome is a constant.
 */
#include "emit/internal.h"

static void movb_to_table(struct qn_code *c, unsigned src, unsigned base, uint64_t table) /* mov src, table(base), a byte */
{
    x_byte(c, x_rex_mem(0, src, base, QN_REG_NONE));
    x_byte(c, 0x88);
    x_mem(c, src, base, QN_REG_NONE, 1, (int32_t)table);
}

static void cmpb_table(struct qn_code *c, unsigned base, uint64_t table, unsigned value) /* cmpb $value, table(base) */
{
    x_byte(c, x_rex_mem(0, 7, base, QN_REG_NONE));
    x_byte(c, 0x80);
    x_mem(c, 7, base, QN_REG_NONE, 1, (int32_t)table);
    x_byte(c, value);
}

static void count_mispredict(struct emitter *e, uint64_t counter)
{
    uint64_t back = e->hot.exec;

    x_inc(&e->cold, counter);
    if (emit_rules.sums && !emit_rules.aside)
        x_inc(&e->cold, emit_rules.sums + 8 * QN_COST_BCM);
    if (emit_rules.check)
        x_store_imm(&e->cold, CTX(result), 1);
    x_jmp(&e->cold, back);
}

bool emit_predicts(const struct emitter *e)
{
    return e->borrowed && (emit_rules.record || qn_fast.BC.counters || (qn_sim_branches.next && !emit_rules.versus));
}

/* Logs the branch, for a module. */
static void write_down(struct emitter *e, const struct qn_event *ev, bool taken)
{
    uint64_t pc = e->b->at[ev->insn], next = (uintptr_t)&qn_sim_branches.next, back;
    uint32_t site = e->centre + ev->counter;

    site |= (taken ? QN_BRANCH_TAKEN : 0) | (e->b->target <= pc ? QN_SITE_BACKWARD : 0);
    x_load(&e->hot, e->s1, next);
    x_test_imm32(&e->hot, e->s1, QN_LOG_FULL);
    x_jcc(&e->hot, X_CC_NE, e->cold.exec);
    back = e->hot.exec;
    emit_slow_call(&e->cold, qn_sim_branches_drain);
    x_load(&e->cold, e->s1, next);
    x_jmp(&e->cold, back);
    x_movi(&e->hot, e->s2, pc);
    x_table(&e->hot, X_STORE, e->s2, e->s1, offsetof(struct qn_branch_entry, pc));
    x_store_imm_table(&e->hot, e->s1, offsetof(struct qn_branch_entry, site), site);
    x_lea(&e->hot, e->s1, e->s1, QN_REG_NONE, 1, sizeof(struct qn_branch_entry));
    x_store(&e->hot, next, e->s1);
}

static void tell_twin(struct emitter *e, const struct qn_event *ev, bool taken)
{
    if (!emit_rules.check)
        return;
    if (!qn_fast.BC.counters)
        x_store_imm(&e->hot, CTX(result), QN_RESULT_LATER);
    x_store_imm(&e->hot, CTX(arg_aux), taken);
    emit_predict_call(e, &e->hot, ev, qn_sim_check_cond);
}

/* Emits the prediction and the learning of one arm.  Destroys the flags. */
void emit_predict_arm(struct emitter *e, const struct qn_event *ev, bool taken)
{
    const struct qn_fast_BC *t = &qn_fast.BC;
    uint64_t counter = t->counters + (e->b->at[ev->insn] & t->pc_mask);

    if (!t->counters) {
        write_down(e, ev, taken);
        tell_twin(e, ev, taken);
        return;
    }
    if (emit_rules.check)
        x_store_imm(&e->hot, CTX(result), 0);
    x_load32(&e->hot, e->s1, t->history);
    cmpb_table(&e->hot, e->s1, counter, 2);
    x_jcc(&e->hot, taken ? X_CC_B : X_CC_AE, e->cold.exec);
    count_mispredict(e, counter_address(e->centre + ev->counter));
    x_movzbl_table(&e->hot, e->s2, e->s1, counter);
    x_movzbl_table(&e->hot, e->s2, e->s2, t->next[taken]);
    movb_to_table(&e->hot, e->s2, e->s1, counter);
    x_lea(&e->hot, e->s1, e->s1, e->s1, 1, taken ? (int32_t)t->taken : 0);
    x_alu_imm32(&e->hot, 0, X_AND, e->s1, t->history_mask);
    x_store32(&e->hot, t->history, e->s1);
    tell_twin(e, ev, taken);
}
