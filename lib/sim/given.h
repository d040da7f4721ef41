/* lib/sim/given.h - the modules that this build has in its slots: QN_SIM_D1_UNIT, _FILE, _NAME and the same for other slots.
 *
 * `make SIM_D1=FILE` and ./configure --with-sim-D1=NAME write sim_slots.h; `quern sim build` uses -D options.  A slot with its
 * default module has none of the three macros.  In the twin's files, QN_SIM_B_D1_UNIT and so on replace them if they are defined: for
 * run --versus with another file in the same slot. */
#ifndef QN_SIM_GIVEN_H
#define QN_SIM_GIVEN_H

#if !defined(QN_SIM_SLOTS_GIVEN) && defined(__has_include)
#if __has_include("sim_slots.h")
#include "sim_slots.h"
#endif
#endif

#if defined(QN_SIM_TWIN) && defined(QN_SIM_B_I1_UNIT)
#undef QN_SIM_I1_UNIT
#undef QN_SIM_I1_FILE
#undef QN_SIM_I1_NAME
#define QN_SIM_I1_UNIT QN_SIM_B_I1_UNIT
#define QN_SIM_I1_FILE QN_SIM_B_I1_FILE
#define QN_SIM_I1_NAME QN_SIM_B_I1_NAME
#endif
#if defined(QN_SIM_TWIN) && defined(QN_SIM_B_D1_UNIT)
#undef QN_SIM_D1_UNIT
#undef QN_SIM_D1_FILE
#undef QN_SIM_D1_NAME
#define QN_SIM_D1_UNIT QN_SIM_B_D1_UNIT
#define QN_SIM_D1_FILE QN_SIM_B_D1_FILE
#define QN_SIM_D1_NAME QN_SIM_B_D1_NAME
#endif
#if defined(QN_SIM_TWIN) && defined(QN_SIM_B_LL_UNIT)
#undef QN_SIM_LL_UNIT
#undef QN_SIM_LL_FILE
#undef QN_SIM_LL_NAME
#define QN_SIM_LL_UNIT QN_SIM_B_LL_UNIT
#define QN_SIM_LL_FILE QN_SIM_B_LL_FILE
#define QN_SIM_LL_NAME QN_SIM_B_LL_NAME
#endif
#if defined(QN_SIM_TWIN) && defined(QN_SIM_B_BC_UNIT)
#undef QN_SIM_BC_UNIT
#undef QN_SIM_BC_FILE
#undef QN_SIM_BC_NAME
#define QN_SIM_BC_UNIT QN_SIM_B_BC_UNIT
#define QN_SIM_BC_FILE QN_SIM_B_BC_FILE
#define QN_SIM_BC_NAME QN_SIM_B_BC_NAME
#endif
#if defined(QN_SIM_TWIN) && defined(QN_SIM_B_BI_UNIT)
#undef QN_SIM_BI_UNIT
#undef QN_SIM_BI_FILE
#undef QN_SIM_BI_NAME
#define QN_SIM_BI_UNIT QN_SIM_B_BI_UNIT
#define QN_SIM_BI_FILE QN_SIM_B_BI_FILE
#define QN_SIM_BI_NAME QN_SIM_B_BI_NAME
#endif

#endif
