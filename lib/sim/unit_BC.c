/* lib/sim/unit_BC.c - slot BC, of conditional branches, as a unit: the module in QN_SIM_BC_FILE. */
#include "sim/given.h"

#ifdef QN_SIM_BC_UNIT
#define QN_SLOT BC
#define QN_SLOT_NAME "BC"
#define QN_SLOT_FILE QN_SIM_BC_FILE
#ifdef QN_SIM_BC_NAME
#define QN_SLOT_LABEL QN_SIM_BC_NAME
#endif
#include "sim/adapt/predictor_BC.h"
#endif
