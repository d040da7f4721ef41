/* lib/emit/lru_stub.c - the default data cache in assembly: what cachesim_D1.c does for a reference within one line.
 *
 * Entered like the stubs of stub.c when the filter did not find the line at its home.  Looks for it in the other slots of the set:
 *
 *   cmp entries+0*stride(set), line ;  je found ...     there: changes places with what is at home, is stamped, done
 *   stamps: cmp, cmova ...                            not there: the same with the slot of the oldest stamp,
 *                                                     then qn_sim_d1_missed asks the next level
 *
 * One stub per triple of borrowed registers and size; four more registers are saved on the slow-call stack.
 */
#include "emit/internal.h"

#define BYTES_MAX 768
#define SLOTS_MAX 8 /* larger sets go to C */
#define SIZES 7     /* 1 to 64 bytes, powers of two; others go to C */
#define RESERVED (64u << 10) /* bytes of the fixed part left to the stubs that there must be */

struct lru {
    struct qn_code c;
    unsigned line, home, now;        /* S1, S2 and the clock; home: offset in the tables */
    unsigned set, slot, time, other; /* offsets of the set's first slot and of the slot that gives way */
    unsigned slots;                  /* of a set */
    uint32_t stride;                 /* bytes between two slots of a set */
};

static uint32_t stubs[16][16][16][SIZES];

static void choose_registers(struct lru *s, const struct emitter *e)
{
    unsigned *const wanted[] = {&s->set, &s->slot, &s->time, &s->other};
    unsigned n = 0;

    s->line = e->s1;
    s->home = e->s2;
    s->now = e->now;
    for (unsigned r = QN_RAX; n < 4; r++)
        if (r != QN_RSP && r != e->s1 && r != e->s2 && r != e->now)
            *wanted[n++] = r;
}

static void save(struct lru *s)
{
    x_push(&s->c, s->set);
    x_push(&s->c, s->slot);
    x_push(&s->c, s->time);
    x_push(&s->c, s->other);
}

static void restore(struct lru *s)
{
    x_pop(&s->c, s->other);
    x_pop(&s->c, s->time);
    x_pop(&s->c, s->slot);
    x_pop(&s->c, s->set);
}

/* A reference over two lines is not for us. */
static void leave_if_straddling(struct lru *s, unsigned size, uint64_t to)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    uint64_t within;

    x_mov32(&s->c, s->other, s->line);
    x_alu_imm32(&s->c, 0, X_AND, s->other, f->line - 1);
    x_alu_imm32(&s->c, 0, X_CMPI, s->other, f->line - size);
    x_jcc(&s->c, X_CC_BE, 0);
    within = s->c.exec;
    restore(s);
    x_jmp(&s->c, to);
    x_patch(within, s->c.exec);
}

/* Writes the jumps for a line that is found; they end at the addresses in `at`. */
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
        x_cmova(&s->c, s->slot, s->other);
        x_cmova_table(&s->c, s->time, s->set, stamps + k * s->stride);
    }
}

/* What is at home moves to `slot`, the line comes home and is stamped. */
static void bring_home(struct lru *s)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    x_table(&s->c, X_LOAD, s->time, s->home, f->entries);
    x_table(&s->c, X_LOAD, s->other, s->home, f->entries + 8);
    x_table(&s->c, X_STORE, s->time, s->slot, f->entries);
    x_table(&s->c, X_STORE, s->other, s->slot, f->entries + 8);
    x_table(&s->c, X_STORE, s->line, s->home, f->entries);
    x_lea(&s->c, s->now, s->now, QN_REG_NONE, 1, 1);
    x_table(&s->c, X_STORE, s->now, s->home, f->entries + 8);
    restore(s);
}

static void write_stub(struct lru *s, unsigned size, uint64_t simple)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    uint64_t found[SLOTS_MAX], tail[SLOTS_MAX];

    x_table(&s->c, X_XOR, s->line, s->home, f->entries); /* the address again */
    save(s);
    leave_if_straddling(s, size, simple);
    x_store(&s->c, CTX(arg_addr), s->line);
    x_alu_imm32(&s->c, 1, X_AND, s->line, 0 - f->line);
    x_mov32(&s->c, s->set, s->home);
    x_alu_imm32(&s->c, 0, X_AND, s->set, s->stride - 16);
    search(s, found);
    find_oldest(s);
    bring_home(s);
    x_jmp(&s->c, (uint64_t)(uintptr_t)qn_sim_d1_missed);
    for (unsigned k = 0; k < s->slots; k++) {
        x_patch(found[k], s->c.exec);
        x_lea(&s->c, s->slot, s->set, QN_REG_NONE, 1, (int32_t)(k * s->stride));
        x_jmp(&s->c, 0);
        tail[k] = s->c.exec;
    }
    for (unsigned k = 0; k < s->slots; k++)
        x_patch(tail[k], s->c.exec);
    bring_home(s);
    x_byte(&s->c, X_RET);
}

/* Address of the stub for the block's registers and a reference of `size` bytes, S1 = address ^ entries(S2); 0: none. */
uint32_t emit_lru_stub(const struct emitter *e, unsigned size)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    struct lru s = {.slots = f->sets ? (f->mask / 16 + 1) / f->sets : 0, .stride = f->sets * 16};
    uint32_t *at, simple;

    if (s.slots < 2 || s.slots > SLOTS_MAX || emit_rules.check || qn_sim_kinds || (size & (size - 1)) || size >> SIZES)
        return 0;
    at = &stubs[e->now][e->s1][e->s2][qn_log2(size)];
    if (*at)
        return *at;
    simple = emit_reference_stub(e, qn_sim_slow_data, false);
    s.c = emit_stub_begin(BYTES_MAX + RESERVED);
    if (!s.c.p)
        return 0;
    *at = (uint32_t)s.c.exec;
    choose_registers(&s, e);
    write_stub(&s, size, simple);
    emit_stub_end(&s.c);
    return *at;
}
