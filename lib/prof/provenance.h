/*
 * Tells whether two profiles were made in ways that make their numbers comparable.
 *
 * In:  the descriptions of two profiles, one per line
 * Out: "D1 cache: `32768 B, 64 B, 8-way associative' and `4096 B, ...'", or nothing
 *
 * Compared are descriptions about caches, simulators, modules, predictors and the counting mode: keys
 * that hold one of those words. Others (versions, build-ids, dates) may differ.
 */
#ifndef QN_PROF_PROVENANCE_H
#define QN_PROF_PROVENANCE_H

#include <stddef.h>

#include "prof/read.h"

/* Puts the first difference that matters into `to`; 1 where there is one, else 0. */
int qn_prof_differ(const char *descs, const char *other_descs, char *to, size_t room);

/* All descriptions of a header, each followed by a newline; free() it. */
char *qn_prof_join_descs(const struct qn_prof_header *h);

#endif
