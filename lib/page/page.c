/* lib/page/page.c - see page.h. */
#include "page/page.h"

#include <inttypes.h>
#include <string.h>

#include "exp/rows.h"
#include "out/advice.h"
#include "out/columns.h"
#include "out/findings.h"
#include "page/json.h"
#include "page/profile.h"
#include "page/shell.h"
#include "page/sources.h"
#include "page/tables.h"
#include "plot/words.h"
#include "prof/counts.h"
#include "prof/merge.h"
#include "report/facts.h"
#include "report/findings.h"
#include "report/html.h"
#include "report/sentences.h"
#include "text/csv.h"

/* Profiles and what lies beside them; tables without columns, logs without tables: there are none. */
struct input {
    struct qn_page_profile profile, before;
    struct qn_text_table intervals, intervals_before, runs, culprits, curve, curve_before, sets, sets_before;
    struct qn_page_sharing sharing;
};

static enum qn_text_status read_input(struct input *in, const struct qn_page_request *q, struct qn_text_error *err)
{
    if (q->before && qn_prof_align(q->before, q->profile, err) != QN_TEXT_OK)
        return err->status;
    if (qn_page_read_profile(&in->profile, q->profile, q->facts ? &q->facts->profile : NULL, err) != QN_TEXT_OK)
        return err->status;
    if (q->shown)
        in->profile.shown = q->shown;
    if (q->before && qn_page_read_profile(&in->before, q->before, NULL, err) != QN_TEXT_OK)
        return err->status;
    if (q->before && q->shown_before)
        in->before.shown = q->shown_before;
    if (q->intervals && qn_exp_read_intervals(&in->intervals, q->intervals, qn_prof_reader_header(in->profile.reader), err) != QN_TEXT_OK)
        return err->status;
    if (q->intervals_before && qn_exp_read_intervals(&in->intervals_before, q->intervals_before, qn_prof_reader_header(in->before.reader), err)
                                    != QN_TEXT_OK)
        return err->status;
    if (q->runs && qn_text_read_table(&in->runs, q->runs, err) != QN_TEXT_OK)
        return err->status;
    if (q->sets && qn_exp_read_sets(&in->sets, q->sets, err) != QN_TEXT_OK)
        return err->status;
    if (q->culprits && (qn_text_read_table(&in->culprits, q->culprits, err) != QN_TEXT_OK
                        || qn_page_check_culprits(&in->culprits, q->culprits, err) != QN_TEXT_OK))
        return err->status;
    if (q->sharing && qn_page_read_sharing(&in->sharing, q->sharing, err) != QN_TEXT_OK)
        return err->status;
    if (q->mattson && qn_exp_read_curve(&in->curve, q->mattson, err) != QN_TEXT_OK)
        return err->status;
    if (q->mattson_before && qn_exp_read_curve(&in->curve_before, q->mattson_before, err) != QN_TEXT_OK)
        return err->status;
    return q->sets_before ? qn_exp_read_sets(&in->sets_before, q->sets_before, err) : QN_TEXT_OK;
}

/* "caches":{"line":64,"touched":900,"first":30,"curve":[[16,400],[32,90]],"sets":[3,0,7]} */
static void put_caches(FILE *out, const char *name, const struct qn_text_table *curve, const struct qn_text_table *by_set)
{
    int size = qn_text_find_column(curve, "size"), lines = qn_text_find_column(curve, "lines"), misses = qn_text_find_column(curve, "misses");
    bool any = curve->row_count && qn_text_number(curve, 0, lines);
    struct qn_text_table sets = { 0 };

    fprintf(out, ",\n\"%s\":{", name);
    if (any)
        fprintf(out, "\"line\":%.0f,\"touched\":%.0f,\"first\":%.0f,", qn_text_number(curve, 0, size) / qn_text_number(curve, 0, lines),
                qn_text_number(curve, 0, qn_text_find_column(curve, "touched")), qn_text_number(curve, 0, qn_text_find_column(curve, "first")));
    fputs("\"curve\":[", out);
    for (int row = 0; any && row < curve->row_count; row++)
        fprintf(out, "%s[%.0f,%.0f]", row ? "," : "", qn_text_number(curve, row, lines), qn_text_number(curve, row, misses));
    fputs("],\"sets\":[", out);
    qn_exp_fill_sets(&sets, by_set);
    for (int row = 0; row < sets.row_count; row++)
        fprintf(out, "%s%.0f", row ? "," : "", qn_text_number(&sets, row, 1));
    fputs("]}", out);
    qn_text_free_table(&sets);
}

static size_t count_more(const struct qn_page_profile *p)
{
    size_t count = 0;

    for (size_t i = 0; i < p->file_count; i++)
        count += p->files[i].more;
    return count;
}

static void put_findings(struct qn_report_facts *f, FILE *out);
static void find(const struct input *in, FILE *out);
static void put_profile(struct qn_page_profile *p, const struct qn_page_request *q, const struct qn_text_table *culprits, FILE *out);

static void put_data(struct input *in, const struct qn_page_request *q, FILE *out)
{
    fputs("{\"after\":", out);
    put_profile(&in->profile, q, q->culprits ? &in->culprits : NULL, out);
    if (q->before) {
        fputs(",\n\"before\":", out);
        put_profile(&in->before, q, NULL, out);
    }
    qn_page_put_table(out, "intervals", &in->intervals);
    qn_page_put_table(out, "runs", &in->runs);
    if (q->sets) {
        fputs(",\n\"sets\":", out);
        qn_page_put_sets(out, &in->sets);
    }
    if (q->sharing)
        qn_page_put_sharing(&in->sharing, out);
    qn_page_put_threads(in->profile.path, out);
    qn_page_put_table(out, "intervalsBefore", &in->intervals_before);
    if (q->mattson || q->sets)
        put_caches(out, "caches", &in->curve, &in->sets);
    if (q->mattson_before || q->sets_before)
        put_caches(out, "cachesBefore", &in->curve_before, &in->sets_before);
    if (count_more(&in->profile) + count_more(&in->before)) {
        qn_page_put(out, ",\n\"more\":%s", q->more_name);
    }
    /* What a report of the same files says first. */
    if (q->facts)
        put_findings(q->facts, out);
    else if (!q->before)
        find(in, out);
    putc('}', out);
}

static void put_plain(const struct qn_page_profile *p, FILE *out);

enum qn_text_status qn_page_write(const struct qn_page_request *q, FILE *out, struct qn_text_error *err)
{
    struct input in = { 0 };
    size_t count = 0;

    if (read_input(&in, q, err) == QN_TEXT_OK) {
        qn_page_begin(out, qn_prof_reader_header(in.profile.reader)->cmd.text);
        put_plain(&in.profile, out);
        qn_page_begin_data(out);
        put_data(&in, q, out);
        qn_page_end(out, QN_PAGE_EXPLORE);
        qn_page_put_more(&in.profile, q, &count);
        qn_page_put_more(&in.before, q, &count);
        qn_page_end_more(q, count);
    }
    qn_page_free_profile(&in.profile);
    qn_page_free_profile(&in.before);
    qn_text_free_table(&in.intervals);
    qn_text_free_table(&in.runs);
    qn_text_free_table(&in.culprits);
    qn_page_free_sharing(&in.sharing);
    qn_text_free_table(&in.sets);
    qn_text_free_table(&in.curve);
    qn_text_free_table(&in.curve_before);
    qn_text_free_table(&in.sets_before);
    qn_text_free_table(&in.intervals_before);
    return err->status;
}

/* ---- findings ---- */

static void put_findings(struct qn_report_facts *f, FILE *out)
{
    struct qn_report_finding findings[QN_REPORT_FINDINGS_MAX];
    const char *hints[QN_REPORT_HINTS_MAX];
    int count = qn_report_has_event(f, "Ir") ? qn_report_find(f, findings) : 0;

    qn_report_hint(f, hints);
    fputs(",\n\"findings\":[", out);
    for (int i = 0; i < count; i++) {
        const struct qn_plot_centre *at = findings[i].line < 0 ? NULL : &f->lines.at[findings[i].line];

        fputs(i ? ",\n" : "", out);
        qn_page_put(out, "{\"what\":%s,\"proof\":%s,\"advice\":%s", findings[i].what, findings[i].proof, findings[i].advice);
        if (at && qn_report_has_line(at))
            qn_page_put(out, ",\"file\":%s,\"line\":%u", at->file, at->line);
        putc('}', out);
    }
    fputs("],\n\"hints\":[", out);
    for (int i = 0; hints[i]; i++) {
        fputs(i ? "," : "", out);
        qn_page_put_text(out, hints[i]);
    }
    qn_page_put(out, "],\n\"classes\":{\"compulsory\":%s,\"capacity\":%s,\"conflict\":%s}", SAY_D1_COMPULSORY,
                qn_text_format(&f->memory, SAY_D1_CAPACITY, qn_plot_say_bytes(&f->memory, f->size[QN_REPORT_D1])), SAY_D1_CONFLICT);
}

static void find(const struct input *in, FILE *out)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    const struct qn_page_profile *p = &in->profile;
    struct qn_report_facts f = { .profile = { p->reader, p->merge, p->functions }, .intervals = in->intervals, .runs = in->runs,
                                 .sharing = in->sharing.lines, .culprits = in->culprits };

    if (qn_prof_find_event(qn_prof_reader_header(p->reader), "Ir", 2) >= 0 && qn_report_gather_facts(&f, p->path, &err) == QN_TEXT_OK) {
        qn_exp_fill_sets(&f.sets, &in->sets);
        qn_exp_fill_curve(&f.curve, &in->curve);
        qn_report_find_knees(&f);
        put_findings(&f, out);
    }
    qn_text_free_table(&f.sets);
    qn_text_free_table(&f.curve);
    f.intervals = f.runs = f.sharing = f.culprits = (struct qn_text_table){ 0 }; /* the caller owns them, and the rows */
    f.profile = (struct qn_plot_profile){ NULL, NULL, NULL };
    qn_report_free_facts(&f);
}

/* ---- a page's table for readers without scripts: the most costly functions ---- */

#define ROWS 50

/* Chooses ROWS functions or fewer, the most costly first, by insertion. */
static size_t choose(const struct qn_page_profile *p, size_t chosen[ROWS])
{
    size_t count = 0;

    for (size_t i = 0; i < qn_prof_table_rows(p->functions); i++) {
        double cost = qn_page_cost(p, qn_prof_table_at(p->functions, i).counts);
        size_t at = count;

        while (at && qn_page_cost(p, qn_prof_table_at(p->functions, chosen[at - 1]).counts) < cost)
            at--;
        if (at == ROWS)
            continue;
        count += count < ROWS;
        for (size_t k = count - 1; k > at; k--)
            chosen[k] = chosen[k - 1];
        chosen[at] = i;
    }
    return count;
}

static void put_row(const struct qn_page_profile *p, FILE *out, const char *name, const int64_t *counts)
{
    fputs("<tr>", out);
    qn_report_text_cell(out, name);
    for (int i = 0; i < p->events; i++)
        qn_report_count_cell(out, (double)qn_prof_count(counts[i]), 0);
    fputs("</tr>\n", out);
}

/* A table for readers without scripts. */
static void put_plain(const struct qn_page_profile *p, FILE *out)
{
    const struct qn_prof_header *h = qn_prof_reader_header(p->reader);
    size_t chosen[ROWS], count = choose(p, chosen);

    qn_report_put(out, "<h1>%s</h1>\n<p>Without scripts this page has one table, of the most costly functions; <code>quern annotate</code> shows the "
                  "source.</p>\n<table>\n<tr><th scope=\"col\">function</th>", h->cmd.text);
    for (int i = 0; i < p->events; i++)
        qn_report_put(out, "<th scope=\"col\">%s</th>", h->events[i]);
    fputs("</tr>\n", out);
    put_row(p, out, "the whole run", qn_prof_table_totals(p->lines));
    for (size_t i = 0; i < count; i++) {
        struct qn_prof_row row = qn_prof_table_at(p->functions, chosen[i]);

        put_row(p, out, row.function, row.counts);
    }
    fputs("</table>\n", out);
}

/* ---- the rows of a profile as JSON ---- */

#define INSN_TEXT 128

/* A comma before each element but the first. */
static void separate(FILE *out, size_t *count)
{
    if ((*count)++)
        fputs(",\n", out);
}

/* ---- functions ---- */

static size_t put_functions(struct qn_page_profile *p, FILE *out)
{
    size_t rows = qn_prof_table_rows(p->functions), count = 0;

    fputs("\"functions\":[", out);
    for (size_t i = 0; i < rows; i++) {
        struct qn_prof_row row = qn_prof_table_at(p->functions, i);

        if (qn_page_cost(p, row.counts) < p->least_function || count == QN_PAGE_FUNCTIONS)
            continue;
        separate(out, &count);
        fprintf(out, "[%u,", qn_page_name(p, row.function));
        fprintf(out, "%u,", qn_page_name(p, row.object));
        fprintf(out, "%u", qn_page_name(p, row.file));
        qn_page_put_counts(out, row.counts, p->events);
        putc(']', out);
    }
    fputs("],\n", out);
    return rows - count;
}

/* ---- lines and instructions ---- */

static void put_line(struct qn_page_profile *p, FILE *out, const struct qn_prof_row *row)
{
    fprintf(out, "[%u,%u,", row->line, qn_page_name(p, row->function));
    fprintf(out, "%u", qn_page_name(p, row->object));
    if (row->insn) {
        char address[QN_PROF_INSN_TEXT], text[INSN_TEXT];

        qn_prof_format_address(address, row->insn->address);
        qn_out_disassemble(text, sizeof text, row->insn);
        qn_page_put(out, ",%s,%s", address, text);
    }
    qn_page_put_counts(out, row->counts, p->events);
    putc(']', out);
}

/* Writes the lines of a file, or its instructions, `room` rows at most; returns how many of `room` are left. */
static size_t put_rows(struct qn_page_profile *p, FILE *out, const struct qn_page_file *file, bool insns, size_t room)
{
    double least = insns ? p->least_insn : p->least_line;
    size_t count = 0;

    for (size_t i = file->first; i < file->end && count < room; i++) {
        struct qn_prof_row row = qn_prof_table_at(p->lines, i);

        if (!row.insn != !insns || qn_page_cost(p, row.counts) < least)
            continue;
        separate(out, &count);
        put_line(p, out, &row);
    }
    return room - count;
}

static size_t put_files(struct qn_page_profile *p, const struct qn_page_request *q, FILE *out)
{
    size_t lines = QN_PAGE_LINES, insns = QN_PAGE_INSNS, bytes = QN_PAGE_SOURCE_BYTES, count = 0, all = 0;

    for (size_t i = 0; i < qn_prof_table_rows(p->lines); i++)
        all += !qn_prof_table_at(p->lines, i).insn;
    fputs("\"files\":[", out);
    for (size_t i = 0; i < p->file_count && lines; i++) {
        separate(out, &count);
        qn_page_put(out, "{\"name\":%s,\"lines\":[", p->files[i].name);
        lines = put_rows(p, out, &p->files[i], false, lines);
        fputs("],\"insns\":[", out);
        insns = put_rows(p, out, &p->files[i], true, insns);
        putc(']', out);
        bytes = qn_page_put_source(p, q, &p->files[i], out, bytes);
        putc('}', out);
    }
    fputs("],\n", out);
    return all - (QN_PAGE_LINES - lines);
}

/* ---- the profile's header ---- */

static void put_head(const struct qn_page_profile *p, FILE *out)
{
    const struct qn_prof_header *h = qn_prof_reader_header(p->reader);
    char timing[200];

    qn_page_put(out, "\"path\":%s,\"command\":%s,\n\"descs\":[", p->shown, h->cmd.text);
    for (int i = 0; i < h->desc_count; i++) {
        const char *text = h->descs[i].text, *colon = strchr(text, ':');

        fputs(i ? ",[" : "[", out);
        qn_page_put_string(out, text, colon ? (size_t)(colon - text) : 0);
        qn_page_put(out, ",%s]", colon ? colon + 1 + strspn(colon + 1, " ") : text);
    }
    fputs("],\n\"events\":[", out);
    for (int i = 0; i < p->events; i++) {
        fputs(i ? "," : "", out);
        qn_page_put_text(out, qn_prof_modern_event(h, h->events[i]));
    }
    fputs("],\"weights\":[", out);
    for (int i = 0; i < p->events; i++)
        fprintf(out, "%s%.10g", i ? "," : "", p->weights[i]);
    qn_out_describe_timing(timing, sizeof timing, h);
    qn_page_put(out, "],\"timing\":%s,\"totals\":[0", timing);
    qn_page_put_counts(out, qn_prof_table_totals(p->lines), p->events);
    fputs("],\n", out);
}

/* Writes the whole as JSON.  culprits: a table that was checked, or NULL. */
static void put_profile(struct qn_page_profile *p, const struct qn_page_request *q, const struct qn_text_table *culprits, FILE *out)
{
    size_t functions, lines;

    putc('{', out);
    put_head(p, out);
    functions = put_functions(p, out);
    lines = put_files(p, q, out);
    qn_page_put_objects(p, out);
    qn_page_put_calls(p, out);
    if (culprits)
        qn_page_put_culprits(p, culprits, out);
    fputs("\"names\":[", out);
    for (uint32_t i = 0; i < p->names.index.count; i++) {
        fputs(i ? ",\n" : "", out);
        qn_page_put_text(out, qn_text_name(&p->names, i));
    }
    fprintf(out, "],\"left\":{\"functions\":%zu,\"lines\":%zu}}", functions, lines);
}
