/* lib/cost/side_tables/culprits.h - the findings of the analysis culprits by source line: which line evicted the lines that another line missed.
 *
 *   count,of,file,function,line,evictor_file,evictor_function,evictor_line,of_rows
 *   8000,9000,/src/a.c,main,12,/src/a.c,main,15,2
 *
 * Source line 12 missed 9,000 cache lines that had been in the D1 before; 8,000 of these had been evicted by references of source line 15.
 * of_rows: the number of rows of the file.  Sorted by count, the largest first, then by place.
 */
#ifndef QN_COST_CULPRITS_H
#define QN_COST_CULPRITS_H

#include "cost/places/places.h"
#include "cost/store.h"
#include "text/error.h"

struct qn_culprit_line {
    const char *file, *function; /* of `modules` */
    uint32_t line;
};

struct qn_culprit_pair {
    struct qn_culprit_line victim, evictor;
    uint64_t count, of;
};

struct qn_culprits {
    struct qn_culprit_pair *pairs;
    size_t count;
};

/* The pairs in the store.  The caller frees `culprits`; their texts are valid as long as the modules. */
void qn_cost_find_culprits(const struct qn_cost_store *store, struct qn_cost_modules *modules, struct qn_culprits *culprits);
void qn_cost_free_culprits(struct qn_culprits *culprits);
enum qn_text_status qn_cost_write_culprits(const char *path, const struct qn_culprits *culprits, struct qn_text_error *err);

#endif
