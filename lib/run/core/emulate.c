/* lib/run/core/emulate.c - the few instructions that the engine executes in place of the guest. */
#include "block/block.h"
#include "guest/exec_map.h"
#include "run/core/cpu.h"
#include "run/run.h"

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
        qn_fpu_stored(&in, pc);
}

void qn_emulate(void)
{
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)qn_ctx.rip;
    struct qn_insn in;

    if (qn_block_decode(bytes, qn_exec_avail(qn_ctx.rip, QN_INSN_MAX_LEN), &in) != QN_DEC_OK)
        qn_die_bad_insn(qn_ctx.rip);
    if (in.attr & QN_ATTR_CPUID) {
        qn_cpu_cpuid();
    } else if (!(in.map == 0 ? qn_fpu_store16 : qn_cpu_tell_state)(&in)) {
        return;
    }
    qn_ctx.rip += in.len;
}
