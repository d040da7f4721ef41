/* lib/plot/roofline.c - roofline: how many instructions a second, at most, for each byte from or to memory; and where programs are below that roof.
 *
 * In:  profiles of runs that count write-backs (--sim=D1=writeback); of a machine (--machine) width, clock and bandwidth; the timing in force
 * Out: intensity,roof,prog                 the roof is min(width * clock, intensity * bandwidth)
 *      0.25,8525000000,
 *      0.4692,16000000000,                 the ridge, where both are the same
 *      3.1,16000000000,7421000000          prog: Ir / (Ir / cycles estimated * clock), Ir / (LL.fills + LL.writebacks) / bytes of a line
 *
 * Of one profile, the functions with most cycles have points of their own; those without traffic have none.
 * Source: S. Williams, A. Waterman, D. Patterson, Roofline: an insightful visual performance model for multicore architectures, CACM 52(4), 2009;
 * here with instructions in place of floating-point operations. */
#include <stdlib.h>
#include <string.h>

#include "out/columns.h"
#include "plot/centres.h"
#include "plot/picture.h"

#define FUNCTIONS_USUAL 6
#define NAME_ROOM 30
#define MILLION 1e6

struct point {
    const char *name;
    double intensity, rate;
};

struct points {
    struct point *at;
    int count;
};

static int by_intensity(const void *a, const void *b)
{
    double x = ((const struct point *)a)->intensity, y = ((const struct point *)b)->intensity;

    return (x > y) - (x < y);
}

static double roof(const struct qn_plot_peak *peak, double intensity)
{
    double memory = intensity * peak->bytes * MILLION, core = peak->instructions * MILLION;

    return memory < core ? memory : core;
}

/* Centre i, or the whole profile. */
static void add_point(struct qn_plot_picture *p, struct points *points, const struct qn_plot_centres *c, int i, double line, const char *name)
{
    double instructions = (double)qn_plot_count_of(c, i, "Ir"), cycles = i < 0 ? c->total : c->at[i].value;
    double bytes = (double)(qn_plot_count_of(c, i, "LL.fills") + qn_plot_count_of(c, i, "LL.writebacks")) * line;

    if (bytes <= 0 || instructions <= 0 || cycles <= 0)
        return;
    points->at = qn_text_grow(&p->memory, points->at, (size_t)points->count, sizeof *points->at);
    points->at[points->count++] = (struct point){ name, instructions / bytes, instructions / cycles * p->request->peak->clock * MILLION };
}

static enum qn_text_status add_profile(struct qn_plot_picture *p, struct points *points, const char *path, struct qn_text_error *err)
{
    int most = p->request->input_count > 1 ? 0 : p->request->most ? p->request->most : FUNCTIONS_USUAL, before = points->count;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct qn_plot_centres c;
    double line;

    if (qn_plot_read_centres(&c, &p->memory, p->request, path, "cycles", err) != QN_TEXT_OK)
        return err->status;
    line = qn_plot_line_bytes(c.header, "LL");
    if (qn_prof_find_event(c.header, "LL.fills", 8) < 0 || qn_prof_find_event(c.header, "LL.writebacks", 13) < 0 || line <= 0)
        qn_text_fail(err, QN_TEXT_BAD, "%s: events: got no LL.fills and LL.writebacks, wanted a profile of a run with --sim=D1=writeback", path);
    else {
        add_point(p, points, &c, -1, line, qn_text_copy(&p->memory, name));
        if (points->count == before)
            qn_text_fail(err, QN_TEXT_BAD, "%s: bytes from and to memory: got none, wanted some", path);
        for (int i = 0; i < c.count && i < most; i++)
            add_point(p, points, &c, i, line, qn_text_copy(&p->memory, qn_plot_shorten_centre(&p->memory, &c.at[i], NAME_ROOM)));
        if (before == 0)
            qn_plot_caption_profile(p, c.header);
    }
    qn_plot_free_centres(&c);
    return err->status;
}

/* A row at this intensity; of the roof only, if there is no point. */
static void add_row(struct qn_plot_picture *p, double intensity, int column, double rate)
{
    char **cells = qn_text_add_row(&p->data);

    for (int i = 2; i < p->data.column_count; i++)
        cells[i] = qn_text_copy(&p->data.memory, "");
    cells[0] = qn_text_format(&p->data.memory, "%.6g", intensity);
    cells[1] = qn_text_format(&p->data.memory, "%.6g", roof(p->request->peak, intensity));
    if (column)
        cells[column] = qn_text_format(&p->data.memory, "%.6g", rate);
}

static void add_rows(struct qn_plot_picture *p, const struct points *points, double ridge)
{
    double least = points->at[0].intensity, most = points->at[points->count - 1].intensity;
    bool added = false;

    add_row(p, (least < ridge ? least : ridge) / 4, 0, 0);
    for (int i = 0; i < points->count; i++) {
        if (!added && points->at[i].intensity > ridge)
            add_row(p, ridge, 0, 0), added = true;
        add_row(p, points->at[i].intensity, 2 + i, points->at[i].rate);
    }
    if (!added)
        add_row(p, ridge, 0, 0);
    add_row(p, (most > ridge ? most : ridge) * 4, 0, 0);
}

enum qn_text_status qn_plot_read_roofline(struct qn_plot_picture *p, struct qn_text_error *err)
{
    const struct qn_plot_peak *peak = p->request->peak;
    struct points points = { NULL, 0 };

    for (int i = 0; i < p->request->input_count; i++)
        if (add_profile(p, &points, p->request->inputs[i], err) != QN_TEXT_OK)
            return err->status;
    qsort(points.at, (size_t)points.count, sizeof *points.at, by_intensity);
    p->title = "Instructions a second below the machine's roof (estimated)";
    p->x_label = "instructions for each byte from or to memory";
    p->log_x = p->log_y = true;
    qn_text_add_column(&p->data, "intensity");
    qn_plot_add_panel(p, "", "instructions a second");
    qn_plot_add_curve(p, "roof", qn_text_add_column(&p->data, "roof"), 4)->plain = true;
    for (int i = 0; i < points.count; i++)
        qn_plot_add_curve(p, points.at[i].name, qn_text_add_column(&p->data, points.at[i].name), i < 4 ? i : i + 1);
    add_rows(p, &points, peak->instructions / peak->bytes);
    qn_plot_add_caption(p, "roof: %s, %.10g million instructions and %.10g million bytes a second", peak->machine, peak->instructions, peak->bytes);
    return QN_TEXT_OK;
}
