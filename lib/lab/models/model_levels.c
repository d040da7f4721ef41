/* lib/lab/models/model_levels.c - see models.h.  A set is a row of entries; each knows when it was used last. */
#include "lab/models/models.h"

#include <stdlib.h>

#include "base/grow.h"

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
    struct qn_lab_level *l = QN_NEEDED(calloc(1, sizeof *l));

    l->entries = QN_NEEDED(calloc((size_t)sets * ways, sizeof *l->entries));
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

/* Fills the line; returns the victim, with used 0 if there is none. */
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

bool qn_lab_use_line(struct qn_lab_level *l, uint64_t line, uint64_t *out)
{
    struct entry *e = find(l, line), left;

    *out = QN_LAB_NO_LINE;
    if (e) {
        e->used = ++l->now;
        return true;
    }
    left = bring_in(l, line, false);
    if (left.used)
        *out = left.line;
    return false;
}

bool qn_lab_has_line(struct qn_lab_level *l, uint64_t line) { return find(l, line) != NULL; }

bool qn_lab_drop_line(struct qn_lab_level *l, uint64_t line)
{
    struct entry *e = find(l, line);

    if (e)
        e->used = 0;
    return e != NULL;
}

bool qn_lab_line_at(const struct qn_lab_level *l, uint64_t line, unsigned place, uint64_t *there, bool *prefetched)
{
    const struct entry *set = &l->entries[line % l->sets * l->ways], *next = NULL;
    uint64_t before = UINT64_MAX;

    for (unsigned n = 0; n <= place; n++) {
        next = NULL;
        for (unsigned i = 0; i < l->ways; i++)
            if (set[i].used && set[i].used < before && (!next || set[i].used > next->used))
                next = &set[i];
        if (!next)
            return false;
        before = next->used;
    }
    *there = next->line;
    *prefetched = next->prefetched;
    return true;
}

static void guess(struct qn_lab_prefetcher *p, uint64_t line)
{
    if (find(p->level, line))
        return;
    bring_in(p->level, line, true);
    p->issued++;
    p->guessed[p->guesses++] = line;
}

bool qn_lab_prefetching_miss(struct qn_lab_prefetcher *p, uint64_t line)
{
    struct entry *e = find(p->level, line);
    bool miss = !e, guessed = e && e->prefetched;
    unsigned step = p->rules->value[QN_LAB_GUESS_STEP], block = p->rules->value[QN_LAB_GUESS_BLOCK];

    if (miss) {
        bring_in(p->level, line, false);
    } else {
        e->used = ++p->level->now;
        e->prefetched = false;
        p->useful += guessed;
    }
    p->guesses = 0;
    for (unsigned i = 1; i <= p->degree && (miss || (guessed && p->kind == QN_LAB_TAGGED)); i++)
        if (!block || (line + i * step) / block == line / block)
            guess(p, line + i * step);
    return miss;
}

/* Fills a victim of the first level into the second. */
static void take_back(struct qn_lab_exclusive *x, uint64_t line)
{
    unsigned loses = x->rules->value[QN_LAB_EXCLUSIVE_LOSES];
    struct entry *e = find(x->second, line);

    if (loses && ++x->given_up % loses == 0)
        return;
    if (e)
        e->used = ++x->second->now;
    else
        bring_in(x->second, line, false);
}

bool qn_lab_exclusive_miss(struct qn_lab_exclusive *x, uint64_t line, bool *far)
{
    struct entry *below;
    uint64_t out;

    *far = false;
    if (qn_lab_use_line(x->first, line, &out))
        return false;
    below = find(x->second, line);
    *far = !below;
    if (below)
        below->used = 0; /* the line moves to the first level */
    else if (x->rules->value[QN_LAB_EXCLUSIVE_BOTH])
        bring_in(x->second, line, false);
    if (out != QN_LAB_NO_LINE)
        take_back(x, out);
    return true;
}
