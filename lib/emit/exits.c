/* lib/emit/exits.c - how control enters and leaves a translated block.
 *
 *   entry:  the dispatcher loads all registers, but the clock into the one that the block borrows for it (switch.S)
 *   exit:   movl $exit, exit_id ; jmp joint, which gives the registers back, and leaves for the dispatcher
 *   linked: the branch leads to entry2 of a block with the same scratch registers, or to a register shuffle
 *
 * Conditional and indirect branches are in branch.c.
 */
#include "base/hash.h"
#include "emit/internal.h"

/* ---- register shuffles: code between two blocks that borrow different registers ----
 *
 * Between blocks that borrow the same three registers no code is needed.  Otherwise a shuffle moves the clock, gives back
 * the registers that the next block does not borrow, and borrows those that it does:
 *
 *   from  clock r9, scratch r10, r11      mov %r8, gpr[r8]
 *   to    clock r9, scratch r8, r11       mov gpr[r10], %r10 ;  jmp to the next block
 *
 * It replaces the exit's own sequence, in cold code, as long as the exit is linked.  Nine of ten links need none, and most that do move two
 * registers, so that is what there is room for.  The others go by way of two joints, which all blocks with the same registers share:
 *
 *   movq $entry, tmp ; movq $joint of the next block, arg_aux ; jmp joint of this block
 */

#define JMP_BYTES 5u
#define MOVE_BYTES 7u   /* between a register and memory */
#define CLOCK_BYTES 3u
#define CONST_BYTES 11u /* movq of a constant to memory */
#define EXIT_BYTES (2 * CONST_BYTES + JMP_BYTES)

static void emit_service_exit(struct emitter *e, enum qn_exit_kind kind, uint64_t pc);

/* Touches no flags. */
void emit_shuffle(struct qn_code *c, struct emit_scratch from, struct emit_scratch to)
{
    for (unsigned r = 0; r < 16; r++)
        if (to.regs & ~from.regs & 1u << r)
            x_store(c, CTX_GPR(r), r);
    if (from.now != to.now)
        x_mov(c, to.now, from.now);
    for (unsigned r = 0; r < 16; r++)
        if (from.regs & ~to.regs & 1u << r)
            x_load(c, r, CTX_GPR(r));
}

static struct emit_scratch scratch_of(unsigned now, unsigned s1, unsigned s2, unsigned s3)
{
    uint16_t regs = now == QN_NO_REG ? 0 : (uint16_t)(1u << now | 1u << s1 | 1u << s2 | (s3 == QN_NO_REG ? 0 : 1u << s3));

    return (struct emit_scratch){(uint8_t)now, regs};
}

static struct emit_scratch scratch_of_block(const struct qn_tblock *b) { return scratch_of(b->now, b->s1, b->s2, b->s3); }

static unsigned shuffle_bytes(struct emit_scratch from, struct emit_scratch to)
{
    unsigned moves = 0;

    for (unsigned regs = from.regs ^ to.regs; regs; regs &= regs - 1)
        moves++;
    return moves * MOVE_BYTES + (from.now != to.now ? CLOCK_BYTES : 0) + JMP_BYTES;
}

/* ---- joints ---- */

#define JOINTS 4096u    /* a power of two */
#define JOINT_BYTES 64u /* five moves, and what LEAVES stores */

enum joint {
    LEAVES,     /* gives the registers back, and leaves for the dispatcher */
    GIVES_BACK, /* gives the registers back ; jmp *arg_aux */
    BORROWS     /* borrows the registers ; jmp *tmp */
};

static void jump_by(struct qn_code *c, uint64_t pointer)
{
    x_bytes(c, "\xff", 1);
    x_rip(c, 4, pointer, 0);
}

static void write_joint(struct qn_code *c, enum joint kind, struct emit_scratch t)
{
    struct emit_scratch none = {t.now, 0};

    if (kind == BORROWS) {
        emit_shuffle(c, none, t);
        x_load(c, t.now, CTX(now));
        jump_by(c, CTX(tmp));
        return;
    }
    if (t.now != QN_NO_REG)
        x_store(c, CTX(now), t.now);
    emit_shuffle(c, t, none);
    if (kind == GIVES_BACK) {
        jump_by(c, CTX(arg_aux));
        return;
    }
    x_store32_imm(c, CTX(exit_kind), QN_EXIT_LINK);
    x_jmp(c, (uint64_t)(uintptr_t)emit_hooks.leave);
}

static uint32_t joint(enum joint kind, struct emit_scratch t)
{
    static struct {
        uint32_t key, at;
    } joints[JOINTS];
    static unsigned count;
    uint32_t key = 1u << 31 | (uint32_t)kind << 24 | (uint32_t)t.now << 16 | t.regs;
    unsigned i = (unsigned)qn_hash_mix(key) % JOINTS;
    struct qn_code c;

    while (joints[i].key && joints[i].key != key)
        i = (i + 1) % JOINTS;
    if (!joints[i].key) {
        if (++count == JOINTS)
            qn_engine_die("no room for another joint", key, 0);
        c = emit_stub_begin(JOINT_BYTES, true);
        joints[i].key = key;
        joints[i].at = (uint32_t)c.exec;
        write_joint(&c, kind, t);
        emit_stub_end(&c);
    }
    return joints[i].at;
}

static void shuffle(const struct qn_tblock *from, unsigned exit, const struct qn_tblock *to, uint32_t entry)
{
    struct qn_code c = {qn_code_at(from->exit[exit].at), from->exit[exit].at};
    struct emit_scratch a = scratch_of_block(from), b = scratch_of_block(to);

    if (shuffle_bytes(a, b) <= EXIT_BYTES) {
        emit_shuffle(&c, a, b);
        x_jmp(&c, entry);
        return;
    }
    emit_store_const(&c, CTX(tmp), entry);
    emit_store_const(&c, CTX(arg_aux), joint(BORROWS, b));
    x_jmp(&c, joint(GIVES_BACK, a));
}

/* Writes an exit that is not linked. */
static void emit_exit(struct qn_code *c, struct emit_scratch t, struct qn_texit *x, uint32_t id)
{
    x->at = (uint32_t)c->exec;
    x_store32_imm(c, CTX(exit_id), id);
    x_jmp(c, joint(LEAVES, t));
    c->p += x->at + EXIT_BYTES - c->exec;
    c->exec = x->at + EXIT_BYTES;
}

static void restore(struct qn_tblock *from, unsigned exit, uint32_t id)
{
    struct qn_code c = {qn_code_at(from->exit[exit].at), from->exit[exit].at};

    emit_exit(&c, scratch_of_block(from), &from->exit[exit], id);
}

const struct qn_tcache_shuffles qn_emit_shuffles = {shuffle, restore};

/* ---- entries ----
 *
 *   ind_entry:  lea -pc(%r11), %rcx ; jrcxz 1f ; jmp miss ; 1: mov gpr[rcx], %rcx ; from standard state to the block's registers
 *               (in cold code, with a jmp entry2, unless an indirect branch was the first to come here)
 *   entry2:     is the code unchanged since translation?  does the interval not end here?  does no sample begin?
 */

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
        emit_shuffle(c, emit_standard, emit_borrowed(e));
    } else {
        x_load(c, QN_R10, CTX_GPR(QN_R10));
        x_load(c, QN_R11, CTX_GPR(QN_R11));
    }
}

/* A block that was translated for an indirect branch is likely to be reached by one again: its hot code begins with the indirect entry,
 * and continues with the body.  For other blocks this entry is rare, and is in cold code. */
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
}

/* ---- conditions of entry ---- */

/* A side exit: the cold code to which hot code has just jumped.  Emits `undo`, and leaves for the dispatcher at pc. */
void emit_side_exit(struct emitter *e, enum qn_exit_kind kind, uint64_t pc, void (*undo)(struct emitter *))
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

/* jCC to a side exit. */
void emit_side_exit_if(struct emitter *e, unsigned cond, enum qn_exit_kind kind, uint64_t pc, void (*undo)(struct emitter *))
{
    x_jcc(&e->hot, cond, e->cold.exec);
    emit_side_exit(e, kind, pc, undo);
}

#define COST_MAX 127u /* an immediate of one byte */

/* What the block takes from the countdown: its instructions, or its data references, one at least, so that each turn ends; and no more than
 * a turn has, so that each block fits into one. */
static uint8_t cost_of(const struct qn_block *b)
{
    uint64_t refs = 0;

    if (!emit_rules.turn_refs)
        return b->n;
    for (unsigned i = 0; i < b->n; i++)
        for (unsigned k = 0; k < b->insn[i].n_mem; k++)
            refs += b->insn[i].mem[k].access != 0;
    refs = refs ? refs : 1;
    refs = refs < COST_MAX ? refs : COST_MAX;
    return (uint8_t)(refs < emit_rules.turn_refs ? refs : emit_rules.turn_refs);
}

static void change_countdown(struct emitter *e, unsigned op)
{
    x_bytes(&e->hot, "\x48\x83", 2); /* addq $n, countdown (op 0) or subq (op 5) */
    x_rip(&e->hot, op, (uint64_t)(uintptr_t)emit_rules.countdown, 1);
    x_byte(&e->hot, cost_of(e->b));
}

static void add_back(struct emitter *e) { change_countdown(e, 0); }

static bool has_pause(const struct qn_block *b)
{
    for (unsigned i = 0; i < b->n; i++)
        if (b->insn[i].map == 0 && b->insn[i].opcode == 0x90 && b->insn[i].rep_prefix == 0xf3 && b->insn[i].encoding == QN_ENC_LEGACY)
            return true;
    return false;
}

/* subq $n, countdown ; js: the interval ends within this block or before it; the dispatcher then divides the block there.  A turn ends
 * before it, or, if it has a pause, behind it: whoever waits in a loop lets the others run. */
void emit_countdown(struct emitter *e)
{
    if (!emit_rules.countdown || !e->b->n)
        return;
    emit_need_flags(e, 0);
    change_countdown(e, 5);
    emit_side_exit_if(e, X_CC_S, QN_EXIT_COUNTDOWN, e->b->pc, add_back);
    if (emit_rules.turns && has_pause(e->b))
        x_store_imm(&e->hot, (uint64_t)(uintptr_t)emit_rules.countdown, 0);
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
    emit_side_exit_if(e, X_CC_NE, QN_EXIT_STALE, e->b->pc, undo);
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
    emit_side_exit_if(e, X_CC_NE, QN_EXIT_STALE, e->b->pc, NULL);
}

struct emit_scratch emit_borrowed(const struct emitter *e)
{
    return e->borrowed ? scratch_of(e->now, e->s1, e->s2, e->s3) : scratch_of(QN_NO_REG, 0, 0, 0);
}

void emit_give_back(struct emitter *e, struct qn_code *c)
{
    if (!e->borrowed)
        return;
    x_store(c, CTX(now), e->now);
    emit_shuffle(c, emit_borrowed(e), (struct emit_scratch){e->now, 0});
}

/* Writes the exit sequence for target in cold code.  The branch just written at the end of hot code leads to it, until a full
 * link makes that branch lead to the next block. */
void emit_direct_exit(struct emitter *e, uint64_t target)
{
    unsigned k = e->out.nexits++;
    struct qn_texit *x = &e->out.exit[k];

    x->target_low = (uint32_t)target;
    x->target_high = (uint16_t)(target >> 32);
    x->field = (uint16_t)(e->hot.exec - 4 - e->out.hot);
    x_patch(e->hot.exec, e->cold.exec);
    emit_exit(&e->cold, emit_borrowed(e), x, e->index * 2 + k);
}

void emit_jump_out(struct emitter *e, uint64_t target)
{
    x_jmp(&e->hot, 0);
    emit_direct_exit(e, target);
}

/* Leaves for the dispatcher with all registers native and rip = pc. */
static void emit_service_exit(struct emitter *e, enum qn_exit_kind kind, uint64_t pc)
{
    emit_give_back(e, &e->hot);
    emit_store_const(&e->hot, CTX(rip), pc);
    x_store32_imm(&e->hot, CTX(exit_kind), kind);
    x_jmp(&e->hot, (uint64_t)(uintptr_t)emit_hooks.leave);
}

void emit_mark_side(struct emitter *e, unsigned i, unsigned state)
{
    e->side[i].host = (uint16_t)(e->hot.exec - qn_tblock_entry2(&e->out));
    e->side[i].state = (uint8_t)state;
}

void emit_push_const(struct emitter *e, uint64_t value)
{
    if (qn_fits_i32((int64_t)value)) {
        x_push_imm(&e->hot, (uint32_t)value);
    } else { /* push the constant from cold code */
        x_bytes(&e->hot, "\xff", 1);
        x_rip(&e->hot, 6, e->cold.exec, 0);
        x_u64(&e->cold, value);
    }
}

/* ---- the end of a block ---- */

static void end_jump(struct emitter *e)
{
    if (emit_samples_branch(e))
        emit_sample_jump(e);
    else
        emit_jump_out(e, e->b->target);
}

static void end_call(struct emitter *e)
{
    emit_mark_side(e, e->b->n - 1, 0);
    emit_push_const(e, e->b->next);
    end_jump(e);
}

static void end_trap(struct emitter *e)
{
    emit_give_back(e, &e->hot);
    e->borrowed = false;
    emit_copy(e, e->b->n - 1);
    e->side[e->b->n - 1].state |= QN_SIDE_NATIVE;
    emit_jump_out(e, e->b->next);
}

/* The engine acts behind the last instruction. */
static void end_after(struct emitter *e)
{
    unsigned last = e->b->n - 1;

    emit_give_back(e, &e->hot);
    e->borrowed = false;
    emit_copy(e, last);
    e->side[last].state |= QN_SIDE_NATIVE;
    emit_store_const(&e->hot, CTX(arg_pc), e->b->at[last]);
    emit_service_exit(e, QN_EXIT_AFTER, e->b->next);
}

static void end_xbegin(struct emitter *e)
{
    emit_mark_side(e, e->b->n - 1, 0);
    x_movi(&e->hot, QN_RAX, 0); /* aborted, not worth a retry; mov leaves the flags alone */
    emit_jump_out(e, e->b->target);
}

void emit_end(struct emitter *e)
{
    const struct qn_block *b = e->b;
    bool indirect = b->end == QN_END_RET || b->end == QN_END_JMP_IND || b->end == QN_END_CALL_IND;

    emit_log_flush(e);
    emit_record_end(e);
    emit_clock(e, &e->hot);
    emit_calls_end(e);
    if (!indirect)
        emit_restore_flags(e);
    switch (b->end) {
    case QN_END_JCC: emit_jcc(e); break;
    case QN_END_LOOP: emit_loop(e); break;
    case QN_END_JMP: emit_mark_side(e, b->n - 1, 0); end_jump(e); break;
    case QN_END_CALL: end_call(e); break;
    case QN_END_XBEGIN: end_xbegin(e); break;
    case QN_END_TRAP: end_trap(e); break;
    case QN_END_AFTER: end_after(e); break;
    case QN_END_FALL: emit_jump_out(e, b->next); break;
    case QN_END_SYSCALL: emit_service_exit(e, QN_EXIT_SYSCALL, b->next); break;
    case QN_END_EMULATE: emit_service_exit(e, QN_EXIT_EMULATE, b->at[b->n - 1]); break;
    case QN_END_BAD: emit_service_exit(e, QN_EXIT_BAD, b->pc); break;
    case QN_END_REQUEST: emit_service_exit(e, QN_EXIT_REQUEST, b->pc); break;
    case QN_END_OBSERVE: emit_service_exit(e, QN_EXIT_OBSERVE, b->pc); break;
    case QN_END_ENTER: emit_service_exit(e, QN_EXIT_ENTER, b->pc); break;
    case QN_END_JMP_IND:
    case QN_END_CALL_IND:
    case QN_END_RET: emit_indirect(e); break;
    }
}
