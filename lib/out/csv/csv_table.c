/*
 * Records of a CSV file, by libcsv. See csv_table.h.
 *
 * In:  lines, given to the parser one by one, so that it is known which of them is at fault
 * Out: records
 *
 * Invariants: `text` holds the cells of the record in the making, each with a NUL behind it, at
 * `starts`; a record is ready where `done` is set, and then nothing is left of its last line.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "out/csv/csv_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "text/input.h"
#include "text/subst.h"
#include "prof/write.h"


#include <csv.h>

/* A cell longer than this is one whose closing quote is lost. */
#define CELL_MAX_BYTES ((size_t)1 << 26)

struct qn_out_csv_table {
    struct csv_parser parser;
    struct qn_text_lines lines;
    char *path;
    struct qn_text_buffer text;
    size_t *starts;
    const char **cells;
    int count, starts_room, cells_room;
    long first_line; /* of the record in the making; 0: none */
    long records;    /* without the line of names */
    int names;       /* how many, where the last is QN_PROF_ROWS_COLUMN; else 0 */
    char *rows;      /* what the last record has in that column */
    int done, has_nul, has_names;
};

/* Every blank belongs to its cell; libcsv would cut them off. */
static int no_space(unsigned char c)
{
    (void)c;
    return 0;
}

static void take_cell(void *cell, size_t n, void *data)
{
    struct qn_out_csv_table *t = data;
    QN_MORE(t->starts, t->count, t->starts_room, 64);
    QN_MORE(t->cells, t->count, t->cells_room, 64);
    t->starts[t->count++] = t->text.length;
    t->has_nul |= n > 0 && memchr(cell, '\0', n) != NULL;
    if (n > 0)
        qn_text_append(&t->text, cell, n);
    qn_text_append(&t->text, "", 1);
}

static void take_end(int c, void *data)
{
    (void)c;
    ((struct qn_out_csv_table *)data)->done++;
}

struct qn_out_csv_table *qn_out_open_csv(const char *path, struct qn_text_error *err)
{
    struct qn_out_csv_table *t = QN_NEEDED(calloc(1, sizeof *t));
    t->path = QN_NEEDED(strdup(path));
    csv_init(&t->parser, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_space_func(&t->parser, no_space);
    if (qn_text_open_lines(&t->lines, t->path, err) == QN_TEXT_OK)
        return t;
    qn_out_close_csv(t);
    return NULL;
}

void qn_out_close_csv(struct qn_out_csv_table *t)
{
    if (!t)
        return;
    csv_free(&t->parser);
    qn_text_close_lines(&t->lines);
    free(t->text.text);
    free(t->rows);
    free(t->starts);
    free(t->cells);
    free(t->path);
    free(t);
}

static int malformed(const struct qn_out_csv_table *t, const char *got, const char *wanted,
                     struct qn_text_error *err)
{
    qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: malformed row, got %s, wanted %s", t->path,
                 t->first_line ? t->first_line : t->lines.number, got, wanted);
    return -1;
}

/* Gives n bytes to the parser. */
static int parse(struct qn_out_csv_table *t, const char *text, size_t n, struct qn_text_error *err)
{
    if (csv_parse(&t->parser, text, n, take_cell, take_end, t) != n) {
        if (csv_error(&t->parser) == CSV_EPARSE)
            return malformed(t, "a quote inside a cell", "quotes around the cell, and doubled in it", err);
        qn_no_memory();
    }
    if (t->has_nul)
        return malformed(t, "a NUL byte", "text", err);
    if (t->done > 1)
        return malformed(t, "a carriage return inside", "lines that end with CRLF or LF", err);
    if (csv_get_buffer_size(&t->parser) > CELL_MAX_BYTES)
        return malformed(t, "an endless cell", "a closing quote", err);
    return 0;
}

/* Gives the parser one line with its end. */
static int parse_line(struct qn_out_csv_table *t, char *text, size_t n, struct qn_text_error *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* U+FEFF in UTF-8 */
    if (t->lines.number == 1 && n >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0) {
        text += sizeof mark - 1;
        n -= sizeof mark - 1;
    }
    if (!t->first_line)
        t->first_line = t->lines.number;
    return parse(t, text, n, err) == 0 ? parse(t, "\n", 1, err) : -1;
}

static int finish(struct qn_out_csv_table *t, struct qn_text_error *err)
{
    char records[32];

    if (csv_fini(&t->parser, take_cell, take_end, t) != 0)
        return malformed(t, "the end of the file in a quoted cell", "a closing quote", err);
    snprintf(records, sizeof records, "%ld", t->records);
    if (t->names && !t->rows)
        return malformed(t, "the end of the file behind the names", "rows", err);
    if (!t->rows || strcmp(t->rows, records) == 0)
        return 0;
    qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: cut off or changed: got %ld rows, wanted %.20s as column " QN_PROF_ROWS_COLUMN " says",
                 t->path, t->lines.number, t->records, t->rows);
    return -1;
}

/* A table may say how many rows it has. */
static int count_record(struct qn_out_csv_table *t, struct qn_text_error *err)
{
    const char *last = t->count ? t->cells[t->count - 1] : "";
    if (!t->has_names) {
        t->has_names = 1;
        t->names = strcmp(last, QN_PROF_ROWS_COLUMN) == 0 ? t->count : 0;
        return 0;
    }
    t->records++;
    if (!t->names)
        return 0;
    if (t->count != t->names)
        return malformed(t, "too few or too many cells", "one for each name", err);
    free(t->rows);
    t->rows = QN_NEEDED(strdup(last));
    return 0;
}

int qn_out_next_record(struct qn_out_csv_table *t, struct qn_out_csv_record *record,
                       struct qn_text_error *err)
{
    t->text.length = 0;
    t->count = t->done = 0;
    t->first_line = 0;
    while (!t->done) {
        char *text;
        size_t n;
        int got = qn_text_next_line(&t->lines, &text, &n, err);
        if (got == 0)
            return finish(t, err);
        int is_blank = n == 0 && !t->first_line;
        if (got < 0 || (!is_blank && parse_line(t, text, n, err) != 0))
            return -1;
    }
    for (int i = 0; i < t->count; i++)
        t->cells[i] = t->text.text + t->starts[i];
    *record = (struct qn_out_csv_record){t->cells, t->count, t->first_line};
    return count_record(t, err) == 0 ? 1 : -1;
}

