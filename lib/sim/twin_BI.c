/* lib/sim/twin_BI.c - slot BI of the second simulator, in builds for --versus (--check compares caches only). */
#ifdef QN_SIM_VERSUS
#define QN_SIM_TWIN 1
#include "sim/unit_BI.c"
#endif
