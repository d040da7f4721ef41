/* lib/cost/data.c - objects and misses of the arena to text.  See data.h and prof/data.h.
 *
 *   row of the arena: site 4711, object 3, offset 8     ->   file, function, line of the site; "#miss: 55 1 0 950 0 12 0"
 *
 * Objects on which nothing missed are left out.  A file that was mapped twice has its variables once.
 */
#include "cost/data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/objects.h"
#include "cost/sites.h"
#include "prof/data.h"

#define TEXT_MAX 4096

struct row {
    const char *file, *function;
    uint32_t line, object;
    uint64_t offset;
    uint32_t part;
    int64_t counts[QN_PROF_DATA_EVENTS];
};

struct output {
    const struct qn_cost_data *x;
    struct qn_prof_writer *w;
    struct qn_cost_sites sites;
    struct qn_object *objects; /* a copy */
    uint32_t *number;          /* by object: which it is shown as, + 1 */
    struct row *rows;
    uint64_t object_count, row_count;
    uint32_t parts;
};

/* ---- rows ---- */

static int by_place(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = strcmp(a->file, b->file);

    order = order ? order : strcmp(a->function, b->function);
    if (order || a->line != b->line)
        return order ? order : a->line < b->line ? -1 : 1;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int by_object(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Rows that `compare` does not tell apart become one. */
static void add_up(struct output *o, int (*compare)(const void *, const void *))
{
    uint64_t kept = 0;

    qsort(o->rows, o->row_count, sizeof *o->rows, compare);
    for (uint64_t i = 0; i < o->row_count; i++) {
        if (kept && !compare(&o->rows[kept - 1], &o->rows[i]))
            for (int k = 0; k < QN_PROF_DATA_EVENTS; k++)
                o->rows[kept - 1].counts[k] += o->rows[i].counts[k];
        else
            o->rows[kept++] = o->rows[i];
    }
    o->row_count = kept;
}

static void take_row(struct output *o, const struct qn_data_row *from)
{
    struct row *r = &o->rows[o->row_count];
    struct qn_cost_place place = { 0 };
    uint32_t map;
    uint64_t pc;
    bool writes = false;

    if (!from->misses || from->misses > INT64_MAX || from->ll_misses > from->misses || from->object >= o->object_count)
        return;
    if (qn_cost_find_reference(&o->sites, from->site, &map, &pc, &writes))
        qn_cost_find_place(o->x->modules, map, pc, &place);
    *r = (struct row){ .file = place.file ? place.file : "???", .function = place.function ? place.function : "???", .line = place.line,
                       .object = from->object, .offset = from->offset };
    r->counts[writes ? QN_PROF_D1MW : QN_PROF_D1MR] = (int64_t)from->misses;
    r->counts[writes ? QN_PROF_DLMW : QN_PROF_DLMR] = (int64_t)from->ll_misses;
    o->row_count++;
}

/* ---- objects ---- */

/* The one that stands for all that are the same to the reader. */
static uint32_t stands_for(const struct output *o, uint32_t object)
{
    const struct qn_object *a = &o->objects[object];

    for (uint32_t i = 0; i < object; i++) {
        const struct qn_object *b = &o->objects[i];

        if (a->kind == b->kind && a->start == b->start && a->map == b->map && a->name == b->name)
            return i;
    }
    return object;
}

static void merge_objects(struct output *o)
{
    uint32_t *same = calloc(o->object_count + 1, sizeof *same);

    for (uint64_t i = 0; same && i < o->row_count; i++) {
        uint32_t object = o->rows[i].object;

        if (!same[object])
            same[object] = stands_for(o, object) + 1;
        o->rows[i].object = same[object] - 1;
    }
    free(same);
}

/* ---- text ---- */

static void put(struct output *o, const char *text) { qn_prof_put_text(o->w, text); }

static void put_field(struct output *o, const char *key, const char *value)
{
    put(o, key);
    qn_prof_put_line(o->w, value);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void name_segment(struct output *o, const struct qn_object *object, char *name)
{
    struct qn_cost_place place;

    qn_cost_find_place(o->x->modules, object->map, object->start, &place);
    if (!place.object) {
        struct qn_map_rec map;
        char path[TEXT_MAX - 32];

        memcpy(&map, o->x->store->base + QN_ARENA_MAPS_OFF + object->map * sizeof map, sizeof map);
        qn_cost_get_string(o->x->store, map.path, path, sizeof path);
        snprintf(name, TEXT_MAX, "rest of %s", base_name(path));
        return;
    }
    snprintf(name, TEXT_MAX, "rest of %s", base_name(place.object));
}

static void name_symbol(struct output *o, const struct qn_object *object, char *name)
{
    uint64_t bias;
    struct qn_debug *d = qn_cost_open_map(o->x->modules, object->map, &bias);
    const char *found = d ? qn_debug_name_object(d, object->start + bias) : NULL;

    snprintf(name, TEXT_MAX, "%s", found ? found : "???");
}

static void name_heap(const struct output *o, const struct qn_object *object, char *name)
{
    const char *kind = qn_cost_allocator_kind(object->name);
    uint32_t number = QN_ALLOC_NAME(object->name);

    if (!kind)
        kind = number < o->x->allocator_count ? o->x->allocators[number].name : "???";
    snprintf(name, TEXT_MAX, "%s", kind);
}

static const char *const kinds[QN_OBJECT_KINDS] = { "stack", "symbol", "rest", "heap", "heap-rest", "file", "anonymous", "unknown" };

static void name_object(struct output *o, const struct qn_object *object, char *name)
{
    switch (object->kind) {
    case QN_OBJECT_STACK: strcpy(name, "stack"); break;
    case QN_OBJECT_SYMBOL: name_symbol(o, object, name); break;
    case QN_OBJECT_SEGMENT: name_segment(o, object, name); break;
    case QN_OBJECT_HEAP: name_heap(o, object, name); break;
    case QN_OBJECT_HEAP_REST: strcpy(name, "heap outside of blocks"); break;
    case QN_OBJECT_FILE: qn_cost_get_string(o->x->store, object->name, name, TEXT_MAX); break;
    case QN_OBJECT_ANONYMOUS:
        snprintf(name, TEXT_MAX, "anonymous mapping 0x%" PRIx64 "-0x%" PRIx64, object->start, object->start + object->size);
        break;
    default: strcpy(name, "unmapped since"); break;
    }
}

/* Where its blocks were allocated. */
static void put_caller(struct output *o, const struct qn_object *object)
{
    struct qn_cost_place place;
    char line[16];

    qn_cost_find_place(o->x->modules, object->map, object->start - 1, &place);
    if (place.file) {
        snprintf(line, sizeof line, "%" PRIu32 " ", place.line);
        put(o, "#from: ");
        put(o, line);
        put_field(o, "", place.file);
    }
    put_field(o, "#in: ", place.function ? place.function : "???");
}

static int64_t number(uint64_t n) { return n <= INT64_MAX ? (int64_t)n : INT64_MAX; }

static void put_object(struct output *o, const struct qn_object *object)
{
    char name[TEXT_MAX];

    put(o, "#object: ");
    put(o, kinds[object->kind]);
    put(o, " ");
    qn_prof_put_number(o->w, number(object->size));
    put(o, " ");
    qn_prof_put_number(o->w, number(object->blocks));
    put(o, " ");
    qn_prof_put_number(o->w, number(object->bytes));
    name_object(o, object, name);
    put_field(o, " ", name);
    if (object->kind == QN_OBJECT_HEAP)
        put_caller(o, object);
}

/* Parts are numbered in the order of objects and offsets, in which the rows are now. */
static uint32_t put_objects(struct output *o)
{
    uint32_t shown = 0;

    for (uint64_t i = 0; i < o->row_count; i++) {
        struct row *r = &o->rows[i];
        const struct row *before = i ? r - 1 : NULL;
        bool same = before && o->number[r->object] == shown;
        char part[32];

        if (!same) {
            o->number[r->object] = ++shown;
            put_object(o, &o->objects[r->object]);
        }
        r->part = QN_PROF_NO_PART;
        if (!o->objects[r->object].start)
            continue;
        if (!same || before->offset != r->offset) {
            snprintf(part, sizeof part, "+%" PRIu64, r->offset);
            put_field(o, "#part: ", part);
            o->parts++;
        }
        r->part = o->parts - 1;
    }
    return shown;
}

static void put_row(struct output *o, const struct row *r, const struct row *before)
{
    if (!before || strcmp(before->file, r->file))
        put_field(o, "#file: ", r->file);
    if (!before || strcmp(before->file, r->file) || strcmp(before->function, r->function))
        put_field(o, "#function: ", r->function);
    put(o, "#miss: ");
    qn_prof_put_number(o->w, r->line);
    put(o, " ");
    qn_prof_put_number(o->w, o->number[r->object] - 1);
    put(o, " ");
    if (r->part == QN_PROF_NO_PART)
        put(o, "-");
    else
        qn_prof_put_number(o->w, r->part);
    for (int k = 0; k < QN_PROF_DATA_EVENTS; k++) {
        put(o, " ");
        qn_prof_put_number(o->w, r->counts[k]);
    }
    put(o, "\n");
}

static void put_tables(struct output *o)
{
    const struct qn_arena_header *h = qn_cost_header(o->x->store);
    uint32_t shown = 0;

    for (uint64_t i = 0; i < o->row_count; i++) /* both sorted and added up by place; how many objects? */
        if (!o->number[o->rows[i].object]) {
            o->number[o->rows[i].object] = 1;
            shown++;
        }
    memset(o->number, 0, o->object_count * sizeof *o->number);
    put(o, "#data: ");
    qn_prof_put_number(o->w, shown);
    put(o, " ");
    qn_prof_put_number(o->w, (int64_t)o->row_count);
    put(o, "\n");
    if (h->data_lost[0]) {
        put(o, "#lost: ");
        qn_prof_put_number(o->w, number(h->data_lost[0]));
        put(o, " ");
        qn_prof_put_number(o->w, number(h->data_lost[1]));
        put(o, "\n");
    }
    qsort(o->rows, o->row_count, sizeof *o->rows, by_object);
    put_objects(o);
    qsort(o->rows, o->row_count, sizeof *o->rows, by_place);
    for (uint64_t i = 0; i < o->row_count; i++)
        put_row(o, &o->rows[i], i ? &o->rows[i - 1] : NULL);
}

static bool prepare(struct output *o)
{
    const struct qn_data_row *from = (const struct qn_data_row *)(o->x->store->base + QN_ARENA_DATA_OFF);
    struct qn_cost_extent e;

    qn_cost_get_extent(o->x->store, &e);
    o->object_count = e.objects;
    o->objects = malloc((e.objects + 1) * sizeof *o->objects);
    o->number = calloc(e.objects + 1, sizeof *o->number);
    o->rows = malloc((e.data + 1) * sizeof *o->rows);
    if (!o->objects || !o->number || !o->rows || !qn_cost_index_sites(&o->sites, o->x->store))
        return false;
    memcpy(o->objects, o->x->store->base + QN_ARENA_OBJECTS_OFF, e.objects * sizeof *o->objects);
    for (uint64_t i = 0; i < e.objects; i++)
        if (o->objects[i].kind >= QN_OBJECT_KINDS)
            o->objects[i].kind = QN_OBJECT_UNKNOWN;
    for (uint64_t i = 0; i < e.data; i++) {
        struct qn_data_row copy = from[i];

        take_row(o, &copy);
    }
    return true;
}

enum qn_text_status qn_cost_put_data(struct qn_prof_writer *w, const struct qn_cost_data *data, struct qn_text_error *err)
{
    struct output o = { .x = data, .w = w };
    enum qn_text_status status = QN_TEXT_OK;

    if (prepare(&o)) {
        merge_objects(&o);
        add_up(&o, by_place);
        put_tables(&o);
    } else {
        status = qn_text_fail_memory(err);
    }
    qn_cost_free_sites(&o.sites);
    free(o.objects);
    free(o.number);
    free(o.rows);
    return status;
}
