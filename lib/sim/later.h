/* lib/sim/later.h - misses that emitted code writes down, if all analyses of misses can wait: it looks both levels up, and qn_sim_later_tell
 * (contract.h) then calls the analyses.
 *
 * The count lies in the arena, so that the collector knows how many misses were not looked at when the program was killed. */
#ifndef QN_SIM_LATER_H
#define QN_SIM_LATER_H

#include "cost/arena.h"
#include "sim/waits.h"

#define QN_LATER QN_WAITING_MAX
struct qn_later_miss {
    uint64_t addr, victim, victim_used; /* with qn_sim_tells_lines, victim and victim_used are as in struct sim_line */
    uint32_t site, ll;                  /* site: as arg_site; ll: it also missed the LL */
};
struct qn_sim_later {
    struct qn_later_miss *misses;       /* QN_LATER of them, below 2 GiB */
    uint64_t *count;                    /* NULL: analyses are called at each miss */
    uint32_t *site;                     /* with sim_waits, in the arena (struct qn_waiting): the site of each; else NULL */
};
extern struct qn_sim_later qn_sim_later;

#endif
