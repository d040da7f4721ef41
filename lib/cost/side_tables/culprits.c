/* lib/cost/side_tables/culprits.c - findings of instructions to pairs of lines of source.  See culprits.h. */
#include "cost/side_tables/culprits.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/side_tables/columns.h"
#include "text/names.h"
#include "text/radix.h"

static int compare_text(const char *a, const char *b) { return a == b ? 0 : strcmp(a ? a : "", b ? b : ""); }

static int compare_places(const struct qn_culprit_line *a, const struct qn_culprit_line *b)
{
    int d = compare_text(a->file, b->file);

    d = d ? d : a->line < b->line ? -1 : a->line > b->line;
    return d ? d : compare_text(a->function, b->function);
}

/* The lines of source of all findings, numbered as they come. */
#define MEMO 4096u
struct lines {
    struct qn_cost_modules *modules;
    struct qn_text_hash index;
    struct qn_culprit_line *at;
    uint32_t room, *rank;             /* rank: by place; the same for two that are spelled alike */
    struct memo {
        uint64_t pc;
        uint32_t map, number;         /* number: + 1; 0: nothing */
    } memo[MEMO];                     /* the instructions that were asked for last */
};

static uint32_t hash_of(const struct qn_culprit_line *l)
{
    return qn_text_hash_pair((uint32_t)((uintptr_t)l->file >> 3) * 31 + l->line, (uint32_t)((uintptr_t)l->function >> 3));
}

static uint32_t enter(struct lines *l, const struct qn_culprit_line *line)
{
    uint32_t hash = hash_of(line), at, id = qn_text_hash_first(&l->index, hash, &at);

    while (id != QN_TEXT_NO_ID && (l->at[id].file != line->file || l->at[id].function != line->function || l->at[id].line != line->line))
        id = qn_text_hash_next(&l->index, hash, &at);
    if (id != QN_TEXT_NO_ID)
        return id;
    QN_MORE(l->at, l->index.count, l->room, MEMO);
    id = qn_text_hash_insert(&l->index, hash);
    l->at[id] = *line;
    return id;
}

static uint32_t line_of(struct lines *l, uint32_t map, uint64_t pc)
{
    struct memo *m = &l->memo[pc * 0x9e3779b97f4a7c15ull >> 52];
    struct qn_cost_place place;
    uint32_t number;

    if (!m->number || m->pc != pc || m->map != map) {
        qn_cost_find_place(l->modules, map, pc, &place);
        number = enter(l, &(struct qn_culprit_line){ place.file, place.function, place.line });
        *m = (struct memo){ pc, map, number + 1 };
    }
    return m->number - 1;
}

struct ranked {
    const struct qn_culprit_line *line;
    uint32_t number;
};

static int by_place(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    return compare_places(a->line, b->line);
}

/* The lines by rank, one of those that are spelled alike. */
static const struct qn_culprit_line **rank(struct lines *l)
{
    const struct qn_culprit_line **by_rank = QN_NEEDED(malloc((l->index.count + 1) * sizeof *by_rank));
    struct ranked *r = QN_NEEDED(malloc((l->index.count + 1) * sizeof *r));
    uint32_t n = 0;

    l->rank = QN_NEEDED(malloc((l->index.count + 1) * sizeof *l->rank));
    for (uint32_t i = 0; i < l->index.count; i++)
        r[i] = (struct ranked){ l->at + i, i };
    qsort(r, l->index.count, sizeof *r, by_place);
    for (uint32_t i = 0; i < l->index.count; i++) {
        if (!n || compare_places(by_rank[n - 1], r[i].line))
            by_rank[n++] = r[i].line;
        l->rank[r[i].number] = n - 1;
    }
    free(r);
    return by_rank;
}

/* Victim and evictor, and how often: of each finding of this kind. */
static size_t take(const struct qn_finding *f, size_t n, const char *what, struct lines *l, struct qn_text_key *to)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (!strncmp(f[i].what, what, sizeof f[i].what))
            to[count++] = (struct qn_text_key){ (uint64_t)line_of(l, f[i].map, f[i].pc) << 32 | line_of(l, f[i].other_map, f[i].other), f[i].count };
    return count;
}

/* Pairs of the same two lines become one.  They are sorted. */
static size_t add_up(struct qn_text_key *k, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (kept && k[kept - 1].key == k[i].key)
            k[kept - 1].id += k[i].id;
        else
            k[kept++] = k[i];
    return kept;
}

/* `of` of each pair: the misses of its victim over all evictors. */
static void sum_victims(struct qn_culprit_pair *p, const struct qn_text_key *k, size_t n)
{
    for (size_t first = 0, end; first < n; first = end) {
        uint64_t sum = 0;

        for (end = first; end < n && k[first].key >> 32 == k[end].key >> 32; end++)
            sum += k[end].id;
        for (size_t i = first; i < end; i++)
            p[i].of = sum;
    }
}

/* Appends the pairs of this kind, by place. */
static void append(const struct lines *l, const struct qn_culprit_line *const *by_rank, const char *what, struct qn_text_key *k, size_t n, struct qn_culprits *culprits)
{
    struct qn_culprit_pair *p;

    for (size_t i = 0; i < n; i++)
        k[i].key = (uint64_t)l->rank[k[i].key >> 32] << 32 | l->rank[(uint32_t)k[i].key];
    qn_text_sort_keys(k, n);
    n = add_up(k, n);
    culprits->pairs = QN_NEEDED(realloc(culprits->pairs, (culprits->count + n + 1) * sizeof *p));
    p = culprits->pairs + culprits->count;
    for (size_t i = 0; i < n; i++)
        p[i] = (struct qn_culprit_pair){ *by_rank[k[i].key >> 32], *by_rank[(uint32_t)k[i].key], what, k[i].id, 0 };
    sum_victims(p, k, n);
    culprits->count += n;
}

static void sort_by_count(struct qn_culprits *culprits)
{
    struct qn_culprit_pair *sorted = QN_NEEDED(malloc((culprits->count + 1) * sizeof *sorted));
    struct qn_text_key *k = QN_NEEDED(malloc((culprits->count + 1) * sizeof *k));

    for (size_t i = 0; i < culprits->count; i++)
        k[i] = (struct qn_text_key){ ~culprits->pairs[i].count, i };
    qn_text_sort_keys(k, culprits->count);
    for (size_t i = 0; i < culprits->count; i++)
        sorted[i] = culprits->pairs[k[i].id];
    free(k);
    free(culprits->pairs);
    culprits->pairs = sorted;
}

void qn_cost_find_culprits(const struct qn_cost_store *store, struct qn_cost_modules *modules, const char *const *kinds, struct qn_culprits *culprits)
{
    const struct qn_finding *f = (const struct qn_finding *)(const void *)(store->base + QN_ARENA_FINDINGS_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(store);
    struct qn_text_key *k = QN_NEEDED(malloc((e.findings + 1) * sizeof *k));
    struct lines *l = QN_NEEDED(calloc(1, sizeof *l));

    l->modules = modules;
    for (; *kinds; kinds++) {
        size_t n = take(f, e.findings, *kinds, l, k);
        const struct qn_culprit_line **by_rank = rank(l);

        append(l, by_rank, *kinds, k, n, culprits);
        free(by_rank);
        free(l->rank);
    }
    sort_by_count(culprits);
    free(k);
    qn_text_hash_free(&l->index);
    free(l->at);
    free(l);
}

void qn_cost_free_culprits(struct qn_culprits *culprits) { free(culprits->pairs); }

static const struct qn_cost_column evicted[] = {
    QN_COST_COLUMN("count", NUMBER, struct qn_culprit_pair, count), QN_COST_COLUMN("of", NUMBER, struct qn_culprit_pair, of),
    QN_COST_COLUMN("file", NAME, struct qn_culprit_pair, victim.file), QN_COST_COLUMN("function", NAME, struct qn_culprit_pair, victim.function),
    QN_COST_COLUMN("line", SMALL, struct qn_culprit_pair, victim.line), QN_COST_COLUMN("evictor_file", NAME, struct qn_culprit_pair, evictor.file),
    QN_COST_COLUMN("evictor_function", NAME, struct qn_culprit_pair, evictor.function),
    QN_COST_COLUMN("evictor_line", SMALL, struct qn_culprit_pair, evictor.line), QN_COST_COLUMNS_END };

static const struct qn_cost_column taken[] = {
    QN_COST_COLUMN("count", NUMBER, struct qn_culprit_pair, count), QN_COST_COLUMN("of", NUMBER, struct qn_culprit_pair, of),
    QN_COST_COLUMN("shared", NAME, struct qn_culprit_pair, what), QN_COST_COLUMN("file", NAME, struct qn_culprit_pair, victim.file),
    QN_COST_COLUMN("function", NAME, struct qn_culprit_pair, victim.function), QN_COST_COLUMN("line", SMALL, struct qn_culprit_pair, victim.line),
    QN_COST_COLUMN("taker_file", NAME, struct qn_culprit_pair, evictor.file),
    QN_COST_COLUMN("taker_function", NAME, struct qn_culprit_pair, evictor.function),
    QN_COST_COLUMN("taker_line", SMALL, struct qn_culprit_pair, evictor.line), QN_COST_COLUMNS_END };

enum qn_text_status qn_cost_write_culprits(const char *path, const struct qn_culprits *culprits, bool takers, struct qn_text_error *err)
{
    return qn_cost_write_rows(path, takers ? taken : evicted, culprits->pairs, sizeof *culprits->pairs, culprits->count, err);
}
