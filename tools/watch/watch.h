/* tools/watch/watch.h - what watch.c and watch_branches.c share. */
#ifndef QN_TOOLS_WATCH_H
#define QN_TOOLS_WATCH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "engines/engines.h"
#include "exp/memory.h"
#include "page/watch/watch.h"

#define WATCH_WORDS_MAX 32 /* of `quern run`, `trace` or `replay`, before the program */

struct watch_settings {
    const char *output, *line, *region, *trace;
    uint64_t from, references;
    char *caches[QN_PAGE_CACHES_MAX]; /* as given; or predictors */
    int count, predictors;
    bool quiet;
};

struct watch_runner {
    bool from_main;         /* the stretch begins where main does */
    struct watch_settings *s;
    struct qn_exp_memory memory;
    struct qn_engines_guard guard;
    char *scratch;
    char *self;
    char **program;
    const char *places, *at; /* of predictors: where branches lie, a file; the addresses of those of --line.  NULL: not known, all */
};

/* watch.c.  Executes argv, which is to write `file`.  0, or the exit status, and what was said has been passed on. */
int watch_execute(struct watch_runner *r, char **argv, const char *file, bool replay);

/* watch_branches.c: records the program, unless a trace is given, and finds the branches of --line.  0, or the exit status. */
int watch_prepare(struct watch_runner *r);
/* Words for `quern replay`. */
void watch_add_predictor(struct watch_runner *r, char **words, int *n, const char *predictor);

#endif
