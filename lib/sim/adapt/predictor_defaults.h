/* lib/sim/adapt/predictor_defaults.h - what a file of a predictor may leave out.  Behind the file, before it is used. */
#ifndef PREDICTOR
#error quern-module: nothing says what it is: #define PREDICTOR is missing
#endif
#ifndef PREDICTOR_BITS
#define PREDICTOR_BITS 0 /* storage, not said */
#endif
