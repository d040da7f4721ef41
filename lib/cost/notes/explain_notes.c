/* lib/cost/notes/explain_notes.c - see explain_notes.h. */
#define _GNU_SOURCE
#include "cost/notes/explain_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const explain_classes[QN_MISS_CLASSES] = { "compulsory", "capacity", "conflict" };

/* "demo.c:12", or as much as is known */
static const char *describe(const struct qn_cost_place *p, uint64_t pc, char text[EXPLAIN_PLACE_MAX])
{
    if (p->file && p->line)
        snprintf(text, EXPLAIN_PLACE_MAX, "%.200s:%" PRIu32, basename(p->file), p->line);
    else if (p->function)
        snprintf(text, EXPLAIN_PLACE_MAX, "%.250s()", p->function);
    else
        snprintf(text, EXPLAIN_PLACE_MAX, "code at 0x%" PRIx64, pc);
    return text;
}

const char *explain_place_of(struct explain_notes *o, uint32_t site, char text[EXPLAIN_PLACE_MAX], uint64_t *pc)
{
    struct qn_cost_place p = { 0 };
    uint32_t map;

    *pc = 0;
    if (!qn_cost_find_site(&o->sites, site, &map, pc))
        return snprintf(text, EXPLAIN_PLACE_MAX, "an unknown instruction"), text;
    qn_cost_find_place(o->x->modules, map, *pc, &p);
    return describe(&p, *pc, text);
}

bool explain_first_point(struct explain_notes *o, const struct qn_cost_named *n, struct qn_probe *p)
{
    struct qn_cost_extent e = qn_cost_get_extent(o->x->store);

    for (uint64_t i = 0; i < e.points; i++) {
        memcpy(p, o->x->store->base + QN_ARENA_PROBES_OFF + i * sizeof *p, sizeof *p);
        if (p->what == n->what && p->which == n->which)
            return true;
    }
    return false;
}

static int compare_counts(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a > b ? -1 : a < b;
}

size_t explain_gather_culprits(struct explain_notes *o, uint32_t which, struct explain_culprit *list)
{
    size_t n = 0;

    for (uint32_t i = 0; i < o->notes.evictors && i < QN_EVICTORS_MAX; i++) {
        char name[EXPLAIN_PLACE_MAX];
        size_t k = 0;
        uint64_t pc;

        if (o->notes.evictor[i].which != which)
            continue;
        explain_place_of(o, o->notes.evictor[i].site, name, &pc);
        while (k < n && strcmp(list[k].name, name))
            k++;
        if (k == n) {
            list[n].count = 0;
            memcpy(list[n++].name, name, sizeof name);
        }
        list[k].count += o->notes.evictor[i].count;
    }
    qsort(list, n, sizeof *list, compare_counts);
    return n;
}

uint64_t explain_set_of(const struct explain_notes *o, uint64_t line)
{
    return line >> o->line_bits & ((1ull << o->set_bits) - 1);
}

uint64_t explain_tag_of(const struct explain_notes *o, uint64_t line) { return line >> (o->line_bits + o->set_bits); }

static unsigned bits_of(uint32_t n)
{
    unsigned bits = 0;

    while (bits < 31 && 1u << (bits + 1) <= n)
        bits++;
    return bits;
}

void explain_begin(struct explain_notes *o, const struct qn_cost_explanation *x)
{
    const struct qn_geometry *g = &x->config->D1;

    o->x = x;
    if (qn_cost_has(x->store, QN_SECTION_EXPLAIN))
        memcpy(&o->notes, x->store->base + QN_ARENA_EXPLAIN_OFF, sizeof o->notes);
    o->line_bits = bits_of(g->line);
    o->set_bits = bits_of(g->size / (g->assoc * g->line));
    qn_cost_index_sites(&o->sites, x->store);
}
