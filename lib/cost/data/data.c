/* lib/cost/data/data.c - objects and misses of the arena as tables of a profile.  See data.h and prof/data/data.h.
 *
 *   row of the arena: site 4711, object 3, offset 8     ->   file, function, line of the site; object 1, part 0, 950 0 12 0
 *   offset 8 in an object of type struct point          ->   part 0: y
 *
 * Objects without misses are left out.  A file that was mapped twice has its variables once.  Blocks belong to a line of the program:
 * code that was inlined there from a library is skipped.
 */
#define _GNU_SOURCE
#include "cost/data/data_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/data/objects.h"
#include "cost/places/sites.h"
#include "debug/debug.h"
#include "prof/data/data.h"
#include "text/names.h"

#define TEXT_MAX 4096
#define PART_MAX 512
#define WORD UINT64_C(8) /* bytes; uses of an object without a type are counted for each word */

/* ---- names ---- */

static const char *keep(struct qn_data_output *o, const char *text)
{
    return qn_text_name(&o->names, qn_text_intern(&o->names, text, strlen(text)));
}

static void name_segment(const struct qn_data_output *o, const struct qn_object *object, char *name)
{
    struct qn_cost_place place;

    qn_cost_find_place(o->x->modules, object->map, object->start, &place);
    if (!place.object) {
        struct qn_map_rec map;
        char path[TEXT_MAX - 32];

        memcpy(&map, o->x->store->base + QN_ARENA_MAPS_OFF + object->map * sizeof map, sizeof map);
        qn_cost_get_string(o->x->store, map.path, path, sizeof path);
        snprintf(name, TEXT_MAX, "rest of %s", basename(path));
        return;
    }
    snprintf(name, TEXT_MAX, "rest of %s", basename(place.object));
}

static void name_symbol(const struct qn_data_output *o, const struct qn_object *object, char *name)
{
    uint64_t bias;
    struct qn_debug *d = qn_cost_open_map(o->x->modules, object->map, &bias);
    const char *found = d ? qn_debug_name_object(d, object->start + bias) : NULL;

    snprintf(name, TEXT_MAX, "%s", found ? found : "???");
}

static void name_heap(const struct qn_data_output *o, const struct qn_object *object, char *name)
{
    const char *kind = qn_cost_allocator_kind(object->name);
    uint32_t number = QN_ALLOC_NAME(object->name);

    if (!kind)
        kind = number < o->x->allocator_count ? o->x->allocators[number].name : "???";
    snprintf(name, TEXT_MAX, "%s", kind);
}

static const char *function_of(const struct qn_data_output *o, const struct qn_object *object)
{
    struct qn_cost_place place;

    qn_cost_find_place(o->x->modules, object->map, object->start, &place);
    return place.function ? place.function : "???";
}

static void name_stack(const struct qn_data_output *o, const struct qn_object *object, char *name)
{
    snprintf(name, TEXT_MAX, "stack%s%s", object->start ? " of " : "", object->start ? function_of(o, object) : "");
}

static bool find_local(const struct qn_data_output *o, const struct qn_object *object, struct qn_debug_variable *v)
{
    uint64_t bias;
    struct qn_debug *d = qn_cost_open_map(o->x->modules, object->map, &bias);

    return d && qn_debug_find_local(d, object->inner[QN_LOCAL_PC] + bias, object->inner[QN_LOCAL_ID], v);
}

static void name_local(const struct qn_data_output *o, const struct qn_object *object, char *name)
{
    struct qn_debug_variable v;

    qn_cost_guard_map(o->x->modules, object->map);
    snprintf(name, TEXT_MAX, "%s", find_local(o, object, &v) && v.name ? v.name : "???");
    qn_cost_unguard(o->x->modules);
}

static const char *const kinds[QN_OBJECT_KINDS] = { "stack", "symbol", "rest", "heap", "heap-rest", "file", "anonymous", "local", "unknown" };

static void name_object(const struct qn_data_output *o, const struct qn_object *object, char *name)
{
    switch (object->kind) {
    case QN_OBJECT_STACK: name_stack(o, object, name); break;
    case QN_OBJECT_LOCAL: name_local(o, object, name); break;
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

void qn_cost_name_object(const struct qn_cost_data *data, const struct qn_object *object, char name[QN_COST_OBJECT_NAME])
{
    struct qn_data_output o = { .x = data };
    struct qn_cost_place place;
    size_t n;

    if (object->kind < QN_OBJECT_KINDS)
        name_object(&o, object, name);
    else
        strcpy(name, "???");
    if (object->kind != QN_OBJECT_HEAP)
        return;
    qn_cost_find_user(data->modules, object->map, object->start - 1, &place);
    n = strlen(name);
    snprintf(name + n, QN_COST_OBJECT_NAME - n, " at %s:%u (%s)", place.file ? basename(place.file) : "???", place.line,
             place.function ? place.function : "???");
}

static int64_t number(uint64_t n) { return n <= INT64_MAX ? (int64_t)n : INT64_MAX; }

/* ---- objects ---- */

static void take_member(void *data, const char *name, uint64_t offset, uint64_t bytes)
{
    struct qn_data_output *o = data;
    struct qn_prof_data *to = &o->data;

    QN_MORE(to->members, to->member_count, o->member_room, 64);
    to->members[to->member_count++] = (struct qn_prof_member){ (uint32_t)to->object_count, keep(o, name), number(offset), number(bytes) };
}

static const struct qn_debug_type *find_type(const struct qn_data_output *o, const struct qn_object *object)
{
    struct qn_debug_variable v;
    const struct qn_debug_type *type = NULL;
    uint64_t bias;
    bool wanted = object->kind == QN_OBJECT_HEAP || object->kind == QN_OBJECT_SYMBOL || object->kind == QN_OBJECT_LOCAL;
    struct qn_debug *d = wanted ? qn_cost_open_map(o->x->modules, object->map, &bias) : NULL;

    if (!d)
        return NULL;
    qn_cost_guard_map(o->x->modules, object->map);
    if (object->kind == QN_OBJECT_HEAP)
        type = qn_cost_find_type(d, object, bias);
    else if (object->kind == QN_OBJECT_LOCAL)
        type = find_local(o, object, &v) ? v.type : NULL;
    else if (qn_debug_find_variable(d, object->start + bias, &v) && v.start == object->start + bias)
        type = v.type;
    qn_cost_unguard(o->x->modules);
    return type;
}

void qn_cost_preload_data(struct qn_cost_library *l, const struct qn_cost_store *store)
{
    struct qn_cost_data x = { .store = store, .modules = qn_cost_new_modules(store, l, NULL, NULL, NULL) };
    const struct qn_data_output o = { .x = &x };
    const struct qn_object *objects = (const void *)(store->base + QN_ARENA_OBJECTS_OFF);
    const struct qn_data_row *rows = (const void *)(store->base + QN_ARENA_DATA_OFF);
    struct qn_cost_extent e;
    bool *seen;

    e = qn_cost_get_extent(store);
    seen = QN_NEEDED(calloc(e.objects + 1, sizeof *seen));
    for (uint64_t i = 0; i < e.data; i++) {
        uint32_t number = rows[i].object;

        if (number >= e.objects || seen[number])
            continue;
        seen[number] = true;
        find_type(&o, &objects[number]);
    }
    free(seen);
    qn_cost_free_modules(x.modules);
}

/* The members of a type are written once. */
static void take_type(struct qn_data_output *o, const struct qn_debug_type *type, struct qn_prof_object *to)
{
    const char *name = qn_debug_type_name(type);
    uint32_t known = o->types.index.count;

    to->type = qn_text_name(&o->types, qn_text_intern(&o->types, name, strlen(name)));
    if (o->types.index.count > known)
        qn_debug_list_members(type, take_member, o);
    to->type_size = number(qn_debug_type_size(type));
}

/* Where it is declared or allocated. */
static void take_origin(struct qn_data_output *o, const struct qn_object *object, struct qn_prof_object *to)
{
    struct qn_debug_variable v;
    struct qn_cost_place place;
    uint64_t bias;
    struct qn_debug *d = object->kind == QN_OBJECT_SYMBOL ? qn_cost_open_map(o->x->modules, object->map, &bias) : NULL;

    if (object->kind == QN_OBJECT_HEAP) {
        qn_cost_find_user(o->x->modules, object->map, object->start - 1, &place);
        to->file = place.file ? keep(o, place.file) : NULL;
        to->line = place.line;
        to->function = keep(o, place.function ? place.function : "???");
    } else if (object->kind == QN_OBJECT_LOCAL ? find_local(o, object, &v) : d && qn_debug_find_variable(d, object->start + bias, &v)) {
        to->file = v.file ? keep(o, v.file) : NULL;
        to->line = v.line;
    }
    if (object->start && (object->kind == QN_OBJECT_LOCAL || object->kind == QN_OBJECT_STACK))
        to->function = keep(o, function_of(o, object));
}

static void take_object(struct qn_data_output *o, const struct qn_object *object, struct qn_data_shown *s)
{
    struct qn_prof_object to = { .kind = kinds[object->kind], .size = number(object->size), .blocks = number(object->blocks),
                                 .bytes = number(object->bytes) };
    char name[TEXT_MAX];

    s->used = true;
    s->number = (uint32_t)o->data.object_count;
    s->type = find_type(o, object);
    name_object(o, object, name);
    to.name = keep(o, name);
    take_origin(o, object, &to);
    qn_cost_guard_map(o->x->modules, object->map);
    if (s->type)
        take_type(o, s->type, &to);
    qn_cost_unguard(o->x->modules);
    o->data.objects[o->data.object_count++] = to;
}

/* ---- parts ---- */

/* The number of the part of this name, a new one if it is not that of the row before. */
static uint32_t part_of(struct qn_data_output *o, uint32_t object, const char *name)
{
    struct qn_prof_data *to = &o->data;
    const struct qn_prof_part *last = to->part_count ? &to->parts[to->part_count - 1] : NULL;

    if (last && last->object == object && !strcmp(last->name, name))
        return (uint32_t)to->part_count - 1;
    QN_MORE(to->parts, to->part_count, o->part_room, 256);
    to->parts[to->part_count] = (struct qn_prof_part){ object, keep(o, name) };
    return (uint32_t)to->part_count++;
}

/* Offsets become parts, object by object; several may be one, as those of a member are. */
static void name_parts(struct qn_data_output *o)
{
    qsort(o->rows, o->row_count, sizeof *o->rows, qn_data_by_object);
    for (uint64_t i = 0; i < o->row_count; i++) {
        struct qn_data_line *r = &o->rows[i];
        const struct qn_object *object = &o->objects[r->miss.object];
        struct qn_data_shown *s = &o->shown[r->miss.object];
        char part[PART_MAX];

        if (!s->used)
            take_object(o, object, s);
        r->miss.object = s->number;
        if (!object->start || object->kind == QN_OBJECT_STACK)
            continue;
        snprintf(part, sizeof part, "+%" PRIu64, r->offset);
        if (r->is_place && !s->type)
            snprintf(part, sizeof part, "+%" PRIu64 "..%" PRIu64, r->offset & ~(WORD - 1), r->offset | (WORD - 1));
        if (s->type)
            qn_debug_put_part(s->type, r->offset, object->element ? 1 : qn_offset_step(r->offset), part, sizeof part);
        if (part[0])
            r->miss.part = part_of(o, s->number, part);
    }
}

/* ---- all of it ---- */

static void prepare(struct qn_data_output *o)
{
    const struct qn_data_row *from = (const struct qn_data_row *)(o->x->store->base + QN_ARENA_DATA_OFF);
    const struct qn_data_use *use = (const struct qn_data_use *)(o->x->store->base + QN_ARENA_USES_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(o->x->store);

    o->object_count = e.objects;
    o->objects = QN_NEEDED(malloc((e.objects + 1) * sizeof *o->objects));
    o->shown = QN_NEEDED(calloc(e.objects + 1, sizeof *o->shown));
    o->row_room = e.data + 1;
    o->rows = QN_NEEDED(malloc(o->row_room * sizeof *o->rows));
    o->data.use = qn_cost_header(o->x->store)->config.data == QN_DATA_USE;
    o->data.line = qn_cost_header(o->x->store)->config.D1.line;
    o->data.objects = QN_NEEDED(malloc((e.objects + 1) * sizeof *o->data.objects));
    o->data.misses = QN_NEEDED(malloc((e.data + 1) * sizeof *o->data.misses));
    qn_cost_index_sites(&o->sites, o->x->store);
    memcpy(o->objects, o->x->store->base + QN_ARENA_OBJECTS_OFF, e.objects * sizeof *o->objects);
    for (uint64_t i = 0; i < e.objects; i++)
        if (o->objects[i].kind >= QN_OBJECT_KINDS)
            o->objects[i].kind = QN_OBJECT_UNKNOWN;
    for (uint64_t i = 0; i < e.data; i++) {
        struct qn_data_row copy = from[i];

        qn_data_take_row(o, &copy, o->data.use ? &use[i] : NULL);
    }
    if (o->data.use)
        qn_data_take_used_lines(o);
}

static void take_rows(struct qn_data_output *o)
{
    const uint64_t *lost = qn_cost_header(o->x->store)->data_lost;

    for (uint64_t i = 0; i < o->row_count; i++)
        o->data.misses[i] = o->rows[i].miss;
    o->data.miss_count = o->row_count;
    o->data.lost[0] = number(lost[0]);
    o->data.lost[1] = number(lost[1]);
}

void qn_cost_put_data(struct qn_prof_writer *w, const struct qn_cost_data *data)
{
    struct qn_data_output o = { .x = data };

    prepare(&o);
    qn_data_merge_objects(&o);
    name_parts(&o);
    qn_data_take_uses(&o);
    qn_data_add_up(&o);
    take_rows(&o);
    qn_data_take_pairs(&o);
    qn_prof_put_data(w, &o.data);
    qn_cost_free_sites(&o.sites);
    free(o.objects);
    free(o.shown);
    free(o.rows);
    qn_text_free_names(&o.names);
    qn_text_free_names(&o.types);
    qn_prof_free_data(&o.data);
}
