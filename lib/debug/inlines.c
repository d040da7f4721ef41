/* lib/debug/inlines.c - the functions that the compiler has inlined at an address, and the lines that called them.
 *
 *   main() calls middle() in line 20 of a.c, which calls leaf() in line 9; both are inlined
 *   ->  { "leaf", "/src/a.c", 9 }, { "middle", "/src/a.c", 20 }, and then the function that the symbol table has, main
 *
 * The source is DW_TAG_inlined_subroutine (DWARF 5, section 3.3.8).  A unit's entries are walked once, at the first question about one of its
 * addresses.  Each inlined call becomes a node that refers to the call around it.  The calls' ranges of addresses are cut so that they nest,
 * and become a list of pieces that do not overlap, each with its innermost call:
 *
 *   ranges    middle [10, 50)   leaf [20, 30)   leaf [30, 35)
 *   pieces    [10, 20) middle   [20, 30) leaf   [30, 35) leaf   [35, 50) middle
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "debug/internal.h"

#define DEPTH_MAX 200 /* nesting of entries; more is damage */

struct piece {
    uint64_t start, end;
    struct qn_inline *call;
};

struct span { /* a range of addresses before it is cut */
    uint64_t start, end;
    uint32_t depth, order;
    struct qn_inline *call;
};

struct unit {
    bool read;
    struct piece *pieces; /* sorted, disjoint */
    size_t count, room;
};

struct qn_inlines {
    struct unit *units;      /* as many as the module has */
    struct qn_inline *calls; /* all, owned */
};

struct qn_inline_name {
    const char *outer; /* the function with code of its own */
    char *text;
    struct qn_inline_name *next;
};

struct walk {
    struct qn_debug *d;
    struct qn_line_table *lines; /* line table of the unit; NULL: a split unit, whose files libdw finds */
    struct span *spans;
    size_t count, room;
};

/* ---- the calls of a unit ---- */

static void take_spans(struct walk *w, Dwarf_Die *die, struct qn_inline *call, uint32_t depth)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
        if (start < end && QN_GROW(w->spans, w->count, w->room, QN_DEBUG_ROOM)) {
            w->spans[w->count] = (struct span){start, end, depth, (uint32_t)w->count, call};
            w->count++;
        }
}

/* Makes the node of an inlined call; returns `into` if there is no memory, or the call has no name. */
static const struct qn_inline *take_call(struct walk *w, Dwarf_Die *die, const struct qn_inline *into, uint32_t depth)
{
    struct qn_inline call = {.function = qn_debug_name_die(w->d, die), .into = into, .next = w->d->inlines->calls}, *fresh;
    Dwarf_Word file = 0, line = 0;

    if (qn_debug_number(die, DW_AT_call_line, &line))
        call.line = (uint32_t)line;
    qn_debug_number(die, DW_AT_call_file, &file);
    call.file = w->lines ? qn_debug_name_file(w->d, w->lines, (uint32_t)file) : qn_debug_named_file(die, DW_AT_call_file);
    if (!call.function || !(fresh = malloc(sizeof *fresh)))
        return into;
    *fresh = call;
    w->d->inlines->calls = fresh;
    take_spans(w, die, fresh, depth);
    return fresh;
}

static void walk(struct walk *w, Dwarf_Die *parent, const struct qn_inline *into, uint32_t depth)
{
    Dwarf_Die die;

    if (depth > DEPTH_MAX)
        return;
    QN_DEBUG_EACH_CHILD(parent, &die)
        switch (dwarf_tag(&die)) {
        case DW_TAG_inlined_subroutine:
            walk(w, &die, take_call(w, &die, into, depth), depth + 1);
            break;
        case DW_TAG_subprogram: /* also one inside another: it has code of its own */
            walk(w, &die, NULL, depth + 1);
            break;
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
            walk(w, &die, into, depth + 1);
            break;
        default:
            break;
        }
}

/* ---- pieces ---- */

/* By start; at one start the outer span first, so that the spans nested in it follow. */
static int compare_spans(const void *left, const void *right)
{
    const struct span *a = left, *b = right;

    return QN_COMPARE(a->start, b->start) ?: QN_COMPARE(a->depth, b->depth) ?: QN_COMPARE(a->order, b->order);
}

static void put_piece(struct unit *u, uint64_t start, uint64_t end, struct qn_inline *call)
{
    if (start < end && QN_GROW(u->pieces, u->count, u->room, QN_DEBUG_ROOM))
        u->pieces[u->count++] = (struct piece){start, end, call};
}

/* `open` holds the spans around the current address, the innermost last; a span that reaches beyond the one around it is cut. */
static void lay_out(struct unit *u, const struct span *spans, size_t count)
{
    struct span open[DEPTH_MAX + 2] = {{0}};
    uint64_t at = 0;
    size_t n = 0;

    for (size_t i = 0; i <= count; i++) {
        uint64_t next = i < count ? spans[i].start : UINT64_MAX;

        for (; n && open[n - 1].end <= next; n--) {
            put_piece(u, at, open[n - 1].end, open[n - 1].call);
            at = open[n - 1].end > at ? open[n - 1].end : at;
        }
        if (i == count || n == DEPTH_MAX + 2)
            continue;
        if (n)
            put_piece(u, at, next, open[n - 1].call);
        at = next;
        open[n] = spans[i];
        if (n && open[n].end > open[n - 1].end)
            open[n].end = open[n - 1].end;
        n++;
    }
}

static void read_unit(struct qn_debug *d, const struct qn_code_range *range, struct unit *u)
{
    struct walk w = {.d = d};
    Dwarf_Die die;
    bool split = qn_debug_unit_entries(range, &die);
    Dwarf_Word offset;

    u->read = true;
    if (!split && qn_debug_number(&die, DW_AT_stmt_list, &offset))
        w.lines = qn_debug_find_line_table(d, offset);
    walk(&w, &die, NULL, 0);
    if (w.count)
        qsort(w.spans, w.count, sizeof *w.spans, compare_spans);
    lay_out(u, w.spans, w.count);
    free(w.spans);
}

static struct unit *load_unit(struct qn_debug *d, const struct qn_code_range *range)
{
    struct unit *u;

    if (!d->inlines && !(d->inlines = calloc(1, sizeof *d->inlines)))
        return NULL;
    if (!d->inlines->units && !(d->inlines->units = calloc(d->nunits, sizeof *d->inlines->units)))
        return NULL;
    u = &d->inlines->units[range->order];
    if (!u->read)
        read_unit(d, range, u);
    return u;
}

struct qn_inline *qn_debug_find_inline(struct qn_debug *d, uint64_t address, uint64_t *end)
{
    const struct qn_code_range *range = qn_debug_find_unit(d, address, end);
    const struct unit *u = range ? load_unit(d, range) : NULL;
    size_t low = u ? QN_COUNT_WHILE(i, u->count, u->pieces[i].end <= address) : 0;
    const struct piece *found;
    uint64_t next;

    if (!u || low == u->count)
        return NULL;
    found = &u->pieces[low];
    next = found->start > address ? found->start : found->end;
    if (next < *end)
        *end = next;
    return found->start > address ? NULL : found->call;
}

/* ---- names; each is made once ---- */

static void put_chain(FILE *out, const struct qn_inline *call, const char *outer)
{
    for (; call; call = call->into) {
        fprintf(out, "in %s", call->into ? call->into->function : outer);
        if (call->file && call->line)
            fprintf(out, " at %s:%u", call->file, call->line);
        fputs(call->into ? ", " : ")", out);
    }
}

static char *make_name(const struct qn_inline *call, const char *outer)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "%s (inlined ", call->function);
    if (qn_debug_settings.inlines == QN_DEBUG_CHAINS)
        put_chain(out, call, outer);
    else
        fprintf(out, "in %s)", outer);
    return fclose(out) ? NULL : text;
}

const char *qn_debug_name_inline(struct qn_inline *call, const char *outer)
{
    struct qn_inline_name *n = call->names;

    while (n && n->outer != outer)
        n = n->next;
    if (!n && (n = malloc(sizeof *n))) {
        *n = (struct qn_inline_name){ outer, make_name(call, outer), call->names };
        call->names = n;
    }
    return n ? n->text : NULL;
}

void qn_debug_free_inlines(struct qn_debug *d)
{
    struct qn_inlines *l = d->inlines;

    if (!l)
        return;
    for (size_t i = 0; l->units && i < d->nunits; i++)
        free(l->units[i].pieces);
    for (struct qn_inline *call = l->calls, *next; call; call = next) {
        for (struct qn_inline_name *n = call->names, *more; n; n = more) {
            more = n->next;
            free(n->text);
            free(n);
        }
        next = call->next;
        free(call);
    }
    free(l->units);
    free(l);
}
