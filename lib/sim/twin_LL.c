/* lib/sim/twin_LL.c - slot LL once more, for the unfiltered twin of --check. */
#define QN_SIM_TWIN 1
#include "sim/unit_LL.c"
