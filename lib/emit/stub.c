/* lib/emit/stub.c - the assembly between the hit filter and the simulator: the second and later ways of a set.
 *
 * About one reference in seven misses the filter, and most of those still hit: two or three lines take turns in their
 * set.  Where a level keeps its row in order of use (qn_filter.ordered), a stub finds the line among the
 * other ways and moves it to the front, which is all that such a hit does:
 *
 *   row [A B C D], reference to C:   slots 2, 1, 0 <- B, A, C        row [C A B D]
 *
 * Where a row lists lines in any order (qn_filter.unordered: a hit changes nothing), C and A change places.
 *
 * One stub per pair of scratch registers and size, made when first needed, in the fixed part of the code cache.
 * Entered by a call on the slow-call stack with S1 = address ^ row[0], S2 = offset of the set; arg_site is set.
 */
#include "emit/internal.h"

#define STUBS_MAX 128
#define STUB_BYTES_MAX 1024
#define WAYS_MAX 8 /* a row of more ways goes to C beyond the eighth */

struct stub {
    uint8_t s1, s2;
    uint16_t size;
    uint32_t at;
};

static struct stub stubs[STUBS_MAX];
static unsigned nstubs;
static uint64_t next_at = QN_CODE_BASE + 512; /* behind the miss stubs */

/* op rows+8*way(,S2,scale), reg */
static void slot(struct qn_code *c, unsigned op, unsigned reg, unsigned s2, unsigned way)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    x_byte(c, x_rex_mem(1, reg, QN_REG_NONE, s2));
    x_byte(c, op);
    x_mem(c, reg, QN_REG_NONE, s2, f->scale, (int32_t)(f->rows + 8 * way));
}

static unsigned third_register(unsigned s1, unsigned s2)
{
    for (unsigned r = QN_R8; r <= QN_R11; r++)
        if (r != s1 && r != s2)
            return r;
    return QN_R12;
}

/* The line is in `way`: shift the newer ones down, put it first. */
static void move_to_front(struct qn_code *c, unsigned s1, unsigned s2, unsigned t, unsigned way)
{
    slot(c, 0x8b, t, s2, way);
    for (unsigned w = way; w > 0; w--) {
        slot(c, 0x8b, s1, s2, w - 1);
        slot(c, 0x89, s1, s2, w);
    }
    slot(c, 0x89, t, s2, 0);
}

/* Where the order of the row means nothing: it changes places with the first. */
static void swap_with_first(struct qn_code *c, unsigned s1, unsigned s2, unsigned t, unsigned way)
{
    slot(c, 0x8b, t, s2, way);
    slot(c, 0x8b, s1, s2, 0);
    slot(c, 0x89, s1, s2, way);
    slot(c, 0x89, t, s2, 0);
}

static void push(struct qn_code *c, unsigned reg)
{
    if (reg > 7)
        x_byte(c, 0x41);
    x_byte(c, 0x50 | (reg & 7));
}

static void pop(struct qn_code *c, unsigned reg)
{
    if (reg > 7)
        x_byte(c, 0x41);
    x_byte(c, 0x58 | (reg & 7));
}

static void try_way(struct qn_code *c, unsigned s1, unsigned s2, unsigned t, unsigned way, unsigned size)
{
    uint64_t skip;

    x_mov(c, t, s1);
    slot(c, 0x33, t, s2, way);
    x_alu_imm32(c, 1, 7, t, qn_sim_d1_filter.line - size);
    x_jcc(c, X_CC_A, 0);
    skip = c->exec;
    if (qn_sim_d1_filter.ordered)
        move_to_front(c, s1, s2, t, way);
    else
        swap_with_first(c, s1, s2, t, way);
    pop(c, t);
    x_byte(c, 0xc3);
    x_patch(skip, c->exec);
}

/* Entries of a row that may pass. */
static unsigned row_ways(void)
{
    return qn_sim_d1_filter.ordered ? qn_sim_d1_filter.ordered : qn_sim_d1_filter.unordered;
}

static uint32_t make_stub(unsigned s1, unsigned s2, unsigned size)
{
    struct qn_code c = {qn_code_at(next_at), next_at};
    unsigned t = third_register(s1, s2), ways = row_ways();
    uint32_t at = (uint32_t)c.exec;

    slot(&c, 0x33, s1, s2, 0); /* the address again */
    push(&c, t);
    for (unsigned way = 1; way < ways && way < WAYS_MAX; way++)
        try_way(&c, s1, s2, t, way, size);
    pop(&c, t);
    x_store(&c, CTX(arg_addr), s1);
    x_jmp(&c, (uint64_t)(uintptr_t)qn_sim_slow_data);
    next_at = qn_round_up(c.exec, 64);
    return at;
}

/* Address of the stub for this pair and size, 0 if there is none: call the simulator. */
uint32_t emit_ways_stub(unsigned s1, unsigned s2, unsigned size)
{
    if (row_ways() < 2 || qn_sim_kinds || size > QN_SITE_SIZE_MAX)
        return 0;
    for (unsigned i = 0; i < nstubs; i++)
        if (stubs[i].s1 == s1 && stubs[i].s2 == s2 && stubs[i].size == size)
            return stubs[i].at;
    if (nstubs == STUBS_MAX || next_at + STUB_BYTES_MAX > QN_CODE_BASE + QN_CODE_FIXED)
        return 0;
    stubs[nstubs] = (struct stub){(uint8_t)s1, (uint8_t)s2, (uint16_t)size, make_stub(s1, s2, size)};
    return stubs[nstubs++].at;
}
