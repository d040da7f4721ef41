/*
 * The annotated files of the modern style.
 *
 * In:  the files that have a function above the threshold; their lines' counts; the sources on disk
 * Out: a section per file; where every count went (m->fates)
 *
 * Rules: a file whose name --mod-filename made from several is annotated only where all of these are
 * readable and identical. Shown are lines with counts and `context` lines around each. Counts of line
 * 0 come first, counts beyond the end of the file last, marked bogus.
 */
#define _GNU_SOURCE

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "out/findings.h"
#include "out/modern/modern.h"
#include "out/report.h"
#include "out/source.h"
#include "prof/counts.h"
#include "prof/table/ledger.h"
#include "text/names.h"
#include "text/source.h"

struct insns {
    struct qn_out_modern *m;
    const struct qn_prof_table *rows;
    uint32_t *order;
    size_t at, end;        /* rows of the current file that have not been written: in order */
    const char *file;      /* the current file */
    const char *fn, *object; /* named last */
};

struct originals {
    const char **names; /* the ledger's */
    char **paths;       /* where each was found */
    struct qn_text_source *sources;
    int count;
};

/* ---- Sources of one annotated file ----
 *
 * In:  the names that became one
 * Out: their text
 */

static void find_originals(struct originals *o, const struct qn_prof_ledger *g, uint32_t file)
{
    uint32_t all = g->options.mod_file ? g->originals.index.count : 1;
    o->names = QN_NEEDED(calloc(all + (size_t)1, sizeof *o->names));
    if (!g->options.mod_file)
        o->names[o->count++] = qn_text_name(&g->fns->files, file);
    for (uint32_t i = 0; i < all && g->options.mod_file; i++)
        if (g->original_of[i] == file)
            o->names[o->count++] = qn_text_name(&g->originals, i);
    qsort(o->names, (size_t)o->count, sizeof *o->names, qn_text_compare);
    o->paths = QN_NEEDED(calloc((size_t)o->count + 1, sizeof *o->paths));
    o->sources = QN_NEEDED(calloc((size_t)o->count + 1, sizeof *o->sources));
}

static bool read_originals(struct originals *o, const struct qn_out_request *q)
{
    bool all = true;
    for (int i = 0, include; i < o->count; i++)
        all &= qn_out_open_source(q, &o->sources[i], o->names[i], &o->paths[i], &include) == 0;
    return all;
}

static int are_identical(const struct originals *o)
{
    for (int i = 1; i < o->count; i++)
        if (!qn_text_same_source(&o->sources[0], &o->sources[i]))
            return 0;
    return 1;
}

static void free_originals(struct originals *o)
{
    for (int i = 0; i < o->count; i++) {
        free(o->paths[i]);
        qn_text_close_source(&o->sources[i]);
    }
    free(o->names);
    free(o->paths);
    free(o->sources);
}

static void list_originals(struct qn_out_sink *s, const struct originals *o, const char *mark)
{
    for (int i = 0; i < o->count; i++) {
        qn_out_puts(s, mark);
        qn_out_name(s, o->names[i]);
        qn_out_putc(s, '\n');
    }
}

/* ---- Instructions of the modern report ----
 *
 * In:  rows sorted by file, function, object, line, address
 * Out: those of one file in another order, and text
 */

enum { TEXT_MAX = 256, FINDINGS_MAX = 1024, FINDINGS_COLUMN = 44 /* behind the address: most instructions are shorter */ };

static struct qn_prof_row row_at(const struct insns *x, size_t i)
{
    return qn_prof_table_at(x->rows, x->order[i]);
}

static void open_insns(struct insns *x, struct qn_out_modern *m)
{
    memset(x, 0, sizeof *x);
    x->m = m;
    if (!m->request->disassemble && !m->request->values)
        return;
    qn_prof_table_sort(m->ledger.insns);
    size_t n = qn_prof_table_rows(m->ledger.insns);
    x->order = QN_NEEDED(malloc((n + 1) * sizeof *x->order));
    for (size_t i = 0; i < n; i++)
        x->order[i] = (uint32_t)i;
    x->rows = m->ledger.insns;
}

static int compare_by_line(const void *p, const void *q, void *rows)
{
    struct qn_prof_row a = qn_prof_table_at(rows, *(const uint32_t *)p);
    struct qn_prof_row b = qn_prof_table_at(rows, *(const uint32_t *)q);
    int d = QN_COMPARE(a.line, b.line);
    d = d ? d : strcmp(a.object, b.object);
    d = d ? d : QN_COMPARE(a.insn->address, b.insn->address);
    return d ? d : QN_COMPARE(*(const uint32_t *)p, *(const uint32_t *)q);
}

static int compare_by_function(const void *p, const void *q, void *rows)
{
    struct qn_prof_row a = qn_prof_table_at(rows, *(const uint32_t *)p);
    struct qn_prof_row b = qn_prof_table_at(rows, *(const uint32_t *)q);
    int d = strcmp(a.function, b.function);
    d = d ? d : strcmp(a.object, b.object);
    d = d ? d : QN_COMPARE(a.insn->address, b.insn->address);
    return d ? d : QN_COMPARE(*(const uint32_t *)p, *(const uint32_t *)q);
}

/* The first row whose file is not before the name. Files stay in order, whatever is done within one. */
static size_t find_file(const struct insns *x, const char *file)
{
    return QN_COUNT_WHILE(i, qn_prof_table_rows(x->rows), strcmp(row_at(x, i).file, file) < 0);
}

static void insns_of_file(struct insns *x, const char *file, int by_function)
{
    x->fn = x->object = NULL;
    x->file = file;
    if (!x->order)
        return;
    size_t all = qn_prof_table_rows(x->rows);
    x->at = x->end = find_file(x, file);
    while (x->end < all && strcmp(row_at(x, x->end).file, file) == 0)
        x->end++;
    qsort_r(x->order + x->at, x->end - x->at, sizeof *x->order,
            by_function ? compare_by_function : compare_by_line, x->m->ledger.insns);
}

/* Counts as numbers; QN_PROF_NONE is 0. */
static void get_counts(const struct insns *x, size_t i, int64_t *counts)
{
    struct qn_prof_row row = row_at(x, i);
    for (int e = 0; e < x->m->events; e++)
        counts[e] = qn_prof_count(row.counts[e]);
}

static void measure(const struct insns *x, struct qn_out_table *t, size_t from, size_t to)
{
    int64_t counts[x->m->events];
    for (size_t i = from; i < to; i++) {
        get_counts(x, i, counts);
        qn_out_measure(t, counts, NULL);
    }
}

static void put_findings(const struct insns *x, const struct qn_prof_row *row, size_t width)
{
    char text[FINDINGS_MAX];
    qn_out_format_findings(&x->m->findings, row->object, row->insn->address, text, sizeof text);
    if (!*text)
        return;
    qn_out_pad(x->m->sink, ' ', width < FINDINGS_COLUMN ? (long)(FINDINGS_COLUMN - width) : 1);
    qn_out_puts(x->m->sink, text);
}

static void put_insn(const struct insns *x, const struct qn_out_table *t, size_t i)
{
    struct qn_out_sink *s = x->m->sink;
    struct qn_prof_row row = row_at(x, i);
    int64_t counts[x->m->events];
    char text[TEXT_MAX];
    get_counts(x, i, counts);
    qn_out_put_row(s, t, QN_OUT_PLAIN, counts, NULL);
    qn_out_disassemble(text, sizeof text, row.insn);
    qn_out_printf(s, "     %8" PRIx64 ":  ", row.insn->address);
    qn_out_puts(s, text);
    put_findings(x, &row, strlen(text));
    qn_out_putc(s, '\n');
}

/* Names function and object where they are others than those named last. */
static void put_place(struct insns *x, const struct qn_out_table *t, const struct qn_prof_row *row)
{
    struct qn_out_sink *s = x->m->sink;
    if (x->fn && strcmp(x->fn, row->function) == 0 && strcmp(x->object, row->object) == 0)
        return;
    x->fn = row->function;
    x->object = row->object;
    qn_out_put_blanks(s, t);
    qn_out_puts(s, "     ");
    qn_out_name(s, row->function);
    qn_out_puts(s, " in ");
    qn_out_name(s, row->object);
    qn_out_putc(s, '\n');
}

static void put_insns(struct insns *x, const struct qn_out_table *t, uint32_t line)
{
    x->fn = NULL;
    for (; x->at < x->end && row_at(x, x->at).line <= line; x->at++) {
        struct qn_prof_row row = row_at(x, x->at);
        if (row.line < line)
            continue;
        put_place(x, t, &row);
        put_insn(x, t, x->at);
    }
}

/* Behind the last instruction of the function that begins at `from`; its part in *sum. */
static size_t end_of_function(const struct insns *x, size_t from, const struct qn_out_column *key, double *sum)
{
    struct qn_prof_row first = row_at(x, from);
    size_t i = from;
    for (*sum = 0; i < x->end; i++) {
        struct qn_prof_row row = row_at(x, i);
        if (strcmp(row.function, first.function) != 0 || strcmp(row.object, first.object) != 0)
            break;
        *sum += qn_out_key_value(key, row.counts);
    }
    return i;
}

static void put_function(struct insns *x, size_t from, size_t to)
{
    struct qn_out_sink *s = x->m->sink;
    struct qn_prof_row first = row_at(x, from);
    struct qn_out_table t;
    uint32_t line = 0;
    qn_out_modern_table(x->m, &t, 0);
    measure(x, &t, from, to);
    qn_out_fix_widths(&t);
    qn_out_put_title(s, "Annotated function: ", first.function);
    qn_out_put_heading(s, &t);
    qn_out_puts(s, "\n\n");
    x->fn = NULL;
    put_place(x, &t, &first);
    for (size_t i = from; i < to; i++) {
        struct qn_prof_row row = row_at(x, i);
        if (row.line != line) {
            qn_out_put_blanks(s, &t);
            qn_out_puts(s, "     ");
            qn_out_name(s, row.file);
            qn_out_printf(s, ":%" PRIu32 "\n", row.line);
        }
        line = row.line;
        put_insn(x, &t, i);
    }
    qn_out_putc(s, '\n');
    qn_out_free_table(&t);
}

static void put_insn_functions(struct insns *x)
{
    const struct qn_out_column *key = &x->m->columns.sort[0];
    double least = x->m->request->threshold * qn_out_key_weight(key, x->m->total) / 100;
    while (x->at < x->end) {
        double sum;
        size_t end = end_of_function(x, x->at, key, &sum);
        if ((sum < 0 ? -sum : sum) >= least)
            put_function(x, x->at, end);
        x->at = end;
    }
}

#define UNKNOWN "???" /* the name of a file that is not known */

/* The state of one section. */
struct file {
    struct qn_out_modern *m;
    struct insns *insns;
    const char *name;
    struct qn_out_lines lines;
    struct originals originals;
    struct qn_out_table table;
};

static void fate(struct qn_out_modern *m, enum qn_out_fate f, const int64_t *counts)
{
    if (qn_prof_add_counts(m->fates + (int)f * m->events, counts, m->events) != 0)
        qn_text_fail(m->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
}

static void put_unannotated(struct file *f, const char *why, enum qn_out_fate where)
{
    struct qn_out_sink *s = f->m->sink;
    qn_out_puts(s, why);
    list_originals(s, &f->originals, "- ");
    qn_out_puts(s, f->m->missing ? "" : "\n");
    for (qn_out_first_line(&f->lines); f->lines.pending; qn_out_next_line(&f->lines))
        fate(f->m, where, f->lines.counts);
    insns_of_file(f->insns, f->name, 1);
    put_insn_functions(f->insns);
}

/* A warning for each profile that is older than all the sources. */
static void warn_newer(const struct file *f)
{
    struct qn_out_sink *s = f->m->sink;
    const struct qn_prof_ledger *g = &f->m->ledger;
    for (int i = 0; i < g->source_count; i++) {
        struct timespec profile;
        int newer = qn_text_time_of(g->sources[i].path, &profile) == 0;
        for (int k = 0; k < f->originals.count && newer; k++)
            newer = qn_text_is_newer(f->originals.sources[k].modified, profile);
        if (!newer)
            continue;
        qn_out_puts(s, QN_OUT_WARNING
                    "@ Original source files are all newer than data file '");
        qn_out_name(s, g->sources[i].path);
        qn_out_puts(s, "':\n");
        list_originals(s, &f->originals, "@ - ");
        qn_out_puts(s, "@ Annotations may not be correct.\n" QN_OUT_WARNING_FRAME "\n");
    }
}

static void warn_bogus(const struct file *f)
{
    struct qn_out_sink *s = f->m->sink;
    qn_out_puts(s, QN_OUT_WARNING
                "@@ Information recorded about lines past the end of '");
    qn_out_name(s, f->originals.paths[0]);
    if (f->originals.sources[0].error)
        qn_out_printf(s, "', which was read up to a limit: %s.\n" QN_OUT_WARNING_FRAME, qn_text_source_why(f->originals.sources[0].error));
    else
        qn_out_puts(s, "'.\n" QN_OUT_WARNING_FRAME);
}

/* Writes the counts of the current line, and goes to the next. */
static void put_counts(struct file *f, enum qn_out_fate where)
{
    qn_out_put_row(f->m->sink, &f->table, QN_OUT_PLAIN, f->lines.counts, NULL);
    fate(f->m, where, f->lines.counts);
    qn_out_next_line(&f->lines);
}

static void put_unknown_line(struct file *f)
{
    put_counts(f, QN_OUT_LINES_UNKNOWN);
    qn_out_puts(f->m->sink, " <unknown (line 0)>\n");
    put_insns(f->insns, &f->table, 0);
    qn_out_putc(f->m->sink, '\n');
}

static void put_source_line(struct file *f, int64_t number, const char *text, size_t length)
{
    struct qn_out_sink *s = f->m->sink;
    int counted = f->lines.pending && number == f->lines.line;
    if (counted)
        put_counts(f, QN_OUT_LINES_KNOWN);
    else
        qn_out_put_dots(s, &f->table);
    qn_out_putc(s, ' ');
    qn_out_put_line(s, text, length);
    qn_out_putc(s, '\n');
    if (counted)
        put_insns(f->insns, &f->table, (uint32_t)number);
}

/* Puts the lines of all ranges; stops at the end of the source. */
static void put_source(struct file *f)
{
    struct qn_text_source *src = &f->originals.sources[0];
    int64_t number = 0;
    const char *text;
    size_t length;
    while (f->lines.pending) {
        int64_t context = f->m->request->context;
        int64_t low = f->lines.line - context, high = qn_out_end_of_range(&f->lines, context);
        low = low < 1 ? 1 : low;
        for (; number < low - 1; number++)
            if (!qn_text_next_source_line(src, &text, &length))
                return;
        if (low != 1)
            qn_out_put_gap(f->m->sink, low);
        for (; number < high; number++) {
            if (!qn_text_next_source_line(src, &text, &length))
                return;
            put_source_line(f, number + 1, text, length);
        }
        qn_out_put_gap(f->m->sink, high);
    }
}

static void put_bogus_lines(struct file *f)
{
    qn_out_putc(f->m->sink, '\n');
    while (f->lines.pending) {
        uint32_t line = f->lines.line;
        put_counts(f, QN_OUT_LINES_KNOWN);
        qn_out_printf(f->m->sink, " <bogus line %u>\n", line);
        put_insns(f->insns, &f->table, line);
    }
    qn_out_putc(f->m->sink, '\n');
    warn_bogus(f);
}

static void put_annotated(struct file *f)
{
    struct qn_out_sink *s = f->m->sink;
    qn_out_modern_table(f->m, &f->table, 0);
    warn_newer(f);
    for (qn_out_first_line(&f->lines); f->lines.pending; qn_out_next_line(&f->lines))
        qn_out_measure(&f->table, f->lines.counts, NULL);
    insns_of_file(f->insns, f->name, 0);
    measure(f->insns, &f->table, f->insns->at, f->insns->end);
    qn_out_fix_widths(&f->table);
    qn_out_put_heading(s, &f->table);
    qn_out_puts(s, "\n\n");
    qn_out_first_line(&f->lines);
    if (f->lines.pending && f->lines.line == 0)
        put_unknown_line(f);
    if (f->lines.pending) {
        put_source(f);
        if (f->lines.pending)
            put_bogus_lines(f);
        qn_out_putc(s, '\n');
    }
    qn_out_free_table(&f->table);
}

static void put_missing_title(const struct file *f)
{
    char *hint = qn_out_source_hint(f->name);
    qn_out_put_title(f->m->sink, "Sources not found: ", hint);
    free(hint);
}

static void put_file(struct file *f, uint32_t id)
{
    bool was_missing = f->m->missing, found;
    find_originals(&f->originals, &f->m->ledger, id);
    found = read_originals(&f->originals, f->m->request);
    f->m->missing = !found && f->m->request->width;
    if (was_missing && !f->m->missing)
        qn_out_putc(f->m->sink, '\n');
    if (!f->m->missing)
        qn_out_put_title(f->m->sink, "Annotated source file: ", f->name);
    else if (!was_missing)
        put_missing_title(f);
    if (f->m->missing)
        put_unannotated(f, "", QN_OUT_UNREADABLE);
    else if (!found)
        put_unannotated(f, "Unannotated because one or more of these original files are unreadable:\n",
                        QN_OUT_UNREADABLE);
    else if (!are_identical(&f->originals))
        put_unannotated(f, "Unannotated because two or more of these original files are not identical:\n",
                        QN_OUT_NOT_IDENTICAL);
    else
        put_annotated(f);
}

/* Adds up the functions of all files whose fate is decided without looking at lines. */
static void add_other_files(struct qn_out_modern *m, const unsigned char *is_annotated)
{
    const struct qn_prof_fns *fns = m->ledger.fns;
    uint32_t unknown = qn_text_find_name(&fns->files, UNKNOWN, sizeof UNKNOWN - 1);
    for (uint32_t fn = 0; fn < qn_prof_fn_count(fns); fn++) {
        uint32_t file = fns->fn[fn].file;
        if (file == unknown)
            fate(m, QN_OUT_FILES_UNKNOWN, qn_prof_row(&m->ledger.fn_totals, fn));
        else if (!is_annotated[file])
            fate(m, QN_OUT_BELOW_THRESHOLD, qn_prof_row(&m->ledger.fn_totals, fn));
    }
}

static void do_file(struct qn_out_modern *m, struct insns *insns, uint32_t id, int64_t *counts)
{
    struct file f = {.m = m, .insns = insns, .name = qn_text_name(&m->ledger.fns->files, id),
                     .lines = {.counts = counts, .events = m->events, .err = m->err}};
    f.lines.of = qn_prof_ledger_lines(&m->ledger, id);
    put_file(&f, id);
    free_originals(&f.originals);
}

static void do_files(struct qn_out_modern *m, unsigned char *is_annotated, int64_t *counts)
{
    struct insns insns;
    open_insns(&insns, m);
    for (size_t i = 0; i < m->annotated_count && m->err->status == QN_TEXT_OK; i++) {
        uint32_t id = m->annotated[i];
        if (strcmp(qn_text_name(&m->ledger.fns->files, id), UNKNOWN) == 0) {
            insns_of_file(&insns, UNKNOWN, 1); /* such code has no source, but may have instructions */
            put_insn_functions(&insns);
            continue;
        }
        is_annotated[id] = 1;
        do_file(m, &insns, id, counts);
    }
    free(insns.order);
}

enum qn_text_status qn_out_modern_sources(struct qn_out_modern *m)
{
    unsigned char *is_annotated = QN_NEEDED(calloc(m->ledger.fns->files.index.count + (size_t)1, 1));
    int64_t *counts = QN_NEEDED(calloc((size_t)m->events, sizeof *counts));
    do_files(m, is_annotated, counts);
    if (m->missing)
        qn_out_putc(m->sink, '\n');
    if (m->err->status == QN_TEXT_OK)
        add_other_files(m, is_annotated);
    free(is_annotated);
    free(counts);
    return m->err->status;
}
