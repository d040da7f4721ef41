/* lib/debug/symbols.c - functions and variables of the symbol tables, by address and by name, and the names to show for them.
 *
 * In:  .symtab and .dynsym of the module and of its separate debug file:
 *        401000..401080 f, 401000..401080 f_alias, 401020..401030 inner          404040..404440 table, an OBJECT
 * Out: disjoint ranges:  401000..401020 f, 401020..401030 inner   (401030..401080: none)
 *
 * The rules for functions are those of Valgrind 3.19 (readelf.c, storage.c), so that both give an address the same
 * name: functions and objects with a size, not in the PLT; of equal ranges one name; a range ends where
 * the next begins, and does not resume; of two that begin together the longer goes on behind the shorter.
 *
 * Of several variables at one address the one with the larger size counts; a variable that begins inside another is left out.  Thread-local
 * variables are left out, because they have no fixed address.
 *
 * Invariants: both lists are sorted and disjoint once loaded.
 */
#include <fnmatch.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/ready.h"
#include "debug/internal.h"
#include "text/radix.h"

/* ---- which of two names of one address is shown ----
 *
 * In:  "__GI_strlen", "strlen"      Out: the second
 *
 * The order is Cachegrind's (Valgrind 3.19), so that profiles of both can be compared line by line:
 * an entry point PMPI_x before its alias MPI_x; the shorter name, not counting a version behind
 * '@'; of equal lengths the versioned one; else the first in bytewise order.
 */

static bool is_mpi_alias(const char *a, const char *b)
{
    return !strncmp(a, "MPI_", 4) && b[0] == 'P' && !strcmp(a, b + 1);
}

static bool is_blank(const char *name, size_t length)
{
    return strspn(name, " \t\n\v\f\r") >= length;
}

/* true: show a rather than b. */
bool qn_debug_prefer_name(const char *a, const char *b)
{
    const char *version_a = strchr(a, '@'), *version_b = strchr(b, '@');
    size_t length_a = version_a ? (size_t)(version_a - a) : strlen(a);
    size_t length_b = version_b ? (size_t)(version_b - b) : strlen(b);

    if (is_mpi_alias(a, b) || is_mpi_alias(b, a))
        return is_mpi_alias(b, a);
    if (is_blank(a, length_a) != is_blank(b, length_b))
        return is_blank(b, length_b);
    if (length_a != length_b)
        return length_a < length_b;
    if (!version_a != !version_b)
        return version_a != NULL;
    return strcmp(a, b) <= 0;
}

/* ---- readable names of C++ and Rust functions, by libiberty ----
 *
 * In:  _ZN3foo3barEi                                Out: foo::bar(int)
 *      _ZN4core3fmt5write17h0123456789abcdefE       Out: core::fmt::write
 *      _RNvMs_NtCs4fqI2P2rA04_5alloc6stringNtB4_6String4push     Out: <alloc::string::String>::push
 *
 * Rust's older names have C++'s form with a hash at the end, so Rust is tried first.  For Rust, hashes and what compilers append
 * behind a dot are not shown.
 *
 * Invariant: a Rust name that would become longer than QN_DEBUG_SHOWN_MAX bytes, through references to its own parts, is not demangled.
 */

#define BINDER_DIGITS_MAX 3

struct shown {
    const char *name;
    char *read; /* the name that libiberty gets; see hide_binders */
    jmp_buf *too_long;
    size_t length, last; /* bytes of all, of the last piece */
    char text[QN_DEBUG_SHOWN_MAX + 1];
};

/* libiberty up to that of 2023 (binutils 2.40) takes a constant of more than 16 digits from one byte too late in the name. */
static bool is_late(const struct shown *s, const char *piece, size_t length)
{
    return s->last == 2 && !memcmp(s->text + s->length - 2, "0x", 2) && piece[length - 1] == '_';
}

static void take_piece(const char *piece, size_t length, void *data)
{
    struct shown *s = data;
    size_t at = (size_t)(piece - s->read);

    if (length > QN_DEBUG_SHOWN_MAX - s->length)
        longjmp(*s->too_long, 1);
    if (length == 0) /* `piece` may be NULL */
        return;
    if (piece > s->read && piece < s->read + strlen(s->read))
        piece = s->name + at - is_late(s, piece, length);
    memcpy(s->text + s->length, piece, length);
    s->length += length;
    s->last = length;
}

/* "G", a number and "_" declare so many lifetimes, and libiberty loops over them all, even if it shows nothing.  No compiler writes a
 * number of three digits or more; such a G becomes a "g", which begins no type.  Inside an identifier that makes no difference, because
 * identifiers are shown from the original name. */
static void hide_binders(char *name)
{
    for (; *name; name++)
        if (*name == 'G') {
            size_t digits = strspn(name + 1, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

            if (digits >= BINDER_DIGITS_MAX && name[1 + digits] == '_')
                *name = 'g';
        }
}

/* NULL if the name is not Rust's. */
static char *demangle_rust(const char *name)
{
    static struct shown s;
    char *volatile shown = NULL;
    jmp_buf too_long;

    s.name = name;
    s.read = strdup(name);
    if (!s.read)
        return NULL;
    hide_binders(s.read);
    s.too_long = &too_long;
    s.length = s.last = 0;
    if (!setjmp(too_long) && rust_demangle_callback(s.read, 0, take_piece, &s))
        shown = strndup(s.text, s.length);
    free(s.read);
    return shown;
}

char *qn_debug_demangle(const char *name)
{
    char *shown;

    if (strncmp(name, "_R", 2) && strncmp(name, "_Z", 2))
        return NULL;
    shown = demangle_rust(name);
    return shown ? shown : cplus_demangle_v3(name, DMGL_PARAMS);
}

/* The C library's functions between _start and main have several names; Cachegrind shows them as one. */
bool qn_debug_is_below_main(const char *name)
{
    return !strcmp(name, "__libc_start_main") || !strcmp(name, "__libc_start_call_main")
           || !strcmp(name, "generic_start_main") || !strcmp(name, "_start");
}

static const char *demangled(struct qn_debug_symbol *s)
{
    if (!s->tried && !qn_debug_settings.keep_names)
        s->shown = qn_debug_demangle(s->name);
    s->tried = true;
    return s->shown ? s->shown : s->name;
}

static const char *shown_name(struct qn_debug_symbol *s) { return qn_debug_is_below_main(s->name) ? QN_DEBUG_BELOW_MAIN : demangled(s); }

bool qn_debug_is_called(const char *shown, const char *name)
{
    size_t n = strlen(name);

    if (strpbrk(name, "*?"))
        return !fnmatch(name, shown, FNM_NOESCAPE);
    return !strncmp(shown, name, n) && (!shown[n] || shown[n] == '(');
}

/* ---- the tables ---- */

typedef void take_symbol(struct qn_debug *d, const Elf64_Sym *s, const char *name);

static void read_table(struct qn_debug *d, Elf *elf, Elf_Scn *section, const GElf_Shdr *h, take_symbol *take)
{
    Elf_Data *data = elf_getdata(section, NULL), *strings = elf_getdata(elf_getscn(elf, h->sh_link), NULL);
    const Elf64_Sym *symbols = data ? data->d_buf : NULL;
    const char *names = strings ? strings->d_buf : NULL;

    if (symbols)
        qn_ready_to_read(symbols, data->d_size);
    if (!symbols || !names || strings->d_size == 0 || names[strings->d_size - 1])
        return;
    for (size_t i = 1; i < data->d_size / sizeof *symbols; i++)
        if (symbols[i].st_name < strings->d_size && names[symbols[i].st_name])
            take(d, &symbols[i], names + symbols[i].st_name);
}

/* Calls `take` for each symbol of the module and of its separate debug file that has a name. */
static void read_tables(struct qn_debug *d, take_symbol *take)
{
    Elf *files[2] = { d->main.elf };

    qn_debug_find_separate(d);
    files[1] = d->separate.elf;
    for (size_t i = 0; i < 2 && files[i]; i++)
        for (Elf_Scn *s = elf_nextscn(files[i], NULL); s; s = elf_nextscn(files[i], s)) {
            GElf_Shdr h;

            if (gelf_getshdr(s, &h) && (h.sh_type == SHT_SYMTAB || h.sh_type == SHT_DYNSYM))
                read_table(d, files[i], s, &h, take);
        }
}

static void add_symbol(struct qn_symbols *list, const Elf64_Sym *s, const char *name)
{
    if (QN_GROW(list->list, list->count, list->room, QN_DEBUG_ROOM))
        list->list[list->count++] = (struct qn_debug_symbol){
            .start = s->st_value, .end = s->st_value + s->st_size, .name = name,
            .chooses = ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC };
}

/* The symbol that covers the address; NULL: none does.  Sets *end to the next address for which the answer may differ; leaves it if there is
 * none. */
static struct qn_debug_symbol *find_covering(const struct qn_symbols *s, uint64_t address, uint64_t *end)
{
    size_t at = QN_COUNT_WHILE(i, s->count, s->list[i].start <= address);

    if (at && address < s->list[at - 1].end) {
        *end = s->list[at - 1].end;
        return &s->list[at - 1];
    }
    if (at < s->count)
        *end = s->list[at].start;
    return NULL;
}

static void free_list(struct qn_debug_symbol *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].shown);
    free(list);
}

void qn_debug_free_symbols(struct qn_debug *d)
{
    free_list(d->functions.list, d->functions.count);
    free_list(d->others.list, d->others.count);
    free_list(d->objects.list, d->objects.count);
}

/* ---- functions ---- */

static void take_function(struct qn_debug *d, const Elf64_Sym *s, const char *name)
{
    int bind = ELF64_ST_BIND(s->st_info), type = ELF64_ST_TYPE(s->st_info);

    if (bind != STB_GLOBAL && bind != STB_LOCAL && bind != STB_WEAK)
        return;
    if (type != STT_FUNC && type != STT_OBJECT && type != STT_GNU_IFUNC)
        return;
    if (s->st_shndx == SHN_UNDEF || s->st_size == 0 || s->st_value == 0)
        return;
    if (s->st_value + s->st_size < s->st_value || s->st_value - d->plt.start < d->plt.size)
        return;
    if (qn_debug_is_code(d, s->st_value))
        add_symbol(&d->functions, s, name);
}

static bool comes_before(const struct qn_debug_symbol *a, const struct qn_debug_symbol *b)
{
    return a->start < b->start || (a->start == b->start && a->end < b->end);
}

/* What follows list[at] is sorted: moves it behind its smaller successors. */
static void sink(struct qn_debug_symbol *list, size_t count, size_t at)
{
    for (; at + 1 < count && comes_before(&list[at + 1], &list[at]); at++) {
        struct qn_debug_symbol s = list[at];

        list[at] = list[at + 1];
        list[at + 1] = s;
    }
}

/* By start, then by end; equal ranges stay in their order. */
static void sort(struct qn_symbols *s)
{
    struct qn_text_key *keys = QN_NEEDED(calloc(s->count + 1, sizeof *keys));
    struct qn_debug_symbol *sorted = QN_NEEDED(calloc(s->count + 1, sizeof *sorted));

    for (size_t i = 0; i < s->count; i++)
        keys[i] = (struct qn_text_key){ s->list[i].start, i };
    qn_text_sort_keys(keys, s->count);
    for (size_t i = 0; i < s->count; i++)
        sorted[i] = s->list[keys[i].id];
    free(keys);
    for (size_t i = s->count; i-- > 0;)
        sink(sorted, s->count, i); /* of those that begin together the shorter first */
    free(s->list);
    s->list = sorted;
    s->room = s->count + 1;
}

/* Of two names of one range the preferred one stays in the list. */
static void keep_one(struct qn_debug *d, struct qn_debug_symbol *a, struct qn_debug_symbol *b)
{
    struct qn_debug_symbol other = *b;

    if (!qn_debug_prefer_name(a->name, b->name)) {
        other = *a;
        *a = *b;
    }
    if (QN_GROW(d->others.list, d->others.count, d->others.room, QN_DEBUG_ROOM))
        d->others.list[d->others.count++] = other;
}

/* Makes the sorted list disjoint, in place.  `kept` is the range whose end is being decided. */
static void make_disjoint(struct qn_debug *d, struct qn_symbols *s)
{
    size_t kept = 0, next = 1;

    if (s->count == 0)
        return;
    while (next < s->count) {
        struct qn_debug_symbol *a = &s->list[kept], *b = &s->list[next];

        if (b->start == a->start && b->end == a->end) {
            keep_one(d, a, b);
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
    struct qn_symbols *s = &d->functions;
    GElf_Shdr h;

    if (s->loaded)
        return;
    s->loaded = true;
    if (qn_debug_section(d->main.elf, ".plt", &h)) {
        d->plt.start = h.sh_addr;
        d->plt.size = h.sh_size;
    }
    read_tables(d, take_function);
    sort(s);
    make_disjoint(d, s);
}

void qn_debug_find_symbol(struct qn_debug *d, uint64_t address, const char **name, uint64_t *end)
{
    struct qn_debug_symbol *found;

    qn_debug_load_symbols(d);
    found = find_covering(&d->functions, address, end);
    *name = found ? shown_name(found) : NULL;
}

static void take_called(const struct qn_symbols *s, const char *name, qn_debug_take_function *take, void *data)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->list[i].name, name) || qn_debug_is_called(shown_name(&s->list[i]), name))
            take(data, s->list[i].start, s->list[i].chooses);
}

void qn_debug_find_functions(struct qn_debug *d, const char *name, qn_debug_take_function *take, void *data)
{
    qn_debug_load_symbols(d);
    take_called(&d->functions, name, take, data);
    take_called(&d->others, name, take, data);
}

void qn_debug_list_functions(struct qn_debug *d, qn_debug_take_symbol *take, void *data)
{
    qn_debug_load_symbols(d);
    for (size_t i = 0; i < d->functions.count; i++)
        take(data, d->functions.list[i].name, d->functions.list[i].start, d->functions.list[i].end);
    for (size_t i = 0; i < d->others.count; i++)
        take(data, d->others.list[i].name, d->others.list[i].start, d->others.list[i].end);
}

void qn_debug_list_ranges(struct qn_debug *d, qn_debug_take_range *take, void *data)
{
    qn_debug_load_symbols(d);
    for (size_t i = 0; i < d->functions.count; i++)
        take(data, d->functions.list[i].start, d->functions.list[i].end);
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
    return d->functions.count > 0;
}

/* ---- variables ---- */

static void take_object(struct qn_debug *d, const Elf64_Sym *s, const char *name)
{
    if (ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS && s->st_value
        && s->st_value + s->st_size > s->st_value)
        add_symbol(&d->objects, s, name);
}

static int compare_objects(const void *left, const void *right)
{
    const struct qn_debug_symbol *a = left, *b = right;

    if (a->start == b->start && a->end == b->end && strcmp(a->name, b->name))
        return qn_debug_prefer_name(a->name, b->name) ? -1 : 1;
    return QN_COMPARE(a->start, b->start) ?: QN_COMPARE(b->end, a->end);
}

const struct qn_debug_symbol *qn_debug_list_objects(struct qn_debug *d, size_t *count)
{
    struct qn_symbols *o = &d->objects;
    size_t kept = 0;

    if (!o->loaded) {
        o->loaded = true;
        read_tables(d, take_object);
        if (o->count)
            qsort(o->list, o->count, sizeof *o->list, compare_objects);
        for (size_t i = 0; i < o->count; i++)
            if (!kept || o->list[i].start >= o->list[kept - 1].end)
                o->list[kept++] = o->list[i];
        o->count = kept;
    }
    *count = o->count;
    return o->list;
}

static struct qn_debug_symbol *find_object(struct qn_debug *d, uint64_t address)
{
    uint64_t end;
    size_t count;

    qn_debug_list_objects(d, &count);
    return find_covering(&d->objects, address, &end);
}

const struct qn_debug_symbol *qn_debug_find_object(struct qn_debug *d, uint64_t address) { return find_object(d, address); }

const char *qn_debug_name_object(struct qn_debug *d, uint64_t address)
{
    struct qn_debug_symbol *o = find_object(d, address);

    return o ? demangled(o) : NULL;
}
