/* lib/emit/later.c - misses that analyses process later (qn_sim_later): emitted code writes them down.
 *
 *   miss of a line that analyses may be told of later    ->   emit_later_or_jump, emit_last_level, emit_later_write
 *   any other miss                                       ->   the jumps of emit_later_or_jump
 */
#include "emit/internal.h"

/* entry = the place of the line in sim_waits.left; destroys `table`. */
static void find_left(struct qn_code *c, unsigned entry, unsigned table, unsigned line)
{
    x_mov32(c, entry, line);
    x_shr32(c, entry, qn_sim_d1_filter.shift);
    x_alu_imm32(c, 0, X_AND, entry, sim_waits.mask * sizeof *sim_waits.left);
    x_movi(c, table, (uintptr_t)sim_waits.left);
    x_lea(c, entry, entry, table, 1, 0);
}

/* If this miss may not wait (sim/module.h), jumps: `at` is where these jumps end.  Otherwise writes down when the victim was last used. */
void emit_later_or_jump(struct qn_code *c, unsigned line, const unsigned scratch[5], uint64_t at[2])
{
    const unsigned entry = scratch[0], table = scratch[1], time = scratch[3], other = scratch[4];
    const uint64_t victim = (uintptr_t)&qn_sim_victim;

    find_left(c, entry, table, line);
    x_table(c, X_CMP, line, entry, offsetof(struct sim_left, line));
    x_jcc(c, X_CC_NE, 0);
    at[0] = c->exec;
    x_table(c, X_LOAD, time, entry, offsetof(struct sim_left, used));
    x_movi(c, other, (uintptr_t)sim_waits.until);
    x_table(c, X_CMP, time, other, 0);
    x_jcc(c, X_CC_A, 0);
    at[1] = c->exec;
    x_load(c, other, victim + offsetof(struct qn_filter_entry, line));
    find_left(c, entry, table, other);
    x_table(c, X_STORE, other, entry, offsetof(struct sim_left, line));
    x_load(c, time, victim + offsetof(struct qn_filter_entry, stamp));
    x_table(c, X_STORE, time, entry, offsetof(struct sim_left, used));
}

/* For the collector: the site. */
static void write_site(struct qn_code *c, unsigned next, unsigned site, unsigned at)
{
    x_load32(c, site, CTX(arg_site));
    x_alu_imm32(c, 0, X_AND, site, QN_SITE_COUNTER_MASK);
    x_movi(c, at, (uintptr_t)(qn_sim_later.site - 1));
    x_lea(c, at, at, next, 4, 0);
    x_store32_at(c, site, at, 1, 0);
}

/* Both levels are simulated; the registers are as emit_last_level leaves them.  ZF: the list is full. */
void emit_later_write(struct qn_code *c, const unsigned scratch[5])
{
    const unsigned entry = scratch[0], at = scratch[1], ll = scratch[2], other = scratch[4];
    const uint64_t misses = (uintptr_t)qn_sim_later.misses;

    x_movi(c, at, (uintptr_t)qn_sim_later.count);
    x_load_at(c, entry, at);
    x_lea(c, other, entry, QN_REG_NONE, 1, 1);
    x_imul32(c, entry, entry, sizeof(struct qn_later_miss));
    x_store32_at(c, ll, entry, 1, misses + offsetof(struct qn_later_miss, ll));
    x_load32(c, at, CTX(arg_site));
    x_store32_at(c, at, entry, 1, misses + offsetof(struct qn_later_miss, site));
    x_load(c, at, CTX(arg_addr));
    x_table(c, X_STORE, at, entry, misses + offsetof(struct qn_later_miss, addr));
    if (qn_sim_tells_lines) {
        x_load(c, at, (uintptr_t)&qn_sim_victim.line);
        x_table(c, X_STORE, at, entry, misses + offsetof(struct qn_later_miss, victim));
        x_load(c, at, (uintptr_t)&qn_sim_victim.stamp);
        x_table(c, X_STORE, at, entry, misses + offsetof(struct qn_later_miss, victim_used));
    }
    if (qn_sim_later.site)
        write_site(c, other, ll, at);
    x_movi(c, at, (uintptr_t)qn_sim_later.count);
    x_table(c, X_STORE, other, at, 0); /* at the end, so that the collector finds no miss that is not complete */
    x_alu_imm32(c, 0, X_CMPI, other, QN_LATER);
}
