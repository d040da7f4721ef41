/* lib/emit/last_level.c - the default last level in assembly: does the work of sim/fast/I1_LL.h for a reference within one line, and
 * increments the counters, as engine.c does.
 *
 *   row = rows + (line number & mask) * ways
 *   word = line number + QN_FAST_LL_BIAS
 *   the word is the first of the row: a hit that changes nothing
 *   otherwise it becomes the first, and the others move up by one, up to the word's old position or the end of the row
 */
#include "emit/internal.h"

enum { WORD, ROW, CARRIED, HERE, END }; /* the five registers during the search; afterwards: */
enum { SITE = WORD, SLOT = ROW, MISSED = CARRIED, EXECUTION = HERE };

static void row_of(struct qn_code *c, unsigned address, const unsigned *r)
{
    const struct qn_fast_LL *l = &qn_fast.LL;

    x_mov(c, r[WORD], address);
    x_shr64(c, r[WORD], l->line_bits);
    x_mov32(c, r[ROW], r[WORD]);
    x_alu_imm32(c, 0, X_AND, r[ROW], l->set_mask);
    x_imul32(c, r[ROW], r[ROW], l->ways * 8);
    x_movi(c, r[HERE], l->rows);
    x_lea(c, r[ROW], r[ROW], r[HERE], 1, 0);
    x_lea(c, r[WORD], r[WORD], QN_REG_NONE, 1, QN_FAST_LL_BIAS);
}

/* r[MISSED] = 0 or 1 */
static void look_up(struct qn_code *c, const unsigned *r)
{
    uint64_t first, found, again, end;

    x_table(c, X_LOAD, r[CARRIED], r[ROW], 0);
    x_rr(c, 1, X_CMP, r[CARRIED], r[WORD]);
    x_jcc(c, X_CC_E, 0);
    first = c->exec;
    x_table(c, X_STORE, r[WORD], r[ROW], 0);
    x_lea(c, r[END], r[ROW], QN_REG_NONE, 1, (int32_t)(qn_fast.LL.ways - 1) * 8);
    again = c->exec;
    x_rr(c, 1, X_CMP, r[ROW], r[END]);
    x_jcc(c, X_CC_E, 0);
    end = c->exec;
    x_lea(c, r[ROW], r[ROW], QN_REG_NONE, 1, 8);
    x_table(c, X_LOAD, r[HERE], r[ROW], 0);
    x_table(c, X_STORE, r[CARRIED], r[ROW], 0);
    x_mov(c, r[CARRIED], r[HERE]);
    x_rr(c, 1, X_CMP, r[HERE], r[WORD]);
    x_jcc(c, X_CC_NE, again);
    found = c->exec;
    x_patch(first, found);
    x_movi(c, r[MISSED], 0);
    x_jmp(c, 0);
    first = c->exec;
    x_patch(end, c->exec);
    x_movi(c, r[MISSED], 1);
    x_patch(first, c->exec);
}

/* With --check, stores the outcome of the reference for the twin. */
static void tell_twin(struct qn_code *c, const unsigned r[5])
{
    if (!emit_rules.check)
        return;
    x_lea(c, r[EXECUTION], r[MISSED], r[MISSED], 1, 1); /* bit 0: L1 miss, bit 1: LL miss */
    x_store(c, CTX(result), r[EXECUTION]);
}

void emit_execution(struct qn_code *c, unsigned to, unsigned counter)
{
    x_movi(c, to, (uintptr_t)qn_sim_executions);
    x_lea(c, to, to, counter, sizeof *qn_sim_executions, 0);
    x_load32_table(c, to, to, 0);
    x_load_at(c, to, to);
}

/* The two counters of the site, and the log of misses. */
void emit_last_level_account(struct qn_code *c, const unsigned r[5])
{
    uint64_t log = (uintptr_t)qn_sim_misses, count = (uintptr_t)&qn_sim_miss_count;

    tell_twin(c, r);
    x_load32(c, r[SITE], CTX(arg_site));
    x_alu_imm32(c, 0, X_AND, r[SITE], QN_SITE_COUNTER_MASK);
    x_load32(c, r[SLOT], count);
    x_inc(c, count);
    emit_execution(c, r[EXECUTION], r[SITE]);
    x_alu_imm32(c, 0, X_AND, r[SLOT], QN_SIM_MISSES - 1);
    x_imul32(c, r[SLOT], r[SLOT], sizeof *qn_sim_misses);
    x_store32_at(c, r[SITE], r[SLOT], 1, log + offsetof(struct qn_sim_miss, counter));
    x_store32_at(c, r[MISSED], r[SLOT], 1, log + offsetof(struct qn_sim_miss, ll));
    x_table(c, X_STORE, r[EXECUTION], r[SLOT], log + offsetof(struct qn_sim_miss, execution));
    x_inc_at(c, r[SITE], 8, QN_COUNTERS_BASE);
    x_add_at(c, r[MISSED], r[SITE], 8, QN_COUNTERS_BASE + 8);
    if (!emit_rules.sums)
        return;
    x_movzbl_table(c, r[SLOT], r[SITE], (uintptr_t)qn_sim_event_of);
    x_inc_at(c, r[SLOT], 8, emit_rules.sums);
    x_add_at(c, r[MISSED], r[SLOT], 8, emit_rules.sums + 8);
    x_inc(c, emit_rules.sums + 8 * QN_SUMS_ANY);
}

void emit_last_level_look_up(struct qn_code *c, unsigned address, const unsigned r[5])
{
    row_of(c, address, r);
    look_up(c, r);
}

/* Can the last level be simulated in assembly? */
bool emit_has_last_level(void) { return qn_fast.LL.ways && qn_sim_d1_filter.line >> qn_fast.LL.line_bits <= 1; }

/* Simulates the last level for the reference of arg_site, which has missed the D1 and lies within one of its lines.  address: a register with
 * its address, or that of the line.  Destroys the five registers and the flags. */
void emit_last_level(struct qn_code *c, unsigned address, const unsigned scratch[5])
{
    emit_last_level_look_up(c, address, scratch);
    emit_last_level_account(c, scratch);
}
