/* lib/lab/internal.h - the state of a check, for the files of this folder that run it. */
#ifndef QN_LAB_INTERNAL_H
#define QN_LAB_INTERNAL_H

#include <stdio.h>

#include "lab/check.h"

#define QN_LAB_BUILT_MAX 16
#define QN_LAB_STUCK_MAX 16
#define QN_LAB_KNOWN_MAX 4

struct qn_lab_built {
    char *key;               /* the files and slots that it was built from */
    char *path;              /* of the program; NULL: it could not be built */
    struct qn_lab_variant rules;
    char *why;               /* why it could not be built */
};

struct qn_lab_outcome {
    bool ran, passed;
    char *remarks;           /* lines, each ended by \n; may be NULL */
    size_t remarks_size;
};

struct qn_lab_check {
    const struct qn_lab_request *request;
    const struct qn_lab_place *place;
    unsigned test;           /* the current one */
    uint64_t random;
    char *scratch;           /* folder: in/ files handed in, build/ programs, cases/ inputs and outputs */
    char *compiler;          /* its path */
    struct qn_lab_built built[QN_LAB_BUILT_MAX];
    unsigned n_built;
    bool host_built[2];      /* labs/host/host.c, for modules with and without memory */
    struct qn_lab_outcome *outcomes; /* one per test */
    bool ran_well;           /* the last program ended with status 0 */
    bool timed;              /* this test is about speed */
    struct qn_lab_variant rules;
    char *why;               /* text of this test's why.txt so far */
    char *stuck[QN_LAB_STUCK_MAX]; /* programs that did not end, by name and first word */
    unsigned n_stuck;
    struct qn_lab_known {
        bool (*holds)(struct qn_lab_check *c);
        bool good;
    } known[QN_LAB_KNOWN_MAX]; /* what tests have in common */
    unsigned n_known;
    bool quiet;              /* standard output is not the check's */
    bool broken;             /* the sandbox could not be made */
};

/* check.c: the scratch directory, with copies of what was handed in.  false: a line was printed. */
bool qn_lab_open_work(struct qn_lab_check *c);
void qn_lab_close_work(struct qn_lab_check *c);
char *qn_lab_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* check.c: --keep */
bool qn_lab_begin_keeping(const struct qn_lab_check *c); /* false: a line was printed */
void qn_lab_forget_kept(const struct qn_lab_check *c);   /* removes what an earlier check has left of this test */
void qn_lab_keep_failed(struct qn_lab_check *c);

/* build.c */
void qn_lab_free_built(struct qn_lab_check *c);
void qn_lab_say_text(struct qn_lab_check *c, const char *text, unsigned lines);

/* results.c */
void qn_lab_print_broken(const struct qn_lab_check *c, const char *why); /* its first line */
unsigned qn_lab_points_of(const struct qn_lab_check *c, unsigned test);
unsigned qn_lab_score_possible(const struct qn_lab_check *c);
void qn_lab_print_head(const struct qn_lab_check *c);
void qn_lab_print_test(const struct qn_lab_check *c, unsigned number, unsigned test);
unsigned qn_lab_score(const struct qn_lab_check *c);
void qn_lab_print_score(const struct qn_lab_check *c);
bool qn_lab_write_gradescope(const struct qn_lab_check *c, const char *path);

void qn_lab_put_string(FILE *f, const char *s); /* as JSON; NULL: an empty one */
bool qn_lab_write_json(const struct qn_lab_check *c, FILE *f, const char *broken); /* broken: why there is no result; NULL: there is one */

#endif
