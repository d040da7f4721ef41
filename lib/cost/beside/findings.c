/* lib/cost/beside/findings.c - findings of the arena to text.  See findings.h. */
#include "cost/beside/findings.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <csv.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/ready.h"
#include "cost/beside/loads.h"
#include "cost/beside/recent.h"
#include "cost/beside/values.h"
#include "prof/insn.h"
#include "prof/write.h"
#include "text/csv.h"
#include "text/escape.h"
#include "text/radix.h"

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

static void put_quoted(struct qn_prof_writer *w, const char *name)
{
    size_t n = strlen(name), room = 2 * n + 2; /* every byte a quote, and two around */
    char *quoted = QN_NEEDED(calloc(room + 1, 1));

    csv_write2(quoted, room, name, n, CSV_QUOTE);
    qn_prof_put_escaped(w, quoted);
    free(quoted);
}

#define QUOTED ",\"\r\n"

void qn_cost_put_csv_name(struct qn_prof_writer *w, const char *name)
{
    if (!name)
        name = "???";
    if (strpbrk(name, QUOTED))
        put_quoted(w, name);
    else
        qn_prof_put_escaped(w, name);
}

static void put_name(struct output *o, struct name *last, const char *name)
{
    if (last->text != name || !name) {
        size_t length = name ? strlen(name) : 0;

        *last = (struct name){ name, length && !strpbrk(name, QUOTED) && qn_text_plain_bytes(name) == length ? length : 0 };
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
