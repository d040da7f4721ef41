/*
 * Subtracts one profile from another, by function or by line.
 *
 * In:  a.out, b.out
 * Out: a profile of b - a in cg_diff's layout, modern or classic: one line, numbered 0, for each function of either.
 *      Classic: two blanks behind cmd: and events:, and counts that neither profile gave are left out at a line's end.
 *
 * In a ledger with QN_PROF_LINES_OF_FNS lines keep their numbers, except in files that stand for several
 * sources (--mod-filename) which are not all readable and identical: there a line number means
 * nothing.
 *
 * Invariants: functions sorted by file name and function name; the summary is b's minus a's.
 */
#ifndef QN_PROF_DIFF_H
#define QN_PROF_DIFF_H

#include "text/error.h"
#include "prof/table/ledger.h"
#include "prof/write.h"

/* Reads both into the ledger, the first negated. `warning` says how their provenance differs, or is
 * made empty. */
enum qn_text_status qn_prof_read_diff(struct qn_prof_ledger *g, const char *a, const char *b,
                                      char *warning, size_t room, struct qn_text_error *err);

enum qn_text_status qn_prof_write_diff(const struct qn_prof_ledger *g, enum qn_prof_style style,
                                       struct qn_prof_writer *w, struct qn_text_error *err);

#endif
