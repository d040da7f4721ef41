/* lib/plot/cpi.c - cpi: where the cycles of the most costly functions or lines go, stacked: issue, I1, D1, LL, branches.
 *
 * In:  a profile, and the timing in force (out/columns.h)
 * Out: function,issue,I1,D1,LL,branches            "jki, 71.2%",1.0000,0.0000,2.3810,0.4762,0.0120
 *
 * The height of a bar is the estimated CPI of the function; its share of all cycles stands behind its name.  Parts without events in the profile
 * are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "out/columns.h"
#include "plot/caption.h"
#include "plot/centres.h"
#include "plot/words.h"

#define BARS_USUAL 8
#define NAME_ROOM 26 /* characters below a bar */
#define SHARE_LEAST 0.005 /* of the cycles, for a bar */

static const struct part {
    const char *column, *name;
} parts[] = {
    { "CPI.issue", "issue" }, { "CPI.I1", "I1 misses" }, { "CPI.D1", "D1 misses" }, { "CPI.LL", "LL misses" },
    { "CPI.branch", "mispredicts" },
};
#define PARTS QN_ARRAY_LEN(parts)

static void set_up(struct qn_plot_picture *p, const char *by)
{
    p->form = QN_PLOT_STACKED;
    p->title = "Where the cycles go (estimated)";
    p->x_label = by;
    qn_text_add_column(&p->data, by);
    qn_plot_add_panel(p, "", "cycles per instruction");
    for (size_t i = 0; i < PARTS; i++)
        qn_plot_add_curve(p, parts[i].name, qn_text_add_column(&p->data, parts[i].name), (int)i);
}

static void add_bars(struct qn_plot_picture *p, const struct qn_plot_centres *c, struct qn_out_expr *const exprs[PARTS])
{
    int most = p->request->most ? p->request->most : BARS_USUAL;

    for (int i = 0; i < c->count && i < most && c->at[i].value > 0 && c->at[i].value >= SHARE_LEAST * c->total; i++) {
        char **cells = qn_text_add_row(&p->data);

        cells[0] = qn_text_format(&p->data.memory, "%s, %.1f%%", qn_plot_shorten_centre(&p->memory, &c->at[i], NAME_ROOM),
                                 100 * c->at[i].value / c->total);
        for (size_t k = 0; k < PARTS; k++) {
            double v = 0;

            if (exprs[k])
                qn_out_eval_expr(exprs[k], c->at[i].counts, &v);
            cells[1 + k] = qn_text_format(&p->data.memory, "%.4f", v);
        }
    }
}

static enum qn_text_status parse_parts(const struct qn_plot_centres *c, struct qn_out_expr *exprs[PARTS],
                                       struct qn_text_error *err)
{
    for (size_t i = 0; i < PARTS && err->status == QN_TEXT_OK; i++) {
        char *text = qn_out_write_timing(parts[i].column, c->header);

        exprs[i] = text ? qn_out_parse_expr(text, c->header, err) : NULL;
        free(text);
    }
    return err->status;
}

enum qn_text_status qn_plot_read_cpi(struct qn_plot_picture *p, struct qn_text_error *err)
{
    struct qn_out_expr *exprs[PARTS] = { NULL };
    struct qn_plot_centres c;
    char timing[200];

    if (qn_plot_read_centres(&c, &p->memory, p->request, p->request->inputs[0], "cycles", err) != QN_TEXT_OK)
        return err->status;
    set_up(p, c.by);
    if (parse_parts(&c, exprs, err) == QN_TEXT_OK)
        add_bars(p, &c, exprs);
    for (size_t i = 0; i < PARTS; i++)
        qn_out_free_expr(exprs[i]);
    qn_plot_caption_profile(p, c.header);
    qn_out_describe_timing(timing, sizeof timing);
    qn_plot_add_caption(p, "cycles: %s", timing);
    qn_plot_free_centres(&c);
    if (err->status == QN_TEXT_OK && p->data.row_count == 0)
        return qn_text_fail(err, QN_TEXT_BAD, "%s: cycles: got none, wanted one at least", p->request->inputs[0]);
    return err->status;
}
