/* lib/debug/types.c - reads types from debug information: kind, size and name.  See types.h.
 *
 * In:  DW_TAG_array_type { 100 } of DW_TAG_typedef "point" of DW_TAG_structure_type { 16 bytes }
 * Out: element "point", 16 bytes, one dimension of 100
 */
#define _GNU_SOURCE
#include "debug/types.h"

#include <dwarf.h>
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

void qn_debug_free_memory(struct qn_debug *d)
{
    struct qn_memory *m = d->memory;

    if (!m)
        return;
    for (size_t i = 0; i < m->ntypes; i++) {
        free(m->types[i]->name);
        free(m->types[i]);
    }
    free(m->types);
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

/* Replaces the declaration of a structure by the first definition of that name in any unit. */
static bool define(struct qn_debug *d, Dwarf_Die *type)
{
    Dwarf_Attribute at;
    const char *name = dwarf_diename(type);
    Dwarf *dwarf = qn_debug_open_dwarf(d);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, split, die;

    if (!dwarf_hasattr(type, DW_AT_declaration) || !name || !qn_debug_is_structure(type))
        return true;
    if (dwarf_formref_die(dwarf_attr(type, DW_AT_signature, &at), &die)) {
        *type = die;
        return true;
    }
    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, &split) == 0) {
        if (dwarf_child(split.addr ? &split : &unit, &die))
            continue;
        do {
            const char *other = qn_debug_is_structure(&die) && !dwarf_hasattr(&die, DW_AT_declaration) ? dwarf_diename(&die) : NULL;

            if (other && !strcmp(other, name)) {
                *type = die;
                return true;
            }
        } while (!dwarf_siblingof(&die, &die));
    }
    return false;
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

static struct qn_debug_type *find_made(const struct qn_memory *m, const Dwarf_Die *type, bool block)
{
    for (size_t i = 0; i < m->ntypes; i++)
        if (m->types[i]->named.addr == type->addr && m->types[i]->block == block && !m->types[i]->dimensions)
            return m->types[i];
    return NULL;
}

const struct qn_debug_type *qn_debug_make_type(struct qn_debug *d, Dwarf_Die type, bool block)
{
    struct qn_memory *m = qn_debug_memory(d);
    struct qn_debug_type t = {.debug = d, .block = block}, *fresh = m ? find_made(m, &type, block) : NULL;
    size_t length;
    FILE *out;

    if (fresh || !m)
        return fresh;
    t.dimensions = qn_debug_dimensions(&type, t.dimension, QN_DEBUG_DIMENSIONS);
    t.named = t.die = type;
    if (!qn_debug_strip(&t.die) || !define(d, &t.die))
        return NULL;
    t.size = qn_debug_size(&t.die);
    t.structure = qn_debug_is_structure(&t.die);
    t.open_ended = t.structure && qn_debug_is_open_ended(&t.die);
    out = open_memstream(&t.name, &length);
    if (!out)
        return NULL;
    put_name(d, out, t.named, 0);
    fclose(out);
    if (QN_GROW(m->types, m->ntypes, m->type_room, QN_DEBUG_ROOM))
        fresh = malloc(sizeof *fresh);
    if (!fresh) {
        free(t.name);
        return NULL;
    }
    *fresh = t;
    m->types[m->ntypes++] = fresh;
    return fresh;
}

uint64_t qn_debug_type_size(const struct qn_debug_type *t) { return t->size; }

uint32_t qn_debug_type_element(const struct qn_debug_type *t)
{
    return t->structure && !t->open_ended && t->size <= ELEMENT_MAX ? (uint32_t)t->size : 0;
}
