/* lib/sim/twin_BC.c - slot BC once more, for the second simulator of --versus (--check compares caches only). */
#define QN_SIM_TWIN 1
#include "sim/unit_BC.c"
