/* tools/lab/lab_tool.h - the parts of `quern lab`. */
#ifndef QN_LAB_TOOL_H
#define QN_LAB_TOOL_H

#include <stdio.h>

#include "text/options.h"
#include "lab/lab.h"
#include "lab/similar.h"

#define QN_LAB_STUDENT_FILE ".quern-lab" /* in a folder that `start` made: lab and seed of the student */

/* Where things are, from the build tree or installed.  false: a line was printed. */
bool qn_lab_find_place(struct qn_lab_place *place);

/* argv[0] is the command's own name, the rest behind it. */
int qn_lab_tool_start(char **argv);
int qn_lab_tool_check(char **argv);
int qn_lab_tool_box(char **argv);
int qn_lab_tool_marks(char **argv);
int qn_lab_tool_gradescope(char **argv);
int qn_lab_tool_export(char **argv);

/* Their options, for struct qn_lab_request. */
extern const struct qn_options qn_lab_start_options, qn_lab_check_options, qn_lab_box_options, qn_lab_marks_options;

/* "1" or "01" -> the lab; NULL: a line was printed. */
const struct qn_lab *qn_lab_named(const char *number);

/* The students' folders in a folder, by name.  left_out: some could not be read, which lines say. */
struct qn_lab_students {
    char **name;
    unsigned n;
    bool left_out;
};
int qn_lab_list_students(struct qn_lab_students *s, const char *directory); /* -1: a line was printed */
void qn_lab_free_students(struct qn_lab_students *s);

/* A cell of a CSV file; harmless: no formula. */
void qn_lab_put_student(FILE *f, const char *name, bool harmless);

/* Who has how much in common with whom (lab_similar.c).  false: a line was printed. */
struct qn_lab_works {
    const struct qn_lab *lab;
    const struct qn_lab_place *place;
    struct qn_lab_work {
        char *name, *text;
        size_t size;
        struct qn_lab_prints prints;
    } *at;
    unsigned n, room, own;          /* the first `own` are of the class */
    bool has_base;
    struct qn_lab_prints base;      /* what was given to all */
};
bool qn_lab_add_class(struct qn_lab_works *w, const char *folder, const struct qn_lab_students *list); /* first */
bool qn_lab_add_earlier(struct qn_lab_works *w, const char *folder);                                   /* a class of another year */
bool qn_lab_add_public(struct qn_lab_works *w);                                                        /* modules that ship, solutions */
/* Per cent that a student of the class has in common with the most alike of the others, *other; 0: nothing. */
unsigned qn_lab_most_alike(const struct qn_lab_works *w, unsigned student, unsigned *other);
bool qn_lab_write_similar(const struct qn_lab_works *w, const char *folder);                           /* similar.csv, similar.html */
void qn_lab_free_works(struct qn_lab_works *w);

/* From the TAP of a check: points of each test, in order; the result of a contest, or "".  false: it could not be made. */
#define QN_LAB_TESTS_MAX 64
#define QN_LAB_RESULT_BYTES 64
bool qn_lab_read_points(FILE *tap, unsigned *points, unsigned n_tests, char *result);

/* marks --on=parallel|slurm: each student's check is a job; its TAP lies in OUTPUT.parts.  false: a line was printed. */
bool qn_lab_farm_out(const struct qn_lab_request *r, char *const *students, int n);
bool qn_lab_take_farmed(const struct qn_lab_request *r, int student, unsigned *points, char *result);
void qn_lab_end_farm(const struct qn_lab_request *r, int n);

/* What `start` left in a folder; false: nothing. */
struct qn_lab_folder {
    bool there, whole;              /* the file is there; it has lines as `start` writes them and no others */
    unsigned lab;
    uint64_t seed;                  /* of the black box */
    bool has_variant;
    uint64_t variant;
};
bool qn_lab_read_folder(const char *directory, struct qn_lab_folder *folder);
/* The rules into HANDOUT.md, the seed beside that of the student; false: a line was printed. */
bool qn_lab_write_variant(const struct qn_lab_request *r, const char *directory);
/* From --student and --key-file, for request->lab; false: a line was printed. */
bool qn_lab_take_variant(struct qn_lab_request *r);
#endif
