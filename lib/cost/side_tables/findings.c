/* lib/cost/side_tables/findings.c - findings of the arena to text.  See findings.h. */
#include "cost/side_tables/findings.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/grow.h"
#include "base/ready.h"
#include "cost/count.h"
#include "cost/fold.h"
#include "cost/side_tables/columns.h"
#include "prof/insn.h"
#include "prof/write.h"
#include "text/csv.h"
#include "text/escape.h"
#include "text/radix.h"

/* ---- findings of lists of frequent values. ----
 *
 * The occurrences of a value before it entered the list (sim/analysis/hotlist.h) are not in its count; the estimate adds 0.418 tau - 1 for
 * them.  A value whose estimate is below tau is in the list by chance.
 * Source: P. B. Gibbons, Y. Matias, New sampling-based summary statistics for improving approximate query answers, SIGMOD 1998 (its hot lists).
 */

/* The largest count first; free entries last. */
static void sort_values(struct qn_value_list *list, size_t entries)
{
    for (size_t i = 1; i < entries; i++)
        for (size_t k = i; k && list->hot[k - 1].count < list->hot[k].count; k--) {
            uint64_t value = list->hot[k].value, count = list->hot[k].count;

            list->hot[k] = list->hot[k - 1];
            list->hot[k - 1].value = value;
            list->hot[k - 1].count = count;
        }
}

/* How often value i of the list occurred; 0: too rare for an estimate. */
static uint64_t estimate(const struct qn_value_list *list, size_t i)
{
    uint64_t tau = list->tau ? list->tau : 1, missing = tau * 418 / 1000, n = list->hot[i].count + (missing > 1 ? missing - 1 : 0);

    if (!list->hot[i].count || n < tau)
        return 0;
    return n < list->total ? n : list->total;
}

size_t qn_cost_estimate_values(struct qn_value_list *list, size_t entries, struct qn_finding rows[QN_VALUE_ENTRIES_MAX])
{
    size_t n = 0;

    sort_values(list, entries);
    for (size_t i = 0; i < entries; i++) {
        uint64_t count = estimate(list, i);

        if (!count && i)
            continue;
        rows[n] = (struct qn_finding){ .pc = list->pc, .map = (uint32_t)list->map, .value = count ? list->hot[i].value : 0, .count = count, .of = list->total };
        memcpy(rows[n++].what, list->what, sizeof list->what);
    }
    return n;
}

void qn_cost_add_values(const struct qn_cost_store *store, struct qn_finding **rows, uint64_t *count)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);
    struct qn_value_list *copy = QN_NEEDED(malloc(e.value_list_bytes)); /* the engine may still write */
    size_t room = *count, entries = (e.value_list_bytes - sizeof *copy) / sizeof copy->hot[0];

    for (uint64_t i = 0; i < e.value_lists; i++) {
        while (room < *count + QN_VALUE_ENTRIES_MAX)
            QN_MORE(*rows, room, room, 1024);
        memcpy(copy, store->base + QN_ARENA_VALUES_OFF + i * e.value_list_bytes, e.value_list_bytes);
        *count += qn_cost_estimate_values(copy, entries, *rows + *count);
    }
    free(copy);
}

/* ---- findings of loads by level ---- */

enum { D, L, M, CYCLES, ROWS }; /* of an instruction */

struct load {
    uint64_t pc;
    uint32_t map, pad;
    int64_t loads, L1_misses, LL_misses;
};

struct loads {
    const struct qn_cost_store *store;
    struct qn_cost_extent extent;
    struct qn_cost_side_exits side_exits;
    struct load *list;
    size_t count, room;
};

static void add_load(struct loads *l, uint32_t map, uint64_t pc, const int64_t sum[QN_COST_EVENTS])
{
    if (!sum[QN_COST_DR] && !sum[QN_COST_D1MR])
        return;
    QN_MORE(l->list, l->count, l->room, 1024);
    l->list[l->count++] = (struct load){ pc, map, 0, sum[QN_COST_DR], sum[QN_COST_D1MR], sum[QN_COST_DLMR] };
}

static void add_insns(struct loads *l, const struct qn_block_rec *b, uint64_t x)
{
    const volatile qn_insn_desc *insns = (const volatile qn_insn_desc *)(l->store->base + QN_ARENA_INSNS_OFF) + b->first_insn;
    const uint64_t *counters = (const uint64_t *)(const void *)(l->store->base + QN_ARENA_COUNTERS_OFF);
    uint64_t next = b->misses ? b->misses : (uint64_t)b->counter + 1, pc = b->pc;

    for (uint32_t i = 0; i < b->ninsns; i++) {
        int64_t sum[QN_COST_EVENTS] = { 0 };
        uint32_t d = insns[i];

        if (next + qn_insn_counters(d) > l->extent.counters)
            return;
        x = qn_cost_count_executions(&l->side_exits, i, x);
        qn_cost_count(d, x, counters + next, sum);
        add_load(l, b->map, pc, sum);
        next += qn_insn_counters(d);
        pc += QN_INSN_LEN(d);
    }
}

/* A block that does not lie in the arena is left out, as in fold.c, which reports it. */
static void add_block(struct loads *l, uint64_t at)
{
    struct qn_block_rec b;
    uint64_t x;

    memcpy(&b, l->store->base + QN_ARENA_BLOCKS_OFF + at * sizeof b, sizeof b);
    if (b.counter >= l->extent.counters || b.first_insn > l->extent.insns || b.ninsns > l->extent.insns - b.first_insn)
        return;
    x = ((const volatile uint64_t *)(const void *)(l->store->base + QN_ARENA_COUNTERS_OFF))[b.counter];
    if (!x || x > QN_COST_COUNTER_MAX)
        return;
    qn_cost_seek_side_exits(&l->side_exits, (uint32_t)at);
    add_insns(l, &b, x);
}

void qn_cost_sort_insns(struct qn_text_key *keys, const uint32_t *maps, size_t n)
{
    qn_text_sort_keys(keys, n);
    for (size_t i = 0; i < n; i++)
        keys[i].key = maps[keys[i].id];
    qn_text_sort_keys(keys, n);
}

static void sort_loads(struct loads *l)
{
    struct qn_text_key *keys = QN_NEEDED(malloc((l->count + 1) * sizeof *keys));
    uint32_t *maps = QN_NEEDED(malloc((l->count + 1) * sizeof *maps));
    struct load *sorted = QN_NEEDED(malloc((l->count + 1) * sizeof *sorted));

    for (size_t i = 0; i < l->count; i++) {
        keys[i] = (struct qn_text_key){ l->list[i].pc, i };
        maps[i] = l->list[i].map;
    }
    qn_cost_sort_insns(keys, maps, l->count);
    for (size_t i = 0; i < l->count; i++)
        sorted[i] = l->list[keys[i].id];
    free(keys);
    free(maps);
    free(l->list);
    l->list = sorted;
}

/* Rows of the same instruction, from several blocks, become one.  They are sorted. */
static void add_up_loads(struct loads *l)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->count; i++) {
        struct load *to = l->list + kept - 1, *from = l->list + i;

        if (!kept || to->pc != from->pc || to->map != from->map) {
            l->list[kept++] = *from;
            continue;
        }
        to->loads += from->loads;
        to->L1_misses += from->L1_misses;
        to->LL_misses += from->LL_misses;
    }
    l->count = kept;
}

static void put_levels(struct qn_finding row[ROWS], const struct load *l, const uint64_t cycles[M + 1])
{
    static const char names[ROWS][QN_FINDING_NAME] = { "D", "L", "M", "cycles" };
    uint64_t served[] = { (uint64_t)(l->loads - l->L1_misses), (uint64_t)(l->L1_misses - l->LL_misses), (uint64_t)l->LL_misses };

    for (unsigned i = 0; i < ROWS; i++) {
        row[i] = (struct qn_finding){ .pc = l->pc, .map = l->map, .of = (uint64_t)l->loads, .kept = QN_COST_OF_COUNTERS };
        memcpy(row[i].what, names[i], sizeof row[i].what);
        row[i].count = i <= M ? served[i] : served[D] * cycles[D] + served[L] * cycles[L] + served[M] * cycles[M];
    }
}

struct qn_finding *qn_cost_find_loads(const struct qn_cost_store *store, size_t *count)
{
    struct loads l = { .store = store };
    uint64_t cycles[M + 1];
    struct qn_finding *rows;

    *count = 0;
    memcpy(cycles, qn_cost_header(store)->sim_output.load_cycles, sizeof cycles);
    l.extent = qn_cost_get_extent(store);
    qn_cost_sort_side_exits(&l.side_exits, store);
    for (uint64_t i = 0; i < l.extent.blocks; i++)
        add_block(&l, i);
    sort_loads(&l);
    add_up_loads(&l);
    rows = QN_NEEDED(malloc((ROWS * l.count + 1) * sizeof *rows));
    for (size_t i = 0; i < l.count; i++)
        if (l.list[i].loads)
            put_levels(rows + ROWS * (*count)++, &l.list[i], cycles);
    *count *= ROWS;
    qn_cost_free_side_exits(&l.side_exits);
    free(l.list);
    return rows;
}

/* A name as it was written last: rows that follow each other mostly have the same ones. */
struct name {
    const char *text;
    size_t plain; /* its length, if it is written as it is; else 0 */
};

struct output {
    struct qn_prof_writer *w;
    struct qn_cost_modules *modules;
    const struct qn_finding *before; /* the row written last */
    struct qn_cost_place place;      /* of its instruction */
    struct name object, file, function;
    struct qn_cost_recent *recent;
    uint64_t rank;
    char end[QN_PROF_NUMBER_MAX + 1]; /* of each row: the number of rows of the file */
    size_t end_length;
};

static void put_name(struct output *o, struct name *last, const char *name)
{
    if (last->text != name || !name) {
        size_t length = name ? strlen(name) : 0;

        *last = (struct name){ name, length && !qn_text_needs_quotes(name) && qn_text_plain_bytes(name) == length ? length : 0 };
    }
    if (last->plain)
        qn_prof_put_bytes(o->w, name, last->plain);
    else
        qn_cost_put_csv_name(o->w, name);
}

/* Bytes that cannot occur in a name are replaced: the arena is not trusted. */
static char *what_to(char *to, const char *what)
{
    for (size_t i = 0; i < QN_FINDING_NAME - 1 && what[i]; i++)
        *to++ = what[i] > ' ' && what[i] <= '~' && what[i] != ',' && what[i] != '"' ? what[i] : '?';
    *to++ = ',';
    return to;
}

static char *number_to(char *to, uint64_t number, char after)
{
    if (number < 10)
        *to++ = (char)('0' + number);
    else
        to = qn_prof_format_number(to, (int64_t)number);
    *to++ = after;
    return to;
}

static char *address_to(char *to, uint64_t address)
{
    to = qn_prof_format_address(to, address);
    *to++ = ',';
    return to;
}

static char *other_to(char *to, struct output *o, const struct qn_finding *f)
{
    if (f->other)
        return address_to(to, f->other + qn_cost_recent_place(o->recent, o->modules, f->other_map, f->other).bias);
    *to++ = ',';
    return to;
}

static bool same_insn(const struct qn_finding *a, const struct qn_finding *b)
{
    return a && a->pc == b->pc && a->map == b->map;
}

static bool continues(const struct output *o, const struct qn_finding *f)
{
    return same_insn(o->before, f) && !memcmp(o->before->what, f->what, sizeof f->what);
}

#define ROW_MAX 256 /* the bytes of a row without its names: nine numbers of 20 digits at most, a name of 8 */

/* Object, address, file, function. */
static void put_place(struct output *o, const struct qn_finding *f)
{
    char text[ROW_MAX], *to = text;

    if (!o->before || o->before->map != f->map || f->pc - o->place.start >= o->place.end - o->place.start) {
        o->place = (struct qn_cost_place){ 0 };
        qn_cost_find_place(o->modules, f->map, f->pc, &o->place);
    }
    put_name(o, &o->object, o->place.object);
    *to++ = ',';
    to = address_to(to, f->pc + o->place.bias);
    qn_prof_put_bytes(o->w, text, (size_t)(to - text));
    put_name(o, &o->file, o->place.file);
    qn_prof_put_bytes(o->w, ",", 1);
    put_name(o, &o->function, o->place.function);
}

/* Percent, with two decimals, and without the decimal point of a locale. */
static char *share_to(char *to, const struct qn_finding *f)
{
    double share = f->of ? 100 * (double)f->count / (double)f->of : 0;
    uint64_t hundredths = share < 1e9 ? (uint64_t)(share * 100 + 0.5) : 0;

    to = number_to(to, hundredths / 100, '.');
    if (hundredths % 100 < 10)
        *to++ = '0';
    return number_to(to, hundredths % 100, ',');
}

static void put_row(struct output *o, const struct qn_finding *f)
{
    char text[ROW_MAX], *to = text;

    put_place(o, f);
    *to++ = ',';
    to = number_to(to, o->place.line, ',');
    to = what_to(to, f->what);
    o->rank = continues(o, f) ? o->rank + 1 : 1;
    to = number_to(to, o->rank, ',');
    to = address_to(to, f->value);
    to = other_to(to, o, f);
    to = number_to(to, f->count, ',');
    to = number_to(to, f->of, ',');
    to = share_to(to, f);
    memcpy(to, o->end, sizeof o->end);
    to += o->end_length;
    qn_prof_put_bytes(o->w, text, (size_t)(to - text));
    o->before = f;
}

#define LOAD "load" /* what an analysis of loads has kept: where each missed last */

static int by_insn(const struct qn_finding *a, const struct qn_finding *b)
{
    if (a->map != b->map)
        return a->map < b->map ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static bool is_kept(const struct qn_finding *f) { return f->kept == 1; }

/* Those that were kept come first, by name and count; the others as they came. */
static int compare(const void *left, const void *right)
{
    const struct qn_finding *a = *(const struct qn_finding *const *)left, *b = *(const struct qn_finding *const *)right;
    int d = by_insn(a, b);

    d = d ? d : is_kept(b) - is_kept(a);
    d = d || !is_kept(a) ? d : memcmp(a->what, b->what, sizeof a->what);
    d = d || !is_kept(a) ? d : a->count != b->count ? a->count < b->count ? 1 : -1 : a->other < b->other ? -1 : a->other > b->other;
    return d ? d : a < b ? -1 : a > b;
}

struct findings {
    struct qn_finding *copy, *loads; /* copy: the engine may still write; loads: made from counters, sorted */
    struct qn_finding **rows; /* sorted */
    uint64_t count;
};

#define AHEAD 8 /* rows: the next one is anywhere in memory */

/* The n findings by instruction; those of one keep their order.  Frees `f`. */
static struct qn_finding *sort_by_insn(struct qn_finding *f, uint64_t n)
{
    struct qn_text_key *keys = QN_NEEDED(malloc((n + 1) * sizeof *keys));
    struct qn_finding *sorted = QN_NEEDED(malloc((n + 1) * sizeof *sorted));
    uint32_t *maps = QN_NEEDED(malloc((n + 1) * sizeof *maps));

    for (uint64_t i = 0; i < n; i++) {
        keys[i] = (struct qn_text_key){ f[i].pc, i };
        maps[i] = f[i].map;
    }
    qn_cost_sort_insns(keys, maps, n);
    qn_ready(sorted, (n + 1) * sizeof *sorted);
    for (uint64_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            __builtin_prefetch(f + keys[i + AHEAD].id);
        sorted[i] = f[keys[i].id];
    }
    free(maps);
    free(keys);
    free(f);
    return sorted;
}

static void sort_each_insn(struct qn_finding **rows, uint64_t n)
{
    for (uint64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && same_insn(rows[i], rows[end]); end++)
            continue;
        if (end > i + 1)
            qsort(rows + i, end - i, sizeof *rows, compare);
    }
}

/* rows: of the n findings of the arena; in front of them, there is room for `more` of loads.  The latter are sorted, and come between them. */
static void merge(struct findings *f, uint64_t n, uint64_t more)
{
    struct qn_finding **from = f->rows + more, **end = from + n, **to = f->rows;

    for (uint64_t i = 0; i < more; i++) {
        while (from < end && by_insn(*from, f->loads + i) <= 0)
            *to++ = *from++;
        *to++ = f->loads + i;
    }
}

/* The findings of the arena, and those of its lists of values. */
static struct qn_finding *copy(const struct qn_cost_store *store, uint64_t *n)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);
    struct qn_finding *rows = QN_NEEDED(malloc((e.findings + 1) * sizeof *rows));

    *n = e.findings;
    qn_ready(rows, (*n + 1) * sizeof *rows);
    memcpy(rows, store->base + QN_ARENA_FINDINGS_OFF, *n * sizeof *rows);
    qn_cost_add_values(store, &rows, n);
    return rows;
}

static void take(struct findings *f, const struct qn_cost_store *store)
{
    bool loads = qn_cost_header(store)->sim_output.loads == 1;
    uint64_t kept;
    size_t n = 0;

    if (loads)
        f->loads = qn_cost_find_loads(store, &n);
    f->copy = copy(store, &kept);
    f->count = kept + n;
    f->rows = QN_NEEDED(malloc((f->count + 1) * sizeof *f->rows));
    qn_ready(f->rows, (f->count + 1) * sizeof *f->rows);
    f->copy = sort_by_insn(f->copy, kept);
    for (uint64_t i = 0; i < kept; i++)
        f->rows[n + i] = f->copy + i;
    sort_each_insn(f->rows + n, kept);
    merge(f, kept, n);
}

static uint64_t cell(const struct qn_cost_store *store, uint32_t at)
{
    return at < QN_TABLE_CELLS_SIZE / sizeof(uint64_t) ? ((const volatile uint64_t *)(const void *)(store->base + QN_ARENA_TABLES_OFF + QN_TABLE_CELLS_OFF))[at] : 0;
}

/* `of` of a row that was kept: the cell that it names, or the sum of the counts of all rows of this name. */
static void add_up(struct findings *f, const struct qn_cost_store *store)
{
    for (uint64_t i = 0, end; i < f->count; i = end) {
        uint64_t sum = 0;

        for (end = i; end < f->count && same_insn(f->rows[i], f->rows[end]) && !memcmp(f->rows[i]->what, f->rows[end]->what, sizeof f->rows[i]->what);
             end++)
            sum += f->rows[end]->count;
        for (; i < end; i++) {
            struct qn_finding *row = f->rows[i];

            row->of = row->of_cell ? cell(store, row->of_cell - 1) : is_kept(row) ? sum : row->of;
        }
    }
}

/* The row that an analysis kept of a load passes its value to the rows that follow, made from counters, and is removed. */
static void give_values(struct findings *f)
{
    const struct qn_finding *load = NULL;
    uint64_t n = 0;

    for (uint64_t i = 0; i < f->count; i++) {
        struct qn_finding *row = f->rows[i];

        if (is_kept(row) && !strncmp(row->what, LOAD, sizeof row->what)) {
            load = row;
            continue;
        }
        if (same_insn(load, row) && row->kept == QN_COST_OF_COUNTERS)
            row->value = load->value;
        f->rows[n++] = row;
    }
    f->count = n;
}

enum qn_text_status qn_cost_write_findings(const char *path, const struct qn_cost_store *store, struct qn_cost_modules *modules,
                                           struct qn_text_error *err)
{
    struct output o = { .w = qn_prof_open_writer(path, err), .modules = modules };
    struct findings f = { 0 };

    if (!o.w)
        return err->status;
    take(&f, store);
    o.recent = calloc(1, sizeof *o.recent);
    add_up(&f, store);
    give_values(&f);
    qn_prof_put_text(o.w, "object,address,file,function,line,what,rank,value,other,count,of,share," QN_TEXT_ROWS_COLUMN "\n");
    o.end_length = (size_t)(number_to(o.end, f.count, '\n') - o.end);
    for (uint64_t i = 0; i < f.count; i++)
        put_row(&o, f.rows[i]);
    free(o.recent);
    free(f.rows);
    free(f.copy);
    free(f.loads);
    return qn_prof_close_writer(o.w, err);
}

bool qn_cost_has_findings(const struct qn_cost_store *store)
{
    const struct qn_arena_header *h = qn_cost_header(store);

    return h->n_findings || h->n_value_lists || h->sim_output.loads;
}

bool qn_cost_findings_full(const struct qn_cost_store *store)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);

    return (e.findings + 1) * sizeof(struct qn_finding) > QN_ARENA_FINDINGS_SIZE;
}
