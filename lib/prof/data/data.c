/*
 * Reads the tables of objects and misses behind a profile's summary. See data.h.
 *
 * In:  the lines behind "#data: 2 3"
 * Out: two objects, their parts, three rows of misses
 */
#define _GNU_SOURCE
#include "prof/data/data.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "prof/kind.h"
#include "text/digits.h"
#include "text/input.h"
#include "text/names.h"
#include "text/source.h"

const char *const qn_prof_data_events[QN_PROF_DATA_EVENTS] = {"D1mr", "D1mw", "DLmr", "DLmw", "compulsory", "capacity", "conflict", "filled", "used"};
const char *const qn_prof_data_profile_events[QN_PROF_DATA_EVENTS] = {"D1mr", "D1mw", "DLmr", "DLmw", "AN.compulsory", "AN.capacity", "AN.conflict", "D1.filled", "D1.used"};

struct reading {
    struct qn_prof_data *data;
    struct qn_text_lines lines;
    struct qn_text_names names;
    struct qn_text_error *err;
    const char *path, *file, *function;
    uint64_t objects, rows; /* numbers that `#data:` announces */
    size_t object_room, part_room, member_room, miss_room, pair_room, use_room;
};

static int bad(struct reading *r, const char *what, const char *got)
{
    qn_text_fail(r->err, QN_TEXT_BAD, "%s:%ld: %s, got `%.60s`", r->path, r->lines.number, what, got);
    return -1;
}

/* Reads `count` numbers with a blank between each two; returns where they end, NULL if they are malformed, or if the sum of all that were read
 * leaves 64 bits. */
static const char *take_numbers(struct reading *r, const char *text, int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t n;
        int negative;
        if (i && *text++ != ' ')
            return NULL;
        negative = *text == '-'; /* of a difference */
        text = qn_text_parse_digits(text + negative, INT64_MAX, &n);
        if (!text || __builtin_add_overflow(r->data->all, (int64_t)n, &r->data->all))
            return NULL;
        numbers[i] = negative ? -(int64_t)n : (int64_t)n;
    }
    return text;
}

static const char *keep(struct reading *r, const char *text, size_t n)
{
    return qn_text_name(&r->names, qn_text_intern(&r->names, text, n));
}

static const char *keep_text(struct reading *r, const char *text) { return keep(r, text, strlen(text)); }

static const char *keep_file(struct reading *r, const char *text)
{
    size_t length = strlen(text);
    text = qn_text_map_source(text, &length);
    return keep(r, text, length);
}

/* "KIND SIZE BLOCKS BYTES NAME" */
static int take_object(struct reading *r, const char *text)
{
    struct qn_prof_data *d = r->data;
    size_t kind = strcspn(text, " ");
    int64_t n[3];
    const char *end = text[kind] ? take_numbers(r, text + kind + 1, n, 3) : NULL;
    if (!end || *end != ' ')
        return bad(r, "malformed object", text);
    QN_MORE(d->objects, d->object_count, r->object_room, 64);
    d->objects[d->object_count++] = (struct qn_prof_object){.kind = keep(r, text, kind), .name = keep_text(r, end + 1), .size = n[0], .blocks = n[1], .bytes = n[2]};
    return 0;
}

static int take_from(struct reading *r, struct qn_prof_object *o, const char *text)
{
    int64_t line;
    const char *end = take_numbers(r, text, &line, 1);
    if (!end || *end != ' ' || line < 0 || line > UINT32_MAX)
        return bad(r, "malformed place", text);
    o->line = (uint32_t)line;
    o->file = keep_file(r, end + 1);
    return 0;
}

static int take_part(struct reading *r, const char *text)
{
    struct qn_prof_data *d = r->data;
    QN_MORE(d->parts, d->part_count, r->part_room, 64);
    d->parts[d->part_count++] = (struct qn_prof_part){(uint32_t)d->object_count - 1, keep_text(r, text)};
    return 0;
}

/* "BYTES NAME" */
static int take_type(struct reading *r, struct qn_prof_object *o, const char *text)
{
    const char *end = take_numbers(r, text, &o->type_size, 1);
    if (!end || *end != ' ')
        return bad(r, "malformed type", text);
    o->type = keep_text(r, end + 1);
    return 0;
}

/* "OFFSET BYTES NAME" */
static int take_member(struct reading *r, const char *text)
{
    struct qn_prof_data *d = r->data;
    int64_t n[2];
    const char *end = take_numbers(r, text, n, 2);
    if (!end || *end != ' ')
        return bad(r, "malformed member", text);
    QN_MORE(d->members, d->member_count, r->member_room, 64);
    d->members[d->member_count++] = (struct qn_prof_member){(uint32_t)d->object_count - 1, keep_text(r, end + 1), n[0], n[1]};
    return 0;
}

/* The names of a row's counts: those of misses, then the classes, or the bytes used, or both groups. */
static int take_events(struct reading *r, const char *text)
{
    struct qn_prof_data *d = r->data;
    char names[200] = "";
    if (d->miss_count)
        return bad(r, "events of data behind rows of them", text);
    d->classes = strstr(text, qn_prof_data_events[QN_PROF_COMPULSORY]) != NULL;
    d->use = strstr(text, qn_prof_data_events[QN_PROF_FILLED]) != NULL;
    for (int i = 0; i < QN_PROF_DATA_EVENTS; i++)
        if (qn_prof_data_has(d, i))
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "", qn_prof_data_events[i]);
    return strcmp(text, names) == 0 ? 0 : bad(r, "unknown events of data", text);
}

/* A number for each event that the table has, each after a blank. */
static const char *take_counts(struct reading *r, const char *text, int64_t *counts)
{
    for (int i = 0; i < QN_PROF_DATA_EVENTS && text; i++)
        if (qn_prof_data_has(r->data, i))
            text = *text == ' ' ? take_numbers(r, text + 1, &counts[i], 1) : NULL;
    return text;
}

/* "LINE OBJECT PART|- D1mr D1mw DLmr DLmw ..." */
static int take_miss(struct reading *r, const char *text)
{
    struct qn_prof_data *d = r->data;
    struct qn_prof_miss m = {.file = r->file, .function = r->function, .part = QN_PROF_NO_PART};
    int64_t n[2], part = 0;
    const char *end = take_numbers(r, text, n, 2);
    if (end && end[0] == ' ' && end[1] == '-')
        end += 2;
    else if (end && *end == ' ' && (end = take_numbers(r, end + 1, &part, 1)) != NULL)
        m.part = (uint32_t)part;
    end = end ? take_counts(r, end, m.counts) : NULL;
    if (!end || *end || n[0] < 0 || n[0] > UINT32_MAX || n[1] < 0 || part < 0 || n[1] >= (int64_t)d->object_count || (m.part != QN_PROF_NO_PART && part >= (int64_t)d->part_count)
        || !m.file || !m.function)
        return bad(r, "malformed row of misses", text);
    if (m.part != QN_PROF_NO_PART && d->parts[m.part].object != n[1])
        return bad(r, "a part of another object", text);
    QN_MORE(d->misses, d->miss_count, r->miss_room, 256);
    m.line = (uint32_t)n[0];
    m.object = (uint32_t)n[1];
    d->misses[d->miss_count++] = m;
    return 0;
}

/* "OBJECT BY MISSES CONFLICTS" */
static int take_pair(struct reading *r, const char *text)
{
    struct qn_prof_data *d = r->data;
    int64_t n[4];
    const char *end = take_numbers(r, text, n, 4);
    if (!end || *end || n[0] < 0 || n[1] < 0 || n[0] >= (int64_t)d->object_count || n[1] >= (int64_t)d->object_count)
        return bad(r, "malformed pair of objects", text);
    QN_MORE(d->pairs, d->pair_count, r->pair_room, 64);
    d->pairs[d->pair_count++] = (struct qn_prof_pair){(uint32_t)n[0], (uint32_t)n[1], n[2], n[3]};
    return 0;
}

/* "OBJECT PART FILLED USED" */
static int take_use(struct reading *r, const char *text)
{
    struct qn_prof_data *d = r->data;
    int64_t n[4];
    const char *end = take_numbers(r, text, n, 4);
    if (!end || *end || n[0] < 0 || n[1] < 0 || n[1] >= (int64_t)d->part_count || d->parts[n[1]].object != n[0])
        return bad(r, "malformed row of bytes used", text);
    QN_MORE(d->uses, d->use_count, r->use_room, 64);
    d->uses[d->use_count++] = (struct qn_prof_use){(uint32_t)n[0], (uint32_t)n[1], n[2], n[3]};
    return 0;
}

static int take_name(struct reading *r, const char **to, const char *text) { return *to = keep_text(r, text), 0; }

static int take_of_object(struct reading *r, const char *key, const char *text)
{
    struct qn_prof_data *d = r->data;
    struct qn_prof_object *o = d->object_count ? &d->objects[d->object_count - 1] : NULL;
    if (!o)
        return bad(r, "a part of no object", text);
    if (strcmp(key, "from") == 0)
        return take_from(r, o, text);
    if (strcmp(key, "in") == 0)
        return take_name(r, &o->function, text);
    if (strcmp(key, "type") == 0)
        return take_type(r, o, text);
    return strcmp(key, "member") == 0 ? take_member(r, text) : take_part(r, text);
}

static int take_lost(struct reading *r, const char *text)
{
    const char *end = take_numbers(r, text, r->data->lost, 2);
    return end && !*end ? 0 : bad(r, "malformed number of misses", text);
}

static int take_line_bytes(struct reading *r, const char *text)
{
    const char *end = take_numbers(r, text, &r->data->line, 1);
    return end && !*end && r->data->line >= 0 ? 0 : bad(r, "malformed size of a line", text);
}

/* Takes one line of the tables, without its "#". 1: the tables have ended before it. */
static int take_line(struct reading *r, char *text)
{
    char *colon = strstr(text, ": ");
    const char *value = colon ? colon + 2 : "";
    if (!colon || strcmp(text, "regions:") == 0)
        return 1;
    *colon = '\0';
    if (strcmp(text, "object") == 0)
        return take_object(r, value);
    if (strcmp(text, "miss") == 0)
        return take_miss(r, value);
    if (strcmp(text, "pair") == 0)
        return take_pair(r, value);
    if (strcmp(text, "use") == 0)
        return take_use(r, value);
    if (strcmp(text, "file") == 0)
        return r->file = keep_file(r, value), 0;
    if (strcmp(text, "function") == 0)
        return take_name(r, &r->function, value);
    if (strcmp(text, "lost") == 0)
        return take_lost(r, value);
    if (strcmp(text, "line") == 0)
        return take_line_bytes(r, value);
    if (strcmp(text, "data-events") == 0)
        return take_events(r, value);
    if (strcmp(text, "from") == 0 || strcmp(text, "in") == 0 || strcmp(text, "type") == 0 || strcmp(text, "member") == 0 || strcmp(text, "part") == 0)
        return take_of_object(r, text, value);
    return 1;
}

/* Reads up to and with "#data: OBJECTS ROWS". 0: there is no such line. */
static int find_tables(struct reading *r)
{
    char *text;
    size_t length;
    int64_t n[2];
    int got;
    while ((got = qn_text_next_line(&r->lines, &text, &length, r->err)) > 0) {
        const char *end = strncmp(text, "#data: ", 7) == 0 ? take_numbers(r, text + 7, n, 2) : text;
        if (end == text)
            continue;
        if (!end || *end)
            return bad(r, "malformed head of the data tables", text);
        r->objects = (uint64_t)n[0];
        r->rows = (uint64_t)n[1];
        return 1;
    }
    return got;
}

static int read_tables(struct reading *r)
{
    char *text;
    size_t length;
    int got, taken = 0;
    while (!taken && (got = qn_text_next_line(&r->lines, &text, &length, r->err)) != 0) {
        if (got < 0)
            return -1;
        taken = text[0] == '#' ? take_line(r, text + 1) : bad(r, "text behind the summary", text);
    }
    if (taken < 0)
        return -1;
    if (r->data->object_count != r->objects || r->data->miss_count != r->rows) {
        qn_text_fail(r->err, QN_TEXT_BAD, "%s: the data tables are cut short: %zu of %llu objects, %zu of %llu rows", r->path,
                     r->data->object_count, (unsigned long long)r->objects, r->data->miss_count, (unsigned long long)r->rows);
        return -1;
    }
    return 0;
}

enum qn_text_status qn_prof_read_data(const char *path, struct qn_prof_data *data, struct qn_text_error *err)
{
    struct reading r = {.data = data, .err = err, .path = path};
    enum qn_text_status status = qn_prof_open_lines(&r.lines, path, err);
    int got;
    *data = (struct qn_prof_data){.classes = false};
    if (status != QN_TEXT_OK)
        return status;
    got = find_tables(&r);
    if (got > 0)
        got = read_tables(&r);
    qn_text_close_lines(&r.lines);
    data->names = QN_NEEDED(malloc(sizeof *data->names));
    *data->names = r.names;
    if (got >= 0)
        return QN_TEXT_OK;
    qn_prof_free_data(data);
    return err->status;
}

void qn_prof_free_data(struct qn_prof_data *data)
{
    if (data->names)
        qn_text_free_names(data->names);
    free(data->names);
    free(data->objects);
    free(data->parts);
    free(data->members);
    free(data->misses);
    free(data->pairs);
    free(data->uses);
    *data = (struct qn_prof_data){0};
}

void qn_prof_describe_object(const struct qn_prof_object *o, char *text, size_t size)
{
    char place[200] = "", type[200] = "";
    if (o->file && o->line)
        snprintf(place, sizeof place, "%.150s:%u", basename(o->file), o->line);
    if (o->type)
        snprintf(type, sizeof type, ", %.150s", o->type);
    if (strcmp(o->kind, "symbol") == 0)
        snprintf(text, size, "%s (global%s%s%s)", o->name, place[0] ? ", " : "", place, type);
    else if (strcmp(o->kind, "local") == 0)
        snprintf(text, size, "%s (stack of %s%s%s%s)", o->name, o->function ? o->function : "???", place[0] ? ", " : "", place, type);
    else if (strcmp(o->kind, "heap") == 0)
        snprintf(text, size, "%s in %s%s%s%s%s", o->name, o->function ? o->function : "???", place[0] ? " (" : "", place, place[0] ? ")" : "", type);
    else
        snprintf(text, size, "%s", o->name);
}

/* ---- sums and differences ---- */

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

static const char *keep_name(struct qn_prof_data_sum *s, const char *text)
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
        return keep_name(s, name);
    kept = qn_text_apply_subst(subst, name, strlen(name), &buffer, err) == 0 ? keep_name(s, buffer.text) : NULL;
    free(buffer.text);
    return kept;
}

static void add_members(struct qn_prof_data_sum *s, const struct qn_prof_data *from, uint32_t object, uint32_t to)
{
    for (size_t i = QN_COUNT_WHILE(k, from->member_count, from->members[k].object < object); i < from->member_count && from->members[i].object == object; i++) {
        const struct qn_prof_member *m = &from->members[i];
        QN_MORE(s->data.members, s->data.member_count, s->member_room, 64);
        s->data.members[s->data.member_count++] = (struct qn_prof_member){to, keep_name(s, m->name), m->offset, m->size};
    }
}

/* The number in the sum. */
static uint32_t add_object(struct qn_prof_data_sum *s, const struct qn_prof_data *from, uint32_t number, int sign, struct qn_text_error *err)
{
    const struct qn_prof_object *o = &from->objects[number];
    struct key *fresh = QN_NEEDED(calloc(1, sizeof *fresh)), **found;
    struct qn_prof_object *to;
    fresh->object = (struct qn_prof_object){.kind = keep_name(s, o->kind), .name = keep_name(s, o->name), .file = change(s, s->mod_file, o->file, err),
                                            .function = change(s, s->mod_fn, o->function, err), .type = keep_name(s, o->type), .line = o->line,
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
        s->data.parts[s->data.part_count++] = (struct qn_prof_part){to->object, keep_name(s, from->parts[m->part].name)};
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
        s->data.parts[s->data.part_count++] = (struct qn_prof_part){objects[u->object], keep_name(s, from->parts[u->part].name)};
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

/* ---- text ---- */

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
