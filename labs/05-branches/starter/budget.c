/* budget.c - a predictor by itself, so that the check can measure its storage: the variables that it has, whatever it
 * says about them.
 */
#define QN_SIM_UNIT 1
#include "sim/module.h"
/* The compiler says so at the line that asks for more. */
#define sim_alloc(bytes) the_memory_of_this_predictor_is_its_variables(bytes)
#pragma GCC diagnostic error "-Wimplicit-function-declaration"
#include MODULE

unsigned (*budget_predict)(uint64_t) = branchsim_BC_predict;
void (*budget_update)(uint64_t, unsigned) = branchsim_BC_update;
#ifdef PREDICTOR_INIT
void (*budget_init)(const struct sim_config *) = branchsim_BC_init;
#endif
