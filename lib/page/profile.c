/* lib/page/profile.c - reads a profile and chooses the rows for the page.  See profile.h. */
#include "page/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "page/json.h"
#include "prof/counts.h"
#include "prof/table/functions.h"
#include "prof/tables/tables.h"
#include "report/facts.h"

double qn_page_cost(const struct qn_page_profile *p, const int64_t *counts)
{
    double sum = 0;

    for (int i = 0; i < p->events; i++)
        sum += p->weights[i] * (double)qn_prof_count(counts[i]);
    return sum < 0 ? -sum : sum;
}

uint32_t qn_page_name(struct qn_page_profile *p, const char *name) { return qn_text_intern(&p->names, name ? name : "", name ? strlen(name) : 0); }

/* ---- what is left out ---- */

/* The `most`-th largest cost of a row (of an instruction, or of a line). */
static double find_least(struct qn_page_profile *p, const struct qn_prof_table *t, bool insns, size_t most)
{
    size_t rows = qn_prof_table_rows(t), count = 0;
    double *costs = qn_text_alloc(&p->memory, (rows + 1) * sizeof *costs);

    for (size_t i = 0; i < rows; i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);

        if (!row.insn == !insns)
            costs[count++] = qn_page_cost(p, row.counts);
    }
    return qn_page_find_least(costs, count, most);
}

/* ---- files ---- */

static int compare_files(const void *a, const void *b)
{
    const struct qn_page_file *x = a, *y = b;

    return x->cost != y->cost ? (x->cost > y->cost ? -1 : 1) : strcmp(x->name, y->name);
}

/* Rows are sorted by file. */
static void list_files(struct qn_page_profile *p)
{
    struct qn_page_file *file = NULL;

    for (size_t i = 0; i < qn_prof_table_rows(p->lines); i++) {
        struct qn_prof_row row = qn_prof_table_at(p->lines, i);

        if (!file || strcmp(file->name, row.file)) {
            p->files = qn_text_grow(&p->memory, p->files, p->file_count, sizeof *p->files);
            file = &p->files[p->file_count++];
            *file = (struct qn_page_file){ .name = row.file, .first = i };
        }
        file->end = i + 1;
        if (!row.insn)
            file->cost += qn_page_cost(p, row.counts);
    }
    if (p->file_count)
        qsort(p->files, p->file_count, sizeof *p->files, compare_files);
}

/* ---- all ---- */

static enum qn_text_status read_rows(struct qn_page_profile *p, struct qn_text_error *err)
{
    char warning[QN_TEXT_MAX];

    p->reader = qn_prof_open_reader(p->path, err);
    if (!p->reader)
        return err->status;
    p->merge = qn_prof_new_merge(NULL, NULL);
    if (qn_prof_merge_reader(p->merge, p->reader, p->path, warning, sizeof warning, err) != QN_TEXT_OK)
        return err->status;
    p->lines = qn_prof_merge_table(p->merge);
    qn_prof_table_sort(p->lines);
    p->functions = qn_prof_sum_functions(p->lines, qn_prof_reader_header(p->reader)->event_count, err);
    return err->status;
}

enum qn_text_status qn_page_read_profile(struct qn_page_profile *p, const char *path, const struct qn_plot_profile *read, struct qn_text_error *err)
{
    *p = (struct qn_page_profile){ .path = path, .shown = path, .owns = !read };
    if (read) {
        p->reader = read->reader;
        p->lines = qn_prof_merge_table(read->merge);
        p->functions = read->functions;
    } else if (read_rows(p, err) != QN_TEXT_OK) {
        return err->status;
    }
    p->events = qn_prof_reader_header(p->reader)->event_count;
    p->weights = qn_text_alloc(&p->memory, (size_t)p->events * sizeof *p->weights);
    if (!qn_out_weigh(qn_prof_reader_header(p->reader), p->weights))
        p->weights[0] = 1; /* no event costs: the first one does */
    list_files(p);
    p->least_line = find_least(p, p->lines, false, QN_PAGE_LINES);
    p->least_insn = find_least(p, p->lines, true, QN_PAGE_INSNS);
    p->least_function = find_least(p, p->functions, false, QN_PAGE_FUNCTIONS);
    if (qn_prof_read_data(path, &p->data, err) != QN_TEXT_OK)
        return err->status;
    /* Calls are not counted by region. */
    return qn_prof_chosen_region() ? QN_TEXT_OK : qn_prof_read_calls(path, &p->calls, err);
}

void qn_page_free_profile(struct qn_page_profile *p)
{
    if (p->owns) {
        qn_prof_free_table(p->functions);
        qn_prof_free_merge(p->merge);
        qn_prof_close_reader(p->reader);
    }
    qn_prof_free_data(&p->data);
    qn_prof_free_calls(&p->calls);
    qn_text_free_names(&p->names);
    qn_text_free_memory(&p->memory);
}
