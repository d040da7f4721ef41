/* lib/cost/notes/versus.c - the report of `run --versus`.  See versus.h. */
#define _GNU_SOURCE
#include "cost/notes/versus.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/places/places.h"
#include "prof/counts.h"

#define LINES_SHOWN 20
#define WHERE_MAX 300

enum { I1, D1, LL, BRANCHES, PARTS };

struct printer {
    const struct qn_cost_versus *v;
    struct qn_versus found; /* a copy */
    bool shown[PARTS];
    void (*put)(void *, const char *);
    void *data;
};

static __attribute__((format(printf, 2, 3))) void say(struct printer *p, const char *format, ...)
{
    char line[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    p->put(p->data, line);
}

/* ---- the first difference ---- */

static void describe(const char *file, uint32_t line, const char *function, char text[WHERE_MAX])
{
    int n = file && line ? snprintf(text, WHERE_MAX, "%.150s:%" PRIu32, basename(file), line) : snprintf(text, WHERE_MAX, "???");

    if (function)
        snprintf(text + n, WHERE_MAX - (size_t)n, " (%.120s)", function);
}

static void find_where(struct printer *p, char text[WHERE_MAX], uint64_t *pc)
{
    struct qn_cost_place place = { 0 };
    struct qn_cost_sites sites;
    uint32_t map;

    *pc = 0;
    qn_cost_index_sites(&sites, p->v->store);
    if (qn_cost_find_site(&sites, p->found.site, &map, pc))
        qn_cost_find_place(p->v->modules, map, *pc, &place);
    qn_cost_free_sites(&sites);
    describe(place.file, place.line, place.function, text);
}

static const char *outcome(uint8_t kind, uint8_t bits)
{
    if (kind >= QN_VERSUS_COND)
        return bits & 1 ? "predicts wrong" : "predicts right";
    return !(bits & 1) ? "hits" : bits & 2 ? "misses, the LL misses, too" : "misses, the LL has it";
}

static void print_first(struct printer *p)
{
    static const char *const kinds[QN_VERSUS_KINDS] = { "a fetch", "a read", "a write", "a read and write",
                                                        "a conditional branch", "an indirect branch" };
    const struct qn_versus *f = &p->found;
    char where[WHERE_MAX], bytes[40] = "";
    uint64_t pc;

    if (!f->first) {
        say(p, "No difference in %" PRIu64 " references.", f->references);
        return;
    }
    find_where(p, where, &pc);
    if (f->kind < QN_VERSUS_COND)
        snprintf(bytes, sizeof bytes, " of %" PRIu32 " bytes", f->size);
    say(p, "First difference: reference %" PRIu64 " of the run, %s%s at 0x%" PRIx64 ", by the instruction at 0x%" PRIx64 ",",
        f->first, f->kind < QN_VERSUS_KINDS ? kinds[f->kind] : "?", bytes, f->addr, pc);
    say(p, "    %s: A %s; B %s", where, outcome(f->kind, f->a), outcome(f->kind, f->b));
    say(p, "Different: %" PRIu64 " of %" PRIu64 " references; B missed more in %" PRIu64 ", less in %" PRIu64, f->different,
        f->references, f->worse, f->better);
}

/* ---- by source line ---- */

struct difference {
    int64_t of[PARTS];
    uint64_t size; /* sum of the absolute differences */
    size_t row;
};

/* The part that a column belongs to, PARTS: none.  *sign: 1 for events of B, -1 for those of A. */
static int part_of(const struct printer *p, int column, int *sign)
{
    static const struct {
        int event, part;
        const char *second;
    } all[] = {
        { QN_COST_I1MR, I1, "B.I1mr" }, { QN_COST_D1MR, D1, "B.D1mr" }, { QN_COST_D1MW, D1, "B.D1mw" },
        { QN_COST_ILMR, LL, "B.ILmr" }, { QN_COST_DLMR, LL, "B.DLmr" }, { QN_COST_DLMW, LL, "B.DLmw" },
        { QN_COST_BCM, BRANCHES, "B.Bcm" }, { QN_COST_BIM, BRANCHES, "B.Bim" },
    };
    const struct qn_cost_event_set *events = p->v->events;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        *sign = events->which[column] == all[i].event ? -1 : 1;
        if (*sign < 0 || !strcmp(events->names[column], all[i].second))
            return all[i].part;
    }
    return PARTS;
}

static void subtract(struct printer *p, const int64_t *counts, struct difference *d)
{
    memset(d->of, 0, sizeof d->of);
    d->size = 0;
    for (int i = 0; i < p->v->events->count; i++) {
        int sign, part = part_of(p, i, &sign);

        if (part == PARTS)
            continue;
        p->shown[part] = true;
        d->of[part] += sign * qn_prof_count(counts[i]);
    }
    for (int i = 0; i < PARTS; i++)
        d->size += (uint64_t)(d->of[i] < 0 ? -d->of[i] : d->of[i]);
}

static int compare(const void *left, const void *right)
{
    const struct difference *a = left, *b = right;

    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static size_t gather(struct printer *p, struct difference *list)
{
    size_t n = 0;

    for (size_t i = 0; i < qn_prof_table_rows(p->v->table); i++) {
        struct qn_prof_row row = qn_prof_table_at(p->v->table, i);

        list[n].row = i;
        if (!row.insn)
            subtract(p, row.counts, &list[n]);
        n += !row.insn && list[n].size;
    }
    qsort(list, n, sizeof *list, compare);
    return n;
}

static void print_row(struct printer *p, const struct difference *d, const char *where)
{
    char line[WHERE_MAX + 100];
    int n = 0;

    for (int i = 0; i < PARTS; i++)
        if (p->shown[i])
            n += snprintf(line + n, sizeof line - (size_t)n, "%12" PRId64, d->of[i]);
    say(p, "%s  %s", line, where);
}

static void print_heads(struct printer *p)
{
    static const char *const heads[PARTS] = { "I1", "D1", "LL", "branches" };
    char line[100] = "";
    int n = 0;

    for (int i = 0; i < PARTS; i++)
        if (p->shown[i])
            n += snprintf(line + n, sizeof line - (size_t)n, "%12s", heads[i]);
    say(p, "%s", line);
}

static void print_lines(struct printer *p)
{
    struct difference *list = QN_NEEDED(calloc(qn_prof_table_rows(p->v->table) + 1, sizeof *list)), total = { 0 };
    size_t n = gather(p, list);

    subtract(p, qn_prof_table_totals(p->v->table), &total);
    if (n > LINES_SHOWN)
        say(p, "Misses of B less those of A, by source line; the %d with the largest differences of %zu:", LINES_SHOWN, n);
    else
        say(p, "Misses of B less those of A, by source line:");
    print_heads(p);
    for (size_t i = 0; i < n && i < LINES_SHOWN; i++) {
        struct qn_prof_row row = qn_prof_table_at(p->v->table, list[i].row);
        char where[WHERE_MAX];

        describe(row.file, row.line, row.function, where);
        print_row(p, &list[i], where);
    }
    print_row(p, &total, "all");
    free(list);
}

void qn_cost_print_versus(const struct qn_cost_versus *v, void (*put)(void *, const char *), void *data)
{
    struct printer p = { .v = v, .put = put, .data = data };

    memcpy(&p.found, &qn_cost_header(v->store)->versus, sizeof p.found);
    p.found.modules[sizeof p.found.modules - 1] = 0;
    for (char *c = p.found.modules; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    qn_prof_table_sort(v->table);
    say(&p, "B: %s", p.found.modules);
    print_first(&p);
    if (p.found.first)
        print_lines(&p);
}
