/* lib/plot/flame.c - a flame graph: the paths of calls of a profile (`quern run --calls=paths`) as bars upon each other.
 *
 *   main 300, main;f 600   ->   [all 900      ]      f.svg, which needs no gnuplot: its script, for zoom and search, is in it
 *                               [main 900     ]
 *                               [   ][f 600   ]
 *
 * The width of a bar is the inclusive count of the path; its colour shows the misses of level 1 per 1000 instructions.  Invariants: the
 * callees' bars together are not wider than the caller's; texts are text elements, so that a viewer's search finds them.
 * A bar's value is that of an event, or of an expression of events that can be added up; the costs of paths add up from the leaves.
 */
#define _GNU_SOURCE

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "out/columns.h"
#include "out/sink.h"
#include "plot/picture.h"
#include "plot/words.h"
#include "prof/read.h"
#include "stacks/stacks.h"
#include "text/escape.h"
#include "text/memory.h"
#include "text/output.h"

struct qn_plot_flame_bar {
    uint32_t parent;           /* a bar that comes before; the first bar is all */
    uint32_t depth;            /* of the first 0 */
    const char *name, *file;   /* file: "" if it is not known */
    int64_t calls;
    double value, own;         /* of the event: inclusive, exclusive */
    double instructions, misses; /* inclusive; misses below 0: not counted */
    double left;               /* where it begins, in the event */
};

struct qn_plot_flame {
    struct qn_stacks_tree tree;
    struct qn_plot_flame_bar *bars; /* depth first */
    size_t count;
    uint32_t deepest;
    const char *title, *event, *caption;
};

static void write_flame(const struct qn_plot_flame *f, const struct qn_plot_request *q, FILE *out);

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
    write_flame(&w->f, w->q, qn_text_stream_output(&output));
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

/* ---- the graph as SVG, with search and zoom ----
 *
 *   <svg class="f h2" x="10.0%" y="154" width="25.0%" height="18" data-...><title>f (a.c): ...</title><rect .../><text ...>f</text></svg>
 *
 * Every bar is an <svg> of its own with a width in per cent, which clips the name; the script zooms by changing x and width.
 * Bars too narrow to be seen are left out, because they would be most of the file.
 */

enum { WIDTH = 1200, ROW = 19, BAR = 18, HEAD = 78, FOOT = 30, BASELINE = 13 };

#define LEAST (1.0 / 20000) /* of the width: bars that are narrower are left out */

/* Misses of level 1 per 1000 instructions at which a bar becomes a step darker.  The colours are ColorBrewer's YlOrRd; they differ in
 * lightness, so the colour-blind can tell them apart. */
static const double steps[] = { 1, 5, 20, 80 };
static const char *const colours[] = { "#ffffcc", "#fed976", "#fd8d3c", "#d7301f", "#7f0000" };
enum { STEPS = QN_ARRAY_LEN(steps) };

static const char style[] =
    "<style>text{font:12px sans-serif;fill:#000}.t{font-size:17px;font-weight:bold}.n{fill:#444}.f rect{stroke:#888;stroke-width:.5}"
    ".f{cursor:pointer}.f:hover rect,.f:focus rect{stroke:#000;stroke-width:2}.h3 text,.h4 text{fill:#fff}.up{opacity:.6}"
    ".hit rect{fill:#6a3d9a}.hit text{fill:#fff}"
    "input{font:13px sans-serif;width:150px}button{font:13px sans-serif;margin-left:6px}</style>\n";

static const char script[] =
    "<script><![CDATA[\n"
    "'use strict';\n"
    "const bars = [...document.querySelectorAll('.f')].map(e => ({ e, d: +e.dataset.d, l: +e.dataset.l, w: +e.dataset.w }));\n"
    "const find = document.getElementById('find'), found = document.getElementById('found'), back = document.getElementById('all');\n"
    "const slack = 1e-9;\n"
    "// The chosen bar has the whole width, and so have those that it came from; what is beside it is hidden.\n"
    "function zoom(to) {\n"
    "  for (const b of bars) {\n"
    "    const around = b.d < to.d && b.l <= to.l + slack && b.l + b.w >= to.l + to.w - slack;\n"
    "    const within = b.d >= to.d && b.l >= to.l - slack && b.l + b.w <= to.l + to.w + slack;\n"
    "    b.e.style.display = around || within ? '' : 'none';\n"
    "    b.e.classList.toggle('up', around);\n"
    "    b.e.setAttribute('x', around ? '0%' : 100 * (b.l - to.l) / to.w + '%');\n"
    "    b.e.setAttribute('width', around ? '100%' : 100 * b.w / to.w + '%');\n"
    "  }\n"
    "  back.disabled = to.d === 0;\n"
    "}\n"
    "// Bars whose names hold the words; their share without bars that stand on one of them.\n"
    "function search(words) {\n"
    "  const low = words.toLowerCase(), counted = [];\n"
    "  let share = 0, n = 0;\n"
    "  for (const b of bars) {\n"
    "    const hit = low !== '' && b.d > 0 && b.e.dataset.n.toLowerCase().includes(low);\n"
    "    b.e.classList.toggle('hit', hit);\n"
    "    if (!hit) continue;\n"
    "    n++;\n"
    "    if (counted.some(c => c.d < b.d && c.l <= b.l + slack && c.l + c.w >= b.l + b.w - slack)) continue;\n"
    "    counted.push(b);\n"
    "    share += b.w;\n"
    "  }\n"
    "  found.textContent = low === '' ? '' : n + ' bars, ' + (100 * share).toFixed(1) + '%';\n"
    "}\n"
    "for (const b of bars) {\n"
    "  b.e.addEventListener('click', () => zoom(b));\n"
    "  b.e.addEventListener('keydown', event => { if (event.key === 'Enter') zoom(b); });\n"
    "}\n"
    "find.addEventListener('input', () => search(find.value));\n"
    "back.addEventListener('click', () => zoom(bars[0]));\n"
    "document.addEventListener('keydown', event => { if (event.key === 'Escape') zoom(bars[0]); });\n"
    "]]></script>\n";

/* Text of an element or of an attribute in double quotes: as XML takes it. */
static void put_text(FILE *out, const char *text)
{
    for (size_t left = strlen(text), taken; left; text += taken, left -= taken) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        size_t n = qn_text_escape(piece, text, left, &taken);

        if (!qn_text_utf8_length(text, left) || (taken == 3 && !memcmp(text, "\xef\xbf", 2) && (unsigned char)text[2] >= 0xbe))
            fputs("\xef\xbf\xbd", out); /* nor are U+FFFE and U+FFFF characters of XML */
        else if (strchr("<>&\"", *text))
            fprintf(out, "&#%d;", *text);
        else
            fwrite(piece, 1, n, out);
    }
}

static int heat(const struct qn_plot_flame_bar *b)
{
    double rate = b->misses >= 0 && b->instructions > 0 ? 1000 * b->misses / b->instructions : 0;
    int step = 0;

    while (step < STEPS && rate >= steps[step])
        step++;
    return step;
}

static void put_count(FILE *out, double value)
{
    char text[QN_OUT_COUNT_MAX];

    if (value == floor(value) && fabs(value) < 9e15) {
        qn_out_commify(text, (int64_t)value);
        fputs(text, out);
    } else {
        fprintf(out, "%.3f", value);
    }
}

static void put_tip(const struct qn_plot_flame *f, const struct qn_plot_flame_bar *b, FILE *out)
{
    fputs("<title>", out);
    put_text(out, b->name);
    if (*b->file) {
        fputs(" (", out);
        put_text(out, b->file);
        putc(')', out);
    }
    fputs(": ", out);
    put_count(out, b->value);
    putc(' ', out);
    put_text(out, f->event);
    fprintf(out, ", %.1f%%; of its own ", 100 * b->value / f->bars[0].value);
    put_count(out, b->own);
    if (b->depth)
        fprintf(out, "; called %" PRId64 " times", b->calls);
    if (b->misses >= 0 && b->instructions > 0)
        fprintf(out, "; %.2f misses of level 1 per 1000 instructions", 1000 * b->misses / b->instructions);
    fputs("</title>", out);
}

static void put_bar(const struct qn_plot_flame *f, const struct qn_plot_flame_bar *b, FILE *out)
{
    double whole = f->bars[0].value, left = b->left / whole, width = b->value / whole;
    int step = heat(b);

    fprintf(out, "<svg class=\"f h%d\" x=\"%.6g%%\" y=\"%u\" width=\"%.6g%%\" height=\"%d\" data-d=\"%u\" data-l=\"%.10g\" data-w=\"%.10g\" data-n=\"",
            step, 100 * left, HEAD + ROW * (f->deepest - b->depth), 100 * width, BAR, b->depth, left, width);
    put_text(out, b->name);
    fputs("\" tabindex=\"0\">", out);
    put_tip(f, b, out);
    fprintf(out, "<rect width=\"100%%\" height=\"%d\" fill=\"%s\"/><text x=\"3\" y=\"%d\">", BAR, colours[step], BASELINE);
    put_text(out, b->name);
    fputs("</text></svg>\n", out);
}

static void put_legend(const struct qn_plot_flame *f, FILE *out)
{
    if (f->bars[0].misses < 0)
        return;
    fputs("<text class=\"n\" x=\"10\" y=\"67\">misses of level 1 per 1000 instructions:</text>\n", out);
    for (int i = 0; i <= STEPS; i++) {
        int x = 260 + 110 * i;

        fprintf(out, "<rect x=\"%d\" y=\"56\" width=\"14\" height=\"14\" fill=\"%s\" stroke=\"#888\"/><text class=\"n\" x=\"%d\" y=\"67\">", x, colours[i],
                x + 19);
        if (i)
            fprintf(out, "%g and more</text>\n", steps[i - 1]);
        else
            fprintf(out, "below %g</text>\n", steps[0]);
    }
}

static void write_flame(const struct qn_plot_flame *f, const struct qn_plot_request *q, FILE *out)
{
    int width = q->width ? q->width : WIDTH, height = HEAD + ROW * (int)(f->deepest + 1) + FOOT;
    size_t narrow = 0;

    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"><title>", width, height);
    put_text(out, f->title);
    fprintf(out, "</title>\n%s<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text class=\"t\" x=\"10\" y=\"24\">", style);
    put_text(out, f->title);
    fputs("</text>\n<text class=\"n\" x=\"10\" y=\"44\">", out);
    put_text(out, f->caption);
    fprintf(out, "</text>\n<foreignObject x=\"%d\" y=\"8\" width=\"380\" height=\"26\"><div xmlns=\"http://www.w3.org/1999/xhtml\">"
                 "<input id=\"find\" type=\"search\" placeholder=\"find functions\" aria-label=\"find functions\"/>"
                 "<button id=\"all\" disabled=\"disabled\">whole picture</button></div></foreignObject>\n"
                 "<text class=\"n\" id=\"found\" x=\"%d\" y=\"46\" role=\"status\"></text>\n", width - 300, width - 298);
    put_legend(f, out);
    for (size_t i = 0; i < f->count; i++) {
        if (f->bars[i].value >= LEAST * f->bars[0].value)
            put_bar(f, &f->bars[i], out);
        else
            narrow += f->bars[i].value > 0;
    }
    fprintf(out, "<text class=\"n\" x=\"10\" y=\"%d\">A click on a bar gives it the whole width.", height - 10);
    if (narrow)
        fprintf(out, " %zu paths of less than %g%% each are not drawn.", narrow, 100 * LEAST);
    fprintf(out, "</text>\n%s</svg>\n", script);
}
