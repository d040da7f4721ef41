/*
 * Columns of a CSV that is read. See csv_map.h.
 *
 * In:  profile,command,D1 cache,events,summary,object,file,function,line,Ir,Dr
 * Out: column[QN_OUT_CSV_COMMAND] == 1, ..., event_column {9, 10}
 */
#include "out/csv/csv_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "text/digits.h"
#include "prof/read.h"

enum qn_text_status qn_out_csv_bad(const char *path, const struct qn_out_csv_record *record,
                                   const char *what, const char *got, const char *wanted,
                                   struct qn_text_error *err)
{
    return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: %s, got `%.60s`, wanted %s", path, record->line, what,
                        got, wanted);
}

static int find_column(const struct qn_out_csv_map *m, const char *name, int from)
{
    for (int i = from; i < m->name_count; i++)
        if (strcmp(m->names[i], name) == 0)
            return i;
    return QN_OUT_CSV_NONE;
}

static enum qn_text_status no_column(const struct qn_out_csv_map *m, const char *name,
                                     struct qn_text_error *err)
{
    return qn_text_fail(err, QN_TEXT_BAD, "%s:1: no column `%s`, got %d others, wanted what `quern csv "
                        "--by=line` or `--by=instruction` writes", m->path, name, m->name_count);
}

/* Behind the columns that say what the profile is. */
static int end_of_metadata(const struct qn_out_csv_map *m)
{
    int events = m->column[QN_OUT_CSV_EVENTS], totals = m->column[QN_OUT_CSV_SUMMARY];
    return (events > totals ? events : totals) + 1;
}

/* The columns that every kind of rows has; those of instructions are looked for once events are known. */
static enum qn_text_status find_columns(struct qn_out_csv_map *m, struct qn_text_error *err)
{
    for (int i = 0; i < QN_OUT_CSV_COLUMNS; i++) {
        int from = i >= QN_OUT_CSV_AT_OBJECT ? end_of_metadata(m) : 0;
        m->column[i] = i < QN_OUT_CSV_AT_ADDRESS ? find_column(m, qn_out_csv_names[i], from) : QN_OUT_CSV_NONE;
        if (m->column[i] == QN_OUT_CSV_NONE && i != QN_OUT_CSV_PROFILE && i < QN_OUT_CSV_AT_ADDRESS)
            return no_column(m, qn_out_csv_names[i], err);
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
static enum qn_text_status find_insn_columns(struct qn_out_csv_map *m, struct qn_text_error *err)
{
    const char *events = m->metadata[m->column[QN_OUT_CSV_EVENTS]];
    for (int i = QN_OUT_CSV_AT_ADDRESS; i < QN_OUT_CSV_COLUMNS; i++) {
        int columns = 0, at = end_of_metadata(m) - 1;
        while ((at = find_column(m, qn_out_csv_names[i], at + 1)) != QN_OUT_CSV_NONE)
            columns++;
        if (columns > count_word(events, qn_out_csv_names[i]))
            m->column[i] = find_column(m, qn_out_csv_names[i], end_of_metadata(m));
    }
    return m->column[QN_OUT_CSV_AT_ADDRESS] != QN_OUT_CSV_NONE &&
                   m->column[QN_OUT_CSV_AT_BYTES] == QN_OUT_CSV_NONE
               ? no_column(m, qn_out_csv_names[QN_OUT_CSV_AT_BYTES], err) : QN_TEXT_OK;
}

enum qn_text_status qn_out_csv_map_names(struct qn_out_csv_map *m, const struct qn_out_csv_record *record,
                                         struct qn_text_error *err)
{
    m->names = QN_NEEDED(calloc((size_t)record->count + 1, sizeof *m->names));
    m->metadata = QN_NEEDED(calloc((size_t)record->count + 1, sizeof *m->metadata));
    for (; m->name_count < record->count; m->name_count++)
        m->names[m->name_count] = QN_NEEDED(strdup(record->cells[m->name_count]));
    return find_columns(m, err);
}

int qn_out_csv_is_desc(const struct qn_out_csv_map *m, int column)
{
    if (column >= m->column[QN_OUT_CSV_EVENTS] || m->names[column][0] == '\0')
        return 0;
    for (int i = 0; i < QN_OUT_CSV_AT_OBJECT; i++)
        if (column == m->column[i])
            return 0;
    return 1;
}

/* Is the column the same in all rows of a profile?  The path need not be. */
static int is_metadata(const struct qn_out_csv_map *m, int column)
{
    return qn_out_csv_is_desc(m, column) || column == m->column[QN_OUT_CSV_COMMAND] ||
           column == m->column[QN_OUT_CSV_EVENTS] || column == m->column[QN_OUT_CSV_SUMMARY];
}

/* The first column behind the place; of several events with one name, behind that of the one before. */
static int first_event_column(const struct qn_out_csv_map *m, const char *name)
{
    int from = 0;
    for (int i = QN_OUT_CSV_AT_OBJECT; i < QN_OUT_CSV_COLUMNS; i++)
        if (m->column[i] >= from)
            from = m->column[i] + 1;
    for (int i = 0; i < m->event_count; i++)
        if (strcmp(m->events[i], name) == 0)
            from = m->event_column[i] + 1;
    return from;
}

static enum qn_text_status take_event(struct qn_out_csv_map *m, char *name, struct qn_text_error *err)
{
    int column = find_column(m, name, first_event_column(m, name));
    if (column == QN_OUT_CSV_NONE)
        return no_column(m, name, err);
    m->event_column[m->event_count] = column;
    m->events[m->event_count++] = name;
    return QN_TEXT_OK;
}

static enum qn_text_status take_events(struct qn_out_csv_map *m, const struct qn_out_csv_record *record,
                                       struct qn_text_error *err)
{
    const char *cell = m->metadata[m->column[QN_OUT_CSV_EVENTS]];
    m->words = QN_NEEDED(strdup(cell));
    m->events = QN_NEEDED(calloc(QN_PROF_EVENTS_MAX, sizeof *m->events));
    m->event_column = QN_NEEDED(calloc(QN_PROF_EVENTS_MAX, sizeof *m->event_column));
    m->totals = QN_NEEDED(calloc(QN_PROF_EVENTS_MAX, sizeof *m->totals));
    char *rest, *name = strtok_r(m->words, " ", &rest);
    for (; name && m->event_count < QN_PROF_EVENTS_MAX; name = strtok_r(NULL, " ", &rest))
        if (take_event(m, name, err) != QN_TEXT_OK)
            return err->status;
    if (name || m->event_count == 0)
        return qn_out_csv_bad(m->path, record, name ? "too many events" : "no events", cell,
                              "names of 1 to 1024 events, with blanks between them", err);
    return QN_TEXT_OK;
}

static enum qn_text_status take_totals(struct qn_out_csv_map *m, const struct qn_out_csv_record *record,
                                       struct qn_text_error *err)
{
    const char *cell = m->metadata[m->column[QN_OUT_CSV_SUMMARY]], *p = cell;
    for (int i = 0; i < m->event_count && p; i++) {
        p = qn_text_parse_integer(p, &m->totals[i]);
        if (p && i + 1 < m->event_count)
            p = *p == ' ' ? p + 1 : NULL;
    }
    return p && *p == '\0' ? QN_TEXT_OK
                           : qn_out_csv_bad(m->path, record, "malformed summary", cell,
                                            "a number for each event, with blanks between them", err);
}

static enum qn_text_status check_cells(const struct qn_out_csv_map *m,
                                       const struct qn_out_csv_record *record, struct qn_text_error *err)
{
    return record->count == m->name_count
               ? QN_TEXT_OK
               : qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: wrong number of cells, got %d, wanted %d", m->path,
                              record->line, record->count, m->name_count);
}

enum qn_text_status qn_out_csv_map_first(struct qn_out_csv_map *m, const struct qn_out_csv_record *record,
                                         struct qn_text_error *err)
{
    if (check_cells(m, record, err) != QN_TEXT_OK)
        return err->status;
    m->metadata_line = record->line;
    for (int i = 0; i < m->name_count; i++)
        if (is_metadata(m, i))
            m->metadata[i] = QN_NEEDED(strdup(record->cells[i]));
    if (find_insn_columns(m, err) != QN_TEXT_OK || take_events(m, record, err) != QN_TEXT_OK)
        return err->status;
    return take_totals(m, record, err);
}

enum qn_text_status qn_out_csv_map_next(const struct qn_out_csv_map *m,
                                        const struct qn_out_csv_record *record, struct qn_text_error *err)
{
    if (check_cells(m, record, err) != QN_TEXT_OK)
        return err->status;
    for (int i = 0; i < m->name_count; i++)
        if (m->metadata[i] && strcmp(m->metadata[i], record->cells[i]) != 0)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: another profile in column `%s`, got `%.60s`, "
                                "wanted `%.60s` as in line %ld", m->path, record->line, m->names[i],
                                record->cells[i], m->metadata[i], m->metadata_line);
    return QN_TEXT_OK;
}

void qn_out_csv_free_map(struct qn_out_csv_map *m)
{
    for (int i = 0; i < m->name_count; i++) {
        free(m->names[i]);
        free(m->metadata[i]);
    }
    free(m->names);
    free(m->metadata);
    free(m->words);
    free(m->events);
    free(m->event_column);
    free(m->totals);
    memset(m, 0, sizeof *m);
}
