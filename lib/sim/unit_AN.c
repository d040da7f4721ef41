/* lib/sim/unit_AN.c - slot AN as a unit: an analysis module that sees every reference with its outcome, or observes instructions.
 * If it is filled nothing is filtered. */
#include "sim/given.h"

#ifdef QN_SIM_AN_FILE
#define QN_SLOT AN
#define QN_SLOT_NAME "AN"
#define QN_SLOT_FILE QN_SIM_AN_FILE
#ifdef QN_SIM_AN_NAME
#define QN_SLOT_LABEL QN_SIM_AN_NAME
#endif
#include "sim/adapt/analysis.h"
#endif
