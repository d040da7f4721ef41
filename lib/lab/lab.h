/* lib/lab/lab.h - the labs, and the check of the files that a student hands in.
 *
 * A lab is a folder labs/NN-name with what a student is given, and a file labNN.c here with its tests.  A test has a
 * name, points, and a function that returns whether it passes; the list of tests does not depend on what was handed in, so the
 * sum of points is always the same (100).  No expected result is stored: inputs are drawn when a test runs, and a model in this
 * process computes the result.
 */
#ifndef QN_LAB_LAB_H
#define QN_LAB_LAB_H

#include "base/base.h"

struct qn_lab_check;

struct qn_lab_test {
    const char *name;
    unsigned points;
    bool (*passes)(struct qn_lab_check *c);
};

struct qn_lab {
    unsigned number;
    const char *folder;                 /* below labs/ */
    const char *title;
    const char *const *files;           /* what is handed in, NULL at the end */
    const struct qn_lab_test *tests;
    unsigned n_tests;
    const char *const *given;           /* run under quern: files below host/ that a student gets besides the starter, NULL at the end; with
                                           quern.h, and rules.h of a variant.  NULL: none */
};

extern const struct qn_lab *const qn_labs[];
extern const unsigned qn_labs_count;

/* A line with the system's message of errno; always false. */
bool qn_lab_complain(const char *path);

/* NULL: there is none of this number. */
const struct qn_lab *qn_lab_find(unsigned number);
unsigned qn_lab_points(const struct qn_lab *lab);

/* Where a check finds quern and the labs. */
struct qn_lab_place {
    const char *quern;                  /* the quern command */
    const char *labs;                   /* the folder of labs */
    const char *library;                /* the folder with sim/ and base/, for simulators */
    const char *header;                 /* the folder of quern.h */
};

#define QN_LAB_ON_OPTIONS 32
#define QN_LAB_MARKS "QUERN_LAB_MARKS"     /* in the environment: the check is for marks */
#define QN_LAB_CONTEST "contest: "         /* begins a remark that `marks` puts into a row's note */
#define QN_LAB_REPORTS ".quern-reports"    /* in the folder: when reports of lab 6 were judged */

struct qn_lab_request {
    const struct qn_lab *lab;
    const char *directory;              /* what was handed in */
    const char *gradescope;             /* results.json to be written, NULL: none */
    bool json;                          /* of check: a document in place of TAP; of marks: in place of CSV */
    const char *output;                 /* of marks and gradescope; NULL: not given */
    int on;                             /* of marks: enum qn_exp_on, exp/farm.h ... */
    const char *on_option[QN_LAB_ON_OPTIONS];
    int on_options;                     /* ... so many for the engine */
    const char *earlier;                /* of export and marks: a class of another year; NULL: none */
    bool cancel;                       /* marks: an interrupted one cancels Slurm's jobs */
    const char *only;                   /* only tests whose name has this text; NULL: all */
    const char *keep;                   /* folder for files about failing tests; NULL: none */
    uint64_t seed;                      /* of the inputs drawn */
    bool has_variant;
    uint64_t variant;                   /* then: the seed of this student's rules */
    bool practises;                     /* the variant comes from the folder, not from a key */
    const char *name, *key_file;        /* --student, --key-file; NULL: not given */
    bool knows_student;
    uint64_t student;                   /* then: which hidden machine is this student's (lab 6) */
};

enum { QN_LAB_FULL = 0, QN_LAB_NOT_FULL = 1, QN_LAB_BROKEN = 3 /* of the grader, not of the student */ };

/* Prints TAP, or with request->json a document.  One of the above. */
int qn_lab_check(const struct qn_lab_request *request, const struct qn_lab_place *place);

/* Calls `take` with each C file of request->directory that its lab names, as it is behind the preprocessor, without what it includes; one that
 * cannot be compiled as it is.  false: a line was printed. */
bool qn_lab_read_sources(const struct qn_lab_request *request, const struct qn_lab_place *place, void (*take)(void *data, const char *text), void *data);

#endif
