/* lib/cost/watch.h - what `run --watch` has noted, as CSV.
 *
 *   number,pc,file,source_line,function,kind,address,size,outcome,sets,ways,line_bytes,order,way_shows,set_shows,line,hit,class,victim,before,state,set_state,object
 *   61,0x401146,/src/a.c,14,main,read,0x406880,4,1,4,2,64,recent,,,0x406880,0,conflict,0x406000,0x407000 0x406000,,,table
 *
 * A row for each line of the cache that a reference touches; a reference to several lines has several rows, the first
 * QN_NOTE_LINES of them.  outcome: of the reference, 1 = the D1 missed, 3 = the LL, too.  before: what the set held before, by way or the one
 * used last first (order), `-` = nothing, the first QN_NOTE_WAYS ways.  state, set_state: what the policy keeps, as way_shows and set_shows
 * call it; empty where it shows nothing.  object: the variable that the
 * reference, or the line, lies in; empty: none that a symbol table names.  Addresses are hexadecimal; source_line 0: not known.
 */
#ifndef QN_COST_WATCH_H
#define QN_COST_WATCH_H

#include "cost/modules.h"
#include "cost/store.h"
#include "text/error.h"

/* Whole, or not there. */
enum qn_text_status qn_cost_write_watch(const char *path, const struct qn_cost_store *store, struct qn_cost_modules *modules,
                                        struct qn_text_error *err);

#endif
