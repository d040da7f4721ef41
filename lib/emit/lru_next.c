/* lib/emit/lru_next.c - what the stub of the default data cache does after a miss: the last level, the counters, the analyses. */
#include "emit/lru.h"

/* Simulates the last level and returns. */
static void look_up_next(struct lru *s)
{
    const unsigned scratch[] = {s->home, s->set, s->slot, s->time, s->other};

    emit_last_level(&s->c, s->line, scratch);
    lru_count_slow(s);
    lru_restore(s);
    x_byte(&s->c, X_RET);
}

/* If sim_miss_to was called for this site, writes the address there.  Returns where the jump for all other sites ends. */
static uint64_t write_address(struct lru *s)
{
    uint64_t told;

    x_load32(&s->c, s->home, CTX(arg_site));
    x_alu_imm32(&s->c, 0, X_AND, s->home, QN_SITE_COUNTER_MASK);
    x_movi(&s->c, s->set, (uintptr_t)qn_sim_miss_to);
    x_lea(&s->c, s->set, s->set, s->home, 8, 0);
    x_table(&s->c, X_LOAD, s->set, s->set, 0);
    x_alu_imm32(&s->c, 1, X_CMPI, s->set, 0);
    x_jcc(&s->c, X_CC_E, 0);
    told = s->c.exec;
    x_load(&s->c, s->home, CTX(arg_addr));
    x_table(&s->c, X_STORE, s->home, s->set, 0);
    return told;
}

/* Simulates the last level, then calls the hook that alone asks for misses (qn_sim_missed). */
static void tell_looked_up(struct lru *s, const struct emitter *e)
{
    const unsigned scratch[] = {s->home, s->set, s->slot, s->time, s->other};

    emit_last_level(&s->c, s->line, scratch);
    x_store(&s->c, CTX(arg_aux), scratch[2]);
    lru_count_slow(s);
    lru_restore(s);
    emit_frame_out(e, &s->c);
    x_jmp(&s->c, (uint64_t)(uintptr_t)qn_sim_missed);
}

/* Returns.  ZF: a list is full, then `tell` is called. */
static void leave_or_tell(struct lru *s, qn_slow_call *tell)
{
    uint64_t full;

    lru_restore(s);
    x_jcc(&s->c, X_CC_E, 0);
    full = s->c.exec;
    x_byte(&s->c, X_RET);
    x_patch(full, s->c.exec);
    x_jmp(&s->c, (uint64_t)(uintptr_t)tell);
}

/* Appends the miss to those that analyses process later. */
static void write_miss(struct lru *s, const unsigned scratch[5])
{
    emit_later_write(&s->c, scratch);
    leave_or_tell(s, qn_sim_later_tell);
}

/* Not if someone else asks for misses. */
static bool writes_passed(void) { return qn_sim_users.next && !qn_sim_tells_misses && !qn_sim_tells_lines && emit_has_last_level(); }

#define PASSED(member) offsetof(struct qn_sim_passed, member)

/* All but advancing `next`.  time = the victim's last use. */
bool emit_lru_pass(struct lru *s)
{
    const unsigned entry = s->set;

    if (!writes_passed())
        return false;
    x_load(&s->c, entry, (uintptr_t)&qn_sim_users.next);
    x_table(&s->c, X_STORE, s->line, entry, PASSED(line));
    x_table(&s->c, X_LOAD, s->other, s->slot, qn_sim_d1_filter.entries);
    x_table(&s->c, X_STORE, s->other, entry, PASSED(victim));
    x_table(&s->c, X_STORE, s->time, entry, PASSED(victim_used));
    x_table(&s->c, X_LOAD, s->other, s->slot, qn_sim_users.table);
    x_table(&s->c, X_STORE, s->other, entry, PASSED(user));
    x_load(&s->c, s->other, (uintptr_t)&qn_sim_users.me);
    x_table(&s->c, X_STORE, s->other, entry, PASSED(me));
    return true;
}

static void pass_on(struct lru *s, const unsigned scratch[5])
{
    emit_last_level(&s->c, s->line, scratch);
    lru_count_slow(s);
    x_load(&s->c, s->other, (uintptr_t)&qn_sim_users.next);
    x_lea(&s->c, s->other, s->other, QN_REG_NONE, 1, sizeof(struct qn_sim_passed));
    x_store(&s->c, (uintptr_t)&qn_sim_users.next, s->other);
    x_alu_imm32(&s->c, 0, X_CMPI, s->other, (uint32_t)(uintptr_t)(qn_sim_passed + QN_PASSED));
    leave_or_tell(s, qn_sim_passed_tell);
}

/* After the D1 has missed and filled the line: the last level, the counters, the analyses. */
void emit_lru_next(struct lru *s, const struct emitter *e)
{
    bool later = emit_has_last_level() && qn_sim_later.count, here = emit_has_last_level() && !emit_times_matter(), told = qn_sim_tells_misses;
    const unsigned scratch[] = {s->home, s->set, s->slot, s->time, s->other};
    uint64_t to_C = 0, at_once[2] = {0};

    if (writes_passed()) {
        pass_on(s, scratch);
        return;
    }
    if (later) {
        if (sim_waits.left)
            emit_later_or_jump(&s->c, s->line, scratch, at_once);
        emit_last_level(&s->c, s->line, scratch);
        lru_count_slow(s);
        write_miss(s, scratch);
        if (!sim_waits.left)
            return;
        x_patch(at_once[0], s->c.exec);
        x_patch(at_once[1], s->c.exec);
        told = true, here = false;
    }
    if (here && qn_sim_missed) {
        tell_looked_up(s, e);
        return;
    }
    if (here && told && qn_sim_miss_to)
        to_C = write_address(s);
    if (here && (!told || to_C))
        look_up_next(s);
    if (here && !told)
        return;
    if (to_C)
        x_patch(to_C, s->c.exec);
    lru_restore(s);
    emit_frame_out(e, &s->c);
    x_jmp(&s->c, (uint64_t)(uintptr_t)qn_sim_d1_missed);
}
