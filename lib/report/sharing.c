/* lib/report/sharing.c - findings about lines of memory that threads share falsely, out of PROFILE.sharing.csv, and what would end it.  See findings.h. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "out/sink.h"
#include "report/findings.h"
#include "report/sentences.h"

#define WRITES_LEAST 1000 /* to a line that threads share */
#define WRITES_PART 0.01  /* of them, by a thread that is counted: not one that has bound a symbol beside */

/* "counters+8 (thread 2, fs.c:4)"; prefix: of the names of columns. */
static const char *name_shared(struct qn_report_facts *f, int row, const char *prefix)
{
    const struct qn_text_table *t = &f->sharing;
    const char *cells[5], *const names[] = { "object", "offset", "thread", "file", "line" };

    for (size_t i = 0; i < QN_ARRAY_LEN(names); i++)
        cells[i] = qn_text_cell(t, row, qn_text_find_column(t, qn_text_format(&f->memory, "%s%s", prefix, names[i])));
    return qn_text_format(&f->memory, "%s+%s (thread %s, %s:%s)", cells[0], cells[1], cells[2], strrchr(cells[3], '/') ? strrchr(cells[3], '/') + 1 : cells[3], cells[4]);
}

/* Is it this object, or this object and where it was allocated? */
static bool is_named(const char *object, const char *name)
{
    size_t n = strlen(name);

    return n && !strncmp(object, name, n) && (!object[n] || object[n] == ' ');
}

/* "struct counter", the type of the object's elements; else "the elements of counters". */
static const char *name_element(struct qn_report_facts *f, const char *object)
{
    for (size_t i = 0; i < f->data.object_count; i++) {
        const struct qn_prof_object *o = &f->data.objects[i];

        if (o->type && o->name && is_named(object, o->name) && !strncmp(o->type, "struct ", sizeof "struct " - 1))
            return o->type;
    }
    return qn_text_format(&f->memory, "the elements of %s", object);
}

/* What would end the false sharing in which the source line loses most, or all that use this line of memory; without that, words for any. */
const char *qn_report_advise_pad(struct qn_report_facts *f, const struct qn_plot_centre *c, const char *address)
{
    const struct qn_text_table *t = &f->sharing;
    int file = qn_text_find_column(t, "file"), line = qn_text_find_column(t, "line"), pad = qn_text_find_column(t, "pad"), best = -1;
    int object = qn_text_find_column(t, "object"), with = qn_text_find_column(t, "with_object"), apart = qn_text_find_column(t, "apart");
    int misses = qn_text_find_column(t, "false");

    for (int row = 0; row < t->row_count && pad >= 0; row++)
        if (qn_text_number(t, row, pad) > 0
            && (c ? qn_text_number(t, row, line) == c->line && !strcmp(qn_text_cell(t, row, file), c->file) : !strcmp(qn_text_cell(t, row, 0), address))
            && (best < 0 || qn_text_number(t, row, misses) > qn_text_number(t, best, misses)))
            best = row;
    if (best < 0)
        return qn_text_format(&f->memory, SAY_FALSE_SHARING, f->line[QN_REPORT_D1]);
    if (strcmp(qn_text_cell(t, best, object), qn_text_cell(t, best, with)))
        return qn_text_format(&f->memory, SAY_ALIGN, name_shared(f, best, ""), name_shared(f, best, "with_"), qn_text_cell(t, best, pad), qn_text_cell(t, best, apart));
    return qn_text_format(&f->memory, SAY_PAD, name_element(f, qn_text_cell(t, best, object)), qn_text_cell(t, best, apart), qn_text_cell(t, best, pad),
                         name_shared(f, best, ""), name_shared(f, best, "with_"), qn_text_cell(t, best, apart));
}

struct shared {
    const char *address, *object, *place;
    double writes, lost, threads;
};

/* Adds up the rows of the line of memory that begins at `row`; returns the row behind it.  A thread has several rows, one after the other or not. */
static int sum_shared(struct qn_report_facts *f, int row, struct shared *s)
{
    const struct qn_text_table *t = &f->sharing;
    int address = qn_text_find_column(t, "address"), object = qn_text_find_column(t, "object"), thread = qn_text_find_column(t, "thread");
    int writes = qn_text_find_column(t, "writes"), first = row;
    double most = -1;

    *s = (struct shared){ .address = qn_text_cell(t, row, address), .object = "" };
    for (; row < t->row_count && !strcmp(qn_text_cell(t, row, address), s->address); row++) {
        double n = qn_text_number(t, row, writes);

        s->writes += n;
        s->lost += qn_text_number(t, row, qn_text_find_column(t, "false")) + qn_text_number(t, row, qn_text_find_column(t, "upgrades"));
        if (n > most) {
            most = n;
            s->object = qn_text_cell(t, row, object);
            s->place = qn_text_format(&f->memory, "%s:%s", qn_text_cell(t, row, qn_text_find_column(t, "file")),
                                     qn_text_cell(t, row, qn_text_find_column(t, "line")));
        }
    }
    for (int r = first; r < row; r++) {
        bool seen = qn_text_number(t, r, writes) < WRITES_PART * s->writes;

        for (int i = first; i < r; i++)
            seen |= !strcmp(qn_text_cell(t, i, thread), qn_text_cell(t, r, thread)) && qn_text_number(t, i, writes) >= WRITES_PART * s->writes;
        s->threads += !seen;
    }
    return row;
}

bool qn_report_examine_sharing(struct qn_report_facts *f, struct qn_report_finding *finding)
{
    int shared = qn_text_find_column(&f->sharing, "shared");
    struct shared most = { .writes = 0 };
    char writes[QN_OUT_COUNT_MAX], lost[QN_OUT_COUNT_MAX];
    const char *writers;

    for (int row = 0; row < f->sharing.row_count;) {
        bool falsely = strcmp(qn_text_cell(&f->sharing, row, shared), "true") != 0;
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
    writers = most.threads > 1 ? qn_text_format(&f->memory, "%.0f threads write to a line of memory that they share", most.threads)
                               : "One thread writes to a line of memory that others share";
    finding->what = qn_text_format(&f->memory, "%s falsely, %s%s%s", writers, most.address,
                                  strcmp(most.object, "???") ? ", in " : "", strcmp(most.object, "???") ? most.object : "");
    finding->proof = qn_text_format(&f->memory,
                                   "It is written to %s times, most of them at %s. It was taken away or fetched again %s times here, where each thread runs "
                                   "for long at a time; on several processors each write may do so.",
                                   writes, most.place, lost);
    finding->advice = qn_report_advise_pad(f, NULL, most.address);
    return finding->cost >= QN_REPORT_COST_LEAST;
}
