/* lib/page/tables.h - writes a CSV file as a member of an object in JSON.
 *
 *   "runs", size,status\n1024,ok\n   ->  ,"runs":{"columns":["size","status"],"rows":[[1024,"ok"]]}
 *
 * A cell that JSON takes for a number is written as it is; any other becomes a string.
 */
#ifndef QN_PAGE_TABLES_H
#define QN_PAGE_TABLES_H

#include <stdio.h>

#include "text/csv.h"

/* Nothing if it has no columns. */
void qn_page_put_table(FILE *out, const char *name, const struct qn_text_table *t);

/* PROFILE.sets.csv, a row for each run of sets in an interval: cache, start, end, first set, sets in each number, and the numbers of misses.
 * "D1,1,0,9,3,1,7" and "D1,1,0,9,5,1,8"  ->  ["D1",0,9,3,1,[7,0,8]] */
void qn_page_put_sets(FILE *out, const struct qn_text_table *t);

#endif
