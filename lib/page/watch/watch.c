/* lib/page/watch/watch.c - rows of cost/notes/watch.h as the JSON that watch_main.js plays.  See watch.h.
 *
 *   {"title":"./prog",
 *    "places":[["/src/a.c",14,"main"]],
 *    "steps":[[61,0,4198726,"read",4221056,4]],                number, place, pc, kind, address, size, thread, core
 *    "caches":[{"name":"lru","sets":4,"ways":2,"line":64,"order":"recent","way":"","set":"",
 *               "steps":[[1,[4221056,0,"conflict",4218880,[4222976,4218880],0,0]]]}],
 *                        outcome, then for each line: line, hit, class, victim, before, state, set's state
 *    "objects":["b"], "lines":[[4221056,0]],                   variables; cache lines and the variable in each
 *    "files":[{"name":"/src/a.c","text":[[10,["..."]]],"size":40}]}
 *
 * `before` is 0 if it follows from what the set held last, `state` if it did not change.  -1 means no victim, and a free way in a list.
 */
#include "page/watch/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "page/json.h"
#include "page/shell.h"
#include "page/sources.h"
#include "report/html.h"
#include "text/names.h"

#define PLAIN_ROWS 20

enum { NUMBER, PC, SOURCE_FILE, SOURCE_LINE, FUNCTION, KIND, ADDRESS, SIZE, OUTCOME, SETS, WAYS, LINE_BYTES, ORDER, WAY_SHOWS, SET_SHOWS, LINE, HIT,
       CLASS, VICTIM, BEFORE, STATE, SET_STATE, OBJECT, THREAD, CORE, COLUMNS };

static const char *const columns[COLUMNS] = {
    "number", "pc", "file", "source_line", "function", "kind", "address", "size", "outcome", "sets", "ways", "line_bytes", "order", "way_shows",
    "set_shows", "line", "hit", "class", "victim", "before", "state", "set_state", "object", "thread", "core",
};

struct watch {
    const struct qn_page_watch *w;
    struct qn_text_memory memory;
    struct qn_text_table tables[QN_PAGE_CACHES_MAX];
    struct qn_page_places places;
};

/* What a set held last, as the page computes it. */
struct set {
    uint64_t number;
    char *content;     /* lines in the set: the cell BEFORE that the next reference should have */
    const char *state, *set_state;
    struct set *next;
};

#define NONE "-"

static const char *cell(const struct qn_text_table *t, int row, int column) { return t->rows[row][column]; }
static uint64_t number_in(const struct qn_text_table *t, int row, int column) { return strtoull(cell(t, row, column), NULL, 0); }

/* ---- reading ---- */

enum qn_text_status qn_page_read_steps(struct qn_text_table *t, const char *file, const char *const *names, int count, const char *command,
                                       struct qn_text_error *err)
{
    if (qn_text_read_table(t, file, err) != QN_TEXT_OK)
        return err->status;
    for (int c = 0; c < count; c++)
        if (t->column_count != count || strcmp(t->columns[c], names[c]))
            return qn_text_fail(err, QN_TEXT_BAD, "%s: got other columns, wanted those of `%s`", file, command);
    return QN_TEXT_OK;
}

/* The first row of the next reference. */
static int next_reference(const struct qn_text_table *t, int row)
{
    uint64_t number = number_in(t, row, NUMBER);

    while (row < t->row_count && number_in(t, row, NUMBER) == number)
        row++;
    return row;
}

static bool is_same_reference(const struct qn_text_table *a, int i, const struct qn_text_table *b, int k)
{
    static const int compared[] = { NUMBER, PC, KIND, ADDRESS, SIZE, THREAD, CORE };

    for (size_t c = 0; c < sizeof compared / sizeof *compared; c++)
        if (strcmp(cell(a, i, compared[c]), cell(b, k, compared[c])))
            return false;
    return true;
}

static enum qn_text_status compare_streams(struct watch *o, int other, struct qn_text_error *err)
{
    const struct qn_text_table *a = &o->tables[0], *b = &o->tables[other];
    int i = 0, k = 0;

    for (; i < a->row_count && k < b->row_count; i = next_reference(a, i), k = next_reference(b, k))
        if (!is_same_reference(a, i, b, k))
            break;
    if (i == a->row_count && k == b->row_count)
        return QN_TEXT_OK;
    return qn_text_fail(err, QN_TEXT_BAD, "the program does not make the same references each time: from reference %s on they differ",
                        i < a->row_count ? cell(a, i, NUMBER) : cell(b, k, NUMBER));
}

/* ---- places and steps ---- */

static void put_steps(struct watch *o, FILE *out)
{
    const struct qn_text_table *t = &o->tables[0];

    fputs(",\n\"steps\":[", out);
    for (int row = 0; row < t->row_count; row = next_reference(t, row))
        fprintf(out, "%s[%s,%zu,%" PRIu64 ",\"%s\",%" PRIu64 ",%s,%s,%s]", row ? ",\n" : "", cell(t, row, NUMBER),
                qn_page_find_place(&o->places, cell(t, row, SOURCE_FILE), cell(t, row, SOURCE_LINE), cell(t, row, FUNCTION)),
                number_in(t, row, PC), cell(t, row, KIND), number_in(t, row, ADDRESS), cell(t, row, SIZE), cell(t, row, THREAD), cell(t, row, CORE));
    fputs("],\n", out);
    qn_page_put_places(&o->places, out);
}

/* ---- what a set holds ---- */

static struct set *find_set(struct watch *o, struct set **sets, uint64_t number)
{
    struct set *s = *sets;

    while (s && s->number != number)
        s = s->next;
    if (s)
        return s;
    s = qn_text_alloc(&o->memory, sizeof *s);
    *s = (struct set){ .number = number, .content = qn_text_copy(&o->memory, ""), .state = "", .set_state = "", .next = *sets };
    *sets = s;
    return s;
}

/* The lines of a set after `line` has taken the way of `victim` or the first free way; with `recent`, the line then stands in front. */
static char *fill(struct watch *o, const char *before, const char *line, const char *victim, bool recent)
{
    char *text = recent ? qn_text_copy(&o->memory, line) : qn_text_copy(&o->memory, ""), *rest = qn_text_copy(&o->memory, before), *word;
    const char *gone = *victim ? victim : NONE;
    bool filled = false;

    while ((word = strsep(&rest, " "))) {
        bool leaves = !filled && (!strcmp(word, line) || !strcmp(word, gone));

        filled |= leaves;
        if (!leaves || !recent)
            text = qn_text_format(&o->memory, "%s%s%s", text, *text ? " " : "", leaves ? line : word);
    }
    return text;
}

/* The list without a line. */
static char *remove_line(struct watch *o, const char *before, const char *line)
{
    char *text = qn_text_copy(&o->memory, ""), *rest = qn_text_copy(&o->memory, before), *word;

    while ((word = strsep(&rest, " ")))
        if (strcmp(word, line))
            text = qn_text_format(&o->memory, "%s%s%s", text, *text ? " " : "", word);
    return text;
}

static void put_list(FILE *out, const char *text, bool addresses)
{
    char *end;

    putc('[', out);
    for (const char *separator = ""; *text; separator = ",", text = end + (*end == ' ')) {
        if (*text == '-') {
            fprintf(out, "%s-1", separator);
            end = (char *)text + 1;
            continue;
        }
        fprintf(out, "%s%" PRIu64, separator, (uint64_t)strtoull(text, &end, addresses ? 16 : 10));
        if (end == text)
            break;
    }
    putc(']', out);
}

static void put_line(struct watch *o, FILE *out, int i, int row, struct set **sets)
{
    const struct qn_text_table *t = &o->tables[i];
    uint64_t line = number_in(t, row, LINE), bytes = number_in(t, row, LINE_BYTES), count = number_in(t, row, SETS);
    struct set *s = find_set(o, sets, bytes && count ? line / bytes % count : 0);
    const char *before = cell(t, row, BEFORE), *victim = cell(t, row, VICTIM), *hit = cell(t, row, HIT);
    bool recent = !strcmp(cell(t, row, ORDER), "recent");

    fprintf(out, ",[%" PRIu64 ",%s,\"%s\",", line, hit, cell(t, row, CLASS));
    fprintf(out, *victim ? "%" PRIu64 "," : "-1,", (uint64_t)strtoull(victim, NULL, 16));
    if (strcmp(before, s->content))
        put_list(out, before, true);
    else
        putc('0', out);
    putc(',', out);
    if (strcmp(cell(t, row, STATE), s->state))
        put_list(out, cell(t, row, STATE), false);
    else
        putc('0', out);
    fprintf(out, ",%s]", *cell(t, row, SET_STATE) ? cell(t, row, SET_STATE) : "0");
    if (o->w->cores && number_in(t, row, CORE) != (uint64_t)i) /* it may lose the line, and nothing else */
        s->content = *victim ? qn_text_format(&o->memory, "%s%s" NONE, remove_line(o, before, victim), strchr(before, ' ') ? " " : "") : qn_text_copy(&o->memory, before);
    else if (strcmp(hit, "1"))
        s->content = fill(o, before, cell(t, row, LINE), victim, recent);
    else /* the line stays in its way, or comes to the front */
        s->content = recent ? fill(o, before, cell(t, row, LINE), cell(t, row, LINE), true) : qn_text_copy(&o->memory, before);
    s->state = cell(t, row, STATE);
}

static void put_cache(struct watch *o, FILE *out, int i)
{
    const struct qn_text_table *t = &o->tables[i];
    struct set *sets = NULL;

    qn_page_put(out, "{\"name\":%s,\"sets\":%" PRIu64 ",\"ways\":%" PRIu64 ",\"line\":%" PRIu64 ",\"order\":%s,\"way\":%s,\"set\":%s,\"steps\":[",
                o->w->names[i], number_in(t, 0, SETS), number_in(t, 0, WAYS), number_in(t, 0, LINE_BYTES), cell(t, 0, ORDER), cell(t, 0, WAY_SHOWS),
                cell(t, 0, SET_SHOWS));
    for (int row = 0, next; row < t->row_count; row = next) {
        next = next_reference(t, row);
        fprintf(out, "%s[%s", row ? ",\n" : "", cell(t, row, OUTCOME));
        for (int k = row; k < next; k++)
            put_line(o, out, i, k, &sets);
        putc(']', out);
    }
    fputs("]}", out);
}

/* ---- variables ---- */

static int compare_lines(const void *a, const void *b)
{
    const char *const *const *x = a, *const *const *y = b;

    return strcmp((*x)[LINE], (*y)[LINE]);
}

/* A cache line that several variables share gets the name of one of them. */
static void put_objects(struct watch *o, FILE *out)
{
    const struct qn_text_table *t = &o->tables[0];
    char ***rows = qn_text_alloc(&o->memory, (size_t)t->row_count * sizeof *rows);
    struct qn_text_names names = { 0 };
    const char *separator = "", *last = "";

    memcpy(rows, t->rows, (size_t)t->row_count * sizeof *rows);
    qsort(rows, (size_t)t->row_count, sizeof *rows, compare_lines);
    fputs("],\n\"lines\":[", out);
    for (int i = 0; i < t->row_count; i++) {
        if (!*rows[i][OBJECT] || !strcmp(rows[i][LINE], last))
            continue;
        last = rows[i][LINE];
        fprintf(out, "%s[%" PRIu64 ",%u]", separator, (uint64_t)strtoull(last, NULL, 0),
                qn_text_intern(&names, rows[i][OBJECT], strlen(rows[i][OBJECT])));
        separator = ",";
    }
    fputs("],\n\"objects\":[", out);
    for (uint32_t i = 0; i < names.index.count; i++) {
        fputs(i ? "," : "", out);
        qn_page_put_text(out, qn_text_name(&names, i));
    }
    qn_text_free_names(&names);
}

/* ---- all ---- */

/* For readers without scripts: the first references of the first cache. */
static void put_plain(struct watch *o, FILE *out)
{
    const struct qn_text_table *t = &o->tables[0];

    fputs("<p>Without scripts this page has the first references only.</p>\n<table>\n<tr><th>reference</th><th>address</th><th>outcome</th></tr>\n", out);
    for (int row = 0; row < t->row_count && row < PLAIN_ROWS; row++) {
        fputs("<tr>", out);
        qn_report_text_cell(out, cell(t, row, NUMBER));
        qn_report_text_cell(out, cell(t, row, ADDRESS));
        qn_report_text_cell(out, !strcmp(cell(t, row, HIT), "1") ? "hit" : cell(t, row, CLASS));
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void put_data(struct watch *o, FILE *out)
{
    qn_page_put(out, "{\"title\":%s", o->w->title);
    put_steps(o, out);
    fprintf(out, ",\n\"cores\":%s,\n\"caches\":[", o->w->cores ? "true" : "false");
    for (int i = 0; i < o->w->count; i++) {
        fputs(i ? ",\n" : "", out);
        put_cache(o, out, i);
    }
    put_objects(o, out);
    fputs("],\n", out);
    qn_page_put_place_sources(&o->places, out);
    putc('}', out);
}

static enum qn_text_status read_files(struct watch *o, struct qn_text_error *err)
{
    for (int i = 0; i < o->w->count; i++)
        if (qn_page_read_steps(&o->tables[i], o->w->files[i], columns, COLUMNS, "quern run --watch", err) != QN_TEXT_OK)
            return err->status;
        else if (!o->tables[i].row_count)
            return qn_text_fail(err, QN_TEXT_BAD, "no references: the program has none there, or has no code for the line that was named");
        else if (i && compare_streams(o, i, err) != QN_TEXT_OK)
            return err->status;
    return QN_TEXT_OK;
}

enum qn_text_status qn_page_write_watch(const struct qn_page_watch *w, FILE *out, struct qn_text_error *err)
{
    struct watch o = { .w = w };

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
    qn_text_free_memory(&o.memory);
    return err->status;
}

/* ---- places ---- */

#define SOURCE_BYTES 300000

size_t qn_page_find_place(struct qn_page_places *p, const char *file, const char *line, const char *function)
{
    for (size_t i = p->count; i-- > 0;)
        if (!strcmp(p->list[i].line, line) && !strcmp(p->list[i].file, file) && !strcmp(p->list[i].function, function))
            return i;
    p->list = qn_text_grow(p->memory, p->list, p->count, sizeof *p->list);
    p->list[p->count] = (struct qn_page_place){ file, line, function };
    return p->count++;
}

void qn_page_put_places(const struct qn_page_places *p, FILE *out)
{
    fputs("\"places\":[", out);
    for (size_t i = 0; i < p->count; i++) {
        fputs(i ? "," : "", out);
        qn_page_put(out, "[%s,%lld,%s]", p->list[i].file, atoll(p->list[i].line), p->list[i].function);
    }
    putc(']', out);
}

static void put_file(const struct qn_page_places *p, FILE *out, size_t place, size_t *room, const char **separator)
{
    const char *name = p->list[place].file;
    struct qn_page_numbers n = { qn_text_alloc(p->memory, p->count * sizeof *n.at), 0 };
    struct qn_text_source source;

    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->list[i].file, name))
            continue;
        if (i < place)
            return; /* an earlier place has written this file */
        n.at[n.count++] = (uint32_t)strtoul(p->list[i].line, NULL, 10);
    }
    if (!*name || qn_text_open_source(&source, name))
        return;
    qn_page_sort_numbers(&n);
    fputs(*separator, out);
    qn_page_put(out, "{\"name\":%s", name);
    *room = qn_page_put_pieces(out, &source, &n, false, *room);
    putc('}', out);
    *separator = ",\n";
    qn_text_close_source(&source);
}

void qn_page_put_place_sources(const struct qn_page_places *p, FILE *out)
{
    size_t room = SOURCE_BYTES;
    const char *separator = "";

    fputs("\"files\":[", out);
    for (size_t i = 0; i < p->count; i++)
        put_file(p, out, i, &room, &separator);
    putc(']', out);
}
