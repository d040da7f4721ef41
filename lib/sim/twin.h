/* lib/sim/twin.h - the second simulator, which makes every reference and branch right after the first one: see twin.c. */
#ifndef QN_SIM_TWIN_H
#define QN_SIM_TWIN_H

#include "sim/contract.h"

/* versus: B of --versus, whose differences are counted there; NULL: the twin of --check, whose first difference stops the run. */
void qn_sim_twin_init(const struct qn_config *config, struct qn_versus *versus);

/* What has just been made from C, and what became of it. */
void qn_sim_twin_data(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, uint32_t site);
void qn_sim_twin_fetch(uint64_t addr, uint32_t size, unsigned outcome, uint32_t site);
/* wrong: 0, 1, or QN_RESULT_LATER */
void qn_sim_twin_cond(uint64_t pc, bool taken, bool backward, unsigned wrong, uint32_t site);
void qn_sim_twin_indirect(uint64_t pc, uint64_t target, bool wrong, uint32_t site);
void qn_sim_twin_call(uint64_t next);
void qn_sim_twin_return(uint64_t target, bool wrong, uint32_t site);

/* A miss of the first that was found after others had been made (the log): in the order of the program. */
void qn_sim_twin_missed(uint64_t addr, unsigned outcome, uint32_t site);
void qn_sim_twin_mispredicted(uint64_t pc, uint32_t site); /* the same of a branch */
void qn_sim_twin_drained(void); /* all that was made is simulated */

/* --check: a miss of the counter, and of the next one, is taken back; the end. */
void qn_sim_twin_undo(uint32_t counter, unsigned ll);
void qn_sim_twin_finish(void);
uint64_t qn_sim_counter(uint32_t at);
bool qn_sim_back_invalidates(void); /* does the first one's last level take lines out of level 1? */

/* Before unit_ref of either: whose reference it is, if a module wants to know. */
void qn_sim_set_pc(uint32_t site);

extern bool qn_sim_twin_on;
extern bool qn_sim_twin_logs; /* outcomes of data and misses of code come to qn_sim_twin_missed, not with the reference */

/* The twin's module in a slot is at work: sets module and `of`. */
struct qn_sim_culprit;
void qn_sim_twin_blame(unsigned slot, struct qn_sim_culprit *c);
_Noreturn void qn_engine_check_failed(const char *what);   /* supplied by run */

#endif
