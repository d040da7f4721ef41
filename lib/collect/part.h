/* lib/collect/part.h - see part.c. */
#ifndef QN_COLLECT_PART_H
#define QN_COLLECT_PART_H

#include <stdbool.h>

struct qn_collect;

/* The option with which a run cannot be divided; NULL: it can. */
const char *qn_collect_never_divides(const struct qn_collect *r);
/* Does what enum qn_part says; the program waits meanwhile.  text: the name that CALLGRIND_DUMP_STATS_AT gives, or see cost/messages.h. */
void qn_collect_serve_part(struct qn_collect *r, int what, const char *text);
/* Before folding: reduces r->store, which must be a copy, to the counts since the beginning of the part. */
void qn_collect_begin_part(struct qn_collect *r);
/* Writes only the profile, at once.  Changes `r` so that it can only be used for this. */
bool qn_collect_write_now(struct qn_collect *r, const char *path);
/* The run has ended: its profile is the last part. */
void qn_collect_end_parts(struct qn_collect *r);
/* Another program has begun: forgets the parts of the one before. */
void qn_collect_forget_parts(struct qn_collect *r);

#endif
