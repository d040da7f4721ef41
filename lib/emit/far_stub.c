/* lib/emit/far_stub.c - a hit on a line that is not near, in assembly; analyses of such lines (qn_sim_comes) are told later.
 *
 *   btc $QN_FAR_BIT, S1 ;  cmp $line-size, S1 ;  ja other      S1 = address ^ entries(S2)
 *   clear the bit in the entry ;  stamp ;  append { line, S2, site, execution } to the list
 *   if the list is full: jmp qn_sim_near_tell ;  otherwise ret
 *   other: a line that is not in its home, a miss, a reference over two lines: C
 *
 * The entries and the arguments of the stub are those of lru_stub.c.
 */
#include "emit/internal.h"

#define BYTES_MAX 256
#define SIZES 7     /* 1 to 64 bytes, powers of two; others go to C */
#define SAVED 2
#define RESERVED (1u << 20) /* bytes of the fixed part that are left for stubs that cannot be done without */
#define SITE 8      /* from %rsp, behind the return address */

static struct far_stub {
    uint32_t again, known; /* addresses of the two entries; 0: not made yet */
} stubs[QN_TRIPLES][SIZES];

enum { BTR = 6, BTC = 7 };

static void change_far_bit(struct qn_code *c, unsigned op, unsigned reg) /* op $QN_FAR_BIT, %reg */
{
    x_byte(c, x_rex(1, 0, 0, reg));
    x_bytes(c, "\x0f\xba", 2);
    x_byte(c, 0xc0 | op << 3 | (reg & 7));
    x_byte(c, QN_FAR_BIT);
}

/* Appends the line in r[0].  The flags then say whether the list is full. */
static void write_come(struct qn_code *c, const struct emitter *e, const unsigned r[SAVED])
{
    const uint64_t before = (uintptr_t)qn_sim_comes.at - sizeof(struct qn_come);

    x_movi(c, e->s1, (uintptr_t)qn_sim_comes.count);
    x_load_at(c, r[1], e->s1);
    x_lea(c, r[1], r[1], QN_REG_NONE, 1, 1);
    x_table(c, X_STORE, r[1], e->s1, 0);
    x_imul32(c, e->s1, r[1], sizeof(struct qn_come));
    x_table(c, X_STORE, r[0], e->s1, before + offsetof(struct qn_come, line));
    x_table(c, X_STORE, e->s2, e->s1, before + offsetof(struct qn_come, home));
    x_load32_table(c, r[0], QN_RSP, SAVED * 8 + SITE);
    x_alu_imm32(c, 0, X_AND, r[0], QN_SITE_COUNTER_MASK);
    x_table(c, X_STORE, r[0], e->s1, before + offsetof(struct qn_come, site));
    emit_execution(c, e->s2, r[0]);
    x_table(c, X_STORE, e->s2, e->s1, before + offsetof(struct qn_come, execution));
    x_alu_imm32(c, 0, X_CMPI, r[1], qn_sim_comes.full);
}

static void write_stub(struct qn_code *c, const struct emitter *e, unsigned size, uint64_t simple)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    uint64_t other, full;
    unsigned r[SAVED];

    emit_spare_registers(e, SAVED, r);
    if (!emit_times_matter()) /* otherwise the block has advanced it */
        x_lea(c, e->now, e->now, QN_REG_NONE, 1, QN_EVENTS_MAX); /* later than all that the block has written */
    change_far_bit(c, BTC, e->s1);
    x_alu_imm32(c, 1, X_CMPI, e->s1, f->line - size);
    x_jcc(c, X_CC_A, 0);
    other = c->exec;
    emit_save(c, SAVED, r);
    if (emit_rules.stats)
        x_inc(c, (uint64_t)(uintptr_t)&qn_sim_traffic.data);
    x_table(c, X_LOAD, r[0], e->s2, f->entries);
    change_far_bit(c, BTR, r[0]);
    x_table(c, X_STORE, r[0], e->s2, f->entries);
    x_lea(c, e->now, e->now, QN_REG_NONE, 1, 1);
    x_table(c, X_STORE, e->now, e->s2, f->entries + 8);
    write_come(c, e, r);
    emit_restore(c, SAVED, r);
    x_jcc(c, X_CC_E, 0);
    full = c->exec;
    x_byte(c, X_RET);
    x_patch(full, c->exec);
    x_jmp(c, (uint64_t)(uintptr_t)qn_sim_near_tell);
    x_patch(other, c->exec);
    change_far_bit(c, BTC, e->s1);
    x_table(c, X_XOR, e->s1, e->s2, f->entries);
    x_load32_table(c, e->s2, QN_RSP, SITE);
    x_store(c, CTX(arg_site), e->s2);
    x_jmp(c, simple);
}

static struct far_stub make_stub(const struct emitter *e, unsigned size)
{
    uint32_t simple = emit_reference_stub(e, qn_sim_slow_data, false);
    struct qn_code c = emit_stub_begin(BYTES_MAX + RESERVED);
    struct far_stub stub = {0, 0};

    if (!c.p)
        return stub;
    stub.known = (uint32_t)c.exec;
    x_table(&c, X_XOR, e->s1, e->s2, qn_sim_d1_filter.entries);
    stub.again = (uint32_t)c.exec;
    write_stub(&c, e, size, simple);
    emit_stub_end(&c);
    return stub;
}

/* As emit_lru_stub. */
uint32_t emit_far_stub(const struct emitter *e, unsigned size, bool known)
{
    struct far_stub *stub;

    if (qn_sim_kinds || qn_sim_uses || qn_sim_users.table || (size & (size - 1)) || size >> SIZES)
        return 0;
    stub = &stubs[emit_triple(e)][qn_log2(size)];
    if (!stub->again)
        *stub = make_stub(e, size);
    return known ? stub->known : stub->again;
}
