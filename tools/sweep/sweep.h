/* tools/sweep/sweep.h - what the files of `quern sweep` share.
 *
 *   sweep.c          the order of things, jobs, the CSV file, progress; the `quern run` of a job and its results
 *   sweep_options.c  the command line; programs and their build-ids; simulators: what a name means, building
 *   sweep_on.c       parts of it as jobs of GNU parallel or Slurm
 */
#ifndef QN_SWEEP_H
#define QN_SWEEP_H

#include <stdbool.h>

#include "collect/options.h"
#include "exp/farm.h"
#include "exp/jobs.h"
#include "exp/many.h"
#include "exp/rows.h"

#define QN_SWEEP_ENGINE_OPTIONS 100

struct qn_sweep_options {
    struct qn_exp exp;
    const char *experiment; /* a file; NULL: none */
    const char *output;     /* the CSV file */
    int parallel;           /* runs at a time; 0: as many as there are processors */
    bool list, json, quiet, retry, share;
    int on;                 /* enum qn_exp_on */
    bool parallel_given, cancel;
    const char *engine_option[QN_SWEEP_ENGINE_OPTIONS];
    int engine_options;
    int part, parts;        /* this part only, of so many; 0: all; parts 0: as many as there are executions */
    char **argv;            /* as it was given */
    bool apply; /* while options are read: settings go into the experiment now */
};

/* Many simulators in one engine. */
struct qn_sweep_build {
    const struct qn_exp_group *group; /* for which it was made */
    const char *I1;                   /* module of the I1; NULL: the default */
    const char *engine;
    struct qn_exp_many many;
};

struct qn_sweep {
    struct qn_sweep_options options;
    struct qn_exp_runs runs;
    struct qn_exp_provenance *provenance; /* by run */
    struct qn_exp_result *results;        /* by run */
    struct qn_exp_sim **sims;           /* by run */
    struct qn_exp_sim *known[1000];     /* each once */
    int known_count;
    struct qn_sweep_build **builds;
    int build_count;
    struct qn_geometry host[QN_COLLECT_LEVELS];           /* caches where nothing is said: I1, D1, LL */
    const char *work;                     /* a folder of ours beside the output, removed at the end */
    const char *self;                     /* this quern */
};

/* -1: go on; otherwise the exit status (help was printed, or one line about what is wrong). */
int qn_sweep_parse(struct qn_sweep_options *o, int argc, char **argv);

/* Finds what each run's simulator is made of.  0, or the exit status after a line. */
int qn_sweep_find_sims(struct qn_sweep *s);
/* Builds it, if that has not been done.  0, or the exit status after a line. */
int qn_sweep_build_sim(struct qn_sweep *s, struct qn_exp_sim *sim);

/* Finds each run's program and input, and the program's build-id.  0, or the exit status after a line. */
int qn_sweep_check_programs(struct qn_sweep *s);

/* What `quern run` is called with. */
struct qn_sweep_command {
    int run;                                      /* for program, I1, seed */
    const char *engine, *options;
    const struct qn_geometry *D1, *LL;
    const char *stem;                             /* of its files in the work folder */
};

/* The build for a group, made when it is first asked for; another group of the same members uses it, too.
 * engine NULL: it cannot be built, and a line says why. */
const struct qn_sweep_build *qn_sweep_build_many(struct qn_sweep *s, const struct qn_exp_group *group, int number);

/* Groups of the runs that have no result in `results`. */
int qn_sweep_make_groups(struct qn_sweep *s, const struct qn_exp_result *results, struct qn_exp_group ***groups);

/* The part of each run, from 1 to *parts; 0 parts: as many as there are executions. */
int *qn_sweep_find_parts(struct qn_sweep *s, int *parts);

/* Writes the rows that there are; false: a line was printed. */
bool qn_sweep_write(struct qn_sweep *s);

/* The machine that a sweep began on, for its jobs.  false: this node is another one, and a line says so. */
bool qn_sweep_take_machine(struct qn_geometry *host);

/* The same as qn_sweep_run, in parts that an engine runs. */
int qn_sweep_run_on(struct qn_sweep *s);

#endif
