/*
 * Opens a profile whatever wrote it, and names what is none.
 *
 * In:  callgrind.out.7          Out: the lines of the profile that `quern convert` makes of it
 *      massif.out.7                  "massif.out.7:1: got a heap profile of Massif, wanted a profile of quern, Cachegrind or Callgrind: ms_print shows it"
 *
 * A file of Callgrind's is converted when it is opened first, to a copy in memory (text/input.h), so each reader of profiles takes it.
 */
#ifndef QN_PROF_KIND_H
#define QN_PROF_KIND_H

#include <stdbool.h>

#include "text/input.h"

/* As qn_text_open_lines. */
enum qn_text_status qn_prof_open_lines(struct qn_text_lines *l, const char *path, struct qn_text_error *err);

/* Does the file begin as a profile of quern, Cachegrind or Callgrind? Of Callgrind, it is converted then. */
bool qn_prof_is_profile(const char *path);

/* Is it a profile that need not be converted? */
bool qn_prof_is_converted(const char *path);

#endif
