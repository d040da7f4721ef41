/* lib/report/facts.c - see facts.h. */
#include "report/facts.h"

#include <string.h>
#include <unistd.h>

#include "out/csv/csv_head.h"
#include "plot/plot.h"

#define COST "cycles"

const char *qn_report_path(struct qn_report_facts *f, const char *name)
{
    return qn_exp_format(&f->memory, "%s/%s", f->report->folder, name);
}

double qn_report_count(const struct qn_plot_centres *c, int i, const char *events)
{
    double sum = 0;

    for (size_t n; *events; events += n + (events[n] == '+')) {
        char name[32] = "";

        n = strcspn(events, "+");
        strncat(name, events, n < sizeof name - 1 ? n : sizeof name - 1);
        sum += (double)qn_plot_count_of(c, i, name);
    }
    return sum;
}

bool qn_report_has_event(const struct qn_report_facts *f, const char *event)
{
    return qn_prof_find_event(f->lines.header, event, strlen(event)) >= 0;
}

bool qn_report_has_line(const struct qn_plot_centre *c)
{
    return c->line != 0 && strcmp(c->file, "???");
}

static void read_geometry(struct qn_report_facts *f)
{
    uint64_t numbers[QN_OUT_CSV_GEOMETRY];

    qn_out_csv_find_geometry(f->lines.header, numbers);
    for (int i = 0; i < QN_REPORT_LEVELS; i++)
        f->size[i] = (double)numbers[3 * i];
}

/* Reads a table; if there is no file, it has no rows. */
static enum qn_text_status read_table(struct qn_report_facts *f, struct qn_exp_table *t, const char *name,
                                      struct qn_text_error *err)
{
    const char *path = qn_report_path(f, name);

    return access(path, F_OK) ? QN_TEXT_OK : qn_exp_read_table(t, path, err);
}

static enum qn_text_status read_centres(struct qn_report_facts *f, struct qn_plot_centres *c, const char *by,
                                        struct qn_text_error *err)
{
    const struct qn_plot_request q = { .by = by, .profile = &f->profile };

    return qn_plot_read_centres(c, &f->memory, &q, qn_report_path(f, QN_REPORT_PROFILE), COST, err);
}

enum qn_text_status qn_report_read_facts(struct qn_report_facts *f, const struct qn_report *r,
                                         struct qn_text_error *err)
{
    const char *path;

    *f = (struct qn_report_facts){ .report = r, .batch = { .folder = r->folder } };
    path = qn_report_path(f, QN_REPORT_PROFILE);
    if (qn_plot_open_rows(&f->profile, path, err) != QN_TEXT_OK
        || qn_plot_read_rows(&f->profile, &(struct qn_plot_request){ .by = NULL }, path, err) != QN_TEXT_OK
        || qn_plot_sum_functions(&f->profile, err) != QN_TEXT_OK
        || read_centres(f, &f->functions, "function", err) != QN_TEXT_OK
        || read_centres(f, &f->lines, "line", err) != QN_TEXT_OK
        || read_table(f, &f->intervals, QN_REPORT_INTERVALS, err) != QN_TEXT_OK
        || read_table(f, &f->runs, QN_REPORT_RUNS, err) != QN_TEXT_OK)
        return err->status;
    read_geometry(f);
    return QN_TEXT_OK;
}

void qn_report_free_facts(struct qn_report_facts *f)
{
    qn_plot_free_centres(&f->functions);
    qn_plot_free_centres(&f->lines);
    qn_plot_free_rows(&f->profile);
    qn_exp_free_table(&f->intervals);
    qn_exp_free_table(&f->runs);
    for (int i = 0; i < QN_REPORT_PICTURES; i++)
        qn_exp_free_table(&f->pictures[i].data);
    qn_exp_free_memory(&f->memory);
}
