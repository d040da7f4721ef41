/*
 * The tables behind the summary of a profile, calls and data: what each has is described once, in schema.c; reading, writing, adding up,
 * sorting and freeing follow from that.
 *
 *     a list     the rows of one kind in memory: the edges of `struct qn_prof_calls`
 *     a line     how a row, or more about it, stands in a profile: "#edge: 0 17 1 3 600 8"
 *     a column   one field of a row: a number or a text of that line, or the text of a line before it ("#call-file: ")
 *
 * A set is the struct that holds the lists: struct qn_prof_calls or struct qn_prof_data.
 *
 * In:  qn_prof_find_record(&qn_prof_calls_schema, calls, QN_PROF_CALL_NODES, &(struct qn_prof_call_node){parent, function, 0})
 * Out: the number of the node of that parent and function, added if it is new
 *
 * Invariants: texts of rows that are compared are in the set's names, or in others that are the same for all of them, so that equal texts are one
 * pointer. A set whose rows are found was not read from a file, and has no rows that were only added, but in lists that are never searched.
 */
#ifndef QN_PROF_RECORDS_H
#define QN_PROF_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prof/write.h"
#include "text/error.h"
#include "text/names.h"
#include "text/subst.h"

#define QN_PROF_ROWS_MAX (UINT32_MAX - 1) /* of a list: numbers of rows have 32 bits */
#define QN_PROF_NOT_KNOWN "???"

enum qn_prof_column_type {
    QN_COLUMN_END,
    /* uint32_t, part of the row's key */
    QN_COLUMN_NUMBER,
    QN_COLUMN_ROW,          /* the number of a row of another list */
    QN_COLUMN_ROW_OR_MINUS, /* -1: UINT32_MAX */
    QN_COLUMN_ROW_OR_DASH,  /* -: UINT32_MAX */
    QN_COLUMN_OWNER,        /* the last row of another list; not in the line */
    /* const char *, part of the key */
    QN_COLUMN_WORD,         /* up to a blank */
    QN_COLUMN_WORDS,       /* up to the last blank of the line */
    QN_COLUMN_BEFORE_TAB,
    QN_COLUMN_TEXT,         /* to the end of the line */
    QN_COLUMN_BEFORE,       /* of a line of its own before the row, which holds until the next such line; ??? is NULL */
    QN_COLUMN_NEEDED_BEFORE, /* the same; there has to be one */
    /* int64_t */
    QN_COLUMN_SUM,          /* adds up */
    QN_COLUMN_MOST,         /* of several rows the largest */
    QN_COLUMN_FIRST,        /* that of the first row */
    QN_COLUMN_EVENT,        /* adds up; in the line only if the set has this event */
    QN_COLUMN_COUNTS,       /* one for each event of the set, in an array of their own; they add up */
};

enum qn_prof_naming { QN_PROF_AS_IT_IS, QN_PROF_FILE_NAME, QN_PROF_FUNCTION_NAME };

struct qn_prof_column {
    enum qn_prof_column_type type;
    size_t at;                  /* offset in the row */
    int of;                     /* ROW, OWNER: list; BEFORE: line; EVENT: its number; TEXT: 1 = sorted, as a version */
    enum qn_prof_naming naming; /* changes of names that it takes part in */
};

enum { QN_PROF_COLUMNS_MAX = 16, QN_PROF_LISTS_MAX = 6, QN_PROF_COUNTED_MAX = 3, QN_PROF_SCHEMAS = 2, QN_PROF_SET = -1, QN_PROF_TEXT_ONLY = -2 };

/* what: of a malformed line; alone: of one without the row that it belongs to.  wanted: NULL = the message does not say. */
struct qn_prof_line {
    const char *key;
    int list;            /* QN_PROF_SET: fields of the set itself; QN_PROF_TEXT_ONLY: a text for the rows that follow */
    bool more;           /* about the last row, or, of the set, that is there */
    const char *what, *wanted, *alone, *alone_wanted;
    const char *missing; /* the line has to follow the row; what the message says if it does not */
    struct qn_prof_column columns[QN_PROF_COLUMNS_MAX];
};

/* Offsets of a list in the set; counts: 0 = none. */
struct qn_prof_list {
    size_t size, rows, count, room, counts;
    const char *rows_name; /* in a message, if the head says how many there are */
};

struct qn_prof_schema {
    const char *name, *events_key;
    const char *head_what, *head_wanted;              /* of a malformed head */
    struct qn_prof_list lists[QN_PROF_LISTS_MAX + 1]; /* up to one of size 0; a list comes behind those that its rows refer to */
    const struct qn_prof_line *lines;                 /* up to one without a key */
    int counted[QN_PROF_COUNTED_MAX + 1];             /* lists whose numbers of rows the head has, up to QN_PROF_SET */
    bool needs_events;                                /* a set without their names is malformed */
    bool of_whole_run;                                /* its rows are not told apart by region */
    size_t names, index;                              /* offsets in the set: its texts, and an index of each list */
    size_t all;                                       /* where the set sums the magnitudes of all numbers that were read; 0: nowhere */
    const char *(*event)(const void *set, size_t i);  /* its name; "": not in this set; NULL: there are no more */
    /* Takes the names of the events: 0, or -1 and what is wrong. */
    int (*take_events)(void *set, char *text, const char **what, const char **wanted);
    /* The text that the row has if no line before it says so; NULL: none, which is so of all rows if this is NULL. */
    const char *(*usual)(const void *set, int list, const void *record);
    /* Before the first rows of `from` are added to, or subtracted from, those of `to`: 0, or -1 if their events are others. */
    int (*join)(void *to, const void *from, int sign);
};

extern const struct qn_prof_schema qn_prof_calls_schema, qn_prof_data_schema;
extern const struct qn_prof_schema *const qn_prof_schemas[QN_PROF_SCHEMAS + 1]; /* both, in the order in which they are written; NULL at the end */

#define QN_PROF_EACH_COLUMN(schema, of_list, c)                                                                      \
    for (const struct qn_prof_line *line_ = (schema)->lines; line_->key; line_++)                                    \
        for (const struct qn_prof_column *c = line_->columns; line_->list == (of_list) && c->type; c++)

/* The text in the set's names. NULL: NULL. */
const char *qn_prof_keep_text(const struct qn_prof_schema *s, void *set, const char *text, size_t length);

/* The line that begins a row of the list. */
const struct qn_prof_line *qn_prof_line_of(const struct qn_prof_schema *s, int list);

/* ---- rows, whatever their kind ---- */

/* A row, and its counts; valid until more rows are added. */
void *qn_prof_record(const struct qn_prof_schema *s, const void *set, int list, size_t i);
int64_t *qn_prof_record_counts(const struct qn_prof_schema *s, const void *set, int list, size_t i);
size_t qn_prof_record_count(const struct qn_prof_schema *s, const void *set, int list);
size_t qn_prof_event_count(const struct qn_prof_schema *s, const void *set);

/* Appends a copy; its counts are 0. Returns its number. */
uint32_t qn_prof_add_record(const struct qn_prof_schema *s, void *set, int list, const void *record);

/* The row with the same key; it is added if it is new. */
uint32_t qn_prof_find_record(const struct qn_prof_schema *s, void *set, int list, const void *record);

/* Adds the rows of `from`, or subtracts them. mod_file, mod_fn: changes to names, or NULL. path: for messages. */
enum qn_text_status qn_prof_sum_records(const struct qn_prof_schema *s, void *to, const void *from, int sign, const struct qn_text_subst *mod_file,
                                        const struct qn_text_subst *mod_fn, const char *path, struct qn_text_error *err);

/* Sorts a list by the keys of its rows (of texts to the end of a line, by those that the schema says), and leaves out those whose sums are all 0. */
void qn_prof_sort_records(const struct qn_prof_schema *s, void *set, int list);

/* Keeps the rows of a list for which keep[i] is true, and of the other lists those that refer to none of the rest. */
void qn_prof_keep_records(const struct qn_prof_schema *s, void *set, int list, const bool *keep);

/* Writes the set, behind the summary. */
void qn_prof_put_records(struct qn_prof_writer *w, const struct qn_prof_schema *s, const void *set);

void qn_prof_free_records(const struct qn_prof_schema *s, void *set);

#endif
