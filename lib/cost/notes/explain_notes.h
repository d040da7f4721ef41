/* lib/cost/notes/explain_notes.h - what explain.c (sentences) and explain_json.c share: notes of the arena, and the places in them. */
#ifndef QN_COST_EXPLAIN_NOTES_H
#define QN_COST_EXPLAIN_NOTES_H

#include "cost/notes/explain.h"
#include "cost/places/sites.h"

#define EXPLAIN_PLACE_MAX 300

struct explain_notes {
    const struct qn_cost_explanation *x;
    struct qn_cost_sites sites;
    struct qn_explain_output notes; /* a copy */
    uint32_t line_bits, set_bits;
};

/* To be freed: sites. */
void explain_begin(struct explain_notes *o, const struct qn_cost_explanation *x);

/* "demo.c:12", or as much as is known. */
const char *explain_place_of(struct explain_notes *o, uint32_t site, char text[EXPLAIN_PLACE_MAX], uint64_t *pc);

/* A piece of the code that an option names; false: none of it was executed. */
bool explain_first_point(struct explain_notes *o, const struct qn_cost_named *n, struct qn_probe *p);

/* The source lines that had evicted what the accesses of `which` then missed, the most frequent first.  list: room for QN_EVICTORS_MAX.
 * Returns their number. */
struct explain_culprit {
    uint64_t count;
    char name[EXPLAIN_PLACE_MAX];
};
size_t explain_gather_culprits(struct explain_notes *o, uint32_t which, struct explain_culprit *list);

uint64_t explain_set_of(const struct explain_notes *o, uint64_t line);
uint64_t explain_tag_of(const struct explain_notes *o, uint64_t line);
extern const char *const explain_classes[QN_MISS_CLASSES];

#endif
