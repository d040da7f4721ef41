/* lib/guest/exec_map.c - see exec_map.h.  A sorted array: programs have dozens of code ranges, not thousands;
 * JIT compilers that make thousands still find theirs by binary search. */
#include "guest/exec_map.h"

#define MAX_RANGES 16384

static struct qn_exec_range ranges[MAX_RANGES];
static uint32_t nranges;

/* First range that ends above pc. */
static uint32_t lower(uint64_t pc)
{
    uint32_t low = 0, high = nranges;

    while (low < high) {
        uint32_t mid = (low + high) / 2;

        if (ranges[mid].end <= pc)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void insert_at(uint32_t i, struct qn_exec_range r)
{
    if (nranges == MAX_RANGES)
        return; /* the range stays unknown: running it is reported as a fault */
    __builtin_memmove(&ranges[i + 1], &ranges[i], (nranges - i) * sizeof ranges[0]);
    ranges[i] = r;
    nranges++;
}

static void delete_at(uint32_t i)
{
    nranges--;
    __builtin_memmove(&ranges[i], &ranges[i + 1], (nranges - i) * sizeof ranges[0]);
}

void qn_exec_remove(uint64_t start, uint64_t end)
{
    uint32_t i = lower(start);

    while (i < nranges && ranges[i].start < end) {
        struct qn_exec_range r = ranges[i];

        delete_at(i);
        if (r.start < start)
            insert_at(i++, (struct qn_exec_range){r.start, start, r.map, r.writable});
        if (r.end > end)
            insert_at(i++, (struct qn_exec_range){end, r.end, r.map, r.writable});
    }
}

void qn_exec_add(uint64_t start, uint64_t end, bool writable)
{
    qn_exec_remove(start, end);
    insert_at(lower(start), (struct qn_exec_range){start, end, QN_NO_MAP, writable});
}

bool qn_exec_overlaps(uint64_t start, uint64_t end)
{
    uint32_t i = lower(start);

    return i < nranges && ranges[i].start < end;
}

struct qn_exec_range *qn_exec_find(uint64_t pc)
{
    uint32_t i = lower(pc);

    return i < nranges && ranges[i].start <= pc ? &ranges[i] : NULL;
}

uint64_t qn_exec_avail(uint64_t pc, uint64_t most)
{
    uint64_t at = pc;

    for (uint32_t i = lower(pc); i < nranges && ranges[i].start <= at && at - pc < most; i++)
        at = ranges[i].end;
    return at - pc < most ? at - pc : most;
}
