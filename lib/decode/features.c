/* lib/decode/features.c - the CPUID features that an instruction needs.
 *
 *   c5 fd fe c1        vpaddd, vector length 32  row AVX_AVX2  ->  avx2
 *   62 f1 7d 28 fe c1  the same with EVEX        row AVX512F   ->  avx512f, avx512vl
 *
 * Rules for vector lengths: SDM vol. 1, 15.2 and 15.3; vol. 2, VAESENC, VPCLMULQDQ, GF2P8MULB.  decode.c does not
 * compute them, so only callers that ask for them spend this time. */
#include "tables.h"

enum { CPUID_NONE = QN_REG_NONE, CPUID_EAX = QN_RAX, CPUID_EBX = QN_RBX, CPUID_ECX = QN_RCX, CPUID_EDX = QN_RDX };

enum feature {
#define FEATURE(id, name, leaf, subleaf, reg, bit) FEATURE_##id,
#include "features.inc"
#undef FEATURE
    FEATURE_COUNT,
    /* In the tables only: the second one if the vector length is 32. */
    FEATURE_AVX_AVX2 = FEATURE_COUNT,
    FEATURE_AES_VAES,
    FEATURE_PCLMUL_VPCLMUL,
};

static const struct qn_feature features[FEATURE_COUNT] = {
#define FEATURE(id, name, leaf, subleaf, reg, bit) {name, leaf, subleaf, CPUID_##reg, bit},
#include "features.inc"
#undef FEATURE
};

static const uint8_t feature_of_row[] = {
    FEATURE_X86,
#define OP(op, name, operands, when, flags, feature, traits) FEATURE_##feature,
#define ALT(name, operands, when, flags, feature, traits) FEATURE_##feature,
#include "decode/maps/maps.inc"
#undef OP
#undef ALT
};

static enum feature main_feature(const struct qn_insn *insn)
{
    enum feature id = feature_of_row[insn->entry];
    bool wide = insn->vector == 32;

    switch (id) {
    case FEATURE_AVX_AVX2:
        return wide ? FEATURE_AVX2 : FEATURE_AVX;
    case FEATURE_AES_VAES:
        return wide ? FEATURE_VAES : FEATURE_AES;
    case FEATURE_PCLMUL_VPCLMUL:
        return wide ? FEATURE_VPCLMULQDQ : FEATURE_PCLMULQDQ;
    default:
        return id;
    }
}

/* Is the feature one of several encodings, so that the feature of the encoding is needed, too? */
static bool is_of_any_encoding(enum feature id)
{
    return id == FEATURE_AES || id == FEATURE_VAES || id == FEATURE_PCLMULQDQ || id == FEATURE_VPCLMULQDQ ||
           id == FEATURE_GFNI;
}

/* Is an operand as long as EVEX.L'L says?  Scalars are not. */
static bool has_vector_length(const struct qn_insn *insn)
{
    for (uint64_t operands = qn_decode_rows[insn->entry].operands; operands; operands >>= 16) {
        const struct operand_info *info = &qn_decode_operands[OPERAND_CODE(operands)];
        if ((info->size >= SZ_X && info->size <= SZ_E) || (info->memsize >= SZ_X && info->memsize <= SZ_E))
            return true;
    }
    return false;
}

static enum feature feature_of_encoding(const struct qn_insn *insn, enum feature id)
{
    if (insn->encoding == QN_ENC_VEX && is_of_any_encoding(id))
        return FEATURE_AVX;
    if (insn->encoding == QN_ENC_EVEX && insn->vector < 64 && has_vector_length(insn))
        return FEATURE_AVX512VL;
    if (insn->encoding == QN_ENC_EVEX && is_of_any_encoding(id))
        return FEATURE_AVX512F;
    return FEATURE_X86;
}

size_t qn_decode_features(const struct qn_insn *insn, const struct qn_feature *list[QN_FEATURES_MAX])
{
    enum feature id = main_feature(insn);
    enum feature besides = feature_of_encoding(insn, id);
    size_t n = 0;

    list[n++] = &features[id];
    if (besides != FEATURE_X86)
        list[n++] = &features[besides];
    return n;
}

size_t qn_decode_all_features(const struct qn_feature **list)
{
    *list = features;
    return FEATURE_COUNT;
}

/* ---- vector, mask, x87, segment and system registers that an instruction reads and writes ----
 *
 *   62 f1 7d 29 fe d1  vpaddd %ymm1,%ymm0,%ymm2{%k1}  reads vector 0 1 2, mask 1; writes vector 2
 *   de c1              faddp %st,%st(1)               reads x87 0 1, control and status; writes x87 1, status
 *
 * decode.c does not compute them, so only callers that ask for them spend this time.
 */

struct access {
    struct qn_registers *reads, *writes;
    const struct qn_insn *insn;
    const struct row *row;
    bool saves; /* stores or loads the whole state of a unit, but does not compute */
};

static void touch(struct access *a, enum qn_register_kind kind, uint32_t mask, unsigned how)
{
    if (how & QN_ACC_READ)
        a->reads->of[kind] |= mask;
    if (how & QN_ACC_WRITE)
        a->writes->of[kind] |= mask;
}

static uint32_t vectors_up_to(const struct qn_insn *insn, unsigned n)
{
    return insn->machine & QN_MACHINE_32 ? 0xff : (uint32_t)((1ull << n) - 1);
}

static void touch_saved(struct access *a, enum saved_state what, unsigned how)
{
    touch(a, QN_KIND_STATE, QN_STATE_X87_CONTROL | QN_STATE_X87_STATUS, how);
    if (what >= SAVED_X87)
        touch(a, QN_KIND_X87, 0xff, how);
    if (what >= SAVED_SSE) {
        touch(a, QN_KIND_STATE, QN_STATE_MXCSR, how);
        touch(a, QN_KIND_VECTOR, vectors_up_to(a->insn, what == SAVED_ALL ? 32 : 16), how);
    }
    if (what == SAVED_ALL) {
        touch(a, QN_KIND_MASK, 0xff, how);
        touch(a, QN_KIND_TILE, 0xff, how);
        touch(a, QN_KIND_BOUND, 0xf, how);
        touch(a, QN_KIND_STATE, QN_STATE_PKRU, how);
    }
}

static unsigned register_number(const struct qn_insn *insn, const struct operand_info *info)
{
    switch (qn_decode_operand_registers[info->kind].from) {
    case FROM_REG:
        return insn->reg;
    case FROM_VVVV:
        return insn->vvvv;
    case FROM_ARG:
        return info->arg;
    case FROM_IMMEDIATE:
        return insn->imm >> 4 & (insn->machine & QN_MACHINE_32 ? 7 : 15);
    default:
        return insn->rm;
    }
}

/* There are 32 vector registers, 16 control registers, and 8 of most; higher bits of a number do not count. */
static uint32_t register_mask(const struct qn_insn *insn, enum qn_register_kind kind, unsigned n)
{
    static const uint8_t segments[8] = {QN_SEG_ES, QN_SEG_CS, QN_SEG_SS, QN_SEG_DS, QN_SEG_FS, QN_SEG_GS};

    switch (kind) {
    case QN_KIND_VECTOR:
        return 1u << n;
    case QN_KIND_SEGMENT:
        return 1u << segments[n & 7];
    case QN_KIND_CONTROL: /* AMD: lock makes cr8 of cr0 */
        return insn->attr & QN_ATTR_LOCK ? 1u << 8 : 1u << (n & 15);
    case QN_KIND_DEBUG:
    case QN_KIND_STATE:
        return 1u << (n & 15);
    default:
        return 1u << (n & 7);
    }
}

static void touch_named(struct access *a, const struct operand_info *info, unsigned how)
{
    static const uint8_t kind_of_rm[] = {QN_KIND_VECTOR, QN_KIND_MMX, QN_KIND_MASK, QN_KIND_BOUND};
    enum qn_register_kind kind = qn_decode_operand_registers[info->kind].kind;

    if (!qn_decode_operand_registers[info->kind].named)
        return;
    if (info->kind == K_VEC_RM) {
        if (a->insn->modrm < 0xc0)
            return; /* memory */
        kind = kind_of_rm[info->arg];
    }
    touch(a, kind, register_mask(a->insn, kind, register_number(a->insn, info)), how);
}

static void touch_operand(struct access *a, const struct operand_info *info, unsigned how)
{
    switch (info->kind) {
    case K_VSIB:
        touch(a, QN_KIND_VECTOR, 1u << a->insn->mem[0].index, QN_ACC_READ);
        break;
    case K_VEC_FOUR:
        touch(a, QN_KIND_VECTOR, 0xfu << (a->insn->vvvv & ~3u), how);
        break;
    case K_XMM_LIST:
        touch(a, QN_KIND_VECTOR, info->arg, how);
        break;
    case K_ALL_VECTORS:
        touch(a, QN_KIND_VECTOR, vectors_up_to(a->insn, 16), how);
        break;
    case K_SAVED:
        a->saves = true;
        touch_saved(a, info->arg, how);
        break;
    case K_MASK_PAIR:
        touch(a, QN_KIND_MASK, 3u << (a->insn->reg & 6), how);
        break;
    default:
        touch_named(a, info, how);
        break;
    }
}

/* A destination that is written only in part keeps its other bits, so it counts as read. */
static bool keeps_destination(const struct access *a, const struct operand_info *info)
{
    bool unmasked = !a->insn->kreg || (a->insn->attr & QN_ATTR_ZEROING);

    if (a->row->traits & KEEP)
        return a->insn->modrm >= 0xc0;
    return !unmasked && info->kind != K_MASK_REG && !(a->row->traits & SEL);
}

/* Masks, and what is the same for all instructions of a unit. */
static void touch_besides(struct access *a)
{
    uint32_t attr = a->insn->attr;
    bool by_element = attr & (QN_ATTR_GATHER | QN_ATTR_SCATTER); /* the mask's bits are cleared one after the other */
    bool mmx = a->reads->of[QN_KIND_MMX] | a->writes->of[QN_KIND_MMX];
    bool x87 = (attr & QN_ATTR_X87) && !a->saves;

    if (a->insn->kreg)
        touch(a, QN_KIND_MASK, 1u << a->insn->kreg, by_element ? QN_ACC_READ | QN_ACC_WRITE : QN_ACC_READ);
    if (x87)
        touch(a, QN_KIND_STATE, QN_STATE_X87_CONTROL, QN_ACC_READ);
    if (x87 || mmx)
        touch(a, QN_KIND_STATE, QN_STATE_X87_STATUS, QN_ACC_READ | QN_ACC_WRITE);
    if (a->row->traits & FPC)
        touch(a, QN_KIND_STATE, QN_STATE_MXCSR, QN_ACC_READ);
    if (a->row->traits & FP)
        touch(a, QN_KIND_STATE, QN_STATE_MXCSR, attr & QN_ATTR_SAE ? QN_ACC_READ : QN_ACC_READ | QN_ACC_WRITE);
}

void qn_decode_registers(const struct qn_insn *insn, struct qn_registers *reads, struct qn_registers *writes)
{
    struct access a = {reads, writes, insn, &qn_decode_rows[insn->entry], false};
    uint64_t operands = a.row->operands;

    *reads = *writes = (struct qn_registers){{0}};
    for (bool first = true; operands; operands >>= 16, first = false) {
        const struct operand_info *info = &qn_decode_operands[OPERAND_CODE(operands)];
        unsigned how = OPERAND_ACCESS(operands);
        if (first && (how & QN_ACC_WRITE) && keeps_destination(&a, info))
            how |= QN_ACC_READ;
        touch_operand(&a, info, how);
    }
    touch_besides(&a);
}
