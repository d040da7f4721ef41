/* lib/json/json.c - profiles, sweeps, traces and what commands print, as JSON.  See json.h and write.h. */
#include "json/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text/csv.h"
#include "json/write.h"
#include "prof/counts.h"
#include "prof/read.h"
#include "text/input.h"
#include "text/escape.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

json_t *qn_json_text(const char *text)
{
    size_t left = strlen(text), n = 0;
    char *good = malloc(3 * left + 1);
    json_t *value;

    if (!good)
        return NULL;
    while (left) {
        size_t length = qn_text_utf8_length(text, left);

        memcpy(good + n, length ? text : REPLACEMENT, length ? length : 3);
        n += length ? length : 3;
        text += length ? length : 1;
        left -= length ? length : 1;
    }
    value = json_stringn(good, n);
    free(good);
    return value;
}

int qn_json_put(FILE *out, json_t *value)
{
    int status = value ? json_dumpf(value, out, JSON_COMPACT | JSON_ENCODE_ANY) : -1;

    json_decref(value);
    return status;
}

bool qn_json_write_trace(FILE *out, const char *path, const struct qn_json_trace *t)
{
    json_t *all = json_pack("{s:s, s:i, s:o, s:I, s:I, s:I, s:I, s:s, s:b}", "schema", "quern-trace", "version", QN_JSON_VERSION, "file", qn_json_text(path),
                            "parts", (json_int_t)t->parts, "instructions", (json_int_t)t->instructions, "references", (json_int_t)t->references, "bytes",
                            (json_int_t)t->bytes, "packing", t->packing, "whole", t->whole);

    return !qn_json_put(out, all) && putc('\n', out) != EOF;
}

/* ---- a profile as JSON.  The totals stand before the rows, so the file is read twice ---- */

static json_t *texts_of(const struct qn_prof_header *h)
{
    json_t *list = json_array();

    for (int i = 0; i < h->desc_count; i++)
        if (json_array_append_new(list, qn_json_text(h->descs[i].text)))
            return json_decref(list), NULL;
    return list;
}

static json_t *events_of(const struct qn_prof_header *h)
{
    json_t *list = json_array();

    for (int i = 0; i < h->event_count; i++)
        if (json_array_append_new(list, qn_json_text(h->events[i])))
            return json_decref(list), NULL;
    return list;
}

static json_t *counts_of(const int64_t *counts, int n)
{
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        if (json_array_append_new(list, json_integer(qn_prof_count(counts[i]))))
            return json_decref(list), NULL;
    return list;
}

static json_t *totals_of(const struct qn_prof_header *h, const int64_t *counts)
{
    json_t *all = json_object();

    for (int i = 0; i < h->event_count; i++)
        if (json_object_set_new(all, h->events[i], json_integer(qn_prof_count(counts[i]))))
            return json_decref(all), NULL;
    return all;
}

/* Up to "rows", whose list is open then. */
static bool put_head(FILE *out, const struct qn_prof_header *h, const int64_t *totals)
{
    return fprintf(out, "{\"schema\":\"quern-profile\",\"version\":%d,\"command\":", QN_JSON_VERSION) > 0 &&
           !qn_json_put(out, qn_json_text(h->cmd.text ? h->cmd.text : "")) && fputs(",\n\"descriptions\":", out) >= 0 &&
           !qn_json_put(out, texts_of(h)) && fputs(",\n\"events\":", out) >= 0 && !qn_json_put(out, events_of(h)) &&
           fputs(",\n\"totals\":", out) >= 0 && !qn_json_put(out, totals_of(h, totals));
}

struct place {
    json_t *object, *file, *function; /* NULL: none yet */
};

static bool name(json_t **which, const char *text, size_t length)
{
    char name[65536];

    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    json_decref(*which);
    *which = qn_json_text(name);
    return *which;
}

static json_t *row_of(const struct place *p, const struct qn_prof_item *item, int events)
{
    json_t *row = json_object();

    if ((p->object && json_object_set(row, "object", p->object)) || (p->file && json_object_set(row, "file", p->file)) ||
        (p->function && json_object_set(row, "function", p->function)) || json_object_set_new(row, "line", json_integer(item->line)) ||
        json_object_set_new(row, "counts", counts_of(item->counts, events)))
        return json_decref(row), NULL;
    return row;
}

/* false: it cannot be written, or there is no memory. */
static bool put_item(FILE *out, struct place *p, const struct qn_prof_item *item, int events, bool *first)
{
    switch (item->kind) {
    case QN_PROF_OBJECT: return name(&p->object, item->name, item->length);
    case QN_PROF_FILE: return name(&p->file, item->name, item->length);
    case QN_PROF_FN: return name(&p->function, item->name, item->length);
    case QN_PROF_COUNTS:
        if (fputs(*first ? "\n" : ",\n", out) < 0)
            return false;
        *first = false;
        return !qn_json_put(out, row_of(p, item, events));
    default: return true; /* instructions are in the rows of their lines */
    }
}

static enum qn_text_status put_rows(FILE *out, struct qn_prof_reader *r, struct qn_text_error *err)
{
    struct place p = { NULL, NULL, NULL };
    struct qn_prof_item item;
    bool first = true, good = true;

    while (good && qn_prof_read_next(r, &item, err) == 1)
        good = put_item(out, &p, &item, qn_prof_reader_header(r)->event_count, &first);
    json_decref(p.object);
    json_decref(p.file);
    json_decref(p.function);
    return good ? err->status : qn_text_fail(err, QN_TEXT_IO, "cannot write JSON: %s", strerror(errno));
}

static enum qn_text_status find_totals(const char *path, int64_t *totals, struct qn_text_error *err)
{
    struct qn_prof_reader *r = qn_prof_open_reader(path, err);
    struct qn_prof_item item;

    while (r && qn_prof_read_next(r, &item, err) == 1)
        if (item.kind == QN_PROF_SUMMARY)
            memcpy(totals, item.counts, (size_t)qn_prof_reader_header(r)->event_count * sizeof *totals);
    if (r)
        qn_prof_close_reader(r);
    return err->status;
}

enum qn_text_status qn_json_write_profile(FILE *out, const char *path, bool totals, struct qn_text_error *err)
{
    static int64_t sums[QN_PROF_EVENTS_MAX];
    struct qn_prof_reader *r;

    if (find_totals(path, sums, err) != QN_TEXT_OK || !(r = qn_prof_open_reader(path, err)))
        return err->status;
    if (!put_head(out, qn_prof_reader_header(r), sums))
        qn_text_fail(err, QN_TEXT_IO, "cannot write JSON: %s", strerror(errno));
    if (err->status == QN_TEXT_OK && !totals && fputs(",\n\"rows\":[", out) >= 0 && put_rows(out, r, err) == QN_TEXT_OK)
        fputs("\n]", out);
    qn_prof_close_reader(r);
    if (err->status == QN_TEXT_OK)
        fputs("}\n", out);
    return err->status;
}

/* ---- the CSV file of a sweep as JSON: an object per row, numbers where cells are numbers ---- */

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

static json_t *object_of_row(const struct qn_text_table *t, int row)
{
    json_t *object = json_object();

    for (int i = 0; i < t->column_count; i++) {
        const char *cell = qn_text_cell(t, row, i);

        if (json_object_set_new(object, t->columns[i], is_name(t->columns[i]) ? qn_json_text(cell) : value_of(cell)))
            return json_decref(object), NULL;
    }
    return object;
}

static bool put_columns(FILE *out, const struct qn_text_table *t)
{
    json_t *list = json_array();

    for (int i = 0; i < t->column_count; i++)
        if (json_array_append_new(list, qn_json_text(t->columns[i])))
            return json_decref(list), false;
    return fputs("\"columns\":", out) >= 0 && !qn_json_put(out, list) && fputs(",\n", out) >= 0;
}

static bool put_table(FILE *out, const struct qn_text_table *t, const char *schema, bool columns)
{
    bool good = fprintf(out, "{\"schema\":\"%s\",\"version\":%d,\n", schema, QN_JSON_VERSION) > 0 && (!columns || put_columns(out, t)) &&
                fputs("\"rows\":[", out) >= 0;

    for (int i = 0; i < t->row_count && good; i++)
        good = fputs(i ? ",\n" : "\n", out) >= 0 && !qn_json_put(out, object_of_row(t, i));
    return good && fputs("\n]}\n", out) >= 0;
}

static enum qn_text_status write_rows(FILE *out, const char *path, const char *schema, bool columns, struct qn_text_error *err)
{
    struct qn_text_table t = { 0 };

    if (qn_text_read_table(&t, path, err) == QN_TEXT_OK && !put_table(out, &t, schema, columns))
        qn_text_fail(err, QN_TEXT_IO, "cannot write JSON: %s", strerror(errno));
    qn_text_free_table(&t);
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

/* ---- a file as JSON, by what its first line says it is ---- */

/* The first line, as far as `first` goes. */
static void read_first(const char *path, char *first, int size)
{
    FILE *f = qn_text_open_kept(path);

    first[0] = 0;
    if (f && !fgets(first, size, f))
        first[0] = 0;
    if (f)
        fclose(f);
}

/* A sweep's CSV begins with the column "quern". */
static bool is_sweep(const char *path)
{
    static const char head[] = "quern,";
    char first[sizeof head];

    read_first(path, first, sizeof first);
    return !strcmp(first, head);
}

/* Profiles begin with a word and a colon, or a comment; names of columns have a comma. */
static bool is_table(const char *path)
{
    char first[512];
    size_t word;

    read_first(path, first, sizeof first);
    word = strcspn(first, ",:#= \n");
    return first[word] == ',' || (word && first[word] == ' ' && strchr(first, ',') && !strchr(first, ':'));
}

enum qn_text_status qn_json_write_file(FILE *out, const char *path, bool totals, struct qn_text_error *err)
{
    return is_sweep(path) ? qn_json_write_sweep(out, path, err) : is_table(path) ? qn_json_write_table(out, path, err)
                                                                                        : qn_json_write_profile(out, path, totals, err);
}

/* ---- the modules that ship as JSON ---- */

static json_t *slots_now, *modules;

void qn_json_begin_modules(const char *in_slots)
{
    slots_now = qn_json_text(in_slots);
    modules = json_array();
}

static json_t *split(const char *words)
{
    json_t *list = json_array();

    while (*words) {
        size_t n = strcspn(words, " ");

        if (n)
            json_array_append_new(list, json_stringn(words, n));
        words += n + (words[n] == ' ');
    }
    return list;
}

void qn_json_add_module(const char *kind, const char *name, const char *slots, uint64_t hash, const char *text)
{
    char hex[17];

    snprintf(hex, sizeof hex, "%016" PRIx64, hash);
    json_array_append_new(modules, json_pack("{s:o, s:s, s:o, s:s, s:o}", "name", qn_json_text(name), "kind", kind, "slots", split(slots),
                                             "hash", hex, "text", qn_json_text(text)));
}

bool qn_json_end_modules(FILE *out)
{
    json_t *all = json_pack("{s:s, s:i, s:o, s:o}", "schema", "quern-modules", "version", QN_JSON_VERSION, "slots", slots_now, "modules",
                            modules);
    bool good = all && !json_dumpf(all, out, JSON_INDENT(1)) && putc('\n', out) != EOF;

    json_decref(all);
    return good;
}

/* ---- what `quern ctl PID status` prints, as JSON ----
 *   pid: 4711               {"schema":"quern-status","version":1,"pid":4711,"command":"./prog","seconds":1.5,"instructions_per_second":1000,
 *   command: ./prog          "totals":{"Ir":1500}}
 *   seconds: 1.5
 *   instructions per second: 1000
 *   Ir: 1500
 */

/* false: no memory. */
static bool take_line(json_t *all, const char *name, const char *value)
{
    json_t *totals = json_object_get(all, "totals");

    if (!strcmp(name, "command"))
        return !json_object_set_new(all, name, qn_json_text(value));
    if (!strcmp(name, "pid"))
        return !json_object_set_new(all, name, json_integer(strtoll(value, NULL, 10)));
    if (!strcmp(name, "seconds"))
        return !json_object_set_new(all, name, json_real(strtod(value, NULL)));
    if (!strcmp(name, "instructions per second"))
        return !json_object_set_new(all, "instructions_per_second", json_integer(strtoll(value, NULL, 10)));
    return !json_object_set_new(totals, name, json_integer(strtoll(value, NULL, 10)));
}

bool qn_json_write_status(FILE *out, char *text)
{
    json_t *all = json_pack("{s:s, s:i, s:{}}", "schema", "quern-status", "version", QN_JSON_VERSION, "totals");
    bool good = all;

    for (char *line = text, *end; good && (end = strchr(line, '\n')); line = end + 1) {
        char *colon;

        *end = 0;
        colon = strstr(line, ": ");
        if (!colon)
            continue; /* nothing is counted yet */
        *colon = 0;
        good = take_line(all, line, colon + 2);
    }
    if (!good)
        return json_decref(all), false;
    return !qn_json_put(out, all) && putc('\n', out) != EOF;
}

/* ---- the totals of `quern replay` ----
 *   Dr,2,                                      {"schema":"quern-replay","version":1,"totals":{"Dr":2,...},
 *   AN.compulsory,2,D1 misses: ...             "counts":[{"name":"AN.compulsory","count":2,"text":"D1 misses: ..."}]}
 */

/* Those with a dot in their name are of modules. */
static bool take_total(json_t *all, const char *name, const char *count, const char *text)
{
    json_t *n = json_integer(atoll(count));

    if (!strchr(name, '.'))
        return !json_object_set_new(json_object_get(all, "totals"), name, n);
    return !json_array_append_new(json_object_get(all, "counts"), json_pack("{s:o, s:o, s:o}", "name", qn_json_text(name), "count", n, "text", qn_json_text(text)));
}

bool qn_json_write_replay(FILE *out, const struct qn_text_table *t)
{
    json_t *all = json_pack("{s:s, s:i, s:{}, s:[]}", "schema", "quern-replay", "version", QN_JSON_VERSION, "totals", "counts");
    int name = qn_text_find_column(t, "name"), count = qn_text_find_column(t, "count"), text = qn_text_find_column(t, "text");
    bool good = all;

    for (int row = 0; good && row < t->row_count; row++)
        good = take_total(all, qn_text_cell(t, row, name), qn_text_cell(t, row, count), qn_text_cell(t, row, text));
    if (!good)
        return json_decref(all), false;
    return !qn_json_put(out, all) && putc('\n', out) != EOF;
}
