/* lib/plot/flame.c - makes the bars of a flame graph from a tree of contexts.  See flame.h.
 *
 * A bar's value is that of an event, or of an expression of events that can be added up; the costs of paths add up from the leaves.
 */
#define _GNU_SOURCE
#include "plot/flame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "text/memory.h"
#include "out/columns.h"
#include "plot/words.h"
#include "prof/read.h"
#include "text/output.h"

#define MISSES "I1mr+D1mr+D1mw"
#define INSTRUCTIONS "Ir"
#define ROUNDING 1e-9 /* relative rounding error of sums that is accepted */

struct work {
    const struct qn_plot_request *q;
    const char *path;
    struct qn_plot_flame f;
    struct qn_text_memory memory;
    struct qn_prof_reader *reader;
    struct qn_out_expr *event, *misses, *instructions; /* the last two: NULL if they were not counted */
    int64_t *counts;                                   /* by node, with the profile's events */
    uint32_t *bar_of;                                  /* by node */
    struct qn_text_error *err;
};

static double evaluate(const struct qn_out_expr *e, const int64_t *counts)
{
    double value;

    return e && qn_out_eval_expr(e, counts, &value) ? value : 0;
}

static const char *change(struct work *w, const struct qn_text_subst *s, const char *name)
{
    struct qn_text_buffer to = { 0 };
    const char *changed = name;

    if (s && qn_text_apply_subst(s, name, strlen(name), &to, w->err) == 0)
        changed = qn_text_copy(&w->memory, to.text);
    free(to.text);
    return changed;
}

static void make_bar(struct work *w, struct qn_plot_flame_bar *b, uint32_t node)
{
    const struct qn_prof_calls *c = &w->f.tree.calls;
    const struct qn_prof_call_node *n = &c->nodes[node];
    const struct qn_prof_call_fn *fn = &c->fns[n->function];
    char room[QN_TEXT_MAX];
    const int64_t *counts = w->counts + (size_t)node * (size_t)qn_prof_reader_header(w->reader)->event_count;

    b->parent = n->parent == QN_PROF_NO_NODE ? 0 : w->bar_of[n->parent];
    b->depth = w->f.tree.depth[node];
    b->name = change(w, w->q->mod_fn, qn_text_copy(&w->memory, qn_prof_call_name(fn, room, sizeof room)));
    b->file = change(w, w->q->mod_file, strcmp(fn->file, QN_PROF_NOT_KNOWN) ? fn->file : "");
    b->calls = n->calls;
    b->own = b->value = evaluate(w->event, counts);
    b->instructions = evaluate(w->instructions, counts);
    b->misses = evaluate(w->misses, counts);
}

/* Makes bars in the order of the tree; then adds each bar to its caller's, from the last to the first. */
static int make_bars(struct work *w)
{
    struct qn_plot_flame *f = &w->f;
    size_t nodes = f->tree.calls.node_count;

    f->bars = QN_NEEDED(calloc(nodes + 1, sizeof *f->bars));
    w->bar_of = QN_NEEDED(calloc(nodes + 1, sizeof *w->bar_of));
    f->bars[0] = (struct qn_plot_flame_bar){ .name = "all", .file = "" };
    f->count = nodes + 1;
    f->deepest = f->tree.deepest;
    for (size_t i = 0; i < nodes; i++) {
        w->bar_of[f->tree.order[i]] = (uint32_t)i + 1;
        make_bar(w, &f->bars[i + 1], f->tree.order[i]);
        if (f->bars[i + 1].own < 0) {
            qn_text_fail(w->err, QN_TEXT_BAD, "%s: %s: got %g for a path, wanted none below 0", w->path, f->event, f->bars[i + 1].own);
            return -1;
        }
    }
    for (size_t i = nodes; i > 0; i--) {
        struct qn_plot_flame_bar *b = &f->bars[i], *up = &f->bars[b->parent];

        up->value += b->value;
        up->instructions += b->instructions;
        up->misses += b->misses;
    }
    return 0;
}

/* Places the bars of one parent side by side, in the order of the tree; the parent's own cost is the room behind them. */
static void place_bars(struct work *w)
{
    struct qn_plot_flame *f = &w->f;
    double *used = QN_NEEDED(calloc(f->count, sizeof *used));

    for (size_t i = 1; i < f->count; i++) {
        struct qn_plot_flame_bar *b = &f->bars[i];

        b->left = f->bars[b->parent].left + used[b->parent];
        used[b->parent] += b->value;
    }
    free(used);
}

/* Is the expression's value of the whole the sum of those of the parts?  For a ratio it is not. */
static int adds_up(struct work *w)
{
    size_t events = (size_t)qn_prof_reader_header(w->reader)->event_count;
    int64_t *sum = QN_NEEDED(calloc(events, sizeof *sum));
    double all = w->f.bars[0].value;
    int good;

    for (size_t i = 0; i < w->f.tree.calls.node_count; i++)
        for (size_t e = 0; e < events; e++)
            sum[e] += w->counts[i * events + e];
    good = fabs(evaluate(w->event, sum) - all) <= ROUNDING * fabs(all);
    free(sum);
    return good;
}

static int check_event(struct work *w)
{
    if (!adds_up(w)) {
        qn_text_fail(w->err, QN_TEXT_BAD, "%s: --event: got `%s`, wanted events, or sums of them, whose parts add up to the whole", w->path, w->f.event);
        return -1;
    }
    if (w->f.bars[0].value > 0)
        return 0;
    qn_text_fail(w->err, QN_TEXT_BAD, "%s: %s: got none anywhere, wanted some", w->path, w->f.event);
    return -1;
}

static int read_events(struct work *w)
{
    struct qn_text_error ignored = { .status = QN_TEXT_OK };
    const struct qn_prof_header *h;

    w->reader = qn_prof_open_reader(w->path, w->err);
    if (!w->reader)
        return -1;
    h = qn_prof_reader_header(w->reader);
    w->f.event = w->q->event ? w->q->event : h->events[0];
    w->event = qn_out_parse_expr(w->f.event, h, w->err);
    if (!w->event)
        return -1;
    w->misses = qn_out_parse_expr(MISSES, h, &ignored);
    w->instructions = qn_out_parse_expr(INSTRUCTIONS, h, &ignored);
    w->counts = qn_prof_widen_calls(&w->f.tree.calls, w->f.tree.calls.node_counts, w->f.tree.calls.node_count, h);
    return 0;
}

static void name_picture(struct work *w)
{
    struct qn_plot_flame *f = &w->f;

    f->title = w->q->title ? w->q->title : qn_text_format(&w->memory, "%s by path of calls", qn_plot_say_column(&w->memory, f->event));
    f->caption = f->tree.command;
    if (!w->misses || !w->instructions)
        for (size_t i = 0; i < f->count; i++)
            f->bars[i].misses = -1;
}

static void draw(struct work *w)
{
    struct qn_text_output output;

    if (qn_text_open_output(&output, w->q->output, QN_TEXT_SHARED, w->err) != QN_TEXT_OK)
        return;
    qn_plot_write_flame(&w->f, w->q, qn_text_stream_output(&output));
    qn_text_close_output(&output, w->err);
}

enum qn_text_status qn_plot_draw_flame(const struct qn_plot_request *q, struct qn_text_error *err)
{
    struct work w = { .q = q, .path = q->inputs[0], .err = err };
    const char *end = strrchr(q->output, '.');

    if (!end || strcmp(end, ".svg"))
        return qn_text_fail(err, QN_TEXT_BAD, "-o %s: wanted a name that ends in .svg: a flame graph is drawn without gnuplot", q->output);
    if (qn_stacks_read(&w.f.tree, w.path, err) == QN_TEXT_OK && read_events(&w) == 0 && make_bars(&w) == 0 && check_event(&w) == 0) {
        place_bars(&w);
        name_picture(&w);
        if (err->status == QN_TEXT_OK)
            draw(&w);
    }
    qn_out_free_expr(w.event);
    qn_out_free_expr(w.misses);
    qn_out_free_expr(w.instructions);
    qn_prof_close_reader(w.reader);
    qn_text_free_memory(&w.memory);
    qn_stacks_free(&w.f.tree);
    free(w.f.bars);
    free(w.bar_of);
    free(w.counts);
    return err->status;
}
