/* lib/sim/adapt/predictor.h - the common part of predictor_BC.h and predictor_BI.h. */
#define QN_SIM_UNIT 1
#include "sim/unit.h"

#include QN_SLOT_FILE

#include "sim/adapt/predictor_defaults.h"

static uint64_t unit_branches; /* for messages */

#if defined(PREDICTOR_SHOWS) && defined(QN_SIM_HOSTED)
static void unit_shown(uint64_t pc, unsigned kind)
{
    AT_WORK_DO(UNIT_SLOT, SIM_IN_SHOW, unit_branches + 1, predictor_show(pc, kind));
}
#define UNIT_SHOWN .shown = unit_shown,
#else
#define UNIT_SHOWN
#endif
