/* level.c - a level that was handed in (MODULE), compiled alone, to see what is in it and what it calls. */
#define QN_SIM_UNIT 1
#include "sim/module.h"
#include MODULE

const void *const level_functions[] = { (const void *)cachesim_X_initcache, (const void *)cachesim_X_doref };
