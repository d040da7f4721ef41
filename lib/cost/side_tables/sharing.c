/* lib/cost/side_tables/sharing.c - rows of shared lines to text.  See sharing.h. */
#include "cost/side_tables/sharing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/side_tables/columns.h"
#include "text/names.h"

struct row {
    struct qn_shared_row of;
    const char *object, *file, *function; /* NULL: not known */
    uint32_t line;
    uint64_t weight[2]; /* of its line of memory: misses by false sharing; transfers */
    const char *shared; /* NULL: not written */
};

struct output {
    const struct qn_cost_data *x;
    struct row *rows;
    size_t count;
    struct qn_text_names names;
};

bool qn_cost_has_sharing(const struct qn_cost_store *store)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);

    return e.shared != 0;
}

/* ---- names ---- */

static const char *keep(struct output *o, const char *text)
{
    return qn_text_name(&o->names, qn_text_intern(&o->names, text, strlen(text)));
}

/* Files do not overlap in memory, so only one of them can have a symbol there. */
static void name_symbol(const struct output *o, struct row *r)
{
    struct qn_cost_extent e = qn_cost_get_extent(o->x->store);

    for (uint32_t map = 0; map < e.maps && !r->object; map++) {
        uint64_t bias = 0;
        struct qn_debug *d = qn_cost_open_map(o->x->modules, map, &bias);
        const struct qn_debug_symbol *found = d ? qn_debug_find_object(d, r->of.address + bias) : NULL;

        if (!found)
            continue;
        r->object = qn_debug_name_object(d, r->of.address + bias);
        r->of.offset = r->of.address + bias - found->start;
    }
}

static void name_row(struct output *o, struct row *r)
{
    const struct qn_object *objects = (const struct qn_object *)(const void *)(o->x->store->base + QN_ARENA_OBJECTS_OFF);
    struct qn_cost_place place = { 0 };
    struct qn_cost_extent e;
    char name[QN_COST_OBJECT_NAME];

    qn_cost_find_place(o->x->modules, r->of.map, r->of.pc, &place);
    r->file = place.file;
    r->function = place.function;
    r->line = place.line;
    e = qn_cost_get_extent(o->x->store);
    if (r->of.object < e.objects) {
        struct qn_object object = objects[r->of.object];

        qn_cost_name_object(o->x, &object, name);
        r->object = keep(o, name);
    } else {
        name_symbol(o, r);
    }
}

/* ---- one row for a line of source ---- */

static int compare_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : ""); }

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_place(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int d = compare(a->of.line, b->of.line);

    d = d ? d : compare(a->of.thread, b->of.thread);
    d = d ? d : compare_text(a->file, b->file);
    d = d ? d : compare(a->line, b->line);
    d = d ? d : compare_text(a->function, b->function);
    return d ? d : compare_text(a->object, b->object);
}

static int by_address(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int d = by_place(left, right);

    d = d ? d : compare(a->of.address, b->of.address);
    return d ? d : compare(a->of.pc, b->of.pc);
}

static void add(struct qn_shared_row *to, const struct qn_shared_row *from)
{
    to->reads += from->reads;
    to->writes += from->writes;
    to->read |= from->read;
    to->written |= from->written;
    to->misses_true += from->misses_true;
    to->misses_false += from->misses_false;
    to->cold += from->cold;
    to->upgrades += from->upgrades;
}

static void add_up(struct output *o)
{
    size_t kept = 0;

    qsort(o->rows, o->count, sizeof *o->rows, by_address);
    for (size_t i = 0; i < o->count; i++)
        if (kept && !by_place(&o->rows[kept - 1], &o->rows[i]))
            add(&o->rows[kept - 1].of, &o->rows[i].of);
        else
            o->rows[kept++] = o->rows[i];
    o->count = kept;
}

/* ---- what threads have in common in a line of memory ---- */

/* The bytes that the thread of the row at `at` has accessed, and written.  Returns the first row of the next thread. */
static size_t take_thread(const struct row *rows, size_t at, size_t end, uint64_t *touched, uint64_t *written)
{
    uint64_t thread = rows[at].of.thread;

    *touched = *written = 0;
    for (; at < end && rows[at].of.thread == thread; at++) {
        *touched |= rows[at].of.read | rows[at].of.written;
        *written |= rows[at].of.written;
    }
    return at;
}

/* Is there a later thread so that it or the thread at `first` has written to the line, but neither has accessed a byte that the other has written? */
static bool has_false_pair(const struct row *rows, size_t first, size_t end)
{
    uint64_t a, a_written, b, b_written;
    size_t at = take_thread(rows, first, end, &a, &a_written);

    while (at < end) {
        at = take_thread(rows, at, end, &b, &b_written);
        if ((a_written | b_written) && !((a & b_written) | (b & a_written)))
            return true;
    }
    return false;
}

static const char *how_shared(const struct row *rows, size_t n)
{
    uint64_t seen = 0, twice = 0, written = 0, a, a_written;
    bool falsely = false;

    for (size_t at = 0, next; at < n; at = next) {
        next = take_thread(rows, at, n, &a, &a_written);
        twice |= seen & a;
        seen |= a;
        written |= a_written;
        falsely = falsely || has_false_pair(rows, at, n);
    }
    return twice & written ? falsely ? "both" : "true" : falsely ? "false" : NULL;
}

static void take_line(struct row *rows, size_t n)
{
    const char *shared = how_shared(rows, n);
    uint64_t weight[2] = { 0, 0 };

    for (size_t i = 0; i < n; i++) {
        const struct qn_shared_row *r = &rows[i].of;

        weight[0] += r->misses_false;
        weight[1] += r->misses_true + r->misses_false + r->cold + r->upgrades;
    }
    for (size_t i = 0; i < n; i++) {
        rows[i].shared = shared;
        memcpy(rows[i].weight, weight, sizeof weight);
    }
}

static int by_weight(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int d = compare(b->weight[0], a->weight[0]);

    d = d ? d : compare(b->weight[1], a->weight[1]);
    return d ? d : by_address(left, right);
}

/* Removes rows of lines that are not shared. */
static void take_lines(struct output *o)
{
    size_t kept = 0;

    for (size_t i = 0, end; i < o->count; i = end) {
        for (end = i; end < o->count && o->rows[end].of.line == o->rows[i].of.line; end++)
            continue;
        take_line(&o->rows[i], end - i);
    }
    for (size_t i = 0; i < o->count; i++)
        if (o->rows[i].shared)
            o->rows[kept++] = o->rows[i];
    o->count = kept;
    qsort(o->rows, o->count, sizeof *o->rows, by_weight);
}

/* ---- text ---- */

static const struct qn_cost_column columns[] = {
    QN_COST_COLUMN("address", ADDRESS, struct row, of.line), QN_COST_COLUMN("shared", NAME, struct row, shared),
    QN_COST_COLUMN("thread", NUMBER, struct row, of.thread), QN_COST_COLUMN("object", NAME, struct row, object),
    QN_COST_COLUMN("offset", NUMBER, struct row, of.offset), QN_COST_COLUMN("file", NAME, struct row, file),
    QN_COST_COLUMN("function", NAME, struct row, function), QN_COST_COLUMN("line", SMALL, struct row, line),
    QN_COST_COLUMN("reads", NUMBER, struct row, of.reads), QN_COST_COLUMN("writes", NUMBER, struct row, of.writes),
    QN_COST_COLUMN("read", ADDRESS, struct row, of.read), QN_COST_COLUMN("written", ADDRESS, struct row, of.written),
    QN_COST_COLUMN("true", NUMBER, struct row, of.misses_true), QN_COST_COLUMN("false", NUMBER, struct row, of.misses_false),
    QN_COST_COLUMN("cold", NUMBER, struct row, of.cold), QN_COST_COLUMN("upgrades", NUMBER, struct row, of.upgrades),
    QN_COST_COLUMNS_END };

static void take(struct output *o)
{
    const struct qn_shared_row *from = (const struct qn_shared_row *)(const void *)(o->x->store->base + QN_ARENA_TABLES_OFF + QN_TABLE_SHARED_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(o->x->store);

    o->rows = QN_NEEDED(malloc((e.shared + 1) * sizeof *o->rows));
    for (uint64_t i = 0; i < e.shared; i++) {
        o->rows[i] = (struct row){ .of = from[i] };
        name_row(o, &o->rows[i]);
    }
    o->count = e.shared;
}

enum qn_text_status qn_cost_write_sharing(const char *path, const struct qn_cost_data *data, struct qn_text_error *err)
{
    struct output o = { .x = data };
    enum qn_text_status status;

    take(&o);
    add_up(&o);
    take_lines(&o);
    status = qn_cost_write_rows(path, columns, o.rows, sizeof *o.rows, o.count, err);
    free(o.rows);
    qn_text_free_names(&o.names);
    return status;
}
