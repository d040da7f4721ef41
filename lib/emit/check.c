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

/* ---- a block's references, counted once, where the block begins ----
 *
 *   --versus    fetches and data references: addq $references, count
 *   --explain   data references, which also get numbers:
 *
 *     begin: addq $references, number of the last one
 *     hot:   mov number, S1 ;  lea number of this one less that of the last, and the site(S1), S1 ;  mov S1, user of the line
 *     slow:  add, so that the number is that of the reference before ;  the call, which adds 1 ;  add again
 *
 * A block with references that only C counts, or with more than an immediate operand has room for, counts each by itself in --explain.
 */

#define NUMBERS_MAX 60u /* times QN_USER_ONE: below 2^31 */

static bool is_counted(const struct qn_event *ev) { return ev->kind == QN_EV_DATA || (ev->kind == QN_EV_FETCH && !qn_sim_users.table); }

void emit_refs_make(struct emitter *e, unsigned n, unsigned end)
{
    for (; n < end; n++)
        e->made += is_counted(&e->list->ev[n]);
}

/* --explain: can all references of the block be numbered at once? */
static bool can_number(const struct emitter *e)
{
    for (unsigned n = 0; n < e->list->n; n++) {
        const struct qn_event *ev = &e->list->ev[n];

        if (ev->kind == QN_EV_STRING || ev->kind == QN_EV_COMPLEX)
            return false;
        if (ev->kind == QN_EV_DATA && (!ev->size || ev->size > qn_sim_d1_filter.line || emit_hooks.which(e->b->at[ev->insn])))
            return false;
    }
    return emit_rules.filter && e->refs <= NUMBERS_MAX;
}

void emit_refs_begin(struct emitter *e)
{
    e->refs_counted = false;
    e->made = 0;
    emit_refs_make(e, 0, e->list->n);
    e->refs = e->made;
    e->made = 0;
    e->numbered = qn_sim_users.table && e->borrowed && can_number(e);
}

static void emit_refs_add(struct emitter *e, struct qn_code *c, int32_t references)
{
    x_bytes(c, "\x48\x81", 2); /* addq $references, count */
    x_rip(c, 0, e->numbered ? (uintptr_t)&qn_sim_users.now : (uintptr_t)qn_sim_shadow.count, 4);
    x_u32(c, (uint32_t)(e->numbered ? references * (int32_t)QN_USER_ONE : references));
}

void emit_refs_count(struct emitter *e)
{
    uint64_t count = e->numbered ? (uintptr_t)&qn_sim_users.now : (uintptr_t)qn_sim_shadow.count;

    if (!(emit_shadow_passes() || e->numbered) || !e->refs)
        return;
    e->refs_counted = true;
    if (emit_flags_free(e, 0)) {
        emit_refs_add(e, &e->hot, e->refs);
        return;
    }
    emit_add_with_lea(e, count, (int32_t)(e->numbered ? e->refs * QN_USER_ONE : e->refs));
}

void emit_refs_ahead(struct emitter *e, struct qn_code *c)
{
    if (emit_shadow_passes())
        x_store_imm(c, (uintptr_t)&qn_sim_shadow.ahead, (uint32_t)((e->refs_counted ? e->refs : 0) - e->made));
}

/* Is there a number of references that a fault has to take some back of? */
static bool are_numbered(void) { return emit_rules.versus || qn_sim_users.table; }

/* Of the references that have been counted, those of instructions from i on.  If each is counted by itself, those that are written to a log
 * are counted later, if at all. */
void emit_refs_at(struct emitter *e, unsigned i)
{
    uint32_t before = 0;

    if (!are_numbered())
        return;
    for (unsigned n = 0; n < e->list->n && e->list->ev[n].insn < i; n++)
        before += is_counted(&e->list->ev[n]) && (e->refs_counted || !emit_logs(&e->list->ev[n]));
    e->left[i] = (uint16_t)((e->refs_counted ? e->refs : e->made) - before);
}

void emit_refs_left(struct emitter *e)
{
    if (are_numbered() && e->out.caches && e->out.instrumented)
        x_bytes(&e->cold, e->left, e->b->n * sizeof *e->left);
}

/* ---- --explain: the word of a reference (struct qn_sim_users) ---- */

static void emit_user(struct emitter *e, const struct qn_event *ev)
{
    const uint64_t now = (uintptr_t)&qn_sim_users.now;
    int32_t site = (int32_t)(emit_site(e, ev) & QN_SITE_COUNTER_MASK);

    x_load(&e->hot, e->s1, now);
    if (e->numbered) {
        x_lea(&e->hot, e->s1, e->s1, QN_REG_NONE, 1, (e->made - e->refs) * (int32_t)QN_USER_ONE + site);
        return;
    }
    x_lea(&e->hot, e->s1, e->s1, QN_REG_NONE, 1, QN_USER_ONE);
    x_store(&e->hot, now, e->s1);
    x_lea(&e->hot, e->s1, e->s1, QN_REG_NONE, 1, site);
}

static void emit_user_slow(struct emitter *e)
{
    if (e->numbered)
        emit_refs_add(e, &e->cold, e->made - 1 - e->refs);
}

static void emit_user_slow_end(struct emitter *e)
{
    if (e->numbered && e->refs != e->made)
        emit_refs_add(e, &e->cold, e->refs - e->made);
}

uint32_t emit_site(const struct emitter *e, const struct qn_event *ev)
{
    uint32_t size = ev->size <= QN_SITE_SIZE_MAX ? ev->size : 0;

    return (e->centre + ev->counter) | size << QN_SITE_SIZE_SHIFT;
}

static bool modifies(const struct qn_event *ev) { return !ev->write && (ev->mem.access & QN_ACC_WRITE); }

/* The number of the explained source line of this event, from 1; 0: none. */
static uint32_t which_of(const struct emitter *e, const struct qn_event *ev)
{
    return emit_hooks.which && (emit_rules.sees || qn_sim_users.table) ? emit_hooks.which(e->b->at[ev->insn]) : 0;
}

uint32_t emit_aux(const struct emitter *e, const struct qn_event *ev)
{
    return ev->size | (ev->write ? QN_AUX_WRITE : modifies(ev) ? QN_AUX_MODIFY : 0) | which_of(e, ev) << QN_AUX_WHICH_SHIFT;
}

static bool is_seen(const struct emitter *e, const struct qn_event *ev) { return emit_rules.sees || which_of(e, ev); }

qn_slow_call *emit_slow_entry(const struct qn_event *ev)
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
    else
        x_rr(&e->hot, 1, 0x0fbf, e->s2, reg); /* movswq */
    x_rr(&e->hot, 1, 0xc1, 7, e->s2); /* sar $shift, S2 */
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
        x_rr(&e->hot, 0, X_MOVZB, e->s1, QN_RAX); /* movzbl %al, S1d */
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
        return emit_slow_entry(ev);
    x_store_imm(c, CTX(arg_aux), emit_aux(e, ev));
    return is_seen(e, ev) ? qn_sim_see_data : qn_sim_slow_big;
}

/* A call without a comparison, with the address in S1. */
static void data_call(struct emitter *e, const struct qn_event *ev)
{
    qn_slow_call *fn = tell(e, &e->hot, ev);

    emit_slow_call_at(&e->hot, emit_reference_stub(e, fn, 0));
    e->data_time = e->code_time = 1; /* the clock now has the time of this reference */
}

/* The same by a stub, which finds the site on the stack and advances the clock itself. */
static void stub_call(struct emitter *e, const struct qn_event *ev, uint32_t stub)
{
    emit_slow_stack_in(&e->cold);
    x_push_imm(&e->cold, emit_site(e, ev));
    x_call(&e->cold, stub);
    emit_slow_stack_out(&e->cold);
}

/* The table that a reference is compared with. */
static uint64_t table_of(const struct qn_event *ev)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    return f->writes && (ev->write || modifies(ev)) ? f->writes : f->entries;
}

/* The same after a failed comparison: S1 = address ^ table(S2). */
static void data_call_again(struct emitter *e, const struct qn_event *ev)
{
    uint32_t stub = emit_lru_stub(e, ev, false);

    if (stub)
        stub_call(e, ev, stub);
    else
        emit_slow_call_at(&e->cold, emit_reference_stub(e, tell(e, &e->cold, ev), table_of(ev)));
}

/* The same for an address that is known at translation time; its entry is at the offset `at`. */
static void data_call_known(struct emitter *e, const struct qn_event *ev, uint64_t addr, uint32_t at)
{
    uint32_t stub = emit_lru_stub(e, ev, true);

    x_movi(&e->cold, e->s1, addr);
    if (stub) {
        x_movi(&e->cold, e->s2, at);
        stub_call(e, ev, stub);
    } else {
        emit_slow_call_at(&e->cold, emit_reference_stub(e, tell(e, &e->cold, ev), 0));
    }
}

/* --data=use: marks `size` bytes of a line as used, at table(base,index,scale). */
static void mark_used(struct emitter *e, unsigned base, unsigned index, unsigned scale, uint64_t table, uint32_t size)
{
    for (uint32_t step; size; size -= step, table += step) {
        step = size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
        if (step == 2)
            x_byte(&e->hot, 0x66);
        x_op(&e->hot, step == 8, step == 1 ? 0xc6 : 0xc7, 0, base, index, scale, (int32_t)table); /* mov $-1, table(base,index,scale) */
        x_bytes(&e->hot, "\xff\xff\xff\xff", step < 4 ? step : 4);
    }
}

/* Is the shadow model called from the slow code of this reference? */
static bool shadow_is_inline(const struct qn_event *ev) { return emit_rules.check && emit_shadow_is_inline(ev); }

/* Before a call in slow code: the shadow model reads the outcome; --explain: the call counts the reference. */
static void begin_slow(struct emitter *e, const struct qn_event *ev)
{
    if (shadow_is_inline(ev))
        x_store_imm(&e->cold, CTX(result), 0);
    emit_user_slow(e);
}

/* Leaves the slow code of a reference.  from: where B's jump to it ends; 0: there is none. */
static void end_slow(struct emitter *e, const struct qn_event *ev, int32_t shift, uint64_t from, uint64_t back)
{
    emit_user_slow_end(e);
    if (shadow_is_inline(ev))
        emit_shadow_data_slow(e, ev, shift, from, back);
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
        x_rip(&e->hot, 7, table_of(ev) + at, 4);
        x_u32(&e->hot, (uint32_t)line);
    } else {
        x_movi(&e->hot, e->s1, line);
        x_op_abs(&e->hot, 1, 0x3b, e->s1, table_of(ev) + at); /* cmp entry, S1 */
    }
    x_jcc(&e->hot, X_CC_NE, e->cold.exec);
    if (f->stamps)
        x_store(&e->hot, f->entries + at + 8, emit_time_register(e, e->data_time++));
    if (qn_sim_utilization)
        mark_used(e, QN_REG_NONE, QN_REG_NONE, 1, qn_sim_utilization + (uint64_t)at / sizeof(struct qn_filter_entry) * f->line + (addr & (f->line - 1)), ev->size);
    if (qn_sim_users.table) {
        emit_user(e, ev);
        x_store(&e->hot, qn_sim_users.table + at, e->s1);
    }
    if (shadow_is_inline(ev))
        from = emit_shadow_point_known(e, (uint32_t)at);
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

/* Compares and stamps.  A failed check jumps to `slow` with S1 = address ^ line of the table's entry. */
static void compare_and_stamp(struct emitter *e, uint32_t size, uint64_t table, uint64_t slow)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    emit_offset(e, e->s2, f->shift, f->mask);
    x_table(&e->hot, X_XOR, e->s1, e->s2, table);
    x_alu_imm32(&e->hot, 1, X_CMPI, e->s1, f->line - size);
    x_jcc(&e->hot, X_CC_A, slow);
    if (qn_sim_utilization) /* S1 = offset in the line, S2 = 16 * number of the entry */
        mark_used(e, e->s1, e->s2, f->line / sizeof(struct qn_filter_entry), qn_sim_utilization, size);
    if (f->stamps)
        x_table(&e->hot, X_STORE, emit_time_register(e, e->data_time++), e->s2, f->entries + 8);
}

static void emit_point_check(struct emitter *e, uint32_t size, uint64_t slow) { compare_and_stamp(e, size, qn_sim_d1_filter.entries, slow); }

static void filter_check(struct emitter *e, const struct qn_event *ev, int32_t shift)
{
    uint64_t back, from = 0;

    compare_and_stamp(e, ev->size, table_of(ev), e->cold.exec);
    if (qn_sim_users.table) {
        emit_user(e, ev);
        x_table(&e->hot, X_STORE, e->s1, e->s2, qn_sim_users.table);
    }
    if (shadow_is_inline(ev))
        from = emit_shadow_point(e);
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
                    !(f->writes_call && (ev->write || modifies(ev))) && !(f->writes && ev->size > QN_SITE_SIZE_MAX);
    uint64_t addr = constant_value(&ev->mem, next);

    if (emit_rules.check && !(filtered && shadow_is_inline(ev)))
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
    if (emit_rules.check && !(filtered && shadow_is_inline(ev)))
        emit_shadow_data(e, ev, shift);
    qn_emit_stats.data++;
}

/* ---- one check for several references with the same base register ----
 *
 *   push %r15 ;  push %r14 ;  push %r13 ;  push %r12 ;  push %rbx       40 bytes, in one line or in two
 *
 * If the line of the lowest byte and the line of the highest byte both hit under the filter, all references of the group hit, and they
 * only change the stamps of these two lines.  So two checks are enough, even if one of the references straddles.  If a check fails, C
 * simulates the references one by one.
 *
 * Only references without any other reference between them form a group.  The two lines lie in different sets, so the order of their
 * stamps does not matter (a cache with a single set gets no groups).
 */

#define GROUP_MIN 3 /* two references are as cheap by themselves */
#define GROUP_MAX QN_GROUP_MAX

struct group {
    const struct qn_mem *mem;  /* of the first reference: base, index, scale, segment */
    unsigned n;
    int64_t low, high;         /* displacements of the first byte and behind the last, with the registers as at the check */
    struct {
        int64_t disp;
        const struct qn_event *ev;
    } ref[GROUP_MAX];
};

static bool eligible(const struct emitter *e, const struct qn_event *ev)
{
    const struct qn_insn *in = &e->b->insn[ev->insn];
    bool register_only = ev->mem.base == QN_RIP || (ev->mem.base == QN_REG_NONE && ev->mem.index == QN_REG_NONE);

    return ev->kind == QN_EV_DATA && ev->size && ev->size <= QN_SITE_SIZE_MAX && !register_only && !ev->mem.vsib &&
           !(in->attr & QN_ATTR_BT_REG) && !qn_is_xlat(in);
}

static bool same_registers(const struct qn_mem *a, const struct qn_mem *b)
{
    return a->base == b->base && a->index == b->index && (a->index == QN_REG_NONE || a->scale == b->scale) &&
           a->seg == b->seg && a->addr32 == b->addr32;
}

/* Adds the reference, if it can be part of the group. */
static bool add(struct group *g, const struct emitter *e, const struct qn_event *ev, unsigned position)
{
    int64_t disp, low, high;
    int32_t shift = 0;

    if (g->n == GROUP_MAX || !eligible(e, ev) || (g->n && !same_registers(g->mem, &ev->mem)) ||
        !emit_can_stand_at(e, ev, position, &shift))
        return false;
    disp = ev->mem.disp + shift;
    low = g->n && g->low < disp ? g->low : disp;
    high = g->n && g->high > disp + ev->size ? g->high : disp + ev->size;
    if (high - low > qn_sim_d1_filter.line || !qn_fits_i32(low) || !qn_fits_i32(high))
        return false;
    g->mem = g->n ? g->mem : &ev->mem;
    g->low = low;
    g->high = high;
    g->ref[g->n].disp = disp;
    g->ref[g->n++].ev = ev;
    return true;
}

static void address(struct emitter *e, const struct group *g, int64_t disp)
{
    const struct qn_event *first = g->ref[0].ev;
    const struct qn_insn *in = &e->b->insn[first->insn];

    emit_address(e, g->mem, in, e->b->at[first->insn] + in->len, (int32_t)(disp - g->mem->disp));
}

/* Emits the call in cold code, with the address of the lowest byte and the list.  Returns the list's address. */
static uint32_t call_for_list(struct emitter *e, const struct group *g, uint64_t back)
{
    uint64_t list;
    uint32_t at;

    emit_swap(e);
    address(e, g, g->low);
    emit_swap(e);
    emit_clock(e, &e->cold);
    x_store_imm(&e->cold, CTX(arg_site), g->n);
    x_byte(&e->cold, 0x48);
    x_byte(&e->cold, 0xc7); /* movq $list, arg_aux */
    x_rip(&e->cold, 0, CTX(arg_aux), 4);
    list = e->cold.exec;
    x_u32(&e->cold, 0);
    emit_slow_call_at(&e->cold, emit_reference_stub(e, qn_sim_slow_group, 0));
    if (emit_rules.versus) {
        emit_refs_ahead(e, &e->cold);
        emit_slow_call(&e->cold, qn_sim_check_group);
    }
    x_jmp(&e->cold, back);
    at = (uint32_t)e->cold.exec;
    __builtin_memcpy(qn_code_at(list), &at, 4);
    for (unsigned i = 0; i < g->n; i++) {
        const struct qn_group_ref ref = {
            .counter = (e->centre + g->ref[i].ev->counter) & QN_SITE_COUNTER_MASK, .kind = emit_kind(g->ref[i].ev) & 3, .size = (uint8_t)g->ref[i].ev->size,
            .offset = (uint16_t)(g->ref[i].disp - g->low), .after = (uint8_t)(g->ref[i].ev - g->ref[0].ev)};

        x_bytes(&e->cold, &ref, sizeof ref);
    }
    return at;
}

/* --check: the shadow model simulates them one by one. */
static void check_list(struct emitter *e, const struct group *g, uint32_t list)
{
    address(e, g, g->low);
    x_store(&e->hot, CTX(arg_addr), e->s1);
    x_store_imm(&e->hot, CTX(arg_site), g->n);
    x_store_imm(&e->hot, CTX(arg_aux), list);
    emit_slow_call(&e->hot, qn_sim_check_group);
}

static void check_point(struct emitter *e, const struct group *g, int64_t disp, uint32_t size, uint64_t slow)
{
    uint64_t from;

    address(e, g, disp);
    emit_point_check(e, size, slow);
    if (emit_rules.versus && (from = emit_shadow_point(e)))
        x_patch(from, slow);
}

static void emit_checks(struct emitter *e, const struct group *g)
{
    uint64_t slow = e->cold.exec, back;
    uint32_t list;

    if (emit_rules.check && !emit_rules.versus)
        x_store_imm(&e->hot, CTX(result), 0);
    check_point(e, g, g->low, 1, slow);
    check_point(e, g, g->high - 1, 1, slow);
    back = e->hot.exec;
    list = call_for_list(e, g, back);
    if (emit_rules.check && !emit_rules.versus)
        check_list(e, g, list);
}

/* With --check, there may be fetches between the references that only the shadow model simulates; they hit, so they reach no other cache. */
static bool for_shadow_only(const struct qn_event *ev) { return ev->kind == QN_EV_FETCH && ev->repeat; }

/* Emits such fetches among the events n to end - 1, before the group. */
static void make_fetches(struct emitter *e, unsigned n, unsigned end)
{
    for (; n < end; n++)
        if (for_shadow_only(&e->list->ev[n]) && !emit_shadow_repeats(&e->list->ev[n]))
            emit_fetch(e, &e->list->ev[n]);
}

/* Emits a group that begins with event n, before instruction `position`.  Returns the number of its events; 0: there is no group. */
unsigned emit_group(struct emitter *e, unsigned n, unsigned position)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    struct group g = {.n = 0};
    unsigned end = n;

    if (!emit_rules.filter || emit_rules.batch || emit_rules.log_all || (emit_rules.versus && !emit_shadow_is_inline(&e->list->ev[n])) || emit_rules.sees || qn_sim_users.table || qn_sim_utilization || (qn_sim_kinds && !qn_fast.D1.sets) || !f->entries || f->writes_call ||
        qn_fast.D1.sets == 1 || f->mask < 32 || qn_sim_stream.uses)
        return 0;
    for (unsigned k = n; k < e->list->n && (for_shadow_only(&e->list->ev[k]) || add(&g, e, &e->list->ev[k], position)); k++)
        if (e->list->ev[k].kind == QN_EV_DATA)
            end = k + 1;
    if (g.n < GROUP_MIN)
        return 0;
    make_fetches(e, n, end);
    emit_checks(e, &g);
    qn_emit_stats.data += g.n;
    return end - n;
}

/* ---- references that a helper computes at run time (run/core/references/variable.c) from the address, the mask and the indices ---- */

#define KMOVW_ELEMENTS 16u

/* Does the program's own instruction fault, because the processor that it sees lacks it?  Then nothing is emitted here, since it would need the
 * same features and fault first. */
static bool faults(const struct qn_insn *in)
{
    return in->encoding == QN_ENC_EVEX ? !emit_rules.serves_avx512 : in->encoding != QN_ENC_LEGACY && !emit_rules.serves_avx;
}

static void store_vector(struct emitter *e, const struct qn_insn *in, uint64_t abs, unsigned v)
{
    if (in->encoding == QN_ENC_EVEX) { /* vmovdqu64 %zmmV, abs */
        x_byte(&e->hot, 0x62);
        x_byte(&e->hot, 0x61 | (v & 8 ? 0 : 0x80) | (v & 16 ? 0 : 0x10));
        x_bytes(&e->hot, "\xfe\x48\x7f", 3);
    } else { /* vmovdqu %ymmV, abs */
        x_byte(&e->hot, 0xc5);
        x_byte(&e->hot, v & 8 ? 0x7e : 0xfe);
        x_byte(&e->hot, 0x7f);
    }
    x_rip(&e->hot, v, abs, 0);
}

static unsigned elements(const struct qn_mem *m) { return m->elem ? m->size / m->elem : 1; }

static void store_mask(struct emitter *e, const struct qn_insn *in)
{
    if (in->attr & QN_ATTR_KMASK) { /* kmovw %kN, abs; kmovq for more elements, which only AVX-512BW has */
        if (elements(&in->mem[0]) <= KMOVW_ELEMENTS)
            x_bytes(&e->hot, "\xc5\xf8\x91", 3);
        else
            x_bytes(&e->hot, "\xc4\xe1\xf8\x91", 4);
        x_rip(&e->hot, in->kreg, CTX(kmask), 0);
    } else if (in->encoding == QN_ENC_LEGACY && in->opsize == 8) { /* maskmovq: movq %mmN, abs */
        x_bytes(&e->hot, "\x0f\x7f", 2);
        x_rip(&e->hot, in->vreg_mask & 7, CTX(vmask), 0);
    } else if (in->encoding == QN_ENC_LEGACY) { /* maskmovdqu: movdqu %xmmN, abs */
        x_byte(&e->hot, 0xf3);
        if (in->vreg_mask & 8)
            x_byte(&e->hot, 0x44);
        x_bytes(&e->hot, "\x0f\x7f", 2);
        x_rip(&e->hot, in->vreg_mask & 7, CTX(vmask), 0);
    } else {
        store_vector(e, in, CTX(vmask), in->vreg_mask);
    }
}

void emit_complex(struct emitter *e, const struct qn_event *ev)
{
    const struct qn_insn *in = &e->b->insn[ev->insn];

    if (faults(in))
        return;
    emit_address(e, &ev->mem, in, e->b->at[ev->insn] + in->len, 0);
    x_store(&e->hot, CTX(arg_addr), e->s1);
    emit_clock_out(e);
    if (in->attr & QN_ATTR_XSAVE) {
        x_store(&e->hot, CTX(rep[0]), QN_RAX);
        x_store(&e->hot, CTX(rep[1]), QN_RDX);
    } else if (in->attr & (QN_ATTR_MASKED | QN_ATTR_GATHER | QN_ATTR_SCATTER)) {
        store_mask(e, in);
    }
    if (ev->mem.vsib)
        store_vector(e, in, CTX(vindex), ev->mem.index);
    emit_store_const(&e->hot, CTX(arg_pc), e->b->at[ev->insn]);
    x_store_imm(&e->hot, CTX(arg_site), e->centre + ev->counter);
    emit_frame_out(e, &e->hot);
    emit_slow_call(&e->hot, emit_hooks.complex_ref);
    emit_clock_in(e);
}
