/* lib/cost/side_tables/culprits.h - the findings of the analysis culprits by source line: which line evicted the lines that another line missed.
 *
 *   count,of,file,function,line,evictor_file,evictor_function,evictor_line,of_rows
 *   8000,9000,/src/a.c,main,12,/src/a.c,main,15,2
 *
 * Source line 12 missed 9,000 cache lines that had been in the D1 before; 8,000 of these had been evicted by references of source line 15.
 * of_rows: the number of rows of the file.  Sorted by count, the largest first, then by place.
 *
 * Those of the analysis sharing, whose write had taken the lines of memory from the thread that missed them, by kind of the miss:
 *
 *   count,of,shared,file,function,line,taker_file,taker_function,taker_line,of_rows
 *   85,90,false,/src/a.c,count,12,/src/a.c,count,12,1
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
    const char *what; /* the kind of finding, as below */
    uint64_t count, of;
};

struct qn_culprits {
    struct qn_culprit_pair *pairs;
    size_t count;
};

/* The pairs in the store that come from findings of these kinds: "evictor", or "true" and "false"; NULL ends the list.  `culprits` is empty.
 * The caller frees it; its texts are valid as long as the modules, and `kinds`. */
void qn_cost_find_culprits(const struct qn_cost_store *store, struct qn_cost_modules *modules, const char *const *kinds, struct qn_culprits *culprits);
void qn_cost_free_culprits(struct qn_culprits *culprits);
/* takers: in the second form. */
enum qn_text_status qn_cost_write_culprits(const char *path, const struct qn_culprits *culprits, bool takers, struct qn_text_error *err);

#endif
