/* lib/cost/data/frames.h - finds, for --data, where a function keeps its return address and its variables: struct qn_frame_rec in objects.h. */
#ifndef QN_COST_FRAMES_H
#define QN_COST_FRAMES_H

#include "cost/data/objects.h"
#include "cost/places/places.h"
#include "cost/store.h"

struct qn_cost_frames; /* objects of functions and variables that were met */

/* NULL: no memory. */
struct qn_cost_frames *qn_cost_new_frames(void);
void qn_cost_free_frames(struct qn_cost_frames *f);

/* Fills in a frame record of the arena, of which pc and map are known; appends its variables, and objects that are new.  What is not known
 * stays 0. */
void qn_cost_find_frame(struct qn_cost_frames *known, const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t number);

#endif
