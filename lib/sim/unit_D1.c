/* lib/sim/unit_D1.c - slot D1 as a unit: the module in QN_SIM_D1_FILE. */
#include "sim/given.h"

#ifdef QN_SIM_D1_UNIT
#define QN_SLOT D1
#define QN_SLOT_NAME "D1"
#define QN_SLOT_D1 1
#define QN_SLOT_FILE QN_SIM_D1_FILE
#ifdef QN_SIM_D1_NAME
#define QN_SLOT_LABEL QN_SIM_D1_NAME
#endif
#include "sim/unit_cache.h"
#endif
