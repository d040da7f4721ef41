/*
 * The modern style of annotate: metadata, totals, and the order of the sections. See modern.h.
 *
 * In:  profiles that are summed, or two whose difference is taken
 * Out: Metadata, Summary, File:function summary, Function:file summary, one section per annotated
 *      file, Annotation summary
 *
 * The order, wording and layout are those of cg_annotate 3.21 and later.
 */
#define _GNU_SOURCE
#include "out/modern/modern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/number.h"
#include "out/timing.h"
#include "prof/counts.h"
#include "base/grow.h"
#include "prof/provenance.h"

enum { FRAME_WIDTH = 80 };

void qn_out_put_title(struct qn_out_sink *s, const char *title, const char *name)
{
    qn_out_pad(s, '-', FRAME_WIDTH);
    qn_out_puts(s, "\n-- ");
    qn_out_puts(s, title);
    qn_out_name(s, name);
    qn_out_putc(s, '\n');
    qn_out_pad(s, '-', FRAME_WIDTH);
    qn_out_putc(s, '\n');
}

void qn_out_modern_table(struct qn_out_modern *m, struct qn_out_table *t, int cumulative)
{
    qn_out_init_table(t, &m->columns, m->total, m->request->show_percs, cumulative);
    t->heat = m->heat;
}

static void clear_none(struct qn_prof_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        int64_t *row = qn_prof_row(rows, i);
        for (int e = 0; e < rows->events; e++)
            row[e] = qn_prof_count(row[e]);
    }
}

/* A difference of profiles from different simulators says little about the programs. */
static void warn_of_provenance(const struct qn_out_modern *m)
{
    const struct qn_prof_source *s = m->ledger.sources;
    char what[QN_TEXT_MAX / 2];
    if (m->request->diff && qn_prof_differ(s[0].desc, s[1].desc, what, sizeof what))
        snprintf(m->request->warning, QN_TEXT_MAX, "%.256s and %.256s differ in %s", s[0].path,
                 s[1].path, what);
}

/* Each profile has its table beside it. */
static enum qn_text_status read_findings(struct qn_out_modern *m)
{
    const struct qn_out_request *q = m->request;
    for (int i = 0; q->values && i < q->input_count; i++) {
        char *path;
        if (asprintf(&path, "%s" QN_OUT_FINDINGS_SUFFIX, q->inputs[i]) < 0)
            qn_no_memory();
        enum qn_text_status status = qn_out_read_findings(&m->findings, path, m->err);
        free(path);
        if (status != QN_TEXT_OK)
            return status;
    }
    return QN_TEXT_OK;
}

/* Are the events those of the tables of data? */
static int is_of_data(const struct qn_out_request *q) { return q->by == QN_OUT_BY_DATA || q->by == QN_OUT_BY_TYPE; }

static enum qn_text_status read_inputs(struct qn_out_modern *m)
{
    const struct qn_out_request *q = m->request;
    int lines = q->annotate || q->by == QN_OUT_BY_LINE;
    struct qn_prof_ledger_options options = {
        .keep_lines = q->by == QN_OUT_BY_INLINE ? QN_PROF_LINES_OF_FNS : lines ? QN_PROF_LINES_OF_FILES : QN_PROF_NO_LINES,
        .shorten_inlined = q->by != QN_OUT_BY_INLINE, .keep_insns = q->disassemble || q->values,
        .always_unspecified = 1, .mod_file = q->mod_file, .mod_fn = q->mod_fn};
    qn_prof_init_ledger(&m->ledger, &options);
    for (int i = 0; i < q->input_count; i++)
        if (qn_prof_read_ledger(&m->ledger, q->inputs[i], q->diff && i == 0, m->err) != QN_TEXT_OK)
            return m->err->status;
    if (read_findings(m) != QN_TEXT_OK)
        return m->err->status;
    warn_of_provenance(m);
    clear_none(&m->ledger.fn_totals);
    clear_none(&m->ledger.total);
    m->events = m->ledger.header.event_count;
    m->total = qn_prof_row(&m->ledger.total, 0);
    m->heat = qn_out_use_heat(q->color, m->sink->fd);
    return qn_out_choose_columns(&m->columns, &m->ledger.header, is_of_data(q) ? NULL : q->show, is_of_data(q) ? NULL : q->sort, m->err);
}

static int all_descriptions_equal(const struct qn_prof_ledger *g)
{
    for (int i = 1; i < g->source_count; i++)
        if (strcmp(g->sources[i].desc, g->sources[0].desc) != 0)
            return 0;
    return 1;
}

static void put_descriptions(struct qn_out_sink *s, const struct qn_prof_ledger *g)
{
    if (all_descriptions_equal(g)) {
        qn_out_put_line(s, g->sources[0].desc, strlen(g->sources[0].desc));
        return;
    }
    for (int i = 0; i < g->source_count; i++) {
        qn_out_printf(s, "Description %d:\n", i + 1);
        qn_out_put_line(s, g->sources[i].desc, strlen(g->sources[i].desc));
    }
}

/* Key padded to the column of the values. */
static void put_key(struct qn_out_sink *s, const char *key)
{
    enum { VALUE_COLUMN = 18 };
    qn_out_puts(s, key);
    qn_out_pad(s, ' ', VALUE_COLUMN - (long)strlen(key));
}

/* Of several, each on a line with a number: "Command 12:" and eight blanks, however long the number is. One that is that of the
 * profile before it is not repeated. */
static void put_command(struct qn_out_sink *s, const struct qn_prof_ledger *g, int i)
{
    if (g->source_count == 1)
        put_key(s, "Command:");
    else
        qn_out_printf(s, "Command %d:        ", i + 1);
    if (i > 0 && strcmp(g->sources[i].cmd, g->sources[i - 1].cmd) == 0)
        qn_out_printf(s, "(same as Command %d)", i);
    else
        qn_out_put_line(s, g->sources[i].cmd, strlen(g->sources[i].cmd));
    qn_out_putc(s, '\n');
}

static void put_threshold(struct qn_out_sink *s, double threshold)
{
    char text[QN_OUT_PERCENT_MAX];
    qn_out_shortest(text, threshold);
    put_key(s, "Threshold:");
    qn_out_puts(s, text);
    qn_out_puts(s, "%\n");
}

/* If a column of estimated time is shown, writes how it is computed. */
static void put_timing(const struct qn_out_modern *m, const struct qn_out_columns *c)
{
    char text[QN_TEXT_MAX];
    bool shown = qn_out_timing_chosen();
    for (int i = 0; i < c->sort_count; i++)
        shown |= c->sort[i].event < 0;
    for (int i = 0; i < c->shown_count; i++)
        shown |= c->shown[i].event < 0
                 && (qn_out_timing_is_sum(c->shown[i].name) || !strncmp(c->shown[i].name, "CPI", 3) || !strcmp(c->shown[i].name, "AMAT"));
    if (!shown)
        return;
    qn_out_describe_timing(text, sizeof text);
    qn_out_printf(m->sink, "\nEstimated cycles: %s", text);
}

static void put_metadata(const struct qn_out_modern *m, const struct qn_out_columns *c, const char *sort)
{
    struct qn_out_sink *s = m->sink;
    const struct qn_prof_header *h = &m->ledger.header;
    qn_out_put_title(s, "Metadata", "");
    put_key(s, "Invocation:");
    qn_out_name(s, m->request->invocation);
    qn_out_putc(s, '\n');
    put_descriptions(s, &m->ledger);
    for (int i = 0; i < m->ledger.source_count; i++)
        put_command(s, &m->ledger, i);
    qn_out_puts(s, "Events recorded: ");
    for (int i = 0; i < h->event_count; i++) {
        qn_out_putc(s, ' ');
        qn_out_name(s, h->events[i]);
    }
    qn_out_puts(s, "\nEvents shown:    ");
    for (int i = 0; i < c->shown_count; i++) {
        qn_out_putc(s, ' ');
        qn_out_name(s, c->shown[i].name);
    }
    put_timing(m, c);
    qn_out_printf(s, "\nEvent sort order:%s%s", sort ? " " : "", sort ? sort : "");
    for (int i = 0; i < c->sort_count && !sort; i++) {
        qn_out_putc(s, ' ');
        qn_out_name(s, c->sort[i].name);
    }
    qn_out_putc(s, '\n');
    put_threshold(s, m->request->threshold);
    put_key(s, "Annotation:");
    qn_out_puts(s, m->request->annotate ? "on\n\n" : "off\n\n");
}

static void put_summary(struct qn_out_modern *m)
{
    struct qn_out_table t;
    qn_out_modern_table(m, &t, 0);
    qn_out_measure(&t, m->total, NULL);
    qn_out_fix_widths(&t);
    qn_out_put_title(m->sink, "Summary", "");
    qn_out_put_heading(m->sink, &t);
    qn_out_puts(m->sink, "\n\n");
    qn_out_put_row(m->sink, &t, QN_OUT_PLAIN, m->total, NULL);
    qn_out_puts(m->sink, " PROGRAM TOTALS\n\n");
    qn_out_free_table(&t);
}

void qn_out_put_head(struct qn_out_modern *m, const struct qn_out_columns *c, const char *sort)
{
    put_metadata(m, c, sort);
    put_summary(m);
}

static const char *const fate_names[QN_OUT_FATES] = {
    "   annotated: files known & above threshold & readable, line numbers known\n",
    "   annotated: files known & above threshold & readable, line numbers unknown\n",
    " unannotated: files known & above threshold & two or more non-identical\n",
    " unannotated: files known & above threshold & unreadable \n",
    " unannotated: files known & below threshold\n",
    " unannotated: files unknown\n",
};

static void put_fates(struct qn_out_modern *m)
{
    struct qn_out_table t;
    qn_out_modern_table(m, &t, 0);
    for (int i = 0; i < QN_OUT_FATES; i++)
        qn_out_measure(&t, m->fates + i * m->events, NULL);
    qn_out_fix_widths(&t);
    qn_out_put_title(m->sink, "Annotation summary", "");
    qn_out_put_heading(m->sink, &t);
    qn_out_puts(m->sink, "\n\n");
    for (int i = 0; i < QN_OUT_FATES; i++) {
        qn_out_put_row(m->sink, &t, QN_OUT_PLAIN, m->fates + i * m->events, NULL);
        qn_out_puts(m->sink, fate_names[i]);
    }
    qn_out_putc(m->sink, '\n');
    qn_out_free_table(&t);
}

/* Lines are what most readers want: if most of the first event has none, a warning says how to get them. */
static void warn_of_no_lines(const struct qn_out_modern *m)
{
    int64_t unknown = qn_prof_count(m->fates[QN_OUT_FILES_UNKNOWN * m->events]);
    if (!m->request->warning[0] && unknown > 0 && unknown > qn_prof_count(m->total[0]) / 2)
        snprintf(m->request->warning, QN_TEXT_MAX, "most of %s is in code without line numbers: compile with -g", m->ledger.header.events[0]);
}

static enum qn_text_status put_sections(struct qn_out_modern *m)
{
    if (is_of_data(m->request))
        return qn_out_modern_data(m);
    qn_out_put_head(m, &m->columns, NULL);
    if (m->request->by == QN_OUT_BY_CALLS)
        return qn_out_modern_calls(m);
    if (m->request->by != QN_OUT_BY_NONE)
        return qn_out_modern_by(m);
    if (qn_out_modern_functions(m) != QN_TEXT_OK || !m->request->annotate)
        return m->err->status;
    m->fates = QN_NEEDED(calloc((size_t)QN_OUT_FATES * (size_t)m->events, sizeof *m->fates));
    if (qn_out_modern_sources(m) == QN_TEXT_OK)
        put_fates(m);
    if (m->err->status == QN_TEXT_OK)
        warn_of_no_lines(m);
    return m->err->status;
}

enum qn_text_status qn_out_modern(struct qn_out_sink *s, const struct qn_out_request *q,
                                  struct qn_text_error *err)
{
    struct qn_out_modern m = {.sink = s, .request = q, .err = err};
    enum qn_text_status status = read_inputs(&m);
    if (status == QN_TEXT_OK)
        status = put_sections(&m);
    free(m.annotated);
    free(m.fates);
    qn_out_free_columns(&m.columns);
    qn_out_free_findings(&m.findings);
    qn_prof_free_ledger(&m.ledger);
    return status;
}
