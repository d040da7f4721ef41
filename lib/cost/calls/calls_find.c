/* lib/cost/calls/calls_find.c - the functions and stubs of a mapping, for --calls.  See calls.h. */
#include "cost/calls/calls.h"

#include <stdlib.h>
#include <string.h>

#include "cost/calls/call_records.h"
#include "cost/places/library.h"

struct search {
    struct qn_debug *debug;
    struct qn_map_rec map;
    struct qn_call_range *list; /* in the arena */
    uint64_t count, room;
    uint32_t flags;
};

/* The part of it that is mapped. */
static void take(void *data, uint64_t start, uint64_t end)
{
    struct search *s = data;
    uint64_t offset, guest, size = end - start;

    if (!qn_debug_offset(s->debug, start, &offset) || offset < s->map.offset
        || offset - s->map.offset >= s->map.end - s->map.start || s->count == s->room)
        return;
    guest = s->map.start + (offset - s->map.offset);
    if (size > s->map.end - guest)
        size = s->map.end - guest;
    if (size && size <= UINT32_MAX)
        s->list[s->count++] = (struct qn_call_range){ guest, (uint32_t)size, s->flags };
}

static int by_start(const void *left, const void *right)
{
    const struct qn_call_range *a = left, *b = right;

    return a->start < b->start ? -1 : a->start > b->start;
}

/* A function of several names is below main if the name is that the profile shows: lines and calls name it alike. */
static void mark_below_main(void *data, const char *name, uint64_t start, uint64_t end)
{
    struct search *s = data;
    uint64_t offset;

    (void)end;
    if (!qn_debug_is_below_main(name) || strcmp(qn_debug_name_function(s->debug, start), QN_DEBUG_BELOW_MAIN)
        || !qn_debug_offset(s->debug, start, &offset))
        return;
    for (uint64_t i = 0; i < s->count; i++)
        if (s->list[i].start == s->map.start + (offset - s->map.offset))
            s->list[i].flags |= QN_CALL_BELOW_MAIN;
}

static void find(struct search *s, struct qn_debug *d)
{
    s->debug = d;
    s->flags = QN_CALL_SYMBOL;
    qn_debug_list_ranges(d, take, s);
    s->flags = QN_CALL_PLT;
    qn_debug_list_stubs(d, take, s);
    qsort(s->list, s->count, sizeof *s->list, by_start);
    qn_debug_list_functions(d, mark_below_main, s);
}

void qn_cost_find_calls(const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t map)
{
    uint8_t *base = store->base + QN_ARENA_CALLS_OFF;
    struct qn_call_head *h = &qn_cost_header(store)->calls;
    struct qn_call_map *row = (struct qn_call_map *)(base + QN_CALL_MAPS_OFF) + h->maps;
    uint64_t used = h->ranges, most = QN_CALL_RANGES_SIZE / sizeof(struct qn_call_range);
    struct search s = { .list = (struct qn_call_range *)(base + QN_CALL_RANGES_OFF) + used, .room = used < most ? most - used : 0 };
    struct qn_cost_extent e = qn_cost_get_extent(store);
    uint32_t file;

    if (map >= e.maps || h->maps >= QN_CALL_MAPS_SIZE / sizeof *row)
        return;
    memcpy(&s.map, store->base + QN_ARENA_MAPS_OFF + map * sizeof s.map, sizeof s.map);
    file = qn_cost_number_map(library, store, &s.map);
    if (!file)
        return;
    qn_cost_open_file(library, &library->files[file - 1]);
    if (library->files[file - 1].debug)
        find(&s, library->files[file - 1].debug);
    *row = (struct qn_call_map){ .map = map, .first = (uint32_t)used, .count = (uint32_t)s.count };
    h->ranges = (uint32_t)(used + s.count);
    h->maps++;
}

uint64_t qn_cost_call_start(const uint8_t *base, const struct qn_call_head *head, uint32_t map, uint64_t pc)
{
    const struct qn_call_map *maps = (const struct qn_call_map *)(base + QN_CALL_MAPS_OFF);
    const struct qn_call_range *ranges = (const struct qn_call_range *)(base + QN_CALL_RANGES_OFF);
    uint32_t m = 0, low, high, first;

    while (m < head->maps && maps[m].map != map)
        m++;
    if (m == head->maps || maps[m].first > head->ranges || maps[m].count > head->ranges - maps[m].first)
        return pc;
    first = low = maps[m].first;
    high = low + maps[m].count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (ranges[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first && pc - ranges[low - 1].start < ranges[low - 1].size ? ranges[low - 1].start : pc;
}
