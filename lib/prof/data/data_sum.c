/*
 * Sums and differences of tables of data. See data_sum.h.
 */
#define _GNU_SOURCE
#include "prof/data/data_sum.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"

struct key {
    struct qn_prof_object object; /* with texts of the sum */
    uint32_t number;
};

static int compare_texts(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : ""); }

static int compare_objects(const void *left, const void *right)
{
    const struct qn_prof_object *a = &((const struct key *)left)->object, *b = &((const struct key *)right)->object;
    const char *const texts[2][5] = {{a->kind, a->name, a->file, a->function, a->type}, {b->kind, b->name, b->file, b->function, b->type}};
    for (int i = 0; i < 5; i++) {
        int order = compare_texts(texts[0][i], texts[1][i]);
        if (order)
            return order;
    }
    return a->line < b->line ? -1 : a->line > b->line;
}

static const char *keep(struct qn_prof_data_sum *s, const char *text)
{
    uint32_t id = text ? qn_text_intern(&s->names, text, strlen(text)) : QN_TEXT_NO_ID;
    return id == QN_TEXT_NO_ID ? NULL : qn_text_name(&s->names, id);
}

/* A name, changed. NULL: there is none, or it cannot be changed. */
static const char *change(struct qn_prof_data_sum *s, const struct qn_text_subst *subst, const char *name, struct qn_text_error *err)
{
    struct qn_text_buffer buffer = {0};
    const char *kept;
    if (!subst || !name)
        return keep(s, name);
    kept = qn_text_apply_subst(subst, name, strlen(name), &buffer, err) == 0 ? keep(s, buffer.text) : NULL;
    free(buffer.text);
    return kept;
}

static void add_members(struct qn_prof_data_sum *s, const struct qn_prof_data *from, uint32_t object, uint32_t to)
{
    for (size_t i = QN_COUNT_WHILE(k, from->member_count, from->members[k].object < object); i < from->member_count && from->members[i].object == object; i++) {
        const struct qn_prof_member *m = &from->members[i];
        QN_MORE(s->data.members, s->data.member_count, s->member_room, 64);
        s->data.members[s->data.member_count++] = (struct qn_prof_member){to, keep(s, m->name), m->offset, m->size};
    }
}

/* The number in the sum. */
static uint32_t add_object(struct qn_prof_data_sum *s, const struct qn_prof_data *from, uint32_t number, int sign, struct qn_text_error *err)
{
    const struct qn_prof_object *o = &from->objects[number];
    struct key *fresh = QN_NEEDED(calloc(1, sizeof *fresh)), **found;
    struct qn_prof_object *to;
    fresh->object = (struct qn_prof_object){.kind = keep(s, o->kind), .name = keep(s, o->name), .file = change(s, s->mod_file, o->file, err),
                                            .function = change(s, s->mod_fn, o->function, err), .type = keep(s, o->type), .line = o->line,
                                            .type_size = o->type_size};
    fresh->number = (uint32_t)s->data.object_count;
    found = QN_NEEDED(tsearch(fresh, &s->objects, compare_objects));
    QN_MORE(s->data.objects, s->data.object_count, s->object_room, 64);
    if (*found == fresh) {
        s->data.objects[s->data.object_count++] = fresh->object;
        add_members(s, from, number, fresh->number);
    } else {
        free(fresh);
    }
    to = &s->data.objects[(*found)->number];
    to->size = o->size > to->size ? o->size : to->size;
    to->blocks += sign * o->blocks;
    to->bytes += sign * o->bytes;
    return (*found)->number;
}

static void add_rows(struct qn_prof_data_sum *s, const struct qn_prof_data *from, const uint32_t *objects, int sign, struct qn_text_error *err)
{
    for (size_t i = 0; i < from->miss_count; i++) {
        const struct qn_prof_miss *m = &from->misses[i];
        struct qn_prof_miss *to;
        QN_MORE(s->data.misses, s->data.miss_count, s->miss_room, 256);
        QN_MORE(s->data.parts, s->data.part_count, s->part_room, 256);
        to = &s->data.misses[s->data.miss_count++];
        *to = (struct qn_prof_miss){.file = change(s, s->mod_file, m->file, err), .function = change(s, s->mod_fn, m->function, err),
                                    .line = m->line, .object = objects[m->object], .part = QN_PROF_NO_PART};
        for (int k = 0; k < QN_PROF_DATA_EVENTS; k++)
            to->counts[k] = sign * m->counts[k];
        if (m->part == QN_PROF_NO_PART)
            continue;
        to->part = (uint32_t)s->data.part_count; /* a part for each row; unite_parts joins them when all are there */
        s->data.parts[s->data.part_count++] = (struct qn_prof_part){to->object, keep(s, from->parts[m->part].name)};
    }
}

static void add_pairs(struct qn_prof_data_sum *s, const struct qn_prof_data *from, const uint32_t *objects, int sign)
{
    for (size_t i = 0; i < from->pair_count; i++) {
        const struct qn_prof_pair *p = &from->pairs[i];
        QN_MORE(s->data.pairs, s->data.pair_count, s->pair_room, 64);
        s->data.pairs[s->data.pair_count++] =
            (struct qn_prof_pair){objects[p->object], objects[p->by], sign * p->misses, sign * p->conflicts};
    }
}

static void add_uses(struct qn_prof_data_sum *s, const struct qn_prof_data *from, const uint32_t *objects, int sign)
{
    for (size_t i = 0; i < from->use_count; i++) {
        const struct qn_prof_use *u = &from->uses[i];
        QN_MORE(s->data.uses, s->data.use_count, s->use_room, 64);
        QN_MORE(s->data.parts, s->data.part_count, s->part_room, 256);
        s->data.uses[s->data.use_count++] =
            (struct qn_prof_use){objects[u->object], (uint32_t)s->data.part_count, sign * u->filled, sign * u->used};
        s->data.parts[s->data.part_count++] = (struct qn_prof_part){objects[u->object], keep(s, from->parts[u->part].name)};
    }
}

enum qn_text_status qn_prof_sum_data(struct qn_prof_data_sum *s, const char *path, int negated, struct qn_text_error *err)
{
    struct qn_prof_data from;
    uint32_t *objects;
    int sign = negated ? -1 : 1;
    if (qn_prof_read_data(path, &from, err) != QN_TEXT_OK)
        return err->status;
    if (__builtin_add_overflow(s->data.all, from.all, &s->data.all)) {
        qn_prof_free_data(&from);
        return qn_text_fail(err, QN_TEXT_BAD, "%s: a sum of data does not fit in 64 bits", path);
    }
    objects = QN_NEEDED(calloc(from.object_count + 1, sizeof *objects));
    for (size_t i = 0; i < from.object_count; i++)
        objects[i] = add_object(s, &from, (uint32_t)i, sign, err);
    add_rows(s, &from, objects, sign, err);
    add_pairs(s, &from, objects, sign);
    add_uses(s, &from, objects, sign);
    if (from.use)
        s->data.line = !s->data.use || s->data.line == from.line ? from.line : 0;
    s->data.classes |= from.classes;
    s->data.use |= from.use;
    for (int k = 0; k < 2; k++)
        s->data.lost[k] += sign * from.lost[k];
    free(objects);
    qn_prof_free_data(&from);
    return err->status;
}

/* ---- the end ---- */

static int by_part(const void *left, const void *right, void *data)
{
    const struct qn_prof_data *d = data;
    const struct qn_prof_part *a = &d->parts[*(const uint32_t *)left], *b = &d->parts[*(const uint32_t *)right];
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return strverscmp(a->name, b->name);
}

int qn_prof_compare_misses(const void *left, const void *right)
{
    const struct qn_prof_miss *a = left, *b = right;
    int order = strcmp(a->file, b->file);
    order = order ? order : strcmp(a->function, b->function);
    if (order || a->line != b->line)
        return order ? order : a->line < b->line ? -1 : 1;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->part < b->part ? -1 : a->part > b->part;
}

/* Parts of one name become one, by object and name. */
static void unite_parts(struct qn_prof_data *d)
{
    uint32_t *order = QN_NEEDED(calloc(d->part_count + 1, sizeof *order)), *number = QN_NEEDED(calloc(d->part_count + 1, sizeof *number));
    struct qn_prof_part *parts = QN_NEEDED(calloc(d->part_count + 1, sizeof *parts));
    size_t kept = 0;
    for (size_t i = 0; i < d->part_count; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, d->part_count, sizeof *order, by_part, d);
    for (size_t i = 0; i < d->part_count; i++) {
        if (!i || by_part(&order[i - 1], &order[i], d) != 0)
            parts[kept++] = d->parts[order[i]];
        number[order[i]] = (uint32_t)kept - 1;
    }
    for (size_t i = 0; i < d->miss_count; i++)
        if (d->misses[i].part != QN_PROF_NO_PART)
            d->misses[i].part = number[d->misses[i].part];
    for (size_t i = 0; i < d->use_count; i++)
        d->uses[i].part = number[d->uses[i].part];
    free(d->parts);
    free(order);
    free(number);
    d->parts = parts;
    d->part_count = kept;
}

size_t qn_prof_unite(void *list, size_t count, size_t size, int (*compare)(const void *, const void *), void (*add)(void *to, const void *from),
                     int (*is_nothing)(const void *))
{
    char *at = list;
    size_t kept = 0, left = 0;
    if (count)
        qsort(list, count, size, compare);
    for (size_t i = 0; i < count; i++)
        if (kept && compare(at + (kept - 1) * size, at + i * size) == 0)
            add(at + (kept - 1) * size, at + i * size);
        else
            memmove(at + kept++ * size, at + i * size, size);
    for (size_t i = 0; i < kept; i++)
        if (!is_nothing || !is_nothing(at + i * size))
            memmove(at + left++ * size, at + i * size, size);
    return left;
}

void qn_prof_add_miss(void *to, const void *from)
{
    for (int k = 0; k < QN_PROF_DATA_EVENTS; k++)
        ((struct qn_prof_miss *)to)->counts[k] += ((const struct qn_prof_miss *)from)->counts[k];
}

static int is_no_miss(const void *row)
{
    for (int k = 0; k < QN_PROF_DATA_EVENTS; k++)
        if (((const struct qn_prof_miss *)row)->counts[k])
            return 0;
    return 1;
}

static int by_objects(const void *left, const void *right)
{
    const struct qn_prof_pair *a = left, *b = right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->by < b->by ? -1 : a->by > b->by;
}

static void add_pair(void *to, const void *from)
{
    ((struct qn_prof_pair *)to)->misses += ((const struct qn_prof_pair *)from)->misses;
    ((struct qn_prof_pair *)to)->conflicts += ((const struct qn_prof_pair *)from)->conflicts;
}

static int is_no_pair(const void *pair)
{
    return !((const struct qn_prof_pair *)pair)->misses && !((const struct qn_prof_pair *)pair)->conflicts;
}

void qn_prof_unite_pairs(struct qn_prof_data *d)
{
    d->pair_count = qn_prof_unite(d->pairs, d->pair_count, sizeof *d->pairs, by_objects, add_pair, is_no_pair);
}

static int by_places(const void *left, const void *right)
{
    const struct qn_prof_use *a = left, *b = right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->part < b->part ? -1 : a->part > b->part;
}

static void add_use(void *to, const void *from)
{
    ((struct qn_prof_use *)to)->filled += ((const struct qn_prof_use *)from)->filled;
    ((struct qn_prof_use *)to)->used += ((const struct qn_prof_use *)from)->used;
}

static int is_no_use(const void *use) { return !((const struct qn_prof_use *)use)->filled && !((const struct qn_prof_use *)use)->used; }

void qn_prof_unite_uses(struct qn_prof_data *d)
{
    d->use_count = qn_prof_unite(d->uses, d->use_count, sizeof *d->uses, by_places, add_use, is_no_use);
}

void qn_prof_finish_data_sum(struct qn_prof_data_sum *s)
{
    unite_parts(&s->data);
    s->part_room = s->data.part_count; /* more can be added */
    s->data.miss_count = qn_prof_unite(s->data.misses, s->data.miss_count, sizeof *s->data.misses, qn_prof_compare_misses, qn_prof_add_miss, is_no_miss);
    qn_prof_unite_pairs(&s->data);
    qn_prof_unite_uses(&s->data);
}

void qn_prof_free_data_sum(struct qn_prof_data_sum *s)
{
    tdestroy(s->objects, free);
    qn_text_free_names(&s->names);
    qn_prof_free_data(&s->data); /* does not free its texts, which s->names owns */
}
