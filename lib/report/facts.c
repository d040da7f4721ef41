/* lib/report/facts.c - see facts.h. */
#define _GNU_SOURCE
#include "report/facts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/grow.h"
#include "out/csv/csv_cells.h"
#include "plot/plot.h"
#include "prof/counts.h"
#include "prof/merge.h"
#include "prof/table/table.h"
#include "prof/tables/tables.h"

#define COST "cycles"
#define LINE 2 /* behind size and ways in qn_out_csv_find_geometry */

const struct qn_report_column qn_report_columns[QN_REPORT_COLUMNS] = {
    { "Ir", "instructions" },
    { "I1mr", "I1 misses" },
    { "D1mr+D1mw", "D1 misses" },
    { "ILmr+DLmr+DLmw", "LL misses" },
    { "Bcm+Bim", "mispredicts" },
};

const char *qn_report_path(struct qn_report_facts *f, const char *name)
{
    return qn_text_format(&f->memory, "%s/%s", f->report->folder, name);
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
    for (int i = 0; i < QN_REPORT_LEVELS; i++) {
        f->size[i] = (double)numbers[3 * i];
        f->line[i] = (double)numbers[3 * i + LINE];
    }
}

/* Reads a table; if there is no file, it has no rows. */
static enum qn_text_status read_table(struct qn_report_facts *f, struct qn_text_table *t, const char *name,
                                      struct qn_text_error *err)
{
    const char *path = qn_report_path(f, name);

    return access(path, F_OK) ? QN_TEXT_OK : qn_text_read_table(t, path, err);
}

enum qn_text_status qn_report_gather_facts(struct qn_report_facts *f, const char *path, struct qn_text_error *err)
{
    const struct qn_plot_request functions = { .by = "function", .profile = &f->profile }, lines = { .by = "line", .profile = &f->profile };

    if (qn_plot_read_centres(&f->functions, &f->memory, &functions, path, COST, err) != QN_TEXT_OK
        || qn_plot_read_centres(&f->lines, &f->memory, &lines, path, COST, err) != QN_TEXT_OK
        || qn_prof_read_data(path, &f->data, err) != QN_TEXT_OK)
        return err->status;
    qn_out_find_advice(&f->advice, &f->data);
    read_geometry(f);
    return QN_TEXT_OK;
}

enum qn_text_status qn_report_read_profile(struct qn_report_facts *f, const char *path, struct qn_text_error *err)
{
    if (qn_plot_open_rows(&f->profile, path, err) != QN_TEXT_OK
        || qn_plot_read_rows(&f->profile, &(struct qn_plot_request){ .by = NULL }, path, err) != QN_TEXT_OK
        || qn_plot_sum_functions(&f->profile, err) != QN_TEXT_OK)
        return err->status;
    return qn_report_gather_facts(f, path, err);
}

enum qn_text_status qn_report_read_facts(struct qn_report_facts *f, const struct qn_report *r,
                                         struct qn_text_error *err)
{
    *f = (struct qn_report_facts){ .report = r, .batch = { .folder = r->folder } };
    if (qn_report_read_profile(f, qn_report_path(f, QN_REPORT_PROFILE), err) != QN_TEXT_OK
        || read_table(f, &f->intervals, QN_REPORT_INTERVALS, err) != QN_TEXT_OK || read_table(f, &f->runs, QN_REPORT_RUNS, err) != QN_TEXT_OK
        || read_table(f, &f->sharing, QN_REPORT_SHARING, err) != QN_TEXT_OK)
        return err->status;
    return read_table(f, &f->culprits, QN_REPORT_CULPRITS, err);
}

void qn_report_free_facts(struct qn_report_facts *f)
{
    qn_plot_free_centres(&f->functions);
    qn_plot_free_centres(&f->lines);
    qn_plot_free_rows(&f->profile);
    qn_text_free_table(&f->intervals);
    qn_text_free_table(&f->runs);
    qn_text_free_table(&f->sharing);
    qn_text_free_table(&f->culprits);
    qn_out_free_advice(&f->advice);
    qn_prof_free_data(&f->data);
    for (int i = 0; i < QN_REPORT_PICTURES; i++)
        qn_text_free_table(&f->pictures[i].data);
    qn_text_free_memory(&f->memory);
}

/* ---- what these say ---- */

const char *qn_report_describe(const struct qn_report_facts *f, const char *key)
{
    const struct qn_prof_header *h = f->lines.header;
    size_t n = strlen(key);

    for (int i = 0; i < h->desc_count; i++)
        if (!strncmp(h->descs[i].text, key, n))
            return h->descs[i].text + n + strspn(h->descs[i].text + n, " ");
    return NULL;
}

/* ld-linux-x86-64.so.2, ld-2.31.so, ld-musl-x86_64.so.1 */
static bool is_linker(const char *object) { return !strncmp(basename(object), "ld-", 3) && strstr(object, ".so"); }

bool qn_report_is_loader(const struct qn_report_facts *f, const struct qn_plot_centre *c)
{
    for (size_t i = 0; i < qn_prof_table_rows(f->profile.functions); i++) {
        struct qn_prof_row row = qn_prof_table_at(f->profile.functions, i);

        if (is_linker(row.object) && !strcmp(row.function, c->function) && !strcmp(row.file, c->file))
            return !*c->object || !strcmp(c->object, row.object);
    }
    return false;
}

double qn_report_loader_share(const struct qn_report_facts *f)
{
    const struct qn_prof_header *h = f->lines.header;
    double *weights = QN_NEEDED(calloc((size_t)h->event_count + 1, sizeof *weights)), sum = 0;

    qn_out_weigh(h, weights);
    for (size_t i = 0; i < qn_prof_table_rows(f->profile.functions); i++) {
        struct qn_prof_row row = qn_prof_table_at(f->profile.functions, i);

        for (int e = 0; e < h->event_count && is_linker(row.object); e++)
            sum += weights[e] * (double)qn_prof_count(row.counts[e]);
    }
    free(weights);
    return sum / f->lines.total;
}

bool qn_report_lacks_lines(const struct qn_report_facts *f)
{
    const char *program = qn_report_describe(f, "Program:");
    size_t length = program ? strcspn(program, ",") : 0;
    bool any = false, has_program = false, has_line = false;
    const struct qn_prof_table *rows = qn_prof_merge_table(f->profile.merge);

    for (size_t i = 0; i < qn_prof_table_rows(rows) && !has_line; i++) {
        struct qn_prof_row row = qn_prof_table_at(rows, i);
        bool of_program = length && strlen(row.object) == length && !strncmp(row.object, program, length);

        has_program = has_program || of_program;
        any = any || row.line;
        has_line = of_program && row.line;
    }
    return has_program ? !has_line : !any;
}

const char *qn_report_say_about(struct qn_report_facts *f, double bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
    size_t i = 0;

    for (; i + 1 < QN_ARRAY_LEN(units) && bytes >= 1024; i++)
        bytes /= 1024;
    return qn_text_format(&f->memory, "%.3g %s", bytes, units[i]);
}
