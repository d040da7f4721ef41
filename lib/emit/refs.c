/* lib/emit/refs.c - counts a block's references once, where the block begins.
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
#include "emit/internal.h"

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

void emit_refs_add(struct emitter *e, struct qn_code *c, int32_t references)
{
    x_bytes(c, "\x48\x81", 2); /* addq $references, count */
    x_rip(c, 0, e->numbered ? (uintptr_t)&qn_sim_users.now : (uintptr_t)qn_sim_twin.count, 4);
    x_u32(c, (uint32_t)(e->numbered ? references * (int32_t)QN_USER_ONE : references));
}

void emit_refs_count(struct emitter *e)
{
    uint64_t count = e->numbered ? (uintptr_t)&qn_sim_users.now : (uintptr_t)qn_sim_twin.count;

    if (!(emit_twin_passes() || e->numbered) || !e->refs)
        return;
    e->refs_counted = true;
    if (emit_flags_free(e, 0)) {
        emit_refs_add(e, &e->hot, e->refs);
        return;
    }
    x_load(&e->hot, e->s1, count);
    x_lea(&e->hot, e->s1, e->s1, QN_REG_NONE, 1, (int32_t)(e->numbered ? e->refs * QN_USER_ONE : e->refs));
    x_store(&e->hot, count, e->s1);
}

void emit_refs_ahead(struct emitter *e, struct qn_code *c)
{
    if (emit_twin_passes())
        x_store_imm(c, (uintptr_t)&qn_sim_twin.ahead, (uint32_t)((e->refs_counted ? e->refs : 0) - e->made));
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

void emit_user(struct emitter *e, const struct qn_event *ev)
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

void emit_user_slow(struct emitter *e)
{
    if (e->numbered)
        emit_refs_add(e, &e->cold, e->made - 1 - e->refs);
}

void emit_user_slow_end(struct emitter *e)
{
    if (e->numbered && e->refs != e->made)
        emit_refs_add(e, &e->cold, e->refs - e->made);
}
