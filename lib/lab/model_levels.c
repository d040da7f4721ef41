/* lib/lab/model_levels.c - see model_levels.h.  A set is a row of entries; each knows when it was used last. */
#include "lab/model_levels.h"

#include <stdlib.h>

struct entry {
    uint64_t line, used; /* used 0: free */
    bool prefetched;
};

struct qn_lab_level {
    unsigned sets, ways;
    uint64_t now;
    struct entry *entries;
};

struct qn_lab_level *qn_lab_new_level(unsigned sets, unsigned ways)
{
    struct qn_lab_level *l = calloc(1, sizeof *l);

    if (!l || !(l->entries = calloc((size_t)sets * ways, sizeof *l->entries)))
        abort();
    l->sets = sets;
    l->ways = ways;
    return l;
}

void qn_lab_free_level(struct qn_lab_level *l)
{
    free(l->entries);
    free(l);
}

static struct entry *set_of(struct qn_lab_level *l, uint64_t line) { return &l->entries[line % l->sets * l->ways]; }

static struct entry *find(struct qn_lab_level *l, uint64_t line)
{
    struct entry *set = set_of(l, line);

    for (unsigned i = 0; i < l->ways; i++)
        if (set[i].used && set[i].line == line)
            return &set[i];
    return NULL;
}

/* Returns what was there; used 0: nothing. */
static struct entry bring_in(struct qn_lab_level *l, uint64_t line, bool prefetched)
{
    struct entry *set = set_of(l, line), *oldest = set, out;

    for (unsigned i = 1; i < l->ways; i++)
        if (set[i].used < oldest->used)
            oldest = &set[i];
    out = *oldest;
    *oldest = (struct entry){ line, ++l->now, prefetched };
    return out;
}

bool qn_lab_prefetching_miss(struct qn_lab_prefetcher *p, uint64_t line)
{
    struct entry *e = find(p->level, line);
    bool miss = !e, guessed = e && e->prefetched;

    if (miss) {
        bring_in(p->level, line, false);
    } else {
        e->used = ++p->level->now;
        e->prefetched = false;
        p->useful += guessed;
    }
    for (unsigned i = 1; i <= p->degree && (miss || (guessed && p->kind == QN_LAB_TAGGED)); i++)
        if (!find(p->level, line + i)) {
            bring_in(p->level, line + i, true);
            p->issued++;
        }
    return miss;
}

bool qn_lab_exclusive_miss(struct qn_lab_level *first, struct qn_lab_level *second, uint64_t line, bool *far)
{
    struct entry *e = find(first, line), *below, out;

    *far = false;
    if (e) {
        e->used = ++first->now;
        return false;
    }
    below = find(second, line);
    *far = !below;
    if (below)
        below->used = 0; /* given away */
    out = bring_in(first, line, false);
    if (out.used)
        bring_in(second, out.line, false);
    return true;
}
