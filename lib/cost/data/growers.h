/* lib/cost/data/growers.h - library functions that allocate for their caller: they grow vectors, tables and so on.
 *
 *   std::vector<point>::_M_realloc_insert -> yes; main -> no; my::vector::grow -> no, it belongs to the program
 *
 * A block that such a function allocates belongs to the first caller that is not such a function.
 */
#ifndef QN_COST_GROWERS_H
#define QN_COST_GROWERS_H

#include <stdbool.h>

/* name: as in the symbol table. */
bool qn_cost_is_grower(const char *name);

#endif
