/* lib/sim/twin.h - the unfiltered twin of --check, for the engine's helpers. */
#ifndef QN_SIM_TWIN_H
#define QN_SIM_TWIN_H

#include "sim/contract.h"

void qn_sim_twin_init(const struct qn_config *config, struct qn_versus *versus);
/* A reference from C, with its outcome: the twin follows. */
void qn_sim_twin_follow(uint64_t addr, uint32_t size, unsigned kind, unsigned outcome, uint32_t site);
unsigned qn_sim_twin_data(uint64_t addr, uint32_t size); /* outcome as qn_sim_data */
unsigned qn_sim_twin_data_kind(uint64_t addr, uint32_t size, unsigned kind);
unsigned qn_sim_twin_fetch(uint64_t addr, uint32_t size);
/* A reference was made twice: are the outcomes and what the modules counted the same?  Stops the run if not. */
void qn_sim_twin_compare(bool fetch, uint64_t addr, unsigned filtered, unsigned unfiltered);
/* The twin's module in a slot is at work: sets module and `of`. */
void qn_sim_twin_blame(unsigned slot, struct qn_sim_culprit *c);
_Noreturn void qn_engine_check_failed(const char *what);   /* supplied by run */

#endif
