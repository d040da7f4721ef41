/* lib/page/rows.c - the rows of a profile as JSON.  See profile.h. */
#include <inttypes.h>
#include <string.h>

#include "out/findings.h"
#include "out/columns.h"
#include "page/json.h"
#include "page/profile.h"
#include "page/sources.h"

#define INSN_TEXT 128

/* A comma before each element but the first. */
static void separate(FILE *out, size_t *count)
{
    if ((*count)++)
        fputs(",\n", out);
}

static void put_name(struct qn_page_profile *p, FILE *out, const char *name)
{
    fprintf(out, ",%" PRIu32, qn_text_intern(&p->names, name, strlen(name)));
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
        fprintf(out, "[%" PRIu32, qn_text_intern(&p->names, row.function, strlen(row.function)));
        put_name(p, out, row.object);
        put_name(p, out, row.file);
        qn_page_put_counts(out, row.counts, p->events);
        putc(']', out);
    }
    fputs("],\n", out);
    return rows - count;
}

/* ---- lines and instructions ---- */

static void put_line(struct qn_page_profile *p, FILE *out, const struct qn_prof_row *row)
{
    fprintf(out, "[%" PRIu32, row->line);
    put_name(p, out, row->function);
    put_name(p, out, row->object);
    if (row->insn) {
        char address[QN_PROF_INSN_TEXT], text[INSN_TEXT];

        qn_prof_format_address(address, row->insn->address);
        qn_out_disassemble(text, sizeof text, row->insn);
        fprintf(out, ",\"%s\",", address);
        qn_page_put_text(out, text);
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

static size_t count_lines(const struct qn_page_profile *p)
{
    size_t count = 0;

    for (size_t i = 0; i < qn_prof_table_rows(p->lines); i++)
        count += !qn_prof_table_at(p->lines, i).insn;
    return count;
}

static size_t put_files(struct qn_page_profile *p, const struct qn_page_request *q, FILE *out)
{
    size_t lines = QN_PAGE_LINES, insns = QN_PAGE_INSNS, bytes = QN_PAGE_SOURCE_BYTES, count = 0;

    fputs("\"files\":[", out);
    for (size_t i = 0; i < p->file_count && lines; i++) {
        separate(out, &count);
        fputs("{\"name\":", out);
        qn_page_put_text(out, p->files[i].name);
        fputs(",\"lines\":[", out);
        lines = put_rows(p, out, &p->files[i], false, lines);
        fputs("],\"insns\":[", out);
        insns = put_rows(p, out, &p->files[i], true, insns);
        putc(']', out);
        bytes = qn_page_put_source(p, q, &p->files[i], out, bytes);
        putc('}', out);
    }
    fputs("],\n", out);
    return count_lines(p) - (QN_PAGE_LINES - lines);
}

/* ---- the profile's header ---- */

static void put_head(const struct qn_page_profile *p, FILE *out)
{
    const struct qn_prof_header *h = qn_prof_reader_header(p->reader);
    char timing[200];

    fputs("\"path\":", out);
    qn_page_put_text(out, p->shown);
    fputs(",\"command\":", out);
    qn_page_put_text(out, h->cmd.text);
    fputs(",\n\"descs\":[", out);
    for (int i = 0; i < h->desc_count; i++) {
        const char *text = h->descs[i].text, *colon = strchr(text, ':');

        fputs(i ? ",[" : "[", out);
        qn_page_put_string(out, text, colon ? (size_t)(colon - text) : 0);
        putc(',', out);
        qn_page_put_text(out, colon ? colon + 1 + strspn(colon + 1, " ") : text);
        putc(']', out);
    }
    fputs("],\n\"events\":[", out);
    for (int i = 0; i < p->events; i++) {
        fputs(i ? "," : "", out);
        qn_page_put_text(out, qn_prof_modern_event(h->events[i]));
    }
    fputs("],\"weights\":[", out);
    for (int i = 0; i < p->events; i++)
        fprintf(out, "%s%.10g", i ? "," : "", p->weights[i]);
    fputs("],\"timing\":", out);
    qn_out_describe_timing(timing, sizeof timing);
    qn_page_put_text(out, timing);
    fputs(",\"totals\":[0", out);
    qn_page_put_counts(out, qn_prof_table_totals(p->lines), p->events);
    fputs("],\n", out);
}

void qn_page_put_profile(struct qn_page_profile *p, const struct qn_page_request *q, const struct qn_text_table *culprits, FILE *out)
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
