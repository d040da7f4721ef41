/* lib/emit/lru_stub.c - the default data cache in assembly: does the work of sim/fast/D1.h for a line that is not in its home.
 *
 *   straddling?  both lines in their homes: both are stamped, done; else C
 *   cmp entries+0*stride(set), line ;  je found ...     in another entry of the set: swapped with the line in its home,
 *                                                     stamped, done
 *   stamps: cmp, cmova ...                            a miss: the same with the entry of the oldest stamp, the victim; then
 *                                                     the next level, here (last_level.c) or in C (qn_sim_d1_missed)
 *
 * There is one stub for each triple of borrowed registers and size; four more registers are saved on the slow-call stack.  It is entered
 * like the stubs of stub.c: with S1 = address ^ line of the entry at S2, or, after the first instruction, with the address itself.  But the
 * site is on the stack, after the return address, and the stub advances the clock (unless times are reported).  So the cold code of each
 * check is shorter.
 *
 * --explain: the reference is counted, and the word of the last user moves with its line.
 */
#include "emit/internal.h"

#define BYTES_MAX 2880
#define SLOTS_MAX 16 /* larger sets go to C */
#define SAVED 4
#define SIZES 7     /* 1 to 64 bytes, powers of two; others go to C */
#define RESERVED (1u << 20) /* bytes of the fixed part that are left for stubs that cannot be done without */

struct lru {
    struct qn_code c;
    unsigned line, home, now;        /* S1, S2 and the clock; home: offset in the tables */
    unsigned set, slot, time, other; /* set, slot: offsets of the set's first entry and of the victim's entry */
    unsigned saved[SAVED];           /* set, slot, time and other */
    unsigned slots;                  /* of a set */
    uint32_t stride;                 /* bytes between two slots of a set */
};

static struct lru_stub {
    uint32_t again, known; /* addresses of the two entries; 0: not made yet */
} stubs[QN_TRIPLES][SIZES];

static void choose_registers(struct lru *s, const struct emitter *e)
{
    s->line = e->s1;
    s->home = e->s2;
    s->now = e->now;
    emit_spare_registers(e, SAVED, s->saved);
    s->set = s->saved[0];
    s->slot = s->saved[1];
    s->time = s->saved[2];
    s->other = s->saved[3];
}

#define SITE ((SAVED + 1) * 8) /* from %rsp, behind the registers and the return address */

static void restore(struct lru *s) { emit_restore(&s->c, SAVED, s->saved); }

static void stamp(struct lru *s, unsigned entry)
{
    x_lea(&s->c, s->now, s->now, QN_REG_NONE, 1, 1);
    x_table(&s->c, X_STORE, s->now, entry, qn_sim_d1_filter.entries + 8);
}

/* With --stats: incq data.  References that go on to C are counted there. */
static void count_slow(struct lru *s)
{
    if (emit_rules.stats)
        x_inc(&s->c, (uint64_t)(uintptr_t)&qn_sim_traffic.data);
}

/* --explain: increments the number of references, and adds the site, which is in ctx.  Destroys two registers. */
static void count_user(struct lru *s)
{
    const uint64_t now = (uintptr_t)&qn_sim_users.now;

    if (!qn_sim_users.table)
        return;
    x_load(&s->c, s->time, now);
    x_lea(&s->c, s->time, s->time, QN_REG_NONE, 1, QN_USER_ONE);
    x_store(&s->c, now, s->time);
    x_load32(&s->c, s->other, CTX(arg_site));
    x_alu_imm32(&s->c, 0, X_AND, s->other, QN_SITE_COUNTER_MASK);
    x_lea(&s->c, s->time, s->time, s->other, 1, 0);
    x_store(&s->c, (uintptr_t)&qn_sim_users.me, s->time);
}

/* Notes this reference as the last user of the line at `entry`. */
static void note_user(struct lru *s, unsigned entry)
{
    if (!qn_sim_users.table)
        return;
    x_load(&s->c, s->time, (uintptr_t)&qn_sim_users.me);
    x_table(&s->c, X_STORE, s->time, entry, qn_sim_users.table);
}

/* S1 = the line of the address.  A reference over two lines is done if both are in their homes; otherwise it goes to C. */
static void settle_straddling(struct lru *s, unsigned size, uint64_t to)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    uint64_t within, away[2];

    x_mov32(&s->c, s->other, s->line);
    x_alu_imm32(&s->c, 0, X_AND, s->other, f->line - 1);
    x_alu_imm32(&s->c, 1, X_AND, s->line, 0 - f->line);
    x_alu_imm32(&s->c, 0, X_CMPI, s->other, f->line - size);
    x_jcc(&s->c, X_CC_BE, 0);
    within = s->c.exec;
    x_table(&s->c, X_CMP, s->line, s->home, f->entries);
    x_jcc(&s->c, X_CC_NE, 0);
    away[0] = s->c.exec;
    x_lea(&s->c, s->other, s->line, QN_REG_NONE, 1, (int32_t)f->line);
    x_mov32(&s->c, s->set, s->other);
    x_shr32(&s->c, s->set, f->shift);
    x_alu_imm32(&s->c, 0, X_AND, s->set, f->mask);
    x_table(&s->c, X_CMP, s->other, s->set, f->entries);
    x_jcc(&s->c, X_CC_NE, 0);
    away[1] = s->c.exec;
    stamp(s, s->home);
    stamp(s, s->set);
    count_user(s);
    note_user(s, s->home);
    note_user(s, s->set);
    count_slow(s);
    restore(s);
    x_byte(&s->c, X_RET);
    x_patch(away[0], s->c.exec);
    x_patch(away[1], s->c.exec);
    x_load(&s->c, s->line, CTX(arg_addr));
    restore(s);
    x_jmp(&s->c, to);
    x_patch(within, s->c.exec);
}

/* Writes the comparisons with all entries of the set; `at`: where their jumps for a line that is found end. */
static void search(struct lru *s, uint64_t at[SLOTS_MAX])
{
    for (unsigned k = 0; k < s->slots; k++) {
        x_table(&s->c, X_CMP, s->line, s->set, qn_sim_d1_filter.entries + k * s->stride);
        x_jcc(&s->c, X_CC_E, 0);
        at[k] = s->c.exec;
    }
}

/* slot = the one with the oldest stamp. */
static void find_oldest(struct lru *s)
{
    uint64_t stamps = qn_sim_d1_filter.entries + 8;

    x_mov(&s->c, s->slot, s->set);
    x_table(&s->c, X_LOAD, s->time, s->set, stamps);
    for (unsigned k = 1; k < s->slots; k++) {
        x_lea(&s->c, s->other, s->set, QN_REG_NONE, 1, (int32_t)(k * s->stride));
        x_table(&s->c, X_CMP, s->time, s->set, stamps + k * s->stride);
        x_cmov(&s->c, X_CC_A, s->slot, s->other);
        x_cmova_table(&s->c, s->time, s->set, stamps + k * s->stride);
    }
}

/* Moves the line in the home entry to `slot`, puts the referenced line into its home and stamps it. */
static void bring_home(struct lru *s)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    x_table(&s->c, X_LOAD, s->time, s->home, f->entries);
    x_table(&s->c, X_LOAD, s->other, s->home, f->entries + 8);
    x_table(&s->c, X_STORE, s->time, s->slot, f->entries);
    x_table(&s->c, X_STORE, s->other, s->slot, f->entries + 8);
    x_table(&s->c, X_STORE, s->line, s->home, f->entries);
    stamp(s, s->home);
    if (!qn_sim_users.table)
        return;
    x_table(&s->c, X_LOAD, s->time, s->home, qn_sim_users.table);
    x_table(&s->c, X_STORE, s->time, s->slot, qn_sim_users.table);
    note_user(s, s->home);
}

/* For analyses: stores the victim, which is in `slot`, and the time of its last use. */
static void note_victim(struct lru *s)
{
    const uint64_t entries = qn_sim_d1_filter.entries, victim = (uintptr_t)&qn_sim_victim;

    if (!emit_times_matter())
        return;
    x_table(&s->c, X_LOAD, s->other, s->slot, entries);
    x_store(&s->c, victim, s->other);
    x_store(&s->c, victim + 8, s->time); /* the oldest */
    if (!qn_sim_users.table)
        return;
    x_table(&s->c, X_LOAD, s->other, s->slot, qn_sim_users.table);
    x_store(&s->c, (uintptr_t)&qn_sim_users.was, s->other);
}

/* Simulates the last level and returns. */
static void look_up_next(struct lru *s)
{
    const unsigned scratch[] = {s->home, s->set, s->slot, s->time, s->other};

    emit_last_level(&s->c, s->line, scratch);
    count_slow(s);
    restore(s);
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
    count_slow(s);
    restore(s);
    emit_frame_out(e, &s->c);
    x_jmp(&s->c, (uint64_t)(uintptr_t)qn_sim_missed);
}

/* Appends the miss to those that analyses process later. */
static void write_miss(struct lru *s, const unsigned scratch[5])
{
    uint64_t full;

    emit_later_write(&s->c, scratch);
    restore(s);
    x_jcc(&s->c, X_CC_E, 0);
    full = s->c.exec;
    x_byte(&s->c, X_RET);
    x_patch(full, s->c.exec);
    x_jmp(&s->c, (uint64_t)(uintptr_t)qn_sim_later_tell);
}

/* After the D1 has missed and filled the line: the last level, the counters, the analyses. */
static void ask_next(struct lru *s, const struct emitter *e)
{
    bool later = emit_has_last_level() && qn_sim_later.count, here = emit_has_last_level() && !emit_times_matter(), told = qn_sim_tells_misses;
    const unsigned scratch[] = {s->home, s->set, s->slot, s->time, s->other};
    uint64_t to_C = 0, at_once[2] = {0};

    if (later) {
        if (sim_waits.left)
            emit_later_or_jump(&s->c, s->line, scratch, at_once);
        emit_last_level(&s->c, s->line, scratch);
        count_slow(s);
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
    restore(s);
    emit_frame_out(e, &s->c);
    x_jmp(&s->c, (uint64_t)(uintptr_t)qn_sim_d1_missed);
}

static void write_stub(struct lru *s, const struct emitter *e, unsigned size, uint64_t simple)
{
    uint64_t found[SLOTS_MAX], tail[SLOTS_MAX];

    emit_save(&s->c, SAVED, s->saved);
    x_load32_table(&s->c, s->other, QN_RSP, SITE);
    x_store(&s->c, CTX(arg_site), s->other);
    if (!emit_times_matter()) /* otherwise the block has advanced it */
        x_lea(&s->c, s->now, s->now, QN_REG_NONE, 1, QN_EVENTS_MAX); /* later than all that the block has written */
    x_store(&s->c, CTX(arg_addr), s->line);
    settle_straddling(s, size, simple);
    count_user(s);
    x_mov32(&s->c, s->set, s->home);
    x_alu_imm32(&s->c, 0, X_AND, s->set, s->stride - 16);
    search(s, found);
    find_oldest(s);
    note_victim(s);
    bring_home(s);
    ask_next(s, e);
    for (unsigned k = 0; k < s->slots; k++) {
        x_patch(found[k], s->c.exec);
        x_lea(&s->c, s->slot, s->set, QN_REG_NONE, 1, (int32_t)(k * s->stride));
        x_jmp(&s->c, 0);
        tail[k] = s->c.exec;
    }
    for (unsigned k = 0; k < s->slots; k++)
        x_patch(tail[k], s->c.exec);
    count_slow(s);
    bring_home(s);
    restore(s);
    x_byte(&s->c, X_RET);
}

static struct lru_stub make_stub(const struct emitter *e, struct lru *s, unsigned size)
{
    uint32_t simple = emit_reference_stub(e, qn_sim_slow_data, false);
    struct lru_stub stub = {0, 0};

    s->c = emit_stub_begin(BYTES_MAX + RESERVED);
    if (!s->c.p)
        return stub;
    choose_registers(s, e);
    stub.again = (uint32_t)s->c.exec;
    x_table(&s->c, X_XOR, s->line, s->home, qn_sim_d1_filter.entries);
    stub.known = (uint32_t)s->c.exec;
    write_stub(s, e, size, simple);
    emit_stub_end(&s->c);
    return stub;
}

/* Address of the stub for the block's registers and a reference of `size` bytes; 0: none.  On entry S2 = offset of the line's home, and
 * S1 = address if `known`, otherwise address ^ entries(S2). */
uint32_t emit_lru_stub(const struct emitter *e, unsigned size, bool known)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    uint32_t sets = qn_fast.D1.sets;
    struct lru s = {.slots = sets ? (f->mask / 16 + 1) / sets : 0, .stride = sets * 16};
    struct lru_stub *stub;

    if (s.slots < 2 || s.slots > SLOTS_MAX || qn_sim_kinds || qn_sim_tells_far || qn_sim_uses || (size & (size - 1)) || size >> SIZES)
        return 0;
    stub = &stubs[emit_triple(e)][qn_log2(size)];
    if (!stub->again)
        *stub = make_stub(e, &s, size);
    return known ? stub->known : stub->again;
}
