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

#include "base/grow.h"
#include "out/sink.h"
#include "out/source.h"
#include "out/columns.h"
#include "prof/counts.h"
#include "prof/merge.h"

void qn_out_put_title(struct qn_out_sink *s, const char *title, const char *name)
{
    qn_out_put_frame(s);
    qn_out_puts(s, "-- ");
    qn_out_puts(s, title);
    qn_out_name(s, name);
    qn_out_putc(s, '\n');
    qn_out_put_frame(s);
}

void qn_out_put_path(struct qn_out_sink *s, const char *name, size_t behind)
{
    enum { LEAST = 16, DOTS = 3 };
    long room = s->width - s->column - (long)behind, length = (long)strlen(name);
    room = room < LEAST ? LEAST : room;
    if (s->width && strchr(name, '/') && length > room) {
        qn_out_pad(s, '.', DOTS);
        name += length - room + DOTS;
    }
    qn_out_name(s, name);
}

void qn_out_modern_table(struct qn_out_modern *m, struct qn_out_table *t, int cumulative)
{
    qn_out_init_table(t, &m->columns, m->total, m->request->show_percs, cumulative);
    t->heat = m->heat;
    t->brief = m->request->width > 0;
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
    if (q->width && (is_of_data(q) || !(q->show && *q->show))) {
        enum { EACH = sizeof "999.9 M 100%" - 1, EACH_COUNT = sizeof "-123 M" - 1 };
        return qn_out_choose_costly_columns(&m->columns, &m->ledger.header, m->total, q->width / 2, q->show_percs ? EACH : EACH_COUNT,
                                            is_of_data(q) ? NULL : q->sort, m->err);
    }
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
    qn_out_describe_timing(text, sizeof text, &m->ledger.header);
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
    if (m->request->width && c->shown_count < h->event_count)
        qn_out_puts(s, " (others: --show)");
    put_timing(m, m->request->width ? &m->columns : c);
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

static const char *const fate_names[][QN_OUT_FATES] = {{
    "   annotated: files known & above threshold & readable, line numbers known\n",
    "   annotated: files known & above threshold & readable, line numbers unknown\n",
    " unannotated: files known & above threshold & two or more non-identical\n",
    " unannotated: files known & above threshold & unreadable \n",
    " unannotated: files known & below threshold\n",
    " unannotated: files unknown\n",
}, { /* on a terminal */
    " annotated\n", " annotated, line unknown\n", " sources differ\n", " source not found\n", " below threshold\n", " file unknown\n"}};

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
        qn_out_puts(m->sink, fate_names[m->request->width > 0][i]);
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
        return qn_out_modern_by(m, m->request->by, SIZE_MAX);
    if (m->request->width && m->request->annotate && qn_out_modern_by(m, QN_OUT_BY_LINE, QN_OUT_HOTTEST) != QN_TEXT_OK)
        return m->err->status;
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
    s->width = q->width;
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

/* ---- The two function sections of the modern style: by file, then function; by function, then file ----
 *
 * In:  totals of all (file, function) pairs
 * Out: an entry for each file (or function) that has a pair above the threshold, with those pairs
 *
 * Rules: a pair is kept where |primary sort event| >= threshold% of |summary|. An entry's counts are
 * the sum of all its pairs, kept or not. Entries, and the pairs of an entry, are sorted by the
 * absolute counts of the sort events, then by name, all descending. An entry whose only kept pair
 * has all its counts is printed on one line.
 */

/* One entry: a file or a function name. */
struct outer {
    uint32_t id;     /* in the names of its kind */
    int64_t *counts; /* sum of all its pairs */
    uint32_t rank;   /* place among the entries, once sorted */
};

struct section {
    struct qn_out_modern *m;
    int by_function;
    struct outer *outers;
    uint32_t outer_count;
    int64_t *sums;     /* the counts of all outers */
    uint32_t *outer_of; /* by outer id: index into outers, or QN_TEXT_NO_ID */
    uint32_t *kept;    /* pairs above the threshold, at last in printing order */
    uint32_t kept_count;
};

static uint32_t outer_id(const struct section *x, uint32_t fn)
{
    const struct qn_prof_fn *f = &x->m->ledger.fns->fn[fn];
    return x->by_function ? f->name : f->file;
}

static const char *outer_name(const struct section *x, uint32_t id)
{
    const struct qn_prof_fns *fns = x->m->ledger.fns;
    return qn_text_name(x->by_function ? &fns->names : &fns->files, id);
}

static const char *inner_name(const struct section *x, uint32_t fn)
{
    const struct qn_prof_fns *fns = x->m->ledger.fns;
    return x->by_function ? qn_prof_fn_file(fns, fn) : qn_prof_fn_name(fns, fn);
}

static const int64_t *fn_counts(const struct section *x, uint32_t fn)
{
    return qn_prof_row(&x->m->ledger.fn_totals, fn);
}

/* Order of two rows with names: negative where a comes first. */
static int compare_rows(const struct qn_out_columns *c, const int64_t *a, const char *a_name,
                        const int64_t *b, const char *b_name)
{
    int d = qn_out_compare_counts(c, a, b);
    return d ? d : strcmp(b_name, a_name);
}

static int compare_outers(const void *a, const void *b, void *section)
{
    const struct section *x = section;
    const struct outer *p = a, *q = b;
    return compare_rows(&x->m->columns, p->counts, outer_name(x, p->id), q->counts,
                        outer_name(x, q->id));
}

static int compare_kept(const void *a, const void *b, void *section)
{
    const struct section *x = section;
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    uint32_t p_rank = x->outers[x->outer_of[outer_id(x, p)]].rank;
    uint32_t q_rank = x->outers[x->outer_of[outer_id(x, q)]].rank;
    if (p_rank != q_rank)
        return p_rank < q_rank ? -1 : 1;
    return compare_rows(&x->m->columns, fn_counts(x, p), inner_name(x, p), fn_counts(x, q),
                        inner_name(x, q));
}

/* Collects the kept pairs and numbers their outers. */
static void keep_pairs(struct section *x)
{
    struct qn_out_modern *m = x->m;
    const struct qn_out_column *primary = &m->columns.sort[0];
    double least = m->request->threshold * qn_out_key_weight(primary, m->total) / 100;
    for (uint32_t fn = 0; fn < qn_prof_fn_count(m->ledger.fns); fn++) {
        if (qn_out_key_weight(primary, fn_counts(x, fn)) < least)
            continue;
        x->kept[x->kept_count++] = fn;
        uint32_t id = outer_id(x, fn);
        if (x->outer_of[id] != QN_TEXT_NO_ID)
            continue;
        x->outer_of[id] = x->outer_count;
        x->outers[x->outer_count++].id = id;
    }
}

static int sum_outers(struct section *x)
{
    int events = x->m->events;
    x->sums = QN_NEEDED(calloc((x->outer_count + (size_t)1) * (size_t)events, sizeof *x->sums));
    for (uint32_t i = 0; i < x->outer_count; i++)
        x->outers[i].counts = x->sums + (size_t)i * (size_t)events;
    for (uint32_t fn = 0; fn < qn_prof_fn_count(x->m->ledger.fns); fn++) {
        uint32_t outer = x->outer_of[outer_id(x, fn)];
        if (outer == QN_TEXT_NO_ID)
            continue;
        if (qn_prof_add_counts(x->outers[outer].counts, fn_counts(x, fn), events) != 0)
            return qn_text_fail(x->m->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits"), -1;
    }
    return 0;
}

static void sort_section(struct section *x)
{
    qsort_r(x->outers, x->outer_count, sizeof *x->outers, compare_outers, x);
    for (uint32_t i = 0; i < x->outer_count; i++) {
        x->outers[i].rank = i;
        x->outer_of[x->outers[i].id] = i;
    }
    qsort_r(x->kept, x->kept_count, sizeof *x->kept, compare_kept, x);
}

/* Number of kept pairs of entry `i`, which begin at kept[at]. */
static uint32_t count_inner(const struct section *x, uint32_t i, uint32_t at)
{
    uint32_t n = 0;
    while (at + n < x->kept_count && x->outer_of[outer_id(x, x->kept[at + n])] == i)
        n++;
    return n;
}

static void measure_section(const struct section *x, struct qn_out_table *t, int64_t *sum)
{
    memset(sum, 0, (size_t)x->m->events * sizeof *sum);
    for (uint32_t i = 0; i < x->outer_count; i++) {
        qn_prof_add_counts(sum, x->outers[i].counts, x->m->events);
        qn_out_measure(t, x->outers[i].counts, sum);
    }
    for (uint32_t i = 0; i < x->kept_count; i++)
        qn_out_measure(t, fn_counts(x, x->kept[i]), NULL);
    qn_out_fix_widths(t);
}

static void put_entry(const struct section *x, const struct qn_out_table *t, const int64_t *sum,
                      uint32_t i, const uint32_t *inner, uint32_t n)
{
    struct qn_out_sink *s = x->m->sink;
    const struct outer *o = &x->outers[i];
    int one_line = n == 1 && memcmp(o->counts, fn_counts(x, inner[0]),
                                    (size_t)x->m->events * sizeof *o->counts) == 0;
    qn_out_puts(s, x->by_function ? "> " : "< ");
    qn_out_put_row(s, t, QN_OUT_OUTER, o->counts, sum);
    qn_out_putc(s, ' ');
    qn_out_put_path(s, outer_name(x, o->id), one_line ? 1 + strlen(inner_name(x, inner[0])) : 1);
    qn_out_putc(s, ':');
    if (one_line)
        qn_out_put_path(s, inner_name(x, inner[0]), 0);
    qn_out_putc(s, '\n');
    for (uint32_t k = 0; k < n && !one_line; k++) {
        qn_out_puts(s, "  ");
        qn_out_put_row(s, t, QN_OUT_INNER, fn_counts(x, inner[k]), NULL);
        qn_out_puts(s, "   ");
        qn_out_put_path(s, inner_name(x, inner[k]), 0);
        qn_out_putc(s, '\n');
    }
    qn_out_putc(s, '\n');
}

static void put_entries(const struct section *x, const struct qn_out_table *t, int64_t *sum)
{
    struct qn_out_sink *s = x->m->sink;
    qn_out_put_title(s, x->by_function ? "Function:file summary" : "File:function summary", "");
    qn_out_puts(s, "  ");
    qn_out_put_heading(s, t);
    qn_out_puts(s, x->by_function ? " function:file\n\n" : " file:function\n\n");
    memset(sum, 0, (size_t)x->m->events * sizeof *sum);
    uint32_t at = 0;
    for (uint32_t i = 0; i < x->outer_count; i++) {
        uint32_t n = count_inner(x, i, at);
        qn_prof_add_counts(sum, x->outers[i].counts, x->m->events);
        put_entry(x, t, sum, i, x->kept + at, n);
        at += n;
    }
}

static void put_section(const struct section *x)
{
    struct qn_out_table t;
    int64_t *sum = QN_NEEDED(calloc((size_t)x->m->events, sizeof *sum));
    qn_out_modern_table(x->m, &t, 1);
    measure_section(x, &t, sum);
    put_entries(x, &t, sum);
    qn_out_free_table(&t);
    free(sum);
}

static void init_section(struct section *x)
{
    const struct qn_prof_fns *fns = x->m->ledger.fns;
    size_t ids = (x->by_function ? &fns->names : &fns->files)->index.count + (size_t)1;
    size_t pairs = qn_prof_fn_count(fns) + (size_t)1;
    size_t outers = ids < pairs ? ids : pairs;
    x->outers = QN_NEEDED(calloc(outers, sizeof *x->outers));
    x->outer_of = QN_NEEDED(malloc(ids * sizeof *x->outer_of));
    x->kept = QN_NEEDED(malloc(pairs * sizeof *x->kept));
    memset(x->outer_of, 0xff, ids * sizeof *x->outer_of);
}

static int compare_names(const void *a, const void *b, void *fns)
{
    const struct qn_prof_fns *f = fns;
    return strcmp(qn_text_name(&f->files, *(const uint32_t *)a),
                  qn_text_name(&f->files, *(const uint32_t *)b));
}

/* Is it a source of the system: of a library or compiler, or (a relative name) of a build elsewhere? */
static int is_system_file(const char *name)
{
    static const char *const roots[] = {"/usr/", "/lib/", "/lib64/", "/opt/", "/nix/", "/rustc/", NULL};
    for (int i = 0; roots[i]; i++)
        if (strncmp(name, roots[i], strlen(roots[i])) == 0)
            return 1;
    return name[0] != '/';
}

/* Notes the files of the file section as those to annotate: by cost with those of the system last, or by name. */
static void note_annotated(struct section *x)
{
    struct qn_out_modern *m = x->m;
    m->annotated = QN_NEEDED(malloc((x->outer_count + (size_t)1) * sizeof *m->annotated));
    for (int system = 0; system < 2; system++)
        for (uint32_t i = 0; i < x->outer_count; i++)
            if (is_system_file(outer_name(x, x->outers[i].id)) == system)
                m->annotated[m->annotated_count++] = x->outers[i].id;
    if (m->request->by_cost < 0 ? !m->request->width : !m->request->by_cost)
        qsort_r(m->annotated, m->annotated_count, sizeof *m->annotated, compare_names, m->ledger.fns);
}

static void do_section(struct qn_out_modern *m, int by_function)
{
    struct section x = {.m = m, .by_function = by_function};
    init_section(&x);
    keep_pairs(&x);
    if (sum_outers(&x) == 0) {
        sort_section(&x);
        put_section(&x);
        if (!by_function)
            note_annotated(&x);
    }
    free(x.outers);
    free(x.outer_of);
    free(x.kept);
    free(x.sums);
}

enum qn_text_status qn_out_modern_functions(struct qn_out_modern *m)
{
    do_section(m, 0);
    if (m->err->status == QN_TEXT_OK)
        do_section(m, 1);
    return m->err->status;
}

/* ---- One flat table in place of the function and source sections: --by=file|function|line|object|inline ----
 *
 * In:  the ledger
 * Out: rows above the threshold, sorted as the function sections are, with cumulative percentages
 *
 * Rules: a function is a name, whatever files its code comes from; a line is a file and a number;
 * an object comes from the profile's ob= lines (??? without them); --by=inline has a row for each line of an inlined function, by the function's
 * name, which says where it was inlined, with all calls between if the run had --inline=chains.
 */

#define NO_THREAD UINT32_MAX

struct by {
    struct qn_out_modern *m;
    int by; /* enum qn_out_by */
    double least; /* of the primary sort event */
    struct qn_prof_rows counts; /* of the rows, by place of arrival */
    struct by_row {
        const char *name;
        const int64_t *counts;
        uint32_t line;
        const char *function; /* NULL: rows are not by function */
    } *rows;
    size_t count, room;
    struct qn_prof_threads threads;
};

/* Keeps a row that reaches the threshold. */
static void keep_line(struct by *b, const char *name, uint32_t line, const char *function, const int64_t *counts)
{
    int events = b->m->events;
    if (qn_out_key_weight(&b->m->columns.sort[0], counts) < b->least)
        return;
    QN_MORE(b->rows, b->count, b->room, 256);
    int64_t *copy = qn_prof_new_row(&b->counts);
    for (int i = 0; i < events; i++)
        copy[i] = qn_prof_count(counts[i]);
    b->rows[b->count++] = (struct by_row){name, copy, line, function};
}

static void keep(struct by *b, const char *name, const int64_t *counts) { keep_line(b, name, 0, NULL, counts); }

/* Sums all functions by file id or by name id, and keeps the sums. */
static int collect_sums(struct by *b, int by_function)
{
    const struct qn_prof_fns *fns = b->m->ledger.fns;
    const struct qn_text_names *names = by_function ? &fns->names : &fns->files;
    size_t ids = names->index.count, events = (size_t)b->m->events;
    int64_t *sums = QN_NEEDED(calloc(ids * events + 1, sizeof *sums));
    unsigned char *used = QN_NEEDED(calloc(ids + 1, 1));
    int failed = 0;
    for (uint32_t fn = 0; fn < qn_prof_fn_count(fns) && !failed; fn++) {
        uint32_t id = by_function ? fns->fn[fn].name : fns->fn[fn].file;
        used[id] = 1;
        failed = qn_prof_add_counts(sums + id * events, qn_prof_row(&b->m->ledger.fn_totals, fn),
                                    b->m->events);
        if (failed)
            qn_text_fail(b->m->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
    }
    for (uint32_t id = 0; id < ids && !failed; id++)
        if (used[id])
            keep(b, qn_text_name(names, id), sums + id * events);
    free(sums);
    free(used);
    return failed;
}

/* The lines of a file, or of a function, whatever the log has been kept by. */
static int collect_lines_of(struct by *b, uint32_t id, const char *file, const char *function, int64_t *counts)
{
    struct qn_out_lines lines = {.counts = counts, .err = b->m->err};
    lines.of = qn_prof_ledger_lines(&b->m->ledger, id);
    for (qn_out_first_line(&lines); lines.pending; qn_out_next_line(&lines))
        keep_line(b, file, lines.line, function, counts);
    return b->m->err->status != QN_TEXT_OK;
}

static int collect_lines(struct by *b)
{
    const struct qn_prof_fns *fns = b->m->ledger.fns;
    int by_fn = b->by == QN_OUT_BY_INLINE;
    uint32_t ids = by_fn ? qn_prof_fn_count(fns) : fns->files.index.count;
    int64_t *counts = QN_NEEDED(calloc((size_t)b->m->events, sizeof *counts));
    int failed = 0;
    for (uint32_t id = 0; id < ids && !failed; id++)
        failed = by_fn ? collect_lines_of(b, id, qn_prof_fn_file(fns, id), qn_prof_fn_name(fns, id), counts)
                       : collect_lines_of(b, id, qn_text_name(&fns->files, id), NULL, counts);
    free(counts);
    return failed;
}

static int collect_objects(struct by *b)
{
    const struct qn_prof_ledger *g = &b->m->ledger;
    if (g->objects.index.count == 1)
        snprintf(b->m->request->warning, QN_TEXT_MAX, "%s: objects are not known; `quern run "
                 "--dump-objects=yes` writes them into the profile", g->sources[0].path);
    for (uint32_t id = 0; id < g->objects.index.count; id++)
        keep(b, qn_text_name(&g->objects, id), qn_prof_row(&g->object_totals, id));
    return 0;
}

/* All of them, and what belongs to none. */
static int collect_threads(struct by *b)
{
    const struct qn_out_request *q = b->m->request;
    struct qn_prof_threads *t = &b->threads;
    for (int i = 0; i < q->input_count; i++)
        if (qn_prof_read_threads(t, q->inputs[i], q->diff && i == 0, b->m->err) != QN_TEXT_OK)
            return 1;
    int64_t *rest = qn_prof_threads_rest(t, b->m->total);
    b->least = -1;
    for (size_t i = 0; i < t->count; i++)
        keep_line(b, "thread", t->list[i].number, NULL, t->list[i].counts);
    if (rest)
        keep_line(b, "no thread", NO_THREAD, NULL, rest);
    free(rest);
    return 0;
}

static int collect(struct by *b)
{
    switch (b->by) {
    case QN_OUT_BY_LINE:
    case QN_OUT_BY_INLINE: return collect_lines(b);
    case QN_OUT_BY_OBJECT: return collect_objects(b);
    case QN_OUT_BY_THREAD: return collect_threads(b);
    default: return collect_sums(b, b->by == QN_OUT_BY_FUNCTION);
    }
}

static int compare_by_rows(const void *x, const void *y, void *by)
{
    const struct qn_out_columns *c = &((const struct by *)by)->m->columns;
    const struct by_row *a = x, *b = y;
    int d = qn_out_compare_counts(c, a->counts, b->counts);
    d = d ? d : strcmp(b->name, a->name);
    d = d ? d : a->line < b->line ? 1 : a->line > b->line ? -1 : 0;
    return d || !a->function ? d : strcmp(b->function, a->function);
}

static const struct {
    const char *title, *heading;
} kinds[] = {
    [QN_OUT_BY_FILE] = {"File summary", " file\n\n"},
    [QN_OUT_BY_FUNCTION] = {"Function summary", " function\n\n"},
    [QN_OUT_BY_LINE] = {"Line summary", " file:line\n\n"},
    [QN_OUT_BY_OBJECT] = {"Object summary", " object\n\n"},
    [QN_OUT_BY_INLINE] = {"Inline summary", " file:line function\n\n"},
    [QN_OUT_BY_THREAD] = {"Thread summary", " thread\n\n"},
};

static void put_rows(const struct by *b, const struct qn_out_table *t, int64_t *sum)
{
    enum { LINE_ROOM = sizeof ":99999" - 1 };
    struct qn_out_sink *s = b->m->sink;
    int by = b->by;
    qn_out_put_title(s, kinds[by].title, "");
    qn_out_put_heading(s, t);
    qn_out_puts(s, kinds[by].heading);
    for (size_t i = 0; i < b->count; i++) {
        qn_prof_add_counts(sum, b->rows[i].counts, b->m->events);
        qn_out_put_row(s, t, QN_OUT_OUTER, b->rows[i].counts, sum);
        qn_out_putc(s, ' ');
        qn_out_put_path(s, b->rows[i].name, LINE_ROOM);
        if (by == QN_OUT_BY_LINE || by == QN_OUT_BY_INLINE)
            qn_out_printf(s, ":%u", b->rows[i].line);
        if (by == QN_OUT_BY_THREAD && b->rows[i].line != NO_THREAD)
            qn_out_printf(s, " %u", b->rows[i].line);
        if (b->rows[i].function) {
            qn_out_putc(s, ' ');
            qn_out_name(s, b->rows[i].function);
        }
        qn_out_putc(s, '\n');
    }
    qn_out_putc(s, '\n');
}

static void put_table(const struct by *b)
{
    struct qn_out_table t;
    size_t bytes = (size_t)b->m->events * sizeof(int64_t);
    int64_t *sum = QN_NEEDED(calloc(1, bytes));
    qn_out_modern_table(b->m, &t, 1);
    for (size_t i = 0; i < b->count; i++) {
        qn_prof_add_counts(sum, b->rows[i].counts, b->m->events);
        qn_out_measure(&t, b->rows[i].counts, sum);
    }
    qn_out_fix_widths(&t);
    memset(sum, 0, bytes);
    put_rows(b, &t, sum);
    qn_out_free_table(&t);
    free(sum);
}

enum qn_text_status qn_out_modern_by(struct qn_out_modern *m, int by, size_t most)
{
    struct by b = {.m = m, .by = by};
    b.counts.events = m->events;
    b.least = m->request->threshold * qn_out_key_weight(&m->columns.sort[0], m->total) / 100;
    if (collect(&b) == 0) {
        if (b.count > 1)
            qsort_r(b.rows, b.count, sizeof *b.rows, compare_by_rows, &b);
        b.count = b.count < most ? b.count : most;
        put_table(&b);
    }
    qn_prof_free_rows(&b.counts);
    qn_prof_free_threads(&b.threads);
    free(b.rows);
    return m->err->status;
}
