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
