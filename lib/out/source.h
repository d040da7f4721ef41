/*
 * Which lines of a source to show.
 *
 * In:  lines that have counts
 * Out: ranges of lines around them, and gaps between these
 */
#ifndef QN_OUT_SOURCE_H
#define QN_OUT_SOURCE_H

#include "out/sink.h"
#include "prof/table/log.h"
#include "text/source.h"

/* The last line to show of a range that begins around `line`, which was taken from `lines` last: ranges that meet
 * are one. */
int64_t qn_out_end_of_range(const struct qn_prof_log_lines *lines, uint32_t line, int64_t context);
void qn_out_put_gap(struct qn_out_sink *s, int64_t line);

#endif
