/* lib/cost/data.c - objects and misses of the arena to text.  See data.h and prof/data.h.
 *
 *   row of the arena: site 4711, object 3, offset 8     ->   file, function, line of the site; "#miss: 55 1 0 950 0 12 0"
 *   offset 8 in an object of type struct point          ->   "#part: y"
 *
 * Objects on which nothing missed are left out.  A file that was mapped twice has its variables once.  Blocks belong to the line that
 * the user has written: what was inlined there from a library is passed over.
 */
#include "cost/data_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/objects.h"
#include "cost/sites.h"
#include "debug/types.h"
#include "prof/data.h"

#define TEXT_MAX 4096
#define PART_MAX 512

/* ---- text ---- */

static void put(struct qn_data_output *o, const char *text) { qn_prof_put_text(o->w, text); }

static void put_field(struct qn_data_output *o, const char *key, const char *value)
{
    put(o, key);
    qn_prof_put_line(o->w, value);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void name_segment(struct qn_data_output *o, const struct qn_object *object, char *name)
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

static void name_symbol(struct qn_data_output *o, const struct qn_object *object, char *name)
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

static const char *const kinds[QN_OBJECT_KINDS] = { "stack", "symbol", "rest", "heap", "heap-rest", "file", "anonymous", "unknown" };

static void name_object(struct qn_data_output *o, const struct qn_object *object, char *name)
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

static int64_t number(uint64_t n) { return n <= INT64_MAX ? (int64_t)n : INT64_MAX; }

static void put_numbered(struct qn_data_output *o, const char *key, const int64_t *numbers, int count, const char *text)
{
    put(o, key);
    for (int i = 0; i < count; i++) {
        qn_prof_put_number(o->w, numbers[i]);
        put(o, " ");
    }
    put_field(o, "", text);
}

static void put_place(struct qn_data_output *o, const char *file, uint32_t line)
{
    if (file)
        put_numbered(o, "#from: ", (int64_t[]){ line }, 1, file);
}

static void put_member(void *data, const char *name, uint64_t offset, uint64_t bytes)
{
    put_numbered(data, "#member: ", (int64_t[]){ number(offset), number(bytes) }, 2, name);
}

static const struct qn_debug_type *find_type(const struct qn_data_output *o, const struct qn_object *object)
{
    struct qn_debug_variable v;
    const struct qn_debug_type *type = NULL;
    uint64_t bias;
    bool wanted = object->kind == QN_OBJECT_HEAP || object->kind == QN_OBJECT_SYMBOL;
    struct qn_debug *d = wanted ? qn_cost_open_map(o->x->modules, object->map, &bias) : NULL;

    if (!d)
        return NULL;
    qn_cost_guard_map(o->x->modules, object->map);
    if (object->kind == QN_OBJECT_HEAP)
        type = qn_cost_find_type(d, object, bias);
    else if (qn_debug_find_variable(d, object->start + bias, &v) && v.start == object->start + bias)
        type = v.type;
    qn_cost_unguard(o->x->modules);
    return type;
}

/* Members are told once. */
static bool was_shown(const struct qn_data_output *o, const struct qn_object *object, const struct qn_debug_type *type)
{
    for (uint64_t i = 0; &o->objects[i] < object; i++)
        if (o->shown[i].used && o->shown[i].type && !strcmp(qn_debug_type_name(o->shown[i].type), qn_debug_type_name(type)))
            return true;
    return false;
}

/* Where it is declared or allocated, and its type. */
static void put_origin(struct qn_data_output *o, const struct qn_object *object, const struct qn_debug_type *type)
{
    struct qn_debug_variable v;
    struct qn_cost_place place;
    uint64_t bias;
    struct qn_debug *d = object->kind == QN_OBJECT_SYMBOL ? qn_cost_open_map(o->x->modules, object->map, &bias) : NULL;

    if (object->kind == QN_OBJECT_HEAP) {
        qn_cost_find_user(o->x->modules, object->map, object->start - 1, &place);
        put_place(o, place.file, place.line);
        put_field(o, "#in: ", place.function ? place.function : "???");
    } else if (d && qn_debug_find_variable(d, object->start + bias, &v)) {
        put_place(o, v.file, v.line);
    }
    qn_cost_guard_map(o->x->modules, object->map);
    if (type) {
        put_numbered(o, "#type: ", (int64_t[]){ number(qn_debug_type_size(type)) }, 1, qn_debug_type_name(type));
        if (!was_shown(o, object, type))
            qn_debug_list_members(type, put_member, o);
    }
    qn_cost_unguard(o->x->modules);
}

static void put_object(struct qn_data_output *o, const struct qn_object *object)
{
    char name[TEXT_MAX];

    put(o, "#object: ");
    put(o, kinds[object->kind]);
    name_object(o, object, name);
    put_numbered(o, " ", (int64_t[]){ number(object->size), number(object->blocks), number(object->bytes) }, 3, name);
}

static void put_objects(struct qn_data_output *o)
{
    uint32_t shown = 0;

    for (uint64_t i = 0; i < o->object_count; i++) {
        struct qn_data_shown *s = &o->shown[i];

        if (!s->used)
            continue;
        s->number = shown++;
        put_object(o, &o->objects[i]);
        put_origin(o, &o->objects[i], s->type);
        for (size_t k = 0; k < s->parts; k++)
            put_field(o, "#part: ", o->parts[s->first + k]);
    }
}

static void put_row(struct qn_data_output *o, const struct qn_data_line *r, const struct qn_data_line *before)
{
    if (!before || strcmp(before->file, r->file))
        put_field(o, "#file: ", r->file);
    if (!before || strcmp(before->file, r->file) || strcmp(before->function, r->function))
        put_field(o, "#function: ", r->function);
    put(o, "#miss: ");
    qn_prof_put_number(o->w, r->line);
    put(o, " ");
    qn_prof_put_number(o->w, o->shown[r->object].number);
    put(o, " ");
    if (r->part == QN_PROF_NO_PART)
        put(o, "-");
    else
        qn_prof_put_number(o->w, r->part);
    for (int k = 0; k < o->events; k++) {
        put(o, " ");
        qn_prof_put_number(o->w, r->counts[k]);
    }
    put(o, "\n");
}

static void put_head(struct qn_data_output *o)
{
    const struct qn_arena_header *h = qn_cost_header(o->x->store);
    int64_t shown = 0;

    for (uint64_t i = 0; i < o->object_count; i++)
        shown += o->shown[i].used;
    put(o, "#data: ");
    qn_prof_put_number(o->w, shown);
    put(o, " ");
    qn_prof_put_number(o->w, (int64_t)o->row_count);
    put(o, "\n#data-events:");
    for (int i = 0; i < o->events; i++) {
        put(o, " ");
        put(o, qn_prof_data_events[i]);
    }
    put(o, "\n");
    if (h->data_lost[0]) {
        put(o, "#lost: ");
        qn_prof_put_number(o->w, number(h->data_lost[0]));
        put(o, " ");
        qn_prof_put_number(o->w, number(h->data_lost[1]));
        put(o, "\n");
    }
}

static void put_tables(struct qn_data_output *o)
{
    put_head(o);
    put_objects(o);
    for (uint64_t i = 0; i < o->row_count; i++)
        put_row(o, &o->rows[i], i ? &o->rows[i - 1] : NULL);
}

/* ---- parts ---- */

/* The number of the part of this name, a new one if it is not that of the row before. */
static uint32_t part_of(struct qn_data_output *o, struct qn_data_shown *s, const char *name)
{
    if (s->parts && !strcmp(o->parts[o->nparts - 1], name))
        return (uint32_t)o->nparts - 1;
    if (!QN_GROW(o->parts, o->nparts, o->part_room, 256) || !(o->parts[o->nparts] = strdup(name)))
        return QN_PROF_NO_PART;
    if (!s->parts++)
        s->first = o->nparts;
    return (uint32_t)o->nparts++;
}

/* Offsets become parts, object by object; several may be one, as those of a member are. */
static void name_parts(struct qn_data_output *o)
{
    qsort(o->rows, o->row_count, sizeof *o->rows, qn_data_by_object);
    for (uint64_t i = 0; i < o->row_count; i++) {
        struct qn_data_line *r = &o->rows[i];
        const struct qn_object *object = &o->objects[r->object];
        struct qn_data_shown *s = &o->shown[r->object];
        char part[PART_MAX];

        if (!s->used)
            s->type = find_type(o, object);
        s->used = true;
        r->part = QN_PROF_NO_PART;
        if (!object->start)
            continue;
        snprintf(part, sizeof part, "+%" PRIu64, r->offset);
        if (s->type)
            qn_debug_put_part(s->type, r->offset, object->element ? 1 : qn_offset_step(r->offset), part, sizeof part);
        if (part[0])
            r->part = part_of(o, s, part);
    }
}

static bool prepare(struct qn_data_output *o)
{
    const struct qn_data_row *from = (const struct qn_data_row *)(o->x->store->base + QN_ARENA_DATA_OFF);
    struct qn_cost_extent e;

    qn_cost_get_extent(o->x->store, &e);
    o->object_count = e.objects;
    o->objects = malloc((e.objects + 1) * sizeof *o->objects);
    o->shown = calloc(e.objects + 1, sizeof *o->shown);
    o->rows = malloc((e.data + 1) * sizeof *o->rows);
    if (!o->objects || !o->shown || !o->rows || !qn_cost_index_sites(&o->sites, o->x->store))
        return false;
    memcpy(o->objects, o->x->store->base + QN_ARENA_OBJECTS_OFF, e.objects * sizeof *o->objects);
    for (uint64_t i = 0; i < e.objects; i++)
        if (o->objects[i].kind >= QN_OBJECT_KINDS)
            o->objects[i].kind = QN_OBJECT_UNKNOWN;
    for (uint64_t i = 0; i < e.data; i++) {
        struct qn_data_row copy = from[i];

        qn_data_take_row(o, &copy);
    }
    return true;
}

enum qn_text_status qn_cost_put_data(struct qn_prof_writer *w, const struct qn_cost_data *data, struct qn_text_error *err)
{
    struct qn_data_output o = { .x = data, .w = w, .events = QN_PROF_DATA_MISSES };
    enum qn_text_status status = QN_TEXT_OK;

    if (prepare(&o)) {
        qn_data_merge_objects(&o);
        name_parts(&o);
        qn_data_add_up(&o, qn_data_by_place);
        put_tables(&o);
    } else {
        status = qn_text_fail_memory(err);
    }
    qn_cost_free_sites(&o.sites);
    free(o.objects);
    free(o.shown);
    for (size_t i = 0; i < o.nparts; i++)
        free(o.parts[i]);
    free(o.parts);
    free(o.rows);
    return status;
}
