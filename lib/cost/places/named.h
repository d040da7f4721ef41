/* lib/cost/places/named.h - finds the guest addresses of source lines and functions that options name.
 *
 *   named: explain "demo.c" 12 to 12      map 3: /home/me/demo, mapped at 555555555000
 *   ->  points: 555555555136..55555555513d explain, 0
 */
#ifndef QN_COST_NAMED_H
#define QN_COST_NAMED_H

#include "cost/places/modules.h"
#include "cost/store.h"

struct qn_cost_named {
    enum qn_probe_what what;
    uint16_t which;       /* of the options of this kind, from 0 */
    const char *name;     /* of a source file (the end of its path will do), or a function */
    uint32_t first, last; /* lines, where `name` is a file */
};

/* Appends the points of one map of the arena and makes them visible.  What is not there, or has no debug information, has
 * none. */
void qn_cost_find_named(const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t map,
                        const struct qn_cost_named *named, int count);

/* The first point of an option; false: no code that was executed has that name. */
bool qn_cost_has_probes(const struct qn_cost_store *store, const struct qn_cost_named *named);

/* The function that begins at a point; NULL: there is none. */
const char *qn_cost_name_entry(const struct qn_cost_store *store, struct qn_cost_library *library, uint64_t pc);

#endif
