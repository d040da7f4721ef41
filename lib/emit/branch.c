/* lib/emit/branch.c - branches and the calls of their predictors; see emit.h for the standard state.
 *
 *   jCC:   jCC taken ; jmp next                              without branch simulation
 *          jCC 1f ; learn "not taken" ; jmp next ; 1: ...    the predictor is in the arms
 *          setCC arg_aux ; call ; jCC taken ; jmp next       the predictor is a call
 *   ret:   pop %r11 ; mov %rcx, gpr[rcx] ; movzwl %r11w, %r10d ; jmp *table(,%r10,8)
 */
#include "emit/internal.h"

/* ---- the default predictor of conditional branches, in both arms after the branch ----
 *
 *   taken:  mov  history, S1d
 *           cmpb $2, counters+pc(S1) ;  jb wrong          ->  incq counter, in cold code
 *           movzbl counters+pc(S1), S2d ;  movzbl next(S2), S2d ;  mov S2b, counters+pc(S1)
 *           lea  taken(S1,S1), S1d ;  and $mask, S1d ;  mov S1d, history
 *
 * In an arm the outcome is a constant.
 */

static void movb_to_table(struct qn_code *c, unsigned src, unsigned base, uint64_t table) /* mov src, table(base), a byte */
{
    x_byte(c, x_rex_mem(0, src, base, QN_REG_NONE));
    x_byte(c, 0x88);
    x_mem(c, src, base, QN_REG_NONE, 1, (int32_t)table);
}

static void cmpb_table(struct qn_code *c, unsigned base, uint64_t table, unsigned value) /* cmpb $value, table(base) */
{
    x_op(c, 0, 0x80, 7, base, QN_REG_NONE, 1, (int32_t)table);
    x_byte(c, value);
}

static void emit_predict_call(struct emitter *e, struct qn_code *c, const struct qn_event *ev, qn_slow_call *fn);

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

static bool emit_predicts(const struct emitter *e)
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
    back = x_jcc(&e->hot, X_CC_NE, e->cold.exec);
    emit_slow_call(&e->cold, qn_sim_branches_drain);
    x_load(&e->cold, e->s1, next);
    x_jmp(&e->cold, back);
    x_movi(&e->hot, e->s2, pc);
    x_table(&e->hot, X_STORE, e->s2, e->s1, offsetof(struct qn_branch_entry, pc));
    x_store_imm_table(&e->hot, e->s1, offsetof(struct qn_branch_entry, site), site);
    x_lea(&e->hot, e->s1, e->s1, QN_REG_NONE, 1, sizeof(struct qn_branch_entry));
    x_store(&e->hot, next, e->s1);
}

static void tell_shadow(struct emitter *e, const struct qn_event *ev, bool taken)
{
    if (!emit_rules.check)
        return;
    if (!qn_fast.BC.counters)
        x_store_imm(&e->hot, CTX(result), QN_RESULT_LATER);
    x_store_imm(&e->hot, CTX(arg_aux), taken);
    emit_predict_call(e, &e->hot, ev, qn_sim_check_cond);
}

/* Emits the prediction and the learning of one arm.  Destroys the flags. */
static void emit_predict_arm(struct emitter *e, const struct qn_event *ev, bool taken)
{
    const struct qn_fast_BC *t = &qn_fast.BC;
    uint64_t counter = t->counters + (e->b->at[ev->insn] & t->pc_mask);

    if (!t->counters) {
        write_down(e, ev, taken);
        tell_shadow(e, ev, taken);
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
    tell_shadow(e, ev, taken);
}

static const struct qn_event *emit_branch_event(const struct emitter *e, enum qn_event_kind kind)
{
    const struct qn_event *last = e->list->n ? &e->list->ev[e->list->n - 1] : NULL;

    return last && last->kind == kind && last->insn == e->b->n - 1 && !last->fixed ? last : NULL;
}

/* The call by which the shadow model of --check simulates the branch, too, and compares; NULL: fn belongs to the shadow model already. */
static qn_slow_call *shadow_of(qn_slow_call *fn)
{
    return fn == qn_sim_cond       ? qn_sim_check_cond
           : fn == qn_sim_indirect ? qn_sim_check_indirect
           : fn == qn_sim_call     ? qn_sim_check_call
           : fn == qn_sim_return   ? qn_sim_check_return
                                   : NULL;
}

static void emit_predict_call(struct emitter *e, struct qn_code *c, const struct qn_event *ev, qn_slow_call *fn)
{
    bool backward = ev->kind == QN_EV_COND && !ev->fixed && e->b->target <= e->b->at[ev->insn];

    emit_store_const(c, CTX(arg_pc), e->b->at[ev->insn]);
    x_store_imm(c, CTX(arg_site), (e->centre + ev->counter) | (backward ? QN_SITE_BACKWARD : 0));
    emit_slow_call(c, fn);
    emit_refs_ahead(e, c);
    if (emit_rules.check && shadow_of(fn))
        emit_slow_call(c, shadow_of(fn));
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

    branch = x_jcc(&e->hot, cond, 0);
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
    not_taken = x_jmp(&e->hot, 0);
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

/* ---- returns, indirect jumps and calls ----
 *
 * From the block's registers to the standard state, then to the block in a table's entry for the target's low bits.  That block checks
 * whether it is the right one (exits.c).  If not, a stub searches a second table by other bits, and leaves for the dispatcher if that
 * fails, too.
 */

#define POP_R11 "\x41\x5b"

const struct emit_scratch emit_standard = {QN_PREF_NOW, 1u << QN_PREF_NOW | 1u << QN_R10 | 1u << QN_R11};

static void standard_jump(struct qn_code *c, unsigned mode)
{
    x_bytes(c, "\x45\x0f\xb7\xd3", 4);     /* movzwl %r11w, %r10d */
    x_bytes(c, "\x42\xff\x24\xd5", 4);     /* jmp *table(,%r10,8) */
    x_u32(c, (uint32_t)(uintptr_t)qn_tcache_ibl_table(mode));
}

/* To the dispatcher, rip = r11, all registers native. */
void emit_leave_standard_state(struct qn_code *c, enum qn_exit_kind kind)
{
    x_store(c, CTX(rip), QN_R11);
    x_load(c, QN_R10, CTX_GPR(QN_R10));
    x_load(c, QN_R11, CTX_GPR(QN_R11));
    if (emit_rules.caches) {
        x_store(c, CTX(now), QN_PREF_NOW);
        x_load(c, QN_PREF_NOW, CTX_GPR(QN_PREF_NOW));
    }
    x_store32_imm(c, CTX(exit_kind), kind);
    x_jmp(c, (uint64_t)(uintptr_t)emit_hooks.leave);
}

#define MISS_STUB_BYTES 160u

static uint32_t miss_stubs[QN_SCOPES];

/* mov %r11, rip ;  movzbl rip+1, %ecx ;  movb rip+2, %ch (single bytes, because the program may have set AC) ;  mov %ecx, %r10d ;
 * mov second(,%r10,8), %rcx ;  lea (%rcx,%r11), %rcx ;  jrcxz found ;  jmp 1f ;  found: jmp *third(,%r10,8) ;  1: */
static void look_further(struct qn_code *c, const uint64_t *second)
{
    x_store(c, CTX(rip), QN_R11);
    x_bytes(c, "\x0f\xb6", 2);
    x_rip(c, QN_RCX, CTX(rip) + 1, 0);
    x_byte(c, 0x8a);
    x_rip(c, 5 /* ch */, CTX(rip) + 2, 0);
    x_bytes(c, "\x41\x89\xca", 3);
    x_bytes(c, "\x4a\x8b\x0c\xd5", 4);
    x_u32(c, (uint32_t)(uintptr_t)second);
    x_lea(c, QN_RCX, QN_RCX, QN_R11, 1, 0);
    x_bytes(c, "\xe3\x02\xeb\x08", 4);
    x_bytes(c, "\x42\xff\x24\xd5", 4);
    x_u32(c, (uint32_t)(uintptr_t)(second + QN_IBL_ENTRIES));
}

/* The stub for a miss in the first part of the table: in standard state, the target in r11. */
uint32_t qn_emit_add_miss_stub(unsigned scope, const uint64_t *table, bool second)
{
    struct qn_code c = emit_stub_begin(MISS_STUB_BYTES, true);

    miss_stubs[scope] = (uint32_t)c.exec;
    if (second)
        look_further(&c, table + QN_IBL_ENTRIES);
    x_load(&c, QN_RCX, CTX_GPR(QN_RCX));
    emit_leave_standard_state(&c, QN_EXIT_IBL);
    emit_stub_end(&c);
    return miss_stubs[scope];
}

uint32_t emit_miss_stub(unsigned mode) { return miss_stubs[QN_SCOPE(mode)]; }

/* The default predictor:  cmp %r11, last target ;  jne: another target, which is counted as a mispredict */
static void predict_last(struct emitter *e, const struct qn_event *ev)
{
    uint64_t target = qn_fast.BI.targets + 8 * (e->b->at[ev->insn] & qn_fast.BI.pc_mask), back;

    if (emit_rules.check)
        x_store_imm(&e->hot, CTX(result), 0);
    x_op_abs(&e->hot, 1, 0x39, QN_R11, target);
    back = x_jcc(&e->hot, X_CC_NE, e->cold.exec);
    x_store(&e->cold, target, QN_R11);
    x_inc(&e->cold, counter_address(e->centre + ev->counter));
    if (emit_rules.sums && !emit_rules.aside)
        x_inc(&e->cold, emit_rules.sums + 8 * QN_COST_BIM);
    if (emit_rules.check)
        x_store_imm(&e->cold, CTX(result), 1);
    x_jmp(&e->cold, back);
    if (!emit_rules.check)
        return;
    x_store(&e->hot, CTX(arg_addr), QN_R11);
    emit_predict_call(e, &e->hot, ev, qn_sim_check_indirect);
}

static void predict_target(struct emitter *e)
{
    bool returns = e->b->end == QN_END_RET;
    const struct qn_event *ev = emit_branch_event(e, returns ? QN_EV_RETURN : QN_EV_INDIRECT);

    if (!ev)
        return;
    if (emit_rules.record) {
        emit_record_target(e);
        return;
    }
    emit_need_flags(e, e->b->n);
    if (!returns && qn_fast.BI.targets) {
        predict_last(e, ev);
        return;
    }
    x_store(&e->hot, CTX(arg_addr), QN_R11);
    emit_predict_call(e, &e->hot, ev, returns ? qn_sim_return : qn_sim_indirect);
}

static void load_target(struct emitter *e, unsigned last)
{
    const struct qn_insn *in = &e->b->insn[last];

    if (e->b->end != QN_END_RET) {
        emit_load_operand(e, last, QN_R11);
        return;
    }
    x_bytes(&e->hot, POP_R11, 2);
    if (in->imm)
        x_lea(&e->hot, QN_RSP, QN_RSP, QN_REG_NONE, 1, (int32_t)(in->imm & 0xffff));
}

/* Frees r11 for the target: saves the guest's value in ctx.gpr, and where recovery after a fault finds it. */
static void free_r11(struct emitter *e, struct emit_scratch *t, unsigned last)
{
    if (t->regs >> QN_R11 & 1)
        return;
    x_store(&e->hot, CTX_GPR(QN_R11), QN_R11);
    t->regs |= 1u << QN_R11;
    if (e->b->end == QN_END_CALL_IND) { /* the push may fault, with the target in r11 */
        x_store(&e->hot, CTX(tmp), QN_R11);
        e->side[last].fix = QN_R11;
    }
}

/* cmp %rsp, toggle_sp ; jb: this return, or jump, leaves a function of --toggle.  In standard state except for rcx. */
static void look_at_stack(struct emitter *e)
{
    bool saved;

    emit_need_flags(e, e->b->n);
    saved = e->flags_saved;
    x_op_abs(&e->hot, 1, 0x39, QN_RSP, CTX(toggle_sp));
    x_jcc(&e->hot, X_CC_B, e->cold.exec);
    emit_swap(e);
    emit_restore_flags(e);
    emit_leave_standard_state(&e->hot, QN_EXIT_RETURN);
    emit_swap(e);
    e->flags_saved = saved;
}

static void jump_on(struct emitter *e)
{
    struct qn_code at_end;

    x_store(&e->hot, CTX_GPR(QN_RCX), QN_RCX);
    if (!emit_samples_branch(e)) {
        standard_jump(&e->hot, e->out.mode);
        return;
    }
    at_end = emit_sample_indirect(e);
    standard_jump(&e->hot, e->out.mode);
    emit_sample_behind(e, at_end);
}

/* From the block's registers to the standard state. */
void emit_indirect(struct emitter *e)
{
    unsigned last = e->b->n - 1;
    struct emit_scratch t;

    if (e->borrowed && e->now == QN_R11) { /* r11 is needed for the target */
        emit_give_back(e, &e->hot);
        e->borrowed = false;
    }
    t = emit_borrowed(e);
    free_r11(e, &t, last);
    emit_mark_side(e, last, (e->borrowed ? 0 : QN_SIDE_NATIVE) | (e->flags_saved ? QN_SIDE_FLAGS_SAVED : 0));
    load_target(e, last);
    if (e->b->end == QN_END_CALL_IND)
        emit_push_const(e, e->b->next);
    if (e->borrowed) {
        emit_shuffle(&e->hot, t, emit_standard);
    } else {
        x_store(&e->hot, CTX_GPR(QN_R10), QN_R10);
        if (emit_rules.caches) {
            x_store(&e->hot, CTX_GPR(QN_PREF_NOW), QN_PREF_NOW);
            x_load(&e->hot, QN_PREF_NOW, CTX(now));
        }
    }
    e->borrowed = false; /* rax must be parked in memory from here */
    predict_target(e);
    emit_calls_return(e);
    if (emit_rules.leaves && e->b->end != QN_END_CALL_IND)
        look_at_stack(e); /* after --calls has removed its frame */
    emit_restore_flags(e);
    if (QN_VARIANT(e->out.mode) == QN_VARIANT_EXACT || QN_VARIANT(e->out.mode) == QN_VARIANT_TRAPS || emit_rules.steps)
        emit_leave_standard_state(&e->hot, QN_EXIT_IBL);
    else
        jump_on(e);
}
