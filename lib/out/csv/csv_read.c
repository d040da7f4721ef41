/*
 * CSV to a profile. See csv.h.
 *
 * In:  rows by line, or by instruction, of one profile
 * Out: the profile
 *
 * Invariant: nothing is written before every row has been read and the rows add up to the totals.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/csv/csv.h"
#include "out/csv/csv_cells.h"
#include "text/csv.h"
#include "prof/counts.h"
#include "prof/read.h"
#include "prof/table/table.h"
#include "text/digits.h"

/* A column that is not there. */
enum { NONE = -1 };

struct reading {
    const char *path; /* for messages */
    char **names;     /* of columns */
    int name_count;
    int column[QN_OUT_CSV_COLUMNS]; /* or NONE */
    char **metadata;                /* cells of the first row, by column; NULL: not metadata */
    long metadata_line;             /* of that row; 0: no row yet */
    char *words;                    /* what `events` points into */
    char **events;
    int *event_column;
    int event_count;
    int64_t *totals; /* those in `summary` */
    long line;       /* of the last record */
    int64_t *counts; /* of a row */
    struct qn_prof_table *table;
    struct qn_text_error *err;
};

/* ---- Columns of a CSV that is read ----
 *
 * In:  profile,command,D1 cache,events,summary,object,file,function,line,Ir,Dr
 * Out: column[QN_OUT_CSV_COMMAND] == 1, ..., event_column {9, 10}
 */

/* "PATH:LINE: what, got `got`, wanted ..." */
static enum qn_text_status bad(const struct reading *r, const struct qn_text_csv_record *record, const char *what, const char *got,
                               const char *wanted)
{
    return qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: %s, got `%.60s`, wanted %s", r->path, record->line, what, got, wanted);
}

static int find_column(const struct reading *r, const char *name, int from)
{
    for (int i = from; i < r->name_count; i++)
        if (strcmp(r->names[i], name) == 0)
            return i;
    return NONE;
}

static enum qn_text_status no_column(const struct reading *r, const char *name)
{
    return qn_text_fail(r->err, QN_TEXT_BAD, "%s:1: no column `%s`, got %d others, wanted what `quern csv "
                        "--by=line` or `--by=instruction` writes", r->path, name, r->name_count);
}

/* Behind the columns that say what the profile is. */
static int end_of_metadata(const struct reading *r)
{
    int events = r->column[QN_OUT_CSV_EVENTS], totals = r->column[QN_OUT_CSV_SUMMARY];
    return (events > totals ? events : totals) + 1;
}

/* The columns that every kind of rows has; those of instructions are looked for once events are known. */
static enum qn_text_status find_columns(struct reading *r)
{
    for (int i = 0; i < QN_OUT_CSV_COLUMNS; i++) {
        int from = i >= QN_OUT_CSV_AT_OBJECT ? end_of_metadata(r) : 0;
        r->column[i] = i < QN_OUT_CSV_AT_ADDRESS ? find_column(r, qn_out_csv_names[i], from) : NONE;
        if (r->column[i] == NONE && i != QN_OUT_CSV_PROFILE && i < QN_OUT_CSV_AT_ADDRESS)
            return no_column(r, qn_out_csv_names[i]);
    }
    return QN_TEXT_OK;
}

/* How many words of the list of events are this one. */
static int count_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    int count = 0;
    for (list += strspn(list, " "); *list; list += strspn(list, " ")) {
        size_t length = strcspn(list, " ");
        count += length == n && memcmp(list, word, n) == 0;
        list += length;
    }
    return count;
}

/* Finds the columns of instructions. An event may have the same name; so there is such a column only if there is one
 * more of that name than events. */
static enum qn_text_status find_insn_columns(struct reading *r)
{
    const char *events = r->metadata[r->column[QN_OUT_CSV_EVENTS]];
    for (int i = QN_OUT_CSV_AT_ADDRESS; i < QN_OUT_CSV_COLUMNS; i++) {
        int columns = 0, at = end_of_metadata(r) - 1;
        while ((at = find_column(r, qn_out_csv_names[i], at + 1)) != NONE)
            columns++;
        if (columns > count_word(events, qn_out_csv_names[i]))
            r->column[i] = find_column(r, qn_out_csv_names[i], end_of_metadata(r));
    }
    return r->column[QN_OUT_CSV_AT_ADDRESS] != NONE &&
                   r->column[QN_OUT_CSV_AT_BYTES] == NONE
               ? no_column(r, qn_out_csv_names[QN_OUT_CSV_AT_BYTES]) : QN_TEXT_OK;
}

static enum qn_text_status take_names(struct reading *r, const struct qn_text_csv_record *record)
{
    r->names = QN_NEEDED(calloc((size_t)record->count + 1, sizeof *r->names));
    r->metadata = QN_NEEDED(calloc((size_t)record->count + 1, sizeof *r->metadata));
    for (; r->name_count < record->count; r->name_count++)
        r->names[r->name_count] = QN_NEEDED(strdup(record->cells[r->name_count]));
    return find_columns(r);
}

static int is_desc(const struct reading *r, int column)
{
    if (column >= r->column[QN_OUT_CSV_EVENTS] || r->names[column][0] == '\0')
        return 0;
    for (int i = 0; i < QN_OUT_CSV_AT_OBJECT; i++)
        if (column == r->column[i])
            return 0;
    return 1;
}

/* Is the column the same in all rows of a profile?  The path need not be. */
static int is_metadata(const struct reading *r, int column)
{
    return is_desc(r, column) || column == r->column[QN_OUT_CSV_COMMAND] ||
           column == r->column[QN_OUT_CSV_EVENTS] || column == r->column[QN_OUT_CSV_SUMMARY];
}

/* The first column behind the place; of several events with one name, behind that of the one before. */
static int first_event_column(const struct reading *r, const char *name)
{
    int from = 0;
    for (int i = QN_OUT_CSV_AT_OBJECT; i < QN_OUT_CSV_COLUMNS; i++)
        if (r->column[i] >= from)
            from = r->column[i] + 1;
    for (int i = 0; i < r->event_count; i++)
        if (strcmp(r->events[i], name) == 0)
            from = r->event_column[i] + 1;
    return from;
}

static enum qn_text_status take_event(struct reading *r, char *name)
{
    int column = find_column(r, name, first_event_column(r, name));
    if (column == NONE)
        return no_column(r, name);
    r->event_column[r->event_count] = column;
    r->events[r->event_count++] = name;
    return QN_TEXT_OK;
}

static enum qn_text_status take_events(struct reading *r, const struct qn_text_csv_record *record)
{
    const char *cell = r->metadata[r->column[QN_OUT_CSV_EVENTS]];
    r->words = QN_NEEDED(strdup(cell));
    r->events = QN_NEEDED(calloc(QN_PROF_EVENTS_MAX, sizeof *r->events));
    r->event_column = QN_NEEDED(calloc(QN_PROF_EVENTS_MAX, sizeof *r->event_column));
    r->totals = QN_NEEDED(calloc(QN_PROF_EVENTS_MAX, sizeof *r->totals));
    char *rest, *name = strtok_r(r->words, " ", &rest);
    for (; name && r->event_count < QN_PROF_EVENTS_MAX; name = strtok_r(NULL, " ", &rest))
        if (take_event(r, name) != QN_TEXT_OK)
            return r->err->status;
    if (name || r->event_count == 0)
        return bad(r, record, name ? "too many events" : "no events", cell,
                              "names of 1 to 1024 events, with blanks between them");
    return QN_TEXT_OK;
}

static enum qn_text_status take_totals(struct reading *r, const struct qn_text_csv_record *record)
{
    const char *cell = r->metadata[r->column[QN_OUT_CSV_SUMMARY]], *p = cell;
    for (int i = 0; i < r->event_count && p; i++) {
        p = qn_text_parse_integer(p, &r->totals[i]);
        if (p && i + 1 < r->event_count)
            p = *p == ' ' ? p + 1 : NULL;
    }
    return p && *p == '\0' ? QN_TEXT_OK
                           : bad(r, record, "malformed summary", cell,
                                            "a number for each event, with blanks between them");
}

static enum qn_text_status check_cells(const struct reading *r,
                                       const struct qn_text_csv_record *record)
{
    return record->count == r->name_count
               ? QN_TEXT_OK
               : qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: wrong number of cells, got %d, wanted %d", r->path,
                              record->line, record->count, r->name_count);
}

static enum qn_text_status take_metadata(struct reading *r, const struct qn_text_csv_record *record)
{
    if (check_cells(r, record) != QN_TEXT_OK)
        return r->err->status;
    r->metadata_line = record->line;
    for (int i = 0; i < r->name_count; i++)
        if (is_metadata(r, i))
            r->metadata[i] = QN_NEEDED(strdup(record->cells[i]));
    if (find_insn_columns(r) != QN_TEXT_OK || take_events(r, record) != QN_TEXT_OK)
        return r->err->status;
    return take_totals(r, record);
}

static enum qn_text_status check_metadata(const struct reading *r,
                                        const struct qn_text_csv_record *record)
{
    if (check_cells(r, record) != QN_TEXT_OK)
        return r->err->status;
    for (int i = 0; i < r->name_count; i++)
        if (r->metadata[i] && strcmp(r->metadata[i], record->cells[i]) != 0)
            return qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: another profile in column `%s`, got `%.60s`, "
                                "wanted `%.60s` as in line %ld", r->path, record->line, r->names[i],
                                record->cells[i], r->metadata[i], r->metadata_line);
    return QN_TEXT_OK;
}

/* ---- rows ---- */

static const char *cell_of(const struct reading *r, const struct qn_text_csv_record *record,
                           enum qn_out_csv_column column)
{
    int at = r->column[column];
    return at == NONE ? "" : record->cells[at];
}

static enum qn_text_status take_counts(struct reading *r, const struct qn_text_csv_record *record)
{
    for (int i = 0; i < r->event_count; i++) {
        const char *cell = record->cells[r->event_column[i]];
        const char *end = qn_text_parse_integer(cell, &r->counts[i]);
        if (!end || *end)
            return bad(r, record, "malformed count", cell, "a 64-bit number");
    }
    return QN_TEXT_OK;
}

static int all_zero(const struct reading *r)
{
    for (int i = 0; i < r->event_count; i++)
        if (r->counts[i] != 0)
            return 0;
    return 1;
}

/* Adds to the table; `err` gets the place, which the table does not know. */
static enum qn_text_status noted(struct reading *r, const struct qn_text_csv_record *record,
                                 const struct qn_text_error *why)
{
    if (why->status == QN_TEXT_BAD)
        return bad(r, record, "sum out of range", cell_of(r, record, QN_OUT_CSV_AT_LINE),
                   "sums within 64 bits");
    return QN_TEXT_OK;
}

static enum qn_text_status add_insn(struct reading *r, const struct qn_text_csv_record *record,
                                    uint32_t fn, uint32_t line)
{
    const char *address = cell_of(r, record, QN_OUT_CSV_AT_ADDRESS);
    const char *bytes = cell_of(r, record, QN_OUT_CSV_AT_BYTES), *end;
    struct qn_prof_insn insn;
    struct qn_text_error why = {0};
    if (!*address && !*bytes && all_zero(r))
        return QN_TEXT_OK;
    if (!(end = qn_prof_parse_address(address, &insn.address)) || *end)
        return bad(r, record, "malformed address", address, "0x and hexadecimal digits");
    if (!(end = qn_prof_parse_bytes(bytes, &insn)) || *end)
        return bad(r, record, "malformed bytes", bytes, "at most 15 in hexadecimal, or -");
    qn_prof_table_add_insn(r->table, fn, line, &insn, r->counts, &why);
    return noted(r, record, &why);
}

/* The names of the place; QN_PROF_NO_FN where one is missing. */
static uint32_t find_fn(struct reading *r, const struct qn_text_csv_record *record)
{
    static const enum qn_out_csv_column columns[] = {QN_OUT_CSV_AT_OBJECT, QN_OUT_CSV_AT_FILE,
                                                     QN_OUT_CSV_AT_FUNCTION};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!*cell_of(r, record, columns[i])) {
            bad(r, record, "a name is missing", qn_out_csv_names[columns[i]], "a name in that column, or ???");
            return QN_PROF_NO_FN;
        }
    qn_prof_table_enter_object(r->table, cell_of(r, record, QN_OUT_CSV_AT_OBJECT));
    return qn_prof_table_fn(r->table, cell_of(r, record, QN_OUT_CSV_AT_FILE), cell_of(r, record, QN_OUT_CSV_AT_FUNCTION));
}

/* A profile without counts has a row without a place. */
static int has_no_place(const struct reading *r, const struct qn_text_csv_record *record)
{
    for (int i = QN_OUT_CSV_AT_OBJECT; i < QN_OUT_CSV_COLUMNS; i++)
        if (*cell_of(r, record, (enum qn_out_csv_column)i))
            return 0;
    return all_zero(r);
}

/* A line's own counts are the sums of its instructions. */
static enum qn_text_status add_row(struct reading *r, const struct qn_text_csv_record *record)
{
    const char *line = cell_of(r, record, QN_OUT_CSV_AT_LINE), *end;
    struct qn_text_error why = {0};
    int64_t number;
    if (has_no_place(r, record))
        return QN_TEXT_OK;
    if (!(end = qn_text_parse_integer(line, &number)) || *end || number < 0 || number > UINT32_MAX)
        return bad(r, record, "malformed line number", line, "a number below 2^32");
    uint32_t fn = find_fn(r, record);
    if (fn == QN_PROF_NO_FN)
        return r->err->status;
    qn_prof_table_add_line(r->table, fn, (uint32_t)number, r->counts, &why);
    if (noted(r, record, &why) != QN_TEXT_OK)
        return r->err->status;
    return r->column[QN_OUT_CSV_AT_ADDRESS] == NONE
               ? QN_TEXT_OK : add_insn(r, record, fn, (uint32_t)number);
}

static enum qn_text_status take_first(struct reading *r, const struct qn_text_csv_record *record)
{
    if (take_metadata(r, record) != QN_TEXT_OK)
        return r->err->status;
    r->counts = QN_NEEDED(calloc((size_t)r->event_count, sizeof *r->counts));
    r->table = qn_prof_new_table(r->event_count);
    return QN_TEXT_OK;
}

/* Spreadsheets write rows of empty cells below a table. */
static int is_empty(const struct qn_text_csv_record *record)
{
    for (int i = 0; i < record->count; i++)
        if (record->cells[i][0])
            return 0;
    return 1;
}

static enum qn_text_status take_record(struct reading *r, const struct qn_text_csv_record *record)
{
    if (!r->names)
        return take_names(r, record);
    if (is_empty(record))
        return QN_TEXT_OK;
    if ((r->table ? check_metadata(r, record) : take_first(r, record)) != QN_TEXT_OK)
        return r->err->status;
    return take_counts(r, record) == QN_TEXT_OK ? add_row(r, record) : r->err->status;
}

static enum qn_text_status read_records(struct reading *r)
{
    struct qn_text_csv_record record;
    struct qn_text_csv *csv = qn_text_open_csv(r->path, r->err);
    enum qn_text_status status = csv ? QN_TEXT_OK : r->err->status;
    while (status == QN_TEXT_OK && qn_text_next_record(csv, &record, r->err) > 0) {
        r->line = record.line;
        status = take_record(r, &record);
    }
    qn_text_close_csv(csv);
    if (r->err->status == QN_TEXT_OK && !r->table)
        qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: no rows, got the end of the file, wanted a profile",
                     r->path, r->line + 1);
    return r->err->status;
}

static enum qn_text_status check_totals(struct reading *r)
{
    const int64_t *sums = qn_prof_table_totals(r->table);
    for (int i = 0; i < r->event_count; i++)
        if (qn_prof_count(sums[i]) != r->totals[i])
            return qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: the rows do not add up to `summary`, got %" PRId64
                                " %s, wanted %" PRId64, r->path, r->line, qn_prof_count(sums[i]),
                                r->events[i], r->totals[i]);
    return QN_TEXT_OK;
}

static void write_descs(const struct reading *r, struct qn_prof_writer *w)
{
    struct qn_text_buffer desc = {0};
    for (int i = 0; i < r->column[QN_OUT_CSV_EVENTS]; i++) {
        if (!is_desc(r, i) || !r->metadata[i][0])
            continue;
        qn_out_csv_join_desc(&desc, r->names[i], r->metadata[i]);
        qn_prof_put_desc(w, desc.text);
    }
    free(desc.text);
}

static void write_profile(struct reading *r, struct qn_prof_writer *w)
{
    write_descs(r, w);
    qn_prof_put_cmd(w, r->metadata[r->column[QN_OUT_CSV_COMMAND]]);
    qn_prof_put_events(w, (const char *const *)r->events, r->event_count);
    qn_prof_table_write(r->table, w);
}

enum qn_text_status qn_out_read_csv(const char *path, struct qn_prof_writer *w, struct qn_text_error *err)
{
    struct reading r = {.path = path, .err = err};
    if (read_records(&r) == QN_TEXT_OK && check_totals(&r) == QN_TEXT_OK)
        write_profile(&r, w);
    for (int i = 0; i < r.name_count; i++) {
        free(r.names[i]);
        free(r.metadata[i]);
    }
    free(r.names);
    free(r.metadata);
    free(r.words);
    free(r.events);
    free(r.event_column);
    free(r.totals);
    free(r.counts);
    qn_prof_free_table(r.table);
    return err->status;
}
