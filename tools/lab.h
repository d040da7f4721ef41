/* tools/lab.h - the parts of `quern lab`. */
#ifndef QN_LAB_TOOL_H
#define QN_LAB_TOOL_H

#include "lab/lab.h"

#define QN_LAB_STUDENT_FILE ".quern-lab" /* in a folder that `start` made: lab and seed of the student */

/* Where things are, from the build tree or installed.  false: a line was printed. */
bool qn_lab_find_place(struct qn_lab_place *place);

/* argv: the words behind `start`, `check`, `box`. */
int qn_lab_tool_start(int argc, char **argv);
int qn_lab_tool_check(int argc, char **argv);
int qn_lab_tool_box(int argc, char **argv);

/* "1" or "01" -> the lab; NULL: a line was printed. */
const struct qn_lab *qn_lab_named(const char *number);
int qn_lab_usage_error(const char *what, const char *argument);
/* A whole number; false: a line was printed. */
bool qn_lab_number(const char *option, const char *text, uint64_t *value);
/* The value of "NAME=VALUE" or "NAME VALUE"; NULL: argv[*at] is not that option. */
const char *qn_lab_option(char **argv, int *at, const char *name);

/* The seed that `start` left in a folder; false: none. */
bool qn_lab_read_student(const char *directory, uint64_t *seed);

#endif
