/* lib/sim/unit_I1.c - slot I1 as a unit: the module in QN_SIM_I1_FILE. */
#include "sim/given.h"

#ifdef QN_SIM_I1_UNIT
#define QN_SLOT I1
#define QN_SLOT_NAME "I1"
#define QN_SLOT_I1 1
#define QN_SLOT_FILE QN_SIM_I1_FILE
#ifdef QN_SIM_I1_NAME
#define QN_SLOT_LABEL QN_SIM_I1_NAME
#endif
#include "sim/unit_cache.h"
#endif
