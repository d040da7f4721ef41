/* lib/debug/dwarf.c - the few questions that only .debug_info answers, by libdw.
 *
 *   function of an address, for modules without symbol table:
 *     DW_TAG_subprogram { name "main", low 401000, high 401080 }   401010 -> "main", end 401080
 *   directory of a compilation, for line tables before DWARF 5 that name files relative to it
 *
 * Inlined functions are not answers: their code belongs to the function that was called.
 */
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "debug/internal.h"

/* libdw takes the file that .gnu_debugaltlink names as it finds it; one of another build would give wrong names. */
static bool fits_alternate(Dwarf *dwarf)
{
    char id[2 * QN_BUILD_ID_MAX + 1], wanted[2 * QN_BUILD_ID_MAX + 1] = "";
    const char *name;
    const void *bytes;
    ssize_t n = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &bytes);
    Dwarf *alternate = n > 0 ? dwarf_getalt(dwarf) : NULL;

    if (!alternate)
        return true;
    qn_debug_put_hex(wanted, bytes, (size_t)n);
    qn_debug_read_build_id(dwarf_getelf(alternate), id);
    return !strcmp(id, wanted);
}

static Dwarf *open_dwarf(struct qn_debug *d)
{
    Elf *elf;

    if (!d->dwarf_tried) {
        d->dwarf_tried = true;
        elf = qn_debug_dwarf_file(d);
        d->dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
        if (d->dwarf && !fits_alternate(d->dwarf)) {
            dwarf_end(d->dwarf);
            d->dwarf = NULL;
        }
    }
    return d->dwarf;
}

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

/* The unit whose code the address is; of a skeleton, what it stands for if its .dwo file is there. */
static bool find_unit(Dwarf *dwarf, uint64_t address, Dwarf_Die *unit)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die split;
    uint8_t type;

    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, unit, &split) == 0) {
        if (dwarf_haspc(unit, address) != 1)
            continue;
        if (type == DW_UT_skeleton && split.addr)
            *unit = split;
        return true;
    }
    return false;
}

void qn_debug_find_subprogram(struct qn_debug *d, uint64_t address, const char **name, uint64_t *end)
{
    Dwarf_Die unit, *scopes = NULL;
    int count = find_unit(open_dwarf(d), address, &unit) ? dwarf_getscopes(&unit, address, &scopes) : 0;

    for (int i = 0; i < count; i++) {
        if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
            continue;
        *name = name_of(&scopes[i]);
        *end = end_of_range(&scopes[i], address);
        break;
    }
    free(scopes);
}

static int compare(const void *left, const void *right)
{
    const struct qn_directory *a = left, *b = right;

    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void load_directories(struct qn_debug *d)
{
    Dwarf *dwarf = open_dwarf(d);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    Dwarf_Attribute at;
    Dwarf_Word offset;

    d->directories_loaded = true;
    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
        if (dwarf_formudata(dwarf_attr(&unit, DW_AT_stmt_list, &at), &offset)
            || !qn_debug_grow((void **)&d->directories, d->ndirectories, &d->directory_room, sizeof *d->directories))
            continue;
        d->directories[d->ndirectories++] =
            (struct qn_directory){ offset, dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &at)) };
    }
    if (d->ndirectories)
        qsort(d->directories, d->ndirectories, sizeof *d->directories, compare);
}

const char *qn_debug_find_directory(struct qn_debug *d, uint64_t offset)
{
    struct qn_directory wanted = { offset, NULL }, *found = NULL;

    if (!d->directories_loaded)
        load_directories(d);
    if (d->ndirectories)
        found = bsearch(&wanted, d->directories, d->ndirectories, sizeof *d->directories, compare);
    return found ? found->text : NULL;
}
