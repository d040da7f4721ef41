/* lib/exp/groups.h - forms groups of runs that share one execution of the program.
 *
 *   gzip with D1 1K, 2K, 4K under lru and fifo      six runs, one execution that feeds six caches
 *
 * Runs may share an execution if they differ in D1, LL, BC and BI only, and if these are policies, predictors and
 * defaults (lib/sim/many describes the simulation, and why the results are the same).  Different caches are numbered
 * within the group, each once: a sweep over D1 and LL has fewer D1s than runs.
 */
#ifndef QN_EXP_GROUPS_H
#define QN_EXP_GROUPS_H

#include "exp/result.h"
#include "exp/runs.h"

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

#endif
