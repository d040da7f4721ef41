/* lib/sim/units.c - the modules that ship, as they are in every engine: for each slot that one fits a unit, and its shadow.
 *
 * In:  sim_units.h, which the makefile writes:  #define QN_UNITS(X) X(D1, cachesim_D1) X(D1, srrip) ...   and their hashes
 * Out: the tables of slots.h; and a text that tools read out of the engine:  "quern-sim-units: D1=srrip:50b34235a5a88360\n..."
 */
#include "sim/slots.h"
#include "sim_units.h"

#define DECLARE(slot, name) extern const struct qn_unit qn_unit_##slot##_##name;
#define DECLARE_SHADOW(slot, name) extern const struct qn_unit qn_shadow_##slot##_##name;
#define ADDRESS(slot, name) &qn_unit_##slot##_##name,
#define ADDRESS_OF_SHADOW(slot, name) &qn_shadow_##slot##_##name,

QN_UNITS(DECLARE)
QN_UNITS_OF_ANALYSIS(DECLARE)
QN_UNITS(DECLARE_SHADOW)

const struct qn_unit *const qn_sim_units[] = {QN_UNITS(ADDRESS) QN_UNITS_OF_ANALYSIS(ADDRESS) NULL};
const struct qn_unit *const qn_sim_shadow_units[] = {QN_UNITS(ADDRESS_OF_SHADOW) NULL};
const unsigned qn_sim_proven = QN_PROVEN_SLOTS;

static const char texts[] __attribute__((used)) = "quern-sim-units: " QN_UNITS_TEXT;
static const char defaults[] __attribute__((used)) = "quern-sim-defaults: " QN_PROVEN_TEXT;
