/* lib/exp/log.h - the one reader of the log of a run or a replay: totals of modules' events, and tables of the analyses mattson, sets and sizes.
 *
 *   ==12== D1 cache: 8192 B, 64 B, 2-way associative
 *   ==12== Command: ./prog 5
 *   ==12== AN: 900 lines touched; misses of a fully associative LRU cache:         mattson
 *   ==12== AN: 16 lines: 400
 *   ==12== AN: lines missed: 30 for the first time, 340 evicted before
 *   ==12== AN: misses by set of the D1, 4 sets:                                    sets
 *   ==12== AN: from 0: 3 0 7 1
 *   ->  command "./prog 5", line 64, touched 900, first 30, curve 16: 400, sets 3 0 7 1
 *
 * Only the first process counts: forked children write into the same log.
 */
#ifndef QN_EXP_LOG_H
#define QN_EXP_LOG_H

#include <stdint.h>

#include "exp/rows.h"
#include "text/csv.h"
#include "text/error.h"
#include "text/memory.h"

/* One line of a log without its number: event totals of modules and the storage of predictors (BC_bits, BI_bits). */
void qn_exp_read_log_line(struct qn_text_memory *m, struct qn_exp_result *r, const char *text);

/* Calls `line` for each line that the first process of the log wrote, without "==12== " or "--12-- ".  Returns its number; 0: none. */
long qn_exp_read_log(const char *path, void (*line)(void *data, const char *text), void *data);

/* Does the first line look like that of a log? */
bool qn_exp_is_log(const char *path);

/* Misses of D1s of other sizes as rows of a sweep of D1.size, which the analysis `sizes` printed for the first process; none if it was not on.
 * `t` is initialised and empty.  counting: of that run, "" if not known. */
enum qn_text_status qn_exp_read_sizes(struct qn_text_table *t, const char *log, const char *counting, struct qn_text_error *err);

struct qn_exp_log {
    struct qn_text_memory memory;
    const char *command, *caches[QN_EXP_LEVELS]; /* "8192 B, 64 B, 2-way associative"; NULL: not in the log */
    uint64_t line, touched, first; /* bytes of a line; lines touched; first misses of lines, UINT64_MAX: not in the log */
    uint64_t (*curve)[2];          /* lines of the cache, misses */
    uint64_t *sets;                /* misses by set */
    size_t curve_count, set_count;
};

/* A log may have neither table.  Call qn_exp_free_log even if it fails. */
enum qn_text_status qn_exp_read_tables(struct qn_exp_log *log, const char *path, struct qn_text_error *err);
void qn_exp_free_log(struct qn_exp_log *log);

/* The data of the pictures mrc and sets: size,miss_percent and set,misses.  `t` is initialised and empty. */
void qn_exp_fill_curve(struct qn_text_table *t, const struct qn_exp_log *log);
void qn_exp_fill_sets(struct qn_text_table *t, const struct qn_exp_log *log);

#endif
