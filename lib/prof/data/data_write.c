/*
 * Writes tables of data behind a summary. See data.h for the lines, data_sum.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/data/data_sum.h"

static void put_numbers(struct qn_prof_writer *w, const char *key, const int64_t *numbers, int count, const char *text)
{
    qn_prof_put_text(w, key);
    for (int i = 0; i < count; i++) {
        qn_prof_put_text(w, " ");
        qn_prof_put_number(w, numbers[i]);
    }
    qn_prof_put_text(w, text ? " " : "");
    qn_prof_put_line(w, text ? text : "");
}

static void put_text(struct qn_prof_writer *w, const char *key, const char *text)
{
    qn_prof_put_text(w, key);
    qn_prof_put_line(w, text);
}

static void put_object(struct qn_prof_writer *w, const struct qn_prof_object *o)
{
    qn_prof_put_text(w, "#object: ");
    put_numbers(w, o->kind, (const int64_t[]){o->size, o->blocks, o->bytes}, 3, o->name);
    if (o->file)
        put_numbers(w, "#from:", (const int64_t[]){o->line}, 1, o->file);
    if (o->function)
        put_text(w, "#in: ", o->function);
    if (o->type)
        put_numbers(w, "#type:", &o->type_size, 1, o->type);
}

struct writing {
    struct qn_prof_writer *w;
    const struct qn_prof_data *d;
    uint32_t *object, *part; /* numbers as written; UINT32_MAX: an object without rows */
    uint32_t objects;
};

static void number_all(struct writing *t)
{
    const struct qn_prof_data *d = t->d;
    uint32_t parts = 0;
    t->object = QN_NEEDED(malloc((d->object_count + 1) * sizeof *t->object));
    t->part = QN_NEEDED(calloc(d->part_count + 1, sizeof *t->part));
    memset(t->object, 0xff, d->object_count * sizeof *t->object);
    for (size_t i = 0; i < d->miss_count; i++)
        t->object[d->misses[i].object] = 0;
    for (size_t i = 0; i < d->object_count; i++)
        t->object[i] = t->object[i] == UINT32_MAX ? UINT32_MAX : t->objects++;
    for (size_t i = 0; i < d->part_count; i++)
        t->part[i] = t->object[d->parts[i].object] == UINT32_MAX ? 0 : parts++;
}

/* Parts and members are in the order of their objects. */
static void put_objects(const struct writing *t)
{
    const struct qn_prof_data *d = t->d;
    for (size_t i = 0, part = 0, member = 0; i < d->object_count; i++) {
        if (t->object[i] != UINT32_MAX)
            put_object(t->w, &d->objects[i]);
        for (; member < d->member_count && d->members[member].object == i; member++)
            if (t->object[i] != UINT32_MAX)
                put_numbers(t->w, "#member:", (const int64_t[]){d->members[member].offset, d->members[member].size}, 2, d->members[member].name);
        for (; part < d->part_count && d->parts[part].object == i; part++)
            if (t->object[i] != UINT32_MAX)
                put_text(t->w, "#part: ", d->parts[part].name);
    }
}

static void put_pairs(const struct writing *t)
{
    for (size_t i = 0; i < t->d->pair_count; i++) {
        const struct qn_prof_pair *p = &t->d->pairs[i];
        if (t->object[p->object] != UINT32_MAX && t->object[p->by] != UINT32_MAX)
            put_numbers(t->w, "#pair:", (const int64_t[]){t->object[p->object], t->object[p->by], p->misses, p->conflicts}, 4, NULL);
    }
}

static void put_uses(const struct writing *t)
{
    for (size_t i = 0; i < t->d->use_count; i++) {
        const struct qn_prof_use *u = &t->d->uses[i];
        if (t->object[u->object] != UINT32_MAX)
            put_numbers(t->w, "#use:", (const int64_t[]){t->object[u->object], t->part[u->part], u->filled, u->used}, 4, NULL);
    }
}

static void put_row(const struct writing *t, const struct qn_prof_miss *m, const struct qn_prof_miss *before)
{
    struct qn_prof_writer *w = t->w;
    int new_file = !before || strcmp(before->file, m->file) != 0;
    if (new_file)
        put_text(w, "#file: ", m->file);
    if (new_file || strcmp(before->function, m->function) != 0)
        put_text(w, "#function: ", m->function);
    qn_prof_put_text(w, "#miss: ");
    qn_prof_put_number(w, m->line);
    qn_prof_put_text(w, " ");
    qn_prof_put_number(w, t->object[m->object]);
    qn_prof_put_text(w, m->part == QN_PROF_NO_PART ? " -" : " ");
    if (m->part != QN_PROF_NO_PART)
        qn_prof_put_number(w, t->part[m->part]);
    for (int i = 0; i < QN_PROF_DATA_EVENTS; i++)
        if (qn_prof_data_has(t->d, i)) {
            qn_prof_put_text(w, " ");
            qn_prof_put_number(w, m->counts[i]);
        }
    qn_prof_put_line(w, "");
}

void qn_prof_put_data(struct qn_prof_writer *w, const struct qn_prof_data *d)
{
    struct writing t = {.w = w, .d = d};
    if (!d->miss_count)
        return;
    number_all(&t);
    put_numbers(w, "#data:", (const int64_t[]){t.objects, (int64_t)d->miss_count}, 2, NULL);
    qn_prof_put_text(w, "#data-events:");
    for (int i = 0; i < QN_PROF_DATA_EVENTS; i++)
        if (qn_prof_data_has(d, i)) {
            qn_prof_put_text(w, " ");
            qn_prof_put_text(w, qn_prof_data_events[i]);
        }
    qn_prof_put_line(w, "");
    if (d->use)
        put_numbers(w, "#line:", &d->line, 1, NULL);
    if (d->lost[0] || d->lost[1])
        put_numbers(w, "#lost:", d->lost, 2, NULL);
    put_objects(&t);
    put_pairs(&t);
    put_uses(&t);
    for (size_t i = 0; i < d->miss_count; i++)
        put_row(&t, &d->misses[i], i ? &d->misses[i - 1] : NULL);
    free(t.object);
    free(t.part);
}
