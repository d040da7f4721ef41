/* lib/cost/notes/steps.h - a data reference of --watch as rows of CSV, one for each line of the cache that it references.
 *
 *   a note of reference 61, and its site     ->  61,0x401146,"/src/a.c",14,"main",read,0x406880,4,1,4,2,64,recent,,,0x406880,0,conflict,...
 *
 * Columns: watch.h.  `quern run --watch` and `quern replay --watch` both write them.
 */
#ifndef QN_COST_STEPS_H
#define QN_COST_STEPS_H

#include "cost/arena.h"

struct qn_cost_steps {
    void (*put)(void *data, const char *text);
    const char *(*object)(void *data, uint64_t address); /* the variable there, or NULL; itself NULL: none is known */
    void *data;
    const struct qn_geometry *D1;
    const struct qn_explain_output *head; /* of the notes: how the sets are shown */
};

/* The instruction that makes a reference; what is not known is NULL or 0. */
struct qn_cost_step {
    uint64_t pc;
    const char *file, *function;
    uint32_t line;
};

/* The first row: the names of the columns. */
void qn_cost_put_step_names(const struct qn_cost_steps *s);
/* Notes are not trusted: nonsense is written as it stands. */
void qn_cost_put_step(const struct qn_cost_steps *s, const struct qn_note *n, const struct qn_cost_step *by);

#endif
