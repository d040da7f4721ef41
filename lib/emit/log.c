/* lib/emit/log.c - logs references, which are simulated many at a time (sim/fast/log.h).
 *
 * Without a jump on hit or miss, in the block; the engine is called to drain the log when it is full:
 *
 *   hot:   mov next, S2 ;  test $full, S2 ;  jne cold         before the first of a block
 *          lea ea, S1 ;  mov S1, (S2) ;  movq $site, 8(S2)     the entry
 *          mov S1, S3 ;  and $line-1, S3 ;  cmp $line-size, S3 ;  ja over        if it has more than one byte
 *          rorx $shift, S1, S3 ;  and $mask, S3 ;  and $-line, S1
 *          cmp newest(S3), S1 ;  mov S1, newest(S3)
 *          lea 16(S2), S3 ;  cmovne S3, S2                     keep the entry if this is not the line used last in its set
 *          mov S2, next                                       after the last one, and before other code that appends or needs S2
 *   cold:  call qn_sim_log_drain ;  mov next, S2 ;  jmp back
 *   over:  mov S2, next ;  advance the clock ;  call the simulator, which logs it ;  mov next, S2 ;  jmp back
 *
 * fetch.c logs code lines that miss the I1, with emit_log_append.
 */
#include "emit/internal.h"

#define NEXT ((uint64_t)(uintptr_t)&qn_sim_log.next)
#define BEGAN ((uint64_t)(uintptr_t)&qn_sim_log.began)
#define ENTRY ((int32_t)sizeof(struct qn_log_entry))
#define AT(field) offsetof(struct qn_log_entry, field)
_Static_assert(QN_EVENTS_MAX < QN_LOG_ENTRIES, "a block's references fit behind a full log");
_Static_assert(AT(kind) == AT(site) + 4 && QN_LOG_READ == 0, "a store of eight bytes writes both");

/* In a stub: appends an entry for the reference whose address is in `address` and whose site is at site(%rsp).  Destroys the other two
 * registers and the flags.  size: replaces the size in the site. */
void emit_log_append(struct qn_code *c, unsigned address, unsigned s1, unsigned s2, int32_t site, enum qn_log_kind kind, unsigned size)
{
    uint64_t room;

    x_load(c, s1, NEXT);
    x_load32_table(c, s2, QN_RSP, (uint64_t)site);
    x_alu_imm32(c, 0, X_AND, s2, QN_SITE_COUNTER_MASK);
    x_alu_imm32(c, 0, X_OR, s2, size << QN_SITE_SIZE_SHIFT);
    x_table(c, X_STORE, address, s1, AT(addr));
    x_store32_at(c, s2, s1, 1, AT(site));
    x_store32_imm_table(c, s1, AT(kind), kind);
    x_lea(c, s1, s1, QN_REG_NONE, 1, ENTRY);
    x_store(c, NEXT, s1);
    x_test_imm32(c, s1, QN_LOG_FULL);
    room = x_jcc(c, X_CC_E, 0);
    x_call(c, emit_c_entry(qn_sim_log_drain));
    x_patch(room, c->exec);
}

/* ---- without a jump ---- */

bool emit_logs(const struct qn_event *ev)
{
    return (emit_rules.batch || emit_rules.log_all) && ev->kind == QN_EV_DATA && ev->size && ev->size <= QN_SITE_SIZE_MAX;
}

/* The block begins: entries before this place belong to executions that have ended. */
void emit_log_mark(struct emitter *e)
{
    if ((!emit_rules.batch && !emit_rules.log_all && !emit_rules.log_misses) || emit_rules.record)
        return;
    x_load(&e->hot, e->s2, NEXT);
    x_store(&e->hot, BEGAN, e->s2);
}

/* Makes the entries written so far part of the log. */
void emit_log_flush(struct emitter *e)
{
    if (e->log_open)
        x_store(&e->hot, NEXT, e->s2);
    e->log_open = false;
}

static void drain_if_full(struct emitter *e)
{
    uint64_t back;

    x_test_imm32(&e->hot, e->s2, QN_LOG_FULL);
    back = x_jcc(&e->hot, X_CC_NE, e->cold.exec);
    emit_slow_call(&e->cold, qn_sim_log_drain);
    x_load(&e->cold, e->s2, NEXT);
    x_jmp(&e->cold, back);
}

/* S2 = address of the next entry. */
static void emit_log_open(struct emitter *e)
{
    if (e->log_open)
        return;
    x_load(&e->hot, e->s2, NEXT);
    if (!emit_rules.record) /* whose blocks are not split */
        drain_if_full(e);
    e->log_open = true;
}

/* If the reference spans two lines, jumps to cold code.  The return value is for patching the jump back. */
static uint64_t leave_if_over(struct emitter *e, const struct qn_event *ev)
{
    if (ev->size == 1)
        return 0;
    x_mov32(&e->hot, e->s3, e->s1);
    x_alu_imm32(&e->hot, 0, X_AND, e->s3, qn_sim_log.line - 1);
    x_alu_imm32(&e->hot, 0, X_CMPI, e->s3, qn_sim_log.line - ev->size);
    return x_jcc(&e->hot, X_CC_A, e->cold.exec);
}

static void call_if_over(struct emitter *e, const struct qn_event *ev)
{
    x_store(&e->cold, NEXT, e->s2);
    emit_clock(e, &e->cold);
    x_store_imm(&e->cold, CTX(arg_site), emit_site(e, ev));
    emit_slow_call_at(&e->cold, emit_reference_stub(e, emit_slow_entry(ev), 0));
    x_load(&e->cold, e->s2, NEXT);
    x_jmp(&e->cold, e->hot.exec);
}

enum qn_log_kind emit_kind(const struct qn_event *ev)
{
    return ev->write ? QN_LOG_WRITE : ev->mem.access & QN_ACC_WRITE ? QN_LOG_MODIFY : QN_LOG_READ;
}

static void write_entry(struct emitter *e, const struct qn_event *ev)
{
    uint32_t site = emit_site(e, ev), kind = emit_rules.log_all || qn_sim_kinds ? emit_kind(ev) : QN_LOG_READ;

    x_table(&e->hot, X_STORE, e->s1, e->s2, AT(addr));
    x_store_imm_table(&e->hot, e->s2, AT(site), site);
    if (kind != QN_LOG_READ || site >> 31) /* a size of 64: sign extension of the site has set bits of the kind */
        x_store32_imm_table(&e->hot, e->s2, AT(kind), kind);
}

/* S1 = address.  Keeps the entry if its line is not the line used last in its set. */
static void keep_if_changed(struct emitter *e)
{
    emit_offset(e, e->s3, qn_log2(qn_sim_log.line) - 3, (qn_sim_log.sets - 1) * 8);
    x_alu_imm32(&e->hot, 1, X_AND, e->s1, 0 - qn_sim_log.line);
    x_table(&e->hot, X_CMP, e->s1, e->s3, qn_sim_log.newest);
    x_table(&e->hot, X_STORE, e->s1, e->s3, qn_sim_log.newest);
    x_lea(&e->hot, e->s3, e->s2, QN_REG_NONE, 1, ENTRY);
    x_cmov(&e->hot, X_CC_NE, e->s2, e->s3);
}

/* Does finding the address need S2? */
static bool needs_s2(const struct qn_event *ev, const struct qn_insn *in)
{
    return ev->mem.seg != QN_SEG_NONE || (in->attr & QN_ATTR_BT_REG);
}

/* ---- words of a recorder: see below ---- */

#define WORD ((int32_t)sizeof(uint64_t))
#define HEAD 4 /* in a pair, the upper half of the first word */

static uint32_t head_of(enum qn_log_word kind) { return ((uint32_t)kind | QN_LOG_PAIR) << (QN_LOG_KIND_SHIFT - 32); }

/* Appends the address in this register, of a reference or a target; `to` = where. */
static void append_address(struct emitter *e, unsigned address, unsigned to, enum qn_log_word kind)
{
    if (e->has_open)
        x_store32_imm_table(&e->hot, to, HEAD, head_of(kind));
    x_table(&e->hot, X_STORE, address, to, e->has_open ? WORD : 0);
    x_lea(&e->hot, to, to, QN_REG_NONE, 1, e->has_open ? 2 * WORD : WORD);
}

/* Logs a data reference.  The flags must be free. */
void emit_log(struct emitter *e, const struct qn_event *ev, int32_t shift)
{
    const struct qn_insn *in = &e->b->insn[ev->insn];
    uint64_t over;

    if (needs_s2(ev, in))
        emit_log_flush(e);
    else
        emit_log_open(e);
    emit_address(e, &ev->mem, in, e->b->at[ev->insn] + in->len, shift);
    emit_log_open(e);
    over = emit_rules.log_all ? 0 : leave_if_over(e, ev);
    if (emit_rules.record)
        append_address(e, e->s1, e->s2, (enum qn_log_word)emit_kind(ev));
    else
        write_entry(e, ev);
    if (!emit_rules.log_all)
        keep_if_changed(e);
    else if (!emit_rules.record)
        x_lea(&e->hot, e->s2, e->s2, QN_REG_NONE, 1, ENTRY);
    if (over)
        call_if_over(e, ev);
    qn_emit_stats.data++;
    if (!emit_rules.check)
        return;
    emit_log_flush(e);
    emit_address(e, &ev->mem, in, e->b->at[ev->insn] + in->len, shift);
    x_store(&e->hot, CTX(arg_addr), e->s1);
    emit_check_shadow(e, ev, qn_sim_check_data);
}

/* ---- the log of a recorder (sim/contract.h): all references and branches of a block ----
 *
 *   the block is defined once        fetches, references, branches: its items
 *   hot:   mov next, S2 ; test $full, S2 ; jne drain ;  mov S2, began ;  movq $id, (S2) ; lea 8(S2), S2
 *          lea ea, S1 ; mov S1, (S2) ; lea 8(S2), S2                each data reference
 *          mov S2, next                                             at the end, and before C is called
 *   taken: mov began, S1 ; movl $1, 4(S1)                           an arm of the conditional branch at its end
 *
 * Fetches, calls and branches that are never taken need no code, because they follow from the execution of the block.  References that
 * only C can compute (repeated strings, gathers, states) lie between two pairs, OPEN and CLOSE; all else in such a block is a pair, too.
 */

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
    e->item_open = e->has_open = false;
    for (unsigned i = 0; i < n_items; i++)
        e->has_open |= items[i].kind == QN_ITEM_OPEN;
    e->id = qn_sim_log_define(e->b->pc, items, n_items);
}

void emit_record_block(struct emitter *e)
{
    if (!emit_rules.record || !e->b->n)
        return;
    emit_need_flags(e, 0);
    emit_log_open(e);
    drain_if_full(e);
    if (e->has_open)
        x_store_imm(&e->hot, BEGAN, 0);
    else
        x_store(&e->hot, BEGAN, e->s2);
    x_store_imm_table(&e->hot, e->s2, 0, e->id);
    x_lea(&e->hot, e->s2, e->s2, QN_REG_NONE, 1, WORD);
}

static void open_item(struct emitter *e, unsigned i)
{
    emit_need_flags(e, i);
    emit_log_open(e);
    x_store32_imm_table(&e->hot, e->s2, HEAD, head_of(QN_LOG_OPEN));
    x_lea(&e->hot, e->s2, e->s2, QN_REG_NONE, 1, 2 * WORD);
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

/* mov next, S1 ; the pair ; mov S1, next.  The flags stay. */
static void append_pair(struct emitter *e, enum qn_log_word kind, uint32_t value)
{
    x_load(&e->hot, e->s1, NEXT);
    x_store32_imm_table(&e->hot, e->s1, HEAD, head_of(kind));
    x_store_imm_table(&e->hot, e->s1, WORD, value);
    x_lea(&e->hot, e->s1, e->s1, QN_REG_NONE, 1, 2 * WORD);
    x_store(&e->hot, NEXT, e->s1);
}

void emit_record_end(struct emitter *e)
{
    if (emit_rules.record && e->item_open)
        append_pair(e, QN_LOG_CLOSE, 0);
}

void emit_record_arm(struct emitter *e, bool taken)
{
    if (e->has_open) {
        append_pair(e, QN_LOG_TAKEN, taken);
    } else if (taken) {
        x_load(&e->hot, e->s1, BEGAN);
        x_store32_imm_table(&e->hot, e->s1, HEAD, QN_LOG_BLOCK_TAKEN >> 32);
    }
}

void emit_record_target(struct emitter *e)
{
    x_load(&e->hot, QN_R10, NEXT);
    append_address(e, QN_R11, QN_R10, QN_LOG_TARGET);
    x_store(&e->hot, NEXT, QN_R10);
}
