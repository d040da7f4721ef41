/* lib/sim/adapt/predictor.h - what the units of both kinds of branches share. */
#define QN_SIM_UNIT 1
#include "sim/unit.h"

#include QN_SLOT_FILE

#ifndef PREDICTOR
#error quern-module: nothing says what it is: #define PREDICTOR is missing
#endif
#ifndef PREDICTOR_BITS
#define PREDICTOR_BITS 0 /* storage, not said */
#endif

static uint64_t unit_branches; /* for messages */
