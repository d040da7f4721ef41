/* lib/exp/table.c - see table.h. */
#define _GNU_SOURCE
#include "exp/table.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <csv.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "text/output.h"

#define WHOLE_DIGITS 15 /* each number of so many is a double */

void qn_exp_free_table(struct qn_exp_table *t) { qn_exp_free_memory(&t->memory); }

int qn_exp_find_column(const struct qn_exp_table *t, const char *name)
{
    for (int i = 0; i < t->column_count; i++)
        if (!strcmp(t->columns[i], name))
            return i;
    return -1;
}

int qn_exp_add_column(struct qn_exp_table *t, const char *name)
{
    t->columns = qn_exp_grow(&t->memory, t->columns, (size_t)t->column_count, sizeof *t->columns);
    t->columns[t->column_count] = qn_exp_copy(&t->memory, name);
    return t->column_count++;
}

char **qn_exp_add_row(struct qn_exp_table *t)
{
    static char empty[] = "";
    char **row = qn_exp_alloc(&t->memory, (size_t)t->column_count * sizeof *row);

    for (int i = 0; i < t->column_count; i++)
        row[i] = empty;
    t->rows = qn_exp_grow(&t->memory, t->rows, (size_t)t->row_count, sizeof *t->rows);
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

double qn_exp_number(const struct qn_exp_table *t, int row, int column)
{
    double number;

    return read_whole(qn_exp_cell(t, row, column), &number) ? number : strtod(qn_exp_cell(t, row, column), NULL);
}

bool qn_exp_cell_number(const struct qn_exp_table *t, int row, int column, double *number)
{
    const char *cell = qn_exp_cell(t, row, column);
    char *end;

    if (read_whole(cell, number))
        return true;
    *number = strtod(cell, &end);
    return *cell && !*end;
}

bool qn_exp_write_cell(FILE *out, const char *cell)
{
    size_t n = strlen(cell);

    if (!strpbrk(cell, ",\"\r\n") && (!n || (!strchr(" \t", cell[0]) && !strchr(" \t", cell[n - 1]))))
        return fputs(cell, out) >= 0;
    return csv_fwrite(out, cell, n) == 0;
}


/* ---- reading ---- */

struct reading {
    struct qn_exp_table *t;
    const char *path;
    struct qn_text_error *err;
    long line;     /* of the file */
    char **row;    /* being filled; NULL: the line of names */
    int cells;     /* so far in this line */
    bool has_names;
    bool inside;   /* a row that libcsv has begun */
};

static void take_cell(void *text, size_t length, void *data)
{
    struct reading *r = data;

    if (!r->has_names) {
        qn_exp_add_column(r->t, qn_exp_copy_part(&r->t->memory, text, length));
        return;
    }
    if (!r->row)
        r->row = qn_exp_add_row(r->t);
    if (r->cells < r->t->column_count)
        r->row[r->cells] = qn_exp_copy_part(&r->t->memory, text, length);
    r->cells++;
}

static void take_end(int terminator, void *data)
{
    struct reading *r = data;

    (void)terminator;
    if (r->has_names && r->cells != r->t->column_count)
        qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: cells: got %d, wanted %d", r->path, r->line, r->cells,
                     r->t->column_count);
    r->has_names = true;
    r->inside = false;
    r->row = NULL;
    r->cells = 0;
}

/* Splits a row at its commas; false: it has quotes or blanks, which libcsv knows. */
static bool take_plain_row(struct reading *r, char *line, size_t length)
{
    char *end = line + length - 1;

    if (r->inside || strpbrk(line, "\" \t\r"))
        return false;
    for (char *cell = line, *comma; length > 1 && cell <= end; cell = comma + 1) {
        comma = memchr(cell, ',', (size_t)(end - cell));
        comma = comma ? comma : end;
        take_cell(cell, (size_t)(comma - cell), r);
    }
    if (length > 1)
        take_end('\n', r);
    return true;
}

static bool take_row(struct reading *r, struct csv_parser *parser, char *line, size_t length)
{
    if (take_plain_row(r, line, length))
        return true;
    r->inside = true;
    return csv_parse(parser, line, length, take_cell, take_end, r) == length;
}

/* Parses line by line, so that messages can name the line. */
static enum qn_text_status parse(struct reading *r, struct csv_parser *parser, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;

    while (r->err->status == QN_TEXT_OK && (n = getline(&line, &room, file)) > 0) {
        r->line++;
        if (r->line == 1 && (!strncmp(line, "desc:", 5) || !strncmp(line, "cmd:", 4) || !strncmp(line, "events:", 7)))
            qn_text_fail(r->err, QN_TEXT_BAD, "%s: got a profile, wanted a table of comma-separated values", r->path);
        else if (memchr(line, 0, (size_t)n))
            qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: got a NUL byte, wanted text", r->path, r->line);
        else if (line[n - 1] != '\n')
            qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: cut off: got no newline at the end, wanted one", r->path, r->line);
        else if (!take_row(r, parser, line, (size_t)n))
            qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: %s", r->path, r->line, csv_strerror(csv_error(parser)));
    }
    free(line);
    if (r->err->status == QN_TEXT_OK && csv_fini(parser, take_cell, take_end, r))
        qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: a quoted cell that does not end", r->path, r->line);
    if (r->err->status == QN_TEXT_OK && !r->has_names)
        qn_text_fail(r->err, QN_TEXT_BAD, "%s: empty, wanted a line of names", r->path);
    return r->err->status;
}

enum qn_text_status qn_exp_read_table(struct qn_exp_table *t, const char *path, struct qn_text_error *err)
{
    struct reading r = { .t = t, .path = path, .err = err };
    struct csv_parser parser;
    enum qn_text_status status;
    FILE *file = fopen(path, "r");

    if (!file)
        return qn_text_fail(err, QN_TEXT_IO, "%s: %s", path, strerror(errno));
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    status = parse(&r, &parser, file);
    csv_free(&parser);
    fclose(file);
    return status;
}

/* ---- writing ---- */


static void write_line(FILE *out, char *const *cells, int count)
{
    for (int i = 0; i < count; i++) {
        if (i)
            putc(',', out);
        qn_exp_write_cell(out, cells[i]);
    }
    if (count == 1 && !*cells[0])
        fputs("\"\"", out); /* an empty line would not be read as a row */
    putc('\n', out);
}

enum qn_text_status qn_exp_write_table(const struct qn_exp_table *t, const char *path, struct qn_text_error *err)
{
    struct qn_text_output o;
    FILE *out;

    if (qn_text_open_output(&o, path, QN_TEXT_SHARED, err) != QN_TEXT_OK)
        return err->status;
    out = qn_text_stream_output(&o);
    write_line(out, t->columns, t->column_count);
    for (int i = 0; i < t->row_count; i++)
        write_line(out, t->rows[i], t->column_count);
    return qn_text_close_output(&o, err);
}

enum qn_text_status qn_exp_read_intervals(struct qn_exp_table *t, const char *path, const struct qn_prof_header *h, struct qn_text_error *err)
{
    bool counts = false;

    if (qn_exp_read_table(t, path, err) != QN_TEXT_OK)
        return err->status;
    for (int i = 0; i < h->event_count; i++)
        counts |= qn_exp_find_column(t, h->events[i]) >= 0;
    if (counts && qn_exp_find_column(t, "start") >= 0 && qn_exp_find_column(t, "end") >= 0)
        return QN_TEXT_OK;
    return qn_text_fail(err, QN_TEXT_BAD, "%s:1: got no columns `start`, `end` and an event of the profile, wanted the counts of `quern run --interval=N`",
                        path);
}

enum qn_text_status qn_exp_read_sets(struct qn_exp_table *t, const char *path, struct qn_text_error *err)
{
    static const char *const columns[] = { "cache", "interval", "start", "end", "set", "sets", "misses" };

    if (qn_exp_read_table(t, path, err) != QN_TEXT_OK)
        return err->status;
    for (size_t i = 0; i < QN_ARRAY_LEN(columns); i++) {
        int column = qn_exp_find_column(t, columns[i]);
        double number;

        if (column < 0)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:1: got no column `%s`, wanted PROFILE.sets.csv of the analysis sets with --interval", path,
                                columns[i]);
        for (int row = 0; row < t->row_count && i > 0; row++)
            if (!qn_exp_cell_number(t, row, column, &number) || number < 0)
                return qn_text_fail(err, QN_TEXT_BAD, "%s:%d: got `%.60s` as %s, wanted a number", path, row + 2, t->rows[row][column], columns[i]);
    }
    return QN_TEXT_OK;
}
