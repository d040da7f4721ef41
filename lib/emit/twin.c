/* lib/emit/twin.c - the second simulator simulates the reference that the first one has just simulated.
 *
 *   --check    each time:  mov S1, arg_addr ;  call
 *   --versus   a hit that changes nothing in either one is only counted:
 *
 *     hot:   lea ea, S1 ;  ... xor entries(S2), S1 ;  cmp $line-size, S1 ;  ja slow      B's own filter, as the first one's in check.c
 *            cmpl $0, result ;  jne slow                                                A has missed
 *            incq count
 *     slow:  the same call ;  jmp back
 *
 * If both have the same file in a slot of level 1, and no lower level removes lines from it, B's slot is not simulated at all.
 */
#include "emit/internal.h"

void emit_check_twin(struct emitter *e, const struct qn_event *ev, qn_slow_call *fn)
{
    x_store_imm(&e->hot, CTX(arg_site), emit_site(e, ev));
    x_store_imm(&e->hot, CTX(arg_aux), emit_aux(e, ev));
    emit_slow_call(&e->hot, fn);
}

/* Jumps to `slow` if A has missed. */
static void ask_result(struct emitter *e, uint64_t slow)
{
    x_byte(&e->hot, 0x83); /* cmpl $0, result */
    x_rip(&e->hot, 7, CTX(result), 1);
    x_byte(&e->hot, 0);
    x_jcc(&e->hot, X_CC_NE, slow);
}

/* ---- data ---- */

static void call_data(struct emitter *e, const struct qn_event *ev, int32_t shift)
{
    const struct qn_insn *in = &e->b->insn[ev->insn];

    emit_address(e, &ev->mem, in, e->b->at[ev->insn] + in->len, shift);
    x_store(&e->hot, CTX(arg_addr), e->s1);
    emit_check_twin(e, ev, qn_sim_check_data);
}

static bool may_pass(const struct qn_event *ev)
{
    const struct qn_filter *f = &qn_sim_twin.filter;

    if (!qn_sim_twin.count)
        return false;
    return qn_sim_twin.same_D1 || (f->entries && ev->size && ev->size <= f->line && !(f->writes_call && emit_kind(ev) != QN_LOG_READ));
}

static void ask_filter(struct emitter *e, const struct qn_event *ev, int32_t shift, uint64_t slow)
{
    const struct qn_filter *f = &qn_sim_twin.filter;
    const struct qn_insn *in = &e->b->insn[ev->insn];

    emit_address(e, &ev->mem, in, e->b->at[ev->insn] + in->len, shift);
    emit_offset(e, e->s2, f->shift, f->mask);
    x_table(&e->hot, X_XOR, e->s1, e->s2, f->entries);
    x_alu_imm32(&e->hot, 1, X_CMPI, e->s1, f->line - ev->size);
    x_jcc(&e->hot, X_CC_A, slow);
}

void emit_twin_data(struct emitter *e, const struct qn_event *ev, int32_t shift)
{
    uint64_t slow = e->cold.exec, back;

    if (!may_pass(ev)) {
        call_data(e, ev, shift);
        return;
    }
    if (!qn_sim_twin.same_D1)
        ask_filter(e, ev, shift, slow);
    ask_result(e, slow);
    x_inc(&e->hot, (uint64_t)(uintptr_t)qn_sim_twin.count);
    back = e->hot.exec;
    emit_swap(e);
    call_data(e, ev, shift);
    x_jmp(&e->hot, back);
    emit_swap(e);
}

/* ---- code ---- */

static bool divides(const struct qn_insn *in) { return in->map == 0 && (in->opcode & 0xfe) == 0xf6; }

/* Counts fetches from the line fetched just before.  No instruction between them can fault, since those that refer to memory have events. */
unsigned emit_twin_repeats(struct emitter *e, unsigned n)
{
    unsigned end = n;

    if (!qn_sim_repeats)
        return 0;
    while (end < e->list->n && e->list->ev[end].kind == QN_EV_FETCH && e->list->ev[end].repeat)
        if (divides(&e->b->insn[e->list->ev[end++].insn]))
            break;
    if (end == n)
        return 0;
    x_bytes(&e->hot, "\x48\x81", 2); /* addq $n, repeats */
    x_rip(&e->hot, 0, (uint64_t)(uintptr_t)qn_sim_repeats, 4);
    x_u32(&e->hot, end - n);
    return end - n;
}

static void call_fetch(struct emitter *e, const struct qn_event *ev)
{
    emit_store_const(&e->hot, CTX(arg_addr), ev->addr);
    emit_check_twin(e, ev, qn_sim_check_fetch);
}

static void ask_line(struct emitter *e, uint64_t line, uint64_t slow)
{
    x_bytes(&e->hot, "\x48\x83", 2); /* cmpq $0, stamp */
    x_rip(&e->hot, 7, (uint64_t)(uintptr_t)&qn_sim_twin_code_line(line)->stamp, 1);
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

void emit_twin_fetch(struct emitter *e, const struct qn_event *ev)
{
    uint64_t slow = e->cold.exec, back;

    if (!qn_sim_twin.count || !(qn_sim_twin.same_I1 || qn_sim_twin.code_lines)) {
        call_fetch(e, ev);
        return;
    }
    if (!qn_sim_twin.same_I1)
        ask_lines(e, ev, slow);
    ask_result(e, slow);
    x_inc(&e->hot, (uint64_t)(uintptr_t)qn_sim_twin.count);
    back = e->hot.exec;
    emit_swap(e);
    call_fetch(e, ev);
    x_jmp(&e->hot, back);
    emit_swap(e);
}
