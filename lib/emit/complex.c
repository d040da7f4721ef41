/* lib/emit/complex.c - references that a helper computes at run time (run/core/references/variable.c): this code passes it the address, the mask and
 * the indices. */
#include "emit/internal.h"

#define KMOVW_ELEMENTS 16u

/* Does the program's own instruction fault, because the processor that it sees lacks it?  Then nothing is emitted here, since it would need the
 * same features and fault first. */
static bool faults(const struct qn_insn *in)
{
    return in->encoding == QN_ENC_EVEX ? !emit_rules.serves_avx512 : in->encoding != QN_ENC_LEGACY && !emit_rules.serves_avx;
}

static void store_vector(struct emitter *e, const struct qn_insn *in, uint64_t abs, unsigned v)
{
    if (in->encoding == QN_ENC_EVEX) { /* vmovdqu64 %zmmV, abs */
        x_byte(&e->hot, 0x62);
        x_byte(&e->hot, 0x61 | (v & 8 ? 0 : 0x80) | (v & 16 ? 0 : 0x10));
        x_bytes(&e->hot, "\xfe\x48\x7f", 3);
    } else { /* vmovdqu %ymmV, abs */
        x_byte(&e->hot, 0xc5);
        x_byte(&e->hot, v & 8 ? 0x7e : 0xfe);
        x_byte(&e->hot, 0x7f);
    }
    x_rip(&e->hot, v, abs, 0);
}

static unsigned elements(const struct qn_mem *m) { return m->elem ? m->size / m->elem : 1; }

static void store_mask(struct emitter *e, const struct qn_insn *in)
{
    if (in->attr & QN_ATTR_KMASK) { /* kmovw %kN, abs; kmovq for more elements, which only AVX-512BW has */
        if (elements(&in->mem[0]) <= KMOVW_ELEMENTS)
            x_bytes(&e->hot, "\xc5\xf8\x91", 3);
        else
            x_bytes(&e->hot, "\xc4\xe1\xf8\x91", 4);
        x_rip(&e->hot, in->kreg, CTX(kmask), 0);
    } else if (in->encoding == QN_ENC_LEGACY && in->opsize == 8) { /* maskmovq: movq %mmN, abs */
        x_bytes(&e->hot, "\x0f\x7f", 2);
        x_rip(&e->hot, in->vreg_mask & 7, CTX(vmask), 0);
    } else if (in->encoding == QN_ENC_LEGACY) { /* maskmovdqu: movdqu %xmmN, abs */
        x_byte(&e->hot, 0xf3);
        if (in->vreg_mask & 8)
            x_byte(&e->hot, 0x44);
        x_bytes(&e->hot, "\x0f\x7f", 2);
        x_rip(&e->hot, in->vreg_mask & 7, CTX(vmask), 0);
    } else {
        store_vector(e, in, CTX(vmask), in->vreg_mask);
    }
}

void emit_complex(struct emitter *e, const struct qn_event *ev)
{
    const struct qn_insn *in = &e->b->insn[ev->insn];

    if (faults(in))
        return;
    emit_address(e, &ev->mem, in, e->b->at[ev->insn] + in->len, 0);
    x_store(&e->hot, CTX(arg_addr), e->s1);
    emit_clock_out(e);
    if (in->attr & QN_ATTR_XSAVE) {
        x_store(&e->hot, CTX(rep[0]), QN_RAX);
        x_store(&e->hot, CTX(rep[1]), QN_RDX);
    } else if (in->attr & (QN_ATTR_MASKED | QN_ATTR_GATHER | QN_ATTR_SCATTER)) {
        store_mask(e, in);
    }
    if (ev->mem.vsib)
        store_vector(e, in, CTX(vindex), ev->mem.index);
    emit_store_const(&e->hot, CTX(arg_pc), e->b->at[ev->insn]);
    x_store_imm(&e->hot, CTX(arg_site), e->centre + ev->counter);
    emit_frame_out(e, &e->hot);
    emit_slow_call(&e->hot, emit_hooks.complex_ref);
    emit_clock_in(e);
}
