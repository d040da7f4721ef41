/* lib/exp/rows.h - the CSV file of a sweep: a row per run, and back.
 *
 *   quern,program,command,input,n,sim,I1_size,...,build_id | status | Ir,I1mr,... | I1_miss_percent,...,Bi_mpki | BC_bits,...
 *   which run this is                                        how      counts       rates                           of modules
 *
 * Columns before `status` identify the run.  No column has a time, a pid or anything else that differs from one sweep to the
 * next, so a sweep that was interrupted and resumed ends with the same file.  Rates are per hundred, ..._mpki per thousand
 * instructions.
 */
#ifndef QN_EXP_ROWS_H
#define QN_EXP_ROWS_H

#include "exp/runs.h"
#include "prof/read.h"
#include "text/csv.h"
#include "text/error.h"
#include "text/memory.h"

/* ---- the result of a run of the program: its counts, or why it failed ----
 *
 *   PROFILE.totals.csv "D1.evictions,991,lines that ...",  profile "events: Ir I1mr ..." "summary: 812 3 ..."
 *   -> status "ok", counts Ir 812, I1mr 3, ..., D1.evictions 991
 *
 * Only the process that was started counts: a forked child writes a profile of its own, under its own number.
 */

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

/* The same of a total of modules: the storage of a predictor, "BC.bits", becomes "BC_bits". */
void qn_exp_add_total(struct qn_text_memory *m, struct qn_exp_result *r, const char *name, const char *value);

/* Reads PROFILE.NAME.csv into `t`, which is empty, and stays so if there is no such file. */
enum qn_text_status qn_exp_read_beside(struct qn_text_table *t, const char *profile, const char *name, struct qn_text_error *err);

/* Adds the totals of a profile. */
enum qn_text_status qn_exp_read_totals(struct qn_text_memory *m, struct qn_exp_result *r, const char *path,
                                       struct qn_text_error *err);

/* How a command ended, as text: "ok", "exit status 3", "SIGSEGV", or the line "quern: run: ..." that `errors` holds. */
const char *qn_exp_describe_end(struct qn_text_memory *m, int status, const char *errors);

/* ---- the CSV file of a sweep ---- */

/* What identifies a run, besides the experiment. */
struct qn_exp_provenance {
    const char *version;                /* of quern */
    const char *modules[QN_EXP_SLOTS];  /* "srrip:50b34235a5a88360"; "" where there is none */
    const char *build_id;               /* of the program, or a hash of its file */
    const char *input_hash;             /* of the file that it reads; "": none */
    const char *options;                /* of the modules, as given to `quern run` */
    const char *counting;
};

/* Rows for all runs that have a status, in order.  `t` is initialised and empty. */
void qn_exp_fill_table(struct qn_text_table *t, const struct qn_exp *e, const struct qn_exp_runs *runs,
                       const struct qn_exp_provenance *provenance, const struct qn_exp_result *results);

/* Takes the results of rows that a file has already.  QN_TEXT_BAD: it has rows that are not of this sweep. */
enum qn_text_status qn_exp_take_rows(const struct qn_text_table *t, const char *path, struct qn_exp *e,
                                     const struct qn_exp_runs *runs, const struct qn_exp_provenance *provenance,
                                     struct qn_exp_result *results, struct qn_text_error *err);

/* Reads a table: the file that `quern run --interval=N` writes beside a profile with the events `h`.  It must have one of these events at least;
 * other files by interval (PROFILE.sets.csv) have none. */
enum qn_text_status qn_exp_read_intervals(struct qn_text_table *t, const char *path, const struct qn_prof_header *h, struct qn_text_error *err);
/* The same for PROFILE.sets.csv and PROFILE.mattson.csv, which have columns of their own, all but the first of sets with numbers. */
enum qn_text_status qn_exp_read_sets(struct qn_text_table *t, const char *path, struct qn_text_error *err);
enum qn_text_status qn_exp_read_curve(struct qn_text_table *t, const char *path, struct qn_text_error *err);
/* The data of the pictures mrc and sets: size,miss_percent; and of the D1, over all intervals, set,misses.  `t` is empty. */
void qn_exp_fill_curve(struct qn_text_table *t, const struct qn_text_table *curve);
void qn_exp_fill_sets(struct qn_text_table *t, const struct qn_text_table *sets);

#endif
