/* lib/cost/notes/watch.h - writes the notes of `run --watch` as CSV.
 *
 *   number,pc,file,source_line,function,kind,address,size,outcome,sets,ways,line_bytes,order,way_shows,set_shows,line,hit,class,victim,before,state,set_state,object,thread,core
 *   61,0x401146,"/src/a.c",14,"main",read,0x406880,4,1,4,2,64,recent,,,0x406880,0,conflict,0x406000,0x407000 0x406000,,,"table",0,0
 *
 * A row for each line of the cache that a reference touches; a reference to several lines has several rows, the first
 * QN_NOTE_LINES of them.  outcome: of the reference, 0 = a hit, 1 = the D1 missed, 3 = the LL missed, too.  before: the lines in the set before the reference,
 * by way or the line used last first (order), `-` = free, the first QN_NOTE_WAYS ways.  state, set_state: the policy's state, which
 * way_shows and set_shows name; empty if the policy shows none.  object: the variable in which the reference, or the line, lies; empty
 * if no symbol table names one.  thread, core: that made the reference; with --cores, before and state are of the D1 of the core of
 * --sim-opt=watch-core.  Addresses are hexadecimal; source_line 0: unknown.
 */
#ifndef QN_COST_WATCH_H
#define QN_COST_WATCH_H

#include "cost/places/places.h"
#include "cost/store.h"
#include "text/error.h"

/* Whole, or not there. */
enum qn_text_status qn_cost_write_watch(const char *path, const struct qn_cost_store *store, struct qn_cost_modules *modules,
                                        struct qn_text_error *err);

#endif
