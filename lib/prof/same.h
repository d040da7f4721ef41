/*
 * Whether two files hold the same bytes.
 *
 * In:  two paths
 * Out: 1 where both can be read and are equal, else 0
 *
 * Invariant: nothing is held whole; reading stops at the first difference.
 */
#ifndef QN_PROF_SAME_H
#define QN_PROF_SAME_H

int qn_prof_same_content(const char *a, const char *b);

#endif
