/* lib/emit/fetch.c - the hit filter for fetches.  Each code line has a record:
 *
 *   hot:   cmpq $0, stamp ;  je slow ;  lea n(now), S1 ;  mov S1, stamp
 *   slow:  advance the clock ;  mov %rsp, S1 ;  call a stub on the slow-call stack ;  mov S1, %rsp ;  jmp back
 *          then data for the stub, four words: the site and the records of its lines (struct qn_fetch_site)
 *          or, for the default caches, a call of the stub for misses
 *
 * The cold code is as short as possible: code that misses in the simulated cache is likely to miss in the processor's, too.
 */
#include "emit/internal.h"

/* ---- the stub for misses: does the work of sim/fast/I1_LL.h for a line without a stamp ----
 *
 *   stamps: cmp, cmova ...       the least recently used line of the set is the victim
 *   the last level, counters     stub.c; or the miss is logged, log.c
 *
 * A fetch from two lines fills those that are not in the cache, and looks up both in the last level.
 *
 * There is one stub for each set of scratch registers; five more registers are saved on the slow-call stack.  It is entered by a call
 * on that stack, with the guest's %rsp in S1.  The block passes its data as immediate operands, which are faster than data in memory: the
 * record of the (last) line in S2; pushed before the call, the site and the record of the first line.
 */

#define BYTES_MAX 3072
#define WAYS_MAX 16 /* larger sets go to C */

enum { REC, SET, SLOT, TIME, HERE, NEXT, REGISTERS, SAVED = REGISTERS - 1 }; /* contents of the registers; the first is S2 */

enum { /* offsets from %rsp of what the caller has pushed */
    SITE = REGISTERS * 8,
    FIRST = SITE + 8
};

static uint32_t stubs[QN_SCRATCH_SETS][2][2]; /* by scratch registers; for batches or not, both lines or one */

static void find_oldest(struct qn_code *c, const unsigned *r)
{
    const struct qn_fast_I1 *l = &qn_fast.I1;

    x_load32_table(c, r[SET], r[REC], offsetof(struct qn_code_line, line));
    x_shr32(c, r[SET], l->line_bits);
    x_alu_imm32(c, 0, X_AND, r[SET], l->set_mask);
    x_imul32(c, r[SET], r[SET], l->ways * 8);
    x_movi(c, r[HERE], l->sets);
    x_lea(c, r[SET], r[SET], r[HERE], 1, 0);
    x_mov(c, r[SLOT], r[SET]);
    x_table(c, X_LOAD, r[HERE], r[SET], 0);
    x_table(c, X_LOAD, r[TIME], r[HERE], 0);
    for (unsigned k = 1; k < l->ways; k++) {
        x_table(c, X_LOAD, r[HERE], r[SET], k * 8);
        x_lea(c, r[NEXT], r[SET], QN_REG_NONE, 1, (int32_t)k * 8);
        x_table(c, X_CMP, r[TIME], r[HERE], 0);
        x_cmov(c, X_CC_A, r[SLOT], r[NEXT]);
        x_table(c, X_CMOVA, r[TIME], r[HERE], 0);
    }
}

/* Fills the line of REC into the cache and stamps it. */
static void take_in(struct qn_code *c, const unsigned *r, unsigned now)
{
    find_oldest(c, r);
    x_table(c, X_LOAD, r[HERE], r[SLOT], 0);
    x_movi(c, r[NEXT], 0);
    x_table(c, X_STORE, r[NEXT], r[HERE], offsetof(struct qn_code_line, stamp));
    x_table(c, X_STORE, r[REC], r[SLOT], 0);
    x_lea(c, now, now, QN_REG_NONE, 1, 1);
    x_table(c, X_STORE, now, r[REC], offsetof(struct qn_code_line, stamp));
}

/* The same, if the line is not in the cache yet. */
static void touch(struct qn_code *c, const unsigned *r, unsigned now)
{
    uint64_t hit, end;

    x_movi(c, r[TIME], 0);
    x_table(c, X_CMP, r[TIME], r[REC], offsetof(struct qn_code_line, stamp));
    hit = x_jcc(c, X_CC_NE, 0);
    take_in(c, r, now);
    end = x_jmp(c, 0);
    x_patch(hit, c->exec);
    x_lea(c, now, now, QN_REG_NONE, 1, 1);
    x_table(c, X_STORE, now, r[REC], offsetof(struct qn_code_line, stamp));
    x_patch(end, c->exec);
}

/* The first line, whose record is in memory, then the last, whose record is in REC, also at the end. */
static void touch_both(struct qn_code *c, const unsigned *r, unsigned now)
{
    x_push(c, r[REC]);
    x_table(c, X_LOAD, r[REC], QN_RSP, FIRST + 8);
    touch(c, r, now);
    x_pop(c, r[REC]);
    touch(c, r, now);
}

/* Looks the line of REC up in the levels below, or both lines: r[3] = 1 if that misses, too, else 0. */
static void look_up(struct qn_code *c, const unsigned *r, bool both)
{
    if (both) {
        x_table(c, X_LOAD, r[1], QN_RSP, FIRST);
        x_table(c, X_LOAD, r[2], r[REC], offsetof(struct qn_code_line, line));
        x_store(c, CTX(arg_aux), r[2]);
    }
    x_table(c, X_LOAD, r[1], both ? r[1] : r[REC], offsetof(struct qn_code_line, line));
    if (qn_fast.L2.ways)
        x_store(c, CTX(arg_addr), r[1]);
    emit_last_level_look_up(c, r[1], both, r + 1);
}

/* Simulates the last level and counts, or logs the miss for later. */
static void tell_of_miss(struct qn_code *c, const unsigned *r, bool both)
{
    if (emit_rules.log_all || emit_rules.batch) {
        x_table(c, X_LOAD, r[1], r[REC], offsetof(struct qn_code_line, line));
        if (both)
            x_lea(c, r[1], r[1], QN_REG_NONE, 1, -1);
        emit_log_append(c, r[1], r[2], r[3], SITE, QN_LOG_FETCH, both ? 2 : 1); /* a byte of each */
        return;
    }
    x_load32_table(c, r[HERE], QN_RSP, SITE);
    x_store(c, CTX(arg_site), r[HERE]);
    look_up(c, r, both);
    emit_last_level_account(c, r + 1);
}

static uint32_t make_stub(const struct emitter *e, bool both)
{
    struct qn_code c = emit_stub_begin(BYTES_MAX, false);
    uint32_t at = (uint32_t)c.exec;
    unsigned r[REGISTERS] = {e->s2};

    if (!c.p)
        return 0;
    emit_spare_registers(e, SAVED, r + 1);
    emit_save(&c, SAVED, r + 1);
    x_lea(&c, e->now, e->now, QN_REG_NONE, 1, QN_EVENTS_MAX); /* later than all that the block has written */
    if (both)
        touch_both(&c, r, e->now);
    else
        take_in(&c, r, e->now);
    tell_of_miss(&c, r, both);
    if (emit_rules.stats)
        x_inc(&c, (uint64_t)(uintptr_t)&qn_sim_traffic.fetches);
    emit_restore(&c, SAVED, r + 1);
    x_byte(&c, X_RET);
    emit_stub_end(&c);
    return at;
}

static bool eligible(void)
{
    const struct qn_fast_I1 *l = &qn_fast.I1;

    return l->ways && l->ways <= WAYS_MAX && emit_has_levels_below(l->line_bits);
}

/* Address of the stub for the block's registers, and for one line or both; 0: none. */
static uint32_t stub_of(const struct emitter *e, bool both)
{
    uint32_t *at = &stubs[emit_scratch_number(e)][emit_rules.batch || emit_rules.log_all][both];

    if (!*at && eligible())
        *at = make_stub(e, both);
    return *at;
}

/* Emits the call in cold code, for a fetch from the lines that begin at first and last.  false: there is no stub, and nothing is written. */
static bool emit_line_call(struct emitter *e, struct qn_code *c, uint32_t site, uint64_t first, uint64_t last, uint64_t back)
{
    uint32_t stub = stub_of(e, first != last);

    if (!stub)
        return false;
    x_mov(c, e->s1, QN_RSP);
    x_movi(c, QN_RSP, (uint64_t)(uintptr_t)qn_slow_stack_top);
    x_movi(c, e->s2, (uint64_t)(uintptr_t)qn_sim_code_line(last));
    if (first != last)
        x_push_imm(c, (uint32_t)(uintptr_t)qn_sim_code_line(first));
    x_push_imm(c, site);
    x_call(c, stub);
    x_mov(c, QN_RSP, e->s1);
    x_jmp(c, back);
    return true;
}

/* ---- the filter ---- */

static void compare_stamp(struct qn_code *c, const struct qn_code_line *rec)
{
    x_bytes(c, "\x48\x83", 2); /* cmpq $0, rec->stamp */
    x_rip(c, 7, (uint64_t)(uintptr_t)&rec->stamp, 1);
    x_byte(c, 0);
}

static void describe(struct qn_code *c, const struct emitter *e, const struct qn_event *ev, uint64_t first, uint64_t last)
{
    const struct qn_fetch_site s = {emit_site(e, ev), (uint32_t)(uintptr_t)qn_sim_code_line(last),
                                    first != last ? (uint32_t)(uintptr_t)qn_sim_code_line(first) : 0, (uint32_t)(ev->addr - first)};

    x_bytes(c, &s, sizeof s);
}

/* The call.  Its data follows the jump back; the stub finds it by its return address. */
static void fetch_call(struct emitter *e, struct qn_code *c, const struct qn_event *ev, uint64_t first, uint64_t last, uint64_t back)
{
    emit_clock(e, c);
    x_mov(c, e->s1, QN_RSP);
    x_movi(c, QN_RSP, (uint64_t)(uintptr_t)qn_slow_stack_top);
    x_call(c, emit_fetch_stub(e));
    x_mov(c, QN_RSP, e->s1);
    x_jmp(c, back);
    describe(c, e, ev, first, last);
}

/* A call in hot code, without a check. */
static void fetch_always(struct emitter *e, const struct qn_event *ev, uint64_t first, uint64_t last)
{
    uint64_t jump;

    fetch_call(e, &e->hot, ev, first, last, 0);
    jump = e->hot.exec - sizeof(struct qn_fetch_site);
    x_patch(jump, e->hot.exec);
}

/* begins: this is the block's first event.  Both paths then count the execution, after the comparison, but before the miss is simulated. */
static void fetch_filter(struct emitter *e, const struct qn_event *ev, uint64_t first, uint64_t last, bool begins)
{
    const struct qn_code_line *rec[2];
    unsigned n = 0;
    uint64_t slow[2], back;

    if (first == last || first != e->touched || !qn_sim_i1_repeat_is_noop) /* the line fetched just before needs no check */
        rec[n++] = qn_sim_code_line(first);
    if (last != first)
        rec[n++] = qn_sim_code_line(last);
    e->touched = last;
    for (unsigned i = 0; i < n; i++) {
        compare_stamp(&e->hot, rec[i]);
        slow[i] = x_jcc(&e->hot, X_CC_E, 0);
    }
    for (unsigned i = 0; i < n && qn_sim_i1_hit == QN_HIT_STAMP; i++)
        x_store(&e->hot, (uint64_t)(uintptr_t)&rec[i]->stamp, emit_time_register(e, e->code_time++));
    if (begins) {
        e->entry3 = e->hot.exec;
        if (emit_rules.check && !emit_shadow_is_inline(ev)) /* not set on the way to entry3 */
            x_store_imm(&e->hot, CTX(result), 0);
        emit_count_execution(e);
    }
    back = emit_shadow_fetch_slow(e, ev, e->hot.exec);
    for (unsigned i = 0; i < n; i++)
        x_patch(slow[i], e->cold.exec);
    if (begins) {
        emit_swap(e);
        emit_count_execution(e);
        emit_swap(e);
    }
    if (emit_shadow_is_inline(ev))
        x_store_imm(&e->cold, CTX(result), 0);
    if (!emit_line_call(e, &e->cold, emit_site(e, ev), first, last, back))
        fetch_call(e, &e->cold, ev, first, last, back);
}

/* The simulation, without the shadow model of --check. */
static void simulate(struct emitter *e, const struct qn_event *ev, bool begins)
{
    uint64_t line = qn_sim_i1_line;
    uint64_t first = ev->addr & ~(line - 1), last = (ev->addr + ev->size - 1) & ~(line - 1);

    if (emit_rules.check && !emit_shadow_is_inline(ev))
        x_store_imm(&e->hot, CTX(result), 0);
    if (emit_rules.filter && qn_sim_i1_hit != QN_HIT_CALL && !ev->repeat)
        fetch_filter(e, ev, first, last, begins);
    else if (!ev->repeat)
        fetch_always(e, ev, first, last);
    qn_emit_stats.fetch++;
}

static void emit_either(struct emitter *e, const struct qn_event *ev, bool begins)
{
    simulate(e, ev, begins);
    if (emit_rules.check && !emit_shadow_is_inline(ev))
        emit_shadow_fetch(e, ev);
}

void emit_fetch(struct emitter *e, const struct qn_event *ev) { emit_either(e, ev, false); }

/* Returns the address of the entry after the check (entry3), for links that need no check.  The shadow model of --check fetches there, too. */
uint64_t emit_fetch_or_enter(struct emitter *e, const struct qn_event *ev)
{
    emit_either(e, ev, true);
    return e->entry3;
}
