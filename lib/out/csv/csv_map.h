/*
 * Finds the meaning of a CSV's columns, and the metadata of its profile.
 *
 * In:  the record of names, then every row
 * Out: which column holds what; metadata, events and totals of the profile
 *
 * Rules: of columns with the same name in qn_out_csv_names the first counts; other columns before `events` are
 * descriptions; the events are searched behind the place. All others are ignored.
 *
 * Invariant: all rows have the metadata of the first one.
 */
#ifndef QN_OUT_CSV_MAP_H
#define QN_OUT_CSV_MAP_H

#include <stdint.h>

#include "out/csv/csv_head.h"
#include "out/csv/csv_table.h"

/* A column that is not there. */
enum { QN_OUT_CSV_NONE = -1 };

struct qn_out_csv_map {
    const char *path; /* for messages */
    char **names;     /* of columns */
    int name_count;
    int column[QN_OUT_CSV_COLUMNS]; /* or QN_OUT_CSV_NONE */
    char **metadata;                /* cells of the first row, by column; NULL: not metadata */
    long metadata_line;             /* of that row; 0: no row yet */
    char *words;                    /* what `events` points into */
    char **events;
    int *event_column;
    int event_count;
    int64_t *totals; /* those in `summary` */
};

/* Takes the record of names, the first row, a further row. */
enum qn_text_status qn_out_csv_map_names(struct qn_out_csv_map *m, const struct qn_out_csv_record *record,
                                         struct qn_text_error *err);
enum qn_text_status qn_out_csv_map_first(struct qn_out_csv_map *m, const struct qn_out_csv_record *record,
                                         struct qn_text_error *err);
enum qn_text_status qn_out_csv_map_next(const struct qn_out_csv_map *m,
                                        const struct qn_out_csv_record *record, struct qn_text_error *err);
/* Whether a column holds descriptions. */
int qn_out_csv_is_desc(const struct qn_out_csv_map *m, int column);
void qn_out_csv_free_map(struct qn_out_csv_map *m);

/* "PATH:LINE: what, got `got`, wanted ..." */
enum qn_text_status qn_out_csv_bad(const char *path, const struct qn_out_csv_record *record,
                                   const char *what, const char *got, const char *wanted,
                                   struct qn_text_error *err);

#endif
