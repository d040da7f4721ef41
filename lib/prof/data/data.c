/*
 * Reads the tables of objects and misses behind a profile's summary. See data.h.
 *
 * In:  the lines behind "#data: 2 3"
 * Out: two objects, their parts, three rows of misses
 */
#define _GNU_SOURCE
#include "prof/data/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
