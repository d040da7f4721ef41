/* lib/lab/model_levels.h - what lab 7 is compared with: a first level that prefetches, and an exclusive pair of levels.
 *
 * Lines are numbers (address / bytes of a line).  Least recently used throughout; a prefetched line comes in as the
 * newest.
 */
#ifndef QN_LAB_MODEL_LEVELS_H
#define QN_LAB_MODEL_LEVELS_H

#include "base/base.h"
#include "lab/variant.h"

#define QN_LAB_DEGREE_MAX 64

enum qn_lab_prefetch { QN_LAB_ON_MISS, QN_LAB_TAGGED };

struct qn_lab_level; /* sets of lines in order of use, each with the mark "prefetched and not used yet" */

struct qn_lab_level *qn_lab_new_level(unsigned sets, unsigned ways);
void qn_lab_free_level(struct qn_lab_level *level);

/* A use of a line, which comes in if it is not there: true: it was.  *out: the line that left for it, or QN_LAB_NO_LINE. */
#define QN_LAB_NO_LINE UINT64_MAX
bool qn_lab_use_line(struct qn_lab_level *level, uint64_t line, uint64_t *out);

/* What a set has, the line used last first: `place` from 0; false: nothing more. */
bool qn_lab_line_at(const struct qn_lab_level *level, uint64_t line, unsigned place, uint64_t *there, bool *prefetched);

struct qn_lab_prefetcher {
    struct qn_lab_level *level;
    enum qn_lab_prefetch kind;
    unsigned degree;
    const struct qn_lab_variant *rules;
    unsigned long issued, useful;
    uint64_t guessed[QN_LAB_DEGREE_MAX]; /* of the last reference: lines that were brought in ... */
    unsigned guesses;                    /* ... so many */
};

/* true: a miss. */
bool qn_lab_prefetching_miss(struct qn_lab_prefetcher *p, uint64_t line);

/* Two levels, the second exclusive. */
struct qn_lab_exclusive {
    struct qn_lab_level *first, *second;
    const struct qn_lab_variant *rules;
    unsigned given_up; /* lines, by the first */
};

/* true: a miss of the first level; *far: of the second, too. */
bool qn_lab_exclusive_miss(struct qn_lab_exclusive *e, uint64_t line, bool *far);

#endif
