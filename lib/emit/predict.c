/* lib/emit/predict.c - the default predictor of conditional branches, in each arm behind the branch.
 *
 *   taken:  mov  history, S1d
 *           cmpb $2, counters+pc(S1) ;  jb wrong          ->  incq counter, in cold code
 *           movzbl counters+pc(S1), S2d ;  movzbl next(S2), S2d ;  mov S2b, counters+pc(S1)
 *           lea  taken(S1,S1), S1d ;  and $mask, S1d ;  mov S1d, history
 *
 * In an arm the outcome is known, so nothing has to be computed from it.
 */
#include "emit/internal.h"

static void movzbl_table(struct qn_code *c, unsigned dst, unsigned base, uint64_t table) /* movzbl table(base), dst */
{
    x_byte(c, x_rex_mem(0, dst, base, QN_REG_NONE));
    x_bytes(c, "\x0f\xb6", 2);
    x_mem(c, dst, base, QN_REG_NONE, 1, (int32_t)table);
}

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
    x_jmp(&e->cold, back);
}

bool emit_predicts(const struct emitter *e) { return e->borrowed && qn_sim_bc_tables.counters && !emit_rules.check; }

/* Destroys the flags. */
void emit_predict_arm(struct emitter *e, const struct qn_event *ev, bool taken)
{
    const struct qn_bc_tables *t = &qn_sim_bc_tables;
    uint64_t counter = t->counters + (e->b->at[ev->insn] & t->pc_mask);

    x_load32(&e->hot, e->s1, t->history);
    cmpb_table(&e->hot, e->s1, counter, 2);
    x_jcc(&e->hot, taken ? X_CC_B : X_CC_AE, e->cold.exec);
    count_mispredict(e, counter_address(e->centre + ev->counter));
    movzbl_table(&e->hot, e->s2, e->s1, counter);
    movzbl_table(&e->hot, e->s2, e->s2, t->next[taken]);
    movb_to_table(&e->hot, e->s2, e->s1, counter);
    x_lea(&e->hot, e->s1, e->s1, e->s1, 1, taken ? (int32_t)t->taken : 0);
    x_alu_imm32(&e->hot, 0, X_AND, e->s1, t->history_mask);
    x_store32(&e->hot, t->history, e->s1);
}
