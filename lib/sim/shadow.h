/* lib/sim/shadow.h - the second simulator, which simulates every reference and branch right after the first one: see shadow.c. */
#ifndef QN_SIM_SHADOW_H
#define QN_SIM_SHADOW_H

#include "sim/contract.h"

/* versus: B of --versus; differences are counted there.  NULL: the shadow model of --check; the first difference stops the run. */
void qn_sim_shadow_init(const struct qn_config *config, struct qn_versus *versus);
void qn_sim_shadow_turn(uint32_t core); /* with cores: this one runs from now on */

/* A reference or branch that C code has just simulated, and its outcome. */
void qn_sim_shadow_data(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, uint32_t site);
void qn_sim_shadow_fetch(uint64_t addr, uint32_t size, unsigned outcome, uint32_t site);
/* wrong: 0, 1, or QN_RESULT_LATER */
void qn_sim_shadow_cond(uint64_t pc, bool taken, bool backward, unsigned wrong, uint32_t site);
void qn_sim_shadow_indirect(uint64_t pc, uint64_t target, bool wrong, uint32_t site);
void qn_sim_shadow_call(uint64_t pc, uint64_t next);
void qn_sim_shadow_return(uint64_t pc, uint64_t target, bool wrong, uint32_t site);

/* A miss of the first simulator that becomes known when the log is drained.  Called in program order. */
void qn_sim_shadow_missed(uint64_t addr, unsigned outcome, uint32_t site);
void qn_sim_shadow_mispredicted(uint64_t pc, uint32_t site); /* the same for a branch */
void qn_sim_shadow_drained(void); /* the log is empty: the outcomes of all references are known */

/* --check: a miss of this counter was taken back; ll: of the next one, too. */
void qn_sim_shadow_undo(uint32_t counter, unsigned ll);
void qn_sim_shadow_finish(void); /* the end of the run */
uint64_t qn_sim_counter(uint32_t at);
bool qn_sim_back_invalidates(void); /* does the first simulator's last level remove lines from level 1? */

/* Called before unit_ref of either simulator: sets sim_pc to the instruction of the site, if a module wants it. */
void qn_sim_set_pc(uint32_t site);

extern uint64_t qn_versus_counted; /* --versus: references and branches, also those that cannot differ, which are not compared */
extern bool qn_sim_shadow_on;
extern bool qn_sim_shadow_logs; /* misses of data and code come later, to qn_sim_shadow_missed, not with the reference */

/* A crash or hang in a module of the shadow model: sets module and `of`. */
struct qn_sim_culprit;
void qn_sim_shadow_blame(unsigned slot, struct qn_sim_culprit *c);
_Noreturn void qn_engine_check_failed(const char *what);   /* supplied by run */

#endif
