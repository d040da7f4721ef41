/*
 * Advice from misses by type, member and object. See advice.h.
 */
#define _GNU_SOURCE
#include "out/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/grow.h"
#include "out/modern/modern.h"
#include "out/sink.h"
#include "text/names.h"

/* The sentences: what advice.h calls the rules, in its order. */
#define SAY_HEAD "%s of the D1 misses\n"
#define SAY_ONE "%s of its D1 misses are on %s, %lld bytes: what is used with it belongs beside it, the rest elsewhere\n"
#define SAY_USED "%s of the %lld bytes of a line are used before it leaves"
#define SAY_USED_OF_ONE "; %s of the bytes used are of %s: an array of this member alone would fill lines with it\n"
#define SAY_NEVER_USED ": these belong elsewhere\n"
#define SAY_USED_OF_OBJECT ": what is used one after the other does not lie together, or comes too late\n"
#define SAY_PADDING "%lld of its %lld bytes are padding: members in the order of their size need less\n"
#define SAY_TWO ": two structures would do\n"
#define SAY_CONFLICTS "%s of its D1 misses are conflict misses: other distances between its rows, or to what is used with it, would avoid them\n"
#define SAY_RIVAL "%s of its conflict misses are on lines that had been evicted for %s\n"

enum { MEMBERS_MAX = 64, NAME_MAX_ = 600, UNUSED_SHOWN = 8 };

struct member {
    const struct qn_prof_member *what;
    int64_t misses;
    int64_t filled, used; /* bytes */
    int group; /* number of its group: members on which the same functions miss */
};

struct advice {
    struct qn_out_advice *to;
    const struct qn_prof_data *data;
    FILE *text;  /* of the last item */
    size_t size; /* of that text */
    int64_t all; /* misses */
    /* of the current type: */
    const struct qn_prof_object *type; /* the first object of it */
    struct member members[MEMBERS_MAX];
    int count;
    int64_t misses, filled, used;
};

static int64_t misses_of(const struct qn_prof_miss *m) { return m->counts[QN_PROF_D1MR] + m->counts[QN_PROF_D1MW]; }

static int is_share(int64_t part, int64_t whole, int percent) { return part > 0 && (double)part * 100 >= (double)whole * percent; }

/* "95.6%", valid until the next call. */
static const char *percent(int64_t part, int64_t whole)
{
    static char text[QN_OUT_PERCENT_MAX];
    strcpy(text + qn_out_fixed(text, qn_out_percent(part, whole), 1), "%");
    return text;
}

static void end_item(struct advice *a)
{
    if (a->text && fclose(a->text))
        qn_no_memory();
    a->text = NULL;
}

/* The first line of an item, about a type or an object. */
static void put_head(struct advice *a, uint32_t object, const char *name, int64_t bytes, int64_t misses, int *headed)
{
    struct qn_out_advice *to = a->to;
    if (*headed)
        return;
    *headed = 1;
    end_item(a);
    QN_MORE(to->items, to->count, to->room, 8);
    to->items[to->count] = (struct qn_out_advice_item){.object = object, .type = bytes ? a->type->type : NULL, .misses = misses,
                                                           .name_length = (int)strlen(name)};
    a->text = QN_NEEDED(open_memstream(&to->items[to->count++].text, &a->size));
    fprintf(a->text, "%s: ", name);
    if (bytes)
        fprintf(a->text, "%lld bytes, ", (long long)bytes);
    fprintf(a->text, SAY_HEAD, percent(misses, a->all));
}

/* ---- members ---- */

/* "at.x", "name[]", "speed[1].x" are parts of "at.x", "name", "speed". */
static int is_part_of(const char *part, const char *member)
{
    size_t n = strlen(member);
    return n && strncmp(part, member, n) == 0 && (!part[n] || part[n] == '[' || part[n] == '.' || part[n] == '|');
}

static int find_member(const struct advice *a, const char *part)
{
    for (int i = 0; i < a->count; i++)
        if (is_part_of(part, a->members[i].what->name))
            return i;
    return -1;
}

static int is_of_type(const struct advice *a, uint32_t object)
{
    const char *type = a->data->objects[object].type;
    return type && strcmp(type, a->type->type) == 0;
}

/* The member that a row is on; -1: another type, or no member. */
static int member_of(const struct advice *a, const struct qn_prof_miss *m)
{
    if (m->part == QN_PROF_NO_PART || !is_of_type(a, m->object))
        return -1;
    return find_member(a, a->data->parts[m->part].name);
}

static void collect(struct advice *a, uint32_t object)
{
    a->type = &a->data->objects[object];
    a->count = 0;
    a->misses = a->filled = a->used = 0;
    for (size_t i = 0; i < a->data->member_count && a->count < MEMBERS_MAX; i++)
        if (a->data->members[i].object == object)
            a->members[a->count++] = (struct member){.what = &a->data->members[i]};
    for (size_t i = 0; i < a->data->miss_count; i++) {
        int k = member_of(a, &a->data->misses[i]);
        if (is_of_type(a, a->data->misses[i].object)) {
            a->misses += misses_of(&a->data->misses[i]);
            a->filled += a->data->misses[i].counts[QN_PROF_FILLED];
            a->used += a->data->misses[i].counts[QN_PROF_USED];
        }
        if (k >= 0)
            a->members[k].misses += misses_of(&a->data->misses[i]);
    }
    for (size_t i = 0; i < a->data->use_count; i++) {
        const struct qn_prof_use *u = &a->data->uses[i];
        int k = is_of_type(a, u->object) ? find_member(a, a->data->parts[u->part].name) : -1;
        if (k >= 0) {
            a->members[k].filled += u->filled;
            a->members[k].used += u->used;
        }
    }
}

/* ---- rules ---- */

static void advise_one(struct advice *a, uint32_t object, int *headed)
{
    const struct member *most = &a->members[0];
    for (int i = 1; i < a->count; i++)
        if (a->members[i].misses > most->misses)
            most = &a->members[i];
    if (!is_share(most->misses, a->misses, QN_OUT_ADVICE_ONE) || 2 * most->what->size > a->type->type_size)
        return;
    put_head(a, object, a->type->type, a->type->type_size, a->misses, headed);
    fprintf(a->text, SAY_ONE, percent(most->misses, a->misses), most->what->name, (long long)most->what->size);
}

/* Writes "8.0 of the 64 bytes of a line are used before it leaves"; 0: more are used, so the rule does not hold. */
static int put_used(struct advice *a, uint32_t object, const char *name, int64_t bytes, int64_t misses, int64_t filled, int64_t used, int *headed)
{
    char number[QN_OUT_PERCENT_MAX];
    if (filled <= 0 || !a->data->line || (double)used * 100 >= (double)filled * QN_OUT_ADVICE_USED)
        return 0;
    put_head(a, object, name, bytes, misses, headed);
    qn_out_fixed(number, (double)a->data->line * (double)used / (double)filled, 1);
    fprintf(a->text, SAY_USED, number, (long long)a->data->line);
    return 1;
}

static void put_unused(const struct advice *a)
{
    int n = 0;
    for (int i = 0; i < a->count; i++)
        if (a->members[i].filled && !a->members[i].used && n++ < UNUSED_SHOWN)
            fprintf(a->text, "%s%s", n > 1 ? ", " : "; never used are ", a->members[i].what->name);
    if (n > UNUSED_SHOWN)
        fprintf(a->text, " and %d more", n - UNUSED_SHOWN);
    fputs(n ? SAY_NEVER_USED : "\n", a->text);
}

static void advise_used(struct advice *a, uint32_t object, int *headed)
{
    const struct member *most = &a->members[0];
    int64_t used = 0;
    for (int i = 0; i < a->count; i++) {
        most = a->members[i].used > most->used ? &a->members[i] : most;
        used += a->members[i].used;
    }
    if (!put_used(a, object, a->type->type, a->type->type_size, a->misses, a->filled, a->used, headed))
        return;
    if (a->count < 2 || !is_share(most->used, used, QN_OUT_ADVICE_ONE))
        put_unused(a);
    else
        fprintf(a->text, SAY_USED_OF_ONE, percent(most->used, used), most->what->name);
}

static int64_t lowest_bit(int64_t n) { return n & -n; }

/* The bytes of the type with its members in the order of their size.  Its alignment is at most the lowest bit of the size and the offset of
 * the member with the largest.  More padding at the end than that needs comes from alignas: then it is the lowest bit of the type's size. */
static int64_t least_size(const struct advice *a)
{
    int64_t sum = 0, end = 0, align = 1;
    for (int i = 0; i < a->count; i++) {
        const struct qn_prof_member *m = a->members[i].what;
        int64_t of = lowest_bit(m->size | m->offset);
        sum += m->size;
        end = m->offset + m->size > end ? m->offset + m->size : end;
        align = of > align ? of : align;
    }
    if (a->type->type_size - end >= align)
        align = lowest_bit(a->type->type_size);
    return (sum + align - 1) / align * align;
}

static void advise_padding(struct advice *a, uint32_t object, int *headed)
{
    int64_t least = least_size(a);
    if (a->count == MEMBERS_MAX || !is_share(a->type->type_size - least, a->type->type_size, QN_OUT_ADVICE_PADDING))
        return;
    put_head(a, object, a->type->type, a->type->type_size, a->misses, headed);
    fprintf(a->text, SAY_PADDING, (long long)(a->type->type_size - least), (long long)a->type->type_size);
}

static void find_groups(struct advice *a)
{
    const struct qn_prof_miss *before = NULL;
    int last = -1, from;
    for (int i = 0; i < a->count; i++)
        a->members[i].group = i;
    for (size_t i = 0; i < a->data->miss_count; i++) { /* by file and function */
        const struct qn_prof_miss *m = &a->data->misses[i];
        int k = misses_of(m) ? member_of(a, m) : -1;
        if (before && (strcmp(before->function, m->function) != 0 || strcmp(before->file, m->file) != 0))
            last = -1;
        before = m;
        if (k < 0)
            continue;
        from = a->members[k].group;
        for (int g = 0; g < a->count && last >= 0; g++) /* one function misses on members of both groups, which become one */
            if (a->members[g].group == from)
                a->members[g].group = a->members[last].group;
        last = k;
    }
}

static int64_t misses_of_group(const struct advice *a, int group)
{
    int64_t sum = 0;
    for (int i = 0; i < a->count; i++)
        sum += a->members[i].group == group ? a->members[i].misses : 0;
    return sum;
}

static void put_group(const struct advice *a, const char *before, int group)
{
    for (int i = 0; i < a->count; i++)
        if (a->members[i].group == group && a->members[i].misses) {
            fprintf(a->text, "%s%s", before, a->members[i].what->name);
            before = ", ";
        }
}

static void advise_two(struct advice *a, uint32_t object, int *headed)
{
    int groups[2], n = 0;
    find_groups(a);
    for (int i = 0; i < a->count && n < 2; i++) {
        int group = a->members[i].group, seen = n && groups[0] == group;
        if (!seen && is_share(misses_of_group(a, group), a->misses, QN_OUT_ADVICE_PART))
            groups[n++] = group;
    }
    if (n < 2)
        return;
    put_head(a, object, a->type->type, a->type->type_size, a->misses, headed);
    put_group(a, "Functions that miss on ", groups[0]);
    put_group(a, " do not miss on ", groups[1]);
    fputs(SAY_TWO, a->text);
}

static void advise_type(struct advice *a, uint32_t object)
{
    int headed = 0;
    collect(a, object);
    if (!a->count)
        return;
    if (a->data->use)
        advise_used(a, object, &headed);
    else if (a->type->type_size > QN_OUT_ADVICE_LINE)
        advise_one(a, object, &headed);
    advise_padding(a, object, &headed);
    if (a->type->type_size > QN_OUT_ADVICE_LINE)
        advise_two(a, object, &headed);
}

/* Writes the other object with which it has most of its conflict misses. */
static void put_rival(struct advice *a, uint32_t object, int64_t conflicts)
{
    const struct qn_prof_pair *most = NULL;
    char name[NAME_MAX_];
    for (size_t i = 0; i < a->data->pair_count; i++) {
        const struct qn_prof_pair *p = &a->data->pairs[i];
        if (p->object == object && p->conflicts > 0 && (!most || p->conflicts > most->conflicts))
            most = p;
    }
    if (!most)
        return;
    qn_prof_describe_object(&a->data->objects[most->by], name, sizeof name);
    fprintf(a->text, SAY_RIVAL, percent(most->conflicts, conflicts), most->by == object ? "other lines of its own" : name);
}

/* Can the programmer change the object's place or layout? */
static int is_own(const struct qn_prof_object *o)
{
    return strcmp(o->kind, "symbol") == 0 || strcmp(o->kind, "heap") == 0 || strcmp(o->kind, "local") == 0 || strcmp(o->kind, "anonymous") == 0;
}

/* The sums of all rows of an object. */
struct object_sum {
    int64_t misses, conflicts, filled, used;
    int64_t of_type; /* misses on all objects of its type */
};

/* Does the object have the members of its type?  The first object of a type does. */
static int has_members(const struct qn_prof_data *d, uint32_t object)
{
    size_t first = QN_COUNT_WHILE(i, d->member_count, d->members[i].object < object);
    return first < d->member_count && d->members[first].object == object;
}

static int has_typed_members(const struct advice *a, uint32_t object)
{
    const char *type = a->data->objects[object].type;
    for (size_t i = 0; i < a->data->member_count && type; i++) {
        const char *other = a->data->objects[a->data->members[i].object].type;
        if (other && strcmp(type, other) == 0)
            return 1;
    }
    return 0;
}

static void advise_object(struct advice *a, uint32_t object, const struct object_sum *o)
{
    char name[NAME_MAX_];
    int headed = 0;
    if (!is_share(o->misses, a->all, QN_OUT_ADVICE_SHARE))
        return;
    qn_prof_describe_object(&a->data->objects[object], name, sizeof name);
    if (is_own(&a->data->objects[object]) && !has_typed_members(a, object) && put_used(a, object, name, 0, o->misses, o->filled, o->used, &headed))
        fputs(SAY_USED_OF_OBJECT, a->text);
    if (!is_share(o->conflicts, o->misses, QN_OUT_ADVICE_CONFLICT))
        return;
    put_head(a, object, name, 0, o->misses, &headed);
    fprintf(a->text, SAY_CONFLICTS, percent(o->conflicts, o->misses));
    put_rival(a, object, o->conflicts);
}

static void add_row(struct object_sum *o, const struct qn_prof_miss *m)
{
    o->misses += misses_of(m);
    o->conflicts += m->counts[QN_PROF_CONFLICT];
    o->filled += m->counts[QN_PROF_FILLED];
    o->used += m->counts[QN_PROF_USED];
}

static void sum_types(const struct qn_prof_data *data, struct object_sum *sums)
{
    struct qn_text_names types = {0};
    uint32_t *type = QN_NEEDED(calloc(data->object_count + 1, sizeof *type));
    int64_t *misses = QN_NEEDED(calloc(data->object_count + 1, sizeof *misses));
    for (size_t i = 0; i < data->object_count; i++) {
        const char *name = data->objects[i].type ? data->objects[i].type : "";
        type[i] = qn_text_intern(&types, name, strlen(name));
        misses[type[i]] += sums[i].misses;
    }
    for (size_t i = 0; i < data->object_count; i++)
        sums[i].of_type = misses[type[i]];
    qn_text_free_names(&types);
    free(type);
    free(misses);
}

void qn_out_find_advice(struct qn_out_advice *to, const struct qn_prof_data *data)
{
    struct advice a = {.to = to, .data = data};
    struct object_sum *sums = QN_NEEDED(calloc(data->object_count + 1, sizeof *sums));
    *to = (struct qn_out_advice){0};
    for (size_t i = 0; i < data->miss_count; i++) {
        a.all += misses_of(&data->misses[i]);
        add_row(&sums[data->misses[i].object], &data->misses[i]);
    }
    sum_types(data, sums);
    for (uint32_t i = 0; i < data->object_count && a.all > 0; i++)
        if (is_share(sums[i].of_type, a.all, QN_OUT_ADVICE_SHARE) && has_members(data, i))
            advise_type(&a, i);
    for (uint32_t i = 0; i < data->object_count && a.all > 0; i++)
        advise_object(&a, i, &sums[i]);
    end_item(&a);
    free(sums);
}

void qn_out_free_advice(struct qn_out_advice *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->items[i].text);
    free(a->items);
}

/* The subject, and below it, indented, what is advised. */
static void put_item(struct qn_out_sink *s, struct qn_out_advice_item *item)
{
    char *rest = item->text;
    for (const char *line; (line = strsep(&rest, "\n")) && *line;) {
        qn_out_puts(s, line == item->text ? "" : "    ");
        qn_out_name(s, line);
        qn_out_putc(s, '\n');
    }
}

void qn_out_put_advice(struct qn_out_sink *s, const struct qn_prof_data *data)
{
    struct qn_out_advice a;
    qn_out_find_advice(&a, data);
    if (a.count)
        qn_out_put_title(s, "Advice", "");
    for (size_t i = 0; i < a.count; i++)
        put_item(s, &a.items[i]);
    if (a.count)
        qn_out_putc(s, '\n');
    qn_out_free_advice(&a);
}
