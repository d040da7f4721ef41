/* lib/plot/log.c - mrc and sets: pictures of the tables that the analyses mattson and sets print into the log of a run, or of a replay.
 *
 * In:  exp/log.h
 * Out: size,miss_percent          64,90.0000         knees of the curve are marked
 *      set,misses                 0,4156
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "exp/log.h"
#include "plot/picture.h"
#include "plot/words.h"
#include "prof/read.h"

#define KIB 1024

static enum qn_text_status read_log(struct qn_exp_log *log, const char *path, struct qn_text_error *err)
{
    *log = (struct qn_exp_log){ .first = UINT64_MAX };
    if (qn_prof_chosen_region())
        return qn_text_fail(err, QN_TEXT_BAD, "%s: --region: got a log, wanted a profile, which has regions", path);
    return qn_exp_read_tables(log, path, err);
}

static void caption_log(struct qn_plot_picture *p, const struct qn_exp_log *log, bool all_of_d1)
{
    static const char *const levels[] = { "I1", "D1", "LL" };

    if (log->command)
        qn_plot_caption_command(p, log->command);
    if (!all_of_d1 && log->line)
        qn_plot_add_caption(p, "lines of %llu B", (unsigned long long)log->line);
    for (size_t i = 0; i < QN_ARRAY_LEN(levels); i++) {
        const char *cache = log->caches[i] ? qn_plot_read_cache(&p->memory, levels[i], log->caches[i]) : NULL;

        if (all_of_d1 && cache)
            qn_plot_add_caption(p, "%s", cache);
    }
}

static void mark_knees(struct qn_plot_picture *p)
{
    double knees[QN_PLOT_KNEES_MAX];
    int count = qn_plot_find_knees(&p->data, knees);

    for (int i = 0; i < count; i++)
        qn_plot_add_mark(p, knees[i], qn_plot_say_bytes(&p->memory, knees[i]));
}

static void show_curve(struct qn_plot_picture *p, const struct qn_exp_log *log)
{
    p->title = "Misses by size of a fully associative cache (LRU)";
    p->x_label = "size (KiB)";
    p->x_unit = KIB;
    p->log_x = true;
    qn_exp_fill_curve(&p->data, log);
    qn_plot_add_panel(p, "", "misses per 100 lines touched");
    qn_plot_add_curve(p, "misses", 1, 0);
    caption_log(p, log, false);
    mark_knees(p);
    qn_plot_add_caption(p, "simulator: AN=mattson");
    if (p->mark_count)
        qn_plot_add_caption(p, "dotted: knees of the working set");
}

enum qn_text_status qn_plot_read_mrc(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const char *path = p->request->inputs[0];
    struct qn_exp_log log;

    if (read_log(&log, path, err) == QN_TEXT_OK && log.curve_count < 2)
        qn_text_fail(err, QN_TEXT_BAD, "%s: got no line 'AN: N lines: MISSES', wanted the log of a run with --analysis=mattson and without -q", path);
    if (err->status == QN_TEXT_OK)
        show_curve(p, &log);
    qn_exp_free_log(&log);
    return err->status;
}

enum qn_text_status qn_plot_read_sets(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const char *path = p->request->inputs[0];
    struct qn_exp_log log;

    if (read_log(&log, path, err) == QN_TEXT_OK && !log.set_count)
        qn_text_fail(err, QN_TEXT_BAD, "%s: got no line 'AN: misses by set ...', wanted the log of a run with --analysis=sets and without -q", path);
    if (err->status == QN_TEXT_OK) {
        p->form = QN_PLOT_IMPULSES;
        p->title = "Misses by set of the D1";
        p->x_label = "set";
        qn_exp_fill_sets(&p->data, &log);
        qn_plot_add_panel(p, "", "D1 misses");
        qn_plot_add_curve(p, "D1 misses", 1, 0);
        caption_log(p, &log, true);
        qn_plot_add_caption(p, "simulator: AN=sets");
    }
    qn_exp_free_log(&log);
    return err->status;
}

/* ---- knees ---- */

#define DROP 0.1 /* of the height of the curve, since half the size */
#define NEXT 0.5 /* the next step down is less than this part of it */

/* The row of a size; -1: it has none. */
static int find_size(const struct qn_text_table *t, double size)
{
    for (int row = 0; row < t->row_count; row++)
        if (qn_text_number(t, row, 0) == size)
            return row;
    return -1;
}

/* How far the curve falls from half the size to the size; 0 at the ends. */
static double drop_to(const struct qn_text_table *t, double size)
{
    int here = find_size(t, size), half = find_size(t, size / 2);

    return here < 0 || half < 0 ? 0 : qn_text_number(t, half, 1) - qn_text_number(t, here, 1);
}

int qn_plot_find_knees(const struct qn_text_table *curve, double knees[QN_PLOT_KNEES_MAX])
{
    double height = curve->row_count ? qn_text_number(curve, 0, 1) - qn_text_number(curve, curve->row_count - 1, 1) : 0;
    int count = 0;

    for (int row = 1; row < curve->row_count && count < QN_PLOT_KNEES_MAX; row++) {
        double size = qn_text_number(curve, row, 0), drop = drop_to(curve, size);

        if (drop > 0 && drop >= DROP * height && drop_to(curve, 2 * size) < NEXT * drop)
            knees[count++] = size;
    }
    return count;
}
