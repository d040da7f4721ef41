/*
 * Regions of a run: parts of a profile that the program has named, behind its summary.
 *
 *     summary: 9 4
 *     #regions: 2
 *     #region: setup              counts made while `setup` was open and nothing inside it
 *     #fl=/src/a.c
 *     #fn=main
 *     #12 3 1
 *     #summary: 3 1
 *     #region: solve/step         while `step` was open inside `solve`
 *     ...
 *
 * To readers of Cachegrind's format these lines are comments. The counts before them are those of the whole run, including
 * those outside all regions.
 *
 * `solve` chooses every path in which that name occurs, `solve/step` those in which the two names are next to each
 * other. Readers then give the sum of the chosen paths, as if nothing else had been counted.
 *
 * Invariant: a path that is chosen is read whole or not at all: a file with fewer regions than `#regions:` says is
 * refused.
 */
#ifndef QN_PROF_REGION_H
#define QN_PROF_REGION_H

#include <stdint.h>

#include "text/error.h"

/* For all readers opened from now on; NULL: the whole run. */
void qn_prof_choose_region(const char *name);
const char *qn_prof_chosen_region(void);

/* Whether this is the description that lists a profile's regions, "Regions:  setup, solve". */
int qn_prof_names_regions(const char *desc);

enum { QN_PROF_REGIONS_TEXT = 400 };

/* Where a reader is among the regions. */
struct qn_prof_regions {
    const char *chosen;    /* NULL: none, regions are skipped */
    int promised, seen, matched; /* promised: the number in `#regions:`, -1 before it */
    int reading;           /* in a region that was chosen */
    int64_t *sum;          /* of those that are complete */
    char names[QN_PROF_REGIONS_TEXT]; /* "setup, solve/step", for a message */
};

/* Takes a line behind the summary, or any line if a region was chosen. 1: read it, without its first byte; 0: skip it;
 * -1: it is an error here, and `what` says why. */
int qn_prof_region_line(struct qn_prof_regions *r, const char *text, const char **what);

#endif
