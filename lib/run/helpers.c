/* lib/run/helpers.c - references that are known only at run time: repeated strings, masks, gathers, xsave; and what
 * Valgrind makes of fxsave.
 *
 * Called from translated code on the slow-call stack; all registers are kept.  Counters of such an instruction: a pair
 * of misses per reference kind, then extra Ir, iterations, extra Bc (cost/arena.h). */
#include "block/block.h"
#include "run/interval.h"
#include "run/points.h"
#include "run/run.h"
#include "sim/contract.h"
#include "sim/module.h"
#include "sim/twin.h"
#include "tcache/tcache.h"

#define SLOW __attribute__((no_caller_saved_registers))
#define XSAVE_LEGACY 576u /* bytes: legacy area and header */
#define XMM_REGISTERS 16u /* in a state without AVX-512 */

struct variable {            /* layout of the counters of one variable instruction */
    uint64_t *pair;          /* first pair */
    uint64_t *extra_ir, *iterations, *extra_bc, *mispredicts;
};

/* Instructions that helpers were called for, decoded once; the bytes tell whether they are still the same. */
#define DECODED 256

static struct decoded {
    uint64_t pc;
    uint8_t bytes[QN_INSN_MAX_LEN];
    struct qn_insn insn;
} decoded[DECODED];

static const struct qn_insn *decode(uint64_t pc)
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

static unsigned reference_kinds(const struct qn_insn *in)
{
    unsigned n = 0;

    for (unsigned k = 0; k < in->n_mem; k++)
        n += in->mem[k].access != QN_ACC_NONE;
    return n;
}

static struct variable layout(const struct qn_insn *in, uint64_t *first)
{
    uint64_t *after = first + 2 * reference_kinds(in);

    return (struct variable){first, after, after + 1, after + 2, after + 3};
}

static bool caches_on(void) { return qn_cfg()->cache_sim; }

static uint32_t clamp(uint32_t size)
{
    const struct qn_config *c = qn_cfg();
    uint32_t line = c->I1.line < c->D1.line ? c->I1.line : c->D1.line;

    line = c->LL.line < line ? c->LL.line : line;
    return c->counting == QN_COUNTING_CACHEGRIND && size > line ? line : size;
}

static enum sim_kind kind_of(unsigned access)
{
    return access == QN_ACC_WRITE ? SIM_WRITE : access & QN_ACC_WRITE ? SIM_MODIFY : SIM_READ;
}

/* The hit filter, as emitted code asks it. */
static inline bool filtered(uint64_t addr, uint32_t size, unsigned access)
{
    const struct qn_filter *f = &qn_sim_d1_filter;

    return qn_cfg()->filter && !(f->writes_call && (access & QN_ACC_WRITE)) &&
           qn_filter_passes(f, addr, size, &qn_ctx.now);
}

static void reference(uint64_t addr, uint32_t size, uint64_t *pair, unsigned access)
{
    unsigned outcome = 0;

    size = clamp(size);
    if (qn_sim_sees)
        outcome = qn_sim_see(addr, size, kind_of(access), qn_points_explain(qn_ctx.arg_pc), pair);
    else if (!filtered(addr, size, access))
        outcome = qn_sim_data_kind(addr, size, kind_of(access), pair);
    if (qn_cfg()->check)
        qn_sim_twin_follow(addr, size, kind_of(access), outcome, (uint32_t)(pair - qn_arena_counters()));
}

/* ---- repeated strings ---- */

/* cmps: Valgrind reads (%rdi) first. */
static bool reads_backward(const struct qn_insn *in)
{
    return (in->opcode & 0xfe) == 0xa6 && qn_cfg()->counting == QN_COUNTING_CACHEGRIND;
}

/* Pairs are laid out reads first; movs reads [rsi] and writes [rdi], cmps reads both. */
static void string_references(const struct qn_insn *in, uint64_t n, uint64_t rsi, uint64_t rdi, int64_t step, uint64_t *pair)
{
    uint64_t mask = in->n_mem && in->mem[0].addr32 ? 0xffffffffu : ~0ull;
    bool backward = reads_backward(in);

    for (uint64_t i = 0; i < n; i++) {
        uint64_t *p = pair;

        for (unsigned turn = 0; turn < in->n_mem; turn++, p += 2) {
            unsigned k = backward ? in->n_mem - 1 - turn : turn;
            uint64_t base = in->mem[k].base == QN_RSI ? rsi : rdi;
            uint64_t seg = in->mem[k].seg == QN_SEG_FS ? qn_ctx.fs_base : in->mem[k].seg == QN_SEG_GS ? qn_ctx.gs_base : 0;

            reference(((base + (uint64_t)step * i) & mask) + seg, in->mem[k].size, p, in->mem[k].access);
        }
    }
}

static int64_t string_step(const struct qn_insn *in, uint64_t n, const uint64_t *rep)
{
    int64_t moved = in->mem[0].base == QN_RSI ? (int64_t)(rep[4] - rep[1]) : (int64_t)(rep[5] - rep[2]);

    if (in->mem[0].addr32)
        moved = (int32_t)moved;
    return n ? moved / (int64_t)n : in->mem[0].size;
}

#define SAVED_ZF (1u << 14) /* ctx.saved_flags: AH as lahf leaves it */

/* cmps and scas may end before their count does. */
static bool ended_by_comparison(const struct qn_insn *in, uint64_t n, uint64_t left)
{
    bool compares = (in->opcode & 0xfe) == 0xa6 || (in->opcode & 0xfe) == 0xae;
    bool zero = (qn_ctx.saved_flags & SAVED_ZF) != 0;

    return compares && n && (left || zero != ((in->attr & QN_ATTR_REP) != 0));
}

/* Cachegrind's view of a repetition: each step is an instruction that asks whether the count is at its end, and cmps and
 * scas ask once more whether to go on; ended by its count there is one more instruction, which finds it at its end. */
static void cachegrind_branches(const struct variable *v, const struct qn_insn *in, uint64_t pc, uint64_t n, bool stopped)
{
    bool asks_twice = (in->opcode & 0xfe) == 0xa6 || (in->opcode & 0xfe) == 0xae;

    for (uint64_t i = 0; i < n; i++) {
        *v->mispredicts += qn_sim_predict_cond(pc, true);
        if (asks_twice)
            *v->mispredicts += qn_sim_predict_cond(pc, !(stopped && i + 1 == n));
    }
    if (!stopped)
        *v->mispredicts += qn_sim_predict_cond(pc, false);
    *v->extra_bc += (asks_twice ? 2 * n : n) - stopped;
    qn_sim_charge_branch(v->mispredicts);
}

/* complete: the instruction has come to its end; else it stopped at a fault and will be executed again for the rest. */
static void count_string(uint64_t pc, uint64_t *first, bool complete)
{
    const struct qn_insn *in = decode(pc);
    struct variable v = layout(in, first);
    const uint64_t *rep = qn_ctx.rep;
    uint64_t mask = in->mem[0].addr32 ? 0xffffffffu : ~0ull, n = (rep[0] - rep[3]) & mask, before;
    bool cachegrind = qn_cfg()->counting == QN_COUNTING_CACHEGRIND;

    if (caches_on())
        string_references(in, n, rep[1], rep[2], string_step(in, n, rep), v.pair);
    before = *v.extra_ir;
    *v.iterations += n;
    if (!complete) {
        *v.extra_ir += n;
    } else if (cachegrind) {
        bool stopped = ended_by_comparison(in, n, rep[3] & mask);

        *v.extra_ir += n - stopped;
        if (qn_cfg()->branch_sim)
            cachegrind_branches(&v, in, pc, n, stopped);
    } else {
        *v.extra_ir += n > 1 ? n - 1 : 0;
    }
    qn_interval_left -= (int64_t)(*v.extra_ir - before);
}

SLOW void qn_run_string(void)
{
    count_string(qn_ctx.arg_pc, qn_arena_counters() + qn_ctx.arg_site, true);
}

/* The guest's registers are in ctx already, the old ones still in ctx.rep. */
void qn_string_partial(uint64_t pc, uint32_t record, unsigned insn)
{
    uint32_t at = qn_arena_insn_counters(record, insn);

    qn_ctx.arg_pc = pc;
    qn_ctx.rep[3] = qn_ctx.gpr[QN_RCX];
    qn_ctx.rep[4] = qn_ctx.gpr[QN_RSI];
    qn_ctx.rep[5] = qn_ctx.gpr[QN_RDI];
    if (qn_arena_insn_has_fetch(record, insn))
        at += 2;
    count_string(pc, qn_arena_counters() + at, false);
}

/* ---- masked and gathered elements ---- */

static bool element_active(const struct qn_insn *in, unsigned i, unsigned elem)
{
    if (in->attr & QN_ATTR_KMASK)
        return qn_ctx.kmask >> i & 1;
    return qn_ctx.vmask[(i + 1) * elem - 1] >> 7; /* the sign bit of the element */
}

static uint64_t element_address(const struct qn_mem *m, unsigned i, unsigned elem)
{
    int64_t index;

    if (!m->vsib)
        return qn_ctx.arg_addr + (uint64_t)i * elem;
    if (m->vsib == 8)
        __builtin_memcpy(&index, qn_ctx.vindex + i * 8, 8);
    else {
        int32_t index32;

        __builtin_memcpy(&index32, qn_ctx.vindex + i * 4, 4);
        index = index32;
    }
    return qn_ctx.arg_addr + (uint64_t)index * m->scale;
}

static void masked_references(const struct qn_insn *in, struct variable *v)
{
    const struct qn_mem *m = &in->mem[0];
    unsigned elem = m->elem ? m->elem : m->size, n = elem ? m->size / elem : 0;

    bool gathers_all = (in->attr & QN_ATTR_GATHER) && qn_cfg()->counting == QN_COUNTING_CACHEGRIND;
    uint64_t references = 0;

    for (unsigned i = 0; i < n; i++) {
        bool active = element_active(in, i, elem);

        if (!active && !gathers_all)
            continue;
        if (caches_on()) /* Valgrind gathers inactive elements from the top of the stack */
            reference(active ? element_address(m, i, elem) : qn_ctx.guest_sp, elem, v->pair, m->access);
        references++;
    }
    *v->iterations += references;
}

static uint32_t component_size(unsigned i, uint32_t *offset)
{
    uint32_t a = 0xd, b, c = i, d;

    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    *offset = b;
    return a;
}

/* Bytes that xsave (standard form) or xsavec, xsaves (compacted) touch for the components asked for. */
static uint32_t xsave_bytes(uint64_t wanted, bool compact)
{
    uint32_t low, high, bytes = XSAVE_LEGACY, offset;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    wanted &= (uint64_t)high << 32 | low;
    for (unsigned i = 2; i < 63; i++) {
        uint32_t size;

        if (!(wanted >> i & 1))
            continue;
        size = component_size(i, &offset);
        bytes = compact ? bytes + size : offset + size > bytes ? offset + size : bytes;
    }
    return bytes;
}

static void xsave_reference(const struct qn_insn *in, struct variable *v)
{
    uint64_t wanted = (uint32_t)qn_ctx.rep[0] | qn_ctx.rep[1] << 32;
    bool compact = in->map == 1 && in->opcode == 0xc7; /* xsavec, xsaves, xrstors */

    if (caches_on())
        reference(qn_ctx.arg_addr, xsave_bytes(wanted, compact), v->pair, in->mem[0].access);
    ++*v->iterations;
}

/* fxsave and fxrstor in counting mode cachegrind: Valgrind handles the x87 state, MXCSR, and each xmm register apart. */
static void fxsave_references(const struct qn_insn *in, struct variable *v)
{
    static const struct { uint16_t offset, size; } x87 = {0, 160}, mxcsr = {24, 8}, xmm = {160, 16};
    uint64_t addr = qn_ctx.arg_addr;
    unsigned access = in->mem[0].access;

    if (caches_on()) {
        reference(addr + x87.offset, x87.size, v->pair, access);
        reference(addr + mxcsr.offset, mxcsr.size, v->pair, access);
        for (unsigned i = 0; i < XMM_REGISTERS; i++)
            reference(addr + xmm.offset + i * xmm.size, xmm.size, v->pair, access);
    }
    *v->iterations += 2 + XMM_REGISTERS;
}

SLOW void qn_run_complex(void)
{
    const struct qn_insn *in = decode(qn_ctx.arg_pc);
    struct variable v = layout(in, qn_arena_counters() + qn_ctx.arg_site);

    if (in->attr & QN_ATTR_XSAVE)
        xsave_reference(in, &v);
    else if (in->attr & QN_ATTR_X87)
        fxsave_references(in, &v);
    else
        masked_references(in, &v);
}

/* Is the block's code still what was translated? */
SLOW void qn_run_verify(void)
{
    const struct qn_tblock *b = qn_tcache_block((uint32_t)qn_ctx.arg_aux);

    qn_ctx.result = qn_code_hash(b->pc, b->nbytes) != b->bytes_hash;
}
