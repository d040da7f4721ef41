/* lib/page/log.h - reads the results of the analyses mattson and sets from the log of a run.
 *
 *   ==12== D1 cache: 8192 B, 64 B, 2-way associative
 *   ==12== AN: 900 lines touched; misses of a fully associative LRU cache:
 *   ==12== AN: 16 lines: 400
 *   ==12== AN: lines missed: 30 for the first time, 340 evicted before
 *   ==12== AN: misses by set of the D1, 4 sets:
 *   ==12== AN: from 0: 3 0 7 1
 *   ->  {"line":64,"touched":900,"first":30,"curve":[[16,400]],"sets":[3,0,7,1]}
 *
 * Only the first process counts: forked children write into the same log.  A log with neither table is an error.
 */
#ifndef QN_PAGE_LOG_H
#define QN_PAGE_LOG_H

#include <stdint.h>
#include <stdio.h>

#include "text/error.h"

struct qn_page_log {
    uint64_t line, touched, first; /* bytes of a line; lines touched; first misses of lines, UINT64_MAX if the log does not have them */
    uint64_t (*curve)[2];          /* lines of the cache, misses */
    uint64_t *sets;                /* misses by set */
    size_t curve_count, set_count;
};

/* Call qn_page_free_log even if it fails. */
enum qn_text_status qn_page_read_log(struct qn_page_log *log, const char *path, struct qn_text_error *err);
void qn_page_free_log(struct qn_page_log *log);
void qn_page_put_log(FILE *out, const struct qn_page_log *log);

#endif
