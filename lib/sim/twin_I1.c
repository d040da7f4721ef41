/* lib/sim/twin_I1.c - slot I1 once more, for the unfiltered twin of --check. */
#define QN_SIM_TWIN 1
#include "sim/unit_I1.c"
