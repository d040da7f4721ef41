/* lib/cost/side_tables/sharing.h - lines of memory that threads share, as CSV: what `quern run --analysis=sharing` writes beside the profile.
 *
 *   address,shared,thread,object,offset,file,function,line,reads,writes,read,written,true,false,cold,upgrades,with_thread,with_object,with_offset,with_file,with_line,apart,pad,of_rows
 *   0x404080,false,1,counter,0,/src/a.c,count,12,1000,1000,0xff,0xff,0,85,1,60,2,counter,8,/src/a.c,12,8,64,8
 *   0x404080,false,2,counter,8,/src/a.c,count,12,1000,1000,0xff00,0xff00,0,83,1,58,1,counter,0,/src/a.c,12,8,64,8
 *
 * There is a row for each source line, thread and line of memory, if one thread has written to the line and another has accessed it.
 * shared: "true" if a thread has written bytes that another has accessed; "false" if threads share only the line, and no byte that one of them has written; "both" if
 * there are pairs of threads of both kinds.  offset: of the first byte referenced in the object.  read, written: a bit for each byte, the
 * lowest for the first; in a line longer than 64 bytes, for each 1/64 of the line.  For the other columns see sim/analysis/sharing.c.
 * Lines with the most misses by false sharing come first; then those with the most transfers.
 * with_...: the nearest thread with which this one shares the line falsely, and the row of it that misses most; apart: bytes between the first
 * that each uses; pad: bytes that an element has to have for a line of its own; 0: no thread shares it falsely with this one.
 */
#ifndef QN_COST_SHARING_H
#define QN_COST_SHARING_H

#include "cost/data/data.h"

/* There is anything to write. */
bool qn_cost_has_sharing(const struct qn_cost_store *store);
/* With --data, objects are those that misses are on, else symbols. */
/* *verdicts, to be freed: of the first lines with misses by false sharing a line of text each: who shares it, and what would end that. */
enum qn_text_status qn_cost_write_sharing(const char *path, const struct qn_cost_data *data, char **verdicts, struct qn_text_error *err);
#define QN_COST_VERDICTS 10

#endif
