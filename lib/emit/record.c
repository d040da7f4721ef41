/* lib/emit/record.c - logs all references and branches of a block for a recorder (sim/contract.h).
 *
 *   the block is defined once        fetches, references, branches: its items
 *   hot:   mov next, S2 ; test $full, S2 ; jne drain ;  movq $id, (S2) ; movl $BLOCK, 12(S2) ; lea 16(S2), S2
 *          lea ea, S1 ; mov S1, (S2) ; ... ; lea 16(S2), S2         each data reference, as in log.c
 *          mov S2, next                                             at the end, and before C is called
 *   arm:   mov next, S1 ; movq $taken, (S1) ; ... ; mov S1, next    of the conditional branch at its end
 *
 * Fetches, calls and branches that are never taken need no code, because they follow from the execution of the block.  References that
 * only C can compute (repeated strings, gathers, states) lie between two words, OPEN and CLOSE.
 */
#include "emit/internal.h"

#define NEXT ((uint64_t)(uintptr_t)&qn_sim_log.next)
#define ENTRY ((int32_t)sizeof(struct qn_log_entry))
#define AT(field) offsetof(struct qn_log_entry, field)

static struct qn_item items[QN_ITEMS_MAX];
static unsigned n_items;

static void add(enum qn_item_kind kind, unsigned size)
{
    if (n_items < QN_ITEMS_MAX)
        items[n_items++] = (struct qn_item){.kind = (uint8_t)kind, .size = (uint16_t)size};
}

static enum qn_item_kind data_kind(const struct qn_event *ev)
{
    enum qn_log_kind kind = emit_kind(ev);

    return !emit_logs(ev) ? QN_ITEM_OPEN : kind == QN_LOG_MODIFY ? QN_ITEM_MODIFY : kind == QN_LOG_WRITE ? QN_ITEM_WRITE : QN_ITEM_READ;
}

/* Adds a fetch.  Fetches follow one another without gaps, except after an instruction that is longer than a line. */
static void add_fetch(const struct qn_event *ev, uint64_t *at)
{
    if (ev->addr != *at)
        add(QN_ITEM_SKIP, (unsigned)(ev->addr - *at));
    add(QN_ITEM_FETCH, ev->size);
    *at = ev->addr + ev->size;
}

static void add_event(const struct emitter *e, const struct qn_event *ev, uint64_t *at)
{
    switch (ev->kind) {
    case QN_EV_FETCH: add_fetch(ev, at); break;
    case QN_EV_DATA: add(data_kind(ev), ev->size); break;
    case QN_EV_STRING:
    case QN_EV_COMPLEX: add(QN_ITEM_OPEN, 0); break;
    case QN_EV_COND: add(ev->fixed ? QN_ITEM_FIXED : QN_ITEM_COND, !ev->fixed && e->b->target <= e->b->at[ev->insn] ? QN_ITEM_BACKWARD : 0); break;
    case QN_EV_INDIRECT: add(QN_ITEM_INDIRECT, 0); break;
    case QN_EV_CALL: add(QN_ITEM_CALL, 0); break;
    default: add(QN_ITEM_RETURN, 0); break;
    }
}

void emit_record_define(struct emitter *e)
{
    uint64_t at = e->b->pc;

    if (!emit_rules.record || !e->b->n)
        return;
    n_items = 0;
    for (unsigned n = 0; n < e->list->n; n++)
        add_event(e, &e->list->ev[n], &at);
    e->item_open = false;
    e->id = qn_sim_log_define(e->b->pc, items, n_items);
}

/* Appends a word; S2 = its address. */
static void word(struct emitter *e, uint32_t value, enum qn_log_word kind)
{
    x_store_imm_table(&e->hot, e->s2, AT(addr), value);
    x_store32_imm_table(&e->hot, e->s2, AT(kind), kind);
    x_lea(&e->hot, e->s2, e->s2, QN_REG_NONE, 1, ENTRY);
}

void emit_record_block(struct emitter *e)
{
    if (!emit_rules.record || !e->b->n)
        return;
    emit_need_flags(e, 0);
    emit_log_open(e);
    word(e, e->id, QN_LOG_BLOCK);
}

static void open_item(struct emitter *e, unsigned i)
{
    emit_need_flags(e, i);
    emit_log_open(e);
    word(e, 0, QN_LOG_OPEN);
    emit_log_flush(e);
    e->item_open = true;
}

bool emit_record_event(struct emitter *e, const struct qn_event *ev, unsigned i)
{
    if (!emit_rules.record)
        return false;
    switch (ev->kind) {
    case QN_EV_FETCH:
    case QN_EV_CALL: return true;
    case QN_EV_COND: return ev->fixed;
    case QN_EV_STRING:
    case QN_EV_COMPLEX:
    case QN_EV_DATA: open_item(e, i); return false;
    default: return false;
    }
}

/* mov next, r ; the word ; mov r, next.  The flags stay. */
static void word_by(struct qn_code *c, unsigned r, enum qn_log_word kind)
{
    x_store32_imm_table(c, r, AT(kind), kind);
    x_lea(c, r, r, QN_REG_NONE, 1, ENTRY);
    x_store(c, NEXT, r);
}

void emit_record_end(struct emitter *e)
{
    if (!emit_rules.record || !e->item_open)
        return;
    x_load(&e->hot, e->s1, NEXT);
    word_by(&e->hot, e->s1, QN_LOG_CLOSE);
}

void emit_record_arm(struct emitter *e, bool taken)
{
    x_load(&e->hot, e->s1, NEXT);
    x_store_imm_table(&e->hot, e->s1, AT(addr), taken);
    word_by(&e->hot, e->s1, QN_LOG_TAKEN);
}

void emit_record_target(struct emitter *e)
{
    x_load(&e->hot, QN_R10, NEXT);
    x_table(&e->hot, X_STORE, QN_R11, QN_R10, AT(addr));
    word_by(&e->hot, QN_R10, QN_LOG_TARGET);
}
