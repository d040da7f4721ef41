/* lib/json/json.h - a profile, or the rows of a sweep, as JSON (doc/json.md has the schema).
 *
 *   events: Ir Dr                       {"schema":"quern-profile","version":1,"command":"./prog","descriptions":["I1 cache: ..."],
 *   fl=a.c, fn=main, 12 3 1              "events":["Ir","Dr"],"totals":{"Ir":3,"Dr":1},
 *                                        "rows":[{"file":"a.c","function":"main","line":12,"counts":[3,1]}]}
 *
 * Rows are written as they are read: memory does not grow with them.  Bytes of names that are no UTF-8 become U+FFFD.
 */
#ifndef QN_JSON_JSON_H
#define QN_JSON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "text/csv.h"
#include "text/error.h"

/* With `totals`, without the rows. */
enum qn_text_status qn_json_write_profile(FILE *out, const char *path, bool totals, struct qn_text_error *err);
enum qn_text_status qn_json_write_sweep(FILE *out, const char *path, struct qn_text_error *err);

/* Any other CSV file with names of columns: of quern csv, quern lab marks. */
enum qn_text_status qn_json_write_table(FILE *out, const char *path, struct qn_text_error *err);
/* Any of these, by the file's beginning. */
enum qn_text_status qn_json_write_file(FILE *out, const char *path, bool totals, struct qn_text_error *err);

/* What quern trace --info prints; packing: "zstd". */
struct qn_json_trace {
    uint64_t parts, instructions, references, bytes;
    const char *packing;
    bool whole;
};
bool qn_json_write_trace(FILE *out, const char *path, const struct qn_json_trace *t);

/* What quern ctl PID status prints; the text is changed.  false: it cannot be written, or there is no memory. */
bool qn_json_write_status(FILE *out, char *text);
/* PREFIX.totals.csv of quern replay --tables=PREFIX. */
bool qn_json_write_replay(FILE *out, const struct qn_text_table *totals);

/* The modules that ship: begin, add each, end, which writes them.  slots: "I1 D1".  false: it cannot be written, or there is no memory. */
void qn_json_begin_modules(const char *in_slots);
void qn_json_add_module(const char *kind, const char *name, const char *slots, uint64_t hash, const char *text);
bool qn_json_end_modules(FILE *out);

#endif
