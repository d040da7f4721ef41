/*
 * The two function sections of the modern style: by file, then function; by function, then file.
 *
 * In:  totals of all (file, function) pairs
 * Out: an entry for each file (or function) that has a pair above the threshold, with those pairs
 *
 * Rules: a pair is kept where |primary sort event| >= threshold% of |summary|. An entry's counts are
 * the sum of all its pairs, kept or not. Entries, and the pairs of an entry, are sorted by the
 * absolute counts of the sort events, then by name, all descending. An entry whose only kept pair
 * has all its counts is printed on one line.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/modern/modern.h"
#include "prof/counts.h"

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
    const struct qn_prof_fn *f = &x->m->ledger.fns.fn[fn];
    return x->by_function ? f->name : f->file;
}

static const char *outer_name(const struct section *x, uint32_t id)
{
    const struct qn_prof_fns *fns = &x->m->ledger.fns;
    return qn_text_name(x->by_function ? &fns->names : &fns->files, id);
}

static const char *inner_name(const struct section *x, uint32_t fn)
{
    const struct qn_prof_fns *fns = &x->m->ledger.fns;
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
    const struct qn_out_key *primary = &m->columns.sort[0];
    double least = m->request->threshold * qn_out_key_weight(primary, m->total) / 100;
    for (uint32_t fn = 0; fn < qn_prof_fn_count(&m->ledger.fns); fn++) {
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
    for (uint32_t fn = 0; fn < qn_prof_fn_count(&x->m->ledger.fns); fn++) {
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
    qn_out_name(s, outer_name(x, o->id));
    qn_out_putc(s, ':');
    if (one_line)
        qn_out_name(s, inner_name(x, inner[0]));
    qn_out_putc(s, '\n');
    for (uint32_t k = 0; k < n && !one_line; k++) {
        qn_out_puts(s, "  ");
        qn_out_put_row(s, t, QN_OUT_INNER, fn_counts(x, inner[k]), NULL);
        qn_out_puts(s, "   ");
        qn_out_name(s, inner_name(x, inner[k]));
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
    const struct qn_prof_fns *fns = &x->m->ledger.fns;
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
    if (!m->request->by_cost)
        qsort_r(m->annotated, m->annotated_count, sizeof *m->annotated, compare_names, &m->ledger.fns);
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
