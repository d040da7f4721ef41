/* lib/sim/unit_cache.h - a unit for a cache slot: the module's file and its adapter.  Included by unit_I1.c, unit_D1.c, unit_LL.c and
 * the twins, with
 *
 *   QN_SLOT       D1                    QN_SLOT_NAME  "D1"              QN_SLOT_D1   defined
 *   QN_SLOT_FILE  the module's file     QN_SLOT_LABEL its name and hash  QN_SIM_TWIN  for the twin
 */
#define QN_SIM_UNIT 1
#include "sim/unit.h"

#include "sim/adapt/slot.h"

#include QN_SLOT_FILE

#if defined(POLICY)
#include "sim/adapt/policy.h"
#elif defined(PREFETCHER)
#include "sim/adapt/prefetcher.h"
#elif defined(LEVEL)
#include "sim/adapt/level.h"
#elif defined(PREDICTOR)
#error quern-module: this is a predictor (PREDICTOR), which fits the slots BC and BI, not the slot of a cache
#elif defined(ANALYSIS)
#error quern-module: this is an analysis module (ANALYSIS), which fits the slot AN, not the slot of a cache
#else
#error quern-module: nothing says what it is: #define POLICY, PREFETCHER or LEVEL is missing
#endif

#ifdef UNIT_HAS_STATE
#define UNIT_SHOWS .show = unit_show, .state = unit_state
#else
#define UNIT_SHOWS .show = unit_show
#endif
#if defined(QN_SLOT_D1) && !defined(QN_SIM_TWIN) && !defined(LEVEL_OWN_FILTER)
#include "sim/adapt/refs.h"
#define UNIT_FUNCTIONS .ref = unit_ref, .refs = unit_refs, .forget = unit_forget, .drop = unit_drop, UNIT_SHOWS
#else
#define UNIT_FUNCTIONS .ref = unit_ref, .drop = unit_drop, UNIT_SHOWS
#endif
#include "sim/adapt/object.h"
