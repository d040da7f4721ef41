/* lib/run/emulate.c - the few instructions that the engine runs itself. */
#include "block/block.h"
#include "guest/exec_map.h"
#include "run/run.h"

enum { ARCH_SET_GS_ = 0x1001, ARCH_SET_FS_ = 0x1002 };
#define CPUID7_HLE (1u << 4)
#define CPUID7_RTM (1u << 11)

/* CPUID as the processor has it, less what translated code cannot offer: transactions. */
static void run_cpuid(void)
{
    uint32_t leaf = (uint32_t)qn_ctx.gpr[QN_RAX], sub = (uint32_t)qn_ctx.gpr[QN_RCX];
    uint32_t a = leaf, b, c = sub, d;

    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (leaf == 7 && sub == 0)
        b &= ~(CPUID7_HLE | CPUID7_RTM);
    qn_ctx.gpr[QN_RAX] = a;
    qn_ctx.gpr[QN_RBX] = b;
    qn_ctx.gpr[QN_RCX] = c;
    qn_ctx.gpr[QN_RDX] = d;
}

/* wrfsbase, wrgsbase */
static bool write_base(const struct qn_insn *in)
{
    unsigned reg = (in->modrm & 7) | (in->rex & 1 ? 8 : 0);
    unsigned which = (in->modrm >> 3) & 7;
    uint64_t value = in->opsize == 8 ? qn_ctx.gpr[reg] : (uint32_t)qn_ctx.gpr[reg];

    if (in->map != 1 || in->opcode != 0xae || in->modrm < 0xc0 || (which != 2 && which != 3))
        return false;
    if (qn_sys2(__NR_arch_prctl, which == 2 ? ARCH_SET_FS_ : ARCH_SET_GS_, (long)value))
        return false;
    *(which == 2 ? &qn_ctx.fs_base : &qn_ctx.gs_base) = value;
    return true;
}

void qn_emulate(void)
{
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)qn_ctx.rip;
    struct qn_insn in;

    if (qn_block_decode(bytes, qn_exec_avail(qn_ctx.rip, QN_INSN_MAX_LEN), &in) != QN_DEC_OK)
        qn_die_bad_insn(qn_ctx.rip);
    if (in.attr & QN_ATTR_CPUID)
        run_cpuid();
    else if (!write_base(&in))
        qn_die_bad_insn(qn_ctx.rip);
    qn_ctx.rip += in.len;
}
