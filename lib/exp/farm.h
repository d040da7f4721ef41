/* lib/exp/farm.h - work in parts, numbered from 1, each a job of GNU parallel or of Slurm: the command that starts them.
 *
 *   parallel --will-cite --jobs=4 --retries=3 --joblog=FOLDER/joblog sh FOLDER/job.sh {} ::: 1 3 4
 *   sbatch --parsable --wait --requeue --job-name=NAME --output=FOLDER/%a.log --array=1,3,4 FOLDER/job.sh
 *
 * The script takes its part from its argument, or from SLURM_ARRAY_TASK_ID.
 */
#ifndef QN_EXP_FARM_H
#define QN_EXP_FARM_H

#include <stdbool.h>
#include <stdio.h>

#include "exp/memory.h"

#define QN_EXP_FARM_PARTS_MAX 1000 /* as many as an array of Slurm has by default */
#define QN_EXP_FARM_ROUNDS 3       /* times that a part is started, if each time its job is lost */

enum qn_exp_on { QN_EXP_HERE, QN_EXP_PARALLEL, QN_EXP_SLURM };
extern const char *const qn_exp_on_names[]; /* NULL at the end */

struct qn_exp_farm {
    enum qn_exp_on on;
    const char *const *options;     /* of parallel or sbatch, as they were given */
    int n_options;
    const char *name;               /* of the job */
    const char *folder, *script;    /* where logs go; both absolute */
    int jobs;                       /* at a time; 0: as the engine likes */
    int parts;
    const bool *wanted;             /* by part, from 1 */
};

/* The words, NULL at the end. */
char **qn_exp_farm_command(struct qn_exp_memory *m, const struct qn_exp_farm *f);

/* For the time in which qn_exp_run_farm waits. */
struct qn_exp_farm_watch {
    const char *who, *what;         /* "sweep", "rows": for lines on stderr */
    bool cancel;                    /* an interrupted one takes Slurm's jobs along */
    void (*tick)(void *data);       /* about once a second; NULL: nothing */
    void *data;
};

/* Starts the wanted parts and waits until parallel or sbatch ends.  Returns 0, the number of the signal that interrupted it, or -1 after a
 * message: the command cannot be started. */
int qn_exp_run_farm(struct qn_exp_memory *m, const struct qn_exp_farm *f, const struct qn_exp_farm_watch *watch);

/* A word as the shell reads it back, in quotes, with a blank before it. */
void qn_exp_put_word(FILE *f, const char *word);

#endif
