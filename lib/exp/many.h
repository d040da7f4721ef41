/* lib/exp/many.h - the build of a simulator for a group of runs, its options, and its output.
 *
 * In:  a group of D1 1024,2,64 and 4096,2,64 srrip, each with an LL of its own
 * Out: table.h and member_D1_1.c, to be compiled with lib/sim/many/; "D1#1.bits=3" for the member's options; and from its totals
 *      "D1#1.D1mr,991", "D1#1.evictions,12" the counts of the second run
 */
#ifndef QN_EXP_MANY_H
#define QN_EXP_MANY_H

#include "exp/rows.h"
#include "exp/runs.h"

/* ---- forms groups of runs that share one execution of the program ----
 *
 *   gzip with D1 1K, 2K, 4K under lru and fifo      six runs, one execution that feeds six caches
 *
 * Runs may share an execution if they differ in D1, LL, BC and BI only, and if these are policies, predictors and
 * defaults (lib/sim/many describes the simulation, and why the results are the same).  Different caches are numbered
 * within the group, each once: a sweep over D1 and LL has fewer D1s than runs.
 */

#define QN_EXP_MEMBERS_MAX 48 /* of each kind, so that their output fits into the room for modules' output */

/* A simulator that runs name. */
struct qn_exp_sim {
    const char *text;                  /* as in the experiment: "srrip", "D1=srrip+BC=gshare", "./mysim" */
    const char *file[QN_EXP_SLOTS];    /* the module's file; NULL: the default */
    const char *module[QN_EXP_SLOTS];  /* "srrip:50b34235a5a88360"; "" = none */
    const char *options;               /* key=value,... that belong to it, "" = none */
    const char *engine;                /* NULL: not built yet */
    bool shareable;                    /* made of policies, predictors and defaults */
};

/* A cache or a predictor of a group. */
struct qn_exp_member {
    struct qn_geometry geometry; /* caches */
    int D1;                      /* of an LL: the number of the D1 above */
    const char *file;            /* NULL: the default */
    const char *options;         /* "" for defaults, which have none */
};

enum qn_exp_kind { QN_EXP_MANY_D1, QN_EXP_MANY_LL, QN_EXP_MANY_BC, QN_EXP_MANY_BI, QN_EXP_MANY_KINDS };
extern const char *const qn_exp_kind_names[QN_EXP_MANY_KINDS]; /* "D1" */

struct qn_exp_group {
    int *runs, count;
    int (*place)[QN_EXP_MANY_KINDS]; /* by run of the group: the number of each of its members */
    struct qn_exp_member member[QN_EXP_MANY_KINDS][QN_EXP_MEMBERS_MAX];
    int members[QN_EXP_MANY_KINDS];
};

/* Settings for all runs. */
struct qn_exp_sharing {
    bool allowed;
    bool smallest_line_counts; /* --counting=cachegrind: results depend on the smallest line, to which references are cut */
};

/* Do two groups have the same members, so that one build serves both? */
bool qn_exp_same_members(const struct qn_exp_group *a, const struct qn_exp_group *b);

/* Puts every run without a result into a group; many have one run only. */
int qn_exp_make_groups(struct qn_text_memory *m, const struct qn_exp_runs *runs, struct qn_exp_sim *const *sims,
                       const char *const *options, const struct qn_exp_result *results,
                       const struct qn_exp_sharing *sharing, struct qn_exp_group ***groups);

/* ---- the build of a simulator for a group ---- */

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

/* A total of modules of such a build, for run `i` of the group. */
void qn_exp_take_many(struct qn_text_memory *m, struct qn_exp_result *r, const struct qn_exp_group *group, int i, const char *name,
                      const char *value);

/* `all`: the totals of the execution.  Completes `r`, which has what modules counted.  false: not all is there. */
bool qn_exp_finish_many(struct qn_text_memory *m, struct qn_exp_result *r, const struct qn_exp_group *group, int i,
                        const struct qn_exp_result *all);

#endif
