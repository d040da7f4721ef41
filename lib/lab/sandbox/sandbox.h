/* lib/lab/sandbox/sandbox.h - runs one program that is not trusted, feeds it, and collects its output.
 *
 *   struct qn_lab_job job = { .argv = argv, .directory = scratch, .limits = qn_lab_limits_program, .paths = paths };
 *   qn_lab_run(&job);                  job.status, job.trouble, job.output
 *   qn_lab_free_job(&job);
 *
 * The program has a session of its own.  When it has ended, or was ended, all processes that it left are killed: its group,
 * and all that became our children by the death of their parents.  So only one job runs at a time, and the caller must have no
 * other children.  The environment has PATH, LC_ALL=C, CC, and the job's directory as TMPDIR and HOME; nothing else.
 */
#ifndef QN_LAB_SANDBOX_H
#define QN_LAB_SANDBOX_H

#include "base/base.h"
#include "lab/sandbox/confine.h"

#define QN_LAB_OUTPUT_MAX (16u << 20) /* bytes that are kept of standard output; more ends the program */
#define QN_LAB_ERRORS_MAX 65536       /* of standard error; more is thrown away */

/* For a program that converses: called with the text that it has printed; puts the text that it shall read into *reply (malloc), and
 * its length into *reply_size.  false: the conversation is over, and the program's input is closed. */
typedef bool qn_lab_talk(void *data, const char *said, size_t size, char **reply, size_t *reply_size);

struct qn_lab_job {
    /* in */
    const char *const *argv;        /* argv[0] is a path */
    const char *directory;          /* where it runs */
    struct qn_lab_limits limits;
    struct qn_lab_paths paths;
    unsigned seconds;               /* by the clock; generous, for programs that sleep */
    const char *input;              /* its standard input; NULL: nothing */
    size_t input_size;
    qn_lab_talk *talk;              /* instead of input; NULL: none */
    void *talk_data;
    int ends_by;                    /* a signal by which it ends when all is well; 0: it exits with 0 */
    /* out */
    bool stuck;                     /* it was ended, or used up its processor time */
    int status;                     /* exit status; 128 + signal */
    char trouble[160];              /* "was killed by signal 11 (...)"; "" = it ended by itself */
    char *output, *errors;          /* with a zero byte behind them */
    size_t output_size, errors_size;
};

/* false: the sandbox could not be made; trouble says why, and nothing was run. */
bool qn_lab_run(struct qn_lab_job *job);
void qn_lab_free_job(struct qn_lab_job *job);

/* A student's program: one process, 5 s, 512 MiB; asleep for 2 s it is given up.  A compiler: 20 s, processes.  quern: the same, and the file
 * without a name in which it counts, which is large and mostly empty. */
extern const struct qn_lab_limits qn_lab_limits_program, qn_lab_limits_tool, qn_lab_limits_quern;

#endif
