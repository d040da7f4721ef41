/* lib/sim/slots.h - the source files that fill the slots of this build.
 *
 * `make SIM_D1=FILE` and ./configure --with-sim-D1=NAME write sim_slots.h, `quern sim build` gives -D options.  A slot
 * that does not hold its default is a unit of its own (QN_SIM_D1_UNIT); the defaults are included by engine.c. */
#ifndef QN_SIM_SLOTS_H
#define QN_SIM_SLOTS_H

#if !defined(QN_SIM_SLOTS_GIVEN) && defined(__has_include)
#if __has_include("sim_slots.h")
#include "sim_slots.h"
#endif
#endif

/* run --versus: what is the twin of --check elsewhere holds the modules of the second simulator, QN_SIM_B_*. */
#if defined(QN_SIM_VERSUS) && defined(QN_SIM_TWIN)
#include "sim/versus_slots.h"
#endif

#ifndef QN_SIM_I1_FILE
#define QN_SIM_I1_FILE "sim/cachesim_I1.c"
#endif
#ifndef QN_SIM_D1_FILE
#define QN_SIM_D1_FILE "sim/cachesim_D1.c"
#endif
#ifndef QN_SIM_LL_FILE
#define QN_SIM_LL_FILE "sim/cachesim_LL.c"
#endif
#ifndef QN_SIM_BC_FILE
#define QN_SIM_BC_FILE "sim/branchsim_BC.c"
#endif
#ifndef QN_SIM_BI_FILE
#define QN_SIM_BI_FILE "sim/branchsim_BI.c"
#endif

/* Some slot holds a module, which may declare events. */
#if defined(QN_SIM_I1_UNIT) || defined(QN_SIM_D1_UNIT) || defined(QN_SIM_LL_UNIT) || defined(QN_SIM_BC_UNIT) || \
    defined(QN_SIM_BI_UNIT) || defined(QN_SIM_AN_FILE) || defined(QN_SIM_VERSUS)
#define QN_SIM_MODULES 1
#endif

#endif
