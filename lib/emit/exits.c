/* lib/emit/exits.c - how control enters and leaves a translated block.
 *
 *   exit:   mov clock, now ; mov gpr[], borrowed registers ; jmp stub
 *   linked: the branch leads to entry2 of a block with the same triple, or to a bridge (bridge.c)
 *   indirect:  pop %r11 ; mov %rcx, gpr[rcx] ; movzwl %r11w, %r10d ; jmp *table(,%r10,8)
 */
#include "emit/internal.h"

#define POP_R11 "\x41\x5b"

static struct emit_triple borrowed(const struct emitter *e)
{
    return e->borrowed ? emit_triple_of(e->now, e->s1, e->s2) : emit_triple_of(QN_NO_REG, 0, 0);
}

static void borrow(struct emitter *e, struct qn_code *c)
{
    emit_bridge(c, (struct emit_triple){e->now, 0}, borrowed(e));
    x_load(c, e->now, CTX(now));
}

static void give_back(struct emitter *e, struct qn_code *c)
{
    if (!e->borrowed)
        return;
    x_store(c, CTX(now), e->now);
    emit_bridge(c, borrowed(e), (struct emit_triple){e->now, 0});
}

static const struct emit_triple standard = {QN_PREF_NOW, 1u << QN_PREF_NOW | 1u << QN_R10 | 1u << QN_R11};

/* ---- entries ---- */

static void check_target(struct emitter *e)
{
    uint64_t pc = e->b->pc;

    if (pc <= INT32_MAX) {
        x_lea(&e->hot, QN_RCX, QN_R11, QN_REG_NONE, 1, -(int32_t)pc);
    } else {
        x_movi(&e->hot, QN_RCX, 0 - pc);
        x_lea(&e->hot, QN_RCX, QN_RCX, QN_R11, 1, 0);
    }
    x_bytes(&e->hot, "\xe3\x05", 2); /* jrcxz over the jmp */
    x_jmp(&e->hot, qn_emit_miss_stub());
    x_load(&e->hot, QN_RCX, CTX_GPR(QN_RCX));
}

/* Hot code begins with the indirect entry, which most blocks are reached by now and then, and runs on into the body;
 * borrowing for a block that is entered with native registers is rare and lies in cold code. */
void emit_entries(struct emitter *e)
{
    e->out.ind_entry = (uint32_t)e->hot.exec;
    check_target(e);
    if (e->borrowed) {
        emit_bridge(&e->hot, standard, borrowed(e));
    } else {
        x_load(&e->hot, QN_R10, CTX_GPR(QN_R10));
        x_load(&e->hot, QN_R11, CTX_GPR(QN_R11));
    }
    e->out.entry = e->out.entry2 = (uint32_t)e->hot.exec;
    if (!e->borrowed)
        return;
    e->out.entry = (uint32_t)e->cold.exec;
    borrow(e, &e->cold);
    x_jmp(&e->cold, e->out.entry2);
}

/* ---- direct exits ---- */

/* The exit sequence for target, in cold code.  The branch just written to hot code, which ends here, leads to it
 * until a full link lets that branch lead to the next block itself. */
static void direct_exit(struct emitter *e, uint64_t target)
{
    unsigned k = e->out.nexits++;
    struct qn_texit *x = &e->out.exit[k];

    x->target = target;
    x->field = (uint32_t)e->hot.exec - 4;
    x_patch(e->hot.exec, e->cold.exec);
    emit_exit(&e->cold, borrowed(e), x, e->index * 2 + k);
}

static void jump_out(struct emitter *e, uint64_t target)
{
    x_jmp(&e->hot, 0);
    direct_exit(e, target);
}

/* Leave for the dispatcher with all registers native and rip = pc. */
static void service_exit(struct emitter *e, enum qn_exit_kind kind, uint64_t pc)
{
    give_back(e, &e->hot);
    emit_store_const(&e->hot, CTX(rip), pc);
    x_store32_imm(&e->hot, CTX(exit_kind), kind);
    x_jmp(&e->hot, (uint64_t)(uintptr_t)emit_hooks.leave);
}

/* jCC to cold code, which undoes what `undo` says and leaves for the dispatcher before anything of the block has run. */
static void leave_if(struct emitter *e, unsigned cond, enum qn_exit_kind kind, void (*undo)(struct emitter *))
{
    struct qn_code hot;
    bool saved = e->flags_saved;

    x_jcc(&e->hot, cond, e->cold.exec);
    hot = e->hot;
    e->hot = e->cold;
    if (undo)
        undo(e);
    emit_restore_flags(e);
    service_exit(e, kind, e->b->pc);
    e->cold = e->hot;
    e->hot = hot;
    e->flags_saved = saved;
}

static void change_countdown(struct emitter *e, unsigned op)
{
    x_bytes(&e->hot, "\x48\x83", 2); /* addq $n, countdown (op 0) or subq (op 5) */
    x_rip(&e->hot, op, (uint64_t)(uintptr_t)emit_rules.countdown, 1);
    x_byte(&e->hot, e->b->n);
}

static void add_back(struct emitter *e) { change_countdown(e, 0); }

/* subq $n, countdown ; js: the interval ends within this block or before it, and the dispatcher will cut it there. */
void emit_countdown(struct emitter *e)
{
    if (!emit_rules.countdown || !e->b->n)
        return;
    emit_need_flags(e, 0);
    change_countdown(e, 5);
    leave_if(e, X_CC_S, QN_EXIT_INTERVAL, add_back);
}

/* Code in writable or shared memory may change behind our back: ask at each entry whether it is still what was translated.
 * (What it does not see: a store into the block that is running.) */
void emit_verify(struct emitter *e)
{
    emit_need_flags(e, 0);
    x_store_imm(&e->hot, CTX(arg_aux), e->index);
    emit_slow_call(&e->hot, emit_hooks.verify);
    x_bytes(&e->hot, "\x83", 1); /* cmpl $0, result */
    x_rip(&e->hot, 7, CTX(result), 1);
    x_byte(&e->hot, 0);
    leave_if(e, X_CC_NE, QN_EXIT_STALE, NULL);
    e->out.bytes_hash = emit_hooks.hash(e->b->pc, e->b->next - e->b->pc);
}

/* ---- indirect exits ---- */

static void standard_jump(struct qn_code *c, unsigned space)
{
    x_store(c, CTX_GPR(QN_RCX), QN_RCX);
    x_bytes(c, "\x45\x0f\xb7\xd3", 4);     /* movzwl %r11w, %r10d */
    x_bytes(c, "\x42\xff\x24\xd5", 4);     /* jmp *table(,%r10,8) */
    x_u32(c, (uint32_t)(uintptr_t)qn_tcache_ibl_table(space));
}

/* To the dispatcher, rip = r11, all registers native. */
static void leave_standard_state(struct qn_code *c, enum qn_exit_kind kind)
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

#define MISS_STUB_BYTES 256u

uint32_t qn_emit_miss_stub(void)
{
    static bool written[2];
    uint32_t address = (uint32_t)(QN_CODE_BASE + (emit_rules.caches ? MISS_STUB_BYTES : 0));
    struct qn_code c = {qn_code_at(address), address};

    if (written[emit_rules.caches])
        return address;
    written[emit_rules.caches] = true;
    x_load(&c, QN_RCX, CTX_GPR(QN_RCX));
    leave_standard_state(&c, QN_EXIT_IBL);
    return address;
}

static void push_const(struct emitter *e, uint64_t value)
{
    if (qn_fits_i32((int64_t)value)) {
        x_byte(&e->hot, 0x68);
        x_u32(&e->hot, (uint32_t)value);
    } else { /* push the constant from cold code */
        x_bytes(&e->hot, "\xff", 1);
        x_rip(&e->hot, 6, e->cold.exec, 0);
        x_u64(&e->cold, value);
    }
}

static const struct qn_event *branch_event(const struct emitter *e, enum qn_event_kind kind)
{
    const struct qn_event *last = e->list->n ? &e->list->ev[e->list->n - 1] : NULL;

    return last && last->kind == kind && last->insn == e->b->n - 1 && !last->fixed ? last : NULL;
}

static void predict_call(struct emitter *e, struct qn_code *c, const struct qn_event *ev, void (*fn)(void))
{
    emit_store_const(c, CTX(arg_pc), e->b->at[ev->insn]);
    x_store_imm(c, CTX(arg_site), (e->centre + ev->counter) |
                (fn == qn_sim_cond && !ev->fixed && e->b->target <= e->b->at[ev->insn] ? QN_SITE_BACKWARD : 0));
    emit_slow_call(c, fn);
}

/* Where a call will return goes onto the predictor's stack. */
void emit_call(struct emitter *e, const struct qn_event *ev)
{
    emit_store_const(&e->hot, CTX(arg_addr), ev->addr);
    predict_call(e, &e->hot, ev, qn_sim_call);
}

static void predict_target(struct emitter *e)
{
    bool returns = e->b->end == QN_END_RET;
    const struct qn_event *ev = branch_event(e, returns ? QN_EV_RETURN : QN_EV_INDIRECT);

    if (!ev)
        return;
    x_store(&e->hot, CTX(arg_addr), QN_R11);
    emit_need_flags(e, e->b->n);
    predict_call(e, &e->hot, ev, returns ? qn_sim_return : qn_sim_indirect);
}

static void mark_side(struct emitter *e, unsigned i, unsigned state)
{
    e->side[i].host = (uint16_t)(e->hot.exec - e->out.entry2);
    e->side[i].state = (uint8_t)state;
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

/* r11 takes the target: the guest's own value goes to its slot, and where a fault would look for it. */
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

/* cmp %rsp, toggle_sp ; jb: this return, or jump, leaves the function that counts.  In standard state but for rcx. */
static void look_at_stack(struct emitter *e)
{
    struct qn_code hot;
    bool saved;

    emit_need_flags(e, e->b->n);
    saved = e->flags_saved;
    x_op_abs(&e->hot, 1, 0x39, QN_RSP, CTX(toggle_sp));
    x_jcc(&e->hot, X_CC_B, e->cold.exec);
    hot = e->hot;
    e->hot = e->cold;
    emit_restore_flags(e);
    leave_standard_state(&e->hot, QN_EXIT_RETURN);
    e->cold = e->hot;
    e->hot = hot;
    e->flags_saved = saved;
}

/* From the block's registers to the standard state. */
static void indirect_exit(struct emitter *e)
{
    unsigned last = e->b->n - 1;
    struct emit_triple t;

    if (e->borrowed && e->now == QN_R11) { /* in nobody's way but the target's */
        give_back(e, &e->hot);
        e->borrowed = false;
    }
    t = borrowed(e);
    free_r11(e, &t, last);
    mark_side(e, last, (e->borrowed ? 0 : QN_SIDE_NATIVE) | (e->flags_saved ? QN_SIDE_FLAGS_SAVED : 0));
    load_target(e, last);
    if (e->b->end == QN_END_CALL_IND)
        push_const(e, e->b->next);
    if (e->borrowed) {
        emit_bridge(&e->hot, t, standard);
    } else {
        x_store(&e->hot, CTX_GPR(QN_R10), QN_R10);
        if (emit_rules.caches) {
            x_store(&e->hot, CTX_GPR(QN_PREF_NOW), QN_PREF_NOW);
            x_load(&e->hot, QN_PREF_NOW, CTX(now));
        }
    }
    e->borrowed = false; /* rax must be parked in memory from here */
    predict_target(e);
    if (emit_rules.leaves && e->b->end != QN_END_CALL_IND)
        look_at_stack(e);
    emit_restore_flags(e);
    standard_jump(&e->hot, e->out.space);
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

/* Tell the predictor the outcome; returns the condition on which the taken arm follows afterwards. */
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
    predict_call(e, &e->hot, ev, qn_sim_cond);
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
    bool live = e->b->live[e->b->n] != 0;

    if (live)
        emit_save_flags(e);
    emit_predict_arm(e, ev, taken);
    emit_restore_flags(e);
    jump_out(e, taken ? e->b->target : e->b->next);
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

static void end_jcc(struct emitter *e)
{
    const struct qn_event *ev = branch_event(e, QN_EV_COND);
    unsigned cond = e->b->insn[e->b->n - 1].cond;

    mark_side(e, e->b->n - 1, 0);
    if (ev && emit_predicts(e)) {
        end_jcc_inline(e, ev, cond);
        return;
    }
    if (ev)
        cond = predict_outcome(e, ev, cond);
    x_jcc(&e->hot, cond, 0);
    direct_exit(e, e->b->target);
    jump_out(e, e->b->next);
}

static void predict_arm(struct emitter *e, const struct qn_event *ev, unsigned taken)
{
    bool live = e->b->live[e->b->n] != 0;

    if (!ev)
        return;
    if (live)
        emit_save_flags(e);
    x_store_imm(&e->hot, CTX(arg_aux), taken);
    predict_call(e, &e->hot, ev, qn_sim_cond);
    emit_restore_flags(e);
}

/* loop and jrcxz reach 127 bytes only, and their outcome is in no flag: each arm tells it. */
static void end_loop(struct emitter *e)
{
    const struct qn_event *ev = branch_event(e, QN_EV_COND);
    const struct qn_insn *in = &e->b->insn[e->b->n - 1];
    const uint8_t *from = (const uint8_t *)(uintptr_t)e->b->at[e->b->n - 1];
    uint64_t not_taken;

    mark_side(e, e->b->n - 1, 0);
    x_bytes(&e->hot, from, in->opcode_off + 1u);
    x_byte(&e->hot, 5);
    x_jmp(&e->hot, 0);
    not_taken = e->hot.exec;
    predict_arm(e, ev, 1);
    jump_out(e, e->b->target);
    x_patch(not_taken, e->hot.exec);
    predict_arm(e, ev, 0);
    jump_out(e, e->b->next);
}

/* Cachegrind's retry branch after a locked instruction: a conditional branch that is never taken. */
void emit_fixed_cond(struct emitter *e, const struct qn_event *ev)
{
    x_store_imm(&e->hot, CTX(arg_aux), 0);
    predict_call(e, &e->hot, ev, qn_sim_cond);
}

/* ---- the end of a block ---- */

static void end_call(struct emitter *e)
{
    mark_side(e, e->b->n - 1, 0);
    push_const(e, e->b->next);
    jump_out(e, e->b->target);
}

static void end_trap(struct emitter *e)
{
    give_back(e, &e->hot);
    e->borrowed = false;
    emit_copy(e, e->b->n - 1);
    e->side[e->b->n - 1].state = QN_SIDE_NATIVE;
    jump_out(e, e->b->next);
}

static void end_xbegin(struct emitter *e)
{
    mark_side(e, e->b->n - 1, 0);
    x_movi(&e->hot, QN_RAX, 0); /* aborted, not worth a retry; mov leaves the flags alone */
    jump_out(e, e->b->target);
}

void emit_end(struct emitter *e)
{
    const struct qn_block *b = e->b;
    bool indirect = b->end == QN_END_RET || b->end == QN_END_JMP_IND || b->end == QN_END_CALL_IND;

    emit_clock(e, &e->hot);
    if (!indirect)
        emit_restore_flags(e);
    switch (b->end) {
    case QN_END_JCC: end_jcc(e); break;
    case QN_END_LOOP: end_loop(e); break;
    case QN_END_JMP: mark_side(e, b->n - 1, 0); jump_out(e, b->target); break;
    case QN_END_CALL: end_call(e); break;
    case QN_END_XBEGIN: end_xbegin(e); break;
    case QN_END_TRAP: end_trap(e); break;
    case QN_END_FALL: jump_out(e, b->next); break;
    case QN_END_SYSCALL: service_exit(e, QN_EXIT_SYSCALL, b->next); break;
    case QN_END_EMULATE: service_exit(e, QN_EXIT_EMULATE, b->at[b->n - 1]); break;
    case QN_END_BAD: service_exit(e, QN_EXIT_BAD, b->pc); break;
    case QN_END_REQUEST: service_exit(e, QN_EXIT_REQUEST, b->pc); break;
    case QN_END_ENTER: service_exit(e, QN_EXIT_ENTER, b->pc); break;
    case QN_END_JMP_IND:
    case QN_END_CALL_IND:
    case QN_END_RET: indirect_exit(e); break;
    }
}
