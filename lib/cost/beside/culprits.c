/* lib/cost/beside/culprits.c - findings of instructions to pairs of lines of source.  See culprits.h. */
#include "cost/beside/culprits.h"

#include <stdlib.h>
#include <string.h>

#include "cost/beside/findings.h"
#include "cost/beside/recent.h"
#include "prof/write.h"

#define WHAT "evictor" /* sim/analysis/culprits.c */

static int compare_text(const char *a, const char *b) { return a == b ? 0 : strcmp(a ? a : "", b ? b : ""); }

static int compare_places(const struct qn_culprit_line *a, const struct qn_culprit_line *b)
{
    int d = compare_text(a->file, b->file);

    d = d ? d : a->line < b->line ? -1 : a->line > b->line;
    return d ? d : compare_text(a->function, b->function);
}

static int by_place(const void *left, const void *right)
{
    const struct qn_culprit_pair *a = left, *b = right;
    int d = compare_places(&a->victim, &b->victim);

    return d ? d : compare_places(&a->evictor, &b->evictor);
}

static int by_count(const void *left, const void *right)
{
    const struct qn_culprit_pair *a = left, *b = right;

    return a->count != b->count ? a->count < b->count ? 1 : -1 : by_place(left, right);
}

static struct qn_culprit_line line_of(struct qn_cost_recent *recent, struct qn_cost_modules *modules, uint32_t map, uint64_t pc)
{
    struct qn_cost_place place = qn_cost_recent_place(recent, modules, map, pc);

    return (struct qn_culprit_line){ place.file, place.function, place.line };
}

/* The findings that name an evictor, each with the source lines of both instructions. */
static size_t take(const struct qn_finding *f, size_t n, struct qn_cost_modules *modules, struct qn_culprit_pair *to)
{
    struct qn_cost_recent *r = calloc(1, sizeof *r);
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (!strncmp(f[i].what, WHAT, sizeof f[i].what))
            to[count++] = (struct qn_culprit_pair){ line_of(r, modules, f[i].map, f[i].pc), line_of(r, modules, f[i].other_map, f[i].other),
                                                    f[i].count, 0 };
    free(r);
    return count;
}

/* Pairs of the same two lines become one.  They are sorted by place. */
static size_t add_up(struct qn_culprit_pair *p, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (kept && !by_place(&p[kept - 1], &p[i]))
            p[kept - 1].count += p[i].count;
        else
            p[kept++] = p[i];
    return kept;
}

/* `of` of each pair: the misses of its victim over all evictors. */
static void sum_victims(struct qn_culprit_pair *p, size_t n)
{
    for (size_t first = 0, end; first < n; first = end) {
        uint64_t sum = 0;

        for (end = first; end < n && !compare_places(&p[first].victim, &p[end].victim); end++)
            sum += p[end].count;
        for (size_t i = first; i < end; i++)
            p[i].of = sum;
    }
}

enum qn_text_status qn_cost_find_culprits(const struct qn_cost_store *store, struct qn_cost_modules *modules, struct qn_culprits *culprits,
                                          struct qn_text_error *err)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);

    *culprits = (struct qn_culprits){ .pairs = malloc((e.findings + 1) * sizeof *culprits->pairs) };
    if (!culprits->pairs)
        return qn_text_fail_memory(err);
    culprits->count = take((const struct qn_finding *)(const void *)(store->base + QN_ARENA_FINDINGS_OFF), e.findings, modules, culprits->pairs);
    qsort(culprits->pairs, culprits->count, sizeof *culprits->pairs, by_place);
    culprits->count = add_up(culprits->pairs, culprits->count);
    sum_victims(culprits->pairs, culprits->count);
    qsort(culprits->pairs, culprits->count, sizeof *culprits->pairs, by_count);
    return QN_TEXT_OK;
}

void qn_cost_free_culprits(struct qn_culprits *culprits) { free(culprits->pairs); }

static bool put_line(struct qn_prof_writer *w, const struct qn_culprit_line *l)
{
    bool put;

    qn_prof_put_text(w, ",");
    put = qn_cost_put_csv_name(w, l->file);
    qn_prof_put_text(w, ",");
    put = qn_cost_put_csv_name(w, l->function) && put;
    qn_prof_put_text(w, ",");
    qn_prof_put_number(w, l->line);
    return put;
}

enum qn_text_status qn_cost_write_culprits(const char *path, const struct qn_culprits *culprits, struct qn_text_error *err)
{
    struct qn_prof_writer *w = qn_prof_open_writer(path, err);
    bool put = true;

    if (!w)
        return err->status;
    qn_prof_put_text(w, "count,of,file,function,line,evictor_file,evictor_function,evictor_line," QN_PROF_ROWS_COLUMN "\n");
    for (size_t i = 0; i < culprits->count; i++) {
        const struct qn_culprit_pair *p = &culprits->pairs[i];

        qn_prof_put_number(w, (int64_t)p->count);
        qn_prof_put_text(w, ",");
        qn_prof_put_number(w, (int64_t)p->of);
        put = put_line(w, &p->victim) && put_line(w, &p->evictor) && put;
        qn_prof_put_text(w, ",");
        qn_prof_put_number(w, (int64_t)culprits->count);
        qn_prof_put_text(w, "\n");
    }
    if (put)
        return qn_prof_close_writer(w, err);
    qn_prof_abandon_writer(w);
    return qn_text_fail_memory(err);
}
