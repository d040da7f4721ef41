/* lib/sim/many/targets.c - slot BI of a build that simulates many predictors at once; see many.h and predictors.c. */
#define QN_MANY_BI 1
#include "sim/many/predictors.c"
