/* lib/emit/copy.c - copying the guest's instructions.
 *
 * An instruction is copied unchanged, except for a RIP-relative operand.  Within reach of the code cache only its
 * displacement changes; out of reach, a register that the instruction does not use is saved in ctx.tmp,
 * loaded with the operand's address, and used in place of RIP:
 *
 *   add 0x2000(%rip),%rax   =>   mov %rcx,tmp ; mov $addr,%rcx ; add (%rcx),%rax ; mov tmp,%rcx
 */
#include "emit/internal.h"

static const uint8_t *guest_bytes(const struct emitter *e, unsigned i)
{
    return (const uint8_t *)(uintptr_t)e->b->at[i];
}

static const struct qn_mem *rip_operand(const struct qn_insn *in)
{
    for (unsigned k = 0; k < in->n_mem; k++)
        if (in->mem[k].is_modrm && in->mem[k].base == QN_RIP)
            return &in->mem[k];
    return NULL;
}

/* Does the ModRM byte name a RIP-relative operand, whether or not memory is touched (lea, prefetch, nop)? */
static bool is_rip_relative(const struct qn_insn *in)
{
    return in->modrm_off && (in->modrm & 0xc7) == 0x05 && in->disp_len == 4;
}

static uint64_t rip_target(const struct emitter *e, unsigned i)
{
    const struct qn_insn *in = &e->b->insn[i];
    const struct qn_mem *m = rip_operand(in);
    int32_t disp;

    __builtin_memcpy(&disp, guest_bytes(e, i) + in->disp_off, 4);
    (void)m;
    return e->b->at[i] + in->len + (uint64_t)(int64_t)disp;
}

/* The register that replaces RIP in this instruction.  Only low ones, whose numbers fit ModRM without prefix bits, and that have no
 * special meaning with mod 0. */
static unsigned fix_register(const struct qn_insn *in)
{
    static const uint8_t choice[] = {QN_RCX, QN_RDX, QN_RBX, QN_RSI, QN_RDI, QN_RAX};
    uint16_t used = in->reads | in->writes;

    for (unsigned k = 0; k < sizeof choice; k++)
        if (!(used >> choice[k] & 1))
            return choice[k];
    return QN_NO_REG;
}

/* Clear the prefix bit that extends the base register (stored inverted in VEX, EVEX and XOP). */
static void clear_base_extension(uint8_t *bytes, const struct qn_insn *in)
{
    if (in->rex)
        bytes[in->opcode_off - 1] &= 0xfe;
    if (in->encoding != QN_ENC_LEGACY && in->encoding != QN_ENC_3DNOW && bytes[in->vex_off] != 0xc5)
        bytes[in->vex_off + 1] |= 0x20;
}

/* Write the instruction with (%reg) for its RIP-relative operand. */
static void put_rebased(struct qn_code *c, const uint8_t *from, const struct qn_insn *in, unsigned reg)
{
    uint8_t bytes[QN_INSN_MAX_LEN];
    unsigned tail = in->disp_off + 4u;

    __builtin_memcpy(bytes, from, in->len);
    clear_base_extension(bytes, in);
    bytes[in->modrm_off] = (uint8_t)((in->modrm & 0x38) | reg);
    x_bytes(c, bytes, in->disp_off);
    x_bytes(c, bytes + tail, in->len - tail);
}

static void copy_far(struct emitter *e, unsigned i, uint64_t target)
{
    const struct qn_insn *in = &e->b->insn[i];
    unsigned reg = fix_register(in);

    x_store(&e->hot, CTX(tmp), reg);
    x_movi(&e->hot, reg, target);
    e->side[i].host = (uint16_t)(e->hot.exec - qn_tblock_entry2(&e->out));
    e->side[i].fix = (uint8_t)reg;
    put_rebased(&e->hot, guest_bytes(e, i), in, reg);
    x_load(&e->hot, reg, CTX(tmp));
}

static void copy_near(struct emitter *e, unsigned i, uint64_t target)
{
    const struct qn_insn *in = &e->b->insn[i];
    uint64_t end = e->hot.exec + in->len;
    int32_t disp = (int32_t)(target - end);
    uint8_t *at = e->hot.p + in->disp_off;

    x_bytes(&e->hot, guest_bytes(e, i), in->len);
    __builtin_memcpy(at, &disp, 4);
}

void emit_copy(struct emitter *e, unsigned i)
{
    const struct qn_insn *in = &e->b->insn[i];
    uint64_t target;

    e->side[i].host = (uint16_t)(e->hot.exec - qn_tblock_entry2(&e->out));
    if (!is_rip_relative(in)) {
        x_bytes(&e->hot, guest_bytes(e, i), in->len);
        return;
    }
    target = rip_target(e, i);
    if (qn_fits_i32((int64_t)(target - (e->hot.exec + in->len))))
        copy_near(e, i, target);
    else
        copy_far(e, i, target);
}

static void segment_prefix(struct emitter *e, const struct qn_insn *in)
{
    for (unsigned k = 0; k < in->n_mem; k++)
        if (in->mem[k].is_modrm && in->mem[k].seg != QN_SEG_NONE)
            x_byte(&e->hot, in->mem[k].seg == QN_SEG_FS ? 0x64 : 0x65);
}

/* mov <r/m>, %dst for the operand of an indirect jump or call. */
void emit_load_operand(struct emitter *e, unsigned i, unsigned dst)
{
    const struct qn_insn *in = &e->b->insn[i];
    const uint8_t *from = guest_bytes(e, i);
    unsigned rex = in->rex & 3u; /* X and B */
    uint64_t target;

    if (in->modrm >= 0xc0) {
        x_mov(&e->hot, dst, (in->modrm & 7) | (rex & 1) << 3);
        return;
    }
    if (is_rip_relative(in)) {
        target = rip_target(e, i);
        if (qn_fits_i32((int64_t)(target - (e->hot.exec + 8)))) {
            segment_prefix(e, in);
            x_load(&e->hot, dst, target);
        } else {
            x_movi(&e->hot, dst, target);
            segment_prefix(e, in);
            x_table(&e->hot, X_LOAD, dst, dst, 0);
        }
        return;
    }
    segment_prefix(e, in);
    for (unsigned k = 0; k < in->n_mem; k++)
        if (in->mem[k].is_modrm && in->mem[k].addr32)
            x_byte(&e->hot, 0x67);
    x_byte(&e->hot, 0x48 | (dst >> 3) << 2 | rex);
    x_byte(&e->hot, 0x8b);
    x_byte(&e->hot, (in->modrm & 0xc7) | (dst & 7) << 3);
    x_bytes(&e->hot, from + in->modrm_off + 1, in->len - in->modrm_off - 1u);
}

static void store_string_registers(struct emitter *e, unsigned first)
{
    x_store(&e->hot, CTX(rep) + 8 * first, QN_RCX);
    x_store(&e->hot, CTX(rep) + 8 * (first + 1), QN_RSI);
    x_store(&e->hot, CTX(rep) + 8 * (first + 2), QN_RDI);
}

static bool compares(const struct qn_insn *in)
{
    return (in->opcode & 0xfe) == 0xa6 || (in->opcode & 0xfe) == 0xae; /* cmps, scas */
}

/* A repeated string instruction: its references are computed afterwards from the differences of the registers. */
void emit_string(struct emitter *e, unsigned i, const struct qn_event *ev)
{
    store_string_registers(e, 0);
    emit_copy(e, i);
    store_string_registers(e, 3);
    emit_store_const(&e->hot, CTX(arg_pc), e->b->at[i]);
    x_store_imm(&e->hot, CTX(arg_site), e->centre + ev->counter);
    emit_clock_out(e);
    if (compares(&e->b->insn[i]))
        emit_save_flags(e); /* from the flags the helper sees whether a comparison has ended it */
    else
        emit_need_flags(e, i + 1);
    emit_frame_out(e, &e->hot);
    emit_slow_call(&e->hot, emit_hooks.string_done);
    emit_clock_in(e);
}
