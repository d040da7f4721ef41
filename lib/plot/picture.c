/* lib/plot/picture.c - the kinds of pictures, and the functions that build one.  See plot.h and picture.h. */
#define _GNU_SOURCE
#include "plot/picture.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "plot/flame.h"

#define SWEEP "--x --y --panel --curve --where --log"
#define NAMES "--mod-filename --mod-funcname"
#define CENTRES "--event --by --most --timing " NAMES
const struct qn_plot_kind qn_plot_kinds[] = {
    { "size", "a sweep or log", "misses against the size of a cache (of a log: module sizes)", 1, 1, SWEEP " --level" },
    { "ways", "a sweep", "... against its ways", 1, 1, SWEEP " --level" },
    { "line", "a sweep", "... against the length of its lines", 1, 1, SWEEP " --level" },
    { "curve", "a sweep", "any column against any other: --x, --y", 1, 1, SWEEP },
    { "budget", "a sweep", "mispredicts against the bits of predictors", 1, 1, SWEEP " --level" },
    { "threec", "a sweep or profile", "compulsory, capacity and conflict misses (module 3c)", 1, 1, "--where --curve --by --most " NAMES },
    { "cpi", "a profile", "estimated cycles per instruction, stacked: issue, I1, D1, LL, mispredicts", 1, 1, "--by --most --timing " NAMES },
    { "mrc", "a log", "misses by size of a fully associative cache (module mattson)", 1, 1, "--log" },
    { "sets", "a log", "misses by set (module sets)", 1, 1, "--log" },
    { "heat", "misses by set", "... by set and time, as colours; a profile beside it tells whose they are", 1, 2, "--level --where" },
    { "invariance", "findings", "executions whose value is the same again and again (module values)", 1, 1, "--where --log" },
    { "time", "intervals", "events over instructions; a profile beside it tells whose they are", 1, 2, "--y --where --log" },
    { "flame", "a profile", "a flame graph of call paths (quern run --calls=paths): search and zoom", 1, 1, "--event " NAMES },
    { "top", "a profile", "functions or lines that have the most of an event", 1, 1, CENTRES },
    { "data", "a profile", "objects that the D1 misses most, stacked (quern run --data=yes)", 1, 1, "--most" },
    { "calls", "a profile", "functions with all that they call (quern run --calls=yes)", 1, 1, "--event --most" },
    { "compare", "two profiles", "the same of both, with the difference", 2, 2, CENTRES },
};
const int qn_plot_kind_count = QN_ARRAY_LEN(qn_plot_kinds);

typedef enum qn_text_status reader(struct qn_plot_picture *p, struct qn_text_error *err);

static reader *const readers[] = {
    qn_plot_read_sweep, qn_plot_read_sweep,  qn_plot_read_sweep,   qn_plot_read_sweep,
    qn_plot_read_sweep, qn_plot_read_threec, qn_plot_read_cpi,     qn_plot_read_mrc,
    qn_plot_read_sets,  qn_plot_read_heat,   qn_plot_read_invariance,
    qn_plot_read_time,  NULL /* flame.c draws by itself */, qn_plot_read_top,    qn_plot_read_data,
    qn_plot_read_calls, qn_plot_read_compare,
};
_Static_assert(QN_ARRAY_LEN(readers) == QN_ARRAY_LEN(qn_plot_kinds), "a reader for each kind");

const struct qn_plot_kind *qn_plot_find_kind(const char *name)
{
    for (int i = 0; i < qn_plot_kind_count; i++)
        if (!strcmp(qn_plot_kinds[i].name, name))
            return &qn_plot_kinds[i];
    return NULL;
}

/* ---- parts ---- */

struct qn_plot_panel *qn_plot_add_panel(struct qn_plot_picture *p, const char *title, const char *y_label)
{
    p->panels = qn_text_grow(&p->memory, p->panels, (size_t)p->panel_count, sizeof *p->panels);
    p->panels[p->panel_count] = (struct qn_plot_panel){ title, y_label, p->curve_count, 0 };
    return &p->panels[p->panel_count++];
}

struct qn_plot_curve *qn_plot_add_curve(struct qn_plot_picture *p, const char *name, int column, int style)
{
    p->curves = qn_text_grow(&p->memory, p->curves, (size_t)p->curve_count, sizeof *p->curves);
    p->curves[p->curve_count] = (struct qn_plot_curve){ name, column, style };
    p->panels[p->panel_count - 1].count++;
    return &p->curves[p->curve_count++];
}

void qn_plot_add_mark(struct qn_plot_picture *p, double x, const char *label)
{
    p->marks = qn_text_grow(&p->memory, p->marks, (size_t)p->mark_count, sizeof *p->marks);
    p->marks[p->mark_count++] = (struct qn_plot_mark){ x, label };
}

void qn_plot_add_caption(struct qn_plot_picture *p, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    p->caption = qn_text_grow(&p->memory, p->caption, (size_t)p->caption_count, sizeof *p->caption);
    p->caption[p->caption_count++] = qn_text_copy(&p->memory, text);
    free(text);
}

void qn_plot_add_remark(struct qn_plot_picture *p, const char *format, ...)
{
    size_t used = strlen(p->remark);
    va_list args;

    if (used)
        used += (size_t)snprintf(p->remark + used, QN_PLOT_REMARK_MAX - used, "; ");
    if (used >= QN_PLOT_REMARK_MAX)
        return;
    va_start(args, format);
    vsnprintf(p->remark + used, QN_PLOT_REMARK_MAX - used, format, args);
    va_end(args);
}

bool qn_plot_find_range(const struct qn_plot_picture *p, int column, double *least, double *most)
{
    bool found = false;
    double v;

    for (int row = 0; row < p->data.row_count; row++)
        if (qn_text_cell_number(&p->data, row, column, &v)) {
            *least = found && *least < v ? *least : v;
            *most = found && *most > v ? *most : v;
            found = true;
        }
    return found;
}

/* ---- all ---- */

enum qn_text_status qn_plot_draw(const struct qn_plot_request *q, char remark[QN_PLOT_REMARK_MAX],
                                 struct qn_text_error *err)
{
    struct qn_plot_picture p = {
        .request = q, .x_unit = 1, .across = 1, .points = true, .x_label = "", .remark = remark
    };
    enum qn_text_status status;

    remark[0] = 0;
    if (!strcmp(q->kind, "flame"))
        return qn_plot_draw_flame(q, err);
    status = readers[qn_plot_find_kind(q->kind) - qn_plot_kinds](&p, err);
    if (q->title)
        p.title = q->title;
    if (q->log) {
        p.log_x = strchr(q->log, 'x');
        p.log_y = strchr(q->log, 'y');
    }
    if (status == QN_TEXT_OK)
        status = q->data_only ? qn_text_write_table(&p.data, q->output, err) : qn_plot_write_files(&p, err);
    if (q->data && status == QN_TEXT_OK)
        *q->data = p.data;
    else
        qn_text_free_table(&p.data);
    qn_text_free_memory(&p.memory);
    return status;
}
