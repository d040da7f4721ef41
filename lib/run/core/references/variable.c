/* lib/run/core/references/variable.c - instructions whose references are known only when they run: their counters and their references.
 *
 * Counters of such an instruction: a pair of misses per kind of reference, then extra Ir, iterations, extra Bc (cost/arena.h).  Its helpers
 * are called from translated code on the slow-call stack and keep all registers. */
#include "base/context.h"
#include "block/block.h"
#include "event/event.h"
#include "run/core/core.h"
#include "run/core/references/references.h"
#include "run/core/references/repetition.h"
#include "run/run.h"
#include "sim/contract.h"
#include "sim/module.h"

struct variable {
    uint64_t *pair; /* the first */
    uint64_t *extra_ir, *iterations, *extra_bc, *mispredicts;
};

/* A cache of decoded instructions; an entry is valid while the bytes are the same. */
#define DECODED 256

static struct decoded {
    uint64_t pc;
    uint8_t bytes[QN_INSN_MAX_LEN];
    struct qn_insn insn;
} decoded[DECODED];

static const struct qn_insn *variable_insn(uint64_t pc)
{
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)pc;
    struct decoded *d = &decoded[pc % DECODED];

    if (d->pc != pc || __builtin_memcmp(d->bytes, bytes, d->insn.len)) {
        qn_block_decode(bytes, QN_INSN_MAX_LEN, &d->insn);
        __builtin_memcpy(d->bytes, bytes, d->insn.len);
        d->pc = pc;
    }
    return &d->insn;
}

/* xsave in counting mode cachegrind reads, too: see add_vex_xsave() in event/event.c. */
static unsigned reference_kinds(const struct qn_insn *in)
{
    bool saves = (in->attr & QN_ATTR_XSAVE) && in->opcode == 0xae && (in->modrm >> 3 & 7) == 4;
    unsigned n = saves && qn_cfg()->counting == QN_COUNTING_CACHEGRIND;

    for (unsigned k = 0; k < in->n_mem; k++)
        n += in->mem[k].access != QN_ACC_NONE;
    return n;
}

static void variable_sum(const struct qn_insn *in, uint64_t iterations)
{
    if (!qn_cfg()->calls || !qn_cfg()->cache_sim || QN_SCOPE(qn_mode) == QN_SCOPE_ASIDE)
        return;
    for (unsigned k = 0; k < in->n_mem; k++) {
        qn_sim_sum_event(QN_COST_DR, in->mem[k].access & QN_ACC_READ ? (int64_t)iterations : 0);
        qn_sim_sum_event(QN_COST_DW, in->mem[k].access == QN_ACC_WRITE ? (int64_t)iterations : 0);
    }
}

static struct variable variable_counters(const struct qn_insn *in, uint64_t *first)
{
    uint64_t *after = first + 2 * reference_kinds(in);

    return (struct variable){first, after, after + 1, after + 2, after + 3};
}

/* ---- the address of an operand in memory, from the registers in qn_ctx ---- */

uint64_t qn_operand_segment(const struct qn_mem *m)
{
    return m->seg == QN_SEG_FS ? qn_ctx.fs_base : m->seg == QN_SEG_GS ? qn_ctx.gs_base : 0;
}

uint64_t qn_operand_at(const struct qn_mem *m, uint64_t next, uint64_t al)
{
    uint64_t at = (uint64_t)m->disp + al;

    if (m->base == QN_RIP)
        at += next;
    else if (m->base != QN_REG_NONE)
        at += qn_ctx.gpr[m->base];
    if (m->index != QN_REG_NONE)
        at += qn_ctx.gpr[m->index] * (m->scale ? m->scale : 1);
    return (m->addr32 ? (uint32_t)at : at) + qn_operand_segment(m);
}

uint64_t qn_operand_address(const struct qn_insn *in, const struct qn_mem *m, uint64_t pc)
{
    return qn_operand_at(m, pc + in->len, qn_is_xlat(in) ? qn_ctx.gpr[QN_RAX] & 0xff : 0);
}

/* ---- repeated string instructions, after they have run or stopped at a fault ---- */

/* cmps: Valgrind reads (%rdi) first. */
static bool reads_backward(const struct qn_insn *in)
{
    return (in->opcode & 0xfe) == 0xa6 && qn_cfg()->counting == QN_COUNTING_CACHEGRIND;
}

/* The references of one operand, beginning with the first. */
static struct qn_stream stream_of(const struct qn_mem *m, const uint64_t *rep, int64_t step)
{
    uint64_t base = m->base == QN_RSI ? rep[1] : rep[2], mask = m->addr32 ? 0xffffffffu : ~0ull;

    return (struct qn_stream){.addr = (base & mask) + qn_operand_segment(m), .step = step, .size = m->size, .access = m->access};
}

/* The counter pairs of reads come first.  movs reads [rsi] and writes [rdi], cmps reads both. */
static void string_references(const struct qn_insn *in, uint64_t n, const uint64_t *rep, int64_t step, uint64_t *pair)
{
    struct qn_stream streams[QN_STREAMS_MAX];
    bool backward = reads_backward(in);

    for (unsigned turn = 0; turn < in->n_mem; turn++) {
        streams[turn] = stream_of(&in->mem[backward ? in->n_mem - 1 - turn : turn], rep, step);
        streams[turn].pair = pair + 2 * turn;
    }
    qn_run_references(streams, in->n_mem, n);
}

#define SAVED_ZF (1u << 14) /* ctx.saved_flags: AH as lahf leaves it */

/* cmps and scas may end before the count is 0. */
static bool ended_by_comparison(const struct qn_insn *in, uint64_t n, uint64_t left)
{
    bool compares = (in->opcode & 0xfe) == 0xa6 || (in->opcode & 0xfe) == 0xae;
    bool zero = (qn_ctx.saved_flags & SAVED_ZF) != 0;

    return compares && n && (left || zero != ((in->attr & QN_ATTR_REP) != 0));
}

#define TAKEN_BACK 3u /* taken, backward */

/* For a recorder: logs the branches of all repetitions except the last `but`, which the caller predicts.  Returns their number. */
static uint64_t write_down(uint64_t pc, uint64_t n, unsigned each, unsigned but)
{
    const struct qn_log_stream asked = {.addr = pc, .size = TAKEN_BACK, .kind = QN_LOG_COND};

    if (!qn_sim_records || n <= but)
        return 0;
    qn_sim_log_run((const struct qn_log_stream[]){asked, asked}, each, n - but);
    return n - but;
}

/* Cachegrind counts a repetition as follows.  Each step is an instruction with a conditional branch that tests the count; cmps and scas
 * have a second branch for the comparison.  If the count ends it, there is one more instruction, whose branch finds the count at 0. */
static void cachegrind_branches(const struct variable *v, const struct qn_insn *in, uint64_t pc, uint64_t n, bool stopped)
{
    bool asks_twice = (in->opcode & 0xfe) == 0xa6 || (in->opcode & 0xfe) == 0xae;
    uint64_t before = *v->mispredicts;

    for (uint64_t i = write_down(pc, n, 1u + asks_twice, stopped); i < n; i++) {
        *v->mispredicts += qn_sim_predict_cond(pc, true);
        if (asks_twice)
            *v->mispredicts += qn_sim_predict_cond(pc, !(stopped && i + 1 == n));
    }
    if (!stopped)
        *v->mispredicts += qn_sim_predict_cond(pc, false);
    *v->extra_bc += (asks_twice ? 2 * n : n) - stopped;
    qn_sim_sum_event(QN_COST_BC, (int64_t)((asks_twice ? 2 * n : n) - stopped));
    qn_sim_sum_event(QN_COST_BCM, (int64_t)(*v->mispredicts - before));
    qn_sim_charge_branch(v->mispredicts);
}

/* complete: the instruction has ended; otherwise it stopped at a fault and will be executed again for the rest. */
static void count_string(uint64_t pc, uint64_t *first, bool complete)
{
    const struct qn_insn *in = variable_insn(pc);
    struct variable v = variable_counters(in, first);
    const uint64_t *rep = qn_ctx.rep;
    struct qn_repetition r = qn_repetition(in, rep, rep + QN_REP_REGISTERS);
    uint64_t n = r.steps, before, more;
    bool cachegrind = qn_cfg()->counting == QN_COUNTING_CACHEGRIND;

    if (qn_cfg()->cache_sim)
        string_references(in, n, rep, r.step, v.pair);
    before = *v.extra_ir;
    *v.iterations += n;
    if (!complete) {
        *v.extra_ir += n;
    } else if (cachegrind) {
        bool stopped = ended_by_comparison(in, n, rep[3] & qn_repetition_mask(in));

        *v.extra_ir += n - stopped;
        if (qn_cfg()->branch_sim)
            cachegrind_branches(&v, in, pc, n, stopped);
    } else {
        *v.extra_ir += n > 1 ? n - 1 : 0;
    }
    more = *v.extra_ir - before;
    qn_sim_log_more(more);
    sim_repetitions += more;
    qn_countdown -= (int64_t)more;
    if (QN_SCOPE(qn_mode) != QN_SCOPE_ASIDE)
        qn_sim_sum_event(QN_COST_IR, (int64_t)more);
    variable_sum(in, n);
}

QN_NCSR void qn_run_string(void)
{
    count_string(qn_ctx.arg_pc, qn_arena_counters() + qn_ctx.arg_site, true);
    qn_ctx.now++; /* translated code uses it as a time that no stamp has yet */
}

/* The guest's registers are in ctx already, the old ones still in ctx.rep. */
void qn_string_done(uint64_t pc, uint32_t record, unsigned insn, bool complete)
{
    uint32_t at = qn_arena_insn_counters(record, insn);

    qn_ctx.arg_pc = pc;
    qn_ctx.guest_sp = qn_ctx.gpr[QN_RSP];
    qn_ctx.rep[3] = qn_ctx.gpr[QN_RCX];
    qn_ctx.rep[4] = qn_ctx.gpr[QN_RSI];
    qn_ctx.rep[5] = qn_ctx.gpr[QN_RDI];
    if (qn_arena_descs(qn_arena_block(record))[insn] & QN_INSN_IMISS)
        at += 2;
    count_string(pc, qn_arena_counters() + at, complete);
}

/* ---- masked, gathering and scattering instructions and xsave; with --counting=cachegrind states and operands that Valgrind accesses in pieces ---- */

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
    if (!qn_cfg()->cache_sim)
        return;
    if (m->vsib)
        scattered_elements(m, active, n, elem, gathers_all, v->pair);
    else
        adjacent_elements(m, active, elem, v->pair);
}

static void reference_to(struct variable *v, uint64_t offset, uint32_t size, unsigned access)
{
    ++*v->iterations;
    if (qn_cfg()->cache_sim)
        qn_run_reference(qn_ctx.arg_addr + offset, size, v->pair, access);
}

static void xsave_reference(const struct qn_insn *in, struct variable *v)
{
    uint64_t wanted = (uint32_t)qn_ctx.rep[0] | qn_ctx.rep[1] << 32;
    bool compact = in->map == 1 && in->opcode == 0xc7; /* xsavec, xsaves, xrstors */

    reference_to(v, 0, qn_cpu_state_bytes(wanted & qn_cpu_state(), compact), in->mem[0].access);
}

/* Counting mode cachegrind: Valgrind makes separate references for x87, MXCSR, each xmm register and each upper half of a ymm register; the
 * first two always.  In addition, xrstor reads three words of the header first, and xsave modifies its first byte last. */
enum { COMPONENT_SSE = 1 << 1, COMPONENT_AVX = 1 << 2, COMPONENTS_VEX = 7 };
#define COMPACT (1ull << 63) /* in the header's second word, beside the components that have room */
enum { AT_X87 = 0, AT_MXCSR = 24, AT_XMM = 160, AT_HEADER = 512, AT_YMM = 576 };
enum { X87_BYTES = 160, MXCSR_BYTES = 8, REGISTER_BYTES = 16, HEADER_WORDS = 3, WORD_BYTES = 8 };

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
    if (qn_cfg()->cache_sim)
        qn_run_reference(qn_ctx.arg_addr + AT_HEADER, 1, v->pair, QN_ACC_READ | QN_ACC_WRITE);
}

/* Only components that the area holds are restored.  Of what xsavec wrote, all that it was asked for count: which of them a processor takes
 * for in use may change whenever the kernel has run something else. */
static void vex_xrstor_references(struct variable *v, uint64_t wanted)
{
    uint64_t header[2], held;

    if (!qn_read_guest(qn_ctx.arg_addr + AT_HEADER, header, sizeof header))
        header[0] = header[1] = 0; /* xrstor will fault */
    held = header[1] & COMPACT ? header[1] : header[0];
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
    if (qn_cfg()->cache_sim)
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

QN_NCSR void qn_run_complex(void)
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
    qn_ctx.now++; /* translated code uses it as a time that no stamp has yet */
}
