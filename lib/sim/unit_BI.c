/* lib/sim/unit_BI.c - slot BI, of indirect branches, as a unit: the module in QN_SIM_BI_FILE. */
#include "sim/given.h"

#ifdef QN_SIM_BI_UNIT
#define QN_SLOT BI
#define QN_SLOT_NAME "BI"
#define QN_SLOT_FILE QN_SIM_BI_FILE
#ifdef QN_SIM_BI_NAME
#define QN_SLOT_LABEL QN_SIM_BI_NAME
#endif
#include "sim/adapt/predictor_BI.h"
#endif
