/* lib/emit/slots.c - observed code records the results and accesses of its instructions.  run/observe/insns.c completes the records of a
 * whole block: when the next block begins, or when control returns to the dispatcher.
 *
 *   mov %r8,parked ;  lea 8(%rdi),%r8 ;  mov %r8,slot.addr ;  mov parked,%r8
 *   mov 8(%rdi),%eax                                                              the program's own
 *   mov %rax,slot.result
 *   mov %r8,parked ;  mov slot.addr,%r8 ;  mov (%r8),%r8d ;  mov %r8,slot.value ;  mov parked,%r8
 *
 * This code does not change the flags.  If an instruction of a block cannot be recorded, control leaves before each instruction of the
 * block instead (sample.c).  The last instruction leaves the block; its result is recorded outside.
 */
#include "emit/internal.h"

struct sim_insn qn_emit_slots[QN_BLOCK_MAX];

static uint64_t parked[2];

static uint64_t slot_result(unsigned i) { return (uint64_t)(uintptr_t)&qn_emit_slots[i].result; }
static uint64_t slot_addr(unsigned i, unsigned k) { return (uint64_t)(uintptr_t)&qn_emit_slots[i].access[k].addr; }
static uint64_t slot_value(unsigned i, unsigned k) { return (uint64_t)(uintptr_t)&qn_emit_slots[i].access[k].value; }

/* Can one load read an operand of this size (of more than 8 bytes, the first 8)? */
static bool is_loadable(unsigned size) { return size == 1 || size == 2 || size == 4 || size >= 8; }

static bool fits(const struct qn_insn *in)
{
    bool repeats = (in->attr & QN_ATTR_STRING) && (in->attr & (QN_ATTR_REP | QN_ATTR_REPNE));

    if (repeats || qn_is_xlat(in) || (in->attr & QN_ATTR_BT_REG))
        return false;
    for (unsigned k = 0; k < in->n_mem; k++)
        if (qn_emit_is_observed(in, k) && !is_loadable(in->mem[k].size))
            return false;
    return true;
}

bool emit_slots_fit(const struct qn_block *b)
{
    for (unsigned i = 0; i < b->n; i++)
        if (!fits(&b->insn[i]))
            return false;
    return true;
}

/* Not a block whose last instruction changes a register, because its result is not recorded; nor one that ends in the dispatcher or in a signal
 * handler. */
bool qn_emit_can_observe(const struct qn_block *b)
{
    switch (b->end) {
    case QN_END_LOOP:
    case QN_END_XBEGIN:
    case QN_END_TRAP:
    case QN_END_REQUEST: return false;
    default: return emit_slots_fit(b);
    }
}

/* movq $steps, arg_aux ; call the hook, which processes the records of the block before. */
void emit_observed(struct emitter *e)
{
    if (!emit_rules.observes || !e->b->n)
        return;
    emit_need_flags(e, 0);
    x_store_imm(&e->hot, CTX(arg_aux), (uint32_t)qn_round_up(e->out.cold, QN_STEPS_ALIGN)); /* 64 bits, because 64 are loaded */
    emit_slow_call(&e->hot, emit_hooks.observed);
}

/* Chooses two registers that the instruction does not use, and that can be a base in any addressing mode. */
static void choose(struct emitter *e, const struct qn_insn *in)
{
    static const uint8_t order[] = {8, 9, 10, 11, 14, 15, 3, 6, 7, 1, 2, 0};
    unsigned n = 0, r[2] = {8, 9};

    for (unsigned k = 0; k < sizeof order && n < 2; k++)
        if (!((in->reads | in->writes) >> order[k] & 1))
            r[n++] = order[k];
    e->s1 = (uint8_t)r[0];
    e->s2 = (uint8_t)r[1];
}

static void park(struct emitter *e)
{
    x_store(&e->hot, (uintptr_t)&parked[0], e->s1);
    x_store(&e->hot, (uintptr_t)&parked[1], e->s2);
}

static void unpark(struct emitter *e)
{
    x_load(&e->hot, e->s1, (uintptr_t)&parked[0]);
    x_load(&e->hot, e->s2, (uintptr_t)&parked[1]);
    e->s1 = e->s2 = QN_NO_REG;
}

static bool observes_any(const struct qn_insn *in)
{
    for (unsigned k = 0; k < in->n_mem; k++)
        if (qn_emit_is_observed(in, k))
            return true;
    return false;
}

void emit_slot_before(struct emitter *e, unsigned i)
{
    const struct qn_insn *in = &e->b->insn[i];
    unsigned n = 0;

    if (!observes_any(in))
        return;
    choose(e, in);
    park(e);
    for (unsigned k = 0; k < in->n_mem; k++)
        if (qn_emit_is_observed(in, k)) {
            emit_address(e, &in->mem[k], in, e->b->at[i] + in->len, 0);
            x_store(&e->hot, slot_addr(i, n++), e->s1);
        }
    unpark(e);
}

/* mov (S1), S1: 1, 2, 4 or 8 bytes, zero-extended. */
static void load_value(struct emitter *e, unsigned size)
{
    x_byte(&e->hot, x_rex_mem(size >= 8, e->s1, e->s1, QN_REG_NONE));
    if (size <= 2)
        x_bytes(&e->hot, size == 1 ? "\x0f\xb6" : "\x0f\xb7", 2);
    else
        x_byte(&e->hot, 0x8b);
    x_mem(&e->hot, e->s1, e->s1, QN_REG_NONE, 1, 0);
}

/* Records the results of an instruction that does not leave the block. */
void emit_slot_after(struct emitter *e, unsigned i)
{
    const struct qn_insn *in = &e->b->insn[i];
    unsigned n = 0, result = emit_hooks.result(in);

    if (result != QN_NO_REG)
        x_store(&e->hot, slot_result(i), result);
    if (!observes_any(in))
        return;
    choose(e, in);
    park(e);
    for (unsigned k = 0; k < in->n_mem; k++)
        if (qn_emit_is_observed(in, k)) {
            x_load(&e->hot, e->s1, slot_addr(i, n));
            load_value(e, in->mem[k].size);
            x_store(&e->hot, slot_value(i, n++), e->s1);
        }
    unpark(e);
}
