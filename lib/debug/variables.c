/* lib/debug/variables.c - finds global variables by address, from debug information.  See types.h.
 *
 * In:  DW_TAG_variable { name "table", type, location: DW_OP_addr 404040 }, also inside functions, namespaces and classes
 * Out: 404040..404440, its entry; sorted
 *
 * objects.c finds the name by the symbol tables; this finds the type.  Thread-local variables are left out in both.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "debug/inlines.h"
#include "debug/memory.h"

#define DEPTH_MAX 100 /* nesting of entries; more is damage */

static void take_variable(struct qn_memory *m, Dwarf_Die *die)
{
    Dwarf_Attribute at;
    Dwarf_Op *ops;
    size_t n;
    Dwarf_Die type;
    uint64_t size;

    if (dwarf_getlocation(dwarf_attr(die, DW_AT_location, &at), &ops, &n) || n != 1 || !qn_debug_type_of(die, &type))
        return;
    if (ops[0].atom != DW_OP_addr && ops[0].atom != DW_OP_addrx && ops[0].atom != DW_OP_GNU_addr_index)
        return;
    size = qn_debug_size(&type);
    if (ops[0].atom != DW_OP_addr) {
        Dwarf_Attribute found;
        Dwarf_Word address;

        if (dwarf_getlocation_attr(dwarf_attr(die, DW_AT_location, &at), ops, &found) || dwarf_formaddr(&found, &address))
            return;
        ops[0].number = address;
    }
    if (size && ops[0].number && QN_GROW(m->globals, m->nglobals, m->global_room, QN_DEBUG_ROOM))
        m->globals[m->nglobals++] = (struct qn_global){.start = ops[0].number, .end = ops[0].number + size, .die = *die};
}

static bool may_hold_variables(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type
           || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_module || tag == DW_TAG_inlined_subroutine;
}

static void walk(struct qn_memory *m, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;

    if (depth > DEPTH_MAX || dwarf_child(parent, &die))
        return;
    do {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_variable)
            take_variable(m, &die);
        else if (may_hold_variables(tag) && dwarf_haschildren(&die))
            walk(m, &die, depth + 1);
    } while (!dwarf_siblingof(&die, &die));
}

static int compare(const void *left, const void *right)
{
    const struct qn_global *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end > b->end ? -1 : a->end < b->end;
}

void qn_debug_read_globals(struct qn_debug *d, struct qn_memory *m)
{
    Dwarf *dwarf = qn_debug_open_dwarf(d);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, split;

    m->globals_read = true;
    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, &split) == 0)
        walk(m, split.addr ? &split : &unit, 0);
    if (m->nglobals)
        qsort(m->globals, m->nglobals, sizeof *m->globals, compare);
}

static struct qn_global *search(const struct qn_memory *m, uint64_t address)
{
    size_t low = QN_COUNT_WHILE(i, m->nglobals, m->globals[i].start <= address);

    while (low > 1 && m->globals[low - 2].start == m->globals[low - 1].start)
        low--; /* the largest of those that begin there */
    return low && address < m->globals[low - 1].end ? &m->globals[low - 1] : NULL;
}

void qn_debug_find_declaration(struct qn_debug_variable *v, Dwarf_Die die)
{
    Dwarf_Die said = qn_debug_declaration(die);
    int line = 0;

    v->file = dwarf_decl_file(&die);
    if (!v->file)
        v->file = dwarf_decl_file(&said);
    if (!dwarf_decl_line(&die, &line) || !dwarf_decl_line(&said, &line))
        v->line = line > 0 ? (uint32_t)line : 0;
}

struct qn_global *qn_debug_find_global(struct qn_debug *d, uint64_t address)
{
    struct qn_memory *m = qn_debug_memory(d);

    if (!m)
        return NULL;
    if (!m->globals_read)
        qn_debug_read_globals(d, m);
    return search(m, address);
}

bool qn_debug_find_variable(struct qn_debug *d, uint64_t address, struct qn_debug_variable *v)
{
    struct qn_global *g = qn_debug_find_global(d, address);
    Dwarf_Die type;

    if (!g)
        return false;
    if (!g->looked && qn_debug_type_of(&g->die, &type))
        g->type = qn_debug_make_type(d, type, false);
    g->looked = true;
    *v = (struct qn_debug_variable){.name = dwarf_diename(&g->die), .start = g->start, .size = g->end - g->start, .type = g->type};
    qn_debug_find_declaration(v, g->die);
    return true;
}
