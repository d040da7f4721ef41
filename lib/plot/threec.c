/* lib/plot/threec.c - threec: compulsory, capacity and conflict misses of the D1, stacked.
 *
 * In:  a sweep with sim=3c, or a profile of such a run; events AN.compulsory AN.capacity AN.conflict
 * Out: run,compulsory,capacity,conflict        a line for each run, per 1000 instructions
 *      function,compulsory,capacity,conflict   or for each function that has the most of them: misses
 */
#include <string.h>

#include "base/base.h"
#include "plot/caption.h"
#include "plot/centres.h"
#include "plot/keys.h"
#include "plot/words.h"
#include "prof/kind.h"

#define RUNS_MAX 40
#define FUNCTIONS_USUAL 8
#define NAME_ROOM 26 /* characters of a function below its bar */
#define PER_INSTRUCTIONS 1000

static const char *const classes[] = { "compulsory", "capacity", "conflict" };
#define CLASSES QN_ARRAY_LEN(classes)

static void set_up(struct qn_plot_picture *p, const char *first_column, const char *y_label)
{
    p->form = QN_PLOT_STACKED;
    p->title = "Why the D1 misses";
    qn_text_add_column(&p->data, first_column);
    qn_plot_add_panel(p, "", y_label);
    for (size_t i = 0; i < CLASSES; i++)
        qn_plot_add_curve(p, classes[i], qn_text_add_column(&p->data, classes[i]), (int)i);
}

/* ---- a sweep ---- */

static enum qn_text_status add_run(struct qn_plot_picture *p, const struct qn_plot_input *in, int row, const char *name,
                                   struct qn_text_error *err)
{
    char **cells = qn_text_add_row(&p->data);
    int ir = qn_plot_need_column(in, "Ir", err);
    double instructions, misses;

    if (ir < 0 || qn_plot_need_number(in, row, ir, &instructions, err) != QN_TEXT_OK)
        return err->status;
    cells[0] = qn_text_copy(&p->data.memory, name);
    for (size_t i = 0; i < CLASSES; i++) {
        int column = qn_text_find_column(&in->t, qn_text_format(&p->memory, "AN.%s", classes[i]));

        if (column < 0)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:1: column: got no AN.%s, wanted a sweep with sim=3c", in->path,
                                classes[i]);
        if (qn_plot_need_number(in, row, column, &misses, err) != QN_TEXT_OK)
            return err->status;
        cells[1 + i] = qn_text_format(&p->data.memory, "%.4f",
                                     instructions > 0 ? misses / instructions * PER_INSTRUCTIONS : 0);
    }
    return QN_TEXT_OK;
}

/* If runs differ in one column only, that names the axis. */
static void name_axis(struct qn_plot_picture *p, const struct qn_plot_keys *k)
{
    const char *column = k->count == 1 ? k->in->t.columns[k->columns[0]] : "";
    const char *label = qn_plot_say_column(&p->memory, column), *unit = strstr(label, " (bytes)");

    p->x_label = unit ? qn_text_copy_part(&p->memory, label, (size_t)(unit - label)) : label;
}

static enum qn_text_status stack_runs(struct qn_plot_picture *p, const struct qn_plot_input *in,
                                      struct qn_text_error *err)
{
    struct qn_plot_keys keys = { .in = in, .memory = &p->memory, .x = -1, .y = -1, .panel = -1 };

    if (in->t.row_count > RUNS_MAX)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: runs: got %d, wanted at most %d: choose with --where", in->path,
                            in->t.row_count, RUNS_MAX);
    if (qn_plot_find_keys(&keys, p->request->curve, err) != QN_TEXT_OK)
        return err->status;
    set_up(p, "run", "D1 misses per 1000 instructions");
    for (int row = 0; row < in->t.row_count; row++)
        if (add_run(p, in, row, qn_plot_name_curve(&keys, row), err) != QN_TEXT_OK)
            return err->status;
    name_axis(p, &keys);
    qn_plot_caption_sweep(p, &keys);
    return QN_TEXT_OK;
}

/* ---- a profile ---- */

static enum qn_text_status stack_functions(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct qn_plot_centres c;
    const char *path = p->request->inputs[0];
    int most = p->request->most ? p->request->most : FUNCTIONS_USUAL;

    if (qn_plot_read_centres(&c, &p->memory, p->request, path, "AN.compulsory+AN.capacity+AN.conflict", err)
        != QN_TEXT_OK) {
        if (err->status == QN_TEXT_BAD && strstr(err->text, "AN.compulsory"))
            snprintf(err->text, sizeof err->text,
                     "%s: events: got no AN.compulsory, wanted a profile of a run with the "
                     "module 3c",
                     path);
        return err->status;
    }
    set_up(p, "function", "D1 misses");
    for (int i = 0; i < c.count && i < most && c.at[i].value > 0; i++) {
        char **cells = qn_text_add_row(&p->data);

        cells[0] = qn_text_copy(&p->data.memory, qn_plot_shorten_centre(&p->memory, &c.at[i], NAME_ROOM));
        for (size_t k = 0; k < CLASSES; k++)
            cells[1 + k] = qn_text_format(&p->data.memory, "%lld", (long long)qn_plot_count_of(
                &c, i, qn_text_format(&p->memory, "AN.%s", classes[k])));
    }
    p->x_label = !strcmp(c.by, "line") ? "line" : "function";
    qn_plot_caption_profile(p, c.header);
    qn_plot_free_centres(&c);
    if (p->data.row_count == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: D1 misses: got none, wanted one at least", path);
    return QN_TEXT_OK;
}

enum qn_text_status qn_plot_read_threec(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct qn_plot_input in;

    if (qn_prof_is_profile(p->request->inputs[0]))
        return stack_functions(p, err);
    if (qn_plot_read_input(&in, p->request, p->request->inputs[0], err) == QN_TEXT_OK)
        stack_runs(p, &in, err);
    if (in.failed && err->status == QN_TEXT_OK)
        qn_plot_add_remark(p, "%s: runs that failed and are left out: %d", in.path, in.failed);
    qn_plot_free_input(&in);
    return err->status;
}
