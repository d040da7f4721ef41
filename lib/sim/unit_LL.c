/* lib/sim/unit_LL.c - slot LL, if it holds another module than the default (which engine.c includes). */
#include "sim/slots.h"

#ifdef QN_SIM_LL_UNIT
#define QN_SLOT LL
#define QN_SLOT_NAME "LL"
#define QN_SLOT_LL 1
#define QN_SLOT_FILE QN_SIM_LL_FILE
#include "sim/unit_cache.h"
#endif
