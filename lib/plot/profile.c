/* lib/plot/profile.c - top and compare: functions or lines of one profile, or of two side by side, as bars.
 *
 * Out: function,D1mr+D1mw,end,label                jki,262145,262145,98.9%
 *      function,A,B,end,label                      jki,262145,0,262145,-262 k      label: B - A
 *
 * `end` is where the longest bar of the row ends and the label begins.
 */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

#include "plot/caption.h"
#include "plot/centres.h"
#include "plot/words.h"

#define BARS_USUAL 15
#define PAIRS_USUAL 10
#define SHARE_LEAST 0.0005 /* of the whole, for a bar */

static bool is_ratio(const char *event) { return strchr(event, '%') || strchr(event, '/') || strstr(event, "MPKI") || strstr(event, "CPI") || strstr(event, "AMAT"); }

/* "Functions with the most D1 misses" */
static const char *say_event(struct qn_text_memory *m, const char *event)
{
    const char *equals = strchr(event, '=');

    return equals ? qn_text_copy_part(m, event, (size_t)(equals - event)) : qn_plot_say_column(m, event);
}

static char *format_value(struct qn_text_memory *m, double v)
{
    return v == floor(v) && fabs(v) < 1e15 ? qn_text_format(m, "%.0f", v) : qn_text_format(m, "%.4f", v);
}

static void set_up(struct qn_plot_picture *p, const struct qn_plot_centres *c)
{
    p->form = QN_PLOT_BARS;
    p->x_label = say_event(&p->memory, c->event);
    qn_text_add_column(&p->data, c->by);
    qn_plot_add_panel(p, "", c->by);
}

/* ---- top ---- */

static void add_bar(struct qn_plot_picture *p, const struct qn_plot_centres *c, int i)
{
    struct qn_text_memory *m = &p->data.memory;
    char **cells = qn_text_add_row(&p->data);
    double v = c->at[i].value;

    cells[0] = qn_text_copy(m, c->at[i].name);
    cells[1] = format_value(m, v);
    cells[2] = format_value(m, v > 0 ? v : 0);
    cells[3] = is_ratio(c->event) || c->total == 0 ? qn_plot_say_count(m, v, false)
                                                   : qn_text_format(m, "%.1f%%", v / c->total * 100);
}

enum qn_text_status qn_plot_read_top(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const struct qn_plot_request *q = p->request;
    struct qn_plot_centres c;
    int most = q->most ? q->most : BARS_USUAL;

    if (qn_plot_read_centres(&c, &p->memory, q, q->inputs[0], q->event, err) != QN_TEXT_OK)
        return err->status;
    set_up(p, &c);
    p->title = qn_text_format(&p->memory, "%ss with the most %s", *c.by == 'l' ? "Line" : "Function", p->x_label);
    qn_plot_add_curve(p, p->x_label, qn_text_add_column(&p->data, c.event), 0);
    qn_text_add_column(&p->data, "end");
    qn_text_add_column(&p->data, "label");
    for (int i = 0; i < c.count && i < most; i++)
        if (c.at[i].value != 0 && (is_ratio(c.event) || fabs(c.at[i].value) >= SHARE_LEAST * fabs(c.total)))
            add_bar(p, &c, i);
    qn_plot_caption_profile(p, c.header);
    qn_plot_free_centres(&c);
    if (p->data.row_count == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: %s: got none anywhere, wanted some", q->inputs[0], c.event);
    return QN_TEXT_OK;
}

/* ---- compare ---- */

struct pair {
    const char *name;
    double a, b;
};

struct pairs {
    struct pair *at;
    int count;
};

/* Folders are not compared, because the program may have been built in two folders. */
static bool is_same(const struct qn_plot_centre *x, const struct qn_plot_centre *y)
{
    return x->line == y->line && !strcmp(x->function, y->function) && !strcmp(basename(x->file), basename(y->file));
}

static void add_pair(struct pairs *pairs, struct qn_text_memory *m, const char *name, double a, double b)
{
    pairs->at = qn_text_grow(m, pairs->at, (size_t)pairs->count, sizeof *pairs->at);
    pairs->at[pairs->count++] = (struct pair){ name, a, b };
}

static double largest(const struct pair *p) { return fabs(p->a) > fabs(p->b) ? fabs(p->a) : fabs(p->b); }

/* The longest bars first; of equal ones those of A in their order. */
static void sort_pairs(struct pairs *pairs)
{
    for (int i = 1; i < pairs->count; i++) {
        struct pair p = pairs->at[i];
        int k = i;

        for (; k > 0 && largest(&pairs->at[k - 1]) < largest(&p); k--)
            pairs->at[k] = pairs->at[k - 1];
        pairs->at[k] = p;
    }
}

/* Matches the first `most` of each profile: only these can be among the `most` largest pairs. */
static void match(struct pairs *pairs, struct qn_text_memory *m, const struct qn_plot_centres *a,
                  const struct qn_plot_centres *b, int most)
{
    for (int i = 0; i < a->count && i < most; i++) {
        int k = 0;

        while (k < b->count && !is_same(&a->at[i], &b->at[k]))
            k++;
        add_pair(pairs, m, a->at[i].name, a->at[i].value, k < b->count ? b->at[k].value : 0);
    }
    for (int k = 0; k < b->count && k < most; k++) {
        int i = 0;

        while (i < a->count && !is_same(&a->at[i], &b->at[k]))
            i++;
        if (i >= most || i == a->count) /* not added above */
            add_pair(pairs, m, b->at[k].name, i < a->count ? a->at[i].value : 0, b->at[k].value);
    }
    sort_pairs(pairs);
}

static void add_pairs(struct qn_plot_picture *p, const struct pairs *pairs, int most, double least)
{
    struct qn_text_memory *m = &p->data.memory;

    for (int i = 0; i < pairs->count && i < most; i++) {
        const struct pair *pair = &pairs->at[i];
        double end = pair->a > pair->b ? pair->a : pair->b;
        char **cells;

        if (largest(pair) == 0 || largest(pair) < least)
            continue;
        cells = qn_text_add_row(&p->data);
        cells[0] = qn_text_copy(m, pair->name);
        cells[1] = format_value(m, pair->a);
        cells[2] = format_value(m, pair->b);
        cells[3] = format_value(m, end > 0 ? end : 0);
        cells[4] = qn_plot_say_count(m, pair->b - pair->a, true);
    }
}

static void compare(struct qn_plot_picture *p, const struct qn_plot_centres *a, const struct qn_plot_centres *b)
{
    int most = p->request->most ? p->request->most : PAIRS_USUAL;
    double whole = fabs(a->total) > fabs(b->total) ? fabs(a->total) : fabs(b->total);
    struct pairs pairs = { NULL, 0 };

    set_up(p, a);
    p->title = qn_text_format(&p->memory, "%s by %s, A against B", p->x_label, a->by);
    qn_plot_add_curve(p, "A", qn_text_add_column(&p->data, "A"), 0);
    qn_plot_add_curve(p, "B", qn_text_add_column(&p->data, "B"), 1);
    qn_text_add_column(&p->data, "end");
    qn_text_add_column(&p->data, "label");
    match(&pairs, &p->memory, a, b, most);
    add_pairs(p, &pairs, most, is_ratio(a->event) ? 0 : SHARE_LEAST * whole);
    qn_plot_caption_two(p, a->header, b->header);
    qn_plot_add_caption(p, "behind the bars: B - A");
}

enum qn_text_status qn_plot_read_compare(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const struct qn_plot_request *q = p->request;
    struct qn_plot_centres a, b;

    if (qn_plot_read_centres(&a, &p->memory, q, q->inputs[0], q->event, err) != QN_TEXT_OK)
        return err->status;
    if (qn_plot_read_centres(&b, &p->memory, q, q->inputs[1], a.event, err) == QN_TEXT_OK) {
        compare(p, &a, &b);
        qn_plot_free_centres(&b);
    }
    qn_plot_free_centres(&a);
    if (err->status == QN_TEXT_OK && p->data.row_count == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: %s: got none anywhere, wanted some", q->inputs[0], a.event);
    return err->status;
}
