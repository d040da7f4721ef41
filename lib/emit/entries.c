/* lib/emit/entries.c - the entries of a translated block, and the conditions that are checked there before the block executes.
 *
 *   ind_entry:  lea -pc(%r11), %rcx ; jrcxz 1f ; jmp miss ; 1: mov gpr[rcx], %rcx ; from standard state to the block's registers
 *               (in cold code, with a jmp entry2, unless an indirect branch was the first to come here)
 *   entry:      (in cold code) borrow the registers ; jmp entry2
 *   entry2:     is the code unchanged since translation?  does the interval not end here?  does no sample begin?
 */
#include "emit/internal.h"

static void borrow(struct emitter *e, struct qn_code *c)
{
    emit_bridge(c, (struct emit_triple){e->now, 0}, emit_borrowed(e));
    x_load(c, e->now, CTX(now));
}

static void check_target(struct emitter *e, struct qn_code *c)
{
    uint64_t pc = e->b->pc;

    if (pc <= INT32_MAX) {
        x_lea(c, QN_RCX, QN_R11, QN_REG_NONE, 1, -(int32_t)pc);
    } else {
        x_movi(c, QN_RCX, 0 - pc);
        x_lea(c, QN_RCX, QN_RCX, QN_R11, 1, 0);
    }
    x_bytes(c, "\xe3\x05", 2); /* jrcxz over the jmp */
    x_jmp(c, emit_miss_stub(e->out.mode));
    x_load(c, QN_RCX, CTX_GPR(QN_RCX));
}

static void indirect_entry(struct emitter *e, struct qn_code *c)
{
    e->out.ind_entry = (uint16_t)(c->exec - (e->out.ind_cold ? e->out.cold : e->out.hot));
    check_target(e, c);
    if (e->borrowed) {
        emit_bridge(c, emit_standard, emit_borrowed(e));
    } else {
        x_load(c, QN_R10, CTX_GPR(QN_R10));
        x_load(c, QN_R11, CTX_GPR(QN_R11));
    }
}

/* A block that was translated for an indirect branch is likely to be reached by one again: its hot code begins with the indirect entry,
 * and continues with the body.  For other blocks this entry is rare, and is in cold code, as is the entry with native registers. */
void emit_entries(struct emitter *e)
{
    e->out.ind_cold = qn_ctx.exit_kind != QN_EXIT_IBL;
    if (!e->out.ind_cold)
        indirect_entry(e, &e->hot);
    e->out.entry2 = (uint16_t)(e->hot.exec - e->out.hot);
    if (e->out.ind_cold) {
        indirect_entry(e, &e->cold);
        x_jmp(&e->cold, qn_tblock_entry2(&e->out));
    }
    if (!e->borrowed)
        return;
    e->out.entry = (uint16_t)(e->cold.exec - e->out.cold);
    borrow(e, &e->cold);
    x_jmp(&e->cold, qn_tblock_entry2(&e->out));
}

/* ---- conditions of entry ---- */

/* Emits the cold code to which hot code has just jumped: emits `undo`, and leaves for the dispatcher at pc. */
void emit_leave_there(struct emitter *e, enum qn_exit_kind kind, uint64_t pc, void (*undo)(struct emitter *))
{
    bool saved = e->flags_saved;

    emit_swap(e);
    if (undo)
        undo(e);
    emit_restore_flags(e);
    emit_service_exit(e, kind, pc);
    emit_swap(e);
    e->flags_saved = saved;
}

/* jCC to such code. */
void emit_leave_if(struct emitter *e, unsigned cond, enum qn_exit_kind kind, uint64_t pc, void (*undo)(struct emitter *))
{
    x_jcc(&e->hot, cond, e->cold.exec);
    emit_leave_there(e, kind, pc, undo);
}

static void change_countdown(struct emitter *e, unsigned op)
{
    x_bytes(&e->hot, "\x48\x83", 2); /* addq $n, countdown (op 0) or subq (op 5) */
    x_rip(&e->hot, op, (uint64_t)(uintptr_t)emit_rules.countdown, 1);
    x_byte(&e->hot, e->b->n);
}

static void add_back(struct emitter *e) { change_countdown(e, 0); }

/* subq $n, countdown ; js: the interval ends within this block or before it; the dispatcher then divides the block there. */
void emit_countdown(struct emitter *e)
{
    if (!emit_rules.countdown || !e->b->n)
        return;
    emit_need_flags(e, 0);
    change_countdown(e, 5);
    emit_leave_if(e, X_CC_S, QN_EXIT_INTERVAL, e->b->pc, add_back);
}

/* ---- probes at the entries of functions ---- */

/* mov registers that are not borrowed, ctx.gpr ; call the hook.  It comes after all checks that may leave the block before it executes. */
void emit_probe(struct emitter *e)
{
    if (!e->b->probe)
        return;
    emit_need_flags(e, 0);
    for (unsigned r = QN_RAX; r <= QN_R9; r++)
        if (r != QN_RSP && !(emit_borrowed(e).regs >> r & 1))
            x_store(&e->hot, CTX_GPR(r), r);
    if (e->borrowed)
        emit_clock_out(e);
    emit_store_const(&e->hot, CTX(arg_pc), e->b->pc);
    x_store_imm(&e->hot, CTX(arg_aux), e->b->probe);
    emit_slow_call(&e->hot, emit_hooks.probe);
    if (e->borrowed)
        emit_clock_in(e);
}

/* ---- code that may change ---- */

#define COMPARED_MAX 64u            /* bytes of a block that is compared here; a longer one is compared by a call */
#define NEAR_END (QN_CODE_BASE + 0x7f000000ull) /* so far the code cache reaches */

/* cmp $bytes, size bytes of the block at offset.  base: a register with the block's address; QN_REG_NONE: the block is within reach */
static void compare_part(struct emitter *e, unsigned base, unsigned offset, unsigned size)
{
    const uint8_t *from = (const uint8_t *)(uintptr_t)(e->b->pc + offset);
    struct qn_code *c = &e->hot;

    if (size == 2)
        x_byte(c, 0x66);
    if (base != QN_REG_NONE && base > 7)
        x_byte(c, 0x41);
    x_byte(c, size == 1 ? 0x80 : 0x81);
    if (base == QN_REG_NONE)
        x_rip(c, X_CMPI, e->b->pc + offset, size);
    else
        x_mem(c, X_CMPI, base, QN_REG_NONE, 1, (int32_t)offset);
    x_bytes(c, from, size);
}

static void take_rax_back(struct emitter *e) { x_load(&e->hot, QN_RAX, CTX(tmp)); }

/* Bytes that are compared at once; always aligned, because the program may have set AC (HotSpot does, as a test). */
static unsigned part_size(uint64_t addr, unsigned left)
{
    return addr % 4 == 0 && left >= 4 ? 4 : addr % 2 == 0 && left >= 2 ? 2 : 1;
}

/* jne to the same exit for each difference. */
static void compare_bytes(struct emitter *e, unsigned base, unsigned n, void (*undo)(struct emitter *))
{
    uint64_t stale = e->cold.exec;

    for (unsigned offset = 0, size; offset < n; offset += size) {
        if (offset)
            x_jcc(&e->hot, X_CC_NE, stale);
        size = part_size(e->b->pc + offset, n - offset);
        compare_part(e, base, offset, size);
    }
    emit_leave_if(e, X_CC_NE, QN_EXIT_STALE, e->b->pc, undo);
}

static void verify_here(struct emitter *e, unsigned n)
{
    if (e->b->next <= NEAR_END) {
        compare_bytes(e, QN_REG_NONE, n, NULL);
    } else if (e->borrowed) {
        x_movi(&e->hot, e->s1, e->b->pc);
        compare_bytes(e, e->s1, n, NULL);
    } else {
        x_store(&e->hot, CTX(tmp), QN_RAX);
        x_movi(&e->hot, QN_RAX, e->b->pc);
        compare_bytes(e, QN_RAX, n, take_rax_back);
        take_rax_back(e);
    }
}

/* Code in writable or shared memory may change unnoticed, so each entry compares it with what was translated.
 * (It does not detect a store into the block that is executing.) */
void emit_verify(struct emitter *e)
{
    uint64_t n = e->b->next - e->b->pc;

    emit_save_flags(e); /* the new code may read flags that the old code did not */
    if (n <= COMPARED_MAX) {
        verify_here(e, (unsigned)n);
        return;
    }
    x_store_imm(&e->hot, CTX(arg_aux), e->index);
    emit_slow_call(&e->hot, emit_hooks.verify);
    x_bytes(&e->hot, "\x83", 1); /* cmpl $0, result */
    x_rip(&e->hot, 7, CTX(result), 1);
    x_byte(&e->hot, 0);
    emit_leave_if(e, X_CC_NE, QN_EXIT_STALE, e->b->pc, NULL);
}
