/* lib/debug/objects.c - finds the variable that covers an address, by the symbol tables.
 *
 * In:  .symtab and .dynsym of the module and of its separate debug file:  404040, 1024 bytes, OBJECT, table
 * Out: disjoint ranges by address:  404040..404440 table
 *
 * Of several symbols at one address the one with the larger size counts, then the name that prefer.c prefers; a symbol that begins inside
 * another is left out.  Thread-local variables are left out, because they have no fixed address.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "debug/debug.h"
#include "debug/internal.h"

struct qn_objects {
    struct qn_debug_object *list; /* sorted, disjoint */
    size_t count, room;
};

static bool is_wanted(const Elf64_Sym *s)
{
    return ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS && s->st_size &&
           s->st_value && s->st_value + s->st_size > s->st_value;
}

static void add_table(struct qn_objects *o, Elf *elf, Elf_Scn *section, const GElf_Shdr *h)
{
    Elf_Data *data = elf_getdata(section, NULL), *strings = elf_getdata(elf_getscn(elf, h->sh_link), NULL);
    const Elf64_Sym *symbols = data ? data->d_buf : NULL;
    const char *names = strings ? strings->d_buf : NULL;

    if (!symbols || !names || strings->d_size == 0 || names[strings->d_size - 1])
        return;
    for (size_t i = 1; i < data->d_size / sizeof *symbols; i++) {
        const Elf64_Sym *s = &symbols[i];

        if (s->st_name < strings->d_size && names[s->st_name] && is_wanted(s) && QN_GROW(o->list, o->count, o->room, QN_DEBUG_ROOM))
            o->list[o->count++] = (struct qn_debug_object){ s->st_value, s->st_value + s->st_size, names + s->st_name, NULL };
    }
}

static void add_file(struct qn_objects *o, Elf *elf)
{
    for (Elf_Scn *s = elf ? elf_nextscn(elf, NULL) : NULL; s; s = elf_nextscn(elf, s)) {
        GElf_Shdr h;

        if (gelf_getshdr(s, &h) && (h.sh_type == SHT_SYMTAB || h.sh_type == SHT_DYNSYM))
            add_table(o, elf, s, &h);
    }
}

static int compare(const void *left, const void *right)
{
    const struct qn_debug_object *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return !strcmp(a->name, b->name) ? 0 : qn_debug_prefer_name(a->name, b->name) ? -1 : 1;
}

static void make_disjoint(struct qn_objects *o)
{
    size_t kept = 0;

    for (size_t i = 0; i < o->count; i++)
        if (!kept || o->list[i].start >= o->list[kept - 1].end)
            o->list[kept++] = o->list[i];
    o->count = kept;
}

static struct qn_objects *load(struct qn_debug *d)
{
    struct qn_objects *o = d->objects;

    if (o)
        return o;
    o = d->objects = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    qn_debug_find_separate(d);
    add_file(o, d->main.elf);
    add_file(o, d->separate.elf);
    if (o->count)
        qsort(o->list, o->count, sizeof *o->list, compare);
    make_disjoint(o);
    return o;
}

const struct qn_debug_object *qn_debug_list_objects(struct qn_debug *d, size_t *count)
{
    const struct qn_objects *o = load(d);

    *count = o ? o->count : 0;
    return o ? o->list : NULL;
}

/* The last object that begins at or before the address, if it covers it; else NULL. */
static struct qn_debug_object *search(const struct qn_objects *o, uint64_t address)
{
    size_t low = QN_COUNT_WHILE(i, o->count, o->list[i].start <= address);

    return low && address < o->list[low - 1].end ? &o->list[low - 1] : NULL;
}

const struct qn_debug_object *qn_debug_find_object(struct qn_debug *d, uint64_t address)
{
    const struct qn_objects *objects = load(d);

    return objects ? search(objects, address) : NULL;
}

const char *qn_debug_name_object(struct qn_debug *d, uint64_t address)
{
    const struct qn_objects *objects = load(d);
    struct qn_debug_object *o = objects ? search(objects, address) : NULL;

    if (!o)
        return NULL;
    if (!o->shown && !qn_debug_settings.keep_names)
        o->shown = qn_debug_demangle(o->name);
    return o->shown ? o->shown : o->name;
}

void qn_debug_free_objects(struct qn_objects *o)
{
    for (size_t i = 0; o && i < o->count; i++)
        free(o->list[i].shown);
    if (o)
        free(o->list);
    free(o);
}

bool qn_debug_segment(const struct qn_debug *d, size_t number, uint64_t *start, uint64_t *end)
{
    if (number >= d->nsegments)
        return false;
    *start = d->segments[number].address;
    *end = *start + d->segments[number].memory_size;
    return true;
}
