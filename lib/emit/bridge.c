/* lib/emit/bridge.c - code between two blocks that borrow different registers.
 *
 * Between blocks that borrow the same three registers no code is needed.  Otherwise a bridge moves the clock, gives back
 * the registers that the next block does not borrow, and borrows those that it does:
 *
 *   from  clock r9, scratch r10, r11      mov %r8, gpr[r8]
 *   to    clock r9, scratch r8, r11       mov gpr[r10], %r10 ;  jmp to the next block
 *
 * It replaces the exit's own sequence, in cold code, as long as the exit is linked.
 */
#include "emit/internal.h"

#define JMP_BYTES 5

/* Touches no flags. */
void emit_bridge(struct qn_code *c, struct emit_triple from, struct emit_triple to)
{
    for (unsigned r = 0; r < 16; r++)
        if (to.regs & ~from.regs & 1u << r)
            x_store(c, CTX_GPR(r), r);
    if (from.now != to.now)
        x_mov(c, to.now, from.now);
    for (unsigned r = 0; r < 16; r++)
        if (from.regs & ~to.regs & 1u << r)
            x_load(c, r, CTX_GPR(r));
}

struct emit_triple emit_triple_of(unsigned now, unsigned s1, unsigned s2, unsigned s3)
{
    uint16_t regs = now == QN_NO_REG ? 0 : (uint16_t)(1u << now | 1u << s1 | 1u << s2 | (s3 == QN_NO_REG ? 0 : 1u << s3));

    return (struct emit_triple){(uint8_t)now, regs};
}

static struct emit_triple triple_of(const struct qn_tblock *b) { return emit_triple_of(b->now, b->s1, b->s2, b->s3); }

static void bridge(const struct qn_tblock *from, unsigned exit, const struct qn_tblock *to, uint32_t entry)
{
    struct qn_code c = {qn_code_at(from->exit[exit].at), from->exit[exit].at};

    emit_bridge(&c, triple_of(from), triple_of(to));
    x_jmp(&c, entry);
}

/* Writes an exit that is not linked: gives the registers back and jumps to the stub, which goes to the dispatcher.  A bridge is shorter: it
 * has at most six moves to or from memory (eight of 7 bytes with a fourth register), one between registers, and a jmp. */
void emit_exit(struct qn_code *c, struct emit_triple t, struct qn_texit *x, uint32_t id)
{
    x->at = (uint32_t)c->exec;
    if (t.now != QN_NO_REG)
        x_store(c, CTX(now), t.now);
    emit_bridge(c, t, (struct emit_triple){t.now, 0});
    x_jmp(c, c->exec + JMP_BYTES);
    x_store32_imm(c, CTX(exit_kind), QN_EXIT_LINK);
    x_store32_imm(c, CTX(exit_id), id);
    x_jmp(c, (uint64_t)(uintptr_t)emit_hooks.leave);
}

static void restore(struct qn_tblock *from, unsigned exit, uint32_t id)
{
    struct qn_code c = {qn_code_at(from->exit[exit].at), from->exit[exit].at};

    emit_exit(&c, triple_of(from), &from->exit[exit], id);
}

const struct qn_tcache_bridges qn_emit_bridges = {bridge, restore};
