/* lib/sim/twin_BI.c - slot BI once more, for the second simulator of --versus (--check compares caches only). */
#define QN_SIM_TWIN 1
#include "sim/unit_BI.c"
