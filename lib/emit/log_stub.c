/* lib/emit/log_stub.c - many caches on one execution: references that the filter has not let pass are written down.
 *
 *   straddling?  to C
 *   entries(S2) = its line                       which is the newest of its set now, and passes
 *   log: address, site, kind                     sim/many/log.h simulates it later, with many others
 *   full?        call qn_sim_log_drain
 *
 * One stub per triple of borrowed registers, size and kind; one more register is saved on the slow-call stack.  Entered like those of
 * lru_stub.c.  There are no stamps, so the clock does not move.
 */
#include "emit/internal.h"

#define BYTES_MAX 192
#define SIZES 7 /* 1 to 64 bytes, powers of two; others go to C */
#define RESERVED (1u << 20) /* bytes of the fixed part left to the stubs that there must be */
#define SITE 16 /* from %rsp, behind one register and the return address */

static struct log_stub {
    uint32_t again, known; /* addresses of the two entries; 0: not made yet */
} stubs[QN_TRIPLES][SIZES][2];

/* The reference of `address`, whose site lies at site(%rsp), goes into the log; changes the other two registers and the flags. */
void emit_log(struct qn_code *c, unsigned address, unsigned s1, unsigned s2, int32_t site, unsigned kind)
{
    uint64_t used = (uintptr_t)&qn_sim_log.used, entries = qn_sim_log.entries, end;

    x_load32(c, s1, used);
    x_load32_table(c, s2, QN_RSP, (uint64_t)site);
    x_table(c, X_STORE, address, s1, entries + offsetof(struct qn_log_entry, addr));
    x_store32_at(c, s2, s1, 1, entries + offsetof(struct qn_log_entry, site));
    x_store32_imm_table(c, s1, entries + offsetof(struct qn_log_entry, kind), kind);
    x_lea32(c, s1, s1, sizeof(struct qn_log_entry));
    x_store32(c, used, s1);
    x_alu_imm32(c, 0, X_CMPI, s1, QN_LOG_BYTES);
    x_jcc(c, X_CC_NE, 0);
    end = c->exec;
    x_call(c, (uint64_t)(uintptr_t)qn_sim_log_drain);
    x_patch(end, c->exec);
}

/* S1 = address, S2 = offset of its entry. */
static void write_stub(struct qn_code *c, const struct emitter *e, unsigned size, bool write, uint64_t to)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    unsigned other;
    uint64_t within;

    emit_spare_registers(e, 1, &other);
    x_push(c, other);
    x_mov32(c, other, e->s1);
    x_alu_imm32(c, 0, X_AND, other, f->line - 1);
    x_alu_imm32(c, 0, X_CMPI, other, f->line - size);
    x_jcc(c, X_CC_BE, 0);
    within = c->exec;
    x_load32_table(c, other, QN_RSP, SITE);
    x_store(c, CTX(arg_site), other);
    x_pop(c, other);
    x_jmp(c, to);
    x_patch(within, c->exec);
    x_mov(c, other, e->s1);
    x_alu_imm32(c, 1, X_AND, other, 0 - f->line);
    x_table(c, X_STORE, other, e->s2, f->entries);
    if (emit_rules.stats)
        x_inc(c, (uint64_t)(uintptr_t)&qn_sim_traffic.data);
    emit_log(c, e->s1, other, e->s2, SITE, write ? QN_LOG_WRITE : QN_LOG_READ);
    x_pop(c, other);
    x_byte(c, X_RET);
}

static struct log_stub make_stub(const struct emitter *e, unsigned size, bool write)
{
    uint32_t simple = emit_reference_stub(e, write ? qn_sim_slow_write : qn_sim_slow_data, false);
    struct qn_code c = emit_stub_begin(BYTES_MAX + RESERVED);
    struct log_stub stub = {0, 0};

    if (!c.p)
        return stub;
    stub.again = (uint32_t)c.exec;
    x_table(&c, X_XOR, e->s1, e->s2, qn_sim_d1_filter.entries);
    stub.known = (uint32_t)c.exec;
    write_stub(&c, e, size, write, simple);
    emit_stub_end(&c);
    return stub;
}

/* As emit_lru_stub.  A reference that is read and written counts as one that is read. */
uint32_t emit_log_stub(const struct emitter *e, unsigned size, bool write, bool known)
{
    struct log_stub *stub;

    if (!qn_sim_log.entries || emit_rules.check || emit_rules.sees || (size & (size - 1)) || size >> SIZES)
        return 0;
    stub = &stubs[emit_triple(e)][qn_log2(size)][write];
    if (!stub->again)
        *stub = make_stub(e, size, write);
    return known ? stub->known : stub->again;
}
