/* lib/debug/lines.c - from an address to file and line, by the line tables (DWARF 2 to 5).
 *
 * In:  compilation units with their address ranges, and per unit rows (address, file, line).
 * Out: the last row at or before the address; it holds up to the next row.
 *
 * Only the units that are asked about are decoded.  A unit that gives no ranges, or whose DWARF
 * version cannot describe more than one, is decoded at once and its ranges taken from its rows.
 *
 * Invariants: ranges are sorted by start; file names belong to libdw and live as long as `dwarf`.
 * Not modelled: is_stmt, columns, discriminators, views.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "debug/internal.h"

#define DWARF_WITH_RANGES 3 /* the version that brought DW_AT_ranges */

static bool add_range(struct qn_debug *d, uint64_t start, uint64_t end, uint32_t unit)
{
    struct qn_lines *l = &d->lines;

    if (start >= end || start == 0 || !qn_debug_is_code(d, start))
        return false; /* code that the linker dropped */
    if (!qn_debug_grow((void **)&l->ranges, l->nranges, &l->range_room, sizeof *l->ranges))
        return false;
    l->ranges[l->nranges++] = (struct qn_unit_range){ start, end, unit };
    return true;
}

static void load_rows(struct qn_unit *u)
{
    if (u->loaded)
        return;
    u->loaded = true;
    if (dwarf_getsrclines(&u->die, &u->rows, &u->count)) {
        u->rows = NULL;
        u->count = 0;
    }
}

static uint64_t row_address(const struct qn_unit *u, size_t at)
{
    Dwarf_Addr address = 0;

    dwarf_lineaddr(dwarf_onesrcline(u->rows, at), &address);
    return address;
}

static bool row_ends_sequence(const struct qn_unit *u, size_t at)
{
    bool end = false;

    dwarf_lineendsequence(dwarf_onesrcline(u->rows, at), &end);
    return end;
}

static void add_ranges_of_rows(struct qn_debug *d, uint32_t unit)
{
    struct qn_unit *u = &d->lines.units[unit];
    uint64_t start = 0;

    load_rows(u);
    for (size_t i = 0; i < u->count; i++) {
        uint64_t address = row_address(u, i);

        if (!start)
            start = address;
        if (row_ends_sequence(u, i)) {
            add_range(d, start, address, unit);
            start = 0;
        }
    }
}

static void add_unit(struct qn_debug *d, Dwarf_Die *die, unsigned version)
{
    struct qn_lines *l = &d->lines;
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    bool any = false;

    if (!dwarf_hasattr(die, DW_AT_stmt_list)
        || !qn_debug_grow((void **)&l->units, l->nunits, &l->unit_room, sizeof *l->units))
        return;
    l->units[l->nunits] = (struct qn_unit){ .die = *die, .version = version };
    while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        any = true;
        add_range(d, start, end, (uint32_t)l->nunits);
    }
    l->nunits++;
    if (!any || version < DWARF_WITH_RANGES)
        add_ranges_of_rows(d, (uint32_t)l->nunits - 1);
}

static int compare(const void *left, const void *right)
{
    const struct qn_unit_range *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static void load(struct qn_debug *d)
{
    struct qn_lines *l = &d->lines;
    GElf_Shdr h;
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, sub;
    uint8_t type;
    Dwarf_Half version;

    l->loaded = true;
    qn_debug_find_separate(d);
    Elf *elf = qn_debug_section(d->main.elf, ".debug_line", &h) ? d->main.elf : d->separate.elf;
    if (!elf || !(l->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL)))
        return;
    while (dwarf_get_units(l->dwarf, cu, &cu, &version, &type, &die, &sub) == 0)
        if (type != DW_UT_type && type != DW_UT_split_type)
            add_unit(d, &die, version);
    if (l->nranges)
        qsort(l->ranges, l->nranges, sizeof *l->ranges, compare);
}

/* The last range that starts at or before the address: index + 1, 0 if none. */
static size_t search_ranges(const struct qn_lines *l, uint64_t address)
{
    size_t low = 0, high = l->nranges;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (l->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct qn_unit *qn_debug_find_unit(struct qn_debug *d, uint64_t address, uint64_t *end)
{
    struct qn_lines *l = &d->lines;
    size_t at;

    if (!l->loaded)
        load(d);
    at = search_ranges(l, address);
    *end = at < l->nranges ? l->ranges[at].start : UINT64_MAX;
    if (!at || address >= l->ranges[at - 1].end)
        return NULL;
    if (l->ranges[at - 1].end < *end)
        *end = l->ranges[at - 1].end;
    load_rows(&l->units[l->ranges[at - 1].unit]);
    return &l->units[l->ranges[at - 1].unit];
}

/* The last row at or before the address: index + 1, 0 if none. */
static size_t search_rows(const struct qn_unit *u, uint64_t address)
{
    size_t low = 0, high = u->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (row_address(u, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void qn_debug_find_line(struct qn_debug *d, uint64_t address, const char **file, uint32_t *line,
                        uint64_t *end)
{
    struct qn_unit *u = qn_debug_find_unit(d, address, end);
    size_t at = u ? search_rows(u, address) : 0;
    int number;

    if (!at)
        return;
    if (at < u->count && row_address(u, at) < *end)
        *end = row_address(u, at);
    if (row_ends_sequence(u, at - 1))
        return;
    Dwarf_Line *row = dwarf_onesrcline(u->rows, at - 1);
    *file = dwarf_linesrc(row, NULL, NULL);
    if (*file && !dwarf_lineno(row, &number) && number > 0)
        *line = (uint32_t)number;
    if (*file)
        *file = qn_debug_complete_path(u, *file);
}

void qn_debug_free_lines(struct qn_lines *l)
{
    for (size_t i = 0; i < l->nunits; i++) {
        for (size_t j = 0; j < l->units[i].npaths; j++)
            free(l->units[i].paths[j].to);
        free(l->units[i].paths);
    }
    dwarf_end(l->dwarf);
    free(l->units);
    free(l->ranges);
    *l = (struct qn_lines){ 0 };
}
