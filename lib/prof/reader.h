/*
 * The state of a profile reader; only read.c (files, regions) and read_line.c (one line) include this.
 *
 * In:  the text of one line
 * Out: an item, or a message with FILE:LINE
 *
 * Invariants: `totals` is the sum of all COUNTS items handed out so far, of the whole run or of this region; `left` is
 * the counts of the last line less those of its instructions so far.
 */
#ifndef QN_PROF_READER_H
#define QN_PROF_READER_H

#include "text/input.h"
#include "prof/read.h"
#include "prof/region.h"

enum qn_prof_stage { QN_PROF_NEED_FILE, QN_PROF_NEED_COUNTS, QN_PROF_SUMMED };

/* Behind the summary: tables of calls (calls.h) and of data (data.h), each with rows of several kinds. */
enum { QN_PROF_TABLES = 2, QN_PROF_TABLE_ROWS = 3 };

struct qn_prof_reader {
    struct qn_text_lines lines;
    struct qn_prof_header header;
    char *path;
    enum qn_prof_stage stage;
    int is_strict, has_insns; /* by #positions: no other comments; instructions follow */
    int in_line;     /* counts of a line came last: its instructions may follow */
    uint32_t line;   /* of the counts last handed out */
    int64_t *counts; /* of the current item */
    int64_t *totals;
    int64_t *left;
    struct qn_prof_regions regions;
    int64_t promised[QN_PROF_TABLES][QN_PROF_TABLE_ROWS], seen[QN_PROF_TABLES][QN_PROF_TABLE_ROWS];
};

/* "FILE:LINE: what, got `text`, wanted ..."; returns -1. */
int qn_prof_bad_line(const struct qn_prof_reader *r, const char *what, const char *got, const char *wanted,
                     struct qn_text_error *err);

/* At the end: 0 where the tables behind the summary have as many rows as they promise, else -1. */
int qn_prof_check_tables(const struct qn_prof_reader *r, struct qn_text_error *err);

/* 1 and an item, 0 where the line means nothing, -1 failed. */
int qn_prof_take_line(struct qn_prof_reader *r, const char *text, size_t length, struct qn_prof_item *item,
                      struct qn_text_error *err);

#endif
