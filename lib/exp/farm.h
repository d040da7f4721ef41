/* lib/exp/farm.h - runs work in parts, numbered from 1, each as a job of GNU parallel or Slurm.
 *
 *   parallel --will-cite --jobs=4 --retries=3 --joblog=FOLDER/joblog sh {1} {2} ::: FOLDER/job.sh ::: 1 3 4
 *   sbatch --parsable --wait --requeue --job-name=NAME --output=FOLDER/%a.log --array=1,3,4 FOLDER/job.sh
 *
 * The script takes its part from its argument, or from SLURM_ARRAY_TASK_ID.
 */
#ifndef QN_EXP_FARM_H
#define QN_EXP_FARM_H

#include <stdbool.h>
#include <stdio.h>

#include "text/memory.h"

#define QN_EXP_FARM_PARTS_MAX 1000 /* Slurm's default limit of an array */
#define QN_EXP_FARM_ROUNDS 3       /* times that a part is started, if its job is lost each time */

enum qn_exp_on { QN_EXP_HERE, QN_EXP_PARALLEL, QN_EXP_SLURM };
extern const char *const qn_exp_on_names[]; /* NULL at the end */

struct qn_exp_farm {
    enum qn_exp_on on;
    const char *const *options;     /* the user's options for parallel or sbatch */
    int n_options;
    const char *name;               /* of the job */
    const char *folder, *script;    /* folder: of the logs; both absolute */
    int jobs;                       /* at a time; 0: parallel's or Slurm's own choice */
    int parts;
    const bool *wanted;             /* by part, from 1 */
};

/* The words of the command, NULL at the end. */
char **qn_exp_farm_command(struct qn_text_memory *m, const struct qn_exp_farm *f);

/* What qn_exp_run_farm does while it waits. */
struct qn_exp_farm_watch {
    const char *who, *what;         /* "sweep", "rows": for lines on stderr */
    bool cancel;                    /* after an interrupt, cancel Slurm's jobs */
    void (*tick)(void *data);       /* about once a second; NULL: nothing */
    void *data;
};

/* Starts the wanted parts and waits until parallel or sbatch ends.  Returns 0, the number of the signal that interrupted it, or -1 after a
 * message: the command cannot be started. */
int qn_exp_run_farm(struct qn_text_memory *m, const struct qn_exp_farm *f, const struct qn_exp_farm_watch *watch);

/* Writes a blank and a word, quoted for the shell. */
void qn_exp_put_word(FILE *f, const char *word);

#endif
