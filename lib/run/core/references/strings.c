/* lib/run/core/references/strings.c - the references of repeated string instructions, computed after they have run or stopped at a fault. */
#include "run/observe/interval.h"
#include "run/core/references/operand.h"
#include "run/core/references/reference.h"
#include "run/core/references/repetition.h"
#include "run/run.h"
#include "run/core/references/variable.h"
#include "run/core/space.h"
#include "sim/contract.h"
#include "sim/module.h"

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

    if (qn_run_caches_on())
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
    qn_interval_left -= (int64_t)more;
    if (QN_SCOPE(qn_space) != QN_SCOPE_ASIDE)
        qn_sim_sum_event(QN_COST_IR, (int64_t)more);
    variable_sum(in, n);
}

SLOW void qn_run_string(void)
{
    count_string(qn_ctx.arg_pc, qn_arena_counters() + qn_ctx.arg_site, true);
    qn_run_clock_on();
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
    if (qn_arena_insn_has_fetch(record, insn))
        at += 2;
    count_string(pc, qn_arena_counters() + at, complete);
}
