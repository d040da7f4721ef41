/* lib/cost/growers.h - library code that allocates on behalf of who called it: what makes vectors longer, tables larger.
 *
 *   std::vector<point>::_M_realloc_insert -> yes; main -> no; my::vector::grow -> no, that is the user's own
 *
 * A block that such a function allocates belongs to the first caller that is none.
 */
#ifndef QN_COST_GROWERS_H
#define QN_COST_GROWERS_H

#include <stdbool.h>

/* By the name that the linker has. */
bool qn_cost_is_grower(const char *name);

#endif
