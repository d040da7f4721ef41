/* lib/cost/data/data.h - objects and misses of the arena (--data) as the tables behind a profile's summary (prof/tables/data.h). */
#ifndef QN_COST_DATA_H
#define QN_COST_DATA_H

#include "cost/data/allocators.h"
#include "cost/data/objects.h"
#include "cost/places/places.h"
#include "cost/store.h"
#include "prof/write.h"
#include "text/error.h"

struct qn_cost_data {
    const struct qn_cost_store *store;
    struct qn_cost_modules *modules;
    const struct qn_cost_allocator *allocators; /* by --alloc */
    unsigned allocator_count;
};

/* Writes them, after the summary.  The same run gives the same bytes. */
void qn_cost_put_data(struct qn_prof_writer *w, const struct qn_cost_data *data);

/* Reads ahead what the objects that have misses need by now. */
void qn_cost_preload_data(struct qn_cost_library *l, const struct qn_cost_store *store);

/* The name of an object as the tables have it, and for the heap where it was allocated: "malloc at main.c:12 (main)". */
#define QN_COST_OBJECT_NAME 8192
void qn_cost_name_object(const struct qn_cost_data *data, const struct qn_object *object, char name[QN_COST_OBJECT_NAME]);

#endif
