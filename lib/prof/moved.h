/* lib/prof/moved.h - a profile of the same program in another folder.
 *
 * In:  before.out with /home/ada/old/src/a.c, after.out with /home/ada/new/src/a.c
 * Out: from now on before.out is read as if it had /home/ada/new/src/a.c
 *
 * Files of the same name are the same file.  Of the others, a file of the earlier profile is the one of the later profile whose path ends in most of
 * the same folders; the folder before these that most files have in common is replaced, in names of files and of inlined functions.  This
 * repeats until no file has a partner, or QN_PROF_MOVES times.
 */
#ifndef QN_PROF_MOVED_H
#define QN_PROF_MOVED_H

#include "text/error.h"

#define QN_PROF_MOVES 8

/* Whoever opens `before` after this gets the copy with the other names, if there are any. */
enum qn_text_status qn_prof_align(const char *before, const char *after, struct qn_text_error *err);

#endif
