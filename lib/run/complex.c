/* lib/run/complex.c - masked, gathered and scattered elements, xsave; and what Valgrind makes of fxsave. */
#include "run/cpu.h"
#include "run/reference.h"
#include "run/run.h"
#include "run/variable.h"

#define XMM_REGISTERS 16u /* in a state without AVX-512 */

/* Bit i: element i is to be referred to. */
static uint64_t active_elements(const struct qn_insn *in, unsigned n, unsigned elem)
{
    uint64_t active = 0;

    if (in->attr & QN_ATTR_KMASK)
        return n < 64 ? qn_ctx.kmask & ((1ull << n) - 1) : qn_ctx.kmask;
    for (unsigned i = 0; i < n; i++) /* the sign bit of the element */
        active |= (uint64_t)(qn_ctx.vmask[(i + 1) * elem - 1] >> 7) << i;
    return active;
}

static unsigned ones(uint64_t bits)
{
    unsigned n = 0;

    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* Of a gather or scatter. */
static uint64_t element_address(const struct qn_mem *m, unsigned i)
{
    int64_t index;

    if (m->vsib == 8)
        __builtin_memcpy(&index, qn_ctx.vindex + i * 8, 8);
    else {
        int32_t index32;

        __builtin_memcpy(&index32, qn_ctx.vindex + i * 4, 4);
        index = index32;
    }
    return qn_ctx.arg_addr + (uint64_t)index * m->scale;
}

/* To anywhere: one by one.  all: inactive ones are read too, from the top of the stack, as Valgrind does. */
static void scattered_elements(const struct qn_mem *m, uint64_t active, unsigned n, unsigned elem, bool all, uint64_t *pair)
{
    for (unsigned i = 0; i < n; i++)
        if (active >> i & 1)
            qn_run_reference(element_address(m, i), elem, pair, m->access);
        else if (all)
            qn_run_reference(qn_ctx.guest_sp, elem, pair, m->access);
}

/* Side by side: in runs of active ones. */
static void adjacent_elements(const struct qn_mem *m, uint64_t active, unsigned elem, uint64_t *pair)
{
    struct qn_stream s = {.addr = qn_ctx.arg_addr, .step = (int64_t)elem, .size = elem, .access = m->access, .pair = pair};

    while (active) {
        unsigned gap = (unsigned)__builtin_ctzll(active), run;

        active >>= gap;
        run = ~active ? (unsigned)__builtin_ctzll(~active) : 64;
        s.addr += (uint64_t)gap * elem;
        qn_run_references(&s, 1, run);
        active = run < 64 ? active >> run : 0;
    }
}

static void masked_references(const struct qn_insn *in, struct variable *v)
{
    const struct qn_mem *m = &in->mem[0];
    unsigned elem = m->elem ? m->elem : m->size, n = elem ? m->size / elem : 0;
    bool gathers_all = (in->attr & QN_ATTR_GATHER) && qn_cfg()->counting == QN_COUNTING_CACHEGRIND;
    uint64_t active = active_elements(in, n, elem);

    *v->iterations += gathers_all ? n : ones(active);
    if (!qn_run_caches_on())
        return;
    if (m->vsib)
        scattered_elements(m, active, n, elem, gathers_all, v->pair);
    else
        adjacent_elements(m, active, elem, v->pair);
}

static void xsave_reference(const struct qn_insn *in, struct variable *v)
{
    uint64_t wanted = (uint32_t)qn_ctx.rep[0] | qn_ctx.rep[1] << 32;
    bool compact = in->map == 1 && in->opcode == 0xc7; /* xsavec, xsaves, xrstors */

    if (qn_run_caches_on())
        qn_run_reference(qn_ctx.arg_addr, qn_cpu_state_bytes(wanted & qn_cpu_state(), compact), v->pair, in->mem[0].access);
    ++*v->iterations;
}

/* fxsave and fxrstor in counting mode cachegrind: Valgrind handles the x87 state, MXCSR, and each xmm register apart. */
static void fxsave_references(const struct qn_insn *in, struct variable *v)
{
    static const struct { uint16_t offset, size; } x87 = {0, 160}, mxcsr = {24, 8}, xmm = {160, 16};
    uint64_t addr = qn_ctx.arg_addr;
    unsigned access = in->mem[0].access;

    if (qn_run_caches_on()) {
        qn_run_reference(addr + x87.offset, x87.size, v->pair, access);
        qn_run_reference(addr + mxcsr.offset, mxcsr.size, v->pair, access);
        for (unsigned i = 0; i < XMM_REGISTERS; i++)
            qn_run_reference(addr + xmm.offset + i * xmm.size, xmm.size, v->pair, access);
    }
    *v->iterations += 2 + XMM_REGISTERS;
}

SLOW void qn_run_complex(void)
{
    const struct qn_insn *in = variable_insn(qn_ctx.arg_pc);
    struct variable v = variable_counters(in, qn_arena_counters() + qn_ctx.arg_site);

    if (in->attr & QN_ATTR_XSAVE)
        xsave_reference(in, &v);
    else if (in->attr & QN_ATTR_X87)
        fxsave_references(in, &v);
    else
        masked_references(in, &v);
    qn_run_clock_on();
}
