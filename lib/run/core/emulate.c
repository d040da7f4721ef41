/* lib/run/core/emulate.c - the few instructions that the engine executes in place of the guest. */
#include "block/block.h"
#include "guest/exec_map.h"
#include "run/core/cpu.h"
#include "run/run.h"

enum { ARCH_SET_GS_ = 0x1001, ARCH_SET_FS_ = 0x1002 };

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
    if (in.attr & QN_ATTR_CPUID) {
        qn_cpu_cpuid();
    } else if (in.attr & QN_ATTR_FSGSBASE) {
        if (!write_base(&in))
            qn_die_bad_insn(qn_ctx.rip);
    } else if (!(in.map == 0 ? qn_fpu_store16 : qn_cpu_tell_state)(&in)) {
        return;
    }
    qn_ctx.rip += in.len;
}
