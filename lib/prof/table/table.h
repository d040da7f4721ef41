/*
 * Accumulates counts by file, function and line, and writes them sorted.
 *
 * In:  qn_prof_table_add(t, "/abs/a.c", "main", 12, (int64_t[]){3, 1, 1});   any order, any number of times
 * Out: qn_prof_table_write(t, w) emits fl=, fn=, count lines by file name, function name (bytewise)
 *      and line, then the summary, which is the sum of all that was added.
 *
 * A table may also have the object (file of code) of a function, and the instructions of a
 * line. A function in two objects has rows of its own in each. Instructions are rows behind that of
 * their line, by address; they add nothing to the summary. Both are written as prof/read.h describes.
 *
 * Invariants: one row per (object, file, function, line, instruction); each name is stored once;
 * adding costs at most one hash lookup, and none in order (names that repeat those of the last call are not even hashed). A sum
 * that leaves 64 bits is an error, never a wrong number. Counts may be negative. A count QN_PROF_NONE
 * adds nothing; a cell that got nothing else stays QN_PROF_NONE and is written as 0.
 *
 * Not modelled: descriptions and commands; the caller puts those through prof/write.h.
 */
#ifndef QN_PROF_TABLE_H
#define QN_PROF_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "prof/counts.h"
#include "prof/insn.h"
#include "prof/write.h"
#include "text/error.h"
#include "text/names.h"

struct qn_prof_table;

/* One row as qn_prof_table_at shows it. Pointers stay valid until the next add or free. */
struct qn_prof_row {
    const char *object; /* ??? where it is not known */
    const char *file;
    const char *function;
    uint32_t line;
    const struct qn_prof_insn *insn; /* NULL: the line itself */
    const int64_t *counts; /* one per event, QN_PROF_NONE where nothing was added */
};

/* A table with `events` counts per row (>= 1). */
struct qn_prof_table *qn_prof_new_table(int events);
void qn_prof_free_table(struct qn_prof_table *t);

/* Adds counts (one per event) to a row; the row is made where it does not exist. file and function:
 * NULL and "" mean not known (???). Returns QN_TEXT_OK, or QN_TEXT_BAD on overflow;
 * the message is in `err`, which may be NULL. */
enum qn_text_status qn_prof_table_add(struct qn_prof_table *t, const char *file,
                                      const char *function, uint32_t line,
                                      const int64_t *counts, struct qn_text_error *err);

/* The same for the two ids that qn_prof_table_fn gave: the cheapest way to add many lines. */
uint32_t qn_prof_table_fn(struct qn_prof_table *t, const char *file, const char *function);
enum qn_text_status qn_prof_table_add_line(struct qn_prof_table *t, uint32_t fn, uint32_t line,
                                           const int64_t *counts, struct qn_text_error *err);
#define QN_PROF_NO_FN UINT32_MAX /* never the id of a function */

/* What whoever reads the table wants beyond lines; whoever fills it asks and adds that. Set it before the first add; the default is lines. */
enum qn_prof_detail { QN_PROF_DETAIL_LINES, QN_PROF_DETAIL_OBJECTS, QN_PROF_DETAIL_INSNS };
void qn_prof_table_want(struct qn_prof_table *t, enum qn_prof_detail detail);
enum qn_prof_detail qn_prof_table_wants(const struct qn_prof_table *t);

/* The object that functions belong to from now on; NULL and "" mean not known. */
void qn_prof_table_enter_object(struct qn_prof_table *t, const char *object);

/* Adds counts to an instruction of a line, after the line's own have been added. */
enum qn_text_status qn_prof_table_add_insn(struct qn_prof_table *t, uint32_t fn, uint32_t line,
                                           const struct qn_prof_insn *insn, const int64_t *counts,
                                           struct qn_text_error *err);

/* Are there instructions, which come after their lines in the rows?  Hiding leaves them out of what is
 * written, because they would be incomplete if not all inputs had them. */
int qn_prof_table_has_insns(const struct qn_prof_table *t);
void qn_prof_table_hide_insns(struct qn_prof_table *t);

/* The sum of everything added, one per event. */
const int64_t *qn_prof_table_totals(const struct qn_prof_table *t);

/* Sorts rows by file name, function name, object, line, address. Adding afterwards unsorts. */
void qn_prof_table_sort(struct qn_prof_table *t);

/* Instead of sorting: files in the order of their first counts, in each file functions so, in each function lines so,
 * with their instructions by address. */
void qn_prof_table_keep_order(struct qn_prof_table *t);

/* Functions, which a caller may also number by itself (qn_prof_fn_of). */
struct qn_prof_fns *qn_prof_table_fns(struct qn_prof_table *t);

/* ---- the lines of a file, or of a function ----
 *
 * In:  a table that has been filled and is in no order yet
 * Out: each line once, ascending, with the sum of its counts; instructions are left out
 */
struct qn_prof_lines {
    const struct qn_prof_table *table;
    size_t first, at, end; /* rows; at: the next one */
};
struct qn_prof_lines qn_prof_table_lines(struct qn_prof_table *t, int by_fn, uint32_t owner);

/* The next line and the sum of its counts: 1; 0 at the end; -1 where a sum leaves 64 bits.  `l->at = l->first` starts again. */
int qn_prof_next_line(struct qn_prof_lines *l, uint32_t *line, int64_t *counts);

/* Rows in the order of the last sort (before any sort: in order of arrival). */
size_t qn_prof_table_rows(const struct qn_prof_table *t);
struct qn_prof_row qn_prof_table_at(const struct qn_prof_table *t, size_t row);

/* Sorts, if it is in no order yet, then writes fl=, fn=, count lines and the summary. `w` has had its desc, cmd and events. */
void qn_prof_table_write(struct qn_prof_table *t, struct qn_prof_writer *w);

/* ---- functions as a profile knows them: a pair of file name and function name, numbered ----
 *
 * Where objects (files of code) are known, the same pair in two of them is two functions.
 *
 * In:  ("a.c", "main"), ("b.h", "main"), ("a.c", "main")
 * Out: 0, 1, 0; file id and name id of each
 *
 * Invariants: one number per pair and object; object, file and function names are interned in
 * separate sets.
 */

struct qn_prof_fns {
    struct qn_text_names files;
    struct qn_text_names names;
    struct qn_text_names objects;
    struct qn_text_hash index;
    struct qn_prof_fn {
        uint32_t file, name; /* ids in `files` and `names` */
        uint32_t object;     /* id in `objects`, or QN_TEXT_NO_ID: not known */
        uint32_t first, last; /* in a table: its first row, and that of its highest place; or QN_TEXT_NO_ID */
    } *fn;                   /* by function number */
    uint32_t room;
};

/* The number of the pair (in the object), made where it is new. */
uint32_t qn_prof_fn_of(struct qn_prof_fns *fns, uint32_t file, uint32_t name, uint32_t object);

static inline uint32_t qn_prof_fn_count(const struct qn_prof_fns *fns)
{
    return fns->index.count;
}

static inline const char *qn_prof_fn_file(const struct qn_prof_fns *fns, uint32_t fn)
{
    return qn_text_name(&fns->files, fns->fn[fn].file);
}

static inline const char *qn_prof_fn_name(const struct qn_prof_fns *fns, uint32_t fn)
{
    return qn_text_name(&fns->names, fns->fn[fn].name);
}

static inline const char *qn_prof_fn_object(const struct qn_prof_fns *fns, uint32_t fn)
{
    uint32_t object = fns->fn[fn].object;
    return object == QN_TEXT_NO_ID ? "???" : qn_text_name(&fns->objects, object);
}

/* An array (by function) of its place by file name, function name, object. free() it. */
uint32_t *qn_prof_rank_fns(const struct qn_prof_fns *fns);

void qn_prof_free_fns(struct qn_prof_fns *fns);

/* ---- rows of counts: a growing array that never moves and never doubles ----
 *
 * In:  qn_prof_new_row(&rows) -> a row with every count QN_PROF_NONE
 * Out: qn_prof_row(&rows, i)
 *
 * Invariants: rows live in pieces of QN_PROF_ROWS_PIECE; a row's address stays the same.
 */

enum { QN_PROF_ROWS_SHIFT = QN_PROF_ROWS_LOG2, QN_PROF_ROWS_PIECE = 1 << QN_PROF_ROWS_SHIFT };

struct qn_prof_rows {
    int events;
    size_t count;
    int64_t **pieces;
    size_t room; /* pieces that `pieces` can hold */
};

/* Appends one row. */
int64_t *qn_prof_new_row(struct qn_prof_rows *rows);

static inline int64_t *qn_prof_row(const struct qn_prof_rows *rows, size_t i)
{
    return rows->pieces[i >> QN_PROF_ROWS_SHIFT] +
           (i & (QN_PROF_ROWS_PIECE - 1)) * (size_t)rows->events;
}

void qn_prof_free_rows(struct qn_prof_rows *rows);

#endif
