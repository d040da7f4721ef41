/* lib/debug/dwarf.c - answers what needs .debug_info, by libdw.
 *
 *   unit and function of an address:
 *     DW_TAG_subprogram { name "main", low 401000, high 401080 }   401010 -> "main", end 401080
 *   directory of a compilation, for line tables before DWARF 5 that name files relative to it
 *   the entry around an entry
 *   how often a function was inlined: DW_TAG_inlined_subroutine { abstract_origin: DW_TAG_subprogram { name "f" } }
 *
 * The function of an address is never an inlined one: its code belongs to the function that was called (but see inlines.c).
 */
#define _GNU_SOURCE

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/grow.h"
#include "debug/internal.h"

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

/* ---- trees ---- */

static int compare_keys(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;

    return QN_COMPARE(*a, *b);
}

void *qn_debug_node(void **tree, const void *key, size_t size)
{
    void **found = tfind(&key, tree, compare_keys), *fresh = found ? *found : calloc(1, size);

    if (found || !fresh)
        return fresh;
    *(const void **)fresh = key;
    if (tsearch(fresh, tree, compare_keys))
        return fresh;
    free(fresh);
    return NULL;
}

/* ---- walking ---- */

static void walk(Dwarf_Die *parent, qn_debug_visit *visit, void *data, int depth)
{
    Dwarf_Die die;

    if (depth > DEPTH_MAX)
        return;
    QN_DEBUG_EACH_CHILD(parent, &die)
        if (visit(data, &die, dwarf_tag(&die)))
            walk(&die, visit, data, depth + 1);
}

void qn_debug_walk(Dwarf_Die *parent, qn_debug_visit *visit, void *data) { walk(parent, visit, data, 0); }

void qn_debug_walk_units(struct qn_debug *d, qn_debug_visit *visit, void *data)
{
    Dwarf *dwarf = qn_debug_open_dwarf(d);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, split;

    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, &split) == 0)
        qn_debug_walk(split.addr ? &split : &unit, visit, data);
}

/* ---- the entry around an entry: libdw has only that of an entry's children ----
 *
 *   namespace geo { class box { int get(); } }:    the entry of get   ->   that of box   ->   that of geo   ->   the compilation
 *
 * Entries lie in the file in the order of the tree, a parent before its children.  For each compilation that is asked for, the entries that
 * may hold functions and types are listed once, so that each question takes logarithmic time.
 *
 * Invariants: a list is sorted by address; an entry's descendants lie between its own address and `end`.
 */

struct holder {
    Dwarf_Die die;
    const void *end;
    size_t parent; /* its number */
};

struct parents {
    const void *unit;     /* its Dwarf_CU: the key of the tree */
    struct holder *list;  /* the first is the compilation */
    size_t count, room;
};

static bool may_hold_code(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type
           || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_module;
}

/* Lists what is below an entry; its last descendant ends where it does. */
static void add_below(struct parents *p, size_t parent, int depth)
{
    Dwarf_Die die, next;
    int more;

    if (depth > DEPTH_MAX || dwarf_child(&p->list[parent].die, &die))
        return;
    do {
        size_t number = p->count;

        more = dwarf_siblingof(&die, &next) == 0;
        if (may_hold_code(dwarf_tag(&die)) && dwarf_haschildren(&die) == 1 && QN_GROW(p->list, p->count, p->room, QN_DEBUG_ROOM)) {
            p->list[p->count++] = (struct holder){ die, more ? next.addr : p->list[parent].end, parent };
            add_below(p, number, depth + 1);
        }
        die = next;
    } while (more);
}

static const struct parents *parents_of(struct qn_debug *d, Dwarf_Die *die)
{
    struct parents *p = qn_debug_node(&d->parents, die->cu, sizeof *p);
    Dwarf_Die unit;

    if (p && !p->count && dwarf_diecu(die, &unit, NULL, NULL) && QN_GROW(p->list, p->count, p->room, QN_DEBUG_ROOM)) {
        p->list[p->count++] = (struct holder){ unit, (const void *)UINTPTR_MAX, 0 };
        add_below(p, 0, 0);
    }
    return p;
}

bool qn_debug_parent(struct qn_debug *d, Dwarf_Die *die, Dwarf_Die *parent)
{
    const struct parents *p = parents_of(d, die);
    size_t n = p ? QN_COUNT_WHILE(i, p->count, (uintptr_t)p->list[i].die.addr < (uintptr_t)die->addr) : 0;

    if (!n)
        return false;
    for (n--; (uintptr_t)p->list[n].end <= (uintptr_t)die->addr; n = p->list[n].parent)
        continue;
    *parent = p->list[n].die;
    return true;
}

/* ---- names ---- */

static const char *string_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute at;

    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &at));
}

bool qn_debug_number(Dwarf_Die *die, unsigned attribute, Dwarf_Word *value)
{
    Dwarf_Attribute at;

    return dwarf_formudata(dwarf_attr_integrate(die, attribute, &at), value) == 0;
}

/* libdw's own dwarf_decl_file does not know that DWARF 5 begins with file 0, and ends the process where a split unit has its files in the main file. */
const char *qn_debug_named_file(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute at;
    Dwarf_Word number;
    Dwarf_Half version;
    Dwarf_Files *files;
    Dwarf_Die unit;
    size_t count;

    if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &at), &number) || !dwarf_cu_die(at.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
        dwarf_getsrcfiles(&unit, &files, &count) || (!number && version < 5))
        return NULL;
    return dwarf_filesrc(files, number, NULL, NULL);
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

struct made_name {
    const void *die; /* the key of the tree */
    bool made;
    char *text;
};

const char *qn_debug_name_die(struct qn_debug *d, Dwarf_Die *die)
{
    struct made_name *n = qn_debug_node(&d->made_names, die->addr, sizeof *n);

    if (n && !n->made) {
        n->made = true;
        n->text = make_name(d, die);
    }
    return n ? n->text : NULL;
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

    return QN_COMPARE(a->start, b->start);
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

static void load_units(struct qn_debug *d)
{
    Dwarf *dwarf = qn_debug_open_dwarf(d);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    Dwarf_Attribute at;
    Dwarf_Word offset;

    if (d->units.loaded)
        return;
    d->units.loaded = true;
    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
        add_ranges(&d->units, &unit, d->nunits++);
        if (qn_debug_number(&unit, DW_AT_stmt_list, &offset)
            && QN_GROW(d->directories, d->ndirectories, d->directory_room, QN_DEBUG_ROOM))
            d->directories[d->ndirectories++] = (struct qn_directory){ offset, dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &at)) };
    }
    sort_ranges(&d->units);
}

const struct qn_code_range *qn_debug_find_unit(struct qn_debug *d, uint64_t address, uint64_t *end)
{
    load_units(d);
    return find_range(&d->units, address, end);
}

const char *qn_debug_find_directory(struct qn_debug *d, uint64_t offset)
{
    load_units(d);
    for (size_t i = 0; i < d->ndirectories; i++)
        if (d->directories[i].offset == offset)
            return d->directories[i].text;
    return NULL;
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

struct functions {
    struct qn_code_ranges *ranges;
    uint32_t order;
};

/* Member functions of a class or a lambda inside a function are below that function's entry but outside its addresses:
 * dwarf_getscopes does not find them. */
static bool take_function(void *data, Dwarf_Die *die, int tag)
{
    struct functions *f = data;

    if (tag == DW_TAG_subprogram)
        add_ranges(f->ranges, die, f->order++);
    return may_hold_code(tag);
}

const struct qn_code_range *qn_debug_find_code(struct qn_debug *d, uint64_t address)
{
    uint64_t end = UINT64_MAX;
    const struct qn_code_range *range = qn_debug_find_unit(d, address, &end);
    struct functions f = { .order = 0 };
    Dwarf_Die unit;

    if (!range || (!d->code && !(d->code = calloc(d->nunits, sizeof *d->code))))
        return NULL;
    f.ranges = &d->code[range->order];
    if (!f.ranges->loaded) {
        f.ranges->loaded = true;
        qn_debug_unit_entries(range, &unit);
        qn_debug_walk(&unit, take_function, &f);
        sort_ranges(f.ranges);
    }
    return find_range(f.ranges, address, &end);
}

/* ---- inlined calls ---- */

struct inlined {
    struct qn_debug *debug;
    const char *name;
    unsigned count;
};

static bool count_call(void *data, Dwarf_Die *die, int tag)
{
    struct inlined *i = data;
    Dwarf_Attribute at;
    Dwarf_Die origin;
    const char *linkage, *shown;

    if (tag != DW_TAG_inlined_subroutine || !dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &at), &origin))
        return true;
    linkage = string_of(&origin, DW_AT_linkage_name);
    shown = qn_debug_name_die(i->debug, &origin);
    i->count += (linkage && !strcmp(linkage, i->name)) || (shown && qn_debug_is_called(shown, i->name));
    return true;
}

unsigned qn_debug_count_inlined(struct qn_debug *d, const char *name)
{
    struct inlined i = { d, name, 0 };

    qn_debug_walk_units(d, count_call, &i);
    return i.count;
}

/* ---- closing ---- */

static void free_name(void *node)
{
    free(((struct made_name *)node)->text);
    free(node);
}

static void free_parents(void *node)
{
    free(((struct parents *)node)->list);
    free(node);
}

void qn_debug_free_dwarf(struct qn_debug *d)
{
    tdestroy(d->made_names, free_name);
    tdestroy(d->parents, free_parents);
    for (uint32_t i = 0; d->code && i < d->nunits; i++)
        free(d->code[i].list);
    free(d->code);
    free(d->units.list);
    free(d->directories);
    free(d->globals);
    if (d->frames)
        dwarf_cfi_end(d->frames);
}
