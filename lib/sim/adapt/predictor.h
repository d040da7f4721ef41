/* lib/sim/adapt/predictor.h - what the units of both kinds of branches share. */
#define QN_SIM_UNIT 1
#include "sim/unit.h"

#include QN_SLOT_FILE

#include "sim/adapt/predictor_defaults.h"

static uint64_t unit_branches; /* for messages */
