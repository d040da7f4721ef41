/* lib/emit/batch.c - references to data written down, to be simulated many at a time (sim/batch.h).
 *
 *   hot:   mov next, S2 ;  test $full, S2 ;  jne cold         before the first of a block
 *          lea ea, S1 ;  mov S1, (S2) ;  movl $site, 8(S2)     the entry
 *          mov S1, S3 ;  and $line-1, S3 ;  cmp $line-size, S3 ;  ja over        if it has more than one byte
 *          rorx $shift, S1, S3 ;  and $mask, S3 ;  and $-line, S1
 *          cmp newest(S3), S1 ;  mov S1, newest(S3)
 *          lea 16(S2), S3 ;  cmovne S3, S2                     it stays if this is another line than the last of its set
 *          mov S2, next                                       behind the last, and before whatever else writes there or needs S2
 *   cold:  call qn_sim_batch_drain ;  mov next, S2 ;  jmp back
 *   over:  mov S2, next ;  move the clock on ;  call the simulator, which writes it down ;  mov next, S2 ;  jmp back
 *
 * So no jump depends on whether a line is there.
 */
#include "emit/internal.h"

#define NEXT ((uint64_t)(uintptr_t)&qn_sim_batch.next)
#define ENTRY ((uint32_t)sizeof(struct qn_log_entry))
_Static_assert(QN_EVENTS_MAX < QN_BATCH_ENTRIES, "a block's references fit behind a full batch");

bool emit_batches(const struct qn_event *ev)
{
    return emit_rules.batch && ev->kind == QN_EV_DATA && ev->size && ev->size <= QN_SITE_SIZE_MAX;
}

/* What has been written becomes part of the batch. */
void emit_batch_flush(struct emitter *e)
{
    if (e->batch_open)
        x_store(&e->hot, NEXT, e->s2);
    e->batch_open = false;
}

static void drain_if_full(struct emitter *e)
{
    uint64_t back;

    x_test_imm32(&e->hot, e->s2, QN_BATCH_FULL);
    x_jcc(&e->hot, X_CC_NE, e->cold.exec);
    back = e->hot.exec;
    emit_slow_call(&e->cold, qn_sim_batch_drain);
    x_load(&e->cold, e->s2, NEXT);
    x_jmp(&e->cold, back);
}

/* S2 = where the next entry will be. */
static void open_batch(struct emitter *e)
{
    if (e->batch_open)
        return;
    x_load(&e->hot, e->s2, NEXT);
    drain_if_full(e);
    e->batch_open = true;
}

/* Over two lines: a jump to cold code, from where it comes back to what the return value says. */
static uint64_t leave_if_over(struct emitter *e, const struct qn_event *ev)
{
    if (ev->size == 1)
        return 0;
    x_mov32(&e->hot, e->s3, e->s1);
    x_alu_imm32(&e->hot, 0, X_AND, e->s3, qn_sim_batch.line - 1);
    x_alu_imm32(&e->hot, 0, X_CMPI, e->s3, qn_sim_batch.line - ev->size);
    x_jcc(&e->hot, X_CC_A, e->cold.exec);
    return e->hot.exec;
}

static void call_if_over(struct emitter *e, const struct qn_event *ev)
{
    x_store(&e->cold, NEXT, e->s2);
    emit_clock(e, &e->cold);
    x_store_imm(&e->cold, CTX(arg_site), emit_site(e, ev));
    emit_slow_call_at(&e->cold, emit_reference_stub(e, qn_sim_slow_data, false));
    x_load(&e->cold, e->s2, NEXT);
    x_jmp(&e->cold, e->hot.exec);
}

static void write_entry(struct emitter *e, const struct qn_event *ev)
{
    x_table(&e->hot, X_STORE, e->s1, e->s2, offsetof(struct qn_log_entry, addr));
    x_store32_imm_table(&e->hot, e->s2, offsetof(struct qn_log_entry, site), emit_site(e, ev));
}

/* S1 = address. */
static void keep_if_changed(struct emitter *e)
{
    emit_offset(e, e->s3, qn_log2(qn_sim_batch.line) - 3, (qn_sim_batch.sets - 1) * 8);
    x_alu_imm32(&e->hot, 1, X_AND, e->s1, 0 - qn_sim_batch.line);
    x_table(&e->hot, X_CMP, e->s1, e->s3, qn_sim_batch.newest);
    x_table(&e->hot, X_STORE, e->s1, e->s3, qn_sim_batch.newest);
    x_lea(&e->hot, e->s3, e->s2, QN_REG_NONE, 1, ENTRY);
    x_cmov(&e->hot, X_CC_NE, e->s2, e->s3);
}

/* Does finding the address need S2? */
static bool needs_s2(const struct qn_event *ev, const struct qn_insn *in)
{
    return ev->mem.seg != QN_SEG_NONE || (in->attr & QN_ATTR_BT_REG);
}

/* The flags are free. */
void emit_batch(struct emitter *e, const struct qn_event *ev, int32_t shift)
{
    const struct qn_insn *in = &e->b->insn[ev->insn];
    uint64_t over;

    if (needs_s2(ev, in))
        emit_batch_flush(e);
    else
        open_batch(e);
    emit_address(e, &ev->mem, in, e->b->at[ev->insn] + in->len, shift);
    open_batch(e);
    over = leave_if_over(e, ev);
    write_entry(e, ev);
    keep_if_changed(e);
    if (over)
        call_if_over(e, ev);
    qn_emit_stats.data++;
}

/* In a stub: a miss of a code line, kind as in sim/contract.h.  Its address is in `address`, its site at site(%rsp); changes the other two
 * registers and the flags. */
void emit_batch_miss(struct qn_code *c, unsigned address, unsigned s1, unsigned s2, int32_t site, unsigned kind)
{
    uint64_t room;

    x_load(c, s1, NEXT);
    x_load32_table(c, s2, QN_RSP, (uint64_t)site);
    x_alu_imm32(c, 0, X_OR, s2, ~QN_SITE_COUNTER_MASK);
    x_table(c, X_STORE, address, s1, offsetof(struct qn_log_entry, addr));
    x_store32_at(c, s2, s1, 1, offsetof(struct qn_log_entry, site));
    x_store32_imm_table(c, s1, offsetof(struct qn_log_entry, kind), kind);
    x_lea(c, s1, s1, QN_REG_NONE, 1, ENTRY);
    x_store(c, NEXT, s1);
    x_test_imm32(c, s1, QN_BATCH_FULL);
    x_jcc(c, X_CC_E, 0);
    room = c->exec;
    x_call(c, (uint64_t)(uintptr_t)qn_sim_batch_drain);
    x_patch(room, c->exec);
}
