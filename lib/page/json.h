/* lib/page/json.h - writes JSON that may stand inside a page's <script>.
 *
 *   qn_page_put_string(out, "a</script>\n", 11)   ->  "a\u003c/script\u003e\n"
 *   qn_page_put_count(out, 9007199254740993)      ->  "9007199254740993"     a string, because JavaScript's numbers are exact up to 2^53 only
 *
 * Invariants: no byte of a text can end the script or begin markup; bytes that are not UTF-8 become U+FFFD; the output is valid JSON.
 */
#ifndef QN_PAGE_JSON_H
#define QN_PAGE_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A string of `length` bytes, which may hold NUL bytes. */
void qn_page_put_string(FILE *out, const char *text, size_t length);
/* NULL is "". */
void qn_page_put_text(FILE *out, const char *text);

/* As printf, but %s is a string as above: qn_page_put(out, ",[%s,%u]", "a.c", 12)  ->  ,["a.c",12]; the conversions are those of qn_report_put. */
void qn_page_put(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number, or beyond 2^53 a string of its digits. QN_PROF_NONE is written as 0. */
void qn_page_put_count(FILE *out, int64_t count);

/* ",3,0,1" of { 3, 0, 1, 0, 0 }: zeros at the end are left out. */
void qn_page_put_counts(FILE *out, const int64_t *counts, int events);

/* The `most`-th largest cost: what costs less has no room.  0 if all have room.  Changes the order of `costs`. */
double qn_page_find_least(double *costs, size_t count, size_t most);

#endif
