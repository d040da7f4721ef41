/*
 * A source file in memory, line by line.
 *
 * In:  a path; lines that have counts
 * Out: its lines; whether it is newer than a profile; which of its lines to show
 *
 * Invariants: the text is held whole; lines are parts of it. Universal newlines (\n, \r\n, \r) for
 * the modern style; the classic style knows \n only and keeps it.
 */
#ifndef QN_OUT_SOURCE_H
#define QN_OUT_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "out/sink.h"
#include "prof/table/log.h"

struct qn_out_source {
    char *text;
    size_t size, at;
    struct timespec modified;
};

/* Reads the whole file: 0, or an errno; a directory is EISDIR. */
int qn_out_read_source(struct qn_out_source *src, const char *path);
void qn_out_free_source(struct qn_out_source *src);

/* The next line without its newline (universal newlines): 1 and text, length; 0 at the end. */
int qn_out_next_line(struct qn_out_source *src, const char **line, size_t *length);

/* Nonzero where a was modified after b, to the nanosecond. */
int qn_out_is_newer(struct timespec a, struct timespec b);

/* When the file was modified: 0, or an errno. */
int qn_out_time_of(const char *path, struct timespec *modified);

/* The last line to show of a range that begins around `line`, which was taken from `lines` last: ranges that meet
 * are one. */
int64_t qn_out_end_of_range(const struct qn_prof_log_lines *lines, uint32_t line, int64_t context);
void qn_out_put_gap(struct qn_out_sink *s, int64_t line);

#endif
