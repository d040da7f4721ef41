/* lib/json/sweep.c - the CSV file of a sweep as JSON: an object per row, numbers where cells are numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exp/table.h"
#include "json/json.h"
#include "json/write.h"


static bool is_digits(const char *cell)
{
    size_t n = strlen(cell);

    return n && n <= 18 && cell[strspn(cell, "0123456789")] == 0 && (n == 1 || *cell != '0');
}

/* Counts and geometries are whole numbers, rates have a point; hashes and names stay text, an empty cell is null. */
static json_t *value_of(const char *cell)
{
    char *end;
    double number;

    if (!*cell)
        return json_null();
    if (is_digits(cell))
        return json_integer(strtoll(cell, NULL, 10));
    if (!strchr(cell, '.') || cell[strspn(cell, "0123456789.")])
        return qn_json_text(cell);
    number = strtod(cell, &end);
    return *end ? qn_json_text(cell) : json_real(number);
}

/* What was run is text, whatever it looks like: the version of quern, names, the command; of marks the student. */
static bool is_name(const char *column)
{
    static const char *const names[] = { "quern", "student", "program", "command", "input", "sim", "options", "build_id", "status", NULL };

    for (int i = 0; names[i]; i++)
        if (!strcmp(column, names[i]))
            return true;
    return false;
}

static json_t *row_of(const struct qn_exp_table *t, int row)
{
    json_t *object = json_object();

    for (int i = 0; i < t->column_count; i++) {
        const char *cell = qn_exp_cell(t, row, i);

        if (json_object_set_new(object, t->columns[i], is_name(t->columns[i]) ? qn_json_text(cell) : value_of(cell)))
            return json_decref(object), NULL;
    }
    return object;
}

static bool put_columns(FILE *out, const struct qn_exp_table *t)
{
    json_t *list = json_array();

    for (int i = 0; i < t->column_count; i++)
        if (json_array_append_new(list, qn_json_text(t->columns[i])))
            return json_decref(list), false;
    return fputs("\"columns\":", out) >= 0 && !qn_json_put(out, list) && fputs(",\n", out) >= 0;
}

static bool put_table(FILE *out, const struct qn_exp_table *t, const char *schema, bool columns)
{
    bool good = fprintf(out, "{\"schema\":\"%s\",\"version\":%d,\n", schema, QN_JSON_VERSION) > 0 && (!columns || put_columns(out, t)) &&
                fputs("\"rows\":[", out) >= 0;

    for (int i = 0; i < t->row_count && good; i++)
        good = fputs(i ? ",\n" : "\n", out) >= 0 && !qn_json_put(out, row_of(t, i));
    return good && fputs("\n]}\n", out) >= 0;
}

static enum qn_text_status write_rows(FILE *out, const char *path, const char *schema, bool columns, struct qn_text_error *err)
{
    struct qn_exp_table t = { 0 };

    if (qn_exp_read_table(&t, path, err) == QN_TEXT_OK && !put_table(out, &t, schema, columns))
        qn_text_fail(err, QN_TEXT_IO, "cannot write JSON: %s", strerror(errno));
    qn_exp_free_table(&t);
    return err->status;
}

enum qn_text_status qn_json_write_sweep(FILE *out, const char *path, struct qn_text_error *err)
{
    return write_rows(out, path, "quern-sweep", false, err);
}

enum qn_text_status qn_json_write_table(FILE *out, const char *path, struct qn_text_error *err)
{
    return write_rows(out, path, "quern-table", true, err);
}

