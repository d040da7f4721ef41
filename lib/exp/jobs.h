/* lib/exp/jobs.h - runs commands side by side.
 *
 *   qn_exp_init_jobs(&jobs, 2, 600, ended, data);  two at a time, 600 seconds each
 *   qn_exp_add_job(&jobs, job);                    also from within `ended`
 *   qn_exp_run_jobs(&jobs);                        returns when all have ended, or after SIGINT or SIGTERM
 *
 * Each command leads a session of its own, and sees the same whoever started us: default signals, three descriptors, umask 022, soft limits
 * of 8 MB of stack, 1,024 descriptors and no core file, as far as the hard ones allow.  It reads `input` or /dev/null, and writes stderr to the file `errors`; stdout goes to /dev/null.
 * Invariants: when qn_exp_run_jobs returns, no command of ours runs; if we are killed, the kernel sends each command SIGTERM.
 */
#ifndef QN_EXP_JOBS_H
#define QN_EXP_JOBS_H

#include <stdbool.h>
#include <sys/types.h>

#include "text/memory.h"

struct qn_exp_job {
    char **argv;              /* argv[0] is a path */
    char **environment;
    const char *input;        /* NULL: /dev/null */
    const char *errors;       /* a file, for stderr; stdout goes to /dev/null */
    void *data;
    /* Filled in: */
    int status;               /* as waitpid says */
    int start_errno;          /* why it could not be started; 0: it was */
    bool timed_out;
    pid_t pid;
    double started;           /* seconds */
};

struct qn_exp_jobs {
    struct qn_text_memory memory;
    struct qn_exp_job *at;
    int count, next, parallel; /* next: the first that has not been started */
    double limit;              /* seconds, 0 = none */
    bool (*prepare)(void *data, struct qn_exp_job *job); /* just before it is started; false: leave it out */
    void (*ended)(void *data, struct qn_exp_job *job);
    void (*tick)(void *data, int running); /* each second and after each end */
    void *data;
    int signal;                /* the signal that stopped us, 0 = none */
};

void qn_exp_init_jobs(struct qn_exp_jobs *j, int parallel, double limit, void *data);
void qn_exp_add_job(struct qn_exp_jobs *j, const struct qn_exp_job *job);
void qn_exp_run_jobs(struct qn_exp_jobs *j);
void qn_exp_free_jobs(struct qn_exp_jobs *j);

double qn_exp_now(void); /* seconds of a clock that never goes back */

#endif
