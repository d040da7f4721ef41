/* lib/run/core/cpu.c - the processor that the guest sees (--cpu).
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
#include "run/core/cpu.h"

#include "block/block.h"
#include "run/core/attempt.h"
#include "run/core/host.h"
#include "run/core/references/operand.h"
#include "run/run.h"
#include "run/kernel/signal/signal.h"

#define CPUID7_HLE (1u << 4)
#define CPUID7_RTM (1u << 11)
#define CPUID1_XSAVE (1u << 26)   /* ecx */
#define CPUID1_OSXSAVE (1u << 27)
#define CPUID7_PKU (1u << 3)      /* ecx */
#define CPUID7_OSPKE (1u << 4)
#define CPUID7_FSGSBASE (1u << 0) /* ebx */
#define HWCAP2_FSGSBASE (1u << 1)
#define XGETBV_USED (1u << 2)     /* leaf 0xd, subleaf 1, eax: xgetbv knows 1 */
#define COMPACT_ALIGNED (1u << 1) /* leaf 0xd, subleaf of a component, ecx */
#define XSAVE_LEGACY 576u         /* bytes: legacy area and header */
#define XSAVE_ALIGN 64u
#define FXSAVE_IP 8
#define XSTATE_BV 512

enum { LEAF_FEATURES = 1, LEAF_MORE = 7, LEAF_STATE = 0xd, LEAF_EXTENDED = 0x80000001u };

/* ---- XCR0 ---- */

static uint64_t state, hidden; /* components that are shown, and hidden */

uint64_t qn_cpu_state(void) { return state; }

void qn_cpu_init(void)
{
    state = qn_host_serves(QN_HOST_XSAVE) ? qn_host_xcr0() : 0;
    hidden = qn_cfg()->cpu.masked ? state & ~qn_cfg()->cpu.state : 0;
    state &= ~hidden;
    qn_block_hides_state = hidden != 0;
}

uint32_t qn_cpu_state_bytes(uint64_t components, bool compact)
{
    uint32_t bytes = XSAVE_LEGACY;

    for (unsigned i = 2; i < 63; i++) {
        struct qn_host_answer a;
        uint32_t size, offset;

        if (!(components >> i & 1))
            continue;
        a = qn_host_ask(LEAF_STATE, i);
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

static struct qn_host_answer vendor(uint32_t highest)
{
    return (struct qn_host_answer){{[QN_RAX] = highest, [QN_RBX] = 0x68747541, [QN_RDX] = 0x69746e65, [QN_RCX] = 0x444d4163}}; /* AuthenticAMD */
}

static struct qn_host_answer brand(uint32_t part)
{
    static const char text[48] = "quern --cpu";
    struct qn_host_answer a;

    __builtin_memcpy(&a.r[QN_RAX], text + 16 * part, 4);
    __builtin_memcpy(&a.r[QN_RBX], text + 16 * part + 4, 4);
    __builtin_memcpy(&a.r[QN_RCX], text + 16 * part + 8, 4);
    __builtin_memcpy(&a.r[QN_RDX], text + 16 * part + 12, 4);
    return a;
}

/* The values of a leaf that are not features. */
static struct qn_host_answer fixed(uint32_t leaf)
{
    struct qn_host_answer none = {{0}};

    switch (leaf) {
    case 0: return vendor(LEAF_STATE);
    case LEAF_FEATURES: return (struct qn_host_answer){{[QN_RAX] = FIXED_MODEL, [QN_RBX] = FIXED_CLFLUSH}};
    case LEAF_MORE: return (struct qn_host_answer){{[QN_RAX] = 1}};
    case 0x80000000u: return vendor(0x80000008u);
    case LEAF_EXTENDED: return (struct qn_host_answer){{[QN_RAX] = FIXED_MODEL, [QN_RDX] = EXTENDED_LONG_MODE}};
    case 0x80000002u: case 0x80000003u: case 0x80000004u: return brand(leaf - 0x80000002u);
    case 0x80000005u: return (struct qn_host_answer){{[QN_RCX] = FIXED_L1, [QN_RDX] = FIXED_L1}};
    case 0x80000006u: return (struct qn_host_answer){{[QN_RCX] = FIXED_L2, [QN_RDX] = FIXED_L3}};
    case 0x80000008u: return (struct qn_host_answer){{[QN_RAX] = FIXED_ADDRESSES}};
    default: return none;
    }
}

/* Two bits of the operating system say that programs may use a feature. */
static void keep_enabled(struct qn_host_answer *a, uint32_t leaf, const struct qn_host_answer *host)
{
    if (leaf == LEAF_FEATURES)
        a->r[QN_RCX] = (a->r[QN_RCX] & ~CPUID1_OSXSAVE) | (a->r[QN_RCX] & CPUID1_XSAVE ? host->r[QN_RCX] & CPUID1_OSXSAVE : 0);
    if (leaf == LEAF_MORE)
        a->r[QN_RCX] = (a->r[QN_RCX] & ~CPUID7_OSPKE) | (a->r[QN_RCX] & CPUID7_PKU ? host->r[QN_RCX] & CPUID7_OSPKE : 0);
}

static bool shows_xsave(void)
{
    const uint32_t *keep = qn_host_kept(&qn_cfg()->cpu, LEAF_FEATURES, 0);

    return !keep || (keep[QN_RCX] & CPUID1_XSAVE);
}

/* The sizes of xsave's area. */
static void size_state(struct qn_host_answer *a, uint32_t subleaf)
{
    bool component = subleaf > 1 && subleaf < 63, is_fixed = qn_cfg()->cpu.fixed;

    if (!shows_xsave() || (component && (is_fixed ? ~state : hidden) >> subleaf & 1)) {
        *a = (struct qn_host_answer){{0}};
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

static struct qn_host_answer shown(uint32_t leaf, uint32_t subleaf)
{
    struct qn_host_answer host = qn_host_ask(leaf, subleaf), a = {{0}};
    const uint32_t *keep = qn_host_kept(&qn_cfg()->cpu, leaf, subleaf);
    bool is_fixed = qn_cfg()->cpu.fixed && leaf != LEAF_STATE;

    if (is_fixed && !(subleaf && qn_host_has_subleaves(leaf)))
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

void qn_cpu_cpuid(void)
{
    struct qn_host_answer a = shown((uint32_t)qn_ctx.gpr[QN_RAX], (uint32_t)qn_ctx.gpr[QN_RCX]);

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

    if (which > 1 || (which == 1 && !(qn_host_ask(LEAF_STATE, 1).r[QN_RAX] & XGETBV_USED))) {
        qn_signal_raise(SIG_SEGV, SI_KERNEL_, 0);
        return false;
    }
    value = which ? qn_host_xgetbv(1) & state : state;
    qn_ctx.gpr[QN_RAX] = (uint32_t)value;
    qn_ctx.gpr[QN_RDX] = value >> 32;
    return true;
}

static void put_ip_right(const struct qn_insn *in, uint64_t at)
{
    uint64_t *wide = (uint64_t *)(uintptr_t)(at + FXSAVE_IP);
    uint32_t *narrow = (uint32_t *)(uintptr_t)(at + FXSAVE_IP);

    if (in->opsize == 8)
        *wide = qn_fpu_guest_ip(*wide);
    else
        *narrow = (uint32_t)qn_fpu_guest_ip(*narrow);
}

static bool raised(void)
{
    qn_attempt_raise();
    return false;
}

static bool move_state(const struct qn_insn *in)
{
    bool wide = in->opsize == 8;
    enum qn_attempt plain = wide ? QN_ATTEMPT_XSAVE64 : QN_ATTEMPT_XSAVE;
    enum qn_attempt compact = wide ? QN_ATTEMPT_XSAVEC64 : QN_ATTEMPT_XSAVEC;
    uint64_t wanted = ((uint32_t)qn_ctx.gpr[QN_RAX] | qn_ctx.gpr[QN_RDX] << 32) & state;
    uint64_t at = qn_operand_address(in, &in->mem[0], qn_ctx.rip);

    if (!(in->mem[0].access & QN_ACC_WRITE))
        return qn_attempt(wide ? QN_ATTEMPT_XRSTOR64 : QN_ATTEMPT_XRSTOR, at, wanted) || raised();
    if (!qn_attempt(in->opcode == 0xc7 ? compact : plain, at, wanted))
        return raised();
    if (wanted & *(const uint64_t *)(uintptr_t)(at + XSTATE_BV) & 1)
        put_ip_right(in, at);
    qn_fpu_state_stored(in, at);
    return true;
}

bool qn_cpu_tell_state(const struct qn_insn *in)
{
    return in->attr & QN_ATTR_XSAVE ? move_state(in) : tell_register();
}
