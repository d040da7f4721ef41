/* lib/emit/observe.c - trace records: observed code stores the results and accesses of its instructions.  run/observe/insns.c completes those
 * of a whole block: when the next block begins, or when control returns to the dispatcher.
 *
 *   mov %r8,parked ;  lea 8(%rdi),%r8 ;  mov %r8,trace.addr ;  mov parked,%r8
 *   mov 8(%rdi),%eax                                                              the program's own
 *   mov %rax,trace.result
 *   mov %r8,parked ;  mov trace.addr,%r8 ;  mov (%r8),%r8d ;  mov %r8,trace.value ;  mov parked,%r8
 *
 * This code does not change the flags.  If an instruction of a block cannot be recorded, control leaves before each instruction of the
 * block instead.  The last instruction leaves the block; its result is recorded outside.
 */
#include "emit/internal.h"

/* ---- the countdowns of anchor blocks, and code that leaves before each instruction (run/observe/insns.c) ----
 *
 * Each execution of an anchor decrements its countdown; at 0 it leaves for the dispatcher, exit_id = the countdown's address.  The
 * code is at the cheapest place, which depends on the block:
 *
 *   where it branches back   jNCC next ; decl countdown ; jne target ; jmp cold       a jump or a call: without jNCC
 *   at an indirect branch    mov countdown, %ecx ; lea -1(%rcx), %ecx ; mov %ecx, countdown ; jrcxz 1f ; the branch ; 1: jmp cold
 *                            in standard state, where rcx is free, if the flags are live at the entry
 *   otherwise at its entry   decl countdown ; je cold
 *
 * If flags other than the carry are live, the code saves and uses rcx, and jumps over a jmp.
 */

#define DECL_OP 0xffu /* /1 */
#define JRCXZ "\xe3"
#define STORE_JMP 15u /* bytes of movl $imm32, abs and jmp */

static void name_countdown(struct emitter *e) { x_store32_imm(&e->hot, CTX(exit_id), (uint32_t)e->sample); }

/* Sets rcx = the countdown, one less. */
static void count_in_rcx(struct emitter *e)
{
    x_load32(&e->hot, QN_RCX, e->sample);
    x_op(&e->hot, 0, 0x8d, QN_RCX, QN_RCX, QN_REG_NONE, 1, -1); /* lea -1(%rcx), %ecx */
    x_store32(&e->hot, e->sample, QN_RCX);
}

static void take_rcx_back(struct emitter *e) { x_load(&e->hot, QN_RCX, CTX(tmp)); }

static void undo_live(struct emitter *e)
{
    take_rcx_back(e);
    name_countdown(e);
}

/* jmp to cold code, which leaves so that a sample begins at pc. */
static void leave(struct emitter *e, uint64_t pc, void (*undo)(struct emitter *))
{
    x_jmp(&e->hot, e->cold.exec);
    emit_side_exit(e, QN_EXIT_SAMPLE, pc, undo);
}

static void count_live(struct emitter *e, uint64_t pc)
{
    x_store(&e->hot, CTX(tmp), QN_RCX);
    count_in_rcx(e);
    x_bytes(&e->hot, JRCXZ "\x02\xeb\x05", 4); /* over the jmp that is over the jmp to cold code */
    leave(e, pc, undo_live);
    take_rcx_back(e);
}

static void count_down(struct emitter *e)
{
    x_byte(&e->hot, DECL_OP);
    x_rip(&e->hot, 1, e->sample, 0);
}

/* decl does not change the carry. */
static bool may_decrement(uint8_t live) { return !(live & ~QN_CF); }

static void count_at_entry(struct emitter *e)
{
    if (!may_decrement(e->b->live[0])) {
        count_live(e, e->b->pc);
        return;
    }
    count_down(e);
    emit_side_exit_if(e, X_CC_E, QN_EXIT_SAMPLE, e->b->pc, name_countdown);
}

/* Flags that are live where the block branches to. */
static uint8_t live_behind(const struct qn_block *b) { return b->end == QN_END_JCC ? b->live_arm[1] : b->live[b->n]; }

/* Where is it cheaper to count, at the end or at the entry? */
static bool counts_at_end(const struct qn_block *b)
{
    switch (b->end) {
    case QN_END_JCC: return b->anchor == QN_ANCHOR_IF_TAKEN;
    case QN_END_JMP:
    case QN_END_CALL: return may_decrement(live_behind(b)) || !may_decrement(b->live[0]);
    case QN_END_JMP_IND:
    case QN_END_CALL_IND: return !may_decrement(b->live[0]);
    default: return false;
    }
}

/* Chooses the place; called at the entry. */
void emit_sample_entry(struct emitter *e)
{
    const struct qn_block *b = e->b;

    e->sample = 0;
    if (!emit_rules.samples || !b->anchor)
        return;
    e->out.anchor = true;
    e->out.turns = counts_at_end(b);
    if (emit_rules.steps)
        return;
    e->sample = emit_hooks.sample(e->index);
    if (!e->out.turns)
        count_at_entry(e);
}

bool emit_samples_branch(const struct emitter *e) { return e->sample && e->out.turns; }

/* Emits the branch to the block's target, with the countdown. */
void emit_sample_jump(struct emitter *e)
{
    const struct qn_block *b = e->b;

    if (!may_decrement(live_behind(b))) {
        count_live(e, b->target);
        emit_jump_out(e, b->target);
        return;
    }
    count_down(e);
    x_jcc(&e->hot, X_CC_NE, 0);
    emit_direct_exit(e, b->target);
    leave(e, b->target, name_countdown);
}

/* In standard state, rcx saved.  The branch follows, and then emit_sample_behind, to which jrcxz leads. */
struct qn_code emit_sample_indirect(struct emitter *e)
{
    count_in_rcx(e);
    x_bytes(&e->hot, JRCXZ "\0", 2);
    return e->hot;
}

void emit_sample_behind(struct emitter *e, struct qn_code branch)
{
    branch.p[-1] = (uint8_t)(e->hot.exec - branch.exec);
    x_jmp(&e->hot, e->cold.exec);
    x_load(&e->cold, QN_RCX, CTX_GPR(QN_RCX));
    x_store32_imm(&e->cold, CTX(exit_id), (uint32_t)e->sample);
    emit_leave_standard_state(&e->cold, QN_EXIT_SAMPLE);
}

/* Writes the engine's data for each instruction before the cold code. */
void emit_steps(struct emitter *e)
{
    unsigned n;

    while (e->cold.exec % QN_STEPS_ALIGN)
        x_byte(&e->cold, 0);
    n = emit_hooks.steps(e->b, e->cold.p);
    e->cold.p += n;
    e->cold.exec += n;
}

/* Leaves before the next instruction, in as few bytes as possible, because such code is executed so rarely that each of its lines comes from
 * memory.  The dispatcher sets rip, because it knows the length of the instruction before. */
void emit_step(struct emitter *e)
{
    emit_restore_flags(e);
    emit_give_back(e, &e->hot);
    x_store32_imm(&e->hot, CTX(entry), (uint32_t)e->hot.exec + STORE_JMP);
    x_jmp(&e->hot, (uint64_t)(uintptr_t)emit_hooks.leave_step);
}

/* ---- trace records ---- */

struct sim_insn qn_emit_trace[QN_BLOCK_MAX];

static uint64_t parked[2];

static uint64_t result_of(unsigned i) { return (uint64_t)(uintptr_t)&qn_emit_trace[i].result; }
static uint64_t address_of(unsigned i, unsigned k) { return (uint64_t)(uintptr_t)&qn_emit_trace[i].access[k].addr; }
static uint64_t value_of(unsigned i, unsigned k) { return (uint64_t)(uintptr_t)&qn_emit_trace[i].access[k].value; }

/* Can one load read an operand of this size (of more than 8 bytes, the first 8)? */
static bool is_loadable(unsigned size) { return size == 1 || size == 2 || size == 4 || size >= 8; }

static bool fits(const struct qn_insn *in)
{
    bool repeats = qn_is_repeated(in);

    if (repeats || qn_is_xlat(in) || (in->attr & QN_ATTR_BT_REG))
        return false;
    for (unsigned k = 0; k < in->n_mem; k++)
        if (qn_emit_is_observed(in, k) && !is_loadable(in->mem[k].size))
            return false;
    return true;
}

bool emit_trace_fits(const struct qn_block *b)
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
    default: return emit_trace_fits(b);
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

void emit_trace_before(struct emitter *e, unsigned i)
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
            x_store(&e->hot, address_of(i, n++), e->s1);
        }
    unpark(e);
}

/* mov (S1), S1: 1, 2, 4 or 8 bytes, zero-extended. */
static void load_value(struct emitter *e, unsigned size)
{
    x_op(&e->hot, size >= 8, size == 1 ? X_MOVZB : size == 2 ? 0x0fb7 : X_LOAD, e->s1, e->s1, QN_REG_NONE, 1, 0);
}

/* Records the results of an instruction that does not leave the block. */
void emit_trace_after(struct emitter *e, unsigned i)
{
    const struct qn_insn *in = &e->b->insn[i];
    unsigned n = 0, result = emit_hooks.result(in);

    if (result != QN_NO_REG)
        x_store(&e->hot, result_of(i), result);
    if (!observes_any(in))
        return;
    choose(e, in);
    park(e);
    for (unsigned k = 0; k < in->n_mem; k++)
        if (qn_emit_is_observed(in, k)) {
            x_load(&e->hot, e->s1, address_of(i, n));
            load_value(e, in->mem[k].size);
            x_store(&e->hot, value_of(i, n++), e->s1);
        }
    unpark(e);
}
