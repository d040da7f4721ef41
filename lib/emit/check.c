/* lib/emit/check.c - the hit filter for data references (for fetches: fetch.c).
 *
 *   hot:   lea  ea, S1 ;  rorx $shift, S1d, S2d ;  and $mask, S2d
 *          xor  entries(S2), S1              S1 = offset within the line if it is the filter's line
 *          cmp  $line-size, S1 ;  ja slow    above: other line, or straddling
 *          lea  n(now), S1 ;  mov S1, entries+8(S2)
 *   slow:  advance the clock ;  mov $site, arg_site ;  call a stub, which calls the simulator ;  jmp back
 *          or shorter, for the default data cache: push $site ;  call a stub that simulates the reference (lru_stub.c) ;  jmp back
 *
 * An address that is known at translation time needs one comparison: cmp $line, entry ; jne slow.
 *
 * The clock's register holds the time at the start of the block, and is advanced once, at its end.  Within the block, the n-th data
 * reference has the time clock + n.  The n-th code line has the same time, but times of data and code are never compared.
 */
#include "emit/internal.h"

uint32_t emit_site(const struct emitter *e, const struct qn_event *ev)
{
    uint32_t size = ev->size <= QN_SITE_SIZE_MAX ? ev->size : 0;

    return (e->centre + ev->counter) | size << QN_SITE_SIZE_SHIFT;
}

static bool modifies(const struct qn_event *ev) { return !ev->write && (ev->mem.access & QN_ACC_WRITE); }

/* The number of the explained source line of this event, from 1; 0: none. */
static uint32_t which_of(const struct emitter *e, const struct qn_event *ev)
{
    return emit_rules.sees || qn_sim_users.table ? emit_hooks.which(e->b->at[ev->insn]) : 0;
}

uint32_t emit_aux(const struct emitter *e, const struct qn_event *ev)
{
    return ev->size | (ev->write ? QN_AUX_WRITE : modifies(ev) ? QN_AUX_MODIFY : 0) | which_of(e, ev) << QN_AUX_WHICH_SHIFT;
}

static bool is_seen(const struct emitter *e, const struct qn_event *ev) { return emit_rules.sees || which_of(e, ev); }

/* The entry for reads, writes or modifies.  Without qn_sim_kinds, the entry for reads serves all. */
static qn_slow_call *slow_entry(const struct qn_event *ev)
{
    if (!qn_sim_kinds)
        return qn_sim_slow_data;
    return ev->write ? qn_sim_slow_write : modifies(ev) ? qn_sim_slow_modify : qn_sim_slow_data;
}

/* ---- addresses ---- */

static void add_segment(struct emitter *e, const struct qn_mem *m)
{
    if (m->seg == QN_SEG_NONE)
        return;
    x_load(&e->hot, e->s2, m->seg == QN_SEG_FS ? CTX(fs_base) : CTX(gs_base));
    x_lea(&e->hot, e->s1, e->s1, e->s2, 1, 0);
}

/* bt m,r: the register's bits above the operand width select another operand; above 3, if the reference is to the byte with the bit.
 * Destroys flags. */
static void add_bit_offset(struct emitter *e, const struct qn_mem *m, const struct qn_insn *in)
{
    unsigned reg = ((in->modrm >> 3) & 7) | (in->rex & 4 ? 8 : 0);
    unsigned shift = qn_log2(m->size * 8u);

    if (in->opsize == 8)
        x_mov(&e->hot, e->s2, reg);
    else if (in->opsize == 4)
        x_rr(&e->hot, 1, 0x63, e->s2, reg); /* movslq */
    else {
        x_byte(&e->hot, x_rex(1, e->s2, 0, reg));
        x_bytes(&e->hot, "\x0f\xbf", 2); /* movswq */
        x_byte(&e->hot, 0xc0 | (e->s2 & 7) << 3 | (reg & 7));
    }
    x_byte(&e->hot, x_rex(1, 0, 0, e->s2)); /* sar $shift, S2 */
    x_byte(&e->hot, 0xc1);
    x_byte(&e->hot, 0xf8 | (e->s2 & 7));
    x_byte(&e->hot, shift);
    x_lea(&e->hot, e->s1, e->s1, e->s2, m->size, 0);
}

static bool constant_address(const struct qn_mem *m, const struct qn_insn *in)
{
    return m->seg == QN_SEG_NONE && m->index == QN_REG_NONE && !(in->attr & QN_ATTR_BT_REG) &&
           (m->base == QN_RIP || m->base == QN_REG_NONE);
}

static uint64_t constant_value(const struct qn_mem *m, uint64_t next)
{
    uint64_t value = (uint64_t)m->disp + (m->base == QN_RIP ? next : 0);

    return m->addr32 ? (uint32_t)value : value;
}

/* S1 = address of the operand.  Uses S2 for segments and large displacements. */
void emit_address(struct emitter *e, const struct qn_mem *m, const struct qn_insn *in, uint64_t next, int32_t shift)
{
    unsigned index = m->vsib ? QN_REG_NONE : m->index;

    if (m->base == QN_RIP || (m->base == QN_REG_NONE && index == QN_REG_NONE)) {
        x_movi(&e->hot, e->s1, constant_value(m, next));
    } else if (qn_is_xlat(in)) { /* xlat: rbx + al */
        x_byte(&e->hot, x_rex(0, e->s1, 0, QN_RAX));
        x_bytes(&e->hot, "\x0f\xb6", 2); /* movzbl %al, S1d */
        x_byte(&e->hot, 0xc0 | (e->s1 & 7) << 3);
        x_lea(&e->hot, e->s1, QN_RBX, e->s1, 1, 0);
    } else {
        if (m->addr32)
            x_byte(&e->hot, 0x67);
        x_lea(&e->hot, e->s1, m->base, index, m->scale ? m->scale : 1, (int32_t)(m->disp + shift));
    }
    add_segment(e, m);
    if (in->attr & QN_ATTR_BT_REG)
        add_bit_offset(e, m, in);
}

/* ---- data ---- */

/* Advances the clock past all times that the block has written.  In cold code, this applies to this path only: back in hot code, the
 * clock is ahead, which is harmless, because times only have to increase. */
void emit_clock(struct emitter *e, struct qn_code *c)
{
    uint32_t passed = e->data_time > e->code_time ? e->data_time : e->code_time;

    if (passed)
        x_lea(c, e->now, e->now, QN_REG_NONE, 1, (int32_t)passed);
    if (c == &e->hot)
        e->data_time = e->code_time = 0;
}

/* A register with clock + offset: the clock's own, or S1. */
unsigned emit_time_register(struct emitter *e, uint32_t offset)
{
    if (offset == 0)
        return e->now;
    x_lea(&e->hot, e->s1, e->now, QN_REG_NONE, 1, (int32_t)offset);
    return e->s1;
}

/* For helpers that simulate: stores the clock in ctx.now; emit_clock_in loads it again. */
void emit_clock_out(struct emitter *e)
{
    if (!e->borrowed)
        return;
    emit_log_flush(e);
    emit_clock(e, &e->hot);
    x_store(&e->hot, CTX(now), e->now);
    emit_refs_ahead(e, &e->hot);
}

void emit_clock_in(struct emitter *e)
{
    if (e->borrowed)
        x_load(&e->hot, e->now, CTX(now));
}

/* The function that simulates this reference.  Sets its arguments besides the site. */
static qn_slow_call *tell(struct emitter *e, struct qn_code *c, const struct qn_event *ev)
{
    emit_clock(e, c);
    x_store_imm(c, CTX(arg_site), emit_site(e, ev));
    if (!is_seen(e, ev) && ev->size <= QN_SITE_SIZE_MAX)
        return slow_entry(ev);
    x_store_imm(c, CTX(arg_aux), emit_aux(e, ev));
    return is_seen(e, ev) ? qn_sim_see_data : qn_sim_slow_big;
}

/* A call without a comparison, with the address in S1. */
static void data_call(struct emitter *e, const struct qn_event *ev)
{
    qn_slow_call *fn = tell(e, &e->hot, ev);

    emit_slow_call_at(&e->hot, emit_reference_stub(e, fn, false));
    e->data_time = e->code_time = 1; /* the clock now has the time of this reference */
}

/* Analyses that are called for lines need a clock that is not far ahead (analysis/recency.h). */
bool emit_times_matter(void) { return qn_sim_tells_lines || qn_sim_users.table; }

/* The same by a stub, which finds the site on the stack.  If times do not matter, the stub advances the clock itself. */
static void stub_call(struct emitter *e, const struct qn_event *ev, uint32_t stub)
{
    if (emit_times_matter())
        emit_clock(e, &e->cold);
    emit_slow_stack_in(&e->cold);
    x_push_imm(&e->cold, emit_site(e, ev));
    x_call(&e->cold, stub);
    emit_slow_stack_out(&e->cold);
}

/* A stub that simulates the reference (nearly) without C.  0: there is none. */
static uint32_t stub_of(const struct emitter *e, const struct qn_event *ev, bool known)
{
    uint32_t stub = emit_lru_stub(e, ev->size, known);

    return stub ? stub : emit_log_stub(e, ev->size, ev->write, known);
}

/* The same after a failed comparison: S1 = address ^ entries(S2). */
static void data_call_again(struct emitter *e, const struct qn_event *ev)
{
    uint32_t stub = stub_of(e, ev, false);

    if (stub)
        stub_call(e, ev, stub);
    else
        emit_slow_call_at(&e->cold, emit_reference_stub(e, tell(e, &e->cold, ev), true));
}

/* The same for an address that is known at translation time; its entry is at the offset `at`. */
static void data_call_known(struct emitter *e, const struct qn_event *ev, uint64_t addr, uint32_t at)
{
    uint32_t stub = stub_of(e, ev, true);

    x_movi(&e->cold, e->s1, addr);
    if (stub) {
        x_movi(&e->cold, e->s2, at);
        stub_call(e, ev, stub);
    } else {
        emit_slow_call_at(&e->cold, emit_reference_stub(e, tell(e, &e->cold, ev), false));
    }
}

/* --data=use: marks `size` bytes of a line as used, at table(base,index,scale). */
static void mark_used(struct emitter *e, unsigned base, unsigned index, unsigned scale, uint64_t table, uint32_t size)
{
    for (uint32_t step; size; size -= step, table += step) {
        step = size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
        if (step == 2)
            x_byte(&e->hot, 0x66);
        x_byte(&e->hot, x_rex_mem(step == 8, 0, base, index)); /* mov $-1, table(base,index,scale) */
        x_byte(&e->hot, step == 1 ? 0xc6 : 0xc7);
        x_mem(&e->hot, 0, base, index, scale, (int32_t)table);
        x_bytes(&e->hot, "\xff\xff\xff\xff", step < 4 ? step : 4);
    }
}

/* Is the twin called from the slow code of this reference? */
static bool is_beside(const struct qn_event *ev) { return emit_rules.check && emit_twin_is_beside(ev); }

/* Before a call in slow code: the twin reads the outcome; --explain: the call counts the reference. */
static void begin_slow(struct emitter *e, const struct qn_event *ev)
{
    if (is_beside(ev))
        x_store_imm(&e->cold, CTX(result), 0);
    emit_user_slow(e);
}

/* Leaves the slow code of a reference.  from: where B's jump to it ends; 0: there is none. */
static void end_slow(struct emitter *e, const struct qn_event *ev, int32_t shift, uint64_t from, uint64_t back)
{
    emit_user_slow_end(e);
    if (is_beside(ev))
        emit_twin_data_slow(e, ev, shift, from, back);
    else
        x_jmp(&e->cold, back);
}

static void constant_check(struct emitter *e, const struct qn_event *ev, uint64_t addr, int32_t shift)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    uint64_t line = addr & ~(uint64_t)(f->line - 1), at = addr >> f->shift & f->mask;
    uint64_t back, from = 0;

    if (line <= INT32_MAX) {
        x_bytes(&e->hot, "\x48\x81", 2); /* cmpq $line, entry */
        x_rip(&e->hot, 7, f->entries + at, 4);
        x_u32(&e->hot, (uint32_t)line);
    } else {
        x_movi(&e->hot, e->s1, line);
        x_op_abs(&e->hot, 1, 0x3b, e->s1, f->entries + at); /* cmp entry, S1 */
    }
    x_jcc(&e->hot, X_CC_NE, e->cold.exec);
    if (f->stamps)
        x_store(&e->hot, f->entries + at + 8, emit_time_register(e, e->data_time++));
    if (qn_sim_uses)
        mark_used(e, QN_REG_NONE, QN_REG_NONE, 1, qn_sim_uses + (uint64_t)at / sizeof(struct qn_filter_entry) * f->line + (addr & (f->line - 1)), ev->size);
    if (qn_sim_users.table) {
        emit_user(e, ev);
        x_store(&e->hot, qn_sim_users.table + at, e->s1);
    }
    if (is_beside(ev))
        from = emit_twin_point_known(e, (uint32_t)at);
    back = e->hot.exec;
    begin_slow(e, ev);
    data_call_known(e, ev, addr, (uint32_t)at);
    end_slow(e, ev, shift, from, back);
}

/* dst = (S1 >> shift) & mask: the offset in a table, for the address in S1. */
void emit_offset(struct emitter *e, unsigned dst, unsigned shift, uint32_t mask)
{
    if (emit_rules.has_bmi2) {
        x_rorx32(&e->hot, dst, e->s1, shift);
    } else {
        x_mov32(&e->hot, dst, e->s1);
        x_shr32(&e->hot, dst, shift);
    }
    x_alu_imm32(&e->hot, 0, X_AND, dst, mask);
}

/* Compares and stamps.  A failed check jumps to `slow` with S1 = address ^ line of the entry. */
static void compare_and_stamp(struct emitter *e, uint32_t size, uint64_t slow)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    emit_offset(e, e->s2, f->shift, f->mask);
    x_table(&e->hot, X_XOR, e->s1, e->s2, f->entries);
    x_alu_imm32(&e->hot, 1, X_CMPI, e->s1, f->line - size);
    x_jcc(&e->hot, X_CC_A, slow);
    if (qn_sim_uses) /* S1 = offset in the line, S2 = 16 * number of the entry */
        mark_used(e, e->s1, e->s2, f->line / sizeof(struct qn_filter_entry), qn_sim_uses, size);
    if (f->stamps)
        x_table(&e->hot, X_STORE, emit_time_register(e, e->data_time++), e->s2, f->entries + 8);
}

void emit_point_check(struct emitter *e, uint32_t size, uint64_t slow) { compare_and_stamp(e, size, slow); }

static void filter_check(struct emitter *e, const struct qn_event *ev, int32_t shift)
{
    uint64_t back, from = 0;

    compare_and_stamp(e, ev->size, e->cold.exec);
    if (qn_sim_users.table) {
        emit_user(e, ev);
        x_table(&e->hot, X_STORE, e->s1, e->s2, qn_sim_users.table);
    }
    if (is_beside(ev))
        from = emit_twin_point(e);
    back = e->hot.exec;
    begin_slow(e, ev);
    data_call_again(e, ev);
    end_slow(e, ev, shift, from, back);
}

void emit_data(struct emitter *e, const struct qn_event *ev, int32_t shift)
{
    const struct qn_insn *in = &e->b->insn[ev->insn];
    const struct qn_filter *f = &qn_sim_d1_filter;
    uint64_t next = e->b->at[ev->insn] + in->len;
    bool filtered = emit_rules.filter && !emit_rules.batch && !emit_rules.log_all && !is_seen(e, ev) && f->entries && ev->size <= f->line && ev->size &&
                    !(f->writes_call && (ev->write || modifies(ev)));
    uint64_t addr = constant_value(&ev->mem, next);

    if (emit_rules.check && !(filtered && is_beside(ev)))
        x_store_imm(&e->hot, CTX(result), 0);
    if (filtered && constant_address(&ev->mem, in) && (addr & (f->line - 1)) + ev->size <= f->line) {
        constant_check(e, ev, addr, shift);
    } else {
        emit_address(e, &ev->mem, in, next, shift);
        if (filtered)
            filter_check(e, ev, shift);
        else
            data_call(e, ev);
    }
    if (emit_rules.check && !(filtered && is_beside(ev)))
        emit_twin_data(e, ev, shift);
    qn_emit_stats.data++;
}
