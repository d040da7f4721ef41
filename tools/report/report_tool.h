/* tools/report/report_tool.h - what the files of `quern report` share: its options, and the runs that the page needs. */
#ifndef QN_TOOLS_REPORT_H
#define QN_TOOLS_REPORT_H

#include "collect/collect.h"
#include "cost/arena.h"
#include "exp/memory.h"
#include "engines/engines.h"
#include "text/error.h"

struct qn_report_facts;

#define QN_REPORT_ENVIRONMENT_MAX 64

struct qn_report_options {
    struct qn_exp_memory memory;
    const char *output;                 /* the folder */
    const char *geometry[3];            /* I1, D1, LL; NULL: this machine's */
    const char *input;                  /* of the program; NULL: nothing */
    const char *environment[QN_REPORT_ENVIRONMENT_MAX]; /* NAME or NAME=VALUE, besides PATH and LC_ALL=C */
    int environment_count;
    char **program;                     /* and its arguments, NULL at the end */
    const char *analysis;               /* of the run: "3c,sets"; NULL: the usual ones */
    int data;                           /* of the run, objects in memory: 0 no, 1 yes, 2 with the bytes used */
    bool calls, instructions;           /* of the run: calls, counts by instruction */
    bool quiet;
    const char *self;                   /* the quern command */
    struct qn_engines_guard guard;          /* a signal ends the runs; the folders are removed before */
    const char *folder, *work;          /* being filled; for what will be thrown away */
    bool diff;                          /* two profiles are compared, `before` and `profile` */
    const char *before;
    const char *profile;                /* NULL: the program is run; else this is shown */
    const char *intervals, *sizes, *sets; /* files that belong to it; NULL: none */
    const char *ended, *log;            /* as in struct qn_report; filled by the run */
};

/* A quern command that is being made and run. */
#define QN_REPORT_WORDS_MAX 64
struct qn_report_runner {
    struct qn_report_options *o;
    struct qn_geometry geometry[QN_COLLECT_LEVELS]; /* of the program's caches */
    bool told;                                  /* the run says what D1s of other sizes miss */
    pid_t sizes;                                /* the second command; -1: there is none */
    int steps;                                  /* so many were begun */
    const char *step;                           /* what is being done, "1 of 3: ..." */
    bool announced;                             /* the user was told so, or need not be */
    double started;                             /* seconds */
    const char *words[QN_REPORT_WORDS_MAX];
    int count;
};

/* Shows which step begins, with its number: on a terminal in one line, with the seconds that have passed, else in a line of its own, which
 * comes when a second has passed or the step has ended well, so that a run that is refused has its message alone. */
void qn_report_begin_step(struct qn_report_runner *r, const char *what);
void qn_report_announce(struct qn_report_runner *r);
/* Clears the terminal's line, for messages. */
void qn_report_end_steps(const struct qn_report_options *o);

void qn_report_begin_command(struct qn_report_runner *r, const char *command);
void qn_report_add_word(struct qn_report_runner *r, const char *word);
/* A path in the work folder, which is removed when the report is made. */
const char *qn_report_in_work(struct qn_report_runner *r, const char *name);
/* `errors`: a file for what it complains of.  -1: it could not be started, or a signal came. */
pid_t qn_report_start(struct qn_report_runner *r, bool with_program, const char *errors);
/* The status as waitpid has it. */
int qn_report_await(struct qn_report_runner *r, pid_t child);
const char *qn_report_read_error(struct qn_report_runner *r, const char *path, const char *otherwise);

/* Makes all files that the page needs.  0, or the exit status after a message. */
int qn_report_run(struct qn_report_options *o);

/* Makes runs.csv of what the analysis sizes has left in a log.  false: it has left nothing, or the file cannot be written. */
bool qn_report_take_sizes(struct qn_report_options *o, const char *log, const char *counting);

/* The same out of a profile and files that belong to it. */
int qn_report_take_files(struct qn_report_options *o);

/* The page that one explores, in the same folder.  facts: those of the report; NULL: of two profiles. */
enum qn_text_status qn_report_explore(struct qn_report_options *o, struct qn_report_facts *facts, struct qn_text_error *err);

#endif
