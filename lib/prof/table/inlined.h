/*
 * Names of inlined functions, as `quern run --inline=yes` and `--inline=chains` write them.
 *
 * In:  "leaf (inlined in middle at /src/a.c:9, in main at /src/a.c:20)"
 * Out: "leaf (inlined in main)"
 */
#ifndef QN_PROF_INLINED_H
#define QN_PROF_INLINED_H

#include "text/subst.h"

/* Puts the short form of a name (n bytes) into *out: the function, and the one that it is inlined in.  A name without a chain stays as it is. */
void qn_prof_shorten_inlined(const char *name, size_t n, struct qn_text_buffer *out);

/* Puts the name of the function that it is inlined in into *out: "main" for "leaf (inlined in main)"; other names as they are. */
void qn_prof_inlined_into(const char *name, size_t n, struct qn_text_buffer *out);

#endif
