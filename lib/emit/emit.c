/* lib/emit/emit.c - the emitter's main loop: events are scheduled, then emitted between the copies of the guest's instructions.
 *
 *   block, list of events  ->  qn_emit_block  ->  hot and cold code, side table; its index in the code cache
 */
#include "base/format.h"
#include "emit/internal.h"

/* ---- event scheduling: the place of each event's check in the block ----
 *
 * A check may be anywhere before its instruction, as long as the order of the events is kept and its
 * address can be computed there.  So a check at which the flags are live moves up to a place where
 * they are dead:
 *
 *   add $8,%rsp           <- flags live from here to the unknown caller
 *   pop %rbx              => all three checked before the add, at 8(%rsp), 16(%rsp), 24(%rsp)
 *   pop %rbp
 *   ret
 */

#define MAX_SHIFT (1 << 20) /* bytes: a stack adjustment larger than this is not followed */

static uint16_t address_registers(const struct qn_event *ev)
{
    uint16_t regs = 0;

    if (ev->mem.base < 16)
        regs |= (uint16_t)(1u << ev->mem.base);
    if (ev->mem.index < 16 && !ev->mem.vsib)
        regs |= (uint16_t)(1u << ev->mem.index);
    return regs;
}

static bool extended_b(const struct qn_insn *in) { return in->rex & 1; }

/* The constant that instruction i adds to rsp; false: it is not known at translation. */
static bool stack_delta(const struct qn_block *b, unsigned i, int32_t *delta)
{
    const struct qn_insn *in = &b->insn[i];
    bool simple = in->map == 0 && in->encoding == QN_ENC_LEGACY && !in->opsz_prefix;

    if (!simple)
        return false;
    if ((in->opcode & 0xf8) == 0x50) {
        *delta = -8;
        return true;
    }
    if ((in->opcode & 0xf8) == 0x58) {
        *delta = 8;
        return in->opcode != 0x5c || extended_b(in);
    }
    if ((in->opcode == 0x83 || in->opcode == 0x81) && in->opsize == 8 && !extended_b(in) &&
        in->imm > -MAX_SHIFT && in->imm < MAX_SHIFT) {
        *delta = (int32_t)(in->modrm == 0xc4 ? in->imm : -in->imm);
        return in->modrm == 0xc4 || in->modrm == 0xec; /* add or sub, rsp */
    }
    return false;
}

/* May the check move before instruction i?  Adjusts *shift if so. */
static bool may_pass(const struct emitter *e, uint16_t regs, unsigned i, int32_t *shift, bool indexed_by_rsp_only)
{
    uint16_t hit = e->b->insn[i].writes & regs;
    int32_t delta;

    if (!hit)
        return true;
    if (hit != (1u << QN_RSP) || !indexed_by_rsp_only || !stack_delta(e->b, i, &delta))
        return false;
    *shift += delta;
    return true;
}

static bool can_hoist(const struct emitter *e, const struct qn_event *ev)
{
    if (ev->kind != QN_EV_FETCH && ev->kind != QN_EV_DATA)
        return false;
    return !(e->b->insn[ev->insn].attr & QN_ATTR_BT_REG) || ev->kind == QN_EV_FETCH;
}

static void place_one(struct emitter *e, unsigned n, unsigned lowest)
{
    const struct qn_event *ev = &e->list->ev[n];
    uint16_t regs = ev->kind == QN_EV_DATA ? address_registers(ev) : 0;
    unsigned p = ev->insn;
    int32_t shift = 0;

    e->pos[n] = ev->insn;
    e->shift[n] = 0;
    if (!can_hoist(e, ev))
        return;
    while (e->b->live[p] && p > lowest && may_pass(e, regs, p - 1, &shift, ev->mem.base == QN_RSP))
        p--;
    if (e->b->live[p] == 0 && p != ev->insn) {
        e->pos[n] = (uint8_t)p;
        e->shift[n] = shift;
        qn_emit_stats.hoisted++;
    }
}

static void emit_place_events(struct emitter *e)
{
    unsigned lowest = 0;

    for (unsigned n = 0; n < e->list->n; n++) {
        place_one(e, n, lowest);
        lowest = e->pos[n];
        if (e->list->ev[n].kind == QN_EV_STRING)
            lowest = e->list->ev[n].insn + 1u;
    }
}

/* May a data reference be checked before instruction `position`?  *shift: to be added to its displacement there. */
bool emit_can_stand_at(const struct emitter *e, const struct qn_event *ev, unsigned position, int32_t *shift)
{
    uint16_t regs = address_registers(ev);

    for (unsigned p = ev->insn; p > position; p--)
        if (!may_pass(e, regs, p - 1, shift, ev->mem.base == QN_RSP))
            return false;
    return true;
}

/* ---- precise flags: the guest's status flags are saved while emitted checks change them ----
 *
 * Dead flags are not saved.  Live flags are saved to ctx.saved_flags once, stay there over as many events as
 * possible, and are restored before the next instruction that reads them, or does not write all of them.
 */

struct qn_emit_stats qn_emit_stats;

/* Saves rax, which lahf and sahf need: in S1 if it is borrowed, otherwise in memory. */
static void park_rax(struct emitter *e)
{
    if (e->borrowed)
        x_mov(&e->hot, e->s1, QN_RAX);
    else
        x_store(&e->hot, CTX(tmp), QN_RAX);
}

static void unpark_rax(struct emitter *e)
{
    if (e->borrowed)
        x_mov(&e->hot, QN_RAX, e->s1);
    else
        x_load(&e->hot, QN_RAX, CTX(tmp));
}

void emit_save_flags(struct emitter *e)
{
    if (e->flags_saved)
        return;
    park_rax(e);
    x_byte(&e->hot, 0x9f);                 /* lahf */
    x_bytes(&e->hot, "\x0f\x90\xc0", 3);   /* seto %al */
    x_store32(&e->hot, CTX(saved_flags), QN_RAX);
    unpark_rax(e);
    e->flags_saved = true;
    qn_emit_stats.flag_saves++;
}

void emit_restore_flags(struct emitter *e)
{
    if (!e->flags_saved)
        return;
    park_rax(e);
    x_load32(&e->hot, QN_RAX, CTX(saved_flags));
    x_bytes(&e->hot, "\x04\x7f", 2);       /* add $127, %al: overflows if OF was set */
    x_byte(&e->hot, 0x9e);                 /* sahf */
    unpark_rax(e);
    e->flags_saved = false;
}

bool emit_flags_free(const struct emitter *e, unsigned i)
{
    return e->flags_saved || e->b->live[i] == 0;
}

void emit_need_flags(struct emitter *e, unsigned i)
{
    if (!emit_flags_free(e, i))
        emit_save_flags(e);
}

/* The flags whose new values do not depend on the old ones.  Flags that an instruction leaves undefined may: processors keep some of them.
 * But if AF alone is undefined, as after logic and shifts, it does not. */
static uint8_t surely_written(const struct emitter *e, const struct qn_insn *in)
{
    return e->b->exact_flags && (in->flags_undef & ~QN_AF) ? in->flags_written & (uint8_t)~in->flags_undef : in->flags_written;
}

static bool emit_flags_before(struct emitter *e, unsigned i)
{
    const struct qn_insn *in = &e->b->insn[i];
    uint8_t reads = in->flags_read & QN_FLAGS_STATUS;
    uint8_t writes = (in->flags_written | in->flags_maywrite) & QN_FLAGS_STATUS;

    if (!e->flags_saved)
        return false;
    if (reads || (writes && (e->b->live[i + 1] & ~surely_written(e, in)))) {
        emit_restore_flags(e);
        return false;
    }
    if (writes || e->b->live[i + 1] == 0)
        e->flags_saved = false;
    return true;
}

/* ---- the block ---- */

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

static void choose_scratch(struct emitter *e)
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

void emit_add_with_lea(struct emitter *e, uint64_t counter, int32_t n)
{
    unsigned r = e->borrowed ? e->s1 : QN_RCX;

    if (!e->borrowed)
        x_store(&e->hot, CTX(tmp), r);
    x_load(&e->hot, r, counter);
    x_lea(&e->hot, r, r, QN_REG_NONE, 1, n);
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
        emit_add_with_lea(e, counter, 1);
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
    if (emit_record_event(e, ev, i) || comes_later(ev) || emit_shadow_repeats(ev))
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

    if (!whole || e->b->probe || e->b->calls.entry || e->b->calls.moves || !emit_flags_free(e, 0) || (emit_rules.versus && !emit_shadow_is_inline(ev)) || !emit_rules.filter || emit_rules.countdown || qn_sim_i1_hit == QN_HIT_CALL ||
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
        if (emit_rules.steps && !e->out.traced && i)
            emit_step(e);
        if (e->out.traced)
            emit_trace_before(e, i);
        emit_insn(e, i, string);
        if (e->out.traced && !ends_block(e->b, i))
            emit_trace_after(e, i);
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
    e.out.traced = emit_rules.observes || (emit_rules.steps && emit_rules.filter && emit_trace_fits(b));
    if (emit_rules.steps || emit_rules.observes)
        emit_steps(&e);
    choose_scratch(&e);
    emit_place_events(&e);
    emit_refs_begin(&e);
    emit_entries(&e);
    emit_body(&e);
    emit_refs_left(&e);
    e.out.end = (uint16_t)(e.hot.exec - e.out.hot);
    e.out.cold_end = (uint16_t)(e.cold.exec - e.out.cold);
    return qn_tcache_commit(&e.out, e.side, (uint32_t)e.hot.exec, (uint32_t)e.cold.exec);
}

/* ---- diagnostics: run --trace=emit prints why a reference or branch has no short form ----
 *
 *   40101a: D r 4: each reference is a call: the module in slot D1 says of no line that its hits change nothing
 *   401020: Bc: written down: a module is in slot BC
 *
 * The short forms are: the hit filter for data (check.c) with its stub (lru_stub.c), the hit filter for code with its stub (fetch.c),
 * and the default predictors in assembly (branch.c).
 */

static const char *why_no_filter(const struct qn_event *ev)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    bool writes = ev->write || (ev->mem.access & QN_ACC_WRITE);

    if (qn_sim_log_all)
        return "written down: the module in slot D1 wants to see each reference";
    if (emit_rules.batch || emit_rules.log_all)
        return "written down: so many references miss that a jump on each could not be predicted";
    if (emit_rules.sees)
        return "each reference is a call: --explain looks at it";
    if (!emit_rules.filter)
        return "each reference is a call: --no-filter";
    if (qn_sim_analyses)
        return "each reference is a call: an analysis module sees it";
    if (!f->entries)
        return "each reference is a call: the module in slot D1 says of no line that its hits change nothing";
    if (!ev->size || ev->size > f->line)
        return "a call: it is larger than a line";
    return f->writes_call && writes ? "a call: to the module in slot D1 no write changes nothing" : NULL;
}

static const char *why_no_data_stub(const struct qn_event *ev)
{
    if (!qn_fast.D1.sets)
        return "behind the filter; what does not pass is a call: slot D1 does not hold the default file as it was proven";
    if (qn_sim_utilization)
        return "behind the filter; what does not pass is a call: --data=use looks at it";
    if ((ev->size & (ev->size - 1)) || ev->size > QN_SITE_SIZE_MAX)
        return "behind the filter; what does not pass is a call: the size is no power of two";
    return NULL;
}

static const char *why_no_fetch(void)
{
    if (!emit_rules.filter)
        return "each fetch is a call: --no-filter";
    if (qn_sim_i1_hit == QN_HIT_CALL)
        return qn_sim_analyses ? "each fetch is a call: an analysis module sees it" : "each fetch is a call: so the module in slot I1 wants it";
    return qn_fast.I1.ways ? NULL : "behind the filter; a miss is a call: slot I1 does not hold the default file as it was proven";
}

static const char *why_no_prediction(const struct qn_event *ev)
{
    if (ev->kind == QN_EV_INDIRECT)
        return qn_fast.BI.targets ? NULL : "a call: slot BI does not hold the default file as it was proven";
    if (qn_fast.BC.counters)
        return emit_rules.caches && !ev->fixed ? NULL : "a call: there are no registers to do it in";
    return qn_sim_branches.next ? "written down: slot BC does not hold the default file as it was proven"
                                : "a call: slot BC does not hold the default file as it was proven";
}

static const char *why(const struct qn_event *ev)
{
    const char *text;

    switch (ev->kind) {
    case QN_EV_FETCH: return ev->repeat ? NULL : why_no_fetch();
    case QN_EV_DATA: return (text = why_no_filter(ev)) ? text : why_no_data_stub(ev);
    case QN_EV_STRING: return "worked out in C behind the instruction: it repeats itself";
    case QN_EV_COMPLEX: return "worked out in C before the instruction: what it references depends on more than an address";
    case QN_EV_COND:
    case QN_EV_INDIRECT: return why_no_prediction(ev);
    default: return NULL;
    }
}

void qn_emit_diagnose(const struct qn_block *b, const struct qn_event_list *list, void (*out)(const char *line))
{
    char line[240];

    for (unsigned n = 0; n < list->n; n++) {
        const struct qn_event *ev = &list->ev[n];
        const char *text = why(ev);

        if (!text)
            continue;
        if (ev->kind == QN_EV_DATA)
            qn_format(line, sizeof line, "  %lx: D %s %u: %s", b->at[ev->insn], ev->write ? "w" : "r", (unsigned)ev->size, text);
        else
            qn_format(line, sizeof line, "  %lx: %s: %s", b->at[ev->insn], qn_event_kind_name(ev->kind), text);
        out(line);
    }
}
