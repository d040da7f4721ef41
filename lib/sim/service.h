/* lib/sim/service.h - between service.c and the engine. */
#ifndef QN_SIM_SERVICE_H
#define QN_SIM_SERVICE_H

#include "base/base.h"
#include "sim/contract.h"

#define QN_SIM_MEMORY_MAX (4ull << 30) /* bytes per request */

/* charges: room for QN_ARENA_CHARGES_SIZE bytes of rows. */
void qn_sim_service_init(struct qn_sim_output *where, uint64_t *charges, const char *option_text);
void qn_sim_service_modules(const char *names); /* what is in the slots */
const char *qn_sim_event_name(unsigned event);
extern bool qn_sim_events_hidden;      /* what is declared now is counted and never shown */
extern uint64_t qn_sim_events_twinned; /* a bit for each event that the twin of --check declares, too */
void *qn_engine_alloc(uint64_t bytes);                       /* supplied by run */
_Noreturn void qn_engine_die(const char *what, uint64_t a, uint64_t b);
_Noreturn void qn_engine_module_failed(const char *line);    /* supplied by run */

#endif
