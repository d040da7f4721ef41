/* lib/debug/types.c - reads types from debug information: kind, size, name and members.  See debug.h.
 *
 * In:  DW_TAG_array_type { 100 } of DW_TAG_typedef "point" of DW_TAG_structure_type { 16 bytes }
 * Out: element "point", 16 bytes, one dimension of 100
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
#include "debug/internal.h"

#define LINKS_MAX 64          /* typedefs and pointers in a chain; more is damage */
#define ELEMENT_MAX 65536u    /* bytes of the largest structure whose members are separate parts */

bool qn_debug_has_types(struct qn_debug *d)
{
    Elf *elf = qn_debug_dwarf_file(d);
    GElf_Shdr header;

    return elf && (qn_debug_section(elf, ".debug_info", &header) || qn_debug_section(elf, ".zdebug_info", &header));
}

/* ---- entries ---- */

bool qn_debug_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute at;
    Dwarf_Die unit;

    if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &at), type))
        return false;
    if (dwarf_formref_die(dwarf_attr(type, DW_AT_signature, &at), &unit)) /* a type of -fdebug-types-section */
        *type = unit;
    return true;
}

static bool is_a_name(int tag)
{
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type
           || tag == DW_TAG_atomic_type || tag == DW_TAG_immutable_type;
}

/* Strips typedefs, const and other qualifiers; false: void. */
static bool strip(Dwarf_Die *type)
{
    for (int i = 0; i < LINKS_MAX; i++) {
        Dwarf_Die next;

        if (!is_a_name(dwarf_tag(type)))
            return dwarf_tag(type) != DW_TAG_invalid;
        if (!qn_debug_type_of(type, &next))
            return false;
        *type = next;
    }
    return false;
}

bool qn_debug_pointee(Dwarf_Die type, Dwarf_Die *pointee)
{
    Dwarf_Die what;
    int tag = strip(&type) ? dwarf_tag(&type) : DW_TAG_invalid;

    if ((tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type)
        || !qn_debug_type_of(&type, pointee))
        return false;
    what = *pointee;
    return strip(&what) && dwarf_tag(&what) != DW_TAG_subroutine_type && dwarf_tag(&what) != DW_TAG_unspecified_type;
}

static bool is_structure(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);

    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool qn_debug_is_char(Dwarf_Die type)
{
    return strip(&type) && dwarf_tag(&type) == DW_TAG_base_type && qn_debug_size(&type) == 1;
}

struct definition {
    const char *name;
    Dwarf_Die die;
};

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const struct definition *)left)->name, ((const struct definition *)right)->name);
}

/* Of several definitions of a name the first one stays. */
static bool take_definition(void *data, Dwarf_Die *die, int tag)
{
    struct qn_debug *d = data;
    struct definition *fresh, wanted = { NULL, *die };

    (void)tag;
    if (!is_structure(die) || dwarf_hasattr(die, DW_AT_declaration) || !(wanted.name = dwarf_diename(die))
        || tfind(&wanted, &d->definitions, compare_names) || !(fresh = malloc(sizeof *fresh)))
        return false;
    *fresh = wanted;
    if (!tsearch(fresh, &d->definitions, compare_names))
        free(fresh);
    return false;
}

/* Replaces the declaration of a structure by the first definition of that name in any unit. */
static bool define(struct qn_debug *d, Dwarf_Die *type)
{
    Dwarf_Attribute at;
    struct definition wanted = { dwarf_diename(type), *type }, **found;
    Dwarf_Die die;

    if (!dwarf_hasattr(type, DW_AT_declaration) || !wanted.name || !is_structure(type))
        return true;
    if (dwarf_formref_die(dwarf_attr(type, DW_AT_signature, &at), &die)) {
        *type = die;
        return true;
    }
    if (!d->definitions_read)
        qn_debug_walk_units(d, take_definition, d);
    d->definitions_read = true;
    found = tfind(&wanted, &d->definitions, compare_names);
    if (found)
        *type = (*found)->die;
    return found;
}

/* ---- members ---- */

#define DEPTH_MAX 32     /* nesting of structures; more is damage */
#define INDEXES_MAX 16u
#define VISITS_MAX 10000u /* of structures, for one answer; more is damage: structures that hold each other, or each the next one twice */

struct member {
    Dwarf_Die die, type; /* type: not stripped of typedefs */
    const char *name;    /* NULL: an anonymous structure, or a base class, whose members count as those of the structure around it */
    uint64_t offset, size;
};

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
    if (qn_debug_number(die, DW_AT_data_bit_offset, &bits)) {
        m->offset = bits / 8;
        if (qn_debug_number(die, DW_AT_bit_size, &value))
            m->size = (bits + value + 7) / 8 - m->offset;
        return true;
    }
    if (!qn_debug_number(die, DW_AT_data_member_location, &value) && dwarf_hasattr(die, DW_AT_data_member_location))
        return false; /* of a virtual base */
    m->offset = value;
    return true;
}

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;

    return QN_COMPARE(a->offset, b->offset) ?: QN_COMPARE((uintptr_t)a->die.addr, (uintptr_t)b->die.addr);
}

struct members {
    const void *structure; /* its entry: the key of the tree */
    bool read;
    struct member *list; /* by offset */
    size_t count, room;
    bool variants;       /* its members depend on its value (an enum of Rust's) */
};

static void read_members(Dwarf_Die *structure, struct members *all)
{
    Dwarf_Die die;

    QN_DEBUG_EACH_CHILD(structure, &die) {
        all->variants |= dwarf_tag(&die) == DW_TAG_variant_part;
        if (QN_GROW(all->list, all->count, all->room, 16) && read_member(&die, &all->list[all->count]))
            all->count++;
    }
    if (all->count)
        qsort(all->list, all->count, sizeof *all->list, compare_members);
}

/* The members of a structure, which are read once. */
static const struct members *members_of(struct qn_debug *d, Dwarf_Die *structure)
{
    static const struct members none;
    struct members *m;

    if (!d->visits)
        return &none;
    d->visits--;
    m = qn_debug_node(&d->members, structure->addr, sizeof *m);
    if (m && !m->read) {
        m->read = true;
        read_members(structure, m);
    }
    return m ? m : &none;
}

/* ---- arrays ---- */

static uint64_t elements_of(Dwarf_Die *range)
{
    Dwarf_Word n;

    if (qn_debug_number(range, DW_AT_count, &n))
        return n;
    return qn_debug_number(range, DW_AT_upper_bound, &n) && n < INT64_MAX ? n + 1 : 0;
}

/* The numbers of elements of an array, one for each dimension, `room` at most; returns how many.  *type becomes that of an element. */
static unsigned read_dimensions(Dwarf_Die *type, uint64_t *dimension, unsigned room)
{
    unsigned n = 0;
    Dwarf_Die array = *type, range;

    for (int i = 0; i < LINKS_MAX && n < room && strip(&array) && dwarf_tag(&array) == DW_TAG_array_type; i++) {
        QN_DEBUG_EACH_CHILD(&array, &range)
            if (dwarf_tag(&range) == DW_TAG_subrange_type && n < room)
                dimension[n++] = elements_of(&range);
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

/* libdw's function does not look into type units for what is qualified, or an array's elements. */
uint64_t qn_debug_size(Dwarf_Die *type)
{
    uint64_t dimension[QN_DEBUG_DIMENSIONS];
    Dwarf_Die element = *type;
    Dwarf_Word size;
    unsigned n;

    if (!dwarf_aggregate_size(type, &size))
        return size;
    n = read_dimensions(&element, dimension, QN_DEBUG_DIMENSIONS);
    if (!strip(&element) || dwarf_aggregate_size(&element, &size) || __builtin_mul_overflow(size, count_elements(dimension, n), &size))
        return 0;
    return size;
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
    n = read_dimensions(&type, dimension, QN_DEBUG_DIMENSIONS);
    return n ? count_elements(dimension, n) < 2 : strip(&type) && is_structure(&type) && is_open_ended(d, &type, depth + 1);
}

/* ---- names ---- */

static bool is_of_c(Dwarf_Die *die)
{
    Dwarf_Die unit;
    int language = dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;

    return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 || language == DW_LANG_C11;
}

static const char *keyword(Dwarf_Die *die)
{
    switch (is_of_c(die) ? dwarf_tag(die) : DW_TAG_invalid) {
    case DW_TAG_structure_type: return "struct ";
    case DW_TAG_union_type: return "union ";
    case DW_TAG_enumeration_type: return "enum ";
    default: return "";
    }
}

static void put_name(struct qn_debug *d, FILE *out, Dwarf_Die type, int depth)
{
    Dwarf_Die next;
    bool named = dwarf_tag(&type) == DW_TAG_typedef || !is_a_name(dwarf_tag(&type));
    const char *name = named && !is_of_c(&type) ? qn_debug_name_die(d, &type) : named ? dwarf_diename(&type) : NULL;

    if (depth > LINKS_MAX)
        return;
    if (name) {
        fprintf(out, "%s%s", keyword(&type), name);
    } else if (dwarf_tag(&type) == DW_TAG_pointer_type || dwarf_tag(&type) == DW_TAG_reference_type) {
        if (qn_debug_type_of(&type, &next))
            put_name(d, out, next, depth + 1);
        else
            fputs("void", out);
        fputs(" *", out);
    } else if (dwarf_tag(&type) == DW_TAG_subroutine_type) {
        fputs("function", out);
    } else if (is_a_name(dwarf_tag(&type)) && qn_debug_type_of(&type, &next)) {
        put_name(d, out, next, depth + 1);
    } else {
        fprintf(out, "%s(anonymous)", keyword(&type));
    }
}

const char *qn_debug_type_name(const struct qn_debug_type *t) { return t->name; }

/* ---- what is made of them ---- */

const struct qn_debug_type *qn_debug_make_type(struct qn_debug *d, Dwarf_Die type, bool block)
{
    struct qn_debug_type *t = qn_debug_node(&d->types[block], type.addr, sizeof *t);
    size_t length;
    FILE *out;

    if (!t || t->made)
        return t && t->name ? t : NULL;
    t->made = true;
    t->debug = d;
    t->block = block;
    t->dimensions = read_dimensions(&type, t->dimension, QN_DEBUG_DIMENSIONS);
    t->named = t->die = type;
    if (!strip(&t->die) || !define(d, &t->die))
        return NULL;
    t->size = qn_debug_size(&t->die);
    t->structure = is_structure(&t->die);
    d->visits = VISITS_MAX;
    t->open_ended = t->structure && is_open_ended(d, &t->die, 0);
    out = open_memstream(&t->name, &length);
    if (!out)
        return NULL;
    put_name(d, out, t->named, 0);
    fclose(out);
    return t;
}

uint64_t qn_debug_type_size(const struct qn_debug_type *t) { return t->size; }

uint32_t qn_debug_type_element(const struct qn_debug_type *t)
{
    return t->structure && !t->open_ended && t->size <= ELEMENT_MAX ? (uint32_t)t->size : 0;
}

/* ---- the type at an offset ---- */

static bool type_at(struct qn_debug *d, Dwarf_Die type, uint64_t offset, Dwarf_Die *found, int depth)
{
    uint64_t dimension[QN_DEBUG_DIMENSIONS], size;
    const struct members *all;
    bool is_found = false;

    if (depth > DEPTH_MAX)
        return false;
    if (read_dimensions(&type, dimension, QN_DEBUG_DIMENSIONS) && (size = qn_debug_size(&type)) != 0)
        offset %= size;
    *found = type;
    if (!strip(&type))
        return false;
    if (!is_structure(&type))
        return offset == 0;
    all = members_of(d, &type);
    for (size_t i = 0; i < all->count && !is_found; i++) {
        const struct member *m = &all->list[i];

        if (offset >= m->offset && (!m->size || offset - m->offset < m->size))
            is_found = type_at(d, m->type, offset - m->offset, found, depth + 1);
    }
    return is_found;
}

bool qn_debug_type_at(struct qn_debug *d, Dwarf_Die type, uint64_t offset, Dwarf_Die *found)
{
    d->visits = VISITS_MAX;
    return type_at(d, type, offset, found, 0);
}

bool qn_debug_pointers_in(struct qn_debug *d, Dwarf_Die structure, Dwarf_Die *found)
{
    const struct members *all;
    bool any = false;

    d->visits = VISITS_MAX;
    if (!strip(&structure) || !is_structure(&structure))
        return false;
    all = members_of(d, &structure);
    for (size_t i = 0; i < all->count && !any; i++) {
        uint64_t dimension[QN_DEBUG_DIMENSIONS];
        Dwarf_Die pointee;

        *found = all->list[i].type;
        any = read_dimensions(found, dimension, QN_DEBUG_DIMENSIONS) && qn_debug_pointee(*found, &pointee);
    }
    return any;
}

/* ---- names of parts ----
 *
 * In:  struct { int key; struct { double x, y; } at; char name[40]; }, offset 16
 * Out: "at.y"
 *
 * An array inside a structure is one part if it has more than INDEXES_MAX elements.  Members that overlap (a union's) are named together,
 * "a|b".  Bytes between members are "+4 (padding)".
 */

struct text {
    struct qn_debug *debug;
    char *to;
    size_t size;
};

static __attribute__((format(printf, 2, 3))) void put_text(struct text *t, const char *format, ...)
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
    unsigned n = read_dimensions(&type, dimension, QN_DEBUG_DIMENSIONS);
    uint64_t size = qn_debug_size(&type), rest = offset - m->offset;

    if (m->name)
        put_text(t, "%s%s", before, m->name);
    before = m->name ? "." : before;
    all = n ? count_elements(dimension, n) : 1;
    if (n && (all > INDEXES_MAX || !all || !size)) {
        put_text(t, "[]");
    } else if (n) {
        put_text(t, "[%" PRIu64 "]", rest / size);
    }
    if (n && size)
        rest %= size;
    if (strip(&type) && (dwarf_tag(&type) == DW_TAG_structure_type || dwarf_tag(&type) == DW_TAG_class_type || !m->name)
        && is_structure(&type))
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
        put_text(t, "%s+%" PRIu64, before, offset);
    else if (!any)
        put_text(t, "%s+%" PRIu64 " (padding)", before, gap);
}

/* "[3]", "[3][16]" */
static void put_index(struct text *t, const struct qn_debug_type *type, uint64_t index)
{
    uint64_t inner = 1;

    for (unsigned i = 1; i < type->dimensions; i++)
        inner *= type->dimension[i] ? type->dimension[i] : 1;
    for (unsigned i = 0; i < type->dimensions || i == 0; i++) {
        put_text(t, "[%" PRIu64 "]", index / inner);
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
            put_text(t, "..");
            put_index(t, type, last);
        }
    } else {
        put_text(t, "[%" PRIu64 "..%" PRIu64 "]", first, last);
    }
}

void qn_debug_put_part(const struct qn_debug_type *type, uint64_t offset, uint64_t bytes, char *text, size_t size)
{
    struct text t = {type->debug, text, size};

    text[0] = 0;
    type->debug->visits = VISITS_MAX;
    if (type->structure && (offset < type->size || type->open_ended))
        put_member(&t, type->die, offset, "", 0);
    else if (type->structure || !type->size)
        put_text(&t, "+%" PRIu64, offset);
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

static void list_members(struct listing *l, Dwarf_Die structure, uint64_t from, size_t length, int depth)
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
        if (strip(&type) && is_structure(&type) && (dwarf_tag(&type) != DW_TAG_union_type || !m->name))
            list_members(l, type, from + m->offset, n, depth + 1);
        else
            l->take(l->data, l->name, from + m->offset, m->size);
        l->name[length] = 0;
    }
}

void qn_debug_list_members(const struct qn_debug_type *t, qn_debug_take_member *take, void *data)
{
    struct listing l = {t->debug, take, data, ""};

    t->debug->visits = VISITS_MAX;
    if (t->structure)
        list_members(&l, t->die, 0, 0, 0);
}

/* ---- closing ---- */

static void free_type(void *type)
{
    free(((struct qn_debug_type *)type)->name);
    free(type);
}

static void free_members(void *node)
{
    free(((struct members *)node)->list);
    free(node);
}

void qn_debug_free_types(struct qn_debug *d)
{
    tdestroy(d->types[0], free_type);
    tdestroy(d->types[1], free_type);
    tdestroy(d->members, free_members);
    tdestroy(d->definitions, free);
}
