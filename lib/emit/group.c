/* lib/emit/group.c - one check for several references with the same base register.
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
#include "emit/internal.h"

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
    emit_slow_call_at(&e->cold, emit_reference_stub(e, qn_sim_slow_group, false));
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

/* --check: the twin simulates them one by one. */
static void check_list(struct emitter *e, const struct group *g, uint32_t list)
{
    address(e, g, g->low);
    x_store(&e->hot, CTX(arg_addr), e->s1);
    x_store_imm(&e->hot, CTX(arg_site), g->n);
    x_store_imm(&e->hot, CTX(arg_aux), list);
    emit_slow_call(&e->hot, qn_sim_check_group);
}

static int64_t end_of(const struct group *g, unsigned i) { return g->ref[i].disp + g->ref[i].ev->size; }

/* Does the first reference begin where the range does, and the last one end where it ends?  Or the other way round? */
static bool goes_up(const struct group *g) { return g->ref[0].disp == g->low && end_of(g, g->n - 1) == g->high; }
static bool goes_down(const struct group *g) { return end_of(g, 0) == g->high && g->ref[g->n - 1].disp == g->low; }

static void check_point(struct emitter *e, const struct group *g, int64_t disp, uint32_t size, uint64_t slow)
{
    uint64_t from;

    address(e, g, disp);
    emit_point_check(e, size, slow);
    if (emit_rules.versus && (from = emit_twin_point(e)))
        x_patch(from, slow);
}

/* If the order of stamps matters (an analysis reads them), the line of the first reference is checked first, so that the other is not
 * stamped too early if the first fails; and the line of the last reference is stamped last.  In a descending group, a reference that spans
 * both lines, which it uses in ascending order, goes to C. */
static void check_ends(struct emitter *e, const struct group *g, uint64_t slow)
{
    bool down = qn_sim_tells_lines && !goes_up(g);

    if (down) {
        check_point(e, g, g->ref[0].disp, g->ref[0].ev->size, slow);
        check_point(e, g, g->low, g->ref[g->n - 1].ev->size, slow);
    } else {
        check_point(e, g, g->low, 1, slow);
        check_point(e, g, g->high - 1, 1, slow);
    }
}

static void emit_checks(struct emitter *e, const struct group *g)
{
    uint64_t slow = e->cold.exec, back;
    uint32_t list;

    if (emit_rules.check && !emit_rules.versus)
        x_store_imm(&e->hot, CTX(result), 0);
    check_ends(e, g, slow);
    back = e->hot.exec;
    list = call_for_list(e, g, back);
    if (emit_rules.check && !emit_rules.versus)
        check_list(e, g, list);
}

/* With --check, there may be fetches between the references that only the twin simulates; they hit, so they reach no other cache. */
static bool for_twin_only(const struct qn_event *ev) { return ev->kind == QN_EV_FETCH && ev->repeat; }

/* Emits such fetches among the events n to end - 1, before the group. */
static void make_fetches(struct emitter *e, unsigned n, unsigned end)
{
    for (; n < end; n++)
        if (for_twin_only(&e->list->ev[n]) && !emit_twin_repeats(&e->list->ev[n]))
            emit_fetch(e, &e->list->ev[n]);
}

/* Emits a group that begins with event n, before instruction `position`.  Returns the number of its events; 0: there is no group. */
unsigned emit_group(struct emitter *e, unsigned n, unsigned position)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    struct group g = {.n = 0};
    unsigned end = n;

    if (!emit_rules.filter || emit_rules.batch || emit_rules.log_all || (emit_rules.versus && !emit_twin_is_beside(&e->list->ev[n])) || emit_rules.sees || qn_sim_users.table || qn_sim_uses || qn_sim_kinds || !f->entries || f->writes_call ||
        qn_fast.D1.sets == 1 || f->mask < 32 || qn_sim_tells_far())
        return 0;
    for (unsigned k = n; k < e->list->n && (for_twin_only(&e->list->ev[k]) || add(&g, e, &e->list->ev[k], position)); k++)
        if (e->list->ev[k].kind == QN_EV_DATA)
            end = k + 1;
    if (g.n < GROUP_MIN || (qn_sim_tells_lines && !goes_up(&g) && !goes_down(&g)))
        return 0;
    make_fetches(e, n, end);
    emit_checks(e, &g);
    qn_emit_stats.data += g.n;
    return end - n;
}
