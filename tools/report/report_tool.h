/* tools/report/report_tool.h - what report.c and report_run.c share: the options of `quern report`. */
#ifndef QN_TOOLS_REPORT_H
#define QN_TOOLS_REPORT_H

#include "collect/collect.h"
#include "cost/arena.h"
#include "text/memory.h"
#include "engines/engines.h"
#include "text/error.h"

#define QN_REPORT_ENVIRONMENT_MAX 64

struct qn_report_options {
    struct qn_text_memory memory;
    const char *output;                 /* the folder */
    const char *geometry[4];            /* I1, D1, LL, L2; NULL: this machine's, no L2 */
    const char *machine;                /* NULL: none */
    const char *cores;                  /* NULL: one for all threads */
    struct qn_collect_machine from_machine;
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
    const char *intervals, *sizes, *sets, *mattson; /* files that belong to it; NULL: none */
    const char *ended;                  /* as in struct qn_report; filled by the run */
};

/* Makes all files that the page needs.  0, or the exit status after a message. */
int qn_report_run(struct qn_report_options *o);

/* Clears the terminal's line, which shows the step of the run, for messages. */
void qn_report_end_steps(const struct qn_report_options *o);

#endif
