/* lib/lab/paths.h - what may be read: by a student's program, by compilers, by quern.
 *
 * Never among it: the modules that ship with quern, of which some are solutions, and the folders of solutions.
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

/* The path is not copied. */
void qn_lab_add_path(struct qn_lab_path_list *p, const char *path);
/* What programs need to run, and with `compile` what compilers need besides. */
void qn_lab_add_system(struct qn_lab_path_list *p, bool compile);
/* What a simulator is made of, without the modules: files of lib/sim, folders hosted, base, cost. */
void qn_lab_add_library(struct qn_lab_path_list *p, const char *library);
/* quern, its engine, and what new engines are made of: beside it in a build tree, else in libexec. */
void qn_lab_add_quern(struct qn_lab_path_list *p, const char *quern);
/* The file that a command is, by PATH; free() it.  NULL: there is none. */
char *qn_lab_find_command(const char *name);
void qn_lab_free_paths(struct qn_lab_path_list *p);

#endif
