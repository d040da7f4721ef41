/*
 * Profiles as comma-separated values (RFC 4180), and back.
 *
 * In:  desc: D1 cache:         32768 B, 64 B, 8-way associative
 *      cmd: ./p / events: Ir Dr D1mr / fl=a.c / fn=main / 12 8 4 1 / summary: 8 4 1
 * Out: profile,command,D1 cache,events,summary,object,file,function,line,Ir,Dr,D1mr,D1mr%
 *      p.out,./p,"32768 B, 64 B, 8-way associative",Ir Dr D1mr,8 4 1,???,a.c,main,12,8,4,1,25
 *
 * Columns, in this order: the metadata of the profile (its path, command, one column for each
 * description, its events and totals), which are the same in all of its rows; the place; the events; the
 * ratios whose events are there. A description that is not of the form "Key:   value" with the value
 * in column 18 is in a column called `desc`.
 *
 * Rules: a cell is quoted only where it must be, numbers never; control bytes in names are escaped as
 * in profiles, so a cell holds no newline; a ratio that divides by zero is empty. Nothing depends on the
 * locale. A profile without counts has one row whose place is empty.
 *
 * Rows by line or instruction can be read back, in any order, with cells quoted or not, with further columns,
 * and lines ended by LF or CRLF. The rows of a profile must add up to its totals.
 */
#ifndef QN_OUT_CSV_H
#define QN_OUT_CSV_H

#include "text/error.h"
#include "prof/write.h"

enum qn_out_csv_by {
    QN_OUT_CSV_PROGRAM,
    QN_OUT_CSV_OBJECT,
    QN_OUT_CSV_FILE,
    QN_OUT_CSV_FUNCTION,
    QN_OUT_CSV_LINE,
    QN_OUT_CSV_INSN,
    QN_OUT_CSV_THREAD,    /* of `quern run --separate-threads=yes` */
    QN_OUT_CSV_INCLUSIVE, /* functions, with what they have called */
    QN_OUT_CSV_CALL,      /* who called whom from which line */
    QN_OUT_CSV_DATA,      /* misses by line and object in memory */
    QN_OUT_CSV_PAIR,      /* misses on an object whose lines had been evicted for those of another */
    QN_OUT_CSV_USED,      /* bytes used of lines of the D1, by object and part */
};

struct qn_out_csv_request {
    enum qn_out_csv_by by;
    const char *show;    /* columns of numbers as annotate --show; NULL: all events and ratios */
    int no_metadata;     /* only the path of the profile */
    int lf;              /* lines end with LF, not CRLF */
    const char *const *inputs; /* profiles with the same events; "-" once */
    int input_count;
};

enum qn_text_status qn_out_write_csv(const struct qn_out_csv_request *q, struct qn_prof_writer *w,
                                     struct qn_text_error *err);

/* Reads the rows of one profile and writes the profile, sorted. */
enum qn_text_status qn_out_read_csv(const char *path, struct qn_prof_writer *w,
                                    struct qn_text_error *err);

#endif
