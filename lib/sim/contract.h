/* lib/sim/contract.h - what the rest of quern knows of the simulators: addresses for the hit filter and
 * entry points for slow calls.  Emitted code and the simulator slots meet here and nowhere else.
 */
#ifndef QN_SIM_CONTRACT_H
#define QN_SIM_CONTRACT_H

#include "base/base.h"
#include "cost/arena.h"

/* What a hit changes in a level, and so what emitted code may do in place of a call. */
enum qn_hit {
    QN_HIT_CALL,    /* anything: every reference calls the simulator */
    QN_HIT_NOTHING, /* nothing, if the filter holds the line */
    QN_HIT_STAMP    /* the time of its last use, which emitted code writes (code lines only) */
};

/* One record per line of guest code that has been translated.  stamp 0: the line is not in the cache, or its next
 * hit is not certain to change nothing but the stamp: call. */
struct qn_code_line {
    uint64_t stamp;  /* clock of the last use */
    uint64_t line;   /* address of the first byte */
};

/* The data filter: a row of `stride` bytes per set, `filter` at its beginning: address of the line whose next
 * hit is certain and changes nothing, or QN_NO_LINE.  The rest of the row belongs to the level. */
#define QN_NO_LINE 0x8000000000000000ull /* no user address lies there: the comparison always fails */

struct qn_filter {
    uint64_t rows;     /* address, below 2 GiB */
    uint32_t mask;     /* (sets - 1) * line */
    uint32_t scale;    /* stride / line: 1, 2, 4, 8; 0 = no filter: always call */
    uint32_t line;     /* bytes */
    uint32_t ordered;  /* ways, if the row lists them newest first and a hit does nothing but reorder it; else 0 */
};

extern struct qn_filter qn_sim_d1_filter;
extern enum qn_hit qn_sim_i1_hit;
extern uint32_t qn_sim_i1_line; /* bytes */

void qn_sim_init(const struct qn_config *config, uint64_t *counters);
struct qn_code_line *qn_sim_code_line(uint64_t line_address); /* find or make */

/* Slow calls: arguments in qn_ctx, all registers preserved, status flags destroyed.
 *   arg_site = counter index | bytes << QN_SITE_SIZE_SHIFT; the two counters there are L1 and LL misses. */
#define QN_SITE_SIZE_SHIFT 25
#define QN_SITE_COUNTER_MASK ((1u << QN_SITE_SIZE_SHIFT) - 1)
#define QN_SITE_SIZE_MAX 64 /* larger references go through qn_sim_slow_big: size in arg_aux */

void qn_sim_slow_fetch(void);  /* arg_addr: first byte of the instruction */
void qn_sim_slow_data(void);   /* arg_addr */
void qn_sim_slow_big(void);    /* arg_addr, arg_aux = bytes */
void qn_sim_cond(void);        /* arg_pc, arg_aux = taken (0, 1); one counter */
void qn_sim_indirect(void);    /* arg_pc, arg_addr = target; one counter */
void qn_sim_check_data(void);  /* --check: unfiltered twin of the reference just made; ctx.result is what the filtered path did */
void qn_sim_check_fetch(void);

/* One reference from C, for helpers (string instructions, gathers).  Returns bit 0: L1 miss, bit 1: LL miss. */
unsigned qn_sim_data(uint64_t addr, uint32_t size, uint64_t *misses);
bool qn_sim_predict_cond(uint64_t pc, bool taken);

#endif
