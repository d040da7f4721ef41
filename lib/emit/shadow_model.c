/* lib/emit/shadow_model.c - the second simulator simulates the reference that the first one has just simulated.
 *
 *   --check    each time:  mov S1, arg_addr ;  call
 *   --versus   a hit that changes nothing in either one is no call; the block counts all of its references at once (check.c):
 *
 *     begin: addq $references, count
 *     hot:   ... the first one's check (check.c) ;  mov entry of A, S1 ;  cmp entry of B, S1 ;  jne slow B
 *     slow A: its call ;  jmp call
 *     slow B: movl $0, result
 *     call:  movq $references to come, ahead ;  the call of B ;  jmp back
 *
 * That is so if both keep their filters' entries at the same offsets; otherwise B's filter is asked as in check.c, and A's result as well.
 * If both have the same file in a slot of level 1, and no lower level removes lines from it, B's slot is not simulated at all.
 */
#include "emit/internal.h"

bool emit_shadow_passes(void) { return emit_rules.versus && qn_sim_shadow.count; }

/* ---- calls ---- */

void emit_check_shadow(struct emitter *e, const struct qn_event *ev, qn_slow_call *fn)
{
    x_store_imm(&e->hot, CTX(arg_site), emit_site(e, ev));
    x_store_imm(&e->hot, CTX(arg_aux), emit_aux(e, ev));
    emit_refs_ahead(e, &e->hot);
    emit_slow_call(&e->hot, fn);
}

/* Jumps to `to` if A's outcome is one of these: X_CC_NE: a miss. */
static void ask_result(struct qn_code *c, unsigned cond, uint64_t to)
{
    x_byte(c, 0x83); /* cmpl $0, result */
    x_rip(c, 7, CTX(result), 1);
    x_byte(c, 0);
    x_jcc(c, cond, to);
}

/* ---- data ---- */

static void call_data(struct emitter *e, const struct qn_event *ev, int32_t shift)
{
    const struct qn_insn *in = &e->b->insn[ev->insn];

    emit_address(e, &ev->mem, in, e->b->at[ev->insn] + in->len, shift);
    x_store(&e->hot, CTX(arg_addr), e->s1);
    emit_check_shadow(e, ev, qn_sim_check_data);
}

static bool may_pass(const struct qn_event *ev)
{
    const struct qn_filter *f = &qn_sim_shadow.filter;

    if (!emit_shadow_passes())
        return false;
    return qn_sim_shadow.same_D1 || (f->entries && ev->size && ev->size <= f->line && !(f->writes_call && emit_kind(ev) != QN_LOG_READ));
}

bool emit_shadow_is_inline(const struct qn_event *ev)
{
    if (!emit_shadow_passes() || !emit_rules.filter)
        return false;
    if (ev->kind == QN_EV_FETCH)
        return qn_sim_shadow.same_I1 && qn_sim_i1_hit != QN_HIT_CALL && !ev->repeat;
    return qn_sim_shadow.same_D1 || qn_sim_shadow.entries;
}

uint64_t emit_shadow_point(struct emitter *e)
{
    if (qn_sim_shadow.same_D1)
        return 0;
    x_table(&e->hot, X_LOAD, e->s1, e->s2, qn_sim_d1_filter.entries);
    x_table(&e->hot, X_CMP, e->s1, e->s2, qn_sim_shadow.entries);
    return x_jcc(&e->hot, X_CC_NE, 0);
}

uint64_t emit_shadow_point_known(struct emitter *e, uint32_t at)
{
    if (qn_sim_shadow.same_D1)
        return 0;
    x_load(&e->hot, e->s1, qn_sim_d1_filter.entries + at);
    x_op_abs(&e->hot, 1, X_CMP, e->s1, qn_sim_shadow.entries + at);
    return x_jcc(&e->hot, X_CC_NE, 0);
}

void emit_shadow_data_slow(struct emitter *e, const struct qn_event *ev, int32_t shift, uint64_t from, uint64_t back)
{
    uint64_t over;

    if (from) {
        over = x_jmp(&e->cold, 0);
        x_patch(from, over);
        x_store_imm(&e->cold, CTX(result), 0);
        x_patch(over, e->cold.exec);
    } else {
        ask_result(&e->cold, X_CC_E, back);
    }
    emit_swap(e);
    call_data(e, ev, shift);
    x_jmp(&e->hot, back);
    emit_swap(e);
}

static void ask_filter(struct emitter *e, const struct qn_event *ev, int32_t shift, uint64_t slow)
{
    const struct qn_filter *f = &qn_sim_shadow.filter;
    const struct qn_insn *in = &e->b->insn[ev->insn];

    emit_address(e, &ev->mem, in, e->b->at[ev->insn] + in->len, shift);
    emit_offset(e, e->s2, f->shift, f->mask);
    x_table(&e->hot, X_XOR, e->s1, e->s2, f->entries);
    x_alu_imm32(&e->hot, 1, X_CMPI, e->s1, f->line - ev->size);
    x_jcc(&e->hot, X_CC_A, slow);
}

void emit_shadow_data(struct emitter *e, const struct qn_event *ev, int32_t shift)
{
    uint64_t slow = e->cold.exec, back;

    if (!may_pass(ev)) {
        call_data(e, ev, shift);
        return;
    }
    if (!qn_sim_shadow.same_D1)
        ask_filter(e, ev, shift, slow);
    ask_result(&e->hot, X_CC_NE, slow);
    back = e->hot.exec;
    emit_swap(e);
    call_data(e, ev, shift);
    x_jmp(&e->hot, back);
    emit_swap(e);
}

/* ---- code ---- */

/* A fetch from the line that was fetched just before changes nothing in either, and was counted with the block. */
bool emit_shadow_repeats(const struct qn_event *ev)
{
    return emit_shadow_passes() && qn_sim_repeats && ev->kind == QN_EV_FETCH && ev->repeat;
}

static void call_fetch(struct emitter *e, const struct qn_event *ev)
{
    emit_store_const(&e->hot, CTX(arg_addr), ev->addr);
    emit_check_shadow(e, ev, qn_sim_check_fetch);
}

static void ask_line(struct emitter *e, uint64_t line, uint64_t slow)
{
    x_bytes(&e->hot, "\x48\x83", 2); /* cmpq $0, stamp */
    x_rip(&e->hot, 7, (uint64_t)(uintptr_t)&qn_sim_shadow_code_line(line)->stamp, 1);
    x_byte(&e->hot, 0);
    x_jcc(&e->hot, X_CC_E, slow);
}

static void ask_lines(struct emitter *e, const struct qn_event *ev, uint64_t slow)
{
    uint64_t mask = ~((uint64_t)qn_sim_i1_line - 1), first = ev->addr & mask, last = (ev->addr + ev->size - 1) & mask;

    ask_line(e, first, slow);
    if (last != first)
        ask_line(e, last, slow);
}

void emit_shadow_fetch(struct emitter *e, const struct qn_event *ev)
{
    uint64_t slow = e->cold.exec, back;

    if (!emit_shadow_passes() || !(qn_sim_shadow.same_I1 || qn_sim_shadow.code_lines)) {
        call_fetch(e, ev);
        return;
    }
    if (!qn_sim_shadow.same_I1)
        ask_lines(e, ev, slow);
    ask_result(&e->hot, X_CC_NE, slow);
    back = e->hot.exec;
    emit_swap(e);
    call_fetch(e, ev);
    x_jmp(&e->hot, back);
    emit_swap(e);
}

/* The code behind A's call, which B follows after a miss.  Returns its address; `back` if there is none. */
uint64_t emit_shadow_fetch_slow(struct emitter *e, const struct qn_event *ev, uint64_t back)
{
    uint64_t behind = e->cold.exec;

    if (!emit_shadow_is_inline(ev))
        return back;
    ask_result(&e->cold, X_CC_E, back);
    emit_swap(e);
    call_fetch(e, ev);
    x_jmp(&e->hot, back);
    emit_swap(e);
    return behind;
}
