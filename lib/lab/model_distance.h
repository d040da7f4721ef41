/* lib/lab/model_distance.h - stack distances, by counting: how many different lines were referenced since the last
 * use of this one. */
#ifndef QN_LAB_MODEL_DISTANCE_H
#define QN_LAB_MODEL_DISTANCE_H

#include "lab/trace.h"

#define QN_LAB_FIRST_USE UINT32_MAX

/* By brute force: a fully associative LRU cache of `lines` lines misses so often on references to trace line
 * numbers (addr >> bits). */
unsigned long qn_lab_brute_misses(const struct qn_lab_trace *t, unsigned bits, unsigned lines);

/* The same for all sizes: misses[n] for n = 1 to max (misses has max + 1 elements).  For long traces; a Fenwick tree
 * over the times of last uses. */
void qn_lab_curve(const struct qn_lab_trace *t, unsigned bits, unsigned long *misses, unsigned max);

#endif
