/* lib/sim/adapt/predictor_defaults.h - what a predictor may leave out.  Included after the module's file. */
#ifndef PREDICTOR
#error quern-module: nothing says what it is: #define PREDICTOR is missing
#endif
#ifndef PREDICTOR_BITS
#define PREDICTOR_BITS 0 /* storage: unknown */
#endif
