/* lib/debug/types.c - reads types from debug information: kind, size and name.  See types.h.
 *
 * In:  DW_TAG_array_type { 100 } of DW_TAG_typedef "point" of DW_TAG_structure_type { 16 bytes }
 * Out: element "point", 16 bytes, one dimension of 100
 */
#define _GNU_SOURCE
#include "debug/types.h"

#include <dwarf.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "debug/memory.h"

#define LINKS_MAX 64          /* typedefs and pointers in a chain; more is damage */
#define ELEMENT_MAX 65536u    /* bytes of the largest structure whose members are separate parts */

struct qn_memory *qn_debug_memory(struct qn_debug *d)
{
    if (!d->memory)
        d->memory = calloc(1, sizeof *d->memory);
    return d->memory;
}

static void free_type(void *type)
{
    free(((struct qn_debug_type *)type)->name);
    free(type);
}

void qn_debug_free_memory(struct qn_debug *d)
{
    struct qn_memory *m = d->memory;

    if (!m)
        return;
    tdestroy(m->types[0], free_type);
    tdestroy(m->types[1], free_type);
    while (m->arrays) {
        struct qn_debug_type *next = m->arrays->next;

        free_type(m->arrays);
        m->arrays = next;
    }
    qn_debug_free_members(m);
    tdestroy(m->definitions, free);
    free(m->globals);
    if (m->frames)
        dwarf_cfi_end(m->frames);
    free(m);
    d->memory = NULL;
}

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

    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &at), type) != NULL;
}

static bool is_a_name(int tag)
{
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type
           || tag == DW_TAG_atomic_type || tag == DW_TAG_immutable_type;
}

bool qn_debug_strip(Dwarf_Die *type)
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
    int tag = qn_debug_strip(&type) ? dwarf_tag(&type) : DW_TAG_invalid;

    if ((tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type)
        || !qn_debug_type_of(&type, pointee))
        return false;
    what = *pointee;
    return qn_debug_strip(&what) && dwarf_tag(&what) != DW_TAG_subroutine_type && dwarf_tag(&what) != DW_TAG_unspecified_type;
}

bool qn_debug_is_structure(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);

    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

uint64_t qn_debug_size(Dwarf_Die *type)
{
    Dwarf_Word size;

    return dwarf_aggregate_size(type, &size) ? 0 : size;
}

bool qn_debug_is_char(Dwarf_Die type)
{
    return qn_debug_strip(&type) && dwarf_tag(&type) == DW_TAG_base_type && qn_debug_size(&type) == 1;
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
static void take_definition(struct qn_memory *m, Dwarf_Die *die)
{
    struct definition *fresh, wanted = { NULL, *die };

    if (!qn_debug_is_structure(die) || dwarf_hasattr(die, DW_AT_declaration) || !(wanted.name = dwarf_diename(die))
        || tfind(&wanted, &m->definitions, compare_names) || !(fresh = malloc(sizeof *fresh)))
        return;
    *fresh = wanted;
    if (!tsearch(fresh, &m->definitions, compare_names))
        free(fresh);
}

static void read_definitions(struct qn_debug *d, struct qn_memory *m)
{
    Dwarf *dwarf = qn_debug_open_dwarf(d);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, split, die;

    m->definitions_read = true;
    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, &split) == 0) {
        if (dwarf_child(split.addr ? &split : &unit, &die))
            continue;
        do {
            take_definition(m, &die);
        } while (!dwarf_siblingof(&die, &die));
    }
}

/* Replaces the declaration of a structure by the first definition of that name in any unit. */
static bool define(struct qn_debug *d, Dwarf_Die *type)
{
    struct qn_memory *m = d->memory;
    Dwarf_Attribute at;
    struct definition wanted = { dwarf_diename(type), *type }, **found;
    Dwarf_Die die;

    if (!dwarf_hasattr(type, DW_AT_declaration) || !wanted.name || !qn_debug_is_structure(type))
        return true;
    if (dwarf_formref_die(dwarf_attr(type, DW_AT_signature, &at), &die)) {
        *type = die;
        return true;
    }
    if (!m->definitions_read)
        read_definitions(d, m);
    found = tfind(&wanted, &m->definitions, compare_names);
    if (found)
        *type = (*found)->die;
    return found;
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

const char *qn_debug_type_name(const struct qn_debug_type *t) { return t->name ? t->name : "???"; }

/* ---- what is made of them ---- */

/* false: no memory. */
static bool keep(struct qn_memory *m, struct qn_debug_type *t)
{
    if (!t->dimensions)
        return tsearch(t, &m->types[t->block], qn_debug_compare_keys);
    t->next = m->arrays;
    m->arrays = t;
    return true;
}

const struct qn_debug_type *qn_debug_make_type(struct qn_debug *d, Dwarf_Die type, bool block)
{
    struct qn_memory *m = qn_debug_memory(d);
    struct qn_debug_type t = {.key = type.addr, .debug = d, .block = block}, *fresh, **made = m ? tfind(&t, &m->types[block], qn_debug_compare_keys) : NULL;
    size_t length;
    FILE *out;

    if (made || !m)
        return made ? *made : NULL;
    t.dimensions = qn_debug_dimensions(&type, t.dimension, QN_DEBUG_DIMENSIONS);
    t.named = t.die = type;
    if (!qn_debug_strip(&t.die) || !define(d, &t.die))
        return NULL;
    t.size = qn_debug_size(&t.die);
    t.structure = qn_debug_is_structure(&t.die);
    t.open_ended = t.structure && qn_debug_is_open_ended(d, &t.die);
    out = open_memstream(&t.name, &length);
    if (!out)
        return NULL;
    put_name(d, out, t.named, 0);
    fclose(out);
    if ((fresh = malloc(sizeof *fresh)))
        *fresh = t;
    if (fresh && keep(m, fresh))
        return fresh;
    free(t.name);
    free(fresh);
    return NULL;
}

uint64_t qn_debug_type_size(const struct qn_debug_type *t) { return t->size; }

uint32_t qn_debug_type_element(const struct qn_debug_type *t)
{
    return t->structure && !t->open_ended && t->size <= ELEMENT_MAX ? (uint32_t)t->size : 0;
}
