/* lib/plot/tables.c - data and calls: pictures of the tables behind the summary of a profile.
 *
 * Out: object,compulsory,capacity,conflict        "b (global, demo.c:20)",12288,0,16777216      D1 misses, those with most first
 *      object,reads,writes                        of a run without the module 3c
 *      function,inclusive,itself,end,label        main,266000000,1200,266000000,99.7%           label: the part of the run
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "plot/centres.h"
#include "plot/picture.h"
#include "plot/words.h"
#include "prof/tables/tables.h"

#define BARS_USUAL 10
#define OBJECT_ROOM 36  /* characters of a name below a vertical bar, */
#define FUNCTION_ROOM 50 /* and beside a horizontal one */
#define NAME_BYTES 600
#define SHARE_LEAST 0.005 /* of the whole, for a bar */

/* ---- data ---- */

struct object {
    const char *name, *label; /* label: without its type */
    int64_t counts[QN_PROF_DATA_EVENTS];
};

static int64_t misses_of(const struct object *o) { return o->counts[QN_PROF_D1MR] + o->counts[QN_PROF_D1MW]; }

static int by_name(const void *a, const void *b) { return strcmp(((const struct object *)a)->name, ((const struct object *)b)->name); }

static int by_misses(const void *a, const void *b)
{
    int64_t x = misses_of(a), y = misses_of(b);

    return x != y ? (x < y) - (x > y) : by_name(a, b);
}

/* Joins objects with the same name; returns how many there are then. */
static size_t join_objects(struct object *at, size_t count)
{
    size_t n = 0;

    qsort(at, count, sizeof *at, by_name);
    for (size_t i = 0; i < count; i++) {
        if (n == 0 || strcmp(at[n - 1].name, at[i].name)) {
            at[n++] = at[i];
            continue;
        }
        for (int e = 0; e < QN_PROF_DATA_EVENTS; e++)
            at[n - 1].counts[e] += at[i].counts[e];
    }
    qsort(at, n, sizeof *at, by_misses);
    return n;
}

static struct object *sum_objects(struct qn_plot_picture *p, const struct qn_prof_data *data, size_t *count)
{
    struct object *at = qn_text_alloc(&p->memory, (data->object_count + 1) * sizeof *at);
    char name[NAME_BYTES];

    for (size_t i = 0; i < data->object_count; i++) {
        struct qn_prof_object plain = data->objects[i];

        qn_prof_describe_object(&plain, name, sizeof name);
        at[i] = (struct object){ .name = qn_text_copy(&p->memory, name) };
        plain.type = NULL;
        qn_prof_describe_object(&plain, name, sizeof name);
        at[i].label = qn_plot_shorten(&p->memory, name, OBJECT_ROOM);
    }
    for (size_t i = 0; i < data->miss_count; i++)
        for (int e = 0; e < QN_PROF_DATA_EVENTS; e++)
            at[data->misses[i].object].counts[e] += data->misses[i].counts[e];
    *count = join_objects(at, data->object_count);
    return at;
}

static const struct part {
    const char *name;
    int event;
} classes[] = { { "compulsory", QN_PROF_COMPULSORY }, { "capacity", QN_PROF_CAPACITY }, { "conflict", QN_PROF_CONFLICT } },
  kinds[] = { { "reads", QN_PROF_D1MR }, { "writes", QN_PROF_D1MW } };

static void stack_objects(struct qn_plot_picture *p, const struct qn_prof_data *data)
{
    bool has_classes = data->classes;
    const struct part *parts = has_classes ? classes : kinds;
    size_t n = has_classes ? QN_ARRAY_LEN(classes) : QN_ARRAY_LEN(kinds), count, most = p->request->most ? (size_t)p->request->most : BARS_USUAL;
    struct object *at = sum_objects(p, data, &count);
    int64_t all = 0;

    p->form = QN_PLOT_STACKED;
    p->title = "Objects that the D1 misses most";
    p->x_label = "object";
    qn_text_add_column(&p->data, "object");
    qn_plot_add_panel(p, "", "D1 misses");
    for (size_t i = 0; i < n; i++)
        qn_plot_add_curve(p, parts[i].name, qn_text_add_column(&p->data, parts[i].name), (int)i);
    for (size_t i = 0; i < count; i++)
        all += misses_of(&at[i]);
    for (size_t i = 0; i < count && i < most && misses_of(&at[i]) > 0 && (double)misses_of(&at[i]) >= SHARE_LEAST * (double)all; i++) {
        char **cells = qn_text_add_row(&p->data);

        cells[0] = qn_text_copy(&p->data.memory, at[i].label);
        for (size_t k = 0; k < n; k++)
            cells[1 + k] = qn_text_format(&p->data.memory, "%lld", (long long)at[i].counts[parts[k].event]);
    }
}

enum qn_text_status qn_plot_read_data(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const char *path = p->request->inputs[0];
    struct qn_prof_data data;

    if (qn_prof_read_data(path, &data, err) != QN_TEXT_OK)
        return err->status;
    if (!data.object_count)
        qn_text_fail(err, QN_TEXT_BAD, "%s: objects: got none, wanted a profile of `quern run --data=yes`", path);
    else
        stack_objects(p, &data);
    qn_prof_free_data(&data);
    if (err->status == QN_TEXT_OK && !p->data.row_count)
        qn_text_fail(err, QN_TEXT_BAD, "%s: D1 misses of objects: got none, wanted one at least", path);
    if (err->status == QN_TEXT_OK)
        qn_prof_close_reader(qn_plot_open_profile(p, path, err));
    return err->status;
}

/* ---- calls ---- */

struct called {
    const struct qn_prof_call_fn *fn;
    const char *name;
    int64_t inclusive;
};

static int by_inclusive(const void *a, const void *b)
{
    const struct called *x = a, *y = b;

    return x->inclusive != y->inclusive ? (x->inclusive < y->inclusive) - (x->inclusive > y->inclusive) : strcmp(x->name, y->name);
}

static bool is_of(const struct qn_plot_centre *c, const struct qn_prof_call_fn *f)
{
    return !strcmp(c->function, f->name) && (!*c->object || !f->object || !strcmp(c->object, f->object));
}

/* The self cost of a function of the tables.  Its file may differ in the rows, if it begins with inlined code; then the name decides. */
static int64_t count_of_itself(const struct qn_plot_centres *c, const struct qn_prof_call_fn *f)
{
    int found = -1;

    for (int i = 0; i < c->count; i++) {
        if (!is_of(&c->at[i], f))
            continue;
        if (!strcmp(c->at[i].file, f->file))
            return (int64_t)c->at[i].value;
        found = found < 0 ? i : found;
    }
    return found < 0 ? 0 : (int64_t)c->at[found].value;
}

static void add_calls(struct qn_plot_picture *p, const struct qn_prof_calls *calls, const struct qn_plot_centres *c, size_t event)
{
    struct called *at = qn_text_alloc(&p->memory, (calls->fn_count + 1) * sizeof *at);
    size_t most = p->request->most ? (size_t)p->request->most : BARS_USUAL;
    char name[NAME_BYTES];

    for (size_t i = 0; i < calls->fn_count; i++)
        at[i] = (struct called){ &calls->fns[i], qn_text_copy(&p->memory, qn_prof_call_name(&calls->fns[i], name, sizeof name)),
                                 qn_prof_inclusive(calls, i)[event] };
    qsort(at, calls->fn_count, sizeof *at, by_inclusive);
    for (size_t i = 0; i < calls->fn_count && i < most && at[i].inclusive > 0 && (double)at[i].inclusive >= SHARE_LEAST * c->total; i++) {
        char **cells = qn_text_add_row(&p->data);
        struct qn_text_memory *m = &p->data.memory;

        cells[0] = qn_text_copy(m, qn_plot_shorten_name(&p->memory, at[i].name, FUNCTION_ROOM));
        cells[1] = qn_text_format(m, "%lld", (long long)at[i].inclusive);
        cells[2] = qn_text_format(m, "%lld", (long long)count_of_itself(c, at[i].fn));
        cells[3] = cells[1];
        cells[4] = qn_text_format(m, "%.1f%%", 100 * (double)at[i].inclusive / c->total);
    }
}

static size_t find_event(const struct qn_prof_calls *calls, const char *event)
{
    size_t i = 0;

    while (i < calls->event_count && strcmp(calls->events[i], event))
        i++;
    return i;
}

static void show_calls(struct qn_plot_picture *p, const struct qn_prof_calls *calls, const char *event, struct qn_text_error *err)
{
    struct qn_plot_centres c;
    size_t at = find_event(calls, event);

    if (at == calls->event_count) {
        qn_text_fail(err, QN_TEXT_BAD, "%s: --event=%s: got an event by which calls are not counted, wanted another", p->request->inputs[0], event);
        return;
    }
    if (qn_plot_read_centres(&c, &p->memory, p->request, p->request->inputs[0], event, err) != QN_TEXT_OK)
        return;
    p->form = QN_PLOT_BARS;
    p->x_label = qn_plot_say_column(&p->memory, event);
    p->title = qn_text_format(&p->memory, "Functions with all that they call: %s", p->x_label);
    qn_text_add_column(&p->data, "function");
    qn_plot_add_panel(p, "", "function");
    qn_plot_add_curve(p, "inclusive", qn_text_add_column(&p->data, "inclusive"), 0);
    qn_plot_add_curve(p, "itself", qn_text_add_column(&p->data, "itself"), 1);
    qn_text_add_column(&p->data, "end");
    qn_text_add_column(&p->data, "label");
    add_calls(p, calls, &c, at);
    qn_plot_caption_profile(p, c.header);
    qn_plot_free_centres(&c);
    if (!p->data.row_count)
        qn_text_fail(err, QN_TEXT_BAD, "%s: %s: got none anywhere, wanted some", p->request->inputs[0], event);
}

enum qn_text_status qn_plot_read_calls(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const char *path = p->request->inputs[0];
    struct qn_prof_calls calls;

    if (qn_prof_read_calls(path, &calls, err) != QN_TEXT_OK)
        return err->status;
    if (!calls.fn_count)
        qn_text_fail(err, QN_TEXT_BAD, "%s: calls: got none, wanted a profile of `quern run --calls=yes`", path);
    else
        show_calls(p, &calls, p->request->event ? p->request->event : "Ir", err);
    qn_prof_free_calls(&calls);
    return err->status;
}
