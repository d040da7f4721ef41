/* lib/sim/unit_I1.c - slot I1, if it holds another module than the default (which engine.c includes). */
#include "sim/slots.h"

#ifdef QN_SIM_I1_UNIT
#define QN_SLOT I1
#define QN_SLOT_NAME "I1"
#define QN_SLOT_I1 1
#define QN_SLOT_FILE QN_SIM_I1_FILE
#include "sim/unit_cache.h"
#endif
