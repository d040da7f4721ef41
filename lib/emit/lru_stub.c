/* lib/emit/lru_stub.c - the default data cache in assembly: does the work of sim/fast/D1.h for a line that is not in its home.
 *
 *   straddling?  both lines in their homes: both are stamped, done; else C
 *   cmp entries+0*stride(set), line ;  je found ...     in another entry of the set: swapped with the line in its home,
 *                                                     stamped, done
 *   stamps: cmp, cmova ...                            a miss: the same with the entry of the oldest stamp, the victim; then
 *                                                     the next level, here (stub.c) or in C (qn_sim_d1_missed)
 *
 * There is one stub for each set of scratch registers and size; four more registers are saved on the slow-call stack.  It is entered
 * like the stubs of stub.c: with S1 = address ^ line of the entry at S2, or, after the first instruction, with the address itself.  But the
 * site is on the stack, after the return address, and the stub advances the clock.  So the cold code of each
 * check is shorter.
 *
 * The stream of records (sim/contract.h): a miss appends one.  With qn_sim_stream.uses, a use of a line that is not recent does, too: a
 * search of their own finds these lines; a hit in the home entry returns.  A recent line is evicted, and comes back, by C only.
 * --explain: the reference is counted, and the word of the last user moves with its line.
 */
#include "emit/internal.h"

#define LRU_SAVED 4
#define SITE ((LRU_SAVED + 1) * 8) /* from %rsp, behind the registers and the return address */

struct lru {
    struct qn_code c;
    unsigned line, home, now;        /* S1, S2 and the clock; home: offset in the tables */
    unsigned set, slot, time, other; /* set, slot: offsets of the set's first entry and of the victim's entry */
    unsigned saved[LRU_SAVED];       /* set, slot, time and other */
    unsigned slots;                  /* of a set */
    uint32_t stride;                 /* bytes between two slots of a set */
    enum qn_log_kind kind;           /* with qn_sim_kinds; else READ */
};

static inline void lru_restore(struct lru *s) { emit_restore(&s->c, LRU_SAVED, s->saved); }

/* With --stats: incq data.  References that go on to C are counted there. */
static inline void lru_count_slow(struct lru *s)
{
    if (emit_rules.stats)
        x_inc(&s->c, (uint64_t)(uintptr_t)&qn_sim_traffic.data);
}

/* ---- records ----
 *
 *   r = next ;  r->addr, line, site ... = ... ;  next = r + 1 ;  next >= full?  call qn_sim_stream_full
 */

#define RECORD(member) offsetof(struct sim_record, member)
#define RECORD_WHAT_SHIFT 16 /* size, what and kind are one word */
_Static_assert(RECORD(what) == RECORD(size) + RECORD_WHAT_SHIFT / 8 && RECORD(kind) == RECORD(what) + 1, "see write_record");

/* Appends a record and returns.  scratch[2]: of a miss, 0 or 1: it also missed the LL.  Destroys the five registers. */
static void write_record(struct lru *s, bool missed)
{
    const unsigned r = s->home, at = s->set, what = s->slot, other = s->other;
    struct qn_code *c = &s->c;
    uint64_t full;

    if (missed) {
        x_lea(c, what, what, what, 1, SIM_L1_MISS | SIM_FILLED); /* ll * SIM_LL_MISS + ... */
        x_imul32(c, what, what, 1u << RECORD_WHAT_SHIFT);
    } else {
        x_movi(c, what, 0);
    }
    x_movi(c, at, (uintptr_t)qn_sim_stream.next);
    x_table(c, X_LOAD, r, at, 0);
    x_store32_at(c, what, r, 1, RECORD(size));
    x_table(c, X_STORE, s->line, r, RECORD(line));
    x_load(c, what, CTX(arg_addr));
    x_table(c, X_STORE, what, r, RECORD(addr));
    if (missed && qn_sim_stream.victims) {
        x_load(c, what, (uintptr_t)&qn_sim_victim.line);
        x_table(c, X_STORE, what, r, RECORD(victim));
    }
    if (missed && qn_sim_users.table) {
        x_load(c, what, (uintptr_t)&qn_sim_users.me);
        x_table(c, X_STORE, what, r, RECORD(user));
        x_load(c, what, (uintptr_t)&qn_sim_users.was);
        x_table(c, X_STORE, what, r, RECORD(last_user));
    }
    x_load32(c, what, CTX(arg_site));
    x_store32_at(c, what, r, 1, RECORD(site));
    x_alu_imm32(c, 0, X_AND, what, QN_SITE_COUNTER_MASK);
    emit_execution(c, other, what);
    x_table(c, X_STORE, other, r, RECORD(execution));
    x_lea(c, r, r, QN_REG_NONE, 1, sizeof(struct sim_record));
    x_table(c, X_STORE, r, at, 0); /* at the end, so that the collector finds no record that is not complete */
    x_op_abs(c, 1, 0x3b, r, (uintptr_t)&qn_sim_stream.full); /* cmp full, r */
    lru_restore(s);
    full = x_jcc(c, X_CC_AE, 0);
    x_byte(c, X_RET);
    x_patch(full, c->exec);
    x_jmp(c, emit_c_entry(qn_sim_stream_full));
}

/* ---- after a miss: the last level, the counters, the analyses ---- */

/* After the D1 has missed and filled the line: the last level, the counters, the analyses.  qn_sim_missed is the hook that alone asks for
 * misses. */
static void emit_lru_next(struct lru *s, const struct emitter *e, unsigned size)
{
    const unsigned scratch[] = {s->home, s->set, s->slot, s->time, s->other};
    bool here = !emit_rules.log_misses && emit_has_last_level() && (qn_sim_missed || !qn_sim_tells_misses);

    if (here) {
        emit_last_level(&s->c, s->line, scratch);
        lru_count_slow(s);
    }
    if (here && !qn_sim_missed && qn_sim_stream.first) {
        write_record(s, true);
        return;
    }
    if (emit_rules.log_misses) {
        x_load(&s->c, s->line, CTX(arg_addr));
        emit_log_append(&s->c, s->line, s->set, s->slot, SITE, s->kind, size);
        lru_count_slow(s);
        lru_restore(s);
        x_byte(&s->c, X_RET);
        return;
    }
    if (here && qn_sim_missed)
        x_store(&s->c, CTX(arg_aux), scratch[2]);
    lru_restore(s);
    if (here && !qn_sim_missed) {
        x_byte(&s->c, X_RET);
        return;
    }
    emit_frame_out(e, &s->c);
    if (qn_sim_kinds)
        x_store_imm(&s->c, CTX(arg_aux), s->kind);
    x_jmp(&s->c, emit_c_entry(here ? qn_sim_missed : qn_sim_d1_missed));
}

#define BYTES_MAX 4096
#define SLOTS_MAX 16 /* larger sets go to C */
#define SIZES 7     /* 1 to 64 bytes, powers of two; others go to C */
#define KINDS 4     /* of data references; without qn_sim_kinds one stub serves all */

static struct lru_stub {
    uint32_t again, known; /* addresses of the two entries; 0: not made yet */
} stubs[QN_SCRATCH_SETS][SIZES][KINDS];

static void choose_registers(struct lru *s, const struct emitter *e)
{
    s->line = e->s1;
    s->home = e->s2;
    s->now = e->now;
    emit_spare_registers(e, LRU_SAVED, s->saved);
    s->set = s->saved[0];
    s->slot = s->saved[1];
    s->time = s->saved[2];
    s->other = s->saved[3];
}

/* The site is on the stack. */
static void note_site(struct lru *s)
{
    x_load32_table(&s->c, s->other, QN_RSP, SITE);
    x_store(&s->c, CTX(arg_site), s->other);
}

static void stamp(struct lru *s, unsigned entry)
{
    x_lea(&s->c, s->now, s->now, QN_REG_NONE, 1, 1);
    x_table(&s->c, X_STORE, s->now, entry, qn_sim_d1_filter.entries + 8);
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

/* C will count it. */
static void uncount_user(struct lru *s)
{
    if (!qn_sim_users.table)
        return;
    x_bytes(&s->c, "\x48\x81", 2); /* subq $QN_USER_ONE, now */
    x_rip(&s->c, 5, (uintptr_t)&qn_sim_users.now, 4);
    x_u32(&s->c, QN_USER_ONE);
}

/* Notes this reference as the last user of the line at `entry`. */
static void note_user(struct lru *s, unsigned entry)
{
    if (!qn_sim_users.table)
        return;
    x_load(&s->c, s->time, (uintptr_t)&qn_sim_users.me);
    x_table(&s->c, X_STORE, s->time, entry, qn_sim_users.table);
}

static void go_to_C(struct lru *s, uint64_t simple)
{
    x_load(&s->c, s->line, CTX(arg_addr));
    lru_restore(s);
    x_jmp(&s->c, simple);
}

/* S1 = the line of the address of a reference over two lines.  If both are in their homes, both are stamped.  away: where the jumps end if not. */
static void stamp_both(struct lru *s, uint64_t away[2])
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    x_table(&s->c, X_CMP, s->line, s->home, f->entries);
    away[0] = x_jcc(&s->c, X_CC_NE, 0);
    x_lea(&s->c, s->other, s->line, QN_REG_NONE, 1, (int32_t)f->line);
    x_mov32(&s->c, s->set, s->other);
    x_shr32(&s->c, s->set, f->shift);
    x_alu_imm32(&s->c, 0, X_AND, s->set, f->mask);
    x_table(&s->c, X_CMP, s->other, s->set, f->entries);
    away[1] = x_jcc(&s->c, X_CC_NE, 0);
    stamp(s, s->home);
    stamp(s, s->set);
    count_user(s);
    note_user(s, s->home);
    note_user(s, s->set);
    if (qn_sim_users.table)
        x_inc(&s->c, (uint64_t)(uintptr_t)&qn_sim_users.extra);
    lru_count_slow(s);
    lru_restore(s);
    x_byte(&s->c, X_RET);
}

/* S1 = the line of the address.  A reference over two lines that are not both in their homes goes to C; where touches are written down, whose
 * readers count lines, any reference over two lines. */
static void check_straddling(struct lru *s, unsigned size, uint64_t simple)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    uint64_t within, away[2];

    x_mov32(&s->c, s->other, s->line);
    x_alu_imm32(&s->c, 0, X_AND, s->other, f->line - 1);
    x_alu_imm32(&s->c, 1, X_AND, s->line, 0 - f->line);
    x_alu_imm32(&s->c, 0, X_CMPI, s->other, f->line - size);
    within = x_jcc(&s->c, X_CC_BE, 0);
    if (!qn_sim_stream.uses) {
        stamp_both(s, away);
        x_patch(away[0], s->c.exec);
        x_patch(away[1], s->c.exec);
    }
    go_to_C(s, simple);
    x_patch(within, s->c.exec);
}

/* Writes the comparisons of `line` with all entries of the set; `at`: where their jumps for a line that is found end. */
static void search(struct lru *s, unsigned line, uint64_t at[SLOTS_MAX])
{
    for (unsigned k = 0; k < s->slots; k++) {
        x_table(&s->c, X_CMP, line, s->set, qn_sim_d1_filter.entries + k * s->stride);
        at[k] = x_jcc(&s->c, X_CC_E, 0);
    }
}

/* slot = the entry in which the line was found. */
static void write_found(struct lru *s, const uint64_t at[SLOTS_MAX])
{
    uint64_t tail[SLOTS_MAX];

    for (unsigned k = 0; k < s->slots; k++) {
        x_patch(at[k], s->c.exec);
        x_lea(&s->c, s->slot, s->set, QN_REG_NONE, 1, (int32_t)(k * s->stride));
        tail[k] = x_jmp(&s->c, 0);
    }
    for (unsigned k = 0; k < s->slots; k++)
        x_patch(tail[k], s->c.exec);
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
        x_table(&s->c, X_CMOVA, s->time, s->set, stamps + k * s->stride);
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

/* For those who ask: stores the victim, which is in `slot`, and the time of its last use. */
static void note_victim(struct lru *s)
{
    const uint64_t entries = qn_sim_d1_filter.entries, victim = (uintptr_t)&qn_sim_victim;
    uint64_t there;

    if (!qn_sim_stream.victims)
        return;
    x_table(&s->c, X_LOAD, s->other, s->slot, entries);
    if (qn_sim_stream.uses)
        x_bit(&s->c, X_BTR, s->other, QN_FAR_BIT);
    x_store(&s->c, victim + 8, s->time); /* the oldest */
    x_alu_imm32(&s->c, 1, X_CMPI, s->time, 0);
    there = x_jcc(&s->c, X_CC_NE, 0);
    x_movi(&s->c, s->other, SIM_NO_LINE);
    x_patch(there, s->c.exec);
    x_store(&s->c, victim, s->other);
    if (!qn_sim_users.table)
        return;
    x_table(&s->c, X_LOAD, s->other, s->slot, qn_sim_users.table);
    x_store(&s->c, (uintptr_t)&qn_sim_users.was, s->other);
}

/* ---- lines that are not recent ---- */

/* The line misses, and slot and time are those of the victim.  If the victim is recent, or the line itself may be, C does the rest. */
static void leave_recent(struct lru *s, uint64_t simple)
{
    uint64_t out, far, none;

    x_mov(&s->c, s->other, s->line);
    x_shr32(&s->c, s->other, qn_log2(qn_sim_d1_filter.line));
    x_alu_imm32(&s->c, 0, X_AND, s->other, sizeof qn_sim_stream.out - 1);
    x_movzbl_table(&s->c, s->other, s->other, (uintptr_t)qn_sim_stream.out);
    x_alu_imm32(&s->c, 0, X_CMPI, s->other, 0);
    out = x_jcc(&s->c, X_CC_NE, 0);
    x_table(&s->c, X_LOAD, s->other, s->slot, qn_sim_d1_filter.entries);
    x_bit(&s->c, X_BTR, s->other, QN_FAR_BIT);
    far = x_jcc(&s->c, X_CC_B, 0);
    x_alu_imm32(&s->c, 1, X_CMPI, s->time, 0);
    none = x_jcc(&s->c, X_CC_E, 0);
    x_patch(out, s->c.exec);
    uncount_user(s);
    go_to_C(s, simple);
    x_patch(far, s->c.exec);
    x_patch(none, s->c.exec);
}

/* S1 = address ^ entries(S2): is the line in its home, and not recent? */
static void write_home(struct lru *s, unsigned size)
{
    const uint64_t entries = qn_sim_d1_filter.entries;
    uint64_t other;

    x_bit(&s->c, X_BTC, s->line, QN_FAR_BIT);
    x_alu_imm32(&s->c, 1, X_CMPI, s->line, qn_sim_d1_filter.line - size);
    other = x_jcc(&s->c, X_CC_A, 0);
    lru_count_slow(s);
    count_user(s);
    note_user(s, s->home);
    x_table(&s->c, X_LOAD, s->time, s->home, entries);
    x_bit(&s->c, X_BTR, s->time, QN_FAR_BIT);
    x_table(&s->c, X_XOR, s->line, s->home, entries); /* the address, but for the bit */
    x_bit(&s->c, X_BTR, s->line, QN_FAR_BIT);
    x_store(&s->c, CTX(arg_addr), s->line);
    x_table(&s->c, X_STORE, s->time, s->home, entries);
    stamp(s, s->home);
    x_mov(&s->c, s->line, s->time);
    write_record(s, false);
    x_patch(other, s->c.exec);
    x_bit(&s->c, X_BTC, s->line, QN_FAR_BIT);
    x_table(&s->c, X_XOR, s->line, s->home, entries);
}

/* ---- the stub ---- */

static void write_hit(struct lru *s)
{
    lru_count_slow(s);
    bring_home(s);
    lru_restore(s);
    x_byte(&s->c, X_RET);
}

static void write_stub(struct lru *s, const struct emitter *e, unsigned size, uint64_t simple)
{
    uint64_t recent[SLOTS_MAX], far[SLOTS_MAX];

    x_store(&s->c, CTX(arg_addr), s->line);
    check_straddling(s, size, simple);
    count_user(s);
    x_mov32(&s->c, s->set, s->home);
    x_alu_imm32(&s->c, 0, X_AND, s->set, s->stride - 16);
    search(s, s->line, recent);
    if (qn_sim_stream.uses) {
        x_mov(&s->c, s->other, s->line);
        x_bit(&s->c, X_BTC, s->other, QN_FAR_BIT);
        search(s, s->other, far);
    }
    find_oldest(s);
    if (qn_sim_stream.uses)
        leave_recent(s, simple);
    note_victim(s);
    bring_home(s);
    emit_lru_next(s, e, size);
    if (qn_sim_stream.uses) {
        write_found(s, far);
        lru_count_slow(s);
        bring_home(s);
        write_record(s, false);
    }
    write_found(s, recent);
    write_hit(s);
}

/* For write_home, S1 = address ^ entries(S2); otherwise S1 = address. */
static void write_entries(struct lru *s, struct lru_stub *stub)
{
    uint32_t first = (uint32_t)s->c.exec;

    x_table(&s->c, X_XOR, s->line, s->home, qn_sim_d1_filter.entries);
    stub->again = qn_sim_stream.uses ? (uint32_t)s->c.exec : first;
    stub->known = qn_sim_stream.uses ? first : (uint32_t)s->c.exec;
}

static struct lru_stub make_stub(const struct emitter *e, struct lru *s, const struct qn_event *ev)
{
    uint32_t simple = emit_reference_stub(e, emit_slow_entry(ev), 0);
    struct lru_stub stub = {0, 0};

    s->c = emit_stub_begin(BYTES_MAX, false);
    if (!s->c.p)
        return stub;
    choose_registers(s, e);
    write_entries(s, &stub);
    emit_save(&s->c, LRU_SAVED, s->saved);
    note_site(s);
    x_lea(&s->c, s->now, s->now, QN_REG_NONE, 1, QN_EVENTS_MAX); /* later than all that the block has written */
    if (qn_sim_stream.uses)
        write_home(s, ev->size);
    write_stub(s, e, ev->size, simple);
    emit_stub_end(&s->c);
    return stub;
}

/* Address of the stub for the block's registers and this reference; 0: none.  On entry S2 = offset of the line's home, and
 * S1 = address if `known`, otherwise address ^ entries(S2). */
uint32_t emit_lru_stub(const struct emitter *e, const struct qn_event *ev, bool known)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    uint32_t sets = qn_fast.D1.sets, size = ev->size;
    struct lru s = {.kind = qn_sim_kinds ? emit_kind(ev) : QN_LOG_READ, .slots = sets ? (f->mask / 16 + 1) / sets : 0, .stride = sets * 16};
    struct lru_stub *stub;

    if (s.slots < 2 || s.slots > SLOTS_MAX || qn_sim_utilization || (size & (size - 1)) || size >> SIZES)
        return 0;
    stub = &stubs[emit_scratch_number(e)][qn_log2(size)][s.kind];
    if (!stub->again)
        *stub = make_stub(e, &s, ev);
    return known ? stub->known : stub->again;
}
