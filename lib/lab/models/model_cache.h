/* lib/lab/models/model_cache.h - reference models of caches for the graders: simple, slow, and without code of lib/sim.
 *
 * Each line has the times of its fill, its last use and its next use, from which a policy chooses the victim.
 */
#ifndef QN_LAB_MODEL_CACHE_H
#define QN_LAB_MODEL_CACHE_H

#include "base/base.h"
#include "lab/variant.h"

enum qn_lab_policy { QN_LAB_LRU, QN_LAB_FIFO, QN_LAB_PLRU, QN_LAB_NRU, QN_LAB_SRRIP, QN_LAB_OPT };

struct qn_lab_cache;

/* sets: a power of two. */
struct qn_lab_cache *qn_lab_new_cache(enum qn_lab_policy policy, unsigned sets, unsigned ways);
/* With the rules of a variant (variant.h). */
struct qn_lab_cache *qn_lab_new_variant_cache(enum qn_lab_policy policy, unsigned sets, unsigned ways, const struct qn_lab_variant *v);
void qn_lab_free_cache(struct qn_lab_cache *cache);

/* A reference to a line (its number: address / bytes of a line). */
struct qn_lab_touch {
    bool hit, evicted;
    uint64_t victim;         /* number of the line that was evicted, if one was */
};

/* The line in a way of a set; false: the way is free. */
bool qn_lab_line_in(const struct qn_lab_cache *cache, unsigned set, unsigned way, uint64_t *line);

/* next: when this line will be referenced again (OPT; any number that grows with time, UINT64_MAX: never). */
struct qn_lab_touch qn_lab_touch_line(struct qn_lab_cache *cache, uint64_t line, uint64_t next);

#endif
