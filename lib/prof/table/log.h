/*
 * A compact log of the counts of lines, for each file (or function, ledger.h) in the order of arrival.
 *
 * In:  qn_prof_log_add(&log, file, line, counts)
 * Out: qn_prof_log_lines(&log, file, &lines), then each line once, ascending, with the sums
 *
 * Encoding of one record: the difference of the line number to the record before it, then for every
 * 8 events a byte of bits (which counts are not zero) and those counts; numbers are zigzag varints,
 * 7 bits to a byte. A line of 13 events with 4 small counts takes 7 bytes.
 *
 * Invariants: records of one segment belong to one file and lie in one piece of memory; a
 * segment's first record counts from line 0.
 */
#ifndef QN_PROF_LOG_H
#define QN_PROF_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "text/radix.h"

struct qn_prof_log {
    int events;
    struct qn_prof_log_piece *pieces; /* newest first */
    uint8_t *at, *limit;              /* free part of the newest piece */
    struct qn_prof_segment {
        const uint8_t *start;
        uint32_t records;
        uint32_t file;
        uint32_t next; /* segment of the same file, QN_TEXT_NO_ID at the end */
    } *segments;
    uint32_t segment_count, segment_room;
    struct qn_prof_log_file {
        uint32_t first, last; /* segments */
        uint32_t records;
    } *files; /* by file id */
    uint32_t file_room;
    uint32_t last_line; /* of the open segment */
};

/* Adds a record. */
void qn_prof_log_add(struct qn_prof_log *log, uint32_t file, uint32_t line, const int64_t *counts);

/* The distinct lines of one file. */
struct qn_prof_log_lines {
    const struct qn_prof_log *log;
    struct qn_text_key *keys; /* line number, address of the encoded counts */
    size_t count, at;
};

/* Gathers and sorts the lines of `file`; free with qn_prof_log_free_lines. */
void qn_prof_log_gather(const struct qn_prof_log *log, uint32_t file,
                        struct qn_prof_log_lines *lines);

/* The next distinct line and the sum of its counts: 1; 0 at the end; -1 where a sum leaves 64 bits.
 * `lines->at = 0` starts again. */
int qn_prof_log_next(struct qn_prof_log_lines *lines, uint32_t *line, int64_t *counts);

void qn_prof_log_free_lines(struct qn_prof_log_lines *lines);
void qn_prof_free_log(struct qn_prof_log *log);

#endif
