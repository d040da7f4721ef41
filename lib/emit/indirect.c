/* lib/emit/indirect.c - returns, indirect jumps and calls: from the block's registers to the standard state (emit.h), then to
 * the block in a table's entry for the target's low bits.  That block checks whether it is the right one (entries.c).
 *
 * If not, a stub searches a second table by other bits, and leaves for the dispatcher if that fails, too.
 *
 *   ret:   pop %r11 ; mov %rcx, gpr[rcx] ; movzwl %r11w, %r10d ; jmp *table(,%r10,8)
 */
#include "emit/internal.h"

#define POP_R11 "\x41\x5b"

const struct emit_triple emit_standard = {QN_PREF_NOW, 1u << QN_PREF_NOW | 1u << QN_R10 | 1u << QN_R11};

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

/* mov %r11, rip ;  movzwl rip+1, %r10d ;  mov second(,%r10,8), %rcx ;  lea (%rcx,%r11), %rcx ;  jrcxz found ;  jmp 1f
 * found: jmp *third(,%r10,8) ;  1: */
static void look_further(struct qn_code *c, const uint64_t *second)
{
    x_store(c, CTX(rip), QN_R11);
    x_bytes(c, "\x44\x0f\xb7", 3);
    x_rip(c, QN_R10, CTX(rip) + 1, 0);
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
    struct qn_code c = emit_stub_begin(MISS_STUB_BYTES);

    if (!c.p)
        qn_engine_die("no room for another stub", scope, 0);
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
    x_jcc(&e->hot, X_CC_NE, e->cold.exec);
    back = e->hot.exec;
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
static void free_r11(struct emitter *e, struct emit_triple *t, unsigned last)
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
    struct emit_triple t;

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
        emit_bridge(&e->hot, t, emit_standard);
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
