/* lib/sim/unit_LL.c - slot LL as a unit: the module in QN_SIM_LL_FILE. */
#include "sim/given.h"

#ifdef QN_SIM_LL_UNIT
#define QN_SLOT LL
#define QN_SLOT_NAME "LL"
#define QN_SLOT_LL 1
#define QN_SLOT_FILE QN_SIM_LL_FILE
#ifdef QN_SIM_LL_NAME
#define QN_SLOT_LABEL QN_SIM_LL_NAME
#endif
#include "sim/unit_cache.h"
#endif
