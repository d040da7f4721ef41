/* tools/sweep.h - what the files of `quern sweep` share.
 *
 *   sweep.c          the order of things         sweep_options.c  the command line
 *   sweep_sims.c     simulators: what a name means, building
 *   sweep_run.c      runs, results, the CSV file, progress       sweep_programs.c  programs and their build-ids
 */
#ifndef QN_SWEEP_H
#define QN_SWEEP_H

#include <stdbool.h>

#include "exp/rows.h"

struct qn_sweep_options {
    struct qn_exp exp;
    const char *experiment; /* a file; NULL: none */
    const char *output;     /* the CSV file */
    int parallel;           /* runs at a time; 0: as many as there are processors */
    bool list, quiet, retry;
};

/* A simulator that runs name. */
struct qn_sweep_sim {
    const char *text;                       /* as the experiment says: "srrip", "D1=srrip+BC=gshare", "./mysim" */
    const char *file[QN_EXP_SLOTS];         /* the module's file; NULL: the default */
    const char *module[QN_EXP_SLOTS];       /* "srrip:50b34235a5a88360"; "" = none */
    const char *options;                    /* key=value,... that belong to it, "" = none */
    const char *engine;                     /* NULL: not built yet */
};

struct qn_sweep {
    struct qn_sweep_options options;
    struct qn_exp_runs runs;
    struct qn_exp_provenance *provenance; /* by run */
    struct qn_exp_result *results;        /* by run */
    struct qn_sweep_sim **sims;           /* by run */
    struct qn_sweep_sim *known[1000];     /* each once */
    int known_count;
    const char *work;                     /* a folder of ours beside the output, removed at the end */
    const char *self;                     /* this quern */
};

/* -1: go on; otherwise the exit status (help was printed, or one line about what is wrong). */
int qn_sweep_parse(struct qn_sweep_options *o, int argc, char **argv);

/* Finds what each run's simulator is made of.  0, or the exit status after a line. */
int qn_sweep_find_sims(struct qn_sweep *s);
/* Builds it, if that has not been done.  0, or the exit status after a line. */
int qn_sweep_build_sim(struct qn_sweep *s, struct qn_sweep_sim *sim);

/* Finds each run's program and input, and the program's build-id.  0, or the exit status after a line. */
int qn_sweep_check_programs(struct qn_sweep *s);

/* `quern run` with everything for this run; the list ends with NULL.  number: of its files in the work folder. */
char **qn_sweep_command(struct qn_sweep *s, int run, int number);

/* Makes all runs that have no result yet and keeps the file up to date.  The exit status. */
int qn_sweep_run(struct qn_sweep *s);

#endif
