/* lib/lab/models/model_levels.h - the reference models of lab 7: a first level that prefetches, and an exclusive pair of levels.
 *
 * Lines are numbers (address / bytes of a line).  The policy is LRU; a prefetched line is filled as the most recently
 * used one.
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

/* A reference to a line, which is filled on a miss.  true: a hit.  *out: the victim, or QN_LAB_NO_LINE. */
#define QN_LAB_NO_LINE UINT64_MAX
bool qn_lab_use_line(struct qn_lab_level *level, uint64_t line, uint64_t *out);

/* The line at `place` of its set, from 0, the most recently used one first; false: there is none. */
bool qn_lab_line_at(const struct qn_lab_level *level, uint64_t line, unsigned place, uint64_t *there, bool *prefetched);

struct qn_lab_prefetcher {
    struct qn_lab_level *level;
    enum qn_lab_prefetch kind;
    unsigned degree;
    const struct qn_lab_variant *rules;
    unsigned long issued, useful;
    uint64_t guessed[QN_LAB_DEGREE_MAX]; /* of the last reference: lines that were prefetched ... */
    unsigned guesses;                    /* ... so many */
};

/* true: a miss. */
bool qn_lab_prefetching_miss(struct qn_lab_prefetcher *p, uint64_t line);

/* Two levels, the second exclusive. */
struct qn_lab_exclusive {
    struct qn_lab_level *first, *second;
    const struct qn_lab_variant *rules;
    unsigned given_up; /* lines that the first level has evicted */
};

/* true: a miss of the first level; *far: of the second, too. */
bool qn_lab_exclusive_miss(struct qn_lab_exclusive *e, uint64_t line, bool *far);

#endif
