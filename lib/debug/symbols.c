/* lib/debug/symbols.c - finds the symbol that covers an address.
 *
 * In:  .symtab and .dynsym of the module and of its separate debug file:
 *        401000..401080 f, 401000..401080 f_alias, 401020..401030 inner
 * Out: disjoint ranges:  401000..401020 f, 401020..401030 inner   (401030..401080: none)
 *
 * The rules are those of Valgrind 3.19 (readelf.c, storage.c), so that both give an address the same
 * name: functions and objects with a size, not in the PLT; of equal ranges one name; a range ends where
 * the next begins, and does not resume; of two that begin together the longer goes on behind the shorter.
 *
 * Invariants: the list is sorted and disjoint once loaded.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/ready.h"
#include "debug/debug.h"
#include "debug/internal.h"
#include "text/radix.h"

struct span {
    uint64_t start, size;
};

static bool is_wanted(const struct qn_debug *d, const Elf64_Sym *s, const struct span *plt)
{
    int bind = ELF64_ST_BIND(s->st_info), type = ELF64_ST_TYPE(s->st_info);

    if (bind != STB_GLOBAL && bind != STB_LOCAL && bind != STB_WEAK)
        return false;
    if (type != STT_FUNC && type != STT_OBJECT && type != STT_GNU_IFUNC)
        return false;
    if (s->st_shndx == SHN_UNDEF || s->st_size == 0 || s->st_value == 0)
        return false;
    if (s->st_value + s->st_size < s->st_value || s->st_value - plt->start < plt->size)
        return false;
    return qn_debug_is_code(d, s->st_value);
}

static void add_symbol(struct qn_symbols *list, const Elf64_Sym *s, const char *name)
{
    if (name[0] && QN_GROW(list->list, list->count, list->room, QN_DEBUG_ROOM))
        list->list[list->count++] = (struct qn_symbol){
            .start = s->st_value, .end = s->st_value + s->st_size, .name = name,
            .chooses = ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC };
}

static void add_table(struct qn_debug *d, Elf *elf, Elf_Scn *section, const GElf_Shdr *h, const struct span *plt)
{
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Data *strings = elf_getdata(elf_getscn(elf, h->sh_link), NULL);
    const Elf64_Sym *symbols = data ? data->d_buf : NULL;
    const char *names = strings ? strings->d_buf : NULL;

    if (symbols)
        qn_ready_to_read(symbols, data->d_size);
    if (!symbols || !names || strings->d_size == 0 || names[strings->d_size - 1])
        return;
    for (size_t i = 1; i < data->d_size / sizeof *symbols; i++)
        if (symbols[i].st_name < strings->d_size && is_wanted(d, &symbols[i], plt))
            add_symbol(&d->symbols, &symbols[i], names + symbols[i].st_name);
}

static void add_file(struct qn_debug *d, Elf *elf, const struct span *plt)
{
    for (Elf_Scn *s = elf ? elf_nextscn(elf, NULL) : NULL; s; s = elf_nextscn(elf, s)) {
        GElf_Shdr h;

        if (gelf_getshdr(s, &h) && (h.sh_type == SHT_SYMTAB || h.sh_type == SHT_DYNSYM))
            add_table(d, elf, s, &h, plt);
    }
}

static int compare(const void *left, const void *right)
{
    const struct qn_symbol *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

/* What follows list[at] is sorted: moves it behind its smaller successors. */
static void sink(struct qn_symbol *list, size_t count, size_t at)
{
    for (; at + 1 < count && compare(&list[at], &list[at + 1]) > 0; at++) {
        struct qn_symbol s = list[at];

        list[at] = list[at + 1];
        list[at + 1] = s;
    }
}

/* By start, then by end; equal ranges stay in their order.  false: no memory. */
static bool sort(struct qn_symbols *s)
{
    struct qn_text_key *keys = calloc(s->count, sizeof *keys);
    struct qn_symbol *sorted = reallocarray(NULL, s->count, sizeof *sorted);
    bool done = keys && sorted;

    for (size_t i = 0; done && i < s->count; i++)
        keys[i] = (struct qn_text_key){ s->list[i].start, i };
    if (done)
        qn_text_sort_keys(keys, s->count);
    for (size_t i = 0; done && i < s->count; i++)
        sorted[i] = s->list[keys[i].id];
    free(keys);
    if (!done) {
        free(sorted);
        return false;
    }
    for (size_t i = s->count; i-- > 0;)
        sink(sorted, s->count, i); /* of those that begin together the shorter first */
    free(s->list);
    s->list = sorted;
    s->room = s->count;
    return true;
}

/* Of two names of one range the preferred one stays in the list. */
static void keep_one(struct qn_symbols *s, struct qn_symbol *a, struct qn_symbol *b)
{
    struct qn_symbol other = *b;

    if (!qn_debug_prefer_name(a->name, b->name)) {
        other = *a;
        *a = *b;
    }
    if (QN_GROW(s->others, s->nothers, s->other_room, QN_DEBUG_ROOM))
        s->others[s->nothers++] = other;
}

/* Makes the sorted list disjoint, in place.  `kept` is the range whose end is being decided. */
static void make_disjoint(struct qn_symbols *s)
{
    size_t kept = 0, next = 1;

    if (s->count == 0)
        return;
    while (next < s->count) {
        struct qn_symbol *a = &s->list[kept], *b = &s->list[next];

        if (b->start == a->start && b->end == a->end) {
            keep_one(s, a, b);
            next++;
        } else if (b->start == a->start) {
            b->start = a->end;
            sink(s->list, s->count, next);
        } else {
            if (a->end > b->start)
                a->end = b->start;
            s->list[++kept] = *b;
            next++;
        }
    }
    s->count = kept + 1;
}

void qn_debug_load_symbols(struct qn_debug *d)
{
    GElf_Shdr h;
    struct span plt = { 0, 0 };

    if (d->symbols.loaded)
        return;
    d->symbols.loaded = true;
    if (qn_debug_section(d->main.elf, ".plt", &h))
        plt = (struct span){ h.sh_addr, h.sh_size };
    qn_debug_find_separate(d);
    add_file(d, d->main.elf, &plt);
    add_file(d, d->separate.elf, &plt);
    if (d->symbols.count && !sort(&d->symbols))
        qsort(d->symbols.list, d->symbols.count, sizeof *d->symbols.list, compare);
    make_disjoint(&d->symbols);
}

/* The C library's functions between _start and main have several names; Cachegrind shows them as one. */
bool qn_debug_is_below_main(const char *name)
{
    return !strcmp(name, "__libc_start_main") || !strcmp(name, "__libc_start_call_main")
           || !strcmp(name, "generic_start_main") || !strcmp(name, "_start");
}

static const char *shown_name(struct qn_symbol *s)
{
    if (!s->known) {
        s->known = true;
        if (qn_debug_is_below_main(s->name))
            s->shown = strdup(QN_DEBUG_BELOW_MAIN);
        else if (!qn_debug_settings.keep_names)
            s->shown = qn_debug_demangle(s->name);
    }
    return s->shown ? s->shown : s->name;
}

void qn_debug_find_symbol(struct qn_debug *d, uint64_t address, const char **name, uint64_t *end)
{
    size_t at;

    qn_debug_load_symbols(d);
    at = QN_COUNT_WHILE(i, d->symbols.count, d->symbols.list[i].start <= address);
    *name = NULL;
    if (at && address < d->symbols.list[at - 1].end) {
        *name = shown_name(&d->symbols.list[at - 1]);
        *end = d->symbols.list[at - 1].end;
    } else if (at < d->symbols.count) {
        *end = d->symbols.list[at].start;
    }
}

bool qn_debug_is_called(const char *shown, const char *name)
{
    size_t n = strlen(name);

    if (strpbrk(name, "*?"))
        return !fnmatch(name, shown, FNM_NOESCAPE);
    return !strncmp(shown, name, n) && (!shown[n] || shown[n] == '(');
}

static void take_called(struct qn_symbol *list, size_t count, const char *name, qn_debug_take_function *take, void *data)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].name, name) || qn_debug_is_called(shown_name(&list[i]), name))
            take(data, list[i].start, list[i].chooses);
}

void qn_debug_find_functions(struct qn_debug *d, const char *name, qn_debug_take_function *take, void *data)
{
    qn_debug_load_symbols(d);
    take_called(d->symbols.list, d->symbols.count, name, take, data);
    take_called(d->symbols.others, d->symbols.nothers, name, take, data);
}

void qn_debug_list_functions(struct qn_debug *d, qn_debug_take_symbol *take, void *data)
{
    qn_debug_load_symbols(d);
    for (size_t i = 0; i < d->symbols.count; i++)
        take(data, d->symbols.list[i].name, d->symbols.list[i].start, d->symbols.list[i].end);
    for (size_t i = 0; i < d->symbols.nothers; i++)
        take(data, d->symbols.others[i].name, d->symbols.others[i].start, d->symbols.others[i].end);
}

void qn_debug_list_ranges(struct qn_debug *d, qn_debug_take_range *take, void *data)
{
    qn_debug_load_symbols(d);
    for (size_t i = 0; i < d->symbols.count; i++)
        take(data, d->symbols.list[i].start, d->symbols.list[i].end);
}

void qn_debug_list_stubs(const struct qn_debug *d, qn_debug_take_range *take, void *data)
{
    static const char *const names[] = { ".plt", ".plt.got", ".plt.sec" };
    GElf_Shdr h;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (qn_debug_section(d->main.elf, names[i], &h) && h.sh_size)
            take(data, h.sh_addr, h.sh_addr + h.sh_size);
}

const char *qn_debug_name_function(struct qn_debug *d, uint64_t address)
{
    const char *name;
    uint64_t end;

    qn_debug_find_symbol(d, address, &name, &end);
    return name;
}

bool qn_debug_has_symbols(const struct qn_debug *d)
{
    return d->symbols.count > 0;
}

static void free_list(struct qn_symbol *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].shown);
    free(list);
}

void qn_debug_free_symbols(struct qn_symbols *s)
{
    free_list(s->list, s->count);
    free_list(s->others, s->nothers);
    *s = (struct qn_symbols){ 0 };
}
