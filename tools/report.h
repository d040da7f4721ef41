/* tools/report.h - what the files of `quern report` share: its options, and the runs that the page needs. */
#ifndef QN_TOOLS_REPORT_H
#define QN_TOOLS_REPORT_H

#include "cost/arena.h"
#include "exp/memory.h"

#define QN_REPORT_ENVIRONMENT_MAX 64

struct qn_report_options {
    struct qn_exp_memory memory;
    const char *output;                 /* the folder */
    const char *geometry[3];            /* "--D1=..."; NULL: this machine's */
    const char *input;                  /* of the program; NULL: nothing */
    const char *environment[QN_REPORT_ENVIRONMENT_MAX]; /* NAME or NAME=VALUE, besides PATH and LC_ALL=C */
    int environment_count;
    char **program;                     /* and its arguments, NULL at the end */
    bool quiet;
    const char *self;                   /* the quern command */
    const char *folder, *work;          /* being filled; for what will be thrown away */
    const char *ended, *no_modules, *mattson_log; /* as in struct qn_report; filled by the runs */
};

/* Makes all files that the page needs.  0, or the exit status after a message. */
int qn_report_run(struct qn_report_options *o);

#endif
