/* lib/emit/place.c - chooses the place of each event's check in the block.
 *
 * A check may be anywhere before its instruction, as long as the order of the events is kept and its
 * address can be computed there.  So a check at which the flags are live moves up to a place where
 * they are dead:
 *
 *   add $8,%rsp           <- flags live from here to the unknown caller
 *   pop %rbx              => all three checked before the add, at 8(%rsp), 16(%rsp), 24(%rsp)
 *   pop %rbp
 *   ret
 */
#include "emit/internal.h"

#define MAX_SHIFT (1 << 20) /* bytes: a stack adjustment larger than this is not followed */

static uint16_t address_registers(const struct qn_event *ev)
{
    uint16_t regs = 0;

    if (ev->mem.base < 16)
        regs |= (uint16_t)(1u << ev->mem.base);
    if (ev->mem.index < 16 && !ev->mem.vsib)
        regs |= (uint16_t)(1u << ev->mem.index);
    return regs;
}

static bool extended_b(const struct qn_insn *in) { return in->rex & 1; }

/* The constant that instruction i adds to rsp; false: it is not known at translation. */
static bool stack_delta(const struct qn_block *b, unsigned i, int32_t *delta)
{
    const struct qn_insn *in = &b->insn[i];
    bool simple = in->map == 0 && in->encoding == QN_ENC_LEGACY && !in->opsz_prefix;

    if (!simple)
        return false;
    if ((in->opcode & 0xf8) == 0x50) {
        *delta = -8;
        return true;
    }
    if ((in->opcode & 0xf8) == 0x58) {
        *delta = 8;
        return in->opcode != 0x5c || extended_b(in);
    }
    if ((in->opcode == 0x83 || in->opcode == 0x81) && in->opsize == 8 && !extended_b(in) &&
        in->imm > -MAX_SHIFT && in->imm < MAX_SHIFT) {
        *delta = (int32_t)(in->modrm == 0xc4 ? in->imm : -in->imm);
        return in->modrm == 0xc4 || in->modrm == 0xec; /* add or sub, rsp */
    }
    return false;
}

/* May the check move before instruction i?  Adjusts *shift if so. */
static bool may_pass(const struct emitter *e, uint16_t regs, unsigned i, int32_t *shift, bool indexed_by_rsp_only)
{
    uint16_t hit = e->b->insn[i].writes & regs;
    int32_t delta;

    if (!hit)
        return true;
    if (hit != (1u << QN_RSP) || !indexed_by_rsp_only || !stack_delta(e->b, i, &delta))
        return false;
    *shift += delta;
    return true;
}

static bool can_hoist(const struct emitter *e, const struct qn_event *ev)
{
    if (ev->kind != QN_EV_FETCH && ev->kind != QN_EV_DATA)
        return false;
    return !(e->b->insn[ev->insn].attr & QN_ATTR_BT_REG) || ev->kind == QN_EV_FETCH;
}

static void place_one(struct emitter *e, unsigned n, unsigned lowest)
{
    const struct qn_event *ev = &e->list->ev[n];
    uint16_t regs = ev->kind == QN_EV_DATA ? address_registers(ev) : 0;
    unsigned p = ev->insn;
    int32_t shift = 0;

    e->pos[n] = ev->insn;
    e->shift[n] = 0;
    if (!can_hoist(e, ev))
        return;
    while (e->b->live[p] && p > lowest && may_pass(e, regs, p - 1, &shift, ev->mem.base == QN_RSP))
        p--;
    if (e->b->live[p] == 0 && p != ev->insn) {
        e->pos[n] = (uint8_t)p;
        e->shift[n] = shift;
        qn_emit_stats.hoisted++;
    }
}

void emit_place_events(struct emitter *e)
{
    unsigned lowest = 0;

    for (unsigned n = 0; n < e->list->n; n++) {
        place_one(e, n, lowest);
        lowest = e->pos[n];
        if (e->list->ev[n].kind == QN_EV_STRING)
            lowest = e->list->ev[n].insn + 1u;
    }
}

/* May a data reference be checked before instruction `position`?  *shift: to be added to its displacement there. */
bool emit_can_stand_at(const struct emitter *e, const struct qn_event *ev, unsigned position, int32_t *shift)
{
    uint16_t regs = address_registers(ev);

    for (unsigned p = ev->insn; p > position; p--)
        if (!may_pass(e, regs, p - 1, shift, ev->mem.base == QN_RSP))
            return false;
    return true;
}
