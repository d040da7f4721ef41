/* lib/sim/slots.h - which unit is in which slot: the module chosen by name for the run, else the build's own (unit.c), else the
 * default.  See slots.c.  */
#ifndef QN_SIM_SLOTS_H
#define QN_SIM_SLOTS_H

#include "sim/unit.h"

/* The unit in the slot, except AN.  second: of the shadow. */
const struct qn_unit *qn_sim_unit(enum sim_slot slot, bool second);
/* The n-th analysis of slot AN, from 0; NULL: there are no more. */
const struct qn_unit *qn_sim_analysis(unsigned n);
/* Is it the default file, with the hash of fast/proven?  Then its fast version may be used.  (Never true for the shadow.) */
bool qn_sim_is_proven(enum sim_slot slot);
bool qn_sim_is_proven_in(enum sim_slot slot, bool second); /* second: of B of --versus */
/* Does the unit in slot LL stand at the L2, above the default LL? */
bool qn_sim_at_L2(bool second);
#ifdef QN_SIM_HOSTED
extern bool qn_sim_hosted_at_L2; /* set before qn_sim_init */
/* A bit for each slot whose state a replay shows (--watch): there the fast version is not used. */
extern unsigned qn_sim_shown_slots;
extern const bool qn_sim_looks_ahead; /* a policy asks for the next use of a line (sim_next_use) */
/* What the first simulator's unit has said about itself, after qn_sim_init. */
const struct qn_unit_facts *qn_sim_unit_facts(enum sim_slot slot);
#endif
/* "I1=lru D1=srrip:50b34235a5a88360 LL=lru BC=cachegrind BI=cachegrind" */
void qn_sim_describe(char *to, size_t size, bool second);

/* units.c: the shipped modules of each slot, and their shadow models, with NULL at the end; a bit for each slot whose default file is proven. */
extern const struct qn_unit *const qn_sim_units[], *const qn_sim_shadow_units[];
extern const unsigned qn_sim_proven;

#endif
