/* lib/sim/twin_D1.c - slot D1 once more, for the unfiltered twin of --check. */
#define QN_SIM_TWIN 1
#include "sim/unit_D1.c"
