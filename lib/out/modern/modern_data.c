/*
 * Misses by object in memory, by type, and by line on which objects: annotate --by=data, --by=type.
 *
 * In:  the tables behind a profile's summary (prof/tables/data.h)
 * Out:      D1mr              D1mw       DLmr       DLmw      object
 *      16,858,624 (86.3%)  0 (0.0%)  12,288 (3.4%)  0 (0.0%)  b (global, demo.c:20)
 *      16,858,624 (86.3%)  0 (0.0%)  12,288 (3.4%)  0 (0.0%)      +8
 *
 *      Line:data summary:   demo.c:55 main: 16,858,624 misses: 16,858,624 on b (global, demo.c:20)
 *
 * Rules: rows are sorted by --sort, or by D1 misses, reads and writes together; rows below the threshold of that are left out. Parts are
 * shown if an object has several.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "out/advice.h"
#include "out/modern/modern.h"
#include "out/sink.h"
#include "prof/tables/tables.h"

enum { TEXT_BYTES = 600, SHOWN_ON_A_LINE = 4, EACH = sizeof "16.9 M 100% " - 1 };

/* A row of a table: an object, or one of its parts; a type, or one of its members. */
struct sum {
    const char *group, *part; /* texts that are equal are added up; part NULL: all of the group */
    int64_t counts[QN_PROF_DATA_EVENTS];
    int64_t of_group[QN_PROF_DATA_EVENTS]; /* of all of it */
};

struct data {
    struct qn_out_modern *m;
    struct qn_prof_data tables;
    char (*described)[TEXT_BYTES]; /* by object */
    struct sum *sums;
    size_t count;
    struct qn_out_columns columns;
    int64_t totals[QN_PROF_DATA_EVENTS];
    double least; /* as weight() has it */
};

static int64_t misses(const int64_t *counts) { return counts[QN_PROF_D1MR] + counts[QN_PROF_D1MW]; }

/* The key by which rows are sorted; in a difference its absolute value. */
static double weight(const struct data *d, const int64_t *counts)
{
    return d->m->request->sort ? qn_out_key_weight(&d->columns.sort[0], counts) : fabs((double)misses(counts));
}

/* Negative where a comes first. */
static int compare_counts(const struct data *d, const int64_t *a, const int64_t *b)
{
    if (d->m->request->sort)
        return qn_out_compare_counts(&d->columns, a, b);
    return QN_COMPARE(llabs(misses(b)), llabs(misses(a)));
}

static void add(int64_t *to, const int64_t *counts)
{
    for (int i = 0; i < QN_PROF_DATA_EVENTS; i++)
        to[i] += counts[i];
}

static int compare_texts(const char *a, const char *b) { return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b); }

static int by_text(const void *left, const void *right)
{
    const struct sum *a = left, *b = right;
    int order = compare_texts(a->group, b->group);
    return order ? order : compare_texts(a->part, b->part);
}

/* Groups, and in each its parts. */
static int by_counts(const void *left, const void *right, void *data)
{
    const struct sum *a = left, *b = right;
    int order = compare_counts(data, a->of_group, b->of_group);
    order = order ? order : strcmp(a->group, b->group);
    if (order || !a->part || !b->part)
        return order ? order : compare_texts(a->part, b->part);
    order = compare_counts(data, a->counts, b->counts);
    return order ? order : strcmp(a->part, b->part);
}

static void unite(struct data *d)
{
    size_t kept = 0;
    qsort(d->sums, d->count, sizeof *d->sums, by_text);
    for (size_t i = 0; i < d->count; i++) {
        if (kept && by_text(&d->sums[kept - 1], &d->sums[i]) == 0)
            add(d->sums[kept - 1].counts, d->sums[i].counts);
        else
            d->sums[kept++] = d->sums[i];
    }
    d->count = kept;
    for (size_t i = 0, group = 0; i < kept; i++) { /* the row of a whole group comes before its parts */
        group = d->sums[i].part ? group : i;
        memcpy(d->sums[i].of_group, d->sums[group].counts, sizeof d->sums[i].of_group);
    }
    qsort_r(d->sums, kept, sizeof *d->sums, by_counts, d);
}

static const char *group_of(const struct data *d, const struct qn_prof_miss *miss)
{
    const struct qn_prof_object *o = &d->tables.objects[miss->object];
    if (d->m->request->by == QN_OUT_BY_TYPE)
        return o->type ? o->type : "(type not known)";
    return d->described[miss->object];
}

static void collect(struct data *d)
{
    int by_type = d->m->request->by == QN_OUT_BY_TYPE;
    for (size_t i = 0; i < d->tables.miss_count; i++) {
        const struct qn_prof_miss *miss = &d->tables.misses[i];
        int typed = !by_type || d->tables.objects[miss->object].type;
        struct sum *s = &d->sums[d->count++];
        *s = (struct sum){.group = group_of(d, miss)};
        memcpy(s->counts, miss->counts, sizeof s->counts);
        add(d->totals, miss->counts);
        if (miss->part == QN_PROF_NO_PART || !typed || (by_type && d->tables.parts[miss->part].name[0] == '['))
            continue; /* an index is no part of a type */
        d->sums[d->count] = *s;
        d->sums[d->count++].part = d->tables.parts[miss->part].name;
    }
    unite(d);
}

/* ---- tables ---- */

static bool is_brief(const struct data *d) { return d->m->request->width > 0; }

static int format_cell(const struct data *d, char *to, size_t size, int64_t count, int64_t total)
{
    char number[QN_OUT_PERCENT_MAX], percent[QN_OUT_PERCENT_MAX] = "0.0";
    if (is_brief(d)) {
        qn_out_brief(number, (double)count);
        return snprintf(to, size, "%s %3.0f%%", number, total ? qn_out_percent(count, total) : 0);
    }
    qn_out_commify(number, count);
    if (total)
        qn_out_fixed(percent, qn_out_percent(count, total), 1);
    return snprintf(to, size, "%s (%s%%)", number, percent);
}

/* Bytes used of a line, as far as a tenth: "8.0 of 64 B". */
static int format_used(const struct data *d, char *to, size_t size, const int64_t *counts)
{
    int64_t filled = counts[QN_PROF_FILLED], used = counts[QN_PROF_USED];
    if (filled <= 0 || used < 0)
        return snprintf(to, size, "-");
    if (!d->tables.line)
        return snprintf(to, size, "%.1f%%", 100.0 * (double)used / (double)filled);
    return snprintf(to, size, "%.1f of %lld B", (double)d->tables.line * (double)used / (double)filled, (long long)d->tables.line);
}

static int format_column(const struct data *d, char *to, size_t size, const int64_t *counts, const struct qn_out_column *c)
{
    double value;
    if (c->event == QN_PROF_USED)
        return format_used(d, to, size, counts);
    if (c->event >= 0)
        return format_cell(d, to, size, counts[c->event], d->totals[c->event]);
    return qn_out_eval_expr(c->expr, counts, &value) ? snprintf(to, size, c->is_percent ? "%.1f%%" : "%.3f", value) : snprintf(to, size, "n/a");
}

static int is_shown(const struct data *d, const int64_t *counts) { return weight(d, counts) >= d->least && weight(d, counts) > 0; }

/* A part that is all of its group says nothing new, but for its name. */
static void put_row(const struct data *d, const struct sum *s, const int *widths)
{
    char cell[128];
    d->m->sink->cutting = is_brief(d);
    for (int i = 0; i < d->columns.shown_count; i++) {
        qn_out_pad(d->m->sink, ' ', widths[i] - format_column(d, cell, sizeof cell, s->counts, &d->columns.shown[i]));
        qn_out_puts(d->m->sink, cell);
        qn_out_puts(d->m->sink, "  ");
    }
    qn_out_puts(d->m->sink, s->part ? "    " : "");
    qn_out_name(d->m->sink, s->part ? s->part : s->group);
    qn_out_putc(d->m->sink, '\n');
}

/* Of the rows that are shown, and of all together. */
static int column_width(const struct data *d, const struct qn_out_column *c)
{
    char cell[128];
    int width = (int)strlen(c->name), n = format_column(d, cell, sizeof cell, d->totals, c);
    width = n > width ? n : width;
    for (size_t k = 0; k < d->count; k++)
        if (is_shown(d, d->sums[k].counts) && (n = format_column(d, cell, sizeof cell, d->sums[k].counts, c)) > width)
            width = n;
    return width;
}

static void put_table(const struct data *d, const char *title, const char *heading)
{
    struct qn_out_sink *s = d->m->sink;
    int *widths = QN_NEEDED(calloc((size_t)d->columns.shown_count, sizeof *widths));
    qn_out_put_title(s, title, "");
    s->cutting = is_brief(d);
    for (int i = 0; i < d->columns.shown_count; i++) {
        const struct qn_out_column *c = &d->columns.shown[i];
        widths[i] = column_width(d, c);
        qn_out_puts(s, c->name);
        qn_out_pad(s, '_', widths[i] - (int)strlen(c->name));
        qn_out_puts(s, "  ");
    }
    qn_out_printf(s, "%s\n\n", heading);
    for (size_t i = 0; i < d->count; i++)
        if (is_shown(d, d->sums[i].counts))
            put_row(d, &d->sums[i], widths);
    qn_out_putc(s, '\n');
    free(widths);
}

/* ---- lines ---- */

struct line {
    const struct qn_prof_miss *first; /* of the rows of a line, which follow each other */
    size_t n;
    int64_t counts[QN_PROF_DATA_EVENTS];
};

static int by_line_counts(const void *left, const void *right, void *data)
{
    const struct line *a = left, *b = right;
    int order = compare_counts(data, a->counts, b->counts);
    return order ? order : QN_COMPARE(a->first, b->first);
}

/* The objects of a line, those with most misses first. */
static void put_objects(struct data *d, const struct line *l)
{
    char cell[128];
    d->count = 0;
    for (size_t i = 0; i < l->n; i++) {
        struct sum *s = &d->sums[d->count++];
        *s = (struct sum){.group = d->described[l->first[i].object]};
        memcpy(s->counts, l->first[i].counts, sizeof s->counts);
    }
    unite(d);
    for (size_t i = 0; i < d->count && i < SHOWN_ON_A_LINE; i++) {
        if (is_brief(d)) {
            format_cell(d, cell, sizeof cell, misses(d->sums[i].counts), misses(l->counts));
            qn_out_printf(d->m->sink, "\n%15s  ", cell);
            d->m->sink->cutting = true;
        } else {
            qn_out_commify(cell, misses(d->sums[i].counts));
            qn_out_printf(d->m->sink, "%s%s on ", i ? ", " : "", cell);
        }
        qn_out_name(d->m->sink, d->sums[i].group);
    }
    if (d->count > SHOWN_ON_A_LINE)
        qn_out_printf(d->m->sink, is_brief(d) ? "\n%17s%zu other%s" : "%s, less on %zu other%s", "", d->count - SHOWN_ON_A_LINE, d->count == SHOWN_ON_A_LINE + 1 ? "" : "s");
}

static void put_line(struct data *d, const struct line *l)
{
    enum { LINE_ROOM = sizeof ":12345 function" };
    char number[QN_OUT_COUNT_MAX];
    qn_out_commify(number, misses(l->counts));
    d->m->sink->cutting = is_brief(d);
    if (is_brief(d))
        qn_out_printf(d->m->sink, "%s misses: ", number);
    qn_out_put_path(d->m->sink, l->first->file, LINE_ROOM);
    qn_out_printf(d->m->sink, ":%u ", l->first->line);
    qn_out_name(d->m->sink, l->first->function);
    if (!is_brief(d))
        qn_out_printf(d->m->sink, "\n    %s misses: ", number);
    put_objects(d, l);
    qn_out_putc(d->m->sink, '\n');
}

static void put_lines(struct data *d)
{
    struct line *lines = QN_NEEDED(calloc(d->tables.miss_count + 1, sizeof *lines));
    size_t count = 0;
    for (size_t i = 0; i < d->tables.miss_count; i++) {
        const struct qn_prof_miss *miss = &d->tables.misses[i];
        if (!i || miss[-1].line != miss->line || miss[-1].file != miss->file || miss[-1].function != miss->function)
            lines[count++].first = miss;
        lines[count - 1].n++;
        add(lines[count - 1].counts, miss->counts);
    }
    qsort_r(lines, count, sizeof *lines, by_line_counts, d);
    qn_out_put_title(d->m->sink, "Line:data summary", "");
    for (size_t i = 0; i < count; i++)
        if (is_shown(d, lines[i].counts))
            put_line(d, &lines[i]);
    qn_out_putc(d->m->sink, '\n');
    free(lines);
}

/* ---- pairs ---- */

static int by_pair_misses(const void *left, const void *right)
{
    const struct qn_prof_pair *a = left, *b = right;
    int order = QN_COMPARE(llabs(b->misses), llabs(a->misses));
    order = order ? order : QN_COMPARE(a->object, b->object);
    return order ? order : QN_COMPARE(a->by, b->by);
}

/* Writes the pairs: misses on an object whose line had been evicted for one of another object. */
static void put_pairs(struct data *d)
{
    const struct qn_prof_pair *p = d->tables.pairs;
    double least = d->m->request->threshold * fabs((double)misses(d->totals)) / 100;
    char cell[128];
    int wide = is_brief(d) ? 15 : 24;
    if (!d->tables.pair_count)
        return;
    qsort(d->tables.pairs, d->tables.pair_count, sizeof *d->tables.pairs, by_pair_misses);
    qn_out_put_title(d->m->sink, "Pair summary", "");
    qn_out_printf(d->m->sink, "%*s  %*s  object, whose lines were evicted for\n\n", wide, "D1 misses", wide, "conflict misses");
    for (; p < d->tables.pairs + d->tables.pair_count && p->misses && (double)llabs(p->misses) >= least; p++) {
        format_cell(d, cell, sizeof cell, p->misses, misses(d->totals));
        d->m->sink->cutting = is_brief(d);
        qn_out_printf(d->m->sink, "%*s  ", wide, cell);
        format_cell(d, cell, sizeof cell, p->conflicts, misses(d->totals));
        qn_out_printf(d->m->sink, "%*s  ", wide, cell);
        qn_out_name(d->m->sink, d->described[p->object]);
        qn_out_puts(d->m->sink, ", for ");
        qn_out_name(d->m->sink, d->described[p->by]);
        qn_out_putc(d->m->sink, '\n');
    }
    qn_out_putc(d->m->sink, '\n');
}

/* ---- all of it ---- */

/* Events may be named as in the table (conflict), or as in the profile (AN.conflict).  `filled` has no column; it is shown with `used`. */
static enum qn_text_status choose_columns(struct data *d)
{
    int room = is_brief(d) ? 2 * d->m->request->width / 3 : INT_MAX;
    struct qn_text_error other = {.status = QN_TEXT_OK}, *err = d->m->err;
    char *names[QN_PROF_DATA_EVENTS];
    const struct qn_prof_header h = {.event_count = QN_PROF_DATA_EVENTS, .events = names};
    for (int k = 0; k < 2; k++, err = &other) {
        for (int i = 0; i < QN_PROF_DATA_EVENTS; i++)
            names[i] = (char *)(!qn_prof_data_has(&d->tables, i) ? "" : k ? qn_prof_data_profile_events[i] : qn_prof_data_events[i]);
        if (qn_out_choose_available_columns(&d->columns, &h, QN_PROF_FILLED, room, EACH, d->m->request->show, d->m->request->sort, err) == QN_TEXT_OK)
            return d->m->err->status = QN_TEXT_OK;
        qn_out_free_columns(&d->columns);
    }
    return d->m->err->status;
}

static void prepare(struct data *d)
{
    d->described = QN_NEEDED(calloc(d->tables.object_count + 1, sizeof *d->described));
    d->sums = QN_NEEDED(calloc(2 * d->tables.miss_count + 1, sizeof *d->sums));
    for (size_t i = 0; i < d->tables.object_count; i++)
        qn_prof_describe_object(&d->tables.objects[i], d->described[i], TEXT_BYTES);
}

static void put_all(struct data *d)
{
    int by_type = d->m->request->by == QN_OUT_BY_TYPE;
    collect(d);
    d->least = d->m->request->threshold * weight(d, d->totals) / 100;
    put_table(d, by_type ? "Type summary" : "Data summary", by_type ? "type, members" : "object, parts");
    if (!by_type) {
        put_pairs(d);
        put_lines(d);
    }
    if (!d->m->request->diff)
        qn_out_put_advice(d->m->sink, &d->tables);
    if (d->tables.lost[0])
        qn_out_printf(d->m->sink, "%lld misses are not among these: there was no room to tell them apart.\n", (long long)d->tables.lost[0]);
}

/* Several profiles are added up; with --diff the first is subtracted from the second. */
static enum qn_text_status read_tables(const struct qn_out_modern *m, struct qn_prof_tables *sum)
{
    char left_out[QN_TEXT_MAX];
    for (int i = 0; i < m->request->input_count; i++)
        if (qn_prof_sum_tables(sum, QN_PROF_DATA_ONLY, m->request->inputs[i], m->request->diff && i == 0, m->err) != QN_TEXT_OK)
            return m->err->status;
    qn_prof_finish_tables(sum, left_out, sizeof left_out);
    return QN_TEXT_OK;
}

enum qn_text_status qn_out_modern_data(struct qn_out_modern *m)
{
    struct data d = {.m = m};
    struct qn_prof_tables sum = {.mod_file = m->request->mod_file, .mod_fn = m->request->mod_fn};
    if (read_tables(m, &sum) == QN_TEXT_OK) {
        d.tables = sum.data;
        if (!d.tables.object_count)
            qn_text_fail(m->err, QN_TEXT_BAD, "%s: objects in memory are not known; `quern run --data=yes` writes them into the profile",
                         m->request->inputs[0]);
        else if (choose_columns(&d) == QN_TEXT_OK) {
            prepare(&d);
            qn_out_put_head(m, &d.columns, m->request->sort ? NULL : "D1mr+D1mw");
            put_all(&d);
        }
    }
    qn_out_free_columns(&d.columns);
    free(d.described);
    free(d.sums);
    qn_prof_free_tables(&sum);
    return m->err->status;
}
