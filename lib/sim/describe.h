/* lib/sim/describe.h - the modules in the slots of this build, as text; in the twin's files, those of the twin.
 *
 *   SLOTS_DESCRIPTION   "I1=lru D1=srrip:50b34235a5a88360 LL=lru BC=cachegrind BI=cachegrind"
 *   SLOTS_SOURCES       "\nD1=/home/me/lib/sim/policy/srrip.c"      without slots that have their default module
 *
 * `quern sim list FILE` looks for the first in a simulator, --versus for the second; profiles record the first.
 */
#include "sim/given.h"

#ifdef QN_SIM_I1_UNIT
#define I1_IS QN_SIM_I1_NAME
#define I1_SOURCE "\nI1=" QN_SIM_I1_FILE
#else
#define I1_IS "lru"
#define I1_SOURCE ""
#endif
#ifdef QN_SIM_D1_UNIT
#define D1_IS QN_SIM_D1_NAME
#define D1_SOURCE "\nD1=" QN_SIM_D1_FILE
#else
#define D1_IS "lru"
#define D1_SOURCE ""
#endif
#ifdef QN_SIM_LL_UNIT
#define LL_IS QN_SIM_LL_NAME
#define LL_SOURCE "\nLL=" QN_SIM_LL_FILE
#else
#define LL_IS "lru"
#define LL_SOURCE ""
#endif
#ifdef QN_SIM_BC_UNIT
#define BC_IS QN_SIM_BC_NAME
#define BC_SOURCE "\nBC=" QN_SIM_BC_FILE
#else
#define BC_IS "cachegrind"
#define BC_SOURCE ""
#endif
#ifdef QN_SIM_BI_UNIT
#define BI_IS QN_SIM_BI_NAME
#define BI_SOURCE "\nBI=" QN_SIM_BI_FILE
#else
#define BI_IS "cachegrind"
#define BI_SOURCE ""
#endif
#ifdef QN_SIM_AN_UNIT
#define AN_IS " AN=" QN_SIM_AN_NAME
#define AN_SOURCE "\nAN=" QN_SIM_AN_FILE
#else
#define AN_IS ""
#define AN_SOURCE ""
#endif

#define SLOTS_DESCRIPTION "I1=" I1_IS " D1=" D1_IS " LL=" LL_IS " BC=" BC_IS " BI=" BI_IS AN_IS
#define SLOTS_SOURCES I1_SOURCE D1_SOURCE LL_SOURCE BC_SOURCE BI_SOURCE AN_SOURCE
