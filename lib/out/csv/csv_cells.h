/*
 * The columns of metadata: what they are called, and a profile's cells for them.
 *
 * In:  header of a profile: descs "D1 cache:         32768 B, ...", "no key"
 * Out: columns "D1 cache", "desc"; values "32768 B, ...", "no key"
 *
 * Invariants: a column's name is never one that has another meaning (qn_out_csv_names); a profile that
 * has the same key twice has two columns of that name. Columns of several profiles are united, those
 * of the first profile in its order.
 */
#ifndef QN_OUT_CSV_CELLS_H
#define QN_OUT_CSV_CELLS_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#include "prof/read.h"
#include "text/subst.h"

/* The columns with a meaning of their own. */
enum qn_out_csv_column {
    QN_OUT_CSV_PROFILE,
    QN_OUT_CSV_COMMAND,
    QN_OUT_CSV_EVENTS,
    QN_OUT_CSV_SUMMARY,
    QN_OUT_CSV_AT_OBJECT,
    QN_OUT_CSV_AT_FILE,
    QN_OUT_CSV_AT_FUNCTION,
    QN_OUT_CSV_AT_LINE,
    QN_OUT_CSV_AT_ADDRESS,
    QN_OUT_CSV_AT_BYTES,
    QN_OUT_CSV_AT_TEXT, /* the instruction as text; not read back */
    QN_OUT_CSV_COLUMNS
};
extern const char *const qn_out_csv_names[QN_OUT_CSV_COLUMNS];

/* The column of descriptions that have no key. */
#define QN_OUT_CSV_DESC "desc"

struct qn_out_csv_keys {
    char **names;
    int count;
};

/* Adds the columns that this profile needs. */
void qn_out_csv_add_keys(struct qn_out_csv_keys *keys, const struct qn_prof_header *h);

/* The profile's values by column; NULL where it has none. They point into the header. */
void qn_out_csv_find_values(const struct qn_out_csv_keys *keys, const struct qn_prof_header *h,
                            const char **values);
void qn_out_csv_free_keys(struct qn_out_csv_keys *keys);

/* The description that a column and a value stand for. */
void qn_out_csv_join_desc(struct qn_text_buffer *to, const char *key, const char *value);

/* Size, ways and line of I1, D1 and LL as numbers, where rows are by program: the names of these
 * columns, and what the profile's descriptions "I1 cache: 32768 B, 64 B, 8-way associative" say. */
enum { QN_OUT_CSV_GEOMETRY = 9 };
extern const char *const qn_out_csv_geometry_names[QN_OUT_CSV_GEOMETRY];
void qn_out_csv_find_geometry(const struct qn_prof_header *h, uint64_t numbers[QN_OUT_CSV_GEOMETRY]);

/* Appends a cell, quoted where it must be, control bytes escaped. */
void qn_out_csv_cell(struct qn_text_buffer *to, const char *text);

/* ---- Numbers of CSV cells as text, without printf where that gives the same ----
 *
 * In:  -12, 0.0243013..., 123456.7
 * Out: "-12", "0.0243013", "123457"
 */

/* Bytes of the longest of them, and more than enough for the longest count. */
enum { QN_OUT_CSV_NUMBER = DBL_MAX_10_EXP + 10 };

/* A count in decimal; returns its length.  No NUL byte is put behind it. */
size_t qn_out_csv_count(char *to, int64_t count);

/* A finite value: six significant digits as printf's %.6g has them, but all digits before the point.  Returns the length. */
size_t qn_out_csv_ratio(char *to, double value);

#endif
