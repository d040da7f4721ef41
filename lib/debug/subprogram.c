/* lib/debug/subprogram.c - the function of an address by DWARF, for modules without symbol table.
 *
 * In:  an address inside  DW_TAG_subprogram { name "main", low 401000, high 401080 }
 * Out: "main", end 401080
 *
 * Inlined functions are not answers: their code belongs to the function that was called.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "debug/internal.h"

static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute at;

    return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &at));
}

static uint64_t end_of_range(Dwarf_Die *die, uint64_t address)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
        if (address >= start && address < end)
            return end;
    return address + 1;
}

void qn_debug_find_subprogram(struct qn_debug *d, uint64_t address, const char **name, uint64_t *end)
{
    struct qn_unit *u = qn_debug_find_unit(d, address, end);
    Dwarf_Die *scopes = NULL;
    int count = u ? dwarf_getscopes(&u->die, address, &scopes) : 0;

    for (int i = 0; i < count; i++) {
        if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
            continue;
        *name = name_of(&scopes[i]);
        *end = end_of_range(&scopes[i], address);
        break;
    }
    free(scopes);
}
