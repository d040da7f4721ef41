/* lib/cost/data/data_rows.c - misses of the arena by line and object: those of one line, object and part become one row, and a file that was
 * mapped twice has its variables once.
 */
#define _GNU_SOURCE
#include "cost/data/data_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/data/data.h"

int qn_data_by_object(const void *left, const void *right)
{
    const struct qn_data_line *a = left, *b = right;

    if (a->miss.object != b->miss.object)
        return a->miss.object < b->miss.object ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int by_place(const void *left, const void *right)
{
    return qn_prof_compare_misses(&((const struct qn_data_line *)left)->miss, &((const struct qn_data_line *)right)->miss);
}

static void add(void *to, const void *from) { qn_prof_add_miss(&((struct qn_data_line *)to)->miss, &((const struct qn_data_line *)from)->miss); }

/* Rows of one line, object and part become one. */
void qn_data_add_up(struct qn_data_output *o)
{
    o->row_count = qn_prof_unite(o->rows, o->row_count, sizeof *o->rows, by_place, add, NULL);
}

void qn_data_take_row(struct qn_data_output *o, const struct qn_data_row *from, const struct qn_data_use *use)
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

void qn_data_take_used_lines(struct qn_data_output *o)
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

void qn_data_take_uses(struct qn_data_output *o)
{
    struct qn_prof_data *to = &o->data;
    size_t kept = 0;

    for (size_t i = 0; i < o->row_count; i++) {
        const struct qn_prof_miss *m = &o->rows[i].miss;

        if (!o->rows[i].is_place)
            o->rows[kept++] = o->rows[i];
        if (!o->rows[i].is_place || m->part == QN_PROF_NO_PART)
            continue;
        QN_MORE(to->uses, to->use_count, o->use_room, 64);
        to->uses[to->use_count++] = (struct qn_prof_use){ m->object, m->part, m->counts[QN_PROF_FILLED], m->counts[QN_PROF_USED] };
    }
    o->row_count = kept;
    qn_prof_unite_uses(to);
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
void qn_data_merge_objects(struct qn_data_output *o)
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

void qn_data_take_pairs(struct qn_data_output *o)
{
    const struct qn_data_pair *from = (const struct qn_data_pair *)(o->x->store->base + QN_ARENA_PAIRS_OFF);
    struct qn_prof_data *to = &o->data;
    struct qn_cost_extent e = qn_cost_get_extent(o->x->store);

    for (uint64_t i = 0; i < e.pairs; i++) {
        struct qn_data_pair p = from[i];
        uint32_t object = number_of(o, p.object), by = number_of(o, p.by);

        if (object == UINT32_MAX || by == UINT32_MAX || p.misses > INT64_MAX || p.conflicts > p.misses)
            continue;
        QN_MORE(to->pairs, to->pair_count, o->pair_room, 64);
        to->pairs[to->pair_count++] = (struct qn_prof_pair){ object, by, (int64_t)p.misses, (int64_t)p.conflicts };
    }
    qn_prof_unite_pairs(to);
}
