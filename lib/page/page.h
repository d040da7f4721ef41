/* lib/page/page.h - the interactive page: a profile in one HTML file, with data, style and script inside.
 *
 *   { .profile = "cachegrind.out.12", .intervals = "quern.intervals.12.csv" }  ->  overview, source, functions, time, ...
 *   { .profile = "new.out", .before = "old.out" }                              ->  the same, with the differences
 *
 * The page opens from a file, loads nothing from a network (its Content-Security-Policy forbids it), and has a table for readers
 * without scripts.  A view whose data was not collected names the option that collects it.
 *
 * Invariants: the page depends on the files only, so the same profile gives the same page; no text of a program or source can become
 * markup; sources have QN_PAGE_SOURCE_BYTES of room, those of costly files first.  The page says what was left out.  Sources without room go
 * into a second file, if the request has one; the page loads it when the user asks for such a source.
 */
#ifndef QN_PAGE_PAGE_H
#define QN_PAGE_PAGE_H

#include <stdio.h>

#include "text/error.h"

struct qn_report_facts;

/* Limits of one page: 3 MB for a profile of a large program. */
#define QN_PAGE_SOURCE_BYTES 1000000
#define QN_PAGE_MORE_BYTES 50000000 /* of sources in the second file, for each profile */
#define QN_PAGE_LINES 30000      /* rows by line: the most costly */
#define QN_PAGE_FUNCTIONS 10000
#define QN_PAGE_INSNS 7000
#define QN_PAGE_OBJECTS 1000   /* all others become one, "others" */
#define QN_PAGE_MISSES 8000    /* rows of misses by line and object */
#define QN_PAGE_PAIRS 5000     /* of objects, one of which evicts the other */
#define QN_PAGE_USES 6000      /* parts of objects */
#define QN_PAGE_CALL_FUNCTIONS 5000
#define QN_PAGE_EDGES 4000
#define QN_PAGE_NODES 3000       /* contexts of calls */
#define QN_PAGE_CULPRITS 3000    /* pairs of lines */
#define QN_PAGE_SHARED 3000      /* rows of lines of memory that threads share */

struct qn_page_request {
    const char *profile;
    struct qn_report_facts *facts; /* of it, if a report was made of it before; else NULL */
    const char *shown, *shown_before; /* names of `profile` and `before` on the page; NULL: their paths */
    const char *before;           /* another profile to compare with; NULL: none */
    const char *intervals, *runs; /* CSV files of `quern run --interval`, `quern sweep`; NULL: none */
    const char *culprits, *mattson, *sets; /* PROFILE.culprits.csv, PROFILE.mattson.csv, PROFILE.sets.csv; NULL: none */
    const char *sharing;          /* PROFILE.sharing.csv of the analysis sharing; NULL: none */
    const char *intervals_before, *mattson_before, *sets_before; /* those of `before`; NULL: none */
    const char *const *includes;  /* further folders to search for sources; NULL ends them */
    FILE *more;                   /* gets the sources without room on the page; NULL: they are left out */
    const char *more_name;        /* of that file, as seen from the page's folder */
};

/* Reads everything, then writes the page to `out`.  If something cannot be read, nothing is written. */
enum qn_text_status qn_page_write(const struct qn_page_request *q, FILE *out, struct qn_text_error *err);

#endif
