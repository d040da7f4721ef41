/* lib/cost/data/data.c - objects and misses of the arena as tables of a profile.  See data.h and prof/tables/data.h.
 *
 *   row of the arena: site 4711, object 3, offset 8     ->   file, function, line of the site; object 1, part 0, 950 0 12 0
 *   offset 8 in an object of type struct point          ->   part 0: y
 *
 * Objects without misses are left out.  A file that was mapped twice has its variables once.  Blocks belong to a line of the program:
 * code that was inlined there from a library is skipped.
 */
#define _GNU_SOURCE
#include "cost/data/data.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/data/objects.h"
#include "cost/places/places.h"
#include "debug/debug.h"
#include "prof/tables/data.h"
#include "prof/tables/records.h"
#include "text/names.h"

struct qn_data_line {
    struct qn_prof_miss miss; /* object: of the arena, until it is named; only FILLED and USED count: of a place */
    uint64_t offset;
    bool is_place;            /* bytes of the object, wherever they were used */
};

struct qn_data_shown {        /* of an object of the arena */
    bool used;
    uint32_t same;            /* number of the object that represents it */
    uint32_t number;          /* in the tables */
    const struct qn_debug_type *type;
};

struct qn_data_output {
    const struct qn_cost_data *x;
    struct qn_cost_sites sites;
    struct qn_object *objects; /* a copy */
    struct qn_data_shown *shown; /* by object */
    struct qn_data_line *rows;
    uint64_t object_count;
    size_t row_count;
    struct qn_prof_data data;  /* what is written */
    size_t row_room;
    struct qn_text_names types; /* those whose members are in the tables */
};

/* ---- misses of the arena by line and object: those of one line, object and part become one row, and a file that was ----
 *
 * mapped twice has its variables once.
 */

static int by_object(const void *left, const void *right)
{
    const struct qn_data_line *a = left, *b = right;

    if (a->miss.object != b->miss.object)
        return a->miss.object < b->miss.object ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static const char *keep(struct qn_data_output *o, const char *text) { return qn_prof_keep_text(&qn_prof_data_schema, &o->data, text, strlen(text)); }

static uint32_t find_row(struct qn_data_output *o, int list, const void *row) { return qn_prof_find_record(&qn_prof_data_schema, &o->data, list, row); }

static void take_row(struct qn_data_output *o, const struct qn_data_row *from, const struct qn_data_use *use)
{
    struct qn_prof_miss *m = &o->rows[o->row_count].miss;
    struct qn_cost_place place = { 0 };
    uint32_t map;
    uint64_t pc;
    const uint32_t line = qn_cost_header(o->x->store)->config.D1.line;
    bool writes = false;

    if ((!from->misses && !(use && use->lines)) || from->misses > INT64_MAX || from->ll_misses > from->misses || from->object >= o->object_count)
        return;
    if (qn_cost_find_reference(&o->sites, from->site, &map, &pc, &writes))
        qn_cost_find_place(o->x->modules, map, pc, &place);
    *m = (struct qn_prof_miss){ .file = place.file ? place.file : "???", .function = place.function ? place.function : "???",
                                .line = place.line, .object = from->object, .part = QN_PROF_NO_PART };
    o->rows[o->row_count].offset = from->offset;
    m->counts[writes ? QN_PROF_D1MW : QN_PROF_D1MR] = (int64_t)from->misses;
    m->counts[writes ? QN_PROF_DLMW : QN_PROF_DLMR] = (int64_t)from->ll_misses;
    for (int k = 0; k < QN_MISS_CLASSES; k++)
        if (from->classes[k] && from->classes[k] <= from->misses) {
            m->counts[QN_PROF_COMPULSORY + k] = (int64_t)from->classes[k];
            o->data.classes = true;
        }
    if (use) {
        m->counts[QN_PROF_FILLED] = (int64_t)(use->lines * line);
        m->counts[QN_PROF_USED] = (int64_t)(use->bytes <= use->lines * line ? use->bytes : 0);
    }
    o->rows[o->row_count++].is_place = false;
}

/* ---- bytes used ---- */

/* A row for each byte of the place. */
static void take_place(struct qn_data_output *o, const struct qn_used_lines *p, const uint64_t *times)
{
    for (uint32_t i = p->first; i < p->end; i++) {
        uint64_t offset = (uint64_t)(p->at + i);
        struct qn_data_line *r;

        QN_MORE(o->rows, o->row_count, o->row_room, 1024);
        r = &o->rows[o->row_count++];
        *r = (struct qn_data_line){ .miss = { .file = "", .function = "", .object = p->object, .part = QN_PROF_NO_PART }, .is_place = true,
                                    .offset = p->element ? offset % p->element : offset };
        r->miss.counts[QN_PROF_FILLED] = (int64_t)p->lines;
        r->miss.counts[QN_PROF_USED] = (int64_t)(times[i] <= p->lines ? times[i] : 0);
    }
}

static void take_used_lines(struct qn_data_output *o)
{
    const uint8_t *from = o->x->store->base + QN_ARENA_USED_LINES_OFF;
    struct qn_cost_extent e = qn_cost_get_extent(o->x->store);
    const size_t line = (e.used_lines_bytes - sizeof(struct qn_used_lines)) / sizeof(uint64_t);

    for (uint64_t i = 0; i < e.used_lines; i++, from += e.used_lines_bytes) {
        struct qn_used_lines p;

        memcpy(&p, from, sizeof p);
        if (p.object < o->object_count && p.end <= line && p.lines && p.lines <= INT64_MAX && p.at + p.first >= 0)
            take_place(o, &p, (const uint64_t *)(from + sizeof p));
    }
}

/* Bytes used of a part become a row of them, and the rest of the rows one of misses: those of one line, object and part are one. */
static void take_rows(struct qn_data_output *o)
{
    struct qn_prof_data *to = &o->data;

    for (size_t i = 0; i < o->row_count; i++) {
        struct qn_prof_miss row = o->rows[i].miss;

        if (o->rows[i].is_place && row.part != QN_PROF_NO_PART) {
            uint32_t use = find_row(o, QN_PROF_USES, &(struct qn_prof_use){ row.object, row.part, 0, 0 });

            to->uses[use].filled += row.counts[QN_PROF_FILLED];
            to->uses[use].used += row.counts[QN_PROF_USED];
        }
        if (o->rows[i].is_place)
            continue;
        memset(row.counts, 0, sizeof row.counts);
        row.file = keep(o, row.file);
        row.function = keep(o, row.function);
        uint32_t sum = find_row(o, QN_PROF_MISSES, &row);

        for (int k = 0; k < QN_PROF_DATA_EVENTS; k++)
            to->misses[sum].counts[k] += o->rows[i].miss.counts[k];
    }
}

/* ---- objects ---- */

/* What the tables show of them; 0: the same. */
static int compare_shown(const struct qn_object *a, const struct qn_object *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->map != b->map)
        return a->map < b->map ? -1 : 1;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return memcmp(a->inner, b->inner, a->kind == QN_OBJECT_LOCAL ? sizeof a->inner[0] : sizeof a->inner);
}

static int by_shown(const void *left, const void *right, void *objects)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = compare_shown((const struct qn_object *)objects + a, (const struct qn_object *)objects + b);

    return order ? order : a < b ? -1 : a > b;
}

/* Of objects that the tables show as the same the first one represents all. */
static void merge_objects(struct qn_data_output *o)
{
    uint32_t *order = QN_NEEDED(malloc((o->object_count + 1) * sizeof *order)), first = 0;

    for (uint32_t i = 0; i < o->object_count; i++)
        order[i] = i;
    qsort_r(order, o->object_count, sizeof *order, by_shown, o->objects);
    for (uint64_t i = 0; i < o->object_count; i++) {
        if (!i || compare_shown(&o->objects[first], &o->objects[order[i]]))
            first = order[i];
        o->shown[order[i]].same = first;
    }
    free(order);
    for (uint64_t i = 0; i < o->row_count; i++)
        o->rows[i].miss.object = o->shown[o->rows[i].miss.object].same;
}

/* The number of the object in the tables; UINT32_MAX: it is in none. */
static uint32_t number_of(const struct qn_data_output *o, uint32_t object)
{
    const struct qn_data_shown *same = object < o->object_count ? &o->shown[o->shown[object].same] : NULL;

    return same && same->used ? same->number : UINT32_MAX;
}

static void take_pairs(struct qn_data_output *o)
{
    const struct qn_data_pair *from = (const struct qn_data_pair *)(o->x->store->base + QN_ARENA_PAIRS_OFF);
    struct qn_prof_data *to = &o->data;
    struct qn_cost_extent e = qn_cost_get_extent(o->x->store);

    for (uint64_t i = 0; i < e.pairs; i++) {
        struct qn_data_pair p = from[i];
        uint32_t object = number_of(o, p.object), by = number_of(o, p.by);

        if (object == UINT32_MAX || by == UINT32_MAX || p.misses > INT64_MAX || p.conflicts > p.misses)
            continue;
        uint32_t pair = find_row(o, QN_PROF_PAIRS, &(struct qn_prof_pair){ object, by, 0, 0 });

        to->pairs[pair].misses += (int64_t)p.misses;
        to->pairs[pair].conflicts += (int64_t)p.conflicts;
    }
}

#define TEXT_MAX 4096
#define PART_MAX 512
#define WORD UINT64_C(8) /* bytes; uses of an object without a type are counted for each word */

/* ---- names ---- */

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

    qn_prof_add_record(&qn_prof_data_schema, &o->data, QN_PROF_MEMBERS, &(struct qn_prof_member){ (uint32_t)o->data.object_count, keep(o, name), number(offset), number(bytes) });
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
    qn_prof_add_record(&qn_prof_data_schema, &o->data, QN_PROF_OBJECTS, &to);
}

/* ---- parts ---- */

/* Offsets become parts, object by object; several may be one, as those of a member are. */
static void name_parts(struct qn_data_output *o)
{
    qsort(o->rows, o->row_count, sizeof *o->rows, by_object);
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
            r->miss.part = find_row(o, QN_PROF_PARTS, &(struct qn_prof_part){ s->number, keep(o, part) });
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
    qn_cost_index_sites(&o->sites, o->x->store);
    memcpy(o->objects, o->x->store->base + QN_ARENA_OBJECTS_OFF, e.objects * sizeof *o->objects);
    for (uint64_t i = 0; i < e.objects; i++)
        if (o->objects[i].kind >= QN_OBJECT_KINDS)
            o->objects[i].kind = QN_OBJECT_UNKNOWN;
    for (uint64_t i = 0; i < e.data; i++) {
        struct qn_data_row copy = from[i];

        take_row(o, &copy, o->data.use ? &use[i] : NULL);
    }
    if (o->data.use)
        take_used_lines(o);
}

void qn_cost_put_data(struct qn_prof_writer *w, const struct qn_cost_data *data)
{
    struct qn_data_output o = { .x = data };
    const uint64_t *lost = qn_cost_header(data->store)->data_lost;

    prepare(&o);
    merge_objects(&o);
    name_parts(&o);
    take_rows(&o);
    take_pairs(&o);
    o.data.lost[0] = number(lost[0]);
    o.data.lost[1] = number(lost[1]);
    for (int list = QN_PROF_PAIRS; list <= QN_PROF_MISSES; list++)
        qn_prof_sort_records(&qn_prof_data_schema, &o.data, list);
    qn_prof_put_data(w, &o.data);
    qn_cost_free_sites(&o.sites);
    free(o.objects);
    free(o.shown);
    free(o.rows);
    qn_text_free_names(&o.types);
    qn_prof_free_data(&o.data);
}
