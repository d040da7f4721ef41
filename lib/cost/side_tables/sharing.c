/* lib/cost/side_tables/sharing.c - rows of shared lines to text.  See sharing.h. */
#define _GNU_SOURCE
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
    struct {            /* the nearest bytes of another thread that shares the line falsely with this row's */
        uint64_t thread, offset;
        const char *object, *file;
        uint32_t line;
        uint64_t apart, pad; /* bytes between the first of each; those that an element needs to have a line of its own (0: nobody is there) */
    } with;
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

static uint64_t weight_of(const struct row *r) { return r->of.misses_false + r->of.misses_true + r->of.upgrades; }

/* For the rows of the thread at `first`: the nearest thread so that one of the two has written to the line, but neither has accessed a byte that
 * the other has written.  false: there is none. */
static bool find_false_pair(struct row *rows, size_t first, size_t n, uint32_t line)
{
    uint64_t a, a_written, b, b_written;
    const size_t end = take_thread(rows, first, n, &a, &a_written);
    const struct row *with = NULL;
    unsigned nearest = 64, grain = line > 64 ? line / 64 : 1;

    for (size_t at = 0, next; at < n; at = next) {
        next = take_thread(rows, at, n, &b, &b_written);
        unsigned apart = (unsigned)abs(__builtin_ctzll(a | 1ull << 63) - __builtin_ctzll(b | 1ull << 63));

        if (at == first || apart >= nearest || !(a_written | b_written) || (a & b_written) | (b & a_written))
            continue;
        nearest = apart;
        with = &rows[at];
        for (size_t i = at + 1; i < next; i++)
            with = weight_of(&rows[i]) > weight_of(with) ? &rows[i] : with;
    }
    for (size_t i = first; i < end && with; i++) {
        rows[i].with.thread = with->of.thread, rows[i].with.offset = with->of.offset;
        rows[i].with.object = with->object, rows[i].with.file = with->file, rows[i].with.line = with->line;
        rows[i].with.apart = (uint64_t)nearest * grain, rows[i].with.pad = line;
    }
    return with;
}

static const char *how_shared(struct row *rows, size_t n, uint32_t line)
{
    uint64_t seen = 0, twice = 0, written = 0, a, a_written;
    bool falsely = false;

    for (size_t at = 0, next; at < n; at = next) {
        next = take_thread(rows, at, n, &a, &a_written);
        twice |= seen & a;
        seen |= a;
        written |= a_written;
        falsely |= find_false_pair(rows, at, n, line);
    }
    return twice & written ? falsely ? "both" : "true" : falsely ? "false" : NULL;
}

static void take_line(struct row *rows, size_t n, uint32_t line)
{
    const char *shared = how_shared(rows, n, line);
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

/* Behind the rows of the line of memory whose first row is at i. */
static size_t end_of_line(const struct output *o, size_t i)
{
    size_t end = i;

    while (end < o->count && o->rows[end].of.line == o->rows[i].of.line)
        end++;
    return end;
}

/* Removes rows of lines that are not shared. */
static void take_lines(struct output *o)
{
    size_t kept = 0;

    for (size_t i = 0, end; i < o->count; i = end) {
        end = end_of_line(o, i);
        take_line(&o->rows[i], end - i, qn_cost_header(o->x->store)->config.D1.line);
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
    QN_COST_COLUMN("with_thread", NUMBER, struct row, with.thread), QN_COST_COLUMN("with_object", NAME, struct row, with.object),
    QN_COST_COLUMN("with_offset", NUMBER, struct row, with.offset), QN_COST_COLUMN("with_file", NAME, struct row, with.file),
    QN_COST_COLUMN("with_line", SMALL, struct row, with.line), QN_COST_COLUMN("apart", NUMBER, struct row, with.apart),
    QN_COST_COLUMN("pad", NUMBER, struct row, with.pad),
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

/* ---- in words ---- */

static const char *behind_slash(const char *path) { return path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path ? path : "???"; }

/* "counters+8", by thread 1 in guest.c:12 */
static void say_place(FILE *f, const char *object, uint64_t offset, uint64_t thread, const char *file, uint32_t line)
{
    fprintf(f, "%s+%" PRIu64 " (thread %" PRIu64 ", %s:%" PRIu32 ")", object ? object : "memory", object ? offset : 0, thread, behind_slash(file), line);
}

/* The misses by false sharing of these two threads, on the line of memory whose rows are r to end. */
static uint64_t false_of_two(const struct row *r, const struct row *end, uint64_t a, uint64_t b)
{
    uint64_t sum = 0;

    for (; r < end; r++)
        sum += r->of.thread == a || r->of.thread == b ? r->of.misses_false : 0;
    return sum;
}

/* Of the line of memory whose rows are r to end: who shares it, what that costs, and what would end it. */
static void say_verdict(FILE *f, const struct row *r, const struct row *end, uint32_t line)
{
    const struct row *most = r;
    uint64_t two;

    for (const struct row *p = r; p < end; p++)
        if (p->with.pad > most->with.pad || (p->with.pad == most->with.pad && p->of.misses_false > most->of.misses_false))
            most = p;
    if (!most->of.misses_false || !most->with.pad)
        return;
    say_place(f, most->object, most->of.offset, most->of.thread, most->file, most->line);
    fputs(" and ", f);
    say_place(f, most->with.object, most->with.offset, most->with.thread, most->with.file, most->with.line);
    fprintf(f, " are %" PRIu64 " bytes apart in one line of %" PRIu32 ", %" PRIu64 " misses of false sharing", most->with.apart, line, r->weight[0]);
    two = false_of_two(r, end, most->of.thread, most->with.thread);
    if (two < r->weight[0])
        fprintf(f, " (%" PRIu64 " of these two threads)", two);
    fputs(": ", f);
    if (most->object && most->with.object && !strcmp(most->object, most->with.object))
        fprintf(f, "pad the elements of %s from %" PRIu64 " to %" PRIu64 " bytes\n", most->object, most->with.apart, most->with.pad);
    else
        fprintf(f, "give each a line of its own (alignas(%" PRIu64 "))\n", most->with.pad);
}

static char *say_verdicts(const struct output *o)
{
    char *text = NULL;
    size_t length = 0, lines = 0;
    FILE *f = QN_NEEDED(open_memstream(&text, &length));

    for (size_t i = 0, end; i < o->count && lines < QN_COST_VERDICTS; i = end, lines++) {
        end = end_of_line(o, i);
        say_verdict(f, &o->rows[i], &o->rows[end], qn_cost_header(o->x->store)->config.D1.line);
    }
    if (fclose(f))
        qn_no_memory();
    return text;
}

enum qn_text_status qn_cost_write_sharing(const char *path, const struct qn_cost_data *data, char **verdicts, struct qn_text_error *err)
{
    struct output o = { .x = data };
    enum qn_text_status status;

    take(&o);
    add_up(&o);
    take_lines(&o);
    status = qn_cost_write_rows(path, columns, o.rows, sizeof *o.rows, o.count, err);
    *verdicts = say_verdicts(&o);
    free(o.rows);
    qn_text_free_names(&o.names);
    return status;
}
