/* tests/unit/decode/zydis_registers.h - vector, mask, x87 and system registers as Zydis tells them.
 *
 * Not compared, since Zydis does not tell them: that x87 and SSE instructions read their control words, that the latter
 * set flags in MXCSR, and that MMX instructions write the tag word. */
#ifndef QN_TEST_ZYDIS_REGISTERS_H
#define QN_TEST_ZYDIS_REGISTERS_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"

#define STATES_OF_ZYDIS (QN_STATE_XCR0 | QN_STATE_PKRU | QN_STATE_GDTR | QN_STATE_IDTR | QN_STATE_LDTR | QN_STATE_TR)

static unsigned state_bit(ZydisRegister reg)
{
    switch (reg) {
    case ZYDIS_REGISTER_X87CONTROL:
        return QN_STATE_X87_CONTROL;
    case ZYDIS_REGISTER_X87STATUS:
    case ZYDIS_REGISTER_X87TAG:
        return QN_STATE_X87_STATUS;
    case ZYDIS_REGISTER_MXCSR:
        return QN_STATE_MXCSR;
    case ZYDIS_REGISTER_XCR0:
        return QN_STATE_XCR0;
    case ZYDIS_REGISTER_PKRU:
        return QN_STATE_PKRU;
    case ZYDIS_REGISTER_GDTR:
        return QN_STATE_GDTR;
    case ZYDIS_REGISTER_IDTR:
        return QN_STATE_IDTR;
    case ZYDIS_REGISTER_LDTR:
        return QN_STATE_LDTR;
    case ZYDIS_REGISTER_TR:
        return QN_STATE_TR;
    default:
        return 0;
    }
}

/* Kind and mask of a register; mask 0: none of these kinds. */
static uint32_t kind_and_mask(ZydisRegister reg, enum qn_register_kind *kind)
{
    static const struct {
        ZydisRegisterClass class;
        enum qn_register_kind kind;
    } kinds[] = {{ZYDIS_REGCLASS_XMM, QN_KIND_VECTOR},      {ZYDIS_REGCLASS_YMM, QN_KIND_VECTOR},
                 {ZYDIS_REGCLASS_ZMM, QN_KIND_VECTOR},      {ZYDIS_REGCLASS_MASK, QN_KIND_MASK},
                 {ZYDIS_REGCLASS_MMX, QN_KIND_MMX},         {ZYDIS_REGCLASS_X87, QN_KIND_X87},
                 {ZYDIS_REGCLASS_TMM, QN_KIND_TILE},        {ZYDIS_REGCLASS_BOUND, QN_KIND_BOUND},
                 {ZYDIS_REGCLASS_CONTROL, QN_KIND_CONTROL}, {ZYDIS_REGCLASS_DEBUG, QN_KIND_DEBUG}};
    static const uint8_t segments[] = {QN_SEG_ES, QN_SEG_CS, QN_SEG_SS, QN_SEG_DS, QN_SEG_FS, QN_SEG_GS};
    ZydisRegisterClass class = ZydisRegisterGetClass(reg);

    *kind = QN_KIND_STATE;
    if (class == ZYDIS_REGCLASS_SEGMENT) {
        *kind = QN_KIND_SEGMENT;
        return 1u << segments[ZydisRegisterGetId(reg)];
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].class == class) {
            *kind = kinds[i].kind;
            return 1u << ZydisRegisterGetId(reg);
        }
    return state_bit(reg);
}

static void add_other_register(const ZydisDecodedOperand *op, struct qn_registers *reads, struct qn_registers *writes)
{
    enum qn_register_kind kind;
    uint32_t mask = kind_and_mask(op->reg.value, &kind);

    if (op->encoding == ZYDIS_OPERAND_ENCODING_MASK && op->reg.value == ZYDIS_REGISTER_K0)
        return; /* no mask */
    if (op->actions & (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_CONDWRITE))
        reads->of[kind] |= mask;
    if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        writes->of[kind] |= mask;
}

/* Zydis numbers what a pushing x87 instruction writes as it is afterwards. */
static void number_as_before(const ZydisDecodedInstruction *insn, struct qn_registers *writes)
{
    switch (insn->mnemonic) {
    case ZYDIS_MNEMONIC_FLD:
    case ZYDIS_MNEMONIC_FILD:
    case ZYDIS_MNEMONIC_FBLD:
    case ZYDIS_MNEMONIC_FLD1:
    case ZYDIS_MNEMONIC_FLDL2T:
    case ZYDIS_MNEMONIC_FLDL2E:
    case ZYDIS_MNEMONIC_FLDPI:
    case ZYDIS_MNEMONIC_FLDLG2:
    case ZYDIS_MNEMONIC_FLDLN2:
    case ZYDIS_MNEMONIC_FLDZ:
    case ZYDIS_MNEMONIC_FPTAN:
    case ZYDIS_MNEMONIC_FSINCOS:
    case ZYDIS_MNEMONIC_FXTRACT:
        writes->of[QN_KIND_X87] = writes->of[QN_KIND_X87] >> 1 | (writes->of[QN_KIND_X87] & 1) << 7;
        break;
    default:
        break;
    }
}

static bool same_registers(const struct qn_registers *q, const struct qn_registers *z)
{
    for (int kind = 0; kind < QN_KIND_STATE; kind++)
        if (q->of[kind] != z->of[kind])
            return false;
    return (q->of[QN_KIND_STATE] & STATES_OF_ZYDIS) == (z->of[QN_KIND_STATE] & STATES_OF_ZYDIS) &&
           !(z->of[QN_KIND_STATE] & ~q->of[QN_KIND_STATE]);
}

static void print_registers(const char *what, const struct qn_registers *r)
{
    static const char *const names[QN_KIND_COUNT] = {"vector",  "mask",    "mmx",   "x87", "tile", "bound",
                                                     "segment", "control", "debug", "state"};
    bool any = false;

    for (int kind = 0; kind < QN_KIND_COUNT; kind++)
        if (r->of[kind]) {
            printf("%s %s %x", any ? "" : what, names[kind], r->of[kind]);
            any = true;
        }
}

#endif
