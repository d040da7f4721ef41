/* lib/emit/emit.c - the emitter's main loop.  See emit.h. */
#include "emit/internal.h"

/* The largest size of a block in hot or cold code: for entries and exits; and for each instruction, its copy, up to three data checks, a
 * fetch check, and saving and restoring the flags. */
#define FRAME_MAX 1024u
#define INSN_MAX 448u

struct qn_emit_rules emit_rules;
struct qn_emit_hooks emit_hooks;

void qn_emit_init(const struct qn_emit_hooks *hooks) { emit_hooks = *hooks; }

void qn_emit_set_rules(const struct qn_emit_rules *rules) { emit_rules = *rules; }

/* Returns `wanted` if the block does not use it, otherwise the first unused register of `order`: rarely allocated registers come first, the
 * preferred ones last, so that each keeps its role. */
static unsigned pick(uint16_t *used, unsigned wanted)
{
    static const uint8_t order[] = {8, 15, 14, 13, 12, 3, 5, 7, 6, 2, 1, 11, 10, 9};

    if (*used >> wanted & 1) {
        for (unsigned i = 0; i < sizeof order; i++)
            if (!(*used >> order[i] & 1)) {
                wanted = order[i];
                break;
            }
    }
    *used |= (uint16_t)(1u << wanted);
    return wanted;
}

static void choose_triple(struct emitter *e)
{
    uint16_t used = e->b->used;

    e->borrowed = emit_rules.caches;
    e->now = e->s1 = e->s2 = e->s3 = QN_NO_REG;
    if (e->borrowed) {
        e->now = (uint8_t)pick(&used, QN_PREF_NOW);
        e->s1 = (uint8_t)pick(&used, QN_PREF_S1);
        e->s2 = (uint8_t)pick(&used, QN_PREF_S2);
        if (emit_rules.batch)
            e->s3 = (uint8_t)pick(&used, QN_PREF_S3);
    }
    e->out.now = e->now;
    e->out.s1 = e->s1 & 15;
    e->out.s2 = e->s2 & 15;
    e->out.s3 = e->s3;
}

static void count_with_lea(struct emitter *e, uint64_t counter)
{
    unsigned r = e->borrowed ? e->s1 : QN_RCX;

    if (!e->borrowed)
        x_store(&e->hot, CTX(tmp), r);
    x_load(&e->hot, r, counter);
    x_lea(&e->hot, r, r, QN_REG_NONE, 1, 1);
    x_store(&e->hot, counter, r);
    if (!e->borrowed)
        x_load(&e->hot, r, CTX(tmp));
}

/* Counts an execution of this block, before its first event.  inc destroys flags, so if they are live: load, lea, store. */
void emit_count_execution(struct emitter *e)
{
    uint64_t counter = counter_address(e->counter);

    if (!emit_rules.counts || !e->b->n)
        return;
    emit_calls_add(e);
    if (emit_flags_free(e, 0))
        x_inc(&e->hot, counter);
    else
        count_with_lea(e, counter);
    emit_refs_count(e);
    emit_log_mark(e);
}

/* Is the event emitted together with its instruction, or at the end of the block, instead of before the instruction? */
static bool comes_later(const struct qn_event *ev)
{
    return ev->kind == QN_EV_STRING || ev->kind == QN_EV_INDIRECT || ev->kind == QN_EV_RETURN ||
           (ev->kind == QN_EV_COND && !ev->fixed);
}

/* For --data: `count` events from n on are checked before instruction i. */
static void note_places(const struct emitter *e, unsigned n, unsigned count, unsigned i)
{
    for (unsigned k = n; emit_hooks.place && k < n + count; k++)
        if (e->list->ev[k].kind == QN_EV_DATA)
            emit_hooks.place(e->centre + e->list->ev[k].counter, e->b->at[e->list->ev[k].insn], e->b->at[i]);
}

/* Emits event n, and the events that form a group with it, before instruction i.  Returns their number. */
static unsigned emit_event(struct emitter *e, unsigned n, unsigned i)
{
    const struct qn_event *ev = &e->list->ev[n];
    unsigned grouped;

    if (emit_rules.record && ev->kind == QN_EV_FETCH)
        return 1;
    if (emit_logs(ev)) {
        emit_need_flags(e, i);
        emit_log(e, ev, e->shift[n]);
        return 1;
    }
    emit_log_flush(e);
    emit_refs_make(e, n, n + 1);
    if (emit_record_event(e, ev, i) || comes_later(ev) || emit_twin_repeats(ev))
        return 1;
    emit_need_flags(e, i);
    grouped = emit_group(e, n, i);
    emit_refs_make(e, n + 1, n + grouped);
    note_places(e, n, grouped ? grouped : 1, i);
    if (grouped)
        return grouped;
    switch (ev->kind) {
    case QN_EV_FETCH: emit_fetch(e, ev); break;
    case QN_EV_DATA: emit_data(e, ev, e->shift[n]); break;
    case QN_EV_COMPLEX: emit_complex(e, ev); break;
    case QN_EV_CALL: emit_call(e, ev); break;
    default: emit_fixed_cond(e, ev); break;
    }
    return 1;
}

static bool ends_block(const struct qn_block *b, unsigned i)
{
    return i + 1 == b->n && b->end != QN_END_FALL;
}

static void emit_insn(struct emitter *e, unsigned i, const struct qn_event *string)
{
    emit_refs_at(e, i);
    e->side[i].state = emit_flags_before(e, i) ? QN_SIDE_FLAGS_SAVED : 0;
    e->side[i].fix = QN_NO_REG;
    e->side[i].host = (uint16_t)(e->hot.exec - qn_tblock_entry2(&e->out));
    if (ends_block(e->b, i))
        return; /* emit_end emits it, after the clock has been updated */
    if (e->log_open)
        e->side[i].state |= QN_SIDE_BATCH;
    if (string)
        emit_string(e, i, string);
    else
        emit_copy(e, i);
}

/* Emits the check of the block's first code line first, so that a link from a block that ended in the same line can enter after it
 * (entry3).  Returns the number of events emitted. */
static unsigned first_fetch(struct emitter *e)
{
    const struct qn_event *ev = &e->list->ev[0];
    uint64_t line = qn_sim_i1_line;
    uint64_t entry;
    bool whole = e->list->n && ev->kind == QN_EV_FETCH && e->pos[0] == 0 && (ev->addr & (line - 1)) + ev->size <= line;

    if (!whole || e->b->probe || e->b->calls.entry || e->b->calls.moves || !emit_flags_free(e, 0) || (emit_rules.versus && !emit_twin_is_beside(ev)) || !emit_rules.filter || emit_rules.countdown || qn_sim_i1_hit == QN_HIT_CALL ||
        !qn_sim_i1_repeat_is_noop)
        return 0;
    emit_refs_make(e, 0, 1);
    entry = emit_fetch_or_enter(e, ev);
    if (e->b->volatile_code || line > QN_ENTRY3_LINE_MAX)
        return 1;
    e->out.line_bits = qn_log2(line) & 15;
    e->out.entry3 = (uint16_t)(entry - e->out.hot);
    return 1;
}

static void emit_body(struct emitter *e)
{
    unsigned n = 0;

    if (e->b->volatile_code && e->b->next != e->b->pc)
        emit_verify(e);
    emit_sample_entry(e);
    emit_countdown(e);
    emit_probe(e);
    emit_observed(e);
    emit_calls_begin(e);
    n = emit_rules.record ? 0 : first_fetch(e);
    if (!n)
        emit_count_execution(e);
    emit_record_block(e);
    for (unsigned i = 0; i < e->b->n; i++) {
        const struct qn_event *string = NULL;

        while (n < e->list->n && e->pos[n] <= i) {
            if (e->list->ev[n].kind == QN_EV_STRING)
                string = &e->list->ev[n];
            n += emit_event(e, n, i);
        }
        if (emit_rules.steps && !e->out.slots && i)
            emit_step(e);
        if (e->out.slots)
            emit_slot_before(e, i);
        emit_insn(e, i, string);
        if (e->out.slots && !ends_block(e->b, i))
            emit_slot_after(e, i);
    }
    emit_end(e);
}

/* The status flags that always have the guest's values at the entry.  With countdowns to samples there are none, because these look
 * further ahead for dead flags than one block. */
static uint8_t own_flags(const struct qn_block *b, bool instrumented)
{
    if (emit_rules.samples)
        return 0;
    return instrumented ? b->live[0] : QN_FLAGS_STATUS;
}

/* For modules that want sim_pc: the instruction of each site. */
static void note_sites(const struct qn_block *b, const struct qn_event_list *events, uint32_t centre)
{
    for (unsigned n = 0; qn_sim_wants_pc && n < events->n; n++)
        if (events->ev[n].kind == QN_EV_DATA)
            qn_sim_note_site(centre + events->ev[n].counter, b->at[events->ev[n].insn], emit_kind(&events->ev[n]));
}

uint32_t qn_emit_block(const struct qn_block *b, const struct qn_event_list *events, uint32_t counter, uint32_t centre,
                       uint32_t record, unsigned mode)
{
    static struct emitter e;
    bool instrumented = emit_rules.counts && b->n;

    e.b = b;
    e.list = events;
    e.counter = counter;
    e.centre = centre;
    e.flags_saved = e.log_open = false;
    e.data_time = e.code_time = 0;
    e.touched = ~0ull;
    note_sites(b, events, centre);
    emit_record_define(&e);
    qn_tcache_begin(FRAME_MAX + INSN_MAX * b->n, FRAME_MAX + INSN_MAX * b->n, &e.hot, &e.cold);
    e.index = qn_tcache_next_index();
    e.out = (struct qn_tblock){.pc = b->pc, .record = record, .ninsns = (uint8_t)b->n,
                               .nbytes = (uint16_t)(b->next - b->pc), .instrumented = instrumented,
                               .flags_in = own_flags(b, instrumented),
                               .mode = (uint16_t)mode, .caches = emit_rules.caches};
    e.out.hot = (uint32_t)e.hot.exec;
    e.out.cold = (uint32_t)e.cold.exec;
    e.out.slots = emit_rules.observes || (emit_rules.steps && emit_rules.filter && emit_slots_fit(b));
    if (emit_rules.steps || emit_rules.observes)
        emit_steps(&e);
    choose_triple(&e);
    emit_place_events(&e);
    emit_refs_begin(&e);
    emit_entries(&e);
    emit_body(&e);
    emit_refs_left(&e);
    e.out.end = (uint16_t)(e.hot.exec - e.out.hot);
    e.out.cold_end = (uint16_t)(e.cold.exec - e.out.cold);
    return qn_tcache_commit(&e.out, e.side, (uint32_t)e.hot.exec, (uint32_t)e.cold.exec);
}
