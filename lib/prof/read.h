/*
 * Reads one profile in Cachegrind's text format, item by item.
 *
 * In:  desc: I1 cache: ...      Out: header: one desc, cmd "./prog", events {"Ir", "Dr"}
 *      cmd: ./prog
 *      events: Ir Dr
 *      fl=a.c                        FILE "a.c"
 *      fn=main                       FN "main"
 *      12 3 .                        COUNTS line 12 {3, QN_PROF_NONE}
 *      summary: 3 0                  SUMMARY {3, 0}
 *
 * Accepted beyond the format: "." for no count, short lines (the rest is QN_PROF_NONE), blank lines,
 * # comments, fi= and fe= (switch the file, keep the function), desc: and cmd: with any or no
 * blanks after the colon, desc: lines on either side of cmd:, negative counts, CRLF; ob= (the object
 * that what follows belongs to), also as #ob= , which other readers skip as a comment.
 *
 * Objects and instructions, in comments too:
 *      #positions: object line instruction     before the first counts; without the last word: no
 *      #ob=/usr/bin/prog                           instructions
 *      fl=a.c
 *      fn=main
 *      12 3 1
 *      #0x401136 488b45f8 2 1              INSN {0x401136, 4 bytes} {2, 1}
 *      #0x40113a 90 1 0                    INSN {0x40113a, 1 byte}  {1, 0}
 *
 * Regions of the run may follow the summary, in comments; where one is chosen, what is handed out is theirs
 * (below).
 *
 * Invariants: an item is handed out only when its line is well formed; SUMMARY only when it equals
 * the sum of all counts; the end only after a summary. Every error names FILE:LINE, what was
 * found and what was wanted. Names hold no NUL byte. Counts are within 64 bits. After #positions: there
 * are no other comments than these; where it promises instructions, those of a line add up to it.
 */
#ifndef QN_PROF_READ_H
#define QN_PROF_READ_H

#include <stddef.h>
#include <stdint.h>

#include "prof/insn.h"
#include "prof/write.h"
#include "text/error.h"

/* More events than any simulator has; guards memory against damaged files. */
#define QN_PROF_EVENTS_MAX 1024

/* The function of counts that follow fl= without fn=. */
#define QN_PROF_UNSPECIFIED "<unspecified>"

struct qn_prof_field {
    char *raw;        /* the whole line */
    const char *text; /* what follows the keyword and blanks */
};

struct qn_prof_header {
    struct qn_prof_field *descs;
    int desc_count;
    struct qn_prof_field cmd;
    struct qn_prof_field events_line;
    char **events;
    int event_count;
};

enum qn_prof_kind {
    QN_PROF_OBJECT, QN_PROF_FILE, QN_PROF_FN, QN_PROF_INSN, QN_PROF_COUNTS, QN_PROF_SUMMARY,
    QN_PROF_REGION /* of qn_prof_open_regions: the end of a region; name: its path; counts: its sums */
};

struct qn_prof_item {
    enum qn_prof_kind kind;
    int keeps_function; /* FILE by fi= or fe= */
    const char *name;   /* OBJECT, FILE, FN */
    size_t length;      /* of name */
    uint32_t line;      /* COUNTS, INSN */
    struct qn_prof_insn insn; /* INSN */
    const int64_t *counts; /* COUNTS, INSN, SUMMARY: one per event; valid until the next call */
};

struct qn_prof_reader;

/* Bytes of a line that a message quotes, so that it stays one short line. */
enum { QN_PROF_QUOTE_MAX = 60 };

/* Opens `path` ("-": standard input) and reads the header. NULL with `err` filled on failure. */
struct qn_prof_reader *qn_prof_open_reader(const char *path, struct qn_text_error *err);
void qn_prof_close_reader(struct qn_prof_reader *r);

const struct qn_prof_header *qn_prof_reader_header(const struct qn_prof_reader *r);

/* 1 and an item; 0 at the end of a complete profile; -1 with `err` filled. */
int qn_prof_read_next(struct qn_prof_reader *r, struct qn_prof_item *item,
                      struct qn_text_error *err);

/* Whether every line has its instructions; known once the first counts have been read. */
int qn_prof_reader_has_insns(const struct qn_prof_reader *r);

/* Number of the event called `name`; -1 where there is none. Of equal names the last counts. ILmr, DLmr and DLmw are also found by the names
 * that Cachegrind gave them up to version 3.5: I2mr, D2mr, D2mw. */
int qn_prof_find_event(const struct qn_prof_header *h, const char *name, size_t length);
/* Does the profile have misses of an L2 beside those of the last level? */
int qn_prof_has_L2(const struct qn_prof_header *h);
/* "D2mr" -> "DLmr" where this is the last level; any other name as it is. */
const char *qn_prof_modern_event(const struct qn_prof_header *h, const char *event);

/* ---- regions: parts of a profile that the program has named, behind its summary ----
 *
 *     summary: 9 4
 *     #regions: 2
 *     #region: setup              counts made while `setup` was open and nothing inside it
 *     #fl=/src/a.c
 *     #fn=main
 *     #12 3 1
 *     #summary: 3 1
 *     #region: solve/step         while `step` was open inside `solve`
 *     ...
 *
 * To readers of Cachegrind's format these lines are comments. The counts before them are those of the whole run, including
 * those outside all regions.
 *
 * `solve` chooses every path in which that name occurs, `solve/step` those in which the two names are next to each
 * other. Readers then give the sum of the chosen paths, as if nothing else had been counted.
 *
 * Invariant: a path that is chosen is read whole or not at all: a file with fewer regions than `#regions:` says is
 * refused.
 */

/* For all readers opened from now on; NULL: the whole run. */
void qn_prof_choose_region(const char *name);
const char *qn_prof_chosen_region(void);
/* Only what this thread counted: the regions whose outermost name is "thread N" (`quern run --separate-threads=yes`); a chosen region inside. */
void qn_prof_choose_thread(uint32_t number);

/* Opens a profile whose regions are handed out one by one, without the whole run: the lines of each, and a REGION behind them. */
struct qn_prof_reader *qn_prof_open_regions(const char *path, struct qn_text_error *err);

#define QN_PROF_THREAD "thread " /* and its number: the outermost name of what a thread counted */

/* What threads have counted, by number. */
struct qn_prof_threads {
    struct qn_prof_thread {
        uint32_t number;
        int64_t *counts;
    } *list;
    size_t count, room;
    int events;
};

/* Adds the sums of each thread; of a chosen region only its.  A profile without threads is refused. */
enum qn_text_status qn_prof_read_threads(struct qn_prof_threads *t, const char *path, int negate, struct qn_text_error *err);
int64_t *qn_prof_threads_rest(const struct qn_prof_threads *t, const int64_t *totals); /* of these totals; NULL: there is none */
void qn_prof_free_threads(struct qn_prof_threads *t);

/* Whether this is the description that lists a profile's regions, "Regions:  setup, solve". */
int qn_prof_names_regions(const char *desc);

enum { QN_PROF_REGIONS_TEXT = 400 };

/* Where a reader is among the regions. */
struct qn_prof_regions {
    const char *chosen;    /* NULL: none, regions are skipped */
    int each;              /* all that were chosen, or all, one by one */
    char *path;            /* of the one that is read, if one by one */
    int promised, seen, matched; /* promised: the number in `#regions:`, -1 before it */
    int reading;           /* in a region that was chosen */
    int64_t *sum;          /* of those that are complete */
    char names[QN_PROF_REGIONS_TEXT]; /* "setup, solve/step", for a message */
};

/* Takes a line behind the summary, or any line if a region was chosen. 1: read it, without its first byte; 0: skip it;
 * -1: it is an error here, and `what` says why. */
int qn_prof_region_line(struct qn_prof_regions *r, const char *text, const char **what);

#endif
