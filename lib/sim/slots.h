/* lib/sim/slots.h - the source files that fill the slots of this build.
 *
 * `make SIM_D1=FILE` or ./configure --with-sim-D1=NAME defines QN_SIM_D1_FILE and so on. */
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
