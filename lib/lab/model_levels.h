/* lib/lab/model_levels.h - what lab 7 is compared with: a first level that prefetches, and an exclusive pair of levels.
 *
 * Lines are numbers (address / bytes of a line).  Least recently used throughout; a prefetched line comes in as the
 * newest.
 */
#ifndef QN_LAB_MODEL_LEVELS_H
#define QN_LAB_MODEL_LEVELS_H

#include "base/base.h"

enum qn_lab_prefetch { QN_LAB_ON_MISS, QN_LAB_TAGGED };

struct qn_lab_level; /* sets of lines in order of use, each with the mark "prefetched and not used yet" */

struct qn_lab_level *qn_lab_new_level(unsigned sets, unsigned ways);
void qn_lab_free_level(struct qn_lab_level *level);

struct qn_lab_prefetcher {
    struct qn_lab_level *level;
    enum qn_lab_prefetch kind;
    unsigned degree;
    unsigned long issued, useful;
};

/* true: a miss. */
bool qn_lab_prefetching_miss(struct qn_lab_prefetcher *p, uint64_t line);

/* true: a miss of the first level; *far: of the second, too. */
bool qn_lab_exclusive_miss(struct qn_lab_level *first, struct qn_lab_level *second, uint64_t line, bool *far);

#endif
