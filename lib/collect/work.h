/* lib/collect/work.h - the state of one attempt to fold; shared by fold.c and beside.c. */
#ifndef QN_COLLECT_WORK_H
#define QN_COLLECT_WORK_H

#include <limits.h>

#include "collect/collect.h"
#include "collect/reader.h"
#include "cost/beside/culprits.h"
#include "cost/fold.h"
#include "cost/regions.h"
#include "text/error.h"

struct qn_collect_work {
    struct qn_collect *run;
    struct qn_collect_guard *guard;
    struct qn_cost_event_set events;
    struct qn_cost_modules *modules;
    struct qn_prof_table *table;
    struct qn_cost_result result;
    struct qn_cost_regions regions;
    struct qn_culprits culprits;
    char program[PATH_MAX], build_id[256], command[65536];
};

/* fold.c: writes a profile by `write`, in the format that the user wants. */
typedef enum qn_text_status qn_collect_write(void *data, const char *path, struct qn_text_error *err);
enum qn_text_status qn_collect_write_profile(struct qn_collect *r, qn_collect_write *write, void *data, const char *path, struct qn_text_error *err);

/* beside.c: writes the files beside the profile.  false: one could not be written, and a line says so. */
bool qn_collect_tell_file(struct qn_collect *r, const char *what, char *path, enum qn_text_status status, const struct qn_text_error *err);
bool qn_collect_write_intervals(struct qn_collect_work *w);
bool qn_collect_write_beside(struct qn_collect_work *w, const char *profile); /* findings, culprits, misses by set, shared lines */
void qn_collect_print_culprits(struct qn_collect_work *w);
bool qn_collect_write_explanation(struct qn_collect_work *w);
bool qn_collect_write_watch(struct qn_collect_work *w);
bool qn_collect_write_branches(struct qn_collect_work *w);

#endif
