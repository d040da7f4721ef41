/* lib/sim/unit_D1.c - slot D1, if it holds another module than the default (which engine.c includes). */
#include "sim/slots.h"

#ifdef QN_SIM_D1_UNIT
#define QN_SLOT D1
#define QN_SLOT_NAME "D1"
#define QN_SLOT_D1 1
#define QN_SLOT_FILE QN_SIM_D1_FILE
#include "sim/unit_cache.h"
#endif
