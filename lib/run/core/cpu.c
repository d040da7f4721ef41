/* lib/run/core/cpu.c - the processor: what the engine uses of it, what the guest sees of it (--cpu), and the instructions that the engine
 * executes in place of the guest. */
#include "run/core/core.h"

#include "block/block.h"
#include "decode/decode.h"
#include "guest/exec_map.h"
#include "run/core/references/references.h"
#include "run/kernel/signal.h"
#include "run/run.h"

/* ---- the features that the engine uses, and the registers of the guest that it saves ----
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

enum { LEAF_FEATURES = 1, LEAF_MORE = 7, LEAF_STATE = 0xd, LEAF_EXTENDED = 0x80000001u };
#define CPUID1_OSXSAVE (1u << 27) /* ecx */
#define XCR0_LEGACY 0x3u          /* x87, SSE: fxsave saves them, too */
#define XCR0_AVX 0x6u
#define XCR0_AVX512 0xe6u         /* the components of its registers */

struct answer { uint32_t r[4]; }; /* of cpuid, by number: eax, ecx, edx, ebx */

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

static struct answer ask(uint32_t leaf, uint32_t subleaf)
{
    struct answer a = {{leaf, subleaf}};

    __asm__ volatile("cpuid" : "+a"(a.r[QN_RAX]), "=b"(a.r[QN_RBX]), "+c"(a.r[QN_RCX]), "=d"(a.r[QN_RDX]));
    return a;
}

static uint64_t read_xcr(uint32_t which)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(which));
    return (uint64_t)high << 32 | low;
}

/* 0: there is no xgetbv. */
static uint64_t host_xcr0(void)
{
    return ask(LEAF_FEATURES, 0).r[QN_RCX] & CPUID1_OSXSAVE ? read_xcr(0) : 0;
}

static bool has_subleaves(uint32_t leaf) { return leaf == LEAF_MORE || leaf == LEAF_STATE || leaf == 0x14; }

/* The masks of this leaf in `cpu`; NULL: it has none. */
static const uint32_t *kept(const struct qn_cpu *cpu, uint32_t leaf, uint32_t subleaf)
{
    for (uint32_t i = 0; i < cpu->leaves; i++)
        if (cpu->leaf[i].leaf == leaf && (cpu->leaf[i].subleaf == subleaf || !has_subleaves(leaf)))
            return cpu->leaf[i].keep;
    return NULL;
}

static bool keeps(const struct qn_cpu *cpu, enum qn_host_feature f)
{
    const uint32_t *keep = cpu->masked ? kept(cpu, features[f].leaf, 0) : NULL;

    return !keep || keep[features[f].reg] >> features[f].bit & 1;
}

static bool is_there(enum qn_host_feature f)
{
    uint64_t wanted = features[f].state;

    return (ask(features[f].leaf, 0).r[features[f].reg] >> features[f].bit & 1) && (!wanted || (host_xcr0() & wanted) == wanted);
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
        state = qn_host_serves(QN_HOST_XSAVE) ? (state_of(&qn_cfg()->engine_cpu) | state_of(&qn_cfg()->cpu)) & host_xcr0() : 0;
    known = true;
    return state;
}

/* ---- the instruction pointer of the x87 unit ----
 *
 * The processor records the address of the last x87 instruction, which is one in the code cache.  fnstenv, fnsave, fxsave and xsave
 * store it.  A block ends after these instructions, and the engine then replaces the address by the guest's.  If the translation has been
 * evicted meanwhile, the guest's address is unknown; the engine stores 0, as if there had been no x87 instruction.
 *
 * The 16-bit forms (66h fnstenv, fnsave) have no room for an address in the code cache.  So the engine executes them itself and stores
 * the address that it has found by the 32-bit form (SDM vol. 1, 8.1.10)
 *
 *   control 0 | status 2 | tag 4 | ip 6 | cs 8 | operand 10 | ds 12       then the registers, 80 bytes
 */

enum { ENV_IP = 12, ENV16_IP = 6, FXSAVE_IP = 8, FXSAVE_X87 = 32, FXSAVE_XMM = 160, XSTATE_BV = 512, XSAVE_YMM = 576 }; /* offsets in bytes */
enum { STATE_X87 = 1 << 0, STATE_SSE = 1 << 1, STATE_AVX = 1 << 2 };
#define ENV_WORDS 7u     /* of 32 bits */
#define FNSAVE 0xdd      /* opcode; fnstenv has d9 */

uint64_t qn_fpu_guest_ip(uint64_t ip)
{
    return ip >= QN_CODE_BASE && ip < QN_CODE_BASE + QN_CODE_MAX ? qn_recover_pc(ip) : ip;
}

static void correct_ip(uint64_t at, bool wide)
{
    uint64_t ip = wide ? *(const uint64_t *)(uintptr_t)at : *(const uint32_t *)(uintptr_t)at;

    ip = qn_fpu_guest_ip(ip);
    if (wide)
        *(uint64_t *)(uintptr_t)at = ip;
    else
        *(uint32_t *)(uintptr_t)at = (uint32_t)ip;
}

/* Has the instruction stored x87 state?  Only if edx:eax and the header say so (SDM vol. 1, 13.7). */
static bool has_x87(const struct qn_insn *in, uint64_t at)
{
    const uint64_t *saved = (const uint64_t *)(uintptr_t)(at + XSTATE_BV);

    return !(in->attr & QN_ATTR_XSAVE) || (qn_ctx.gpr[QN_RAX] & *saved & 1);
}

/* Valgrind's xsave always marks x87, SSE and AVX state as in use, and its xrstor reads the marked components.  A processor may omit a
 * component that holds its initial values, at its own discretion (XINUSE; SDM vol. 1, 13.6): AMD's Zen 4 behaves differently after a task
 * switch, so counts would differ from run to run.  Therefore counting mode cachegrind adds the omitted components. */
static void mark_in_use(uint64_t at, uint64_t wanted)
{
    static const uint8_t x87[FXSAVE_IP + 16] = {0x7f, 0x03}, zeros[256]; /* control word; up to MXCSR, which has been written */
    static const struct {
        uint8_t component;
        uint16_t offset, size;
        const uint8_t *initial;
    } parts[] = {{STATE_X87, 0, sizeof x87, x87}, {STATE_X87, FXSAVE_X87, 128, zeros}, {STATE_SSE, FXSAVE_XMM, 256, zeros}, {STATE_AVX, XSAVE_YMM, 256, zeros}};
    uint64_t *held = (uint64_t *)(uintptr_t)(at + XSTATE_BV), left_out = wanted & ~*held;

    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if ((left_out & parts[i].component) && !qn_write_guest(at + parts[i].offset, parts[i].initial, parts[i].size))
            return; /* not mapped: the processor has written nothing */
    *held |= left_out;
}

/* An instruction of the xsave family has stored at this address. */
static void state_stored(const struct qn_insn *in, uint64_t at)
{
    bool xsave = in->opcode == 0xae && (in->modrm >> 3 & 7) == 4;

    if (xsave && qn_cfg()->counting == QN_COUNTING_CACHEGRIND)
        mark_in_use(at, qn_ctx.gpr[QN_RAX] & qn_cpu_state() & (STATE_X87 | STATE_SSE | STATE_AVX));
}

/* Called after the instruction has stored. */
static void correct_stored(const struct qn_insn *in, uint64_t pc)
{
    uint64_t at = qn_operand_address(in, &in->mem[0], pc);

    if (has_x87(in, at))
        correct_ip(at + (in->map == 0 ? ENV_IP : FXSAVE_IP), in->map != 0 && in->opsize == 8);
    if (in->attr & QN_ATTR_XSAVE)
        state_stored(in, at);
}

/* Reads the 32-bit environment first, because some processors (AMD's) lose the instruction pointer at a task switch. */
static bool store16(const struct qn_insn *in)
{
    enum qn_guarded what = in->opcode == FNSAVE ? QN_GUARDED_FNSAVE16 : QN_GUARDED_FNSTENV16;
    uint64_t at = qn_operand_address(in, &in->mem[0], qn_ctx.rip);
    uint32_t env[ENV_WORDS];
    uint16_t ip;

    __asm__ volatile("fnstenv %0\n fldenv %0" : "+m"(env)); /* fnstenv masks exceptions */
    if (!qn_guarded_insn(what, at, 0)) {
        qn_guarded_raise();
        return false;
    }
    ip = (uint16_t)qn_fpu_guest_ip(env[ENV_IP / sizeof *env]);
    return qn_write_guest(at + ENV16_IP, &ip, sizeof ip);
}

/* ---- the processor that the guest sees (--cpu) ----
 *
 * In:  config.cpu: masks of CPUID leaves; components of XCR0 to show; whether all other values are the same on every machine
 * Out: cpuid, AT_HWCAP, AT_HWCAP2, xgetbv and xsave show this processor
 *
 * A feature is shown only if the processor has it.  Hidden instructions still run if the program uses them without a test.  A program that
 * asks cpuid for the size of xsave's area (the dynamic linker does) allocates only that much.  So if components are hidden, the engine
 * executes xsave and xrstor itself, for the visible ones.  (xrstor may read the places of components that it only sets to their initial
 * values.)  Signal frames hold the whole state.
 *
 * Transactions (TSX) are always hidden, because translated code cannot support them.
 */

#define CPUID7_HLE (1u << 4)
#define CPUID7_RTM (1u << 11)
#define CPUID1_XSAVE (1u << 26)   /* ecx */
#define CPUID7_PKU (1u << 3)      /* ecx */
#define CPUID7_OSPKE (1u << 4)
#define CPUID7_FSGSBASE (1u << 0) /* ebx */
#define HWCAP2_FSGSBASE (1u << 1)
#define XGETBV_USED (1u << 2)     /* leaf 0xd, subleaf 1, eax: xgetbv knows 1 */
#define COMPACT_ALIGNED (1u << 1) /* leaf 0xd, subleaf of a component, ecx */
#define XSAVE_LEGACY 576u         /* bytes: legacy area and header */
#define XSAVE_ALIGN 64u

static uint64_t state, hidden; /* components that are shown, and hidden */

uint64_t qn_cpu_state(void) { return state; }

void qn_cpu_init(void)
{
    state = qn_host_serves(QN_HOST_XSAVE) ? host_xcr0() : 0;
    hidden = qn_cfg()->cpu.masked ? state & ~qn_cfg()->cpu.state : 0;
    state &= ~hidden;
    qn_block_hides_state = hidden != 0;
}

uint32_t qn_cpu_state_bytes(uint64_t components, bool compact)
{
    uint32_t bytes = XSAVE_LEGACY;

    for (unsigned i = 2; i < 63; i++) {
        struct answer a;
        uint32_t size, offset;

        if (!(components >> i & 1))
            continue;
        a = ask(LEAF_STATE, i);
        size = a.r[QN_RAX];
        offset = a.r[QN_RBX];
        if (compact)
            bytes = (a.r[QN_RCX] & COMPACT_ALIGNED ? (uint32_t)qn_round_up(bytes, XSAVE_ALIGN) : bytes) + size;
        else if (offset + size > bytes)
            bytes = offset + size;
    }
    return bytes;
}

/* ---- cpuid ---- */

/* A generic processor, as virtual machines show it (QEMU's qemu64), so that libraries choose code only by its features.  Caches: 32 KiB, 512
 * KiB, 16 MiB, in the old leaves, which have one word for each. */
#define FIXED_MODEL 0x60fb1u      /* family 15, model 107, stepping 1 */
#define FIXED_CLFLUSH 0x10800u    /* lines of 64 bytes; one processor */
#define FIXED_L1 0x20080140u      /* 32 KiB, 8 ways, 64 bytes */
#define FIXED_L2 0x02006140u      /* 512 KiB, 8 ways */
#define FIXED_L3 0x00808140u      /* 16 MiB, 16 ways */
#define FIXED_ADDRESSES 0x3030u   /* 48 bits, physical and virtual */
#define EXTENDED_LONG_MODE (1u << 29 | 1u << 20) /* and no-execute */

static struct answer vendor(uint32_t highest)
{
    return (struct answer){{[QN_RAX] = highest, [QN_RBX] = 0x68747541, [QN_RDX] = 0x69746e65, [QN_RCX] = 0x444d4163}}; /* AuthenticAMD */
}

static struct answer brand(uint32_t part)
{
    static const char text[48] = "quern --cpu";
    struct answer a;

    __builtin_memcpy(&a.r[QN_RAX], text + 16 * part, 4);
    __builtin_memcpy(&a.r[QN_RBX], text + 16 * part + 4, 4);
    __builtin_memcpy(&a.r[QN_RCX], text + 16 * part + 8, 4);
    __builtin_memcpy(&a.r[QN_RDX], text + 16 * part + 12, 4);
    return a;
}

/* The values of a leaf that are not features. */
static struct answer fixed(uint32_t leaf)
{
    struct answer none = {{0}};

    switch (leaf) {
    case 0: return vendor(LEAF_STATE);
    case LEAF_FEATURES: return (struct answer){{[QN_RAX] = FIXED_MODEL, [QN_RBX] = FIXED_CLFLUSH}};
    case LEAF_MORE: return (struct answer){{[QN_RAX] = 1}};
    case 0x80000000u: return vendor(0x80000008u);
    case LEAF_EXTENDED: return (struct answer){{[QN_RAX] = FIXED_MODEL, [QN_RDX] = EXTENDED_LONG_MODE}};
    case 0x80000002u: case 0x80000003u: case 0x80000004u: return brand(leaf - 0x80000002u);
    case 0x80000005u: return (struct answer){{[QN_RCX] = FIXED_L1, [QN_RDX] = FIXED_L1}};
    case 0x80000006u: return (struct answer){{[QN_RCX] = FIXED_L2, [QN_RDX] = FIXED_L3}};
    case 0x80000008u: return (struct answer){{[QN_RAX] = FIXED_ADDRESSES}};
    default: return none;
    }
}

/* Two bits of the operating system say that programs may use a feature. */
static void keep_enabled(struct answer *a, uint32_t leaf, const struct answer *host)
{
    if (leaf == LEAF_FEATURES)
        a->r[QN_RCX] = (a->r[QN_RCX] & ~CPUID1_OSXSAVE) | (a->r[QN_RCX] & CPUID1_XSAVE ? host->r[QN_RCX] & CPUID1_OSXSAVE : 0);
    if (leaf == LEAF_MORE)
        a->r[QN_RCX] = (a->r[QN_RCX] & ~CPUID7_OSPKE) | (a->r[QN_RCX] & CPUID7_PKU ? host->r[QN_RCX] & CPUID7_OSPKE : 0);
}

static bool shows_xsave(void)
{
    const uint32_t *keep = kept(&qn_cfg()->cpu, LEAF_FEATURES, 0);

    return !keep || (keep[QN_RCX] & CPUID1_XSAVE);
}

/* The sizes of xsave's area. */
static void size_state(struct answer *a, uint32_t subleaf)
{
    bool component = subleaf > 1 && subleaf < 63, is_fixed = qn_cfg()->cpu.fixed;

    if (!shows_xsave() || (component && (is_fixed ? ~state : hidden) >> subleaf & 1)) {
        *a = (struct answer){{0}};
    } else if (subleaf == 0) {
        a->r[QN_RAX] = (uint32_t)state;
        a->r[QN_RDX] = (uint32_t)(state >> 32);
        a->r[QN_RBX] = a->r[QN_RCX] = qn_cpu_state_bytes(state, false);
    } else if (subleaf == 1) {
        a->r[QN_RBX] = qn_cpu_state_bytes(state, true);
        if (is_fixed)
            a->r[QN_RCX] = a->r[QN_RDX] = 0;
    }
}

static struct answer shown(uint32_t leaf, uint32_t subleaf)
{
    struct answer host = ask(leaf, subleaf), a = {{0}};
    const uint32_t *keep = kept(&qn_cfg()->cpu, leaf, subleaf);
    bool is_fixed = qn_cfg()->cpu.fixed && leaf != LEAF_STATE;

    if (is_fixed && !(subleaf && has_subleaves(leaf)))
        a = fixed(leaf);
    for (unsigned r = 0; r < 4; r++)
        a.r[r] |= host.r[r] & (keep ? keep[r] : is_fixed ? 0 : ~0u);
    if (qn_cfg()->cpu.masked)
        keep_enabled(&a, leaf, &host);
    if (qn_cfg()->cpu.masked && leaf == LEAF_STATE)
        size_state(&a, subleaf);
    if (leaf == LEAF_MORE && subleaf == 0)
        a.r[QN_RBX] &= ~(CPUID7_HLE | CPUID7_RTM);
    return a;
}

static void execute_cpuid(void)
{
    struct answer a = shown((uint32_t)qn_ctx.gpr[QN_RAX], (uint32_t)qn_ctx.gpr[QN_RCX]);

    for (unsigned r = 0; r < 4; r++)
        qn_ctx.gpr[r] = a.r[r];
}

uint64_t qn_cpu_hwcap(unsigned word, uint64_t hwcap)
{
    if (!qn_cfg()->cpu.masked)
        return hwcap;
    if (word == 1)
        return hwcap & shown(LEAF_FEATURES, 0).r[QN_RDX];
    if (qn_cfg()->cpu.fixed)
        hwcap &= HWCAP2_FSGSBASE;
    return shown(LEAF_MORE, 0).r[QN_RBX] & CPUID7_FSGSBASE ? hwcap : hwcap & ~(uint64_t)HWCAP2_FSGSBASE;
}

/* ---- xgetbv and xsave ---- */

static bool tell_register(void)
{
    uint32_t which = (uint32_t)qn_ctx.gpr[QN_RCX];
    uint64_t value;

    if (which > 1 || (which == 1 && !(ask(LEAF_STATE, 1).r[QN_RAX] & XGETBV_USED))) {
        qn_signal_raise(SIG_SEGV, SI_KERNEL_, 0);
        return false;
    }
    value = which ? read_xcr(1) & state : state;
    qn_ctx.gpr[QN_RAX] = (uint32_t)value;
    qn_ctx.gpr[QN_RDX] = value >> 32;
    return true;
}

static bool raised(void)
{
    qn_guarded_raise();
    return false;
}

static bool move_state(const struct qn_insn *in)
{
    bool wide = in->opsize == 8;
    enum qn_guarded plain = wide ? QN_GUARDED_XSAVE64 : QN_GUARDED_XSAVE;
    enum qn_guarded compact = wide ? QN_GUARDED_XSAVEC64 : QN_GUARDED_XSAVEC;
    uint64_t wanted = ((uint32_t)qn_ctx.gpr[QN_RAX] | qn_ctx.gpr[QN_RDX] << 32) & state;
    uint64_t at = qn_operand_address(in, &in->mem[0], qn_ctx.rip);

    if (!(in->mem[0].access & QN_ACC_WRITE))
        return qn_guarded_insn(wide ? QN_GUARDED_XRSTOR64 : QN_GUARDED_XRSTOR, at, wanted) || raised();
    if (!qn_guarded_insn(in->opcode == 0xc7 ? compact : plain, at, wanted))
        return raised();
    if (wanted & *(const uint64_t *)(uintptr_t)(at + XSTATE_BV) & 1)
        correct_ip(at + FXSAVE_IP, in->opsize == 8);
    state_stored(in, at);
    return true;
}

/* ---- instructions that the engine executes ---- */

enum { ARCH_GET_FS_ = 0x1003, ARCH_GET_GS_ = 0x1004, FS = 4, GS = 5 /* numbers of the segment registers */ };

/* Which of fs and gs does it load?  mov, pop, lfs, lgs, wrfsbase, wrgsbase. */
static unsigned segment_loaded(const struct qn_insn *in)
{
    if (in->map == 0)
        return in->modrm >> 3 & 7;
    switch (in->opcode) {
    case 0xa1:
    case 0xb4: return FS;
    case 0xa9:
    case 0xb5: return GS;
    default: return (in->modrm >> 3 & 7) == 2 ? FS : GS;
    }
}

/* The processor has loaded the register; the base that came with a selector is one of the kernel's tables. */
static void learn_base(const struct qn_insn *in)
{
    bool fs = segment_loaded(in) == FS;

    qn_sys2(__NR_arch_prctl, fs ? ARCH_GET_FS_ : ARCH_GET_GS_, (long)(fs ? &qn_ctx.fs_base : &qn_ctx.gs_base));
}

void qn_emulate_after(uint64_t pc)
{
    struct qn_insn in;

    qn_block_decode((const uint8_t *)(uintptr_t)pc, QN_INSN_MAX_LEN, &in);
    if (in.attr & QN_ATTR_FSGSBASE)
        learn_base(&in);
    else
        correct_stored(&in, pc);
}

void qn_emulate(void)
{
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)qn_ctx.rip;
    struct qn_insn in;

    if (qn_block_decode(bytes, qn_exec_avail(qn_ctx.rip, QN_INSN_MAX_LEN), &in) != QN_DEC_OK)
        qn_die_bad_insn(qn_ctx.rip);
    if (in.attr & QN_ATTR_CPUID)
        execute_cpuid();
    else if (!(in.map == 0 ? store16(&in) : in.attr & QN_ATTR_XSAVE ? move_state(&in) : tell_register()))
        return; /* a signal is pending */
    qn_ctx.rip += in.len;
}
