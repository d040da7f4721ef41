/* lib/collect/part.h - see part.c. */
#ifndef QN_COLLECT_PART_H
#define QN_COLLECT_PART_H

#include <stdbool.h>

struct qn_collect;

/* The option with which a run cannot be divided; NULL: it can. */
const char *qn_collect_never_divides(const struct qn_collect *r);
/* The program asks for enum qn_part, and waits.  text: the name of CALLGRIND_DUMP_STATS_AT, or what is in cost/wire.h. */
void qn_collect_serve_part(struct qn_collect *r, int what, const char *text);
/* Whoever folds r->store, which is a copy: what counts begins where the part does.  false: no memory. */
bool qn_collect_begin_part(struct qn_collect *r);
/* Only the profile, at once; of no use for anything else afterwards. */
bool qn_collect_write_now(struct qn_collect *r, const char *path);
/* The run has ended: its profile is the last part. */
void qn_collect_end_parts(struct qn_collect *r);
/* Another program has begun. */
void qn_collect_forget_parts(struct qn_collect *r);

#endif
