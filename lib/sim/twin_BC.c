/* lib/sim/twin_BC.c - slot BC of the second simulator, in builds for --versus (--check compares caches only). */
#ifdef QN_SIM_VERSUS
#define QN_SIM_TWIN 1
#include "sim/unit_BC.c"
#endif
