/* lib/emit/calls.c - the code that --calls adds to a block.  run/observe/calls/call_frames.c handles what it calls.
 *
 *   entry of a function:   movq $function, arg_aux ;  call call_enter        or a stub; the same for a return
 *   each execution:        addq $n, sums+Ir ;  addq $r, sums+Dr ; ...
 *   end:                   movl $record+1, called                            by a call, a jump to a function, an indirect jump, a return
 *   return:                mov target, arg_addr ;  call call_return
 *   indirect jump:         cmp %rsp, calls_sp ;  jb cold: the same           unless it is a stub of a PLT
 */
#include <stddef.h>

#include "cost/calls/call_records.h"
#include "emit/internal.h"

/* ---- stubs: the usual entries of functions and returns ----
 *
 *   entry     if a block has called, or another function has jumped here, the block led to this function last time, too, and there is room
 *             for a frame: the new top frame gets the edge, rsp, the edge's row and the totals of the frequent events
 *   return    if rsp is above the return address of the top frame:
 *             the increase of these events is added to the frame's row, and the frame below becomes the top
 *
 * In other cases C does all of it (run/observe/calls/call_frames.c).  If misses have been counted since the top frame (at an entry: the frame below) was
 * entered, C is called for these only.
 *
 *   block:  mov %rsp, %S1 ;  mov $slow_stack, %esp ;  mov $function, %S2d ;  call stub ;  mov %S1, %rsp        return: r10 in place of S1
 */

#define FRAME(field) ((int32_t)offsetof(struct qn_call_frame, field))
#define EDGE(field) ((int32_t)offsetof(struct qn_call_edge, field))
#define SUM(event) (emit_rules.sums + 8ull * (event))
#define COUNT_OF_FRAME(event) ((int32_t)(sizeof(struct qn_call_frame) + 8 * (event)))
#define STUB_BYTES 512u

enum { ADD = 0x01, SUB = 0x2b, LOAD = 0x8b, STORE = 0x89, CMP = 0x39, CMP_WITH = 0x3b, TEST = 0x85, INC = 0xff, GROUP_IMM = 0x81, GROUP_IMM8 = 0x83 };

/* op disp(%base), %reg or the reverse; 64 bits if w */
static void op_at(struct qn_code *c, unsigned w, unsigned op, unsigned reg, unsigned base, int32_t disp)
{
    x_op(c, w, op, reg, base, QN_REG_NONE, 1, disp);
}

/* The same with disp(%base,%index,8); 32 bits. */
static void op_in_table(struct qn_code *c, unsigned op, unsigned reg, unsigned base, unsigned index, int32_t disp)
{
    x_op(c, 0, op, reg, base, index, 8, disp);
}

/* ---- jumps whose targets are not known yet ---- */

struct jumps {
    uint64_t end[8];
    unsigned n;
};

static void jump_later(struct qn_code *c, unsigned cond, struct jumps *j)
{
    j->end[j->n++] = x_jcc(c, cond, 0);
}

static void land(struct qn_code *c, const struct jumps *j)
{
    for (unsigned i = 0; i < j->n; i++)
        x_patch(j->end[i], c->exec);
}

static void jump_to_c(struct qn_code *c, qn_slow_call *fn) { x_jmp(c, emit_c_entry(fn)); }

/* ---- entry ---- */

/* sp: the guest's; function: its number; the others are pushed. */
struct registers {
    unsigned sp, function, a, edge, frame;
    bool symbol;             /* a symbol names the function, so a jump to it is a call */
};

static void push_registers(struct qn_code *c, const struct registers *r)
{
    x_push(c, r->a);
    x_push(c, r->edge);
    x_push(c, r->frame);
}

static void pop_registers(struct qn_code *c, const struct registers *r)
{
    x_pop(c, r->frame);
    x_pop(c, r->edge);
    x_pop(c, r->a);
}

/* to = address of `active` of the function, whose number is multiplied by 3 */
static void address_of_active(struct qn_code *c, unsigned to, unsigned number)
{
    _Static_assert(sizeof(struct qn_call_function) == 3 * 8, "lea");
    x_lea(c, number, number, number, 2, 0);
    x_movi(c, to, emit_rules.calls->functions + offsetof(struct qn_call_function, active));
    x_lea(c, to, to, number, 8, 0);
}

/* edge = the last edge of the block, a = its offset.  Goes to `slow` if it does not lead to this function. */
static void find_edge(struct qn_code *c, const struct registers *r, struct jumps *slow)
{
    x_movi(c, r->edge, emit_rules.calls->last);
    op_in_table(c, CMP, r->function, r->edge, r->a, offsetof(struct qn_call_last, function));
    jump_later(c, X_CC_NE, slow);
    op_in_table(c, LOAD, r->a, r->edge, r->a, offsetof(struct qn_call_last, edge));
    x_movi(c, r->edge, emit_rules.calls->edges);
    x_lea(c, r->edge, r->edge, r->a, 1, 0);
}

/* Fills the frame: the edge, whose calls are incremented, rsp, and a row, which depends on whether the function is active already. */
static void fill(struct qn_code *c, const struct registers *r)
{
    struct jumps over = { .n = 0 };

    op_at(c, 0, STORE, r->a, r->frame, FRAME(edge));
    op_at(c, 1, STORE, r->sp, r->frame, FRAME(sp));
    op_at(c, 1, INC, 0, r->edge, EDGE(calls));
    x_lea(c, r->edge, r->edge, QN_REG_NONE, 1, sizeof(struct qn_call_edge));
    address_of_active(c, r->a, r->function);
    op_at(c, 1, STORE, r->a, r->frame, FRAME(active));
    op_at(c, 0, GROUP_IMM8, X_CMPI, r->a, 0);
    x_byte(c, 0);
    jump_later(c, X_CC_E, &over);
    x_lea(c, r->edge, r->edge, QN_REG_NONE, 1, (int32_t)emit_rules.calls->row);
    land(c, &over);
    op_at(c, 0, INC, 0, r->a, 0);
    op_at(c, 1, STORE, r->edge, r->frame, FRAME(row));
}

/* Stores the totals in the frame and makes it the top one. */
static void note_totals(struct qn_code *c, const struct registers *r, struct jumps *rare)
{
    for (unsigned i = 0; i < emit_rules.calls->n_events; i++) {
        x_load(c, r->a, SUM(emit_rules.calls->events[i]));
        op_at(c, 1, STORE, r->a, r->frame, COUNT_OF_FRAME(emit_rules.calls->events[i]));
    }
    x_load(c, r->edge, SUM(QN_CALL_TOP)); /* the frame below */
    x_store(c, SUM(QN_CALL_TOP), r->frame);
    x_store(c, CTX(calls_sp), r->sp);
    x_store32_imm(c, CTX(called), 0);
    op_at(c, 0, LOAD, r->a, r->edge, FRAME(owner));
    op_at(c, 0, STORE, r->a, r->frame, FRAME(owner));
    x_load(c, r->a, SUM(QN_SUMS_ANY));
    op_at(c, 1, STORE, r->a, r->frame, FRAME(rare));
    op_at(c, 1, CMP, r->a, r->edge, FRAME(rare));
    jump_later(c, X_CC_NE, rare);
}

/* a = a block that has jumped here.  Goes to `slow` unless it belongs to another function, whose frame is not below rsp. */
static void allow_jump(struct qn_code *c, const struct registers *r, uint64_t back, struct jumps *slow)
{
    jump_later(c, X_CC_E, slow); /* no block at all */
    x_op_abs(c, 1, CMP, r->sp, CTX(calls_sp));
    jump_later(c, X_CC_B, slow);
    x_alu_imm32(c, 0, X_AND, r->a, ~QN_CALLED_TAIL);
    x_mov(c, r->frame, r->function);
    address_of_active(c, r->edge, r->frame);
    x_load(c, r->frame, SUM(QN_CALL_TOP));
    op_at(c, 1, CMP, r->edge, r->frame, FRAME(active));
    jump_later(c, X_CC_E, slow);
    x_jmp(c, back);
}

static void enter_by_c(struct qn_code *c, const struct registers *r)
{
    pop_registers(c, r);
    x_store(c, CTX(guest_sp), r->sp);
    if (r->symbol)
        x_alu_imm32(c, 0, X_OR, r->function, QN_ENTRY_SYMBOL);
    x_store(c, CTX(arg_aux), r->function);
    jump_to_c(c, emit_hooks.call_enter);
}

static uint32_t make_entry_stub(const struct registers *r)
{
    struct qn_code c = emit_stub_begin(STUB_BYTES, true);
    uint32_t at = (uint32_t)c.exec;
    struct jumps slow = { .n = 0 }, rare = { .n = 0 }, jumped = { .n = 0 };
    uint64_t known;

    push_registers(&c, r);
    x_load32(&c, r->a, CTX(called));
    x_rr(&c, 0, TEST, r->a, r->a); /* 0: no block; negative: one that has jumped */
    jump_later(&c, X_CC_LE, r->symbol ? &jumped : &slow);
    x_op_abs(&c, 1, CMP, r->sp, CTX(calls_sp));
    jump_later(&c, X_CC_BE, &slow);
    known = c.exec;
    find_edge(&c, r, &slow);
    x_load(&c, r->frame, SUM(QN_CALL_TOP));
    op_at(&c, 1, LOAD, r->frame, r->frame, FRAME(above));
    x_rr(&c, 1, TEST, r->frame, r->frame);
    jump_later(&c, X_CC_E, &slow);
    fill(&c, r);
    note_totals(&c, r, &rare);
    pop_registers(&c, r);
    x_byte(&c, X_RET);
    land(&c, &rare);
    pop_registers(&c, r);
    jump_to_c(&c, emit_rules.calls->note_rare);
    land(&c, &jumped);
    if (r->symbol)
        allow_jump(&c, r, known, &slow);
    land(&c, &slow);
    enter_by_c(&c, r);
    emit_stub_end(&c);
    return at;
}

static struct registers choose(const struct emitter *e)
{
    struct registers r = { .sp = QN_R10, .function = QN_R11, .symbol = e->b->calls.entry & QN_ENTRY_SYMBOL };
    unsigned *const others[] = { &r.a, &r.edge, &r.frame };
    unsigned n = 0;

    if (e->borrowed)
        r.sp = e->s1, r.function = e->s2;
    for (unsigned k = QN_RAX; n < QN_ARRAY_LEN(others); k++)
        if (k != QN_RSP && k != r.sp && k != r.function)
            *others[n++] = k;
    return r;
}

static void call_stub(struct qn_code *c, unsigned sp, uint64_t stub)
{
    x_mov(c, sp, QN_RSP);
    x_movi(c, QN_RSP, (uint64_t)(uintptr_t)qn_slow_stack_top);
    x_call(c, stub);
    x_mov(c, QN_RSP, sp);
}

/* Emits the entry.  The flags must be free. */
static void emit_calls_enter(struct emitter *e)
{
    static uint32_t stubs[16][16][2];
    struct registers r = choose(e);
    uint32_t *stub = &stubs[r.sp][r.function][r.symbol];
    struct qn_code *c = &e->hot;

    if (!*stub)
        *stub = make_entry_stub(&r);
    if (!e->borrowed) {
        x_store(c, CTX_GPR(r.sp), r.sp);
        x_store(c, CTX_GPR(r.function), r.function);
    }
    x_movi(c, r.function, e->b->calls.entry & ~QN_ENTRY_SYMBOL);
    call_stub(c, r.sp, *stub);
    if (!e->borrowed) {
        x_load(c, r.sp, CTX_GPR(r.sp));
        x_load(c, r.function, CTX_GPR(r.function));
    }
}

/* ---- return ---- */

enum { ROW = QN_RDX, OF_FRAME = QN_RCX };

/* Adds the frame's cost to its row and makes the frame below the top one; rdx = its stack pointer. */
static void drop_frame(struct qn_code *c)
{
    op_at(c, 1, LOAD, ROW, OF_FRAME, FRAME(row));
    for (unsigned i = 0; i < emit_rules.calls->n_events; i++) {
        unsigned event = emit_rules.calls->events[i];

        x_load(c, QN_R11, SUM(event));
        op_at(c, 1, SUB, QN_R11, OF_FRAME, COUNT_OF_FRAME(event));
        op_at(c, 1, ADD, QN_R11, ROW, (int32_t)(8 * event));
    }
    op_at(c, 1, LOAD, QN_RDX, OF_FRAME, FRAME(active));
    op_at(c, 0, INC, 1, QN_RDX, 0); /* dec */
    op_at(c, 1, LOAD, OF_FRAME, OF_FRAME, FRAME(under));
    x_store(c, SUM(QN_CALL_TOP), OF_FRAME);
    op_at(c, 1, LOAD, QN_RDX, OF_FRAME, FRAME(sp));
    x_store(c, CTX(calls_sp), QN_RDX);
}

static void restore(struct qn_code *c)
{
    x_pop(c, QN_R11);
    x_pop(c, QN_RDX);
    x_pop(c, QN_RCX);
}

static void return_by_c(struct qn_code *c)
{
    restore(c);
    x_store(c, CTX(guest_sp), QN_R10);
    x_store(c, CTX(arg_addr), QN_R11);
    x_store_imm(c, CTX(arg_aux), 0);
    jump_to_c(c, emit_hooks.call_return);
}

/* r10: the guest's rsp; r11: the target.  The first frame of a stack, whose `rare` is -1, is left to C. */
static uint32_t make_return_stub(void)
{
    struct qn_code c = emit_stub_begin(STUB_BYTES, true);
    uint32_t at = (uint32_t)c.exec;
    struct jumps none = { .n = 0 }, rare = { .n = 0 };
    uint64_t again, counted;

    x_op_abs(&c, 1, CMP, QN_R10, CTX(calls_sp));
    jump_later(&c, X_CC_AE, &none);
    x_push(&c, QN_RCX);
    x_push(&c, QN_RDX);
    x_push(&c, QN_R11);
    x_load(&c, OF_FRAME, SUM(QN_CALL_TOP));
    again = c.exec; /* one return ends all frames that were entered by jumps, and the one that was called */
    x_load(&c, QN_R11, SUM(QN_SUMS_ANY));
    op_at(&c, 1, CMP_WITH, QN_R11, OF_FRAME, FRAME(rare));
    jump_later(&c, X_CC_NE, &rare);
    counted = c.exec;
    drop_frame(&c);
    x_rr(&c, 1, CMP, QN_R10, QN_RDX); /* cmp %r10, %rdx */
    x_jcc(&c, X_CC_B, again);
    restore(&c);
    land(&c, &none);
    x_store32_imm(&c, emit_rules.calls->left, 0);
    x_byte(&c, X_RET);
    land(&c, &rare);
    op_at(&c, 1, GROUP_IMM8, X_CMPI, OF_FRAME, FRAME(rare));
    x_byte(&c, 0xff);
    rare.n = 0;
    jump_later(&c, X_CC_E, &rare);
    x_call(&c, emit_c_entry(emit_rules.calls->add_rare));
    x_jmp(&c, counted);
    land(&c, &rare);
    return_by_c(&c);
    emit_stub_end(&c);
    return at;
}

/* Emits the return.  In standard state except for rcx, the target in r11; the flags must be free. */
static void emit_calls_leave(struct emitter *e)
{
    static uint32_t stub;

    if (!stub)
        stub = make_return_stub();
    call_stub(&e->hot, QN_R10, stub);
}

void emit_calls_begin(struct emitter *e)
{
    const struct qn_block_calls *c = &e->b->calls;

    if (c->moves)
        x_store(&e->hot, CTX(calls_old), QN_RSP);
    if (!c->entry)
        return;
    emit_need_flags(e, 0);
    if (emit_rules.calls) {
        emit_calls_enter(e);
        return;
    }
    x_store_imm(&e->hot, CTX(arg_aux), c->entry); /* 64 bits, because 64 are loaded: a load cannot be forwarded from a smaller store */
    emit_slow_call(&e->hot, emit_hooks.call_enter);
}

static void add(struct emitter *e, uint64_t sum, unsigned n)
{
    if (n > INT8_MAX) {
        x_bytes(&e->hot, "\x48\x81", 2);
        x_rip(&e->hot, 0, sum, 4);
        x_u32(&e->hot, n);
    } else {
        x_bytes(&e->hot, "\x48\x83", 2);
        x_rip(&e->hot, 0, sum, 1);
        x_byte(&e->hot, n);
    }
}

void emit_calls_add(struct emitter *e)
{
    for (unsigned event = 0; emit_rules.sums && !emit_rules.aside && event < sizeof e->b->calls.adds; event++) {
        unsigned n = e->b->calls.adds[event];

        if (n && emit_flags_free(e, 0))
            add(e, SUM(event), n);
        else if (n)
            emit_add_with_lea(e, SUM(event), (int32_t)n);
    }
}

/* cmp %rsp, calls_old ; ja cold ; cmp %rsp, calls_sp ; jb cold: call_move.  Otherwise the running function only frees room of its own frame. */
void emit_calls_end(struct emitter *e)
{
    const struct qn_block_calls *c = &e->b->calls;

    if (c->called)
        x_store32_imm(&e->hot, CTX(called), c->called);
    if (!c->moves)
        return;
    emit_need_flags(e, e->b->n - (e->b->end != QN_END_FALL));
    x_op_abs(&e->hot, 1, 0x39, QN_RSP, CTX(calls_old));
    x_jcc(&e->hot, X_CC_A, e->cold.exec);
    x_op_abs(&e->hot, 1, 0x39, QN_RSP, CTX(calls_sp));
    x_jcc(&e->hot, X_CC_B, e->cold.exec);
    emit_slow_call(&e->cold, emit_hooks.call_move);
    x_jmp(&e->cold, e->hot.exec);
}

static void emit_calls_return_to_c(struct emitter *e, struct qn_code *c)
{
    x_store(c, CTX(arg_addr), QN_R11);
    x_store_imm(c, CTX(arg_aux), e->b->end != QN_END_JMP_IND ? 0 : e->b->calls.moves ? QN_CALL_MOVED : 1);
    emit_slow_call(c, emit_hooks.call_return);
}

void emit_calls_return(struct emitter *e)
{
    if (!e->b->calls.returns)
        return;
    emit_need_flags(e, e->b->n);
    if (e->b->end == QN_END_RET && !e->b->calls.moves && emit_rules.calls) {
        emit_calls_leave(e);
        return;
    }
    if (e->b->end == QN_END_RET || e->b->calls.moves) {
        emit_calls_return_to_c(e, &e->hot);
        return;
    }
    x_op_abs(&e->hot, 1, 0x39, QN_RSP, CTX(calls_sp)); /* cmp %rsp, calls_sp */
    x_jcc(&e->hot, X_CC_B, e->cold.exec);
    emit_calls_return_to_c(e, &e->cold);
    x_jmp(&e->cold, e->hot.exec);
}
