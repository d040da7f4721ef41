/* lib/debug/parents.c - the entry around an entry: libdw has only that of an entry's children.
 *
 *   namespace geo { class box { int get(); } }:    the entry of get   ->   that of box   ->   that of geo   ->   the compilation
 *
 * Entries lie in the file in the order of the tree, a parent before its children.  For each compilation that is asked for, the entries that
 * may hold functions and types are listed once, so that each question takes logarithmic time.
 *
 * Invariants: a list is sorted by address; an entry's descendants lie between its own address and `end`.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <search.h>
#include <stdlib.h>

#include "base/grow.h"
#include "debug/memory.h"

#define DEPTH_MAX 100 /* nesting of entries; more is damage */

struct holder {
    Dwarf_Die die;
    const void *end;
    size_t parent; /* its number */
};

struct parents {
    const Dwarf_CU *unit; /* the key of the tree */
    struct holder *list;  /* the first is the compilation */
    size_t count, room;
};

int qn_debug_compare_keys(const void *left, const void *right)
{
    uintptr_t a = (uintptr_t)*(const void *const *)left, b = (uintptr_t)*(const void *const *)right;

    return a < b ? -1 : a > b;
}

bool qn_debug_may_hold_code(int tag)
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
        if (qn_debug_may_hold_code(dwarf_tag(&die)) && dwarf_haschildren(&die) == 1 && QN_GROW(p->list, p->count, p->room, QN_DEBUG_ROOM)) {
            p->list[p->count++] = (struct holder){ die, more ? next.addr : p->list[parent].end, parent };
            add_below(p, number, depth + 1);
        }
        die = next;
    } while (more);
}

static struct parents *parents_of(struct qn_debug *d, Dwarf_Die *die)
{
    struct parents wanted = { .unit = die->cu }, *p, **found = tfind(&wanted, &d->parents, qn_debug_compare_keys);
    Dwarf_Die unit;

    if (found)
        return *found;
    if (!dwarf_diecu(die, &unit, NULL, NULL) || !(p = calloc(1, sizeof *p)))
        return NULL;
    p->unit = die->cu;
    if (!tsearch(p, &d->parents, qn_debug_compare_keys)) {
        free(p);
        return NULL;
    }
    if (QN_GROW(p->list, p->count, p->room, QN_DEBUG_ROOM)) {
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

static void free_parents(void *node)
{
    free(((struct parents *)node)->list);
    free(node);
}

void qn_debug_free_parents(struct qn_debug *d)
{
    tdestroy(d->parents, free_parents);
}
