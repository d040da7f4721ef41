/* lib/report/objects.c - see objects.h. */
#include "report/objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/sink.h"
#include "report/sentences.h"

#define OBJECT_LEAST 0.5 /* of a line's misses, to be named */
#define WRITES_LEAST 1000 /* to a line that threads share */

/* ---- objects ---- */

static double count_misses(const struct qn_prof_miss *m, bool of_LL)
{
    return of_LL ? (double)m->counts[QN_PROF_DLMR] + (double)m->counts[QN_PROF_DLMW]
                 : (double)m->counts[QN_PROF_D1MR] + (double)m->counts[QN_PROF_D1MW];
}

static bool is_here(const struct qn_prof_miss *m, const struct qn_plot_centre *c)
{
    return m->line == c->line && !strcmp(m->file, c->file) && (c->line || !strcmp(m->function, c->function));
}

/* The object with most of the misses of a line, at least half; -1: none has so many.  *share: of these. */
static int64_t find_object(const struct qn_report_facts *f, const struct qn_plot_centre *c, bool of_LL, double *share)
{
    double *sums = QN_NEEDED(calloc(f->data.object_count + 1, sizeof *sums)), all = 0;
    int64_t most = -1;

    for (size_t i = 0; i < f->data.miss_count; i++) {
        const struct qn_prof_miss *m = &f->data.misses[i];

        if (!is_here(m, c))
            continue;
        all += count_misses(m, of_LL);
        sums[m->object] += count_misses(m, of_LL);
        if (most < 0 || sums[m->object] > sums[most])
            most = m->object;
    }
    *share = most >= 0 && all > 0 ? sums[most] / all : 0;
    free(sums);
    return *share >= OBJECT_LEAST ? most : -1;
}

/* "; 60% of what it misses was evicted by itself." */
static const char *name_evictor(struct qn_report_facts *f, const struct qn_plot_centre *c)
{
    const struct qn_exp_table *t = &f->culprits;
    int file = qn_exp_find_column(t, "file"), line = qn_exp_find_column(t, "line"), by_file = qn_exp_find_column(t, "evictor_file");
    int by_line = qn_exp_find_column(t, "evictor_line"), count = qn_exp_find_column(t, "count"), of = qn_exp_find_column(t, "of");

    for (int row = 0; row < t->row_count && c->line; row++) {
        const char *by = qn_exp_cell(t, row, by_file);

        if (strcmp(qn_exp_cell(t, row, file), c->file) || qn_exp_number(t, row, line) != c->line)
            continue;
        if (!strcmp(by, c->file) && qn_exp_number(t, row, by_line) == c->line)
            by = "itself";
        else
            by = qn_exp_format(&f->memory, "%s:%s", strrchr(by, '/') ? strrchr(by, '/') + 1 : by, qn_exp_cell(t, row, by_line));
        return qn_exp_format(&f->memory, " %.0f%% of what it misses was evicted by %s.",
                             100 * qn_exp_number(t, row, count) / fmax(1, qn_exp_number(t, row, of)), by);
    }
    return "";
}

const char *qn_report_name_object(struct qn_report_facts *f, const struct qn_plot_centre *c, bool of_LL)
{
    char name[600];
    double share;
    int64_t object = find_object(f, c, of_LL, &share);
    const char *evictor = of_LL ? "" : name_evictor(f, c);

    if (object < 0)
        return evictor;
    qn_prof_describe_object(&f->data.objects[object], name, sizeof name);
    return qn_exp_format(&f->memory, " %.0f%% of them are on %s.%s", 100 * share, name, evictor);
}

/* The text of an item: its subject, ": ", and its rules with full stops. */
static const char *join_rules(struct qn_report_facts *f, const char *text)
{
    const char *joined = "";

    for (size_t n; *text; text += n + 1) {
        n = strcspn(text, "\n");
        joined = qn_exp_format(&f->memory, "%s%s%.*s", joined, *joined ? ". " : "", (int)n, text);
    }
    return joined;
}

static const char *skip_subject(const char *text) { return text + strcspn(text, "\n") + 1; }

const char *qn_report_advise_object(struct qn_report_facts *f, const struct qn_plot_centre *c, bool *advised)
{
    double share;
    int64_t object = find_object(f, c, false, &share);
    const char *text = "";

    for (size_t i = 0; i < f->advice.count && object >= 0; i++) {
        const struct qn_out_advice_item *item = &f->advice.items[i];
        const char *type = f->data.objects[object].type;

        if (item->type ? !type || strcmp(item->type, type) : item->object != object)
            continue;
        text = qn_exp_format(&f->memory, "%s %.*s: %s.", text, item->name_length, item->text, join_rules(f, skip_subject(item->text)));
        advised[i] = true;
    }
    return text;
}

bool qn_report_examine_object(struct qn_report_facts *f, size_t item, struct qn_report_finding *finding)
{
    const struct qn_out_advice_item *a = &f->advice.items[item];

    *finding = (struct qn_report_finding){ .line = -1, .cost = (double)a->misses * qn_report_cost(QN_REPORT_COST_L1) / f->lines.total };
    finding->what = qn_exp_copy_part(&f->memory, a->text, strcspn(a->text, "\n"));
    finding->proof = qn_exp_format(&f->memory, "These are about %.0f%% of the estimated cycles of the run.", 100 * finding->cost);
    finding->advice = qn_exp_format(&f->memory, "%s.", join_rules(f, skip_subject(a->text)));
    return finding->cost >= QN_REPORT_COST_LEAST;
}

/* ---- lines that threads share ---- */

struct shared {
    const char *address, *object, *place;
    double writes, lost, threads;
};

/* Adds up the rows of the line of memory that begins at `row`; returns the row behind it.  A thread has several rows, one after the other or not. */
static int sum_shared(struct qn_report_facts *f, int row, struct shared *s)
{
    const struct qn_exp_table *t = &f->sharing;
    int address = qn_exp_find_column(t, "address"), object = qn_exp_find_column(t, "object"), thread = qn_exp_find_column(t, "thread");
    int writes = qn_exp_find_column(t, "writes"), first = row;
    double most = -1;

    *s = (struct shared){ .address = qn_exp_cell(t, row, address), .object = "" };
    for (; row < t->row_count && !strcmp(qn_exp_cell(t, row, address), s->address); row++) {
        double n = qn_exp_number(t, row, writes);
        bool seen = false;

        for (int i = first; i < row; i++)
            seen |= !strcmp(qn_exp_cell(t, i, thread), qn_exp_cell(t, row, thread)) && qn_exp_number(t, i, writes) > 0;
        s->threads += !seen && n > 0;
        s->writes += n;
        s->lost += qn_exp_number(t, row, qn_exp_find_column(t, "false")) + qn_exp_number(t, row, qn_exp_find_column(t, "upgrades"));
        if (n > most) {
            most = n;
            s->object = qn_exp_cell(t, row, object);
            s->place = qn_exp_format(&f->memory, "%s:%s", qn_exp_cell(t, row, qn_exp_find_column(t, "file")),
                                     qn_exp_cell(t, row, qn_exp_find_column(t, "line")));
        }
    }
    return row;
}

bool qn_report_examine_sharing(struct qn_report_facts *f, struct qn_report_finding *finding)
{
    int shared = qn_exp_find_column(&f->sharing, "shared");
    struct shared most = { .writes = 0 };
    char writes[QN_OUT_COUNT_MAX], lost[QN_OUT_COUNT_MAX];

    for (int row = 0; row < f->sharing.row_count;) {
        bool falsely = strcmp(qn_exp_cell(&f->sharing, row, shared), "true") != 0;
        struct shared s;

        row = sum_shared(f, row, &s);
        /* Each thread came back to it after it was taken away. */
        if (falsely && s.lost > s.threads && s.writes >= WRITES_LEAST && s.writes > most.writes)
            most = s;
    }
    if (!most.writes)
        return false;
    *finding = (struct qn_report_finding){ .line = -1, .cost = fmin(1, most.writes * qn_report_cost(QN_REPORT_COST_LL) / f->lines.total) };
    qn_out_commify(writes, (int64_t)most.writes);
    qn_out_commify(lost, (int64_t)most.lost);
    finding->what = qn_exp_format(&f->memory, "%.0f threads write to a line of memory that they share falsely, %s%s%s", most.threads, most.address,
                                  strcmp(most.object, "???") ? ", in " : "", strcmp(most.object, "???") ? most.object : "");
    finding->proof = qn_exp_format(&f->memory,
                                   "They write to it %s times, most of them at %s. It was taken away or fetched again %s times here, where each thread runs "
                                   "for long at a time; on several processors each write may do so.",
                                   writes, most.place, lost);
    finding->advice = qn_exp_format(&f->memory, SAY_FALSE_SHARING, f->line[QN_REPORT_D1]);
    return finding->cost >= QN_REPORT_COST_LEAST;
}
