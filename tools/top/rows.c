/* tools/top/rows.c - rows of the views. See top.h. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "out/source.h"
#include "top.h"

#define CELL 12       /* characters of "16.9 M  86%" */
#define NAME_LEAST 30 /* of a name, beside the columns */

static double value_of(const struct qn_plot_centres *c, int i, int column)
{
    if (column == 0)
        return i < 0 ? c->total : c->at[i].value;
    return qn_report_count(c, i, qn_report_columns[column - 1].events);
}

/* Does the profile have the events of a column? */
static bool has_column(const struct top *t, int column)
{
    return column == 0 || value_of(&t->facts.lines, -1, column) > 0;
}

/* Shows cycles, the column that is sorted by, and the costliest others, as many as leave room for a name. */
static void choose_shown(struct top *t)
{
    const double costs[TOP_COLUMNS] = {0, 1 / qn_out_timing()->width, qn_report_cost(QN_REPORT_COST_L1), qn_report_cost(QN_REPORT_COST_L1),
                                       qn_report_cost(QN_REPORT_COST_LL), qn_report_cost(QN_REPORT_COST_BRANCH)};
    int room = (t->width - NAME_LEAST) / (CELL + 1) - 1 - (t->sort != 0);

    memset(t->shown, 0, sizeof t->shown);
    t->shown[0] = t->shown[t->sort] = true;
    for (int next = 0; next >= 0; room--) {
        t->shown[next] = true;
        next = -1;
        for (int i = 1; i < TOP_COLUMNS && room > 0; i++)
            if (!t->shown[i] && has_column(t, i)
                && (next < 0 || costs[i] * value_of(&t->facts.lines, -1, i) > costs[next] * value_of(&t->facts.lines, -1, next)))
                next = i;
    }
}

static void add_row(struct top_view *v, size_t *room, struct top_row row)
{
    size_t count = (size_t)v->count;

    QN_MORE(v->rows, count, *room, 64);
    v->rows[v->count++] = row;
}

/* "16.9 M  86%", right-aligned in CELL characters. */
static const char *cell(struct top *t, double value, double total)
{
    char count[QN_OUT_PERCENT_MAX];

    if (value == 0)
        return qn_text_format(&t->facts.memory, "%*s", CELL, "");
    qn_out_brief(count, value);
    if (!(total > 0) || value / total < 0.005)
        return qn_text_format(&t->facts.memory, "%*s%5s", CELL - 5, count, "");
    return qn_text_format(&t->facts.memory, "%*s %3.0f%%", CELL - 5, count, 100 * value / total);
}

static const char *cells(struct top *t, const struct qn_plot_centres *c, int i)
{
    const char *text = "";

    for (int column = 0; column < TOP_COLUMNS; column++)
        if (t->shown[column])
            text = qn_text_format(&t->facts.memory, "%s%s ", text, cell(t, value_of(c, i, column), value_of(c, -1, column)));
    return text;
}

static const char *heading(struct top *t, const char *what)
{
    const char *text = "";

    for (int column = 0; column < TOP_COLUMNS; column++)
        if (t->shown[column])
            text = qn_text_format(&t->facts.memory, "%s%*s%c", text, CELL, column ? qn_report_columns[column - 1].name : "cycles", column == t->sort ? '*' : ' ');
    return qn_text_format(&t->facts.memory, "%s%s", text, what);
}

struct order {
    const struct qn_plot_centres *centres;
    int column;
};

static int compare(const void *a, const void *b, void *order)
{
    const struct order *o = order;
    int x = *(const int *)a, y = *(const int *)b;
    double p = value_of(o->centres, x, o->column), q = value_of(o->centres, y, o->column);

    return p > q ? -1 : p < q ? 1 : x - y;
}

void top_list(struct top *t, struct top_view *v, enum top_kind kind)
{
    const struct qn_plot_centres *c = kind == TOP_FUNCTIONS ? &t->facts.functions : &t->facts.lines;
    int *order = QN_NEEDED(calloc((size_t)c->count + 1, sizeof *order));
    size_t room = 0;

    while (!has_column(t, t->sort))
        t->sort = (t->sort + 1) % TOP_COLUMNS;
    choose_shown(t);
    *v = (struct top_view){.kind = kind};
    v->title = kind == TOP_FUNCTIONS ? "functions" : "lines";
    v->heading = heading(t, kind == TOP_FUNCTIONS ? "function" : "line");
    for (int i = 0; i < c->count; i++)
        order[i] = i;
    qsort_r(order, (size_t)c->count, sizeof *order, compare, &(struct order){c, t->sort});
    for (int i = 0; i < c->count; i++) {
        const struct qn_plot_centre *at = &c->at[order[i]];
        const char *name = kind == TOP_FUNCTIONS ? at->name : qn_text_format(&t->facts.memory, "%s  %s%s", at->name, at->function, at->others);

        add_row(v, &room, (struct top_row){qn_text_format(&t->facts.memory, "%s%s", cells(t, c, order[i]), name), at->value / c->total, order[i]});
    }
    free(order);
}

static void add_source_line(struct top *t, struct top_view *v, size_t *room, uint32_t line, int centre, const char *text, size_t length)
{
    const struct qn_plot_centres *c = &t->facts.lines;
    const char *misses = "";

    if (centre >= 0)
        misses = qn_text_format(&t->facts.memory, "%s %s", cell(t, value_of(c, centre, 0), c->total),
                               has_column(t, t->sort) && t->sort ? cell(t, value_of(c, centre, t->sort), value_of(c, -1, t->sort)) : "");
    add_row(v, room, (struct top_row){qn_text_format(&t->facts.memory, "%-*s %5u  %.*s", t->sort ? 2 * CELL + 1 : CELL, misses, line, (int)length, text),
                                      centre < 0 ? 0 : c->at[centre].value / c->total, centre});
}

static int compare_lines(const void *a, const void *b, void *lines)
{
    const struct qn_plot_centres *c = lines;
    int x = *(const int *)a, y = *(const int *)b;

    return c->at[x].line < c->at[y].line ? -1 : c->at[x].line > c->at[y].line ? 1 : x - y;
}

/* The lines of the facts that are this file's, in order, up to -1; to be freed. */
static int *find_lines(struct top *t, const char *file)
{
    const struct qn_plot_centres *c = &t->facts.lines;
    int *order = QN_NEEDED(calloc((size_t)c->count + 1, sizeof *order)), count = 0;

    for (int i = 0; i < c->count; i++)
        if (!strcmp(c->at[i].file, file))
            order[count++] = i;
    qsort_r(order, (size_t)count, sizeof *order, compare_lines, &t->facts.lines);
    order[count] = -1;
    return order;
}

void top_source(struct top *t, struct top_view *v, const char *file, uint32_t line)
{
    const struct qn_plot_centres *c = &t->facts.lines;
    struct qn_text_source source;
    const char *text;
    char *path, *hint = qn_out_source_hint(file);
    size_t length, room = 0;
    int *lines = find_lines(t, file), *next = lines;
    int include, error = qn_out_open_source(t->request, &source, file, &path, &include);

    *v = (struct top_view){.kind = TOP_SOURCE, .file = file};
    v->title = error ? qn_text_format(&t->facts.memory, "%s: %s; %s says where it is", file, qn_text_source_why(error), hint)
                     : qn_text_copy(&t->facts.memory, path);
    v->is_path = !error;
    free(hint);
    v->heading = qn_text_format(&t->facts.memory, "%*s%c%*s  line", CELL, "cycles", t->sort ? ' ' : '*', t->sort ? CELL + 5 : 5,
                               t->sort ? qn_report_columns[t->sort - 1].name : "");
    for (; error && *next >= 0; next++) /* without its source, a file has its lines with counts */
        add_source_line(t, v, &room, c->at[*next].line, *next, c->at[*next].function, strlen(c->at[*next].function));
    for (uint32_t i = 1; !error && qn_text_next_source_line(&source, &text, &length); i++) {
        while (*next >= 0 && c->at[*next].line < i)
            next++;
        add_source_line(t, v, &room, i, *next >= 0 && c->at[*next].line == i ? *next : -1, text, length);
    }
    if (!error)
        qn_text_close_source(&source);
    free(path);
    free(lines);
    for (int i = 0; i < v->count; i++) {
        int centre = v->rows[i].centre;

        if (line ? !error ? (uint32_t)i + 1 == line : centre >= 0 && t->facts.lines.at[centre].line == line : v->rows[i].share > v->rows[v->at].share)
            v->at = i;
    }
}

/* A paragraph as rows that fit. */
static void add_text(struct top *t, struct top_view *v, size_t *room, const char *text)
{
    for (size_t most = t->width > 20 ? (size_t)t->width - 1 : 20; *text;) {
        size_t n = strlen(text), end = n;

        if (n > most)
            for (end = most; end > 0 && text[end] != ' '; end--)
                ;
        end = end ? end : most;
        add_row(v, room, (struct top_row){qn_text_copy_part(&t->facts.memory, text, end), 0, -1});
        text += end;
        text += *text == ' ';
    }
    add_row(v, room, (struct top_row){"", 0, -1});
}

/* A row of details: "Ir   27,457,856   47.9%". */
static const char *counted(struct top *t, const char *name, int64_t count, double all)
{
    char number[QN_OUT_COUNT_MAX];

    qn_out_commify(number, count);
    return qn_text_format(&t->facts.memory, "%-20s %15s %6.1f%%", name, number, all > 0 ? 100 * (double)count / all : 0);
}

void top_details(struct top *t, struct top_view *v, int centre, bool of_function)
{
    const struct qn_plot_centres *c = of_function ? &t->facts.functions : &t->facts.lines;
    const struct qn_plot_centre *at = &c->at[centre];
    size_t room = 0;

    *v = (struct top_view){.kind = TOP_DETAILS, .centre = centre, .of_function = of_function};
    v->title = of_function ? at->name : qn_text_format(&t->facts.memory, "%s, in %s%s", at->name, at->function, at->others);
    v->heading = qn_text_format(&t->facts.memory, "%-20s %15s %7s", "event", "count", "of all");
    add_row(v, &room, (struct top_row){qn_text_format(&t->facts.memory, "%s  %s", counted(t, "estimated cycles", llround(at->value), c->total), at->file),
                                      at->value / c->total, centre});
    for (int e = 0; e < c->header->event_count; e++) {
        const char *event = c->header->events[e];
        int64_t count = qn_plot_count_of(c, centre, event);

        if (count)
            add_row(v, &room, (struct top_row){counted(t, event, count, (double)qn_plot_count_of(c, -1, event)), 0, -1});
    }
    add_row(v, &room, (struct top_row){"", 0, -1});
    for (int i = 0; i < t->finding_count && !of_function; i++) {
        if (t->findings[i].line != centre)
            continue;
        add_text(t, v, &room, t->findings[i].what);
        add_text(t, v, &room, t->findings[i].proof);
        add_text(t, v, &room, t->findings[i].advice);
    }
}

void top_help(struct top_view *v)
{
    static const char *const keys[] = {
        "Enter, right    function: its source; line: what is known of it",
        "left, Esc, q    back; from the first view: the end",
        "Q               the end",
        "Tab             functions, or lines of all files",
        "d               details of the function or line",
        "s               sort by the next column",
        "t               source: the next hottest line",
        "/ and n         search; the next one",
        "up, down, j, k, PgUp, PgDn, Home, End, g, G",
        "",
        "Heat: red a quarter of the estimated cycles or more, yellow a sixteenth.",
    };
    size_t room = 0;

    *v = (struct top_view){.kind = TOP_HELP, .title = "keys", .heading = ""};
    for (size_t i = 0; i < QN_ARRAY_LEN(keys); i++)
        add_row(v, &room, (struct top_row){keys[i], 0, -1});
}

int top_find(const struct top_view *v, const char *text)
{
    for (int i = 1; i <= v->count && *text; i++)
        if (strcasestr(v->rows[(v->at + i) % v->count].text, text))
            return (v->at + i) % v->count;
    return -1;
}

int top_next_hottest(const struct top_view *v)
{
    double share = v->count ? v->rows[v->at].share : 0;
    int next = -1;

    for (int i = 0; i < v->count; i++) {
        bool follows = v->rows[i].share < share || (v->rows[i].share == share && i > v->at);

        if (follows && v->rows[i].share > 0 && (next < 0 || v->rows[i].share > v->rows[next].share))
            next = i;
    }
    return next;
}
