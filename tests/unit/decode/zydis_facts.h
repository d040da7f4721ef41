/* tests/unit/decode/zydis_facts.h - facts of an instruction as Zydis tells them, in the words of quern's decoder. */
#ifndef QN_TEST_ZYDIS_FACTS_H
#define QN_TEST_ZYDIS_FACTS_H

#include "decode_facts.h"
#include "zydis_features.h"
#include "zydis_registers.h"

static enum qn_machine machine;

static unsigned register_number(ZydisRegister reg)
{
    ZydisRegisterClass class = ZydisRegisterGetClass(reg);
    ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

    if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP)
        return QN_RIP;
    if (class != ZYDIS_REGCLASS_GPR8 && class != ZYDIS_REGCLASS_GPR16 && class != ZYDIS_REGCLASS_GPR32 &&
        class != ZYDIS_REGCLASS_GPR64)
        return QN_REG_NONE;
    return (unsigned)ZydisRegisterGetId(full);
}

static void add_register(struct facts *f, const ZydisDecodedOperand *op)
{
    unsigned n = register_number(op->reg.value);
    bool conditional = op->actions & ZYDIS_OPERAND_ACTION_CONDWRITE;

    if (n > 15) {
        add_other_register(op, &f->other_reads, &f->other_writes);
        return;
    }
    if (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        f->reads |= 1u << n;
    if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
        f->writes |= 1u << n;
        if (op->size < 32 || conditional)
            f->reads |= 1u << n;
    }
}

static unsigned segment_number(ZydisRegister segment)
{
    static const uint8_t of_32[] = {QN_SEG_ES, QN_SEG_CS, QN_SEG_SS, QN_SEG_DS, QN_SEG_FS, QN_SEG_GS};
    unsigned n = segment - ZYDIS_REGISTER_ES;

    if (segment == ZYDIS_REGISTER_NONE)
        return QN_SEG_NONE;
    return machine & QN_MACHINE_32 || n >= 4 ? of_32[n] : QN_SEG_NONE;
}

/* no_base: ModRM.mod = 0 and SIB.base = 5, which with REX.B and 67h Zydis 4.0 takes for r13 (SDM vol. 2, table 2-3,
 * note 1: there is no base); counted as a difference of its own, "SIB without base". */
static void add_memory(struct facts *f, const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *op,
                       bool no_base)
{
    struct qn_mem *m;
    ZydisRegisterClass c = ZydisRegisterGetClass(op->mem.index);
    bool touches = op->mem.type == ZYDIS_MEMOP_TYPE_MEM || op->mem.type == ZYDIS_MEMOP_TYPE_VSIB;

    if (f->n_mem == 3)
        return;
    m = &f->mem[f->n_mem++];
    m->vsib = c == ZYDIS_REGCLASS_XMM || c == ZYDIS_REGCLASS_YMM || c == ZYDIS_REGCLASS_ZMM;
    m->base = register_number(op->mem.base);
    m->index = m->vsib ? (unsigned)ZydisRegisterGetId(op->mem.index) : register_number(op->mem.index);
    m->scale = op->mem.scale ? op->mem.scale : 1;
    m->disp = op->mem.disp.has_displacement || op->mem.disp.value ? op->mem.disp.value : 0;
    m->seg = segment_number(op->mem.segment);
    m->size = op->size / 8;
    m->addr32 = insn->address_width == 32;
    m->addr16 = insn->address_width == 16;
    m->is_modrm = op->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM;
    if (no_base && m->is_modrm && m->base == QN_R13) {
        m->base = QN_REG_NONE;
        m->disp = insn->raw.disp.value;
        f->wrong_base = true;
    }
    if (touches && (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ))
        m->access |= QN_ACC_READ;
    if (touches && (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        m->access |= QN_ACC_WRITE;
    if (m->base < 16)
        f->reads |= 1u << m->base;
    if (m->index < 16 && !m->vsib)
        f->reads |= 1u << m->index;
    if (m->vsib)
        f->other_reads.of[QN_KIND_VECTOR] |= 1u << m->index;
}

static unsigned flag_mask(ZydisAccessedFlagsMask z)
{
    return (z & ZYDIS_CPUFLAG_CF ? QN_CF : 0) | (z & ZYDIS_CPUFLAG_PF ? QN_PF : 0) |
           (z & ZYDIS_CPUFLAG_AF ? QN_AF : 0) | (z & ZYDIS_CPUFLAG_ZF ? QN_ZF : 0) |
           (z & ZYDIS_CPUFLAG_SF ? QN_SF : 0) | (z & ZYDIS_CPUFLAG_OF ? QN_OF : 0) |
           (z & ZYDIS_CPUFLAG_DF ? QN_DF : 0);
}

static const char *branch_of_zydis(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops)
{
    bool direct = insn->operand_count && ops[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && ops[0].imm.is_relative;

    if (insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || insn->mnemonic == ZYDIS_MNEMONIC_IRET ||
        insn->mnemonic == ZYDIS_MNEMONIC_IRETD || insn->mnemonic == ZYDIS_MNEMONIC_IRETQ)
        return "far";
    switch (insn->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        return "conditional";
    case ZYDIS_CATEGORY_UNCOND_BR:
        return direct ? "jump" : "indirect jump";
    case ZYDIS_CATEGORY_CALL:
        return direct ? "call" : "indirect call";
    case ZYDIS_CATEGORY_RET:
        return "return";
    case ZYDIS_CATEGORY_SYSCALL:
        return "system call";
    case ZYDIS_CATEGORY_INTERRUPT:
        return "interrupt";
    default:
        return "";
    }
}

static void facts_of_zydis(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops, struct facts *f)
{
    bool no_base = insn->raw.modrm.mod == 0 && insn->raw.modrm.rm == 4 && insn->raw.sib.base == 5;

    f->accepted = true;
    f->len = insn->length;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        if (ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
            add_register(f, &ops[i]);
        else if (ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
            add_memory(f, insn, &ops[i], no_base);
    }
    if (insn->cpu_flags) {
        f->flags_read = flag_mask(insn->cpu_flags->tested);
        f->flags_undef = flag_mask(insn->cpu_flags->undefined);
        f->flags_written =
            flag_mask(insn->cpu_flags->modified | insn->cpu_flags->set_0 | insn->cpu_flags->set_1) |
            f->flags_undef;
    }
    number_as_before(insn, &f->other_writes);
    f->branch = branch_of_zydis(insn, ops);
    if (insn->operand_count && ops[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && ops[0].imm.is_relative)
        ZydisCalcAbsoluteAddress(insn, &ops[0], 0, &f->target);
    if (machine & QN_MACHINE_32)
        f->target = (uint32_t)f->target; /* it adds as if addresses had 64 bits */
    f->privileged = insn->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED;
    features_of_zydis(insn, f->features);
}

#endif
