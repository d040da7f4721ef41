/* lib/emit/x86.h - the host encoder: the few instructions that instrumentation is made of.
 *
 * Every function writes one instruction at c->p, which will run at c->exec; the comment beside it is
 * its assembly in AT&T order.  `abs` operands are addresses below 4 GiB reached RIP-relative.  Registers are
 * enum qn_reg numbers 0..15.
 */
#ifndef QN_EMIT_X86_H
#define QN_EMIT_X86_H

#include "base/base.h"
#include "decode/decode.h"
#include "tcache/tcache.h"

static inline void x_byte(struct qn_code *c, unsigned v)
{
    *c->p++ = (uint8_t)v;
    c->exec++;
}

static inline void x_bytes(struct qn_code *c, const void *bytes, size_t n)
{
    __builtin_memcpy(c->p, bytes, n);
    c->p += n;
    c->exec += n;
}

static inline void x_u32(struct qn_code *c, uint32_t v) { x_bytes(c, &v, 4); }
static inline void x_u64(struct qn_code *c, uint64_t v) { x_bytes(c, &v, 8); }

static inline unsigned x_rex(unsigned w, unsigned reg, unsigned index, unsigned base)
{
    return 0x40u | w << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3;
}

/* ModRM for [rip + disp32] that reaches abs; `tail` = bytes of the instruction behind the displacement. */
static inline void x_rip(struct qn_code *c, unsigned reg, uint64_t abs, unsigned tail)
{
    x_byte(c, (reg & 7) << 3 | 5);
    x_u32(c, (uint32_t)(abs - (c->exec + 4 + tail)));
}

/* The prefix, if one is needed, and the opcode; one above 0xff has two bytes. */
static inline void x_opcode(struct qn_code *c, unsigned rex, unsigned op)
{
    if (rex != 0x40)
        x_byte(c, rex);
    if (op > 0xff)
        x_byte(c, op >> 8);
    x_byte(c, op & 0xff);
}

static inline void x_op_abs(struct qn_code *c, unsigned w, unsigned op, unsigned reg, uint64_t abs)
{
    x_opcode(c, x_rex(w, reg, 0, 0), op);
    x_rip(c, reg, abs, 0);
}

static inline void x_store(struct qn_code *c, uint64_t abs, unsigned reg) { x_op_abs(c, 1, 0x89, reg, abs); } /* mov %reg, abs */
static inline void x_load(struct qn_code *c, unsigned reg, uint64_t abs) { x_op_abs(c, 1, 0x8b, reg, abs); }  /* mov abs, %reg */
static inline void x_store32(struct qn_code *c, uint64_t abs, unsigned reg) { x_op_abs(c, 0, 0x89, reg, abs); }
static inline void x_load32(struct qn_code *c, unsigned reg, uint64_t abs) { x_op_abs(c, 0, 0x8b, reg, abs); }

static inline void x_rr(struct qn_code *c, unsigned w, unsigned op, unsigned reg, unsigned rm)
{
    x_opcode(c, x_rex(w, reg, 0, rm), op);
    x_byte(c, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

static inline void x_mov(struct qn_code *c, unsigned dst, unsigned src) { x_rr(c, 1, 0x89, src, dst); }   /* mov %src, %dst */
static inline void x_mov32(struct qn_code *c, unsigned dst, unsigned src) { x_rr(c, 0, 0x89, src, dst); }

static inline void x_movi(struct qn_code *c, unsigned dst, uint64_t value) /* mov $value, %dst */
{
    if (value <= 0xffffffffu) {
        if (dst > 7)
            x_byte(c, 0x41);
        x_byte(c, 0xb8 | (dst & 7));
        x_u32(c, (uint32_t)value);
    } else if (qn_fits_i32((int64_t)value)) {
        x_rr(c, 1, 0xc7, 0, dst);
        x_u32(c, (uint32_t)value);
    } else {
        x_byte(c, x_rex(1, 0, 0, dst));
        x_byte(c, 0xb8 | (dst & 7));
        x_u64(c, value);
    }
}

static inline void x_store_imm(struct qn_code *c, uint64_t abs, uint32_t value) /* movq $simm32, abs */
{
    x_byte(c, 0x48);
    x_byte(c, 0xc7);
    x_rip(c, 0, abs, 4);
    x_u32(c, value);
}

static inline void x_store32_imm(struct qn_code *c, uint64_t abs, uint32_t value) /* movl $imm32, abs */
{
    x_byte(c, 0xc7);
    x_rip(c, 0, abs, 4);
    x_u32(c, value);
}

/* op disp(base,index,scale), reg with any combination; base or index may be QN_REG_NONE. */
static inline void x_mem(struct qn_code *c, unsigned reg, unsigned base, unsigned index, unsigned scale, int32_t disp)
{
    unsigned r = (reg & 7) << 3;
    bool sib = index != QN_REG_NONE || base == QN_REG_NONE || (base & 7) == 4;
    unsigned mod = base == QN_REG_NONE                  ? 0
                   : disp == 0 && (base & 7) != 5       ? 0
                   : qn_fits_i8(disp)                   ? 1
                                                        : 2;

    x_byte(c, mod << 6 | r | (sib ? 4 : (base & 7)));
    if (sib)
        x_byte(c, qn_log2(scale) << 6 | (index == QN_REG_NONE ? 4 : index & 7) << 3 |
                      (base == QN_REG_NONE ? 5 : base & 7));
    if (mod == 1)
        x_byte(c, (uint8_t)disp);
    else if (mod == 2 || base == QN_REG_NONE)
        x_u32(c, (uint32_t)disp);
}

static inline unsigned x_rex_mem(unsigned w, unsigned reg, unsigned base, unsigned index)
{
    return x_rex(w, reg, index == QN_REG_NONE ? 0 : index, base == QN_REG_NONE ? 0 : base);
}

/* op disp(base,index,scale), reg */
static inline void x_op(struct qn_code *c, unsigned w, unsigned op, unsigned reg, unsigned base, unsigned index, unsigned scale, int32_t disp)
{
    x_opcode(c, x_rex_mem(w, reg, base, index), op);
    x_mem(c, reg, base, index, scale, disp);
}

static inline void x_lea(struct qn_code *c, unsigned dst, unsigned base, unsigned index, unsigned scale, int32_t disp)
{
    x_op(c, 1, 0x8d, dst, base, index, scale, disp); /* lea disp(base,index,scale), %dst */
}

/* op table(base), reg: a table below 2 GiB, with a register as offset. */
enum { X_OR_TO = 0x09, X_XOR = 0x33, X_CMP = 0x3b, X_LOAD = 0x8b, X_STORE = 0x89, X_RET = 0xc3, X_PUSHF = 0x9c, X_POPF = 0x9d, X_CMOVA = 0x0f47, X_MOVZB = 0x0fb6, X_PREFETCHW = 0x0f0d /* with 1 as register */ };

static inline void x_table(struct qn_code *c, unsigned op, unsigned reg, unsigned base, uint64_t table)
{
    x_op(c, 1, op, reg, base, QN_REG_NONE, 1, (int32_t)table);
}

static inline void x_load32_table(struct qn_code *c, unsigned reg, unsigned base, uint64_t table) /* movl table(%base), %regd */
{
    x_op(c, 0, X_LOAD, reg, base, QN_REG_NONE, 1, (int32_t)table);
}

static inline void x_cmov(struct qn_code *c, unsigned cond, unsigned dst, unsigned src) /* cmovCC %src, %dst */
{
    x_rr(c, 1, 0x0f40 | cond, dst, src);
}

static inline void x_push(struct qn_code *c, unsigned reg)
{
    if (reg > 7)
        x_byte(c, 0x41);
    x_byte(c, 0x50 | (reg & 7));
}

static inline void x_push_imm(struct qn_code *c, uint32_t value) /* pushq $simm32 */
{
    x_byte(c, 0x68);
    x_u32(c, value);
}

static inline void x_pop(struct qn_code *c, unsigned reg)
{
    if (reg > 7)
        x_byte(c, 0x41);
    x_byte(c, 0x58 | (reg & 7));
}

enum { X_OR = 1, X_AND = 4, X_CMPI = 7 }; /* for x_alu_imm32 */

static inline void x_alu_imm32(struct qn_code *c, unsigned w, unsigned op, unsigned reg, uint32_t imm)
{
    bool small = qn_fits_i8((int32_t)imm); /* op: 0 add, 1 or, 4 and, 5 sub, 6 xor, 7 cmp */

    x_rr(c, w, small ? 0x83 : 0x81, op, reg);
    if (small)
        x_byte(c, (uint8_t)imm);
    else
        x_u32(c, imm);
}

enum { X_BTR = 6, X_BTC = 7 }; /* for x_bit */

static inline void x_bit(struct qn_code *c, unsigned op, unsigned reg, unsigned bit) /* btrq or btcq $bit, %reg */
{
    x_rr(c, 1, 0x0fba, op, reg);
    x_byte(c, bit);
}

static inline void x_test_imm32(struct qn_code *c, unsigned reg, uint32_t imm) /* test $imm, %regd */
{
    x_rr(c, 0, 0xf7, 0, reg);
    x_u32(c, imm);
}

/* A jump, always with four bytes of distance.  Returns where it ends, for x_patch. */
static inline uint64_t x_jmp(struct qn_code *c, uint64_t target) /* jmp target */
{
    x_byte(c, 0xe9);
    x_u32(c, (uint32_t)(target - (c->exec + 4)));
    return c->exec;
}

static inline uint64_t x_jcc(struct qn_code *c, unsigned cond, uint64_t target) /* jCC target */
{
    x_opcode(c, 0x40, 0x0f80 | cond);
    x_u32(c, (uint32_t)(target - (c->exec + 4)));
    return c->exec;
}

static inline void x_rorx32(struct qn_code *c, unsigned dst, unsigned src, unsigned count) /* rorx $count, %srcd, %dstd */
{
    x_byte(c, 0xc4);
    x_byte(c, (dst > 7 ? 0 : 0x80) | 0x40 | (src > 7 ? 0 : 0x20) | 3);
    x_bytes(c, "\x7b\xf0", 2);
    x_byte(c, 0xc0 | (dst & 7) << 3 | (src & 7));
    x_byte(c, count);
}

static inline void x_shr32(struct qn_code *c, unsigned reg, unsigned count) /* shr $count, %regd; changes the flags */
{
    x_rr(c, 0, 0xc1, 5, reg);
    x_byte(c, count);
}

static inline void x_shr64(struct qn_code *c, unsigned reg, unsigned count) /* shr $count, %reg; changes the flags */
{
    x_rr(c, 1, 0xc1, 5, reg);
    x_byte(c, count);
}

static inline void x_imul32(struct qn_code *c, unsigned dst, unsigned src, uint32_t imm) /* imul $imm, %srcd, %dstd */
{
    x_rr(c, 0, 0x69, dst, src);
    x_u32(c, imm);
}

static inline void x_store32_at(struct qn_code *c, unsigned reg, unsigned index, unsigned scale, uint64_t table)
{
    x_op(c, 0, X_STORE, reg, QN_REG_NONE, index, scale, (int32_t)table); /* movl %reg, table(,index,scale) */
}

/* movq $simm32, table(%base) */
static inline void x_store_imm_table(struct qn_code *c, unsigned base, uint64_t table, uint32_t imm)
{
    x_op(c, 1, 0xc7, 0, base, QN_REG_NONE, 1, (int32_t)table);
    x_u32(c, imm);
}

/* movl $imm, table(%base) */
static inline void x_store32_imm_table(struct qn_code *c, unsigned base, uint64_t table, uint32_t imm)
{
    x_op(c, 0, 0xc7, 0, base, QN_REG_NONE, 1, (int32_t)table);
    x_u32(c, imm);
}

static inline void x_add_at(struct qn_code *c, unsigned reg, unsigned index, unsigned scale, uint64_t table)
{
    x_op(c, 1, 0x01, reg, QN_REG_NONE, index, scale, (int32_t)table); /* addq %reg, table(,index,scale) */
}

static inline void x_inc(struct qn_code *c, uint64_t abs) { x_op_abs(c, 1, 0xff, 0, abs); } /* incq abs */

static inline void x_inc_at(struct qn_code *c, unsigned index, unsigned scale, uint64_t table)
{
    x_op(c, 1, 0xff, 0, QN_REG_NONE, index, scale, (int32_t)table); /* incq table(,index,scale) */
}

static inline void x_inc_table(struct qn_code *c, unsigned base, int32_t disp) { x_op(c, 1, 0xff, 0, base, QN_REG_NONE, 1, disp); } /* incq disp(%base) */

static inline void x_movzbl_table(struct qn_code *c, unsigned dst, unsigned base, uint64_t table) /* movzbl table(%base), %dstd */
{
    x_op(c, 0, X_MOVZB, dst, base, QN_REG_NONE, 1, (int32_t)table);
}

static inline void x_call(struct qn_code *c, uint64_t target)
{
    x_byte(c, 0xe8);
    x_u32(c, (uint32_t)(target - (c->exec + 4)));
}

/* Changes the rel32 field that ends at exec address `end` so that it leads to target. */
static inline void x_patch(uint64_t end, uint64_t target)
{
    int32_t rel = (int32_t)(target - end);

    __builtin_memcpy(qn_code_at(end - 4), &rel, 4);
}

enum { X_CC_B = 2, X_CC_AE = 3, X_CC_E = 4, X_CC_NE = 5, X_CC_BE = 6, X_CC_A = 7, X_CC_S = 8, X_CC_LE = 14 };

#endif
