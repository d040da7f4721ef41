/* lib/debug/lines.c - finds file and line of an address, by the line tables (DWARF 2 to 5).
 *
 * In:  .debug_line of the module, or of its separate debug file; compressed or not
 * Out: the last row at or before the address; it holds up to the next row
 *
 * Only .debug_line and .debug_line_str are read, not .debug_info: in distributions' debug files
 * the sections are compressed, and to unpack that large one takes more time than all the rest.
 *
 * Invariants: sequences are sorted by start; rows are decoded per sequence when first asked for.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "base/grow.h"
#include "debug/internal.h"

struct scan {
    struct qn_debug *d;
    uint32_t unit;
};

static void take_sequence(void *data, const struct qn_sequence *s)
{
    const struct scan *scan = data;
    struct qn_debug *d = scan->d;
    struct qn_lines *l = &d->lines;

    if (s->start == 0 || !qn_debug_is_code(d, s->start))
        return; /* code that the linker dropped */
    if (!QN_GROW(l->sequences, l->nsequences, l->sequence_room, QN_DEBUG_ROOM))
        return;
    l->sequences[l->nsequences] = *s;
    l->sequences[l->nsequences++].unit = scan->unit;
}

static int compare(const void *left, const void *right)
{
    const struct qn_sequence *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->program < b->program ? -1 : a->program > b->program;
}

void qn_debug_list_units(struct qn_debug *d, qn_debug_take_sequence *take)
{
    struct qn_lines *l = &d->lines;
    uint64_t offset = 0;
    struct qn_unit u;

    while (qn_debug_read_unit(&l->line, offset, &u, &offset)) {
        struct scan scan = { d, (uint32_t)l->nunits };

        d->damaged |= u.bad;
        if (u.bad || !u.names)
            continue; /* padding and damaged ones may be as many as there are bytes */
        if (!QN_GROW(l->units, l->nunits, l->unit_room, QN_DEBUG_ROOM))
            break;
        l->units[l->nunits++] = u;
        d->damaged |= take && !qn_debug_scan_unit(&u, take, &scan);
    }
    d->damaged |= offset < l->line.size;
}

void qn_debug_load_lines(struct qn_debug *d)
{
    struct qn_lines *l = &d->lines;
    Elf *elf;

    if (l->loaded)
        return;
    elf = qn_debug_dwarf_file(d);
    l->line = qn_debug_read_section(d, elf, ".debug_line");
    l->line_str = qn_debug_read_section(d, elf, ".debug_line_str");
    qn_debug_list_units(d, take_sequence);
    if (l->nsequences)
        qsort(l->sequences, l->nsequences, sizeof *l->sequences, compare);
    l->loaded = true;
}

static struct qn_sequence *find_sequence(struct qn_debug *d, uint64_t address, uint64_t *end)
{
    struct qn_lines *l = &d->lines;
    struct qn_sequence *s;
    size_t at;

    qn_debug_load_lines(d);
    at = QN_COUNT_WHILE(i, l->nsequences, l->sequences[i].start <= address);
    *end = at < l->nsequences ? l->sequences[at].start : UINT64_MAX;
    if (!at || address >= l->sequences[at - 1].end)
        return NULL;
    s = &l->sequences[at - 1];
    if (s->end < *end)
        *end = s->end;
    return s->rows || qn_debug_decode_sequence(&l->units[s->unit], s) ? s : NULL;
}

/* The last row at or before the address; the first one starts the sequence. */
static const struct qn_row *search_rows(const struct qn_sequence *s, uint64_t address)
{
    size_t low = 0, high = s->count;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (s->rows[middle].address <= address)
            low = middle;
        else
            high = middle;
    }
    return &s->rows[low];
}

void qn_debug_find_line(struct qn_debug *d, uint64_t address, const char **file, uint32_t *line,
                        uint64_t *end)
{
    struct qn_sequence *s = find_sequence(d, address, end);
    const struct qn_row *row = s ? search_rows(s, address) : NULL;

    if (!row || row->line == QN_ROW_END)
        return;
    if (row[1].address > address && row[1].address < *end)
        *end = row[1].address;
    *file = qn_debug_name_file(d, &d->lines.units[s->unit], row->file);
    if (*file)
        *line = row->line;
}

void qn_debug_free_lines(struct qn_lines *l)
{
    for (size_t i = 0; i < l->nsequences; i++)
        free(l->sequences[i].rows);
    for (size_t i = 0; i < l->nunits; i++) {
        for (size_t j = 0; j < l->units[i].nfiles; j++)
            free(l->units[i].files[j]);
        free(l->units[i].files);
    }
    qn_debug_free_section(&l->line);
    qn_debug_free_section(&l->line_str);
    qn_debug_free_section(&l->str);
    free(l->sequences);
    free(l->units);
    *l = (struct qn_lines){ 0 };
}
