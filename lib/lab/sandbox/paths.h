/* lib/lab/sandbox/paths.h - lists of the paths that a student's program, a compiler, or quern may read.
 *
 * They never contain the modules that ship with quern, of which some are solutions, nor the folders of solutions.
 */
#ifndef QN_LAB_PATHS_H
#define QN_LAB_PATHS_H

#include <glob.h>

#include "base/base.h"

#define QN_LAB_PATHS_MAX 256

struct qn_lab_path_list {
    const char *at[QN_LAB_PATHS_MAX + 1]; /* NULL at the end: struct qn_lab_paths, read */
    unsigned n;
    glob_t library;
    char *own[4];
};

/* Adds a path, which is not copied. */
void qn_lab_add_path(struct qn_lab_path_list *p, const char *path);
/* Adds the paths that programs need, and with `compile` those that compilers need, too. */
void qn_lab_add_system(struct qn_lab_path_list *p, bool compile);
/* Adds the sources of a simulator without modules: files of lib/sim, its folders fast, hosted and (in part) adapt; base, cost. */
void qn_lab_add_library(struct qn_lab_path_list *p, const char *library);
/* Adds quern, its engine, and the libraries for new engines, which are beside it in a build tree, else in libexec. */
void qn_lab_add_quern(struct qn_lab_path_list *p, const char *quern);
/* The file of a command, found by PATH; free() it.  NULL: there is none. */
char *qn_lab_find_command(const char *name);
void qn_lab_free_paths(struct qn_lab_path_list *p);

#endif
