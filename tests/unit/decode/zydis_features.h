/* tests/unit/decode/zydis_features.h - Zydis's instruction sets as CPUID features.
 *
 *   AVX512BW_256  ->  "avx512bw avx512vl"      AVX512F_SCALAR  ->  "avx512f"      I486  ->  "x86"
 *
 * Zydis (as XED) tells the instruction set that an encoding came with; most have the name of a feature. */
#ifndef QN_TEST_ZYDIS_FEATURES_H
#define QN_TEST_ZYDIS_FEATURES_H

#include <Zydis/Zydis.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Where the names differ. */
static const struct {
    const char *set, *features;
} features_of_sets[] = {
    {"I86", "x86"}, {"I186", "x86"}, {"I286PROTECTED", "x86"}, {"I286REAL", "x86"}, {"I386", "x86"}, {"I486", "x86"},
    {"I486REAL", "x86"}, {"PENTIUMREAL", "x86"}, {"PPRO", "x86"}, {"AMD", "syscall"}, {"LONGMODE", "x86"},
    {"FAT_NOP", "x86"}, {"PAUSE", "x86"}, {"RDPMC", "x86"},
    {"X87", "fpu"}, {"FCMOV", "cmov"}, {"PENTIUMMMX", "mmx"}, {"FXSAVE", "fxsr"}, {"FXSAVE64", "fxsr"},
    {"SSEMXCSR", "sse"}, {"SSE_PREFETCH", "sse"}, {"SSE2MMX", "sse2"}, {"SSE3X87", "sse3"}, {"SSSE3MMX", "ssse3"},
    {"SSE4", "sse4_1"}, {"SSE42", "sse4_2"}, {"AMD3DNOW", "3dnow"}, {"PREFETCH_NOP", "3dnowprefetch"},
    {"LAHF", "lahf_lm"}, {"CMPXCHG16B", "cx16"}, {"ADOX_ADCX", "adx"}, {"RDWRFSGS", "fsgsbase"}, {"VTX", "vmx"},
    {"VMFUNC", "vmx"}, {"CET", "cet_ss"}, {"SNP", "sev_snp"}, {"AMD_INVLPGB", "invlpgb"}, {"PT", "ptwrite"},
    {"KEYLOCKER", "kl"}, {"KEYLOCKER_WIDE", "wide_kl"}, {"SGX_ENCLV", "sgx"}, {"TSX_LDTRK", "tsxldtrk"},
    {"MOVDIR", "movdiri"}, {"AVX2GATHER", "avx2"}, {"AVXAES", "aes avx"}, {"AVX_GFNI", "gfni avx"},
    {"VAES", "vaes avx"}, {"VPCLMULQDQ", "vpclmulqdq avx"},
    {"AVX512_GFNI_512", "gfni avx512f"}, {"AVX512_VAES_512", "vaes avx512f"},
    {"AVX512_VPCLMULQDQ_512", "vpclmulqdq avx512f"}, {"AVX512_GFNI_128", "gfni avx512vl"},
    {"AVX512_GFNI_256", "gfni avx512vl"}, {"AVX512_VAES_128", "vaes avx512vl"}, {"AVX512_VAES_256", "vaes avx512vl"},
    {"AVX512_VPCLMULQDQ_128", "vpclmulqdq avx512vl"}, {"AVX512_VPCLMULQDQ_256", "vpclmulqdq avx512vl"},
};

static void features_of_zydis(const ZydisDecodedInstruction *insn, char *text)
{
    const char *set = ZydisISASetGetString(insn->meta.isa_set);
    size_t n = 0;
    char *length;

    for (size_t i = 0; i < sizeof features_of_sets / sizeof *features_of_sets; i++)
        if (!strcmp(features_of_sets[i].set, set)) {
            strcpy(text, features_of_sets[i].features);
            return;
        }
    for (; set[n]; n++)
        text[n] = tolower((unsigned char)set[n]);
    text[n] = '\0';
    length = strrchr(text, '_');
    if (strncmp(text, "avx512", 6) || !length)
        return;
    if (!strcmp(length, "_128") || !strcmp(length, "_256"))
        strcpy(length, " avx512vl");
    else if (!strcmp(length, "_128n") || !strcmp(length, "_512") || !strcmp(length, "_scalar") ||
             !strcmp(length, "_kop"))
        *length = '\0';
}

#endif
