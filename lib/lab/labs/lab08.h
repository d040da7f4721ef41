/* lib/lab/labs/lab08.h - for the files of lab 8: streams, and the output that `profile` should have on them. */
#ifndef QN_LAB_LAB08_H
#define QN_LAB_LAB08_H

#include <stdio.h>

#include "lab/check.h"

struct qn_lab08_text {
    char *bytes;
    size_t size;
    FILE *file;
};

static inline void qn_lab08_begin(struct qn_lab08_text *t) { t->file = open_memstream(&t->bytes, &t->size); }
static inline void qn_lab08_end(struct qn_lab08_text *t) { fclose(t->file); }

/* Runs "profile WHAT OPTION NUMBER -s SEED -t stream", and frees the stream. */
bool qn_lab08_run(struct qn_lab_check *c, struct qn_lab_job *job, const char *what, const char *option, unsigned number,
                  struct qn_lab08_text *stream);
/* The same, and compares its output with `wanted`, which it also frees. */
bool qn_lab08_prints(struct qn_lab_check *c, const char *what, const char *option, unsigned number, struct qn_lab08_text *stream,
                     struct qn_lab08_text *wanted);

bool qn_lab08_mix(struct qn_lab_check *c);
bool qn_lab08_only_hits(struct qn_lab_check *c);
bool qn_lab08_same_bytes(struct qn_lab_check *c);
bool qn_lab08_window_counts(struct qn_lab_check *c);
bool qn_lab08_aliases(struct qn_lab_check *c);

#endif
