/* lib/lab/models/model_distance.h - stack distances, by counting: how many different lines were referenced since the last
 * use of this one. */
#ifndef QN_LAB_MODEL_DISTANCE_H
#define QN_LAB_MODEL_DISTANCE_H

#include "lab/trace.h"
#include "lab/variant.h"

#define QN_LAB_FIRST_USE UINT32_MAX

/* The misses of a fully associative LRU cache of `lines` lines on the trace's line numbers (addr >> bits), by the rules of a
 * variant or of the handout.  Simulates the cache, so for short traces. */
unsigned long qn_lab_brute_misses(const struct qn_lab_trace *t, unsigned bits, unsigned lines, const struct qn_lab_variant *rules);

/* The same for all sizes: misses[n] for n = 1 to max (misses has max + 1 elements).  For long traces; a Fenwick tree
 * over the times of last uses. */
void qn_lab_curve(const struct qn_lab_trace *t, unsigned bits, unsigned long *misses, unsigned max, const struct qn_lab_variant *rules);

#endif
