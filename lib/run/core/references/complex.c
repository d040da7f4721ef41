/* lib/run/core/references/complex.c - the references of masked, gathering and scattering instructions and of xsave; and, with
 * --counting=cachegrind, of states and of operands that Valgrind accesses in pieces. */
#include "event/event.h"
#include "run/core/cpu.h"
#include "run/core/references/reference.h"
#include "run/run.h"
#include "run/core/references/variable.h"
#include "sim/contract.h"

#define XMM_REGISTERS 16u /* in a state without AVX-512 */

/* Bit i: element i is active. */
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

/* The address of element i of a gather or scatter. */
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

/* Elements at any addresses: one reference each.  all: inactive ones are read, too, from the top of the stack, as in Valgrind. */
static void scattered_elements(const struct qn_mem *m, uint64_t active, unsigned n, unsigned elem, bool all, uint64_t *pair)
{
    for (unsigned i = 0; i < n; i++)
        if (active >> i & 1)
            qn_run_reference(element_address(m, i), elem, pair, m->access);
        else if (all)
            qn_run_reference(qn_ctx.guest_sp, elem, pair, m->access);
}

/* Adjacent elements: references in runs of active ones. */
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

/* Counting mode cachegrind: Valgrind makes separate references for x87, MXCSR, each xmm register and each upper half of a ymm register; the
 * first two always.  In addition, xrstor reads three words of the header first, and xsave modifies its first byte last. */
enum { COMPONENT_SSE = 1 << 1, COMPONENT_AVX = 1 << 2, COMPONENTS_VEX = 7 };
enum { AT_X87 = 0, AT_MXCSR = 24, AT_XMM = 160, AT_HEADER = 512, AT_YMM = 576 };
enum { X87_BYTES = 160, MXCSR_BYTES = 8, REGISTER_BYTES = 16, HEADER_WORDS = 3, WORD_BYTES = 8 };

static void reference_to(struct variable *v, uint64_t offset, uint32_t size, unsigned access)
{
    ++*v->iterations;
    if (qn_run_caches_on())
        qn_run_reference(qn_ctx.arg_addr + offset, size, v->pair, access);
}

static void registers_references(struct variable *v, uint64_t offset, unsigned access)
{
    for (unsigned i = 0; i < XMM_REGISTERS; i++)
        reference_to(v, offset + i * REGISTER_BYTES, REGISTER_BYTES, access);
}

static void vex_state_references(struct variable *v, uint64_t components, unsigned access)
{
    reference_to(v, AT_X87, X87_BYTES, access);
    reference_to(v, AT_MXCSR, MXCSR_BYTES, access);
    if (components & COMPONENT_SSE)
        registers_references(v, AT_XMM, access);
    if (components & COMPONENT_AVX)
        registers_references(v, AT_YMM, access);
}

static void vex_xsave_references(struct variable *v, uint64_t wanted)
{
    struct variable writes = *v;

    writes.pair += 2; /* after the pair of the read */
    vex_state_references(&writes, wanted, QN_ACC_WRITE);
    if (qn_run_caches_on())
        qn_run_reference(qn_ctx.arg_addr + AT_HEADER, 1, v->pair, QN_ACC_READ | QN_ACC_WRITE);
}

/* Only components that the area holds are restored. */
static void vex_xrstor_references(struct variable *v, uint64_t wanted)
{
    uint64_t held;

    if (!qn_read_guest(qn_ctx.arg_addr + AT_HEADER, &held, sizeof held))
        held = 0; /* xrstor will fault */
    for (unsigned i = 0; i < HEADER_WORDS; i++)
        reference_to(v, AT_HEADER + i * WORD_BYTES, WORD_BYTES, QN_ACC_READ);
    vex_state_references(v, wanted & held, QN_ACC_READ);
}

/* Is it xsave or xrstor?  Valgrind does not support the other instructions of this family. */
static bool vex_xsave(const struct qn_insn *in, struct variable *v)
{
    uint64_t wanted = (uint32_t)qn_ctx.rep[0] & COMPONENTS_VEX;
    unsigned which = in->modrm >> 3 & 7;

    if (qn_cfg()->counting != QN_COUNTING_CACHEGRIND || in->opcode != 0xae || (which != 4 && which != 5))
        return false;
    if (which == 4)
        vex_xsave_references(v, wanted);
    else
        vex_xrstor_references(v, wanted);
    return true;
}

/* The references of an operand that Valgrind loads in pieces. */
static void pieces_references(const struct qn_insn *in, struct variable *v)
{
    struct qn_pieces pieces = qn_event_pieces(in, (const uint8_t *)(uintptr_t)qn_ctx.arg_pc);
    struct qn_stream s = {.addr = qn_ctx.arg_addr, .step = pieces.step, .size = pieces.size, .access = QN_ACC_READ, .pair = v->pair};

    *v->iterations += pieces.n;
    if (qn_run_caches_on())
        qn_run_references(&s, 1, pieces.n);
}

static struct {
    uint64_t pc, execution, n;
    uint32_t site;
} last; /* what the last one has counted */

void qn_complex_undo(const struct qn_sim_part *part)
{
    const struct qn_insn *in;

    if (!qn_sim_is_part(part, last.site, last.execution))
        return;
    in = variable_insn(last.pc);
    *variable_counters(in, qn_arena_counters() + last.site).iterations -= last.n;
    variable_sum(in, 0 - last.n);
}

SLOW void qn_run_complex(void)
{
    const struct qn_insn *in = variable_insn(qn_ctx.arg_pc);
    struct variable v = variable_counters(in, qn_arena_counters() + qn_ctx.arg_site);
    uint64_t before = *v.iterations;

    if (in->attr & QN_ATTR_XSAVE) {
        if (!vex_xsave(in, &v))
            xsave_reference(in, &v);
    } else if (in->attr & QN_ATTR_X87) {
        vex_state_references(&v, COMPONENT_SSE, in->mem[0].access);
    } else if (in->attr & (QN_ATTR_MASKED | QN_ATTR_GATHER | QN_ATTR_SCATTER)) {
        masked_references(in, &v);
    } else {
        pieces_references(in, &v);
    }
    last.pc = qn_ctx.arg_pc;
    last.site = (uint32_t)qn_ctx.arg_site;
    last.execution = qn_sim_execution(last.site);
    last.n = *v.iterations - before;
    variable_sum(in, last.n);
    qn_run_clock_on();
}
