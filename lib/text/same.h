/*
 * Whether two files hold the same bytes.
 *
 * In:  two paths
 * Out: 1 where both can be read and are equal, else 0
 *
 * Invariant: memory does not depend on the files' sizes; reading stops at the first difference.
 */
#ifndef QN_TEXT_SAME_H
#define QN_TEXT_SAME_H

int qn_text_same_content(const char *a, const char *b);

#endif
