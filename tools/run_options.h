/* tools/run_options.h - the command line of `quern run`. */
#ifndef QN_RUN_OPTIONS_H
#define QN_RUN_OPTIONS_H

struct qn_collect_options;

/* Parses.  -1: go on; otherwise the exit status (help and version were printed, or a usage error). */
int qn_run_parse(struct qn_collect_options *o, int argc, char **argv);

#endif
