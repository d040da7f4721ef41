/* lib/debug/dwarf.c - answers the few questions that need .debug_info, by libdw.
 *
 *   function of an address, for modules without symbol table:
 *     DW_TAG_subprogram { name "main", low 401000, high 401080 }   401010 -> "main", end 401080
 *   directory of a compilation, for line tables before DWARF 5 that name files relative to it
 *
 *   how often a function was inlined: DW_TAG_inlined_subroutine { abstract_origin: DW_TAG_subprogram { name "f" } }
 *
 * The first never gives an inlined function: its code belongs to the function that was called (but see inlines.h).
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/base.h"
#include "base/grow.h"
#include "debug/memory.h"

#define DEPTH_MAX 100     /* nesting of entries; more is damage */
#define REFERENCES_MAX 10 /* from code to its declaration: two are usual; more is damage */

/* Is the alternate file bounded, before libdw opens it?  Its name is whole, or relative to the folder of the file that names it. */
static bool is_alternate_bounded(struct qn_debug *d, const char *name)
{
    const char *slash = d->path ? strrchr(d->path, '/') : NULL;
    bool good = true;
    char *path;
    Elf *elf;
    int fd;

    if (asprintf(&path, "%.*s%s", *name == '/' || !slash ? 0 : (int)(slash + 1 - d->path), d->path ? d->path : "", name) < 0)
        return false;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    free(path);
    if (fd < 0)
        return true;
    elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    good = qn_debug_is_bounded(d, elf);
    elf_end(elf);
    close(fd);
    return good;
}

/* libdw does not check the build-id of the file that .gnu_debugaltlink names; one of another build would give wrong names. */
static bool fits_alternate(struct qn_debug *d, Dwarf *dwarf)
{
    char id[2 * QN_BUILD_ID_MAX + 1], wanted[2 * QN_BUILD_ID_MAX + 1] = "";
    const char *name;
    const void *bytes;
    ssize_t n = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &bytes);
    Dwarf *alternate;

    if (n > 0 && !is_alternate_bounded(d, name))
        return false;
    alternate = n > 0 ? dwarf_getalt(dwarf) : NULL;
    if (!alternate)
        return true;
    qn_debug_put_hex(wanted, bytes, (size_t)n);
    qn_debug_read_build_id(dwarf_getelf(alternate), id);
    return !strcmp(id, wanted);
}

Dwarf *qn_debug_open_dwarf(struct qn_debug *d)
{
    Elf *elf;

    if (!d->dwarf_tried) {
        d->dwarf_tried = true;
        elf = qn_debug_dwarf_file(d);
        d->dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
        if (d->dwarf && !fits_alternate(d, d->dwarf)) {
            dwarf_end(d->dwarf);
            d->dwarf = NULL;
        }
    }
    return d->dwarf;
}

static const char *string_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute at;

    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &at));
}

/* The readable name of a subprogram; a tree keeps them, so that each is made once. */
struct made_name {
    const void *die;
    char *text;
};

static void free_made(void *node)
{
    free(((struct made_name *)node)->text);
    free(node);
}

void qn_debug_free_made_names(struct qn_debug *d)
{
    tdestroy(d->made_names, free_made);
}

/* The entry inside its namespace or class; the entry that has the code may be elsewhere and refers to it. */
Dwarf_Die qn_debug_declaration(Dwarf_Die die)
{
    Dwarf_Attribute at;
    Dwarf_Die next;

    for (int i = 0; i < REFERENCES_MAX; i++, die = next)
        if (!dwarf_formref_die(dwarf_attr(&die, DW_AT_abstract_origin, &at), &next)
            && !dwarf_formref_die(dwarf_attr(&die, DW_AT_specification, &at), &next))
            break;
    return die;
}

/* "outer::box<int>::", for what stands in that class. */
static void put_scopes(struct qn_debug *d, FILE *out, Dwarf_Die *die, int depth)
{
    Dwarf_Die scope;
    const char *name;

    if (depth > DEPTH_MAX || !qn_debug_parent(d, die, &scope))
        return;
    put_scopes(d, out, &scope, depth + 1);
    name = string_of(&scope, DW_AT_name);
    switch (dwarf_tag(&scope)) {
    case DW_TAG_namespace:
        fprintf(out, "%s::", name ? name : "(anonymous namespace)");
        break;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
        if (name)
            fprintf(out, "%s::", name);
        break;
    default:
        break;
    }
}

/* "outer::box<int>::get", for a function without linkage name, such as a static one. */
static char *qualify(struct qn_debug *d, Dwarf_Die *die, const char *name)
{
    Dwarf_Die stands = qn_debug_declaration(*die);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    put_scopes(d, out, &stands, 0);
    fputs(name, out);
    fclose(out);
    return text;
}

/* In C++ and Rust, DW_AT_name has no namespaces and arguments; the linkage name has. */
static char *make_name(struct qn_debug *d, Dwarf_Die *die)
{
    const char *linkage = string_of(die, DW_AT_linkage_name), *name = string_of(die, DW_AT_name);
    char *text = NULL;

    if (!linkage)
        linkage = string_of(die, DW_AT_MIPS_linkage_name);
    if (linkage && !qn_debug_settings.keep_names)
        text = qn_debug_demangle(linkage);
    if (linkage)
        return text ? text : strdup(linkage);
    return name ? qualify(d, die, name) : NULL;
}

const char *qn_debug_name_die(struct qn_debug *d, Dwarf_Die *die)
{
    struct made_name wanted = { die->addr, NULL }, *fresh, **found = tfind(&wanted, &d->made_names, qn_debug_compare_keys);

    if (found)
        return (*found)->text;
    if (!(fresh = malloc(sizeof *fresh)))
        return NULL;
    *fresh = (struct made_name){ die->addr, make_name(d, die) };
    if (tsearch(fresh, &d->made_names, qn_debug_compare_keys))
        return fresh->text;
    free_made(fresh);
    return NULL;
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

/* ---- units and functions by address ---- */

static void add_ranges(struct qn_code_ranges *r, Dwarf_Die *die, uint32_t order)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
        if (start < end && QN_GROW(r->list, r->count, r->room, QN_DEBUG_ROOM))
            r->list[r->count++] = (struct qn_code_range){ start, end, end, order, *die };
}

static int compare_ranges(const void *left, const void *right)
{
    const struct qn_code_range *a = left, *b = right;

    return a->start < b->start ? -1 : a->start > b->start;
}

static void sort_ranges(struct qn_code_ranges *r)
{
    if (r->count)
        qsort(r->list, r->count, sizeof *r->list, compare_ranges);
    for (size_t i = 1; i < r->count; i++)
        if (r->list[i - 1].reach > r->list[i].reach)
            r->list[i].reach = r->list[i - 1].reach;
}

/* The one that has the address, of several the first in the file; NULL: none has.  Lowers *end as qn_debug_find_unit does. */
static const struct qn_code_range *find_range(const struct qn_code_ranges *r, uint64_t address, uint64_t *end)
{
    const struct qn_code_range *found = NULL;
    size_t n = QN_COUNT_WHILE(i, r->count, r->list[i].start <= address);

    if (n < r->count && r->list[n].start < *end)
        *end = r->list[n].start;
    for (; n && r->list[n - 1].reach > address; n--)
        if (address < r->list[n - 1].end && (!found || r->list[n - 1].order < found->order))
            found = &r->list[n - 1];
    if (found && found->end < *end)
        *end = found->end;
    return found;
}

static void load_units(struct qn_debug *d, Dwarf *dwarf)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;

    d->units.loaded = true;
    while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
        add_ranges(&d->units, &unit, d->nunits++);
    sort_ranges(&d->units);
}

const struct qn_code_range *qn_debug_find_unit(struct qn_debug *d, uint64_t address, uint64_t *end)
{
    Dwarf *dwarf = qn_debug_open_dwarf(d);

    if (dwarf && !d->units.loaded)
        load_units(d, dwarf);
    return find_range(&d->units, address, end);
}

void qn_debug_free_ranges(struct qn_debug *d)
{
    for (uint32_t i = 0; d->functions && i < d->nunits; i++)
        free(d->functions[i].list);
    free(d->functions);
    free(d->units.list);
}

bool qn_debug_unit_entries(const struct qn_code_range *range, Dwarf_Die *unit)
{
    Dwarf_Die split;
    uint8_t type;
    bool is_split;

    *unit = range->die;
    is_split = dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton && split.addr;
    if (is_split)
        *unit = split;
    return is_split;
}

/* All functions below an entry.  Member functions of a class or a lambda inside a function are below that function's entry but outside its
 * addresses, so dwarf_getscopes does not find them. */
static void add_functions(struct qn_code_ranges *r, Dwarf_Die *parent, int depth, uint32_t *order)
{
    Dwarf_Die die;

    if (depth > DEPTH_MAX || dwarf_child(parent, &die))
        return;
    do {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_subprogram)
            add_ranges(r, &die, (*order)++);
        if (qn_debug_may_hold_code(tag))
            add_functions(r, &die, depth + 1, order);
    } while (!dwarf_siblingof(&die, &die));
}

bool qn_debug_find_code(struct qn_debug *d, uint64_t address, Dwarf_Die *unit, Dwarf_Die *code)
{
    uint64_t end = UINT64_MAX;
    const struct qn_code_range *range = qn_debug_find_unit(d, address, &end), *found;
    struct qn_code_ranges *functions;
    uint32_t order = 0;

    if (!range || (!d->functions && !(d->functions = calloc(d->nunits, sizeof *d->functions))))
        return false;
    qn_debug_unit_entries(range, unit);
    functions = &d->functions[range->order];
    if (!functions->loaded) {
        functions->loaded = true;
        add_functions(functions, unit, 0, &order);
        sort_ranges(functions);
    }
    found = find_range(functions, address, &end);
    if (found)
        *code = found->die;
    return found;
}

void qn_debug_find_subprogram(struct qn_debug *d, uint64_t address, const char **name, uint64_t *end)
{
    Dwarf_Die unit, die;

    if (!qn_debug_find_code(d, address, &unit, &die))
        return;
    *name = qn_debug_name_die(d, &die);
    *end = end_of_range(&die, address);
}

static int compare(const void *left, const void *right)
{
    const struct qn_directory *a = left, *b = right;

    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void load_directories(struct qn_debug *d)
{
    Dwarf *dwarf = qn_debug_open_dwarf(d);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    Dwarf_Attribute at;
    Dwarf_Word offset;

    d->directories_loaded = true;
    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
        if (dwarf_formudata(dwarf_attr(&unit, DW_AT_stmt_list, &at), &offset)
            || !QN_GROW(d->directories, d->ndirectories, d->directory_room, QN_DEBUG_ROOM))
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

/* ---- inlined calls ---- */

static bool is_inlined_call(struct qn_debug *d, Dwarf_Die *die, const char *name)
{
    Dwarf_Attribute at;
    Dwarf_Die origin;
    const char *linkage, *shown;

    if (dwarf_tag(die) != DW_TAG_inlined_subroutine || !dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &at), &origin))
        return false;
    linkage = string_of(&origin, DW_AT_linkage_name);
    shown = qn_debug_name_die(d, &origin);
    return (linkage && !strcmp(linkage, name)) || (shown && qn_debug_is_called(shown, name));
}

static unsigned count_below(struct qn_debug *d, Dwarf_Die *parent, const char *name, int depth)
{
    unsigned count = 0;
    Dwarf_Die die;

    if (depth > DEPTH_MAX || dwarf_child(parent, &die))
        return 0;
    do {
        count += is_inlined_call(d, &die, name);
        count += count_below(d, &die, name, depth + 1);
    } while (!dwarf_siblingof(&die, &die));
    return count;
}

unsigned qn_debug_count_inlined(struct qn_debug *d, const char *name)
{
    Dwarf *dwarf = qn_debug_open_dwarf(d);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, split;
    unsigned count = 0;

    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, &split) == 0)
        count += count_below(d, split.addr ? &split : &unit, name, 0);
    return count;
}
