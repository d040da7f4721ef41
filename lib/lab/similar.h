/* lib/lab/similar.h - measures how much of one submission is in another; names, comments and layout do not count.
 *
 *   struct qn_lab_prints a = { 0 }, b = { 0 };
 *   qn_lab_add_prints(&a, text, size);  ...
 *   qn_lab_finish_prints(&a, &base);  ...           base: what was given to all, which does not count
 *   qn_lab_count_shared(&a, &b)
 *
 * Fingerprints are hashes of QN_LAB_PRINT_TOKENS tokens of C in a row, in which all names are the same token, and so are all numbers, and all
 * strings; each counts once.  Source: S. Schleimer, D. S. Wilkerson, A. Aiken, Winnowing: local algorithms for document fingerprinting, SIGMOD 2003
 * (without the winnowing: submissions are small).
 */
#ifndef QN_LAB_SIMILAR_H
#define QN_LAB_SIMILAR_H

#include "base/base.h"

#define QN_LAB_PRINT_TOKENS 12

struct qn_lab_prints {
    uint64_t *at; /* ascending when finished */
    size_t n, room;
};

void qn_lab_add_prints(struct qn_lab_prints *p, const char *text, size_t size);
void qn_lab_finish_prints(struct qn_lab_prints *p, const struct qn_lab_prints *base); /* base: finished, or NULL */
size_t qn_lab_count_shared(const struct qn_lab_prints *a, const struct qn_lab_prints *b);
/* shared[i] = 1 for each byte of a text that belongs to tokens in a row which the other one has, too; it is zero before. */
void qn_lab_mark_shared(const char *text, size_t size, const struct qn_lab_prints *other, unsigned char *shared);
void qn_lab_free_prints(struct qn_lab_prints *p);

#endif
