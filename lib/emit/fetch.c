/* lib/emit/fetch.c - the hit filter for fetches.  Each code line has a record:
 *
 *   hot:   cmpq $0, stamp ;  je slow ;  lea n(now), S1 ;  mov S1, stamp
 *   slow:  advance the clock ;  mov %rsp, S1 ;  call a stub on the slow-call stack ;  mov S1, %rsp ;  jmp back
 *          then data for the stub, four words: the site and the records of its lines (struct qn_fetch_site)
 *          or, for the default caches, the code for line_stub.c
 *
 * The cold code is as short as possible: code that misses in the simulated cache is likely to miss in the processor's, too.
 */
#include "emit/internal.h"

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
        x_jcc(&e->hot, X_CC_E, 0);
        slow[i] = e->hot.exec;
    }
    for (unsigned i = 0; i < n && qn_sim_i1_hit == QN_HIT_STAMP; i++)
        x_store(&e->hot, (uint64_t)(uintptr_t)&rec[i]->stamp, emit_time_register(e, e->code_time++));
    if (begins) {
        e->entry3 = e->hot.exec;
        if (emit_rules.check && !emit_twin_is_beside(ev)) /* not set on the way to entry3 */
            x_store_imm(&e->hot, CTX(result), 0);
        emit_count_execution(e);
    }
    back = emit_twin_fetch_slow(e, ev, e->hot.exec);
    for (unsigned i = 0; i < n; i++)
        x_patch(slow[i], e->cold.exec);
    if (begins) {
        emit_swap(e);
        emit_count_execution(e);
        emit_swap(e);
    }
    if (emit_twin_is_beside(ev))
        x_store_imm(&e->cold, CTX(result), 0);
    if (!emit_line_call(e, &e->cold, emit_site(e, ev), first, last, back))
        fetch_call(e, &e->cold, ev, first, last, back);
}

/* The simulation, without the twin of --check. */
static void simulate(struct emitter *e, const struct qn_event *ev, bool begins)
{
    uint64_t line = qn_sim_i1_line;
    uint64_t first = ev->addr & ~(line - 1), last = (ev->addr + ev->size - 1) & ~(line - 1);

    if (emit_rules.check && !emit_twin_is_beside(ev))
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
    if (emit_rules.check && !emit_twin_is_beside(ev))
        emit_twin_fetch(e, ev);
}

void emit_fetch(struct emitter *e, const struct qn_event *ev) { emit_either(e, ev, false); }

/* Returns the address of the entry after the check (entry3), for links that need no check.  The twin of --check fetches there, too. */
uint64_t emit_fetch_or_enter(struct emitter *e, const struct qn_event *ev)
{
    emit_either(e, ev, true);
    return e->entry3;
}
