/* lib/guest/exec_map.c - see exec_map.h.  Sorted arrays: programs have dozens of code ranges, not thousands;
 * JIT compilers that make thousands still find theirs by binary search. */
#include "guest/exec_map.h"

#define MAX_RANGES 16384

struct table {
    struct qn_exec_range range[MAX_RANGES];
    uint32_t n;
};

static struct table code, shared;
static bool all_writable;

/* First range that ends above pc. */
static uint32_t lower(const struct table *t, uint64_t pc)
{
    return QN_COUNT_WHILE(i, t->n, t->range[i].end <= pc);
}

static void insert_at(struct table *t, uint32_t i, struct qn_exec_range r)
{
    if (t->n == MAX_RANGES || r.start == r.end)
        return; /* the range stays unknown: running it is reported as a fault */
    __builtin_memmove(&t->range[i + 1], &t->range[i], (t->n - i) * sizeof t->range[0]);
    t->range[i] = r;
    t->n++;
}

static void delete_at(struct table *t, uint32_t i)
{
    t->n--;
    __builtin_memmove(&t->range[i], &t->range[i + 1], (t->n - i) * sizeof t->range[0]);
}

static void remove_from(struct table *t, uint64_t start, uint64_t end)
{
    uint32_t i = lower(t, start);

    while (i < t->n && t->range[i].start < end) {
        struct qn_exec_range r = t->range[i];

        delete_at(t, i);
        if (r.start < start)
            insert_at(t, i++, (struct qn_exec_range){r.start, start, r.map, r.writable});
        if (r.end > end)
            insert_at(t, i++, (struct qn_exec_range){end, r.end, r.map, r.writable});
    }
}

static bool overlaps(const struct table *t, uint64_t start, uint64_t end)
{
    uint32_t i = lower(t, start);

    return i < t->n && t->range[i].start < end;
}

void qn_exec_remove(uint64_t start, uint64_t end) { remove_from(&code, start, end); }

void qn_exec_add(uint64_t start, uint64_t end, bool writable)
{
    remove_from(&code, start, end);
    insert_at(&code, lower(&code, start), (struct qn_exec_range){start, end, QN_NO_MAP, writable || all_writable});
}

bool qn_exec_fill(uint64_t pc, uint64_t start, uint64_t end, bool writable)
{
    uint32_t i = lower(&code, pc), n = code.n;

    if (i < n && code.range[i].start < end)
        end = code.range[i].start;
    if (i && code.range[i - 1].end > start)
        start = code.range[i - 1].end;
    if (pc < end)
        insert_at(&code, i, (struct qn_exec_range){start, end, QN_NO_MAP, writable || all_writable});
    return code.n > n;
}

bool qn_exec_are_all_writable(void) { return all_writable; }

bool qn_exec_all_writable(void)
{
    bool before = all_writable;

    all_writable = true;
    for (uint32_t i = 0; i < code.n; i++)
        code.range[i].writable = true;
    return !before;
}

bool qn_exec_overlaps(uint64_t start, uint64_t end) { return overlaps(&code, start, end); }

struct qn_exec_range *qn_exec_find(uint64_t pc)
{
    uint32_t i = lower(&code, pc);

    return i < code.n && code.range[i].start <= pc ? &code.range[i] : NULL;
}

uint64_t qn_exec_avail(uint64_t pc, uint64_t most)
{
    uint64_t at = pc;

    for (uint32_t i = lower(&code, pc); i < code.n && code.range[i].start <= at && at - pc < most; i++)
        at = code.range[i].end;
    return at - pc < most ? at - pc : most;
}

void qn_shared_set(uint64_t start, uint64_t end, bool is_shared)
{
    remove_from(&shared, start, end);
    if (is_shared)
        insert_at(&shared, lower(&shared, start), (struct qn_exec_range){start, end, QN_NO_MAP, true});
}

bool qn_shared_overlaps(uint64_t start, uint64_t end) { return overlaps(&shared, start, end); }

uint64_t qn_shared_end(uint64_t at)
{
    uint32_t i = lower(&shared, at);

    return i < shared.n && shared.range[i].start <= at ? shared.range[i].end : 0;
}
