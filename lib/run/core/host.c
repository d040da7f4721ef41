/* lib/run/core/host.c - the processor: the features that the engine uses, and the registers of the guest that it saves.
 *
 *                                        engine uses        saves (signal frames, wide vectors)
 *   by default                           all features       all registers
 *   QUERN_ENGINE_CPU=x86-64-v3           no AVX-512         all registers: the guest may use AVX-512
 *   and --cpu=x86-64-v3 besides          no AVX-512         no AVX-512: as on such a processor
 *
 * In:  cpuid, xgetbv; config.engine_cpu and config.cpu: masks of CPUID bits, components of XCR0 (lib/collect/cpu.c)
 * Out: qn_host_has and the functions beside it; all decisions of the engine that depend on the processor use them
 *
 * A feature is available only if the processor has it and the kernel has enabled its registers.
 */
#include "run/core/host.h"

#include "decode/decode.h"
#include "run/run.h"

#define CPUID1_OSXSAVE (1u << 27) /* ecx */
#define XCR0_LEGACY 0x3u          /* x87, SSE: fxsave saves them, too */
#define XCR0_AVX 0x6u
#define XCR0_AVX512 0xe6u         /* the components of its registers */

enum { LEAF_FEATURES = 1, LEAF_MORE = 7, LEAF_STATE = 0xd };

static const struct {
    uint8_t leaf, reg, bit;
    uint8_t state; /* components of XCR0 that it wants */
} features[] = {
    [QN_HOST_XSAVE] = {LEAF_FEATURES, QN_RCX, 26, 1},
    [QN_HOST_AVX] = {LEAF_FEATURES, QN_RCX, 28, XCR0_AVX},
    [QN_HOST_BMI1] = {LEAF_MORE, QN_RBX, 3, 0},
    [QN_HOST_AVX2] = {LEAF_MORE, QN_RBX, 5, XCR0_AVX},
    [QN_HOST_BMI2] = {LEAF_MORE, QN_RBX, 8, 0},
    [QN_HOST_AVX512F] = {LEAF_MORE, QN_RBX, 16, XCR0_AVX512},
    [QN_HOST_AVX512BW] = {LEAF_MORE, QN_RBX, 30, XCR0_AVX512},
    [QN_HOST_AVX512VL] = {LEAF_MORE, QN_RBX, 31, XCR0_AVX512},
};

struct qn_host_answer qn_host_ask(uint32_t leaf, uint32_t subleaf)
{
    struct qn_host_answer a = {{leaf, subleaf}};

    __asm__ volatile("cpuid" : "+a"(a.r[QN_RAX]), "=b"(a.r[QN_RBX]), "+c"(a.r[QN_RCX]), "=d"(a.r[QN_RDX]));
    return a;
}

uint64_t qn_host_xgetbv(uint32_t which)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(which));
    return (uint64_t)high << 32 | low;
}

uint64_t qn_host_xcr0(void)
{
    return qn_host_ask(LEAF_FEATURES, 0).r[QN_RCX] & CPUID1_OSXSAVE ? qn_host_xgetbv(0) : 0;
}

bool qn_host_has_subleaves(uint32_t leaf) { return leaf == LEAF_MORE || leaf == LEAF_STATE || leaf == 0x14; }

const uint32_t *qn_host_kept(const struct qn_cpu *cpu, uint32_t leaf, uint32_t subleaf)
{
    for (uint32_t i = 0; i < cpu->leaves; i++)
        if (cpu->leaf[i].leaf == leaf && (cpu->leaf[i].subleaf == subleaf || !qn_host_has_subleaves(leaf)))
            return cpu->leaf[i].keep;
    return NULL;
}

static bool keeps(const struct qn_cpu *cpu, enum qn_host_feature f)
{
    const uint32_t *keep = cpu->masked ? qn_host_kept(cpu, features[f].leaf, 0) : NULL;

    return !keep || keep[features[f].reg] >> features[f].bit & 1;
}

static bool is_there(enum qn_host_feature f)
{
    uint64_t wanted = features[f].state;

    return (qn_host_ask(features[f].leaf, 0).r[features[f].reg] >> features[f].bit & 1) && (!wanted || (qn_host_xcr0() & wanted) == wanted);
}

bool qn_host_has(enum qn_host_feature f) { return keeps(&qn_cfg()->engine_cpu, f) && is_there(f); }

bool qn_host_serves(enum qn_host_feature f)
{
    return (keeps(&qn_cfg()->engine_cpu, f) || keeps(&qn_cfg()->cpu, f)) && is_there(f);
}

/* The instructions for sim/fast/rows.h.  Its AVX2 version also needs BMI1 (tzcnt); its AVX-512 version also needs BW and VL. */
enum qn_vectors qn_host_vectors(void)
{
    if (qn_host_has(QN_HOST_AVX512F) && qn_host_has(QN_HOST_AVX512BW) && qn_host_has(QN_HOST_AVX512VL))
        return QN_VECTORS_AVX512;
    return qn_host_has(QN_HOST_AVX2) && qn_host_has(QN_HOST_BMI1) ? QN_VECTORS_AVX2 : QN_VECTORS_SCALAR;
}

static uint64_t state_of(const struct qn_cpu *cpu)
{
    return !keeps(cpu, QN_HOST_XSAVE) ? 0 : cpu->masked ? cpu->state | XCR0_LEGACY : ~0ull;
}

/* Computed once, because cpuid is slow in a virtual machine. */
uint64_t qn_host_state(void)
{
    static uint64_t state;
    static bool known;

    if (!known)
        state = qn_host_serves(QN_HOST_XSAVE) ? (state_of(&qn_cfg()->engine_cpu) | state_of(&qn_cfg()->cpu)) & qn_host_xcr0() : 0;
    known = true;
    return state;
}
