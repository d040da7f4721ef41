/* lib/debug/members.c - finds members of structures by offset, and elements of arrays.  See types.h.
 *
 * In:  struct { int key; struct { double x, y; } at; char name[40]; }, offset 16
 * Out: "at.y"
 *
 * An array inside a structure is one part if it has more than INDEXES_MAX elements.  Members that overlap (a union's) are named together,
 * "a|b".  Bytes between members are "+4 (padding)".
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <inttypes.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "debug/memory.h"

#define DEPTH_MAX 32     /* nesting of structures; more is damage */
#define INDEXES_MAX 16u
#define VISITS_MAX 10000u /* of structures, for one answer; more is damage: structures that hold each other, or each the next one twice */

struct member {
    Dwarf_Die die, type; /* type: not stripped of typedefs */
    const char *name;    /* NULL: an anonymous structure, or a base class, whose members count as those of the structure around it */
    uint64_t offset, size;
};

static bool number(Dwarf_Die *die, unsigned attribute, Dwarf_Word *value)
{
    Dwarf_Attribute at;

    return dwarf_formudata(dwarf_attr_integrate(die, attribute, &at), value) == 0;
}

/* false: a static member, which has no offset.  A union's member may have no DW_AT_data_member_location: offset 0. */
static bool read_member(Dwarf_Die *die, struct member *m)
{
    int tag = dwarf_tag(die);
    Dwarf_Word bits, value = 0;

    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(die, DW_AT_declaration) || dwarf_hasattr(die, DW_AT_const_value)
        || !qn_debug_type_of(die, &m->type))
        return false;
    m->die = *die;
    m->name = tag == DW_TAG_member ? dwarf_diename(die) : NULL;
    m->size = qn_debug_size(&m->type);
    if (number(die, DW_AT_data_bit_offset, &bits)) {
        m->offset = bits / 8;
        if (number(die, DW_AT_bit_size, &value))
            m->size = (bits + value + 7) / 8 - m->offset;
        return true;
    }
    if (!number(die, DW_AT_data_member_location, &value) && dwarf_hasattr(die, DW_AT_data_member_location))
        return false; /* of a virtual base */
    m->offset = value;
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct member *a = left, *b = right;

    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (uintptr_t)a->die.addr < (uintptr_t)b->die.addr ? -1 : a->die.addr != b->die.addr;
}

struct members {
    const void *structure; /* its entry: the key of the tree */
    struct member *list; /* by offset */
    size_t count, room;
    bool variants;       /* its members depend on its value (an enum of Rust's) */
};

static void read_members(Dwarf_Die *structure, struct members *all)
{
    Dwarf_Die die;

    if (dwarf_child(structure, &die))
        return;
    do {
        all->variants |= dwarf_tag(&die) == DW_TAG_variant_part;
        if (QN_GROW(all->list, all->count, all->room, 16) && read_member(&die, &all->list[all->count]))
            all->count++;
    } while (!dwarf_siblingof(&die, &die));
    if (all->count)
        qsort(all->list, all->count, sizeof *all->list, compare);
}

/* Begins an answer; false: no memory. */
static bool begin(struct qn_debug *d)
{
    struct qn_memory *m = qn_debug_memory(d);

    if (m)
        m->visits = VISITS_MAX;
    return m;
}

/* The members of a structure, which are read once. */
static const struct members *members_of(struct qn_debug *d, Dwarf_Die *structure)
{
    static const struct members none;
    struct members wanted = { .structure = structure->addr }, *fresh, **found = tfind(&wanted, &d->memory->members, qn_debug_compare_keys);

    if (!d->memory->visits)
        return &none;
    d->memory->visits--;
    if (found)
        return *found;
    if (!(fresh = calloc(1, sizeof *fresh)))
        return &none;
    fresh->structure = structure->addr;
    if (!tsearch(fresh, &d->memory->members, qn_debug_compare_keys)) {
        free(fresh);
        return &none;
    }
    read_members(structure, fresh);
    return fresh;
}

static void free_node(void *node)
{
    free(((struct members *)node)->list);
    free(node);
}

void qn_debug_free_members(struct qn_memory *m)
{
    tdestroy(m->members, free_node);
}

/* ---- arrays ---- */

static uint64_t elements_of(Dwarf_Die *range)
{
    Dwarf_Word n;

    if (number(range, DW_AT_count, &n))
        return n;
    return number(range, DW_AT_upper_bound, &n) && n < INT64_MAX ? n + 1 : 0;
}

unsigned qn_debug_dimensions(Dwarf_Die *type, uint64_t *dimension, unsigned room)
{
    unsigned n = 0;
    Dwarf_Die array = *type, range;

    while (n < room && qn_debug_strip(&array) && dwarf_tag(&array) == DW_TAG_array_type) {
        if (!dwarf_child(&array, &range))
            do {
                if (dwarf_tag(&range) == DW_TAG_subrange_type && n < room)
                    dimension[n++] = elements_of(&range);
            } while (!dwarf_siblingof(&range, &range));
        if (!qn_debug_type_of(&array, type))
            break;
        array = *type;
    }
    return n;
}

static uint64_t count_elements(const uint64_t *dimension, unsigned n)
{
    uint64_t all = 1;

    for (unsigned i = 0; i < n; i++)
        if (__builtin_mul_overflow(all, dimension[i], &all))
            return UINT64_MAX;
    return all;
}

/* Does the structure, or its last member if that is a structure, end in an array of no or one element? */
static bool is_open_ended(struct qn_debug *d, Dwarf_Die *structure, int depth)
{
    const struct members *all;
    uint64_t dimension[QN_DEBUG_DIMENSIONS];
    Dwarf_Die type;
    unsigned n;

    if (depth > DEPTH_MAX || dwarf_tag(structure) == DW_TAG_union_type)
        return false;
    all = members_of(d, structure);
    if (!all->count)
        return false;
    type = all->list[all->count - 1].type;
    n = qn_debug_dimensions(&type, dimension, QN_DEBUG_DIMENSIONS);
    return n ? count_elements(dimension, n) < 2 : qn_debug_strip(&type) && qn_debug_is_structure(&type) && is_open_ended(d, &type, depth + 1);
}

bool qn_debug_is_open_ended(struct qn_debug *d, Dwarf_Die *structure) { return begin(d) && is_open_ended(d, structure, 0); }

/* ---- the type at an offset ---- */

static bool type_at(struct qn_debug *d, Dwarf_Die type, uint64_t offset, Dwarf_Die *found, int depth)
{
    uint64_t dimension[QN_DEBUG_DIMENSIONS], size;
    const struct members *all;
    bool is_found = false;

    if (depth > DEPTH_MAX)
        return false;
    if (qn_debug_dimensions(&type, dimension, QN_DEBUG_DIMENSIONS) && (size = qn_debug_size(&type)) != 0)
        offset %= size;
    *found = type;
    if (!qn_debug_strip(&type))
        return false;
    if (!qn_debug_is_structure(&type))
        return offset == 0;
    all = members_of(d, &type);
    for (size_t i = 0; i < all->count && !is_found; i++) {
        const struct member *m = &all->list[i];

        if (offset >= m->offset && (!m->size || offset - m->offset < m->size))
            is_found = type_at(d, m->type, offset - m->offset, found, depth + 1);
    }
    return is_found;
}

bool qn_debug_type_at(struct qn_debug *d, Dwarf_Die type, uint64_t offset, Dwarf_Die *found) { return begin(d) && type_at(d, type, offset, found, 0); }

bool qn_debug_pointers_in(struct qn_debug *d, Dwarf_Die structure, Dwarf_Die *found)
{
    const struct members *all;
    bool any = false;

    if (!begin(d) || !qn_debug_strip(&structure) || !qn_debug_is_structure(&structure))
        return false;
    all = members_of(d, &structure);
    for (size_t i = 0; i < all->count && !any; i++) {
        uint64_t dimension[QN_DEBUG_DIMENSIONS];
        Dwarf_Die pointee;

        *found = all->list[i].type;
        any = qn_debug_dimensions(found, dimension, QN_DEBUG_DIMENSIONS) && qn_debug_pointee(*found, &pointee);
    }
    return any;
}

/* ---- names of parts ---- */

struct text {
    struct qn_debug *debug;
    char *to;
    size_t size;
};

static __attribute__((format(printf, 2, 3))) void put(struct text *t, const char *format, ...)
{
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(t->to, t->size, format, arguments);
    va_end(arguments);
    if (n < 0)
        return;
    n = (size_t)n < t->size ? n : (int)t->size - 1;
    t->to += n;
    t->size -= (size_t)n;
}

static void put_member(struct text *t, Dwarf_Die structure, uint64_t offset, const char *before, int depth);

/* Appends the name of the part of member m that has the offset. */
static void put_inside(struct text *t, const struct member *m, uint64_t offset, const char *before, int depth)
{
    uint64_t dimension[QN_DEBUG_DIMENSIONS], all;
    Dwarf_Die type = m->type;
    unsigned n = qn_debug_dimensions(&type, dimension, QN_DEBUG_DIMENSIONS);
    uint64_t size = qn_debug_size(&type), rest = offset - m->offset;

    if (m->name)
        put(t, "%s%s", before, m->name);
    before = m->name ? "." : before;
    all = n ? count_elements(dimension, n) : 1;
    if (n && (all > INDEXES_MAX || !all || !size)) {
        put(t, "[]");
    } else if (n) {
        put(t, "[%" PRIu64 "]", rest / size);
    }
    if (n && size)
        rest %= size;
    if (qn_debug_strip(&type) && (dwarf_tag(&type) == DW_TAG_structure_type || dwarf_tag(&type) == DW_TAG_class_type || !m->name)
        && qn_debug_is_structure(&type))
        put_member(t, type, rest, before, depth + 1);
}

static void put_member(struct text *t, Dwarf_Die structure, uint64_t offset, const char *before, int depth)
{
    const struct members *all;
    uint64_t gap = 0; /* where the padding begins, if no member has the offset */
    bool any = false;

    if (depth > DEPTH_MAX)
        return;
    all = members_of(t->debug, &structure);
    for (size_t i = 0; i < all->count; i++) {
        const struct member *m = &all->list[i];
        bool last = i + 1 == all->count;

        if (m->offset + m->size <= offset && m->offset + m->size > gap)
            gap = m->offset + m->size;
        if (offset < m->offset || (offset - m->offset >= m->size && !(last && is_open_ended(t->debug, &structure, 0))))
            continue;
        put_inside(t, m, offset, any ? "|" : before, depth);
        any = true;
    }
    if (!any && (all->variants || !all->count))
        put(t, "%s+%" PRIu64, before, offset);
    else if (!any)
        put(t, "%s+%" PRIu64 " (padding)", before, gap);
}

/* "[3]", "[3][16]" */
static void put_index(struct text *t, const struct qn_debug_type *type, uint64_t index)
{
    uint64_t inner = 1;

    for (unsigned i = 1; i < type->dimensions; i++)
        inner *= type->dimension[i] ? type->dimension[i] : 1;
    for (unsigned i = 0; i < type->dimensions || i == 0; i++) {
        put(t, "[%" PRIu64 "]", index / inner);
        index %= inner;
        if (i + 1 < type->dimensions)
            inner /= type->dimension[i + 1] ? type->dimension[i + 1] : 1;
    }
}

static void put_indexes(struct text *t, const struct qn_debug_type *type, uint64_t first, uint64_t last)
{
    if (first == last || type->dimensions > 1) {
        put_index(t, type, first);
        if (first != last) {
            put(t, "..");
            put_index(t, type, last);
        }
    } else {
        put(t, "[%" PRIu64 "..%" PRIu64 "]", first, last);
    }
}

void qn_debug_put_part(const struct qn_debug_type *type, uint64_t offset, uint64_t bytes, char *text, size_t size)
{
    struct text t = {type->debug, text, size};

    text[0] = 0;
    if (!begin(type->debug))
        return;
    if (type->structure && (offset < type->size || type->open_ended))
        put_member(&t, type->die, offset, "", 0);
    else if (type->structure || !type->size)
        put(&t, "+%" PRIu64, offset);
    else if (type->block || type->dimensions)
        put_indexes(&t, type, offset / type->size, (offset + bytes - 1) / type->size);
}

/* ---- all members ---- */

struct listing {
    struct qn_debug *debug;
    qn_debug_take_member *take;
    void *data;
    char name[400];
};

static void list(struct listing *l, Dwarf_Die structure, uint64_t from, size_t length, int depth)
{
    const struct members *all;

    if (depth > DEPTH_MAX)
        return;
    all = members_of(l->debug, &structure);
    for (size_t i = 0; i < all->count; i++) {
        const struct member *m = &all->list[i];
        Dwarf_Die type = m->type;
        size_t n = length;

        if (m->name)
            n += (size_t)snprintf(l->name + length, sizeof l->name - length, "%s%s", length ? "." : "", m->name);
        if (n >= sizeof l->name)
            n = sizeof l->name - 1;
        if (qn_debug_strip(&type) && qn_debug_is_structure(&type) && (dwarf_tag(&type) != DW_TAG_union_type || !m->name))
            list(l, type, from + m->offset, n, depth + 1);
        else
            l->take(l->data, l->name, from + m->offset, m->size);
        l->name[length] = 0;
    }
}

void qn_debug_list_members(const struct qn_debug_type *t, qn_debug_take_member *take, void *data)
{
    struct listing l = {t->debug, take, data, ""};

    if (t->structure && begin(t->debug))
        list(&l, t->die, 0, 0, 0);
}
