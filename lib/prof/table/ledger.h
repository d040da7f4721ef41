/*
 * One or more profiles in memory, as a report needs them: totals per function, lines per file.
 *
 * In:  a.out (added), b.out (added, or its counts negated), names changed by s/old/new/
 * Out: fns + fn_totals: one row per (file, function); log: lines per file; total: the summary
 *
 * Invariants: all inputs have the same events; total is the sum of fn_totals; in a ledger that keeps
 * lines, also of all lines. A failure leaves the ledger usable only for freeing.
 */
#ifndef QN_PROF_LEDGER_H
#define QN_PROF_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "prof/read.h"
#include "prof/table/table.h"
#include "text/radix.h"
#include "text/subst.h"

/* ---- a compact log of the counts of lines, for each file (or function) in the order of arrival ----
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

/* ---- the ledger ---- */

/* What the header of one input said. */
struct qn_prof_source {
    char *path;
    char *cmd;
    char *desc; /* all descriptions, each followed by a newline, control bytes escaped */
};

enum qn_prof_lines_of {
    QN_PROF_NO_LINES,
    QN_PROF_LINES_OF_FILES,
    QN_PROF_LINES_OF_FNS,
};

struct qn_prof_ledger_options {
    enum qn_prof_lines_of keep_lines; /* fill the log, by file id or by function */
    int keep_insns;              /* fill insns; a profile without instructions is an error */
    int always_unspecified;      /* make the function <unspecified> for every fl= line */
    int shorten_inlined;         /* names of inlined functions without the calls between (functions.h) */
    const struct qn_text_subst *mod_file, *mod_fn; /* NULL: names as they are */
};

struct qn_prof_ledger {
    struct qn_prof_ledger_options options;
    struct qn_prof_header header; /* of the first input; its descs and cmd are not used */
    struct qn_prof_source *sources;
    int source_count;
    struct qn_prof_fns fns;
    struct qn_prof_rows fn_totals; /* by function */
    struct qn_prof_rows total;     /* one row */
    struct qn_prof_log log;        /* by file id of fns.files, or by function */
    struct qn_text_names objects;       /* files of code: "???" and what ob= lines name */
    struct qn_prof_rows object_totals;  /* by object */
    struct qn_prof_table *insns;        /* rows of instructions only; NULL: not kept */
    struct qn_text_names originals; /* file names before mod_file; used only with mod_file */
    uint32_t *original_of;          /* by original: the file id it became */
    uint32_t original_room;
};

void qn_prof_init_ledger(struct qn_prof_ledger *g, const struct qn_prof_ledger_options *options);

/* Reads one profile into the ledger; `negate` subtracts it. */
enum qn_text_status qn_prof_read_ledger(struct qn_prof_ledger *g, const char *path, int negate,
                                        struct qn_text_error *err);

void qn_prof_free_ledger(struct qn_prof_ledger *g);

#endif
