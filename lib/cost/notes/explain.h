/* lib/cost/notes/explain.h - prints the notes of `run --explain` as sentences.
 *
 *   reference 5 of this line, 60 of the run: reads 4 bytes at 0x404460, by the instruction at 0x401146
 *       set 3, tag 1011: a miss, conflict: a fully associative cache of this size would have the line.
 *       It was evicted at reference 41 of the run by transpose.c:14.
 *       The set held 1010; 1010 leaves, last used at reference 59 of the run by transpose.c:14.
 *       The LL has it.
 *
 * Invariants: notes are not trusted; nonsense is printed as it stands, never a crash.
 */
#ifndef QN_COST_EXPLAIN_H
#define QN_COST_EXPLAIN_H

#include "cost/places/places.h"
#include "cost/store.h"
#include "text/error.h"

struct qn_cost_explanation {
    const struct qn_cost_store *store;
    const struct qn_config *config;
    struct qn_cost_modules *modules;
    const struct qn_cost_named *named; /* only those of --explain are used */
    int count;
};

/* Each writes `path`, whole or not at all; the first as JSON. */
enum qn_text_status qn_cost_write_explanation_json(const char *path, const struct qn_cost_explanation *x, struct qn_text_error *err);
enum qn_text_status qn_cost_write_explanation(const char *path, const struct qn_cost_explanation *x, struct qn_text_error *err);

#endif
