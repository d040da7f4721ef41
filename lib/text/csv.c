/* lib/text/csv.c - see csv.h.
 *
 * In:  lines.  One without quotes is split at its commas in place, which is several times as fast as libcsv; the others go to libcsv one by
 *      one, so that messages can name the line at fault
 * Out: records; tables
 *
 * Invariants: `text` holds the cells that libcsv has completed, each with a NUL behind it, at `starts`.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "text/csv.h"

#include <csv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "text/input.h"
#include "text/output.h"

#define CELL_MAX_BYTES ((size_t)1 << 26) /* a longer cell is one whose closing quote is lost */
#define WHOLE_DIGITS 15                  /* each number of so many is a double */

/* ---- records ---- */

struct qn_text_csv {
    struct csv_parser parser;
    struct qn_text_lines lines;
    char *path;
    struct qn_text_buffer text;
    size_t *starts;
    const char **cells;
    int count, starts_room, cells_room;
    long first_line; /* of the record in the making; 0: none */
    long records;    /* without the line of names */
    int names;       /* how many, where the last is QN_TEXT_ROWS_COLUMN; else 0 */
    char *rows;      /* what the last record has in that column */
    int done;        /* records that libcsv has completed since the last one was handed out */
    bool has_names;
};

/* Every blank belongs to its cell; libcsv would cut them off. */
static int no_space(unsigned char c)
{
    (void)c;
    return 0;
}

static void take_cell(void *cell, size_t n, void *data)
{
    struct qn_text_csv *t = data;

    QN_MORE(t->starts, t->count, t->starts_room, 64);
    t->starts[t->count++] = t->text.length;
    if (n > 0)
        qn_text_append(&t->text, cell, n);
    qn_text_append(&t->text, "", 1);
}

static void take_end(int c, void *data)
{
    (void)c;
    ((struct qn_text_csv *)data)->done++;
}

struct qn_text_csv *qn_text_open_csv(const char *path, struct qn_text_error *err)
{
    struct qn_text_csv *t = QN_NEEDED(calloc(1, sizeof *t));

    t->path = QN_NEEDED(strdup(path));
    csv_init(&t->parser, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_space_func(&t->parser, no_space);
    if (qn_text_open_lines(&t->lines, t->path, err) == QN_TEXT_OK)
        return t;
    qn_text_close_csv(t);
    return NULL;
}

void qn_text_close_csv(struct qn_text_csv *t)
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

static int malformed(const struct qn_text_csv *t, const char *got, const char *wanted, struct qn_text_error *err)
{
    qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: malformed row, got %s, wanted %s", t->path, t->first_line ? t->first_line : t->lines.number, got,
                 wanted);
    return -1;
}

/* Gives n bytes to libcsv. */
static int parse(struct qn_text_csv *t, const char *text, size_t n, struct qn_text_error *err)
{
    if (csv_parse(&t->parser, text, n, take_cell, take_end, t) != n) {
        if (csv_error(&t->parser) == CSV_EPARSE)
            return malformed(t, "a quote inside a cell", "quotes around the cell, and doubled in it", err);
        qn_no_memory();
    }
    if (t->done > 1)
        return malformed(t, "a carriage return inside", "lines that end with CRLF or LF", err);
    if (csv_get_buffer_size(&t->parser) > CELL_MAX_BYTES)
        return malformed(t, "an endless cell", "a closing quote", err);
    return 0;
}

static void split(struct qn_text_csv *t, char *text)
{
    for (char *comma = text; comma; text = comma + 1) {
        QN_MORE(t->cells, t->count, t->cells_room, 64);
        t->cells[t->count++] = text;
        comma = strchr(text, ',');
        if (!comma)
            break;
        *comma = 0;
    }
    t->done = 1;
}

#define MARK "\xef\xbb\xbf" /* U+FEFF in UTF-8: the first bytes of a file, which are no text */

static bool begins_with_mark(const char *text) { return !strncmp(text, MARK, strlen(MARK)); }
static bool is_of_profile(const char *text) { return !strncmp(text, "desc:", 5) || !strncmp(text, "cmd:", 4) || !strncmp(text, "events:", 7); }

/* Takes a line, without its end, into the record. */
static int take_line(struct qn_text_csv *t, char *text, size_t n, struct qn_text_error *err)
{
    if (t->lines.number == 1 && begins_with_mark(text)) {
        text += strlen(MARK);
        n -= strlen(MARK);
    }
    if (!t->has_names && !t->first_line && is_of_profile(text)) {
        qn_text_fail(err, QN_TEXT_BAD, "%s: got a profile, wanted a table of comma-separated values", t->path);
        return -1;
    }
    if (memchr(text, '\0', n))
        return malformed(t, "a NUL byte", "text", err);
    if (!t->first_line && !memchr(text, '"', n) && !memchr(text, '\r', n)) {
        t->first_line = t->lines.number;
        split(t, text);
        return 0;
    }
    if (!t->first_line)
        t->first_line = t->lines.number;
    if (parse(t, text, n, err) != 0 || parse(t, "\n", 1, err) != 0)
        return -1;
    for (int i = 0; t->done && i < t->count; i++) {
        QN_MORE(t->cells, i, t->cells_room, 64);
        t->cells[i] = t->text.text + t->starts[i];
    }
    return 0;
}

static int finish(struct qn_text_csv *t, struct qn_text_error *err)
{
    char records[32];

    if (csv_fini(&t->parser, take_cell, take_end, t) != 0)
        return malformed(t, "the end of the file in a quoted cell", "a closing quote", err);
    snprintf(records, sizeof records, "%ld", t->records);
    if (t->names && !t->rows)
        return malformed(t, "the end of the file behind the names", "rows", err);
    if (!t->rows || strcmp(t->rows, records) == 0)
        return 0;
    qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: cut off or changed: got %ld rows, wanted %.20s as column " QN_TEXT_ROWS_COLUMN " says", t->path,
                 t->lines.number, t->records, t->rows);
    return -1;
}

/* A table may say how many rows it has. */
static int count_record(struct qn_text_csv *t, struct qn_text_error *err)
{
    const char *last = t->count ? t->cells[t->count - 1] : "";

    if (!t->has_names) {
        t->has_names = true;
        t->names = strcmp(last, QN_TEXT_ROWS_COLUMN) == 0 ? t->count : 0;
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

int qn_text_next_record(struct qn_text_csv *t, struct qn_text_csv_record *record, struct qn_text_error *err)
{
    t->text.length = 0;
    t->count = t->done = 0;
    t->first_line = 0;
    while (!t->done) {
        char *text;
        size_t n;
        int got = qn_text_next_line(&t->lines, &text, &n, err);
        bool is_empty = n == 0 && !t->first_line;

        if (got == 0)
            return finish(t, err);
        if (got < 0 || (!is_empty && take_line(t, text, n, err) != 0))
            return -1;
    }
    *record = (struct qn_text_csv_record){ t->cells, t->count, t->first_line };
    return count_record(t, err) == 0 ? 1 : -1;
}

/* ---- tables ---- */

void qn_text_free_table(struct qn_text_table *t) { qn_text_free_memory(&t->memory); }

int qn_text_find_column(const struct qn_text_table *t, const char *name)
{
    for (int i = 0; i < t->column_count; i++)
        if (!strcmp(t->columns[i], name))
            return i;
    return -1;
}

int qn_text_add_column(struct qn_text_table *t, const char *name)
{
    t->columns = qn_text_grow(&t->memory, t->columns, (size_t)t->column_count, sizeof *t->columns);
    t->columns[t->column_count] = qn_text_copy(&t->memory, name);
    return t->column_count++;
}

char **qn_text_add_row(struct qn_text_table *t)
{
    static char empty[] = "";
    char **row = qn_text_alloc(&t->memory, (size_t)t->column_count * sizeof *row);

    for (int i = 0; i < t->column_count; i++)
        row[i] = empty;
    t->rows = qn_text_grow(&t->memory, t->rows, (size_t)t->row_count, sizeof *t->rows);
    return t->rows[t->row_count++] = row;
}

/* Most cells are whole numbers, for which strtod takes long. */
static bool read_whole(const char *cell, double *number)
{
    uint64_t whole = 0;
    int digits = 0;

    for (; digits < WHOLE_DIGITS && (unsigned char)(cell[digits] - '0') < 10; digits++)
        whole = 10 * whole + (unsigned char)(cell[digits] - '0');
    *number = (double)whole;
    return digits && !cell[digits];
}

double qn_text_number(const struct qn_text_table *t, int row, int column)
{
    double number;

    return read_whole(qn_text_cell(t, row, column), &number) ? number : strtod(qn_text_cell(t, row, column), NULL);
}

bool qn_text_cell_number(const struct qn_text_table *t, int row, int column, double *number)
{
    const char *cell = qn_text_cell(t, row, column);
    char *end;

    if (read_whole(cell, number))
        return true;
    *number = strtod(cell, &end);
    return *cell && !*end;
}

/* ---- reading ---- */

static enum qn_text_status take_record(struct qn_text_table *t, const struct qn_text_csv *csv, const struct qn_text_csv_record *r,
                                       struct qn_text_error *err)
{
    char **row;

    if (!csv->lines.is_whole)
        return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: cut off: got no newline at the end, wanted one", csv->path, csv->lines.number);
    if (!t->column_count) {
        for (int i = 0; i < r->count; i++)
            qn_text_add_column(t, r->cells[i]);
        return QN_TEXT_OK;
    }
    if (r->count != t->column_count)
        return qn_text_fail(err, QN_TEXT_BAD, "%s:%ld: cells: got %d, wanted %d", csv->path, r->line, r->count, t->column_count);
    row = qn_text_add_row(t);
    for (int i = 0; i < r->count; i++)
        row[i] = qn_text_copy(&t->memory, r->cells[i]);
    return QN_TEXT_OK;
}

enum qn_text_status qn_text_read_table(struct qn_text_table *t, const char *path, struct qn_text_error *err)
{
    struct qn_text_csv *csv = qn_text_open_csv(path, err);
    struct qn_text_csv_record record;

    while (csv && qn_text_next_record(csv, &record, err) > 0 && take_record(t, csv, &record, err) == QN_TEXT_OK)
        continue;
    qn_text_close_csv(csv);
    if (err->status == QN_TEXT_OK && !t->column_count)
        qn_text_fail(err, QN_TEXT_BAD, "%s: empty, wanted a line of names", path);
    return err->status;
}

/* ---- writing ---- */

/* Some spreadsheets split at semicolons, or cut blanks off.  What is text must not be taken for a file's mark, or for a profile. */
bool qn_text_needs_quotes(const char *cell)
{
    size_t n = strlen(cell);

    return strpbrk(cell, ",\";\r\n") || begins_with_mark(cell) || is_of_profile(cell) ||
           (n && (strchr(" \t", cell[0]) || strchr(" \t", cell[n - 1])));
}

bool qn_text_write_cell(FILE *out, const char *cell)
{
    return qn_text_needs_quotes(cell) ? csv_fwrite(out, cell, strlen(cell)) == 0 : fputs(cell, out) >= 0;
}

void qn_text_append_cell(struct qn_text_buffer *to, const char *cell)
{
    size_t n = strlen(cell), room = 2 * n + 2; /* every byte a quote, and two around */
    char *quoted;

    if (!qn_text_needs_quotes(cell)) {
        qn_text_append(to, cell, n);
        return;
    }
    quoted = QN_NEEDED(malloc(room));
    qn_text_append(to, quoted, csv_write2(quoted, room, cell, n, CSV_QUOTE));
    free(quoted);
}

static void put_row(FILE *out, char *const *cells, int count)
{
    for (int i = 0; i < count; i++) {
        if (i)
            putc(',', out);
        qn_text_write_cell(out, cells[i]);
    }
    if (count == 1 && !*cells[0])
        fputs("\"\"", out); /* an empty line would not be read as a row */
    putc('\n', out);
}

void qn_text_put_table(FILE *out, const struct qn_text_table *t)
{
    put_row(out, t->columns, t->column_count);
    for (int i = 0; i < t->row_count; i++)
        put_row(out, t->rows[i], t->column_count);
}

enum qn_text_status qn_text_write_table(const struct qn_text_table *t, const char *path, struct qn_text_error *err)
{
    struct qn_text_output o;

    if (qn_text_open_output(&o, path, QN_TEXT_SHARED, err) != QN_TEXT_OK)
        return err->status;
    qn_text_put_table(qn_text_stream_output(&o), t);
    return qn_text_close_output(&o, err);
}
