/* lib/emit/stub.c - the assembly between a failed check and the simulator, which all checks share.
 *
 *   again:  xor entries(S2), S1             the address, as it was before the comparison
 *           mov S1, arg_addr ;  mov now, ctx.now
 *           call the simulator
 *           mov ctx.now, now ;  ret
 *
 * There is one stub for each triple of borrowed registers and function of the simulator; it is made when it is first needed, in the fixed
 * part of the code cache.  It is entered by a call on the slow-call stack, with arg_site set.  The default data cache has a longer one,
 * see lru_stub.c.
 */
#include "emit/internal.h"

#define STUB_BYTES_MAX 64
#define ENTRIES 16 /* functions, each with and without `again` */

static uint32_t stubs[QN_TRIPLES][ENTRIES], fetch_stubs[16][16];
static uint64_t next_at = QN_CODE_BASE;

unsigned emit_triple(const struct emitter *e)
{
    static uint16_t numbers[16][16][16], last;
    uint16_t *number = &numbers[e->now][e->s1][e->s2];

    if (!*number)
        *number = ++last;
    return *number;
}

/* Room for a stub of that many bytes at most; p is NULL if there is none. */
struct qn_code emit_stub_begin(unsigned bytes)
{
    if (next_at + bytes > QN_CODE_BASE + QN_CODE_FIXED)
        return (struct qn_code){NULL, 0};
    return (struct qn_code){qn_code_at(next_at), next_at};
}

void emit_stub_end(const struct qn_code *c) { next_at = qn_round_up(c->exec, 16); }

/* Registers that the block has not borrowed, for a stub that needs more. */
void emit_spare_registers(const struct emitter *e, unsigned n, unsigned r[])
{
    unsigned found = 0;

    for (unsigned k = QN_RAX; found < n; k++)
        if (k != QN_RSP && k != e->s1 && k != e->s2 && k != e->now)
            r[found++] = k;
}

void emit_save(struct qn_code *c, unsigned n, const unsigned r[])
{
    for (unsigned i = 0; i < n; i++)
        x_push(c, r[i]);
}

void emit_restore(struct qn_code *c, unsigned n, const unsigned r[])
{
    while (n--)
        x_pop(c, r[n]);
}

static unsigned entry_number(qn_slow_call *fn, bool again)
{
    qn_slow_call *const entries[] = {qn_sim_slow_data, qn_sim_slow_write, qn_sim_slow_modify, qn_sim_slow_big, qn_sim_see_data,
                                      qn_sim_slow_group};
    unsigned n = 0;

    while (entries[n] != fn)
        n++;
    return n + (again ? ENTRIES / 2 : 0);
}

static uint32_t make_stub(const struct emitter *e, qn_slow_call *fn, bool again)
{
    struct qn_code c = emit_stub_begin(STUB_BYTES_MAX);
    uint32_t at = (uint32_t)c.exec;

    if (!c.p)
        qn_engine_die("no room for another stub", next_at, 0);
    if (again)
        x_table(&c, X_XOR, e->s1, e->s2, qn_sim_d1_filter.entries);
    x_store(&c, CTX(arg_addr), e->s1);
    x_store(&c, CTX(now), e->now);
    emit_frame_out(e, &c);
    x_call(&c, (uint64_t)(uintptr_t)fn);
    x_load(&c, e->now, CTX(now));
    x_byte(&c, X_RET);
    emit_stub_end(&c);
    return at;
}

#define JUMP_BACK_BYTES 8 /* mov S1, %rsp ; jmp */

/* mov now, ctx.now ;  arg_aux = address of the data behind the call and the jump back ;  call the simulator ;  mov ctx.now, now ;  ret */
static uint32_t make_fetch_stub(const struct emitter *e)
{
    struct qn_code c = emit_stub_begin(STUB_BYTES_MAX);
    uint32_t at = (uint32_t)c.exec;

    if (!c.p)
        qn_engine_die("no room for another stub", next_at, 0);
    x_store(&c, CTX(now), e->now);
    x_load_at(&c, e->s2, QN_RSP);
    x_lea(&c, e->s2, e->s2, QN_REG_NONE, 1, JUMP_BACK_BYTES);
    x_store(&c, CTX(arg_aux), e->s2);
    x_call(&c, (uint64_t)(uintptr_t)qn_sim_slow_fetch);
    x_load(&c, e->now, CTX(now));
    x_byte(&c, X_RET);
    emit_stub_end(&c);
    return at;
}

uint32_t emit_fetch_stub(const struct emitter *e)
{
    uint32_t *at = &fetch_stubs[e->now][e->s2];

    if (!*at)
        *at = make_fetch_stub(e);
    return *at;
}

/* Address of the stub that calls fn for the block's registers. */
uint32_t emit_reference_stub(const struct emitter *e, qn_slow_call *fn, bool again)
{
    uint32_t *at = &stubs[emit_triple(e)][entry_number(fn, again)];

    if (!*at)
        *at = make_stub(e, fn, again);
    return *at;
}
