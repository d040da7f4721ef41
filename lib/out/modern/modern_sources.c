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
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/modern/modern_insns.h"
#include "out/modern/modern_originals.h"
#include "prof/counts.h"

#define WARNING_FRAME \
    "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n"
#define WARNING_TITLE \
    "@@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@\n"

#define UNKNOWN "???" /* the name of a file that is not known */

/* The state of one section. */
struct file {
    struct qn_out_modern *m;
    struct qn_out_insns *insns;
    const char *name;
    struct qn_prof_log_lines lines;
    struct qn_out_originals originals;
    struct qn_out_table table;
    int64_t *counts; /* of the line at hand */
    uint32_t line;   /* whose counts are at hand */
    int pending;     /* nonzero while they have not been put */
};

static void fate(struct qn_out_modern *m, enum qn_out_fate f, const int64_t *counts)
{
    if (qn_prof_add_counts(m->fates + (int)f * m->events, counts, m->events) != 0)
        qn_text_fail(m->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
}

/* Makes the next line with counts the current one. */
static void advance(struct file *f)
{
    int got = qn_prof_log_next(&f->lines, &f->line, f->counts);
    if (got < 0)
        qn_text_fail(f->m->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
    f->pending = got > 0;
    for (int i = 0; i < f->m->events && f->pending; i++)
        f->counts[i] = qn_prof_count(f->counts[i]);
}

static void rewind_lines(struct file *f)
{
    f->lines.at = 0;
    advance(f);
}

static void add_all_lines(struct file *f, enum qn_out_fate where)
{
    for (rewind_lines(f); f->pending; advance(f))
        fate(f->m, where, f->counts);
}

static void put_unannotated(struct file *f, const char *why, enum qn_out_fate where)
{
    struct qn_out_sink *s = f->m->sink;
    qn_out_puts(s, why);
    qn_out_list_originals(s, &f->originals, "- ");
    qn_out_putc(s, '\n');
    add_all_lines(f, where);
    qn_out_insns_of_file(f->insns, f->name, 1);
    qn_out_put_insn_functions(f->insns);
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
        qn_out_puts(s, WARNING_FRAME WARNING_TITLE WARNING_FRAME
                    "@ Original source files are all newer than data file '");
        qn_out_name(s, g->sources[i].path);
        qn_out_puts(s, "':\n");
        qn_out_list_originals(s, &f->originals, "@ - ");
        qn_out_puts(s, "@ Annotations may not be correct.\n" WARNING_FRAME "\n");
    }
}

static void warn_bogus(const struct file *f)
{
    struct qn_out_sink *s = f->m->sink;
    qn_out_puts(s, WARNING_FRAME WARNING_TITLE WARNING_FRAME
                "@@ Information recorded about lines past the end of '");
    qn_out_name(s, f->originals.paths[0]);
    if (f->originals.sources[0].error)
        qn_out_printf(s, "', which was read up to a limit: %s.\n" WARNING_FRAME, qn_text_source_why(f->originals.sources[0].error));
    else
        qn_out_puts(s, "'.\n" WARNING_FRAME);
}

/* Writes the counts of the current line, and goes to the next. */
static void put_counts(struct file *f, enum qn_out_fate where)
{
    qn_out_put_row(f->m->sink, &f->table, QN_OUT_PLAIN, f->counts, NULL);
    fate(f->m, where, f->counts);
    advance(f);
}

static void put_unknown_line(struct file *f)
{
    put_counts(f, QN_OUT_LINES_UNKNOWN);
    qn_out_puts(f->m->sink, " <unknown (line 0)>\n");
    qn_out_put_insns(f->insns, &f->table, 0);
    qn_out_putc(f->m->sink, '\n');
}

static void put_source_line(struct file *f, int64_t number, const char *text, size_t length)
{
    struct qn_out_sink *s = f->m->sink;
    int counted = f->pending && number == f->line;
    if (counted)
        put_counts(f, QN_OUT_LINES_KNOWN);
    else
        qn_out_put_dots(s, &f->table);
    qn_out_putc(s, ' ');
    qn_out_put_line(s, text, length);
    qn_out_putc(s, '\n');
    if (counted)
        qn_out_put_insns(f->insns, &f->table, (uint32_t)number);
}

/* Puts the lines of all ranges; stops at the end of the source. */
static void put_source(struct file *f)
{
    struct qn_text_source *src = &f->originals.sources[0];
    int64_t number = 0;
    const char *text;
    size_t length;
    while (f->pending) {
        int64_t context = f->m->request->context;
        int64_t low = f->line - context, high = qn_out_end_of_range(&f->lines, f->line, context);
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
    while (f->pending) {
        uint32_t line = f->line;
        put_counts(f, QN_OUT_LINES_KNOWN);
        qn_out_printf(f->m->sink, " <bogus line %u>\n", line);
        qn_out_put_insns(f->insns, &f->table, line);
    }
    qn_out_putc(f->m->sink, '\n');
    warn_bogus(f);
}

static void put_annotated(struct file *f)
{
    struct qn_out_sink *s = f->m->sink;
    qn_out_modern_table(f->m, &f->table, 0);
    warn_newer(f);
    for (rewind_lines(f); f->pending; advance(f))
        qn_out_measure(&f->table, f->counts, NULL);
    qn_out_insns_of_file(f->insns, f->name, 0);
    qn_out_measure_insns(f->insns, &f->table);
    qn_out_fix_widths(&f->table);
    qn_out_put_heading(s, &f->table);
    qn_out_puts(s, "\n\n");
    rewind_lines(f);
    if (f->pending && f->line == 0)
        put_unknown_line(f);
    if (f->pending) {
        put_source(f);
        if (f->pending)
            put_bogus_lines(f);
        qn_out_putc(s, '\n');
    }
    qn_out_free_table(&f->table);
}

static void put_file(struct file *f, uint32_t id)
{
    qn_out_put_title(f->m->sink, "Annotated source file: ", f->name);
    qn_out_find_originals(&f->originals, &f->m->ledger, id);
    if (qn_out_read_originals(&f->originals, f->m->request) != 0)
        put_unannotated(f, "Unannotated because one or more of these original files are unreadable:\n",
                        QN_OUT_UNREADABLE);
    else if (!qn_out_are_identical(&f->originals))
        put_unannotated(f, "Unannotated because two or more of these original files are not identical:\n",
                        QN_OUT_NOT_IDENTICAL);
    else
        put_annotated(f);
}

/* Adds up the functions of all files whose fate is decided without looking at lines. */
static void add_other_files(struct qn_out_modern *m, const unsigned char *is_annotated)
{
    const struct qn_prof_fns *fns = &m->ledger.fns;
    uint32_t unknown = qn_text_find_name(&fns->files, UNKNOWN, sizeof UNKNOWN - 1);
    for (uint32_t fn = 0; fn < qn_prof_fn_count(fns); fn++) {
        uint32_t file = fns->fn[fn].file;
        if (file == unknown)
            fate(m, QN_OUT_FILES_UNKNOWN, qn_prof_row(&m->ledger.fn_totals, fn));
        else if (!is_annotated[file])
            fate(m, QN_OUT_BELOW_THRESHOLD, qn_prof_row(&m->ledger.fn_totals, fn));
    }
}

static void do_file(struct qn_out_modern *m, struct qn_out_insns *insns, uint32_t id, int64_t *counts)
{
    struct file f = {.m = m, .insns = insns, .name = qn_text_name(&m->ledger.fns.files, id), .counts = counts};
    qn_prof_log_gather(&m->ledger.log, id, &f.lines);
    put_file(&f, id);
    qn_out_free_originals(&f.originals);
    qn_prof_log_free_lines(&f.lines);
}

/* Code whose file is not known has no source, but may have instructions. */
static void do_unknown(struct qn_out_insns *insns)
{
    qn_out_insns_of_file(insns, UNKNOWN, 1);
    qn_out_put_insn_functions(insns);
}

static void do_files(struct qn_out_modern *m, unsigned char *is_annotated, int64_t *counts)
{
    struct qn_out_insns insns;
    qn_out_open_insns(&insns, m);
    for (size_t i = 0; i < m->annotated_count && m->err->status == QN_TEXT_OK; i++) {
        uint32_t id = m->annotated[i];
        if (strcmp(qn_text_name(&m->ledger.fns.files, id), UNKNOWN) == 0) {
            do_unknown(&insns);
            continue;
        }
        is_annotated[id] = 1;
        do_file(m, &insns, id, counts);
    }
    qn_out_close_insns(&insns);
}

enum qn_text_status qn_out_modern_sources(struct qn_out_modern *m)
{
    unsigned char *is_annotated = QN_NEEDED(calloc(m->ledger.fns.files.index.count + (size_t)1, 1));
    int64_t *counts = QN_NEEDED(calloc((size_t)m->events, sizeof *counts));
    do_files(m, is_annotated, counts);
    if (m->err->status == QN_TEXT_OK)
        add_other_files(m, is_annotated);
    free(is_annotated);
    free(counts);
    return m->err->status;
}
