/* lib/page/watch/branches.c - rows of `quern replay --watch-of` as the JSON that watch_main.js plays.  See watch.h.
 *
 *   {"title":"./prog","kind":"cond",
 *    "steps":[[61,0,4198726,1,1,0]],                    number, place, pc, taken, backward, target (0: conditional)
 *    "places":[["/src/a.c",14,"main"]],
 *    "predictors":[{"name":"gshare","steps":[[0,0,"000110",18,2,3]]}],   wrong, form, then one or two values for each element of the form
 *    "forms":[[["history","bits"],["index","number"],["counter","counter",0,3]]],
 *    "files":[{"name":"/src/a.c","text":[[10,["..."]]],"size":40}]}
 *
 * bits are text, the oldest first; a counter has its values before and after; weights are two lists, the second 0 if none changed; an
 * address is text.  Returns have "return" for `taken`.
 */
#include "page/watch/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page/json.h"
#include "page/shell.h"
#include "report/html.h"

#define PLAIN_ROWS 20

enum { NUMBER, PC, KIND, TAKEN, TARGET, BACKWARD, WRONG, SHOWS, COLUMNS };
static const char *const columns[COLUMNS] = { "number", "pc", "kind", "taken", "target", "backward", "wrong", "shows" };

enum { PLACE_PC, PLACE_FILE, PLACE_LINE, PLACE_FUNCTION, PLACE_COLUMNS };
static const char *const place_columns[PLACE_COLUMNS] = { "pc", "file", "source_line", "function" };

struct branches {
    const struct qn_page_watch *w;
    struct qn_text_memory memory;
    struct qn_text_table tables[QN_PAGE_CACHES_MAX], named; /* named: the source lines of branches, sorted by pc */
    struct qn_page_places places;
    const char **forms; /* "history=b index=n counter=c0:3" */
    size_t form_count;
};

#define WRITER "quern replay --watch-of"

static const char *cell(const struct qn_text_table *t, int row, int column) { return t->rows[row][column]; }
static uint64_t number_in(const struct qn_text_table *t, int row, int column) { return strtoull(cell(t, row, column), NULL, 0); }

/* ---- reading ---- */

static int compare_pcs(const void *a, const void *b)
{
    char *const *const *x = a, *const *const *y = b;
    uint64_t p = strtoull((*x)[PLACE_PC], NULL, 0), q = strtoull((*y)[PLACE_PC], NULL, 0);

    return p < q ? -1 : p > q;
}

/* All predictors must have the same branches.  Those of one trace differ only in their kinds: some predictors get returns, others not. */
static enum qn_text_status compare_streams(const struct branches *o, int other, struct qn_text_error *err)
{
    const struct qn_text_table *a = &o->tables[0], *b = &o->tables[other];
    int row = 0;

    while (row < a->row_count && row < b->row_count && !strcmp(cell(a, row, PC), cell(b, row, PC)) && !strcmp(cell(a, row, KIND), cell(b, row, KIND)))
        row++;
    if (row == a->row_count && row == b->row_count)
        return QN_TEXT_OK;
    return qn_text_fail(err, QN_TEXT_BAD, "%s and %s do not predict the same branches: one of them predicts returns, too, or conditional branches and the other "
                        "indirect ones", o->w->names[0], o->w->names[other]);
}

static enum qn_text_status read_files(struct branches *o, struct qn_text_error *err)
{
    for (int i = 0; i < o->w->count; i++)
        if (qn_page_read_steps(&o->tables[i], o->w->files[i], columns, COLUMNS, WRITER, err) != QN_TEXT_OK || (i && compare_streams(o, i, err) != QN_TEXT_OK))
            return err->status;
    if (!o->tables[0].row_count)
        return qn_text_fail(err, QN_TEXT_BAD, "no branches: the program makes none there, or has none on the line that was named");
    if (!o->w->places)
        return QN_TEXT_OK;
    if (qn_page_read_steps(&o->named, o->w->places, place_columns, PLACE_COLUMNS, WRITER, err) == QN_TEXT_OK)
        qsort(o->named.rows, (size_t)o->named.row_count, sizeof *o->named.rows, compare_pcs);
    return err->status;
}

/* ---- steps ---- */

static size_t place_of(struct branches *o, char *pc)
{
    char *key[PLACE_COLUMNS] = { pc }, **wanted = key;
    char ***row = o->named.row_count ? bsearch(&wanted, o->named.rows, (size_t)o->named.row_count, sizeof *o->named.rows, compare_pcs) : NULL;

    return row ? qn_page_find_place(&o->places, (*row)[PLACE_FILE], (*row)[PLACE_LINE], (*row)[PLACE_FUNCTION])
               : qn_page_find_place(&o->places, "", "0", "");
}

static void put_steps(struct branches *o, FILE *out)
{
    const struct qn_text_table *t = &o->tables[0];

    fprintf(out, ",\"kind\":\"%s\",\n\"steps\":[", strcmp(cell(t, 0, KIND), "cond") ? "indirect" : "cond");
    for (int row = 0; row < t->row_count; row++) {
        bool is_return = !strcmp(cell(t, row, KIND), "return");

        fprintf(out, "%s[%" PRIu64 ",%zu,%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 "]", row ? ",\n" : "", number_in(t, row, NUMBER),
                place_of(o, t->rows[row][PC]), number_in(t, row, PC), is_return ? "\"return\"" : *cell(t, row, TAKEN) == '1' ? "1" : "0",
                number_in(t, row, BACKWARD), number_in(t, row, TARGET));
    }
    fputs("],\n", out);
    qn_page_put_places(&o->places, out);
}

/* ---- the state that a predictor shows ---- */

/* "counter=2>3/0:3" has the form "counter=c0:3". */
static const char *form_of_word(struct branches *o, const char *word)
{
    const char *value = strchr(word, '='), *slash = strchr(word, '/');
    int name = value ? (int)(value - word) : (int)strlen(word);

    if (slash)
        return qn_text_format(&o->memory, "%.*s=%c%s", name, word, strchr(word, ';') || !strcmp(slash, "/-128:127") ? 'w' : 'c', slash + 1);
    if (value && !strncmp(value + 1, "0b", 2))
        return qn_text_format(&o->memory, "%.*s=b", name, word);
    return qn_text_format(&o->memory, "%.*s=%c", name, word, value && !strncmp(value + 1, "0x", 2) ? 'a' : 'n');
}

static size_t form_of(struct branches *o, const char *shows)
{
    char *rest = qn_text_copy(&o->memory, shows), *word;
    const char *form = "";

    while (*shows && (word = strsep(&rest, " ")))
        form = qn_text_format(&o->memory, "%s%s%s", form, *form ? " " : "", form_of_word(o, word));
    for (size_t i = o->form_count; i-- > 0;)
        if (!strcmp(o->forms[i], form))
            return i;
    o->forms = qn_text_grow(&o->memory, o->forms, o->form_count, sizeof *o->forms);
    o->forms[o->form_count] = form;
    return o->form_count++;
}

static void put_number(FILE *out, const char *text) { fprintf(out, "%lld", strtoll(text, NULL, 10)); }

/* "1;-2" */
static void put_list(FILE *out, char *text)
{
    const char *separator = "", *word;

    putc('[', out);
    for (; (word = strsep(&text, ";")); separator = ",") {
        fputs(separator, out);
        put_number(out, word);
    }
    putc(']', out);
}

/* "2>3/0:3", "1;2>2;1/-128:127" */
static void put_moved(FILE *out, char *value, bool list)
{
    char *before = strsep(&value, ">"), *after = strsep(&value, "/");

    bool moved = after && strcmp(before, after);

    if (!list) {
        put_number(out, before);
        putc(',', out);
        put_number(out, moved ? after : before);
        return;
    }
    put_list(out, before);
    putc(',', out);
    if (moved)
        put_list(out, after);
    else
        putc('0', out);
}

static void put_value(FILE *out, char *value)
{
    if (strchr(value, '/')) {
        put_moved(out, value, strchr(value, ';') || strstr(value, "/-128:127"));
    } else if (!strncmp(value, "0b", 2) || !strncmp(value, "0x", 2)) {
        qn_page_put_text(out, value[1] == 'b' ? value + 2 : value);
    } else {
        put_number(out, value);
    }
}

static void put_predictor(struct branches *o, FILE *out, int i)
{
    const struct qn_text_table *t = &o->tables[i];

    qn_page_put(out, "{\"name\":%s,\"steps\":[", o->w->names[i]);
    for (int row = 0; row < t->row_count; row++) {
        char *rest = qn_text_copy(&o->memory, cell(t, row, SHOWS)), *word;

        fprintf(out, "%s[%c,%zu", row ? ",\n" : "", *cell(t, row, WRONG) == '1' ? '1' : '0', form_of(o, cell(t, row, SHOWS)));
        while (*cell(t, row, SHOWS) && (word = strsep(&rest, " "))) {
            char *value = strchr(word, '=');

            putc(',', out);
            put_value(out, value ? value + 1 : word);
        }
        putc(']', out);
    }
    fputs("]}", out);
}

static void put_form(struct branches *o, FILE *out, const char *form)
{
    static const char *const kinds[] = { ['n'] = "number", ['b'] = "bits", ['a'] = "address", ['c'] = "counter", ['w'] = "weights" };
    char *rest = qn_text_copy(&o->memory, form), *word;
    const char *separator = "";

    putc('[', out);
    for (; *form && (word = strsep(&rest, " ")); separator = ",") {
        char *name = strsep(&word, "="), *least = word ? strsep(&word, ":") : NULL;
        char kind = least ? *least : 'n';

        fputs(separator, out);
        qn_page_put(out, "[%s,%s", name, (size_t)kind < sizeof kinds / sizeof *kinds && kinds[(int)kind] ? kinds[(int)kind] : "number");
        if (word)
            fprintf(out, ",%lld,%lld", strtoll(least + 1, NULL, 10), strtoll(word, NULL, 10));
        putc(']', out);
    }
    putc(']', out);
}

/* ---- all ---- */

static void put_plain(const struct branches *o, FILE *out)
{
    const struct qn_text_table *t = &o->tables[0];

    fputs("<p>Without scripts this page has the first branches only.</p>\n<table>\n<tr><th>branch</th><th>address</th><th>taken</th><th>predicted</th></tr>\n",
          out);
    for (int row = 0; row < t->row_count && row < PLAIN_ROWS; row++) {
        fputs("<tr>", out);
        qn_report_text_cell(out, cell(t, row, NUMBER));
        qn_report_text_cell(out, cell(t, row, PC));
        qn_report_text_cell(out, *cell(t, row, TAKEN) == '1' ? "taken" : "not taken");
        qn_report_text_cell(out, *cell(t, row, WRONG) == '1' ? "wrong" : "right");
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void put_data(struct branches *o, FILE *out)
{
    qn_page_put(out, "{\"title\":%s", o->w->title);
    put_steps(o, out);
    fputs(",\n\"predictors\":[", out);
    for (int i = 0; i < o->w->count; i++) {
        fputs(i ? ",\n" : "", out);
        put_predictor(o, out, i);
    }
    fputs("],\n\"forms\":[", out);
    for (size_t i = 0; i < o->form_count; i++) {
        fputs(i ? "," : "", out);
        put_form(o, out, o->forms[i]);
    }
    fputs("],\n", out);
    qn_page_put_place_sources(&o->places, out);
    putc('}', out);
}

enum qn_text_status qn_page_write_branches(const struct qn_page_watch *w, FILE *out, struct qn_text_error *err)
{
    struct branches o = { .w = w };

    o.places.memory = &o.memory;
    if (read_files(&o, err) == QN_TEXT_OK) {
        qn_page_begin(out, w->title);
        put_plain(&o, out);
        qn_page_begin_data(out);
        put_data(&o, out);
        qn_page_end(out, QN_PAGE_WATCH);
    }
    for (int i = 0; i < w->count; i++)
        qn_text_free_table(&o.tables[i]);
    qn_text_free_table(&o.named);
    qn_text_free_memory(&o.memory);
    return err->status;
}
