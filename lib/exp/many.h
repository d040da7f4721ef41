/* lib/exp/many.h - the build of a simulator for a group of runs, its options, and its output.
 *
 * In:  a group of D1 1024,2,64 and 4096,2,64 srrip, each with an LL of its own
 * Out: table.h and member_D1_1.c, to be compiled with lib/sim/many/; "D1#1.bits=3" for the member's options; and from its log
 *      "many D1 1 991 77", "D1#1.evictions 12 ..." the counts of the second run
 */
#ifndef QN_EXP_MANY_H
#define QN_EXP_MANY_H

#include "exp/groups.h"

struct qn_exp_many {
    const char *table;               /* the file QN_MANY_TABLE */
    const char *module[QN_EXP_SLOTS]; /* files for the slots; NULL: the default */
    const char **extra;              /* more source files and flags, NULL at the end */
    const char *options;             /* for --sim-opt, "" = none */
    struct qn_geometry D1, LL;       /* for --D1 and --LL: what the hit filter is made for */
};

/* Writes the files into `folder`, their names beginning with `stem`.  library: the folder that holds sim/. */
bool qn_exp_write_many(struct qn_text_memory *m, const struct qn_exp_group *group, const struct qn_exp_sim *sim,
                       const char *run_options, const char *library, const char *folder, const char *stem,
                       struct qn_exp_many *many, struct qn_text_error *err);

/* One line of the log of such a build, for run `i` of the group. */
void qn_exp_read_many_line(struct qn_text_memory *m, struct qn_exp_result *r, const struct qn_exp_group *group, int i,
                           const char *text);

/* `all`: the totals of the execution.  Completes `r`, which has what the log says.  false: the log did not say all. */
bool qn_exp_finish_many(struct qn_text_memory *m, struct qn_exp_result *r, const struct qn_exp_group *group, int i,
                        const struct qn_exp_result *all);

#endif
