/* lib/exp/result.h - the result of a run of the program: its counts, or why it failed.
 *
 *   log "==12== D1.evictions   991  lines that ...",  profile "events: Ir I1mr ..." "summary: 812 3 ..."
 *   -> status "ok", counts Ir 812, I1mr 3, ..., D1.evictions 991
 *
 * Only the process that was started counts: a forked child writes a log and a profile of its own, under its own number.
 */
#ifndef QN_EXP_RESULT_H
#define QN_EXP_RESULT_H

#include "text/memory.h"
#include "text/error.h"

struct qn_exp_count {
    const char *name, *value; /* value: decimal digits */
};

struct qn_exp_result {
    const char *status; /* "ok", why there are no counts, or how the program ended; NULL: not run yet */
    struct qn_exp_count *counts;
    int count;
};

#define QN_EXP_OK "ok"

/* The value of a count; NULL: it was not counted. */
const char *qn_exp_find_count(const struct qn_exp_result *r, const char *name);
void qn_exp_add_count(struct qn_text_memory *m, struct qn_exp_result *r, const char *name, const char *value);

/* One line of a log without its number: event totals of modules and the storage of predictors (BC_bits, BI_bits). */
void qn_exp_read_log_line(struct qn_text_memory *m, struct qn_exp_result *r, const char *text);

/* Calls `line` for each line that the first process of the log wrote, without "==12== " or "--12-- ".  Returns its number; 0: none. */
long qn_exp_read_log(const char *path, void (*line)(void *data, const char *text), void *data);

/* Adds the totals of a profile. */
enum qn_text_status qn_exp_read_totals(struct qn_text_memory *m, struct qn_exp_result *r, const char *path,
                                       struct qn_text_error *err);

/* How a command ended, as text: "ok", "exit status 3", "SIGSEGV", or the line "quern: run: ..." that `errors` holds. */
const char *qn_exp_describe_end(struct qn_text_memory *m, int status, const char *errors);

#endif
